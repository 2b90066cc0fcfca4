// What is known of models: limits, prices, what they take in. A committed snapshot, under what the user overrides.
// Rule: what is not known is null, never a guess and never 0.
import { ConfigError } from '../../protocol/errors.js';
import { CATALOGUE_ROWS, type CatalogueRow, type PriceRow, SNAPSHOT_DATE } from './catalogue-data.js';
import {
  findModel,
  findNamedModel,
  type InputKind,
  indexModelNames,
  lowerName,
  MODEL_ALIASES,
  type ModelFacts,
  type ModelNameIndex,
  type ModelPrice,
  modelKey,
} from './model-names.js';

// The committed snapshot of the catalogue, read and indexed. Loaded with the first question; the sessions of a process
// share it, so nothing in it is ever changed.

const INPUT_KINDS: ReadonlyMap<string, InputKind> = new Map([
  ['t', 'text'],
  ['i', 'image'],
  ['p', 'pdf'],
  ['a', 'audio'],
  ['v', 'video'],
]);

const SNAPSHOT: ModelNameIndex<ModelFacts> = indexModelNames(CATALOGUE_ROWS.map(factsOfRow));

function factsOfRow([
  key,
  contextWindow,
  maxOutputTokens,
  reasoning,
  input,
  price,
  ...tiers
]: CatalogueRow): ModelFacts {
  const slash = key.indexOf('/');
  return {
    id: key.slice(slash + 1),
    provider: key.slice(0, slash),
    contextWindow,
    maxOutputTokens,
    price: price === null ? null : priceOfRow(price),
    tiers: tiers.map(([above, ...tier]) => ({ above, price: priceOfRow(tier) })),
    reasoning: reasoning === 1,
    input: [...input].flatMap((letter) => INPUT_KINDS.get(letter) ?? []),
  };
}

function priceOfRow([input, output, cacheRead, cacheWrite]: PriceRow): ModelPrice {
  return { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input };
}

export interface Catalogue {
  /** The day the snapshot's figures were taken, ISO. */
  readonly snapshotDate: string;
  /**
   * The facts of a model, or null. Letter case does not count. Tried in order: the exact name; the name without its
   * date or `-latest`, against names likewise cut; the short names of `MODEL_ALIASES`.
   * Contract: of several dated models under one name, the undated is taken, then `-latest`, then the newest.
   */
  find(provider: string, model: string): ModelFacts | null;
  /** All models, or those of one provider, by provider and name. */
  list(provider?: string): readonly ModelFacts[];
}

/**
 * Reads the snapshot, which comes with this file: nothing of it is loaded before the first question.
 * @param overrides  of a user's JSON file: `{ "provider/model": { contextWindow?, maxOutputTokens?, price? } }`, where
 *   `price` is `{ input, output, cacheRead?, cacheWrite?, cacheWrite1h? }` or null (unknown). It replaces the snapshot's prices, tiers
 *   included. A model the snapshot lacks needs both limits.
 * @throws ConfigError for overrides that cannot be used
 */
export async function loadCatalogue(overrides?: unknown): Promise<Catalogue> {
  const entries = parseOverrides(overrides);
  const changed = entries.map((entry) => applyOverride(entry, SNAPSHOT));
  refuseDoubles(entries, changed);
  const index = changed.length === 0 ? SNAPSHOT : indexModelNames([...SNAPSHOT.byName.values(), ...changed]);
  return {
    snapshotDate: SNAPSHOT_DATE,
    find: (provider, model) => findModel(index, provider, model),
    list: (provider) =>
      [...index.byName.values()]
        .filter((facts) => provider === undefined || facts.provider === lowerName(provider))
        .sort(byProviderAndName),
  };
}

function applyOverride(entry: OverrideEntry, snapshot: ModelNameIndex<ModelFacts>): ModelFacts {
  const id = fullName(entry, snapshot);
  const known = findNamedModel(snapshot, entry.provider, id);
  const contextWindow = entry.contextWindow ?? known?.contextWindow;
  const maxOutputTokens = entry.maxOutputTokens ?? known?.maxOutputTokens;
  if (contextWindow === undefined || maxOutputTokens === undefined) {
    throw new ConfigError(
      `Model overrides: "${entry.key}" is not in the catalogue; give it both contextWindow and maxOutputTokens.`,
    );
  }
  return {
    id,
    provider: lowerName(entry.provider),
    contextWindow,
    maxOutputTokens,
    price: entry.price === undefined ? (known?.price ?? null) : entry.price,
    tiers: entry.price === undefined ? (known?.tiers ?? []) : [],
    reasoning: known?.reasoning ?? false,
    input: known?.input ?? ['text'],
  };
}

/** Of two entries for one model, one would be lost without a word. `changed` has the facts of each entry. */
function refuseDoubles(entries: readonly OverrideEntry[], changed: readonly ModelFacts[]): void {
  const keys = changed.map(({ provider, id }) => modelKey(provider, id));
  const second = keys.findIndex((key, at) => keys.indexOf(key) !== at);
  if (second === -1) return;
  const first = keys.indexOf(keys[second] ?? '');
  throw new ConfigError(
    `Model overrides: "${entries[first]?.key}" and "${entries[second]?.key}" name the same model; make them one entry.`,
  );
}

/** A short name stands for its model, because requests carry the full one; elsewhere `auto` may be a model itself. */
function fullName({ provider, model }: OverrideEntry, snapshot: ModelNameIndex<ModelFacts>): string {
  const target = MODEL_ALIASES.get(lowerName(model));
  return target !== undefined && findNamedModel(snapshot, provider, target) !== null ? target : model;
}

function byProviderAndName(a: ModelFacts, b: ModelFacts): number {
  return modelKey(a.provider, a.id) < modelKey(b.provider, b.id) ? -1 : 1;
}

// Reads what a user says about models: limits and prices that the snapshot lacks or has wrong.
// Rule: a figure that cannot be billed with, or a field nobody reads, is refused by name.

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
/** No model costs as much as the one or, if it costs anything, as little as the other: a mistake of unit. */
const MAX_PRICE = 100_000;
const MIN_PRICE = 0.0001;
/** Prices are billed in steps of a millionth of a dollar per million tokens. */
const PRICE_STEPS = 1e6;

/**
 * Checks the overrides; undefined has none.
 * @throws ConfigError that names the model, the field and what is wanted
 */
function parseOverrides(overrides: unknown): readonly OverrideEntry[] {
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
