// Values of a configuration that cannot be meant: found before anything is sent, not by the model's API. One rule: a
// limit that is no number limits nothing, so it is refused.
import { schemaProblem } from '../../engine/output/index.js';
import { OPTION_KINDS, OPTION_VALUES, PASSED_OPTIONS } from '../../protocol/declared-options.generated.js';
import { ConfigError } from '../../protocol/errors.js';
import type { HookEvent } from '../../protocol/hooks.js';
import {
  EFFORT_LEVELS,
  type EffortLevel,
  THINKING_DISPLAYS,
  type ThinkingConfig,
  TOOL_SEARCH_MODES,
} from '../../protocol/options.js';
import type { AnyTool } from '../../tools/tool.js';
import { isRecord, isTextList } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import type { PendingNotice, QueryEngineConfig } from './config.js';

const EFFORTS: readonly EffortLevel[] = EFFORT_LEVELS;
/** The smallest thinking budget that models take, tokens. */
const SMALLEST_THINKING = 1_024;

/** @throws ConfigError that names the field, what it is, and what to give */
export function checkConfig(config: Partial<QueryEngineConfig>): void {
  const given = config as Readonly<Record<string, unknown>>;
  for (const name of PASSED_OPTIONS)
    if (OPTION_KINDS[name] === 'flag' && given[name] !== undefined && typeof given[name] !== 'boolean')
      refuse(name, given[name], 'It is true or false');
  for (const [name, kind] of Object.entries(OPTION_VALUES))
    if (given[name] !== undefined) CHECKS[kind](name, given[name]);
  const { autoMode, budget, catalogueOverrides, effort, prefetch, taskBudget, thinkingConfig, toolSearch } = config;
  const { toolUseSummaries: summaries, userSpecifiedModel, mcpSampling } = config;
  if (mcpSampling !== undefined && !['off', 'ask', 'allow'].includes(mcpSampling))
    refuse('mcpSampling', mcpSampling, 'It is off, ask or allow');
  checkModelName('model', userSpecifiedModel);
  if (taskBudget !== undefined) checkCount('taskBudget.total', (taskBudget as { total?: unknown } | null)?.total);
  if (thinkingConfig !== undefined) checkThinking(thinkingConfig);
  if (effort !== undefined && !EFFORTS.includes(effort)) refuse('effort', effort, `It is ${orList(EFFORTS)}`);
  if (autoMode !== undefined) checkAutoMode(autoMode);
  if (budget !== undefined && typeof (budget as { reserve?: unknown } | null)?.reserve !== 'function')
    refuse('budget', budget, 'Give one that createBudget() made');
  if (catalogueOverrides !== undefined && !isRecord(catalogueOverrides))
    refuse('catalogueOverrides', catalogueOverrides, 'Give an object of limits and prices by model');
  if (toolSearch !== undefined) checkToolSearch(toolSearch);
  if (prefetch !== undefined && typeof prefetch !== 'function')
    refuse('prefetch', prefetch, 'Give a function that resolves to a list of texts');
  if (summaries === undefined || typeof summaries === 'boolean') return;
  if (!isRecord(summaries)) refuse('toolUseSummaries', summaries, 'It is true, false, or { model }');
  checkModelName('toolUseSummaries.model', summaries.model);
}

/** By the declared check of the value. */
const CHECKS = {
  amount(name: string, value: unknown): void {
    if (!(Number.isFinite(value) && (value as number) > 0)) refuse(name, value, 'Give an amount in US dollars above 0');
  },
  count: checkCount,
  model: checkModelName,
  whole(name: string, value: unknown): void {
    if (!Number.isInteger(value) || (value as number) < 0) refuse(name, value, 'Give a whole number of at least 0');
  },
} as const;

/** A judge that cannot be asked must not be found out with the first call. */
function checkAutoMode(autoMode: unknown): void {
  if (!isRecord(autoMode)) refuse('autoMode', autoMode, 'Give { judge: MODEL }');
  const { judge, timeoutMs } = autoMode as { readonly judge?: unknown; readonly timeoutMs?: unknown };
  if (judge === undefined) refuse('autoMode.judge', judge, 'Give the name of a model');
  checkModelName('autoMode.judge', judge);
  if (timeoutMs !== undefined) checkCount('autoMode.timeoutMs', timeoutMs);
}

function checkThinking(thinking: ThinkingConfig): void {
  const { type, budgetTokens, display } = (thinking ?? {}) as { readonly [Key in string]?: unknown };
  if (display !== undefined && !THINKING_DISPLAYS.some((name) => name === display))
    refuse('thinking.display', display, `It is ${orList(THINKING_DISPLAYS)}`);
  if (type === 'disabled' || type === 'adaptive' || (type === 'enabled' && budgetTokens === undefined)) return;
  if (type !== 'enabled') refuse('thinking', thinking, 'Its type is disabled, adaptive or enabled');
  if (typeof budgetTokens === 'number' && Number.isInteger(budgetTokens) && budgetTokens >= SMALLEST_THINKING) return;
  refuse('thinking.budgetTokens', budgetTokens, `Give a whole number of tokens of at least ${SMALLEST_THINKING}`);
}

function checkToolSearch(mode: unknown): void {
  const isPercent = typeof mode === 'number' && mode >= 0 && mode <= 100;
  if (!isPercent && !TOOL_SEARCH_MODES.some((name) => name === mode))
    refuse('toolSearch', mode, `It is ${orList(TOOL_SEARCH_MODES)}, or a percentage of the context window`);
}

/** Absent is no model, which is well. @throws ConfigError */
export function checkModelName(field: string, name: unknown): void {
  if (name !== undefined && (typeof name !== 'string' || name.trim() === ''))
    refuse(field, name, 'Give the name of a model');
}

function checkCount(field: string, value: unknown): void {
  if (!Number.isInteger(value) || (value as number) < 1) refuse(field, value, 'Give a whole number of at least 1');
}

export function refuse(field: string, value: unknown, remedy: string): never {
  throw new ConfigError(`${field} is ${shown(value)}. ${remedy}.`);
}

/** As JSON, if that says what it is: `NaN` would be null. */
function shown(value: unknown): string {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return String(value).slice(0, 200);
  try {
    return JSON.stringify(value).slice(0, 200);
  } catch {
    return 'a value that JSON cannot say'; // it holds itself, or throws when it is read
  }
}

function orList(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/**
 * A schema that no value can be checked against would be found out after the first reply, which is paid for.
 * @throws ConfigError
 */
export async function checkOutputSchema(schema: unknown, field: string): Promise<void> {
  if (!isRecord(schema)) refuse(field, schema, 'Give a JSON Schema as an object');
  const problem = await schemaProblem(schema as Record<string, unknown>);
  if (problem !== null) throw new ConfigError(`${field} cannot be used: ${problem}.`);
}

// Parts of a configuration that are not what their types say: code of the host's own gives them.

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const LISTS = ['tools', 'commands', 'mcpClients', 'agents'] as const;
const FUNCTIONS = ['getAppState', 'setAppState'] as const;
const CALLBACKS = [
  'canUseTool',
  'handleElicitation',
  'setSDKStatus',
  'snipReplay',
  'parseOutput',
  'log',
  'saveUpdates',
  'resolveModel',
] as const;
const OBJECTS = ['limits', 'hooks', 'orphanedPermission', 'env'] as const;

/** @throws ConfigError that names the field, what it is, and what to give */
export function checkParts(config: QueryEngineConfig): void {
  const given = config as unknown as Readonly<Record<string, unknown>>;
  const { cwd, readFileCache, customSystemPrompt: prompt, appendSystemPrompt: appended } = config;
  if (typeof cwd !== 'string' || cwd === '') refuse('cwd', cwd, 'Give the absolute path of a folder');
  for (const field of LISTS)
    if (!Array.isArray(given[field])) refuse(field, given[field], 'Give a list, which may be empty');
  for (const field of FUNCTIONS)
    if (typeof given[field] !== 'function') refuse(field, given[field], 'Give a function, as createAppState() has it');
  for (const field of CALLBACKS)
    if (isGiven(given[field]) && typeof given[field] !== 'function') refuse(field, given[field], 'Give a function');
  for (const field of OBJECTS)
    if (given[field] !== undefined && !isRecord(given[field])) refuse(field, given[field], 'Give an object');
  if (typeof readFileCache?.entries !== 'function')
    refuse('readFileCache', readFileCache, 'Give one that createFileStateCache() made');
  if (isGiven(prompt) && typeof prompt !== 'string' && !isTextList(prompt))
    refuse('customSystemPrompt', prompt, 'Give a text or a list of texts');
  if (appended !== undefined && typeof appended !== 'string') refuse('appendSystemPrompt', appended, 'Give a text');
  if (isGiven(given['additionalDirectories']) && !isTextList(given['additionalDirectories']))
    refuse('additionalDirectories', given['additionalDirectories'], 'Give a list of paths');
  for (const [index, client] of config.mcpClients.entries())
    if (!isRecord(client)) refuse(`mcpClients[${index}]`, client, 'Give a connection { name, type, client }');
  for (const [index, command] of config.commands.entries())
    if (typeof command?.name !== 'string') refuse(`commands[${index}]`, command, 'Give a command with a name');
  for (const [index, tool] of config.tools.entries()) checkTool(tool, `tools[${index}]`);
}

function checkTool(tool: AnyTool, where: string): void {
  if (!isRecord(tool)) refuse(where, tool, 'Give a tool, as defineTool() declares it');
  try {
    const { name, description, inputSchema, title, subject, run } = tool;
    if (typeof name !== 'string' || !TOOL_NAME.test(name))
      refuse(`${where}.name`, name, 'Give up to 128 letters, digits, _ and -');
    if (typeof description !== 'string') refuse(`${where}.description (${name})`, description, 'Give a text');
    if (!isRecord(inputSchema)) refuse(`${where}.inputSchema (${name})`, inputSchema, 'Give a JSON Schema');
    for (const [key, method] of Object.entries({ title, subject, run }))
      if (typeof method !== 'function') refuse(`${where}.${key} (${name})`, method, 'Give a function');
    const { readOnly, concurrencySafe, polls, spawnsAgents, asksUser, acceptedInput, approvedInput } = tool;
    void [readOnly, concurrencySafe, polls, spawnsAgents, asksUser, acceptedInput, approvedInput];
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${where} cannot be read: ${errorText(error)}.`, { cause: error });
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** @throws ConfigError if it is none: every prompt of the session begins with it */
export function checkController(given: AbortController | null | undefined): AbortController {
  if (given === undefined || given === null) return new AbortController();
  if (typeof given.signal?.addEventListener === 'function') return given;
  throw new ConfigError('`abortController` must be an AbortController. Give `new AbortController()`.');
}

// What a configuration asks for that does nothing in this version. Said once, at the first prompt: silence would look
// like success.

/** Events that are fired. Hooks for the others are accepted, so that a program written for them runs. */
const FIRED_EVENTS: ReadonlySet<HookEvent> = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PermissionRequest',
  'PermissionDenied',
  'Notification',
  'Elicitation',
  'ElicitationResult',
  'InstructionsLoaded',
  'ConfigChange',
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
  'Setup',
  'CwdChanged',
  'FileChanged',
  'WorktreeCreate',
  'WorktreeRemove',
  'PostToolBatch',
  'UserPromptExpansion',
  'PreModelSwitch',
  'PostModelSwitch',
  'DirectoryAdded',
  'MessageDisplay',
]);

export function isFired(event: HookEvent): boolean {
  return FIRED_EVENTS.has(event);
}

export function withoutEffect(config: QueryEngineConfig): PendingNotice[] {
  const notices: PendingNotice[] = [];
  const tell = (message: string) => notices.push({ code: 'option_without_effect', message });
  for (const [event, matchers] of Object.entries(config.hooks ?? {})) {
    if (!isFired(event as HookEvent) && (matchers?.length ?? 0) > 0)
      tell(`Hooks for ${event} have no effect in this version: it is not fired.`);
  }
  return notices;
}
