// Values of a configuration that cannot be meant: found before anything is sent, not by the model's API. One rule: a
// limit that is no number limits nothing, so it is refused.
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
import { isRecord } from '../../util/is-record.js';
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

/** As JSON where that says what it is: `NaN` would be null. */
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
  const { schemaProblem } = await import('../../engine/output/validate-json.js');
  const problem = await schemaProblem(schema as Record<string, unknown>);
  if (problem !== null) throw new ConfigError(`${field} cannot be used: ${problem}.`);
}

// Whether the parts of a configuration that code of the host's own gives are what their types say. One rule: only a look,
// as every session begins with it; what is wrong says `check-parts.ts`.

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
export const LISTS = ['tools', 'commands', 'mcpClients', 'agents'] as const;
export const FUNCTIONS = ['getAppState', 'setAppState'] as const;
export const CALLBACKS = [
  'canUseTool',
  'handleElicitation',
  'setSDKStatus',
  'snipReplay',
  'parseOutput',
  'log',
  'saveUpdates',
  'resolveModel',
] as const;
export const OBJECTS = ['limits', 'hooks', 'orphanedPermission', 'env'] as const;

/** Contract: never throws. True: `checkParts` has nothing against it. */
export function hasUsualParts(config: QueryEngineConfig): boolean {
  const given = config as unknown as Readonly<Record<string, unknown>>;
  const { customSystemPrompt: prompt, appendSystemPrompt: appended, additionalDirectories: folders } = config;
  try {
    return (
      typeof config.cwd === 'string' &&
      config.cwd !== '' &&
      LISTS.every((field) => Array.isArray(given[field])) &&
      [...FUNCTIONS.map((field) => given[field]), config.readFileCache.entries].every(isFunction) &&
      CALLBACKS.every((field) => given[field] === undefined || isFunction(given[field])) &&
      OBJECTS.every((field) => given[field] === undefined || isRecord(given[field])) &&
      [prompt, appended].every((text) => text === undefined || typeof text === 'string' || isTexts(text)) &&
      !Array.isArray(appended) &&
      (folders === undefined || isTexts(folders)) &&
      config.mcpClients.every(isRecord) &&
      config.commands.every(({ name }) => typeof name === 'string') &&
      config.tools.every(isUsualTool)
    );
  } catch {
    return false; // it cannot even be read
  }
}

/** Reads each field once: one that cannot be read is told before the first request, not in the middle of a prompt. */
function isUsualTool(tool: AnyTool): boolean {
  const { name, description, inputSchema, title, subject, run, readOnly, concurrencySafe, polls, spawnsAgents } = tool;
  void [readOnly, concurrencySafe, polls, spawnsAgents, tool.asksUser, tool.acceptedInput, tool.approvedInput];
  const isTold = TOOL_NAME.test(name) && typeof description === 'string' && isRecord(inputSchema);
  return isTold && [title, subject, run].every(isFunction);
}

/** @throws ConfigError if it is none: every prompt of the session begins with it */
export function checkController(given: AbortController | null | undefined): AbortController {
  if (given === undefined || given === null) return new AbortController();
  if (isFunction(given.signal?.addEventListener)) return given;
  throw new ConfigError('`abortController` must be an AbortController. Give `new AbortController()`.');
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

export function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
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
