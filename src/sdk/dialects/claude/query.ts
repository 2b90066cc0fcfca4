// query(), startup() and prewarm() of the Claude Agent SDK.

import type { Host } from '../../../host/host.js';
import { createNodeHost } from '../../../host/node-host.js';
import type { HookCallback, HookCallbackMatcher } from '../../../protocol/hooks.js';
import type { CanUseTool as OurCanUseTool, PermissionResult } from '../../../protocol/permissions.js';
import type { Options as OurOptions } from '../../options/index.js';
import { query as ourQuery } from '../../query.js';
import {
  type ClaimOptions as OurClaim,
  type Prompt,
  type SpareProcess,
  spare,
  type WarmQuery,
  warm,
} from '../../startup.js';
import { CLAUDE_FOLDER, dialectPlace, runsPublishedProgram } from '../folders.js';
import { type Controls, withControls } from '../session.js';
import { LEGACY_TOOL_NAME_ALIASES, SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from './constants.js';
import { claudeMessages, claudeOutput } from './messages.js';
import type { CanUseTool, Options } from './options-types.js';
import type {
  AgentDefinition,
  McpServerStatus,
  ModelInfo,
  SDKControlReloadPluginsResponse,
  SDKMessage,
  Settings,
} from './types.js';

type Ours = Omit<Controls, 'mcpServerStatus' | 'reloadPlugins' | 'supportedModels'>;
export interface Query extends AsyncGenerator<SDKMessage, void>, Ours {
  mcpServerStatus(): Promise<McpServerStatus[]>;
  reloadPlugins(...given: Parameters<Controls['reloadPlugins']>): Promise<SDKControlReloadPluginsResponse>;
  supportedModels(): Promise<ModelInfo[]>;
}

/**
 * Runs a session as the Claude Agent SDK does.
 * @throws Error behind the last message if the last prompt failed; AbortError if `abortController` was aborted
 */
export function query(params: { prompt: Prompt; options?: Options }): Query {
  const { prompt, options = {} } = params ?? {};
  return start(prompt, ourOptions(options));
}

function start(prompt: Prompt, options: OurOptions): Query {
  let isClosed = false;
  const facts = {
    signal: options.abortController?.signal,
    maxTurns: options.maxTurns,
    resume: options.resume,
    isClosed: () => isClosed,
  };
  const session = withControls(ourQuery({ prompt, options }), (messages) => claudeMessages(messages, facts));
  const { setModel, close } = session;
  session.setModel = (model) => setModel(model === undefined ? undefined : modelName(model));
  session.close = () => {
    isClosed = true;
    close();
  };
  return session as unknown as Query;
}

/** Opens a session whose prompt comes later. @throws what opening it throws */
export async function startup(
  params: { options?: Options; initializeTimeoutMs?: number } = {},
): Promise<WarmQuery<Query>> {
  const options = ourOptions(params.options ?? {});
  return warm((prompt) => start(prompt, options), options.host ?? createNodeHost(), params.initializeTimeoutMs);
}

/** Checks options and loads what sessions need; the folder comes later. @throws if the options cannot be used */
export async function prewarm(
  params: { options?: Options; initializeTimeoutMs?: number } = {},
): Promise<SpareProcess<Query>> {
  const options = ourOptions(params.options ?? {});
  return spare(options, start, options.host ?? createNodeHost(), params.initializeTimeoutMs);
}

export type { SpareProcess, WarmQuery };
export type ClaimOptions = Omit<OurClaim, 'settings' | 'agents'> & {
  agents?: Record<string, AgentDefinition>;
  settings?: { [Key in keyof Settings]?: Settings[Key] | null };
};

// From the options of the Claude Agent SDK to ours. One rule: what means the same is passed on as it is; here is what
// means something else.

/** What a session is told if the program says nothing: the published SDK has a sentence here, and no more. */
const MINIMAL_PROMPT = 'You are an agent. Do what you are asked with the tools you have, and say what came of it.';

/** Times in a row that a model may be overloaded before the fallback model is asked. */
const OVERLOADS = 3;

/** Models that are no longer served, and what answers in their place; and names that stand for a model. */
const MODELS: ReadonlyMap<string, string> = new Map([
  ['claude-opus-4-0', 'claude-opus-5-5'],
  ['claude-opus-4-1', 'claude-opus-5-5'],
  ['claude-opus-4-20250514', 'claude-opus-5-5'],
  ['claude-opus-4-1-20250805', 'claude-opus-5-5'],
  ['default', 'claude-opus-5-5'],
  ['best', 'claude-opus-5-5'],
  ['opusplan', 'claude-sonnet-5-5'],
]);

/** The options as ours. Contract: nothing is read or checked here; what is wrong is told when the session starts. */
function ourOptions(options: Options): OurOptions {
  const { env, host: given, systemPrompt, thinking, canUseTool, hooks, ...rest } = options;
  const { fallback, fallbackModel, model, tools, allowedTools, disallowedTools } = options;
  const { host = createNodeHost() } = options;
  return {
    ...(rest as OurOptions),
    ...dialectPlace(CLAUDE_FOLDER, options),
    systemPrompt: ourSystemPrompt(systemPrompt),
    ...thinkingOf(thinking, options.maxThinkingTokens),
    ...(typeof model === 'string' ? { model: modelName(model) } : {}),
    ...(typeof fallbackModel === 'string'
      ? {
          fallbackModel: fallbackModel
            .split(',')
            .map((name) => modelName(name.trim()))
            .join(','),
          ...(runsPublishedProgram(options) ? {} : { fallback: { overloads: OVERLOADS, ...fallback } }),
        }
      : {}),
    ...(Array.isArray(tools) ? { tools: tools.map(toolName) } : {}),
    ...(Array.isArray(allowedTools) ? { allowedTools: allowedTools.flatMap(splitRules).map(ruleName) } : {}),
    ...(Array.isArray(disallowedTools) ? { disallowedTools: disallowedTools.flatMap(splitRules).map(ruleName) } : {}),
    ...(typeof canUseTool === 'function' ? { canUseTool: ourCanUseTool(canUseTool, host) } : {}),
    ...(hooks === undefined ? {} : { hooks: ourHooks(hooks as unknown as NonNullable<OurOptions['hooks']>) }),
  };
}

function modelName(name: string): string {
  return MODELS.get(name.toLowerCase()) ?? name;
}

function ourSystemPrompt(prompt: Options['systemPrompt']): NonNullable<OurOptions['systemPrompt']> {
  if (prompt === undefined || prompt === '') return MINIMAL_PROMPT;
  if (typeof prompt === 'string') return prompt;
  if (Array.isArray(prompt)) return withoutBoundary(prompt);
  if (prompt.type === 'custom') {
    const text = prompt.prompt;
    return { type: 'custom', prompt: Array.isArray(text) ? withoutBoundary(text) : text };
  }
  const { append } = prompt;
  return { type: 'preset', preset: 'claude_code', ...(append === undefined ? {} : { append }) };
}

/** What is the same for all sessions is cached by itself here, wherever it ends. */
function withoutBoundary(parts: readonly string[]): readonly string[] {
  return parts.filter((part) => part !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY);
}

/** Some programs say "highlights", which its types do not have: a summary is nearest. */
function thinkingOf(thinking: Options['thinking'], tokens: number | undefined): Pick<OurOptions, 'thinking'> {
  if (thinking === undefined || thinking.type === 'disabled') return thinking === undefined ? {} : { thinking };
  const { display: wanted, ...rest } = thinking;
  const display =
    wanted === undefined ? {} : { display: (wanted as string) === 'highlights' ? ('summarized' as const) : wanted };
  if (rest.type === 'adaptive' || rest.budgetTokens !== undefined || tokens === undefined)
    return { thinking: { ...rest, ...display } };
  return { thinking: { ...rest, ...display, budgetTokens: tokens } };
}

/** A text may hold several rules, with commas or spaces between them; those in parentheses belong to a rule. */
export function splitRules(text: string): readonly string[] {
  return String(text).match(/(?:\([^)]*\)|[^\s,(])+/g) ?? [];
}

function ruleName(rule: string): string {
  const [name = ''] = /^[^(]*/.exec(rule) ?? [];
  return toolName(name) + rule.slice(name.length);
}

/** Resource tools have their earlier names here. */
function toolName(name: string): string {
  if (name === 'ListMcpResourcesTool' || name === 'ReadMcpResourceTool') return name.slice(0, -'Tool'.length);
  if (name === 'ListMcpResources' || name === 'ReadMcpResource') return name;
  return Object.hasOwn(LEGACY_TOOL_NAME_ALIASES, name)
    ? LEGACY_TOOL_NAME_ALIASES[name as keyof typeof LEGACY_TOOL_NAME_ALIASES]
    : name;
}

/** `null` means that somebody else answers: the call waits until it is cancelled. */
function ourCanUseTool(canUseTool: CanUseTool, host: Pick<Host, 'ids'>): OurCanUseTool {
  return async (tool, input, options) => {
    const answer = await canUseTool(tool, input, {
      ...(options as Parameters<CanUseTool>[2]),
      requestId: host.ids.uuid(),
    });
    if (answer !== null) return answer as PermissionResult;
    await aborted(options.signal);
    return { behavior: 'deny', message: 'Nobody answered.' };
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Hooks see outputs of tools in the spelling of the published SDK, and no source of settings that it does not have. */
function ourHooks(hooks: NonNullable<OurOptions['hooks']>): NonNullable<OurOptions['hooks']> {
  const { PostToolUse: after, ConfigChange: changed } = hooks;
  return {
    ...hooks,
    ...(Array.isArray(after) ? { PostToolUse: after.map((each) => hearing(each, withOutput)) } : {}),
    ...(Array.isArray(changed) ? { ConfigChange: changed.map((each) => hearing(each, withSource)) } : {}),
  };
}

type HookInput = Parameters<HookCallback>[0];

function hearing(matcher: HookCallbackMatcher, told: (input: HookInput) => HookInput): HookCallbackMatcher {
  if (!Array.isArray(matcher?.hooks)) return matcher;
  const hooks = matcher.hooks.map(
    (hook): HookCallback =>
      (input, id, options) =>
        hook(told(input), id, options),
  );
  return { ...matcher, hooks };
}

function withOutput(input: HookInput): HookInput {
  if (input.hook_event_name !== 'PostToolUse') return input;
  return { ...input, tool_response: claudeOutput(input.tool_name, input.tool_input, input.tool_response) };
}

/** The file of `--settings` is what the user of the program gave. */
function withSource(input: HookInput): HookInput {
  if (input.hook_event_name !== 'ConfigChange' || input.source !== 'flag_settings') return input;
  return { ...input, source: 'user_settings' };
}
