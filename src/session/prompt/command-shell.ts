// The shell of a command that stands in a file: each line is a call of Bash, decided, hooked, confined and hidden as any other.
// One rule: what is not allowed ends the command, so that no model works on half of what it was to see.
import { ConfigError } from '../../protocol/errors.js';
import { bashTool } from '../../tools/bash.js';
import { shorten } from '../../util/text.js';
import type { AgentRun } from '../core/index.js';
import { loopDeps } from './run-loop.js';

const SHOWN = 100;

/** @returns what the line printed. @throws ConfigError if it was not allowed, or failed */
export async function runCommandShell(
  run: AgentRun,
  line: string,
  { command, allowedTools }: { readonly command: string; readonly allowedTools: readonly string[] },
  signal: AbortSignal,
): Promise<string> {
  const { session, runtime } = run;
  const refuse = (why: string) =>
    new ConfigError(`The command /${command} was not run: ${shorten(line, SHOWN)} ${why}`);
  if (!runtime.setup.tools.some(({ name }) => name === bashTool.name))
    throw refuse('needs the tool Bash, which this session does not have.');
  await runtime.gate.approveForPrompt(allowedTools);
  const call = {
    type: 'tool_use',
    id: `toolu_${session.host.ids.uuid().replaceAll('-', '')}`,
    name: bashTool.name,
    input: { command: line, description: `For /${command}` },
  } as const;
  const { executeTool } = await import('../../engine/calls/execute-tool.js');
  const { block, ending } = await executeTool(call, undefined, { ...loopDeps(run, signal), deferCall: undefined });
  const { content } = block;
  const text =
    typeof content === 'string'
      ? content
      : (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (ending === 'deferred') throw refuse('waits for a decision, which a command cannot.');
  if (block.is_error === true) throw refuse(`did not succeed. ${text}`);
  return text;
}
