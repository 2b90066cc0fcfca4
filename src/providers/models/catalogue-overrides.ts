// Reads what a user says about models: limits and prices that the snapshot lacks or has wrong.
// Rule: a figure that cannot be billed with, or a field nobody reads, is refused by name.
import { ConfigError } from '../../protocol/errors.js';
import type { ModelPrice } from './model-names.js';

export interface OverrideEntry {
  /** As the user wrote it, for messages. */
  readonly key: string;
  readonly provider: string;
  readonly model: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Null: the price is to count as unknown. */
  readonly price?: ModelPrice | null;
}

const MODEL_FIELDS = ['contextWindow', 'maxOutputTokens', 'price'];
const PRICE_FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h'];
/** No model costs as much as the one or, where it costs anything, as little as the other: a mistake of unit. */
const MAX_PRICE = 100_000;
const MIN_PRICE = 0.0001;
/** Prices are billed in steps of a millionth of a dollar per million tokens. */
const PRICE_STEPS = 1e6;

/**
 * Checks the overrides; undefined has none.
 * @throws ConfigError that names the model, the field and what is wanted
 */
export function parseOverrides(overrides: unknown): readonly OverrideEntry[] {
  if (overrides === undefined) return [];
  return fieldsOf(overrides, 'Model overrides', null).map(([key, value]) => parseEntry(key, value));
}

function parseEntry(key: string, value: unknown): OverrideEntry {
  const where = `Model overrides: "${key}"`;
  const slash = key.indexOf('/');
  const provider = key.slice(0, Math.max(slash, 0)).trim();
  const model = key.slice(slash + 1).trim();
  if (provider === '' || model === '') {
    throw new ConfigError(`${where} names no provider and model; write it as "anthropic/claude-sonnet-4-5".`);
  }
  const fields = new Map(fieldsOf(value, where, MODEL_FIELDS));
  const contextWindow = tokenCount(fields.get('contextWindow'), `${where}: contextWindow`);
  const maxOutputTokens = tokenCount(fields.get('maxOutputTokens'), `${where}: maxOutputTokens`);
  const price = parsePrice(fields.get('price'), `${where}: price`);
  return {
    key,
    provider,
    model,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(price === undefined ? {} : { price }),
  };
}

function parsePrice(value: unknown, where: string): ModelPrice | null | undefined {
  if (value === undefined || value === null) return value;
  const fields = new Map(fieldsOf(value, where, PRICE_FIELDS));
  const input = amount(fields.get('input'), `${where}.input`);
  const output = amount(fields.get('output'), `${where}.output`);
  if (input === undefined || output === undefined) {
    throw new ConfigError(`${where} needs both input and output, in USD per million tokens; or null for unknown.`);
  }
  const cacheWrite1h = amount(fields.get('cacheWrite1h'), `${where}.cacheWrite1h`);
  return {
    input,
    output,
    cacheRead: amount(fields.get('cacheRead'), `${where}.cacheRead`) ?? input,
    cacheWrite: amount(fields.get('cacheWrite'), `${where}.cacheWrite`) ?? input,
    ...(cacheWrite1h === undefined ? {} : { cacheWrite1h }),
  };
}

/** The fields of an object; with `known`, only of these names. */
function fieldsOf(value: unknown, where: string, known: readonly string[] | null): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(`${where} must be an object, not ${kindOf(value)}.`);
  }
  const fields = Object.entries(value);
  const stranger = fields.find(([name]) => known !== null && !known.includes(name));
  if (stranger !== undefined) {
    throw new ConfigError(`${where} has the unknown field "${stranger[0]}"; use ${known?.join(', ')}.`);
  }
  return fields;
}

function tokenCount(value: unknown, where: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw new ConfigError(`${where} must be a whole number of tokens above 0, not ${kindOf(value)}.`);
}

function amount(value: unknown, where: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !(value >= 0) || value > MAX_PRICE) {
    throw new ConfigError(
      `${where} must be USD per million tokens, a number from 0 to ${MAX_PRICE}, not ${kindOf(value)}.`,
    );
  }
  if (value > 0 && value < MIN_PRICE) {
    throw new ConfigError(`${where} is ${value}, which looks like the price of one token; give that of a million.`);
  }
  if (Math.round(value * PRICE_STEPS) / PRICE_STEPS !== value) {
    throw new ConfigError(`${where} has more than six decimals: ${value}; round it.`);
  }
  return value;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' ? String(value) : `a ${typeof value}`;
}
