// Values of a configuration that cannot be meant: found before anything is sent, not by the model's API. One rule: a
// limit that is no number limits nothing, so it is refused.
import { OPTION_KINDS, OPTION_VALUES, PASSED_OPTIONS } from '../../protocol/declared-options.generated.js';
import { ConfigError } from '../../protocol/errors.js';
import {
  EFFORT_LEVELS,
  type EffortLevel,
  THINKING_DISPLAYS,
  type ThinkingConfig,
  TOOL_SEARCH_MODES,
} from '../../protocol/options.js';
import { isRecord } from '../../util/is-record.js';
import type { QueryEngineConfig } from './config.js';

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
