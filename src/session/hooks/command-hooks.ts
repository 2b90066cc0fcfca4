// Hooks of settings in a session: commands have what commands of the tool Bash have, and no credentials. Loaded
// if a session has some.

import { type CommandHook, type OpenedCommands, openCommands } from '../../hooks/command-hook.js';
import type { HookPowers } from '../../hooks/declared-hooks.js';
import type { Host } from '../../host/host.js';
import { mcpToolName } from '../../mcp/tool-names.js';
import type { ToolResultContent } from '../../protocol/content.js';
import { ToolError } from '../../protocol/errors.js';
import type { HookInput } from '../../protocol/hooks.js';
import type { Secrets } from '../../providers/keys/index.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import { findShell, NOT_REMOTE, shellEnvironment } from '../../tools/bash/index.js';
import type { AnyTool, ToolContext, Tools } from '../../tools/tool.js';
import { shorten } from '../../util/text.js';
import { childEnvironment } from '../config/index.js';

export interface CommandHookPlace {
  readonly host: Host;
  readonly cwd: string;
  /** Variables of the session. */
  readonly env: Host['env'];
  readonly secrets: Pick<Secrets, 'variables' | 'values'>;
  /** Null if commands run as they are. */
  readonly sandbox: CommandSandbox | null;
  /** For hooks that are no commands. */
  readonly powers: HookPowers;
  /** More variables of a command, by what it hears of. */
  variablesFor?(input: HookInput): Readonly<Record<string, string>>;
}

export function openCommandHooks(hooks: readonly CommandHook[], place: CommandHookPlace): OpenedCommands {
  const { host, cwd, env, secrets, sandbox, powers } = place;
  let shell: Promise<string> | null = null;
  // What is found to be a secret later must not reach a process either, so this is asked each time.
  const childEnv = () => childEnvironment(env, secrets);
  return openCommands(hooks, {
    exec: host.exec,
    cwd,
    sandbox,
    powers,
    environment: (input) => ({
      ...shellEnvironment({ childEnv: childEnv() }),
      ...place.variablesFor?.(input),
      ...NOT_REMOTE,
    }),
    async shell() {
      shell ??= findShell({ host, childEnv: childEnv() });
      return [await shell, '-c', '--'];
    },
  });
}

// A tool of an MCP server, called by a hook. One rule: what the session may not have, a hook has not either, and nobody is
// asked.

/**
 * The text of its result.
 * @param tools of the servers of the session, without those that rules deny
 * @throws ToolError if there is no such tool, or it failed
 */
export async function callServerTool(
  server: string,
  name: string,
  input: Readonly<Record<string, unknown>>,
  tools: Tools,
  context: ToolContext,
): Promise<string> {
  const full = mcpToolName(server, name);
  const tool = tools.find((each) => each.name === full);
  if (tool === undefined)
    throw new ToolError(
      `There is no ${full}: the MCP server ${server} is not connected (yet), has no such tool, or a rule denies it.`,
    );
  const why = tool.mustAsk?.();
  if (why != null)
    throw new ToolError(
      `${full} is not called: ${why}. Let the model call it once in the session: then you are asked.`,
    );
  const run = tool.run as (input: unknown, context: ToolContext) => ReturnType<AnyTool['run']>;
  const { model, isError } = await run(input, context);
  const text =
    typeof model === 'string'
      ? model
      : model.map((part: ToolResultContent) => (part.type === 'text' ? part.text : '')).join('');
  if (isError === true) throw new ToolError(`${full} failed: ${shorten(text, 500)}`);
  return text === '(no output)' ? '' : text;
}
