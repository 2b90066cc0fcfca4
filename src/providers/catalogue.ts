// What is known of models: limits, prices, what they take in. A committed snapshot, under what the user overrides.
// Rule: what is not known is null, never a guess and never 0.
import { ConfigError } from '../protocol/errors.js';
import type { CatalogueRow, PriceRow } from './catalogue-data.js';
import { type OverrideEntry, parseOverrides } from './catalogue-overrides.js';
import { MODEL_ALIASES } from './model-aliases.js';
import type { InputKind, ModelFacts, ModelPrice } from './model-facts.js';

export interface Catalogue {
  /** The day the snapshot's figures were taken, ISO. */
  readonly snapshotDate: string;
  /**
   * The facts of a model, or null. Letter case does not count. Tried in order: the exact name; the name without its
   * date or `-latest`, against names likewise cut; the short names of `model-aliases.ts`.
   * Contract: of several dated models under one name, the undated is taken, then `-latest`, then the newest.
   */
  find(provider: string, model: string): ModelFacts | null;
  /** All models, or those of one provider, by provider and name. */
  list(provider?: string): readonly ModelFacts[];
}

const INPUT_KINDS: ReadonlyMap<string, InputKind> = new Map([
  ['t', 'text'],
  ['i', 'image'],
  ['p', 'pdf'],
  ['a', 'audio'],
  ['v', 'video'],
]);
const DATE_OR_LATEST = /[-@](20\d{6}|20\d{2}-\d{2}-\d{2}|latest)$/;

/**
 * Reads the snapshot, which is loaded with the first call only.
 * @param overrides  of a user's JSON file: `{ "provider/model": { contextWindow?, maxOutputTokens?, price? } }`, where
 *   `price` is `{ input, output, cacheRead?, cacheWrite? }` or null (unknown). It replaces the snapshot's prices, tiers
 *   included. A model the snapshot lacks needs both limits.
 * @throws ConfigError for overrides that cannot be used
 */
export async function loadCatalogue(overrides?: unknown): Promise<Catalogue> {
  const entries = parseOverrides(overrides);
  const { CATALOGUE_ROWS, SNAPSHOT_DATE } = await import('./catalogue-data.js');
  const snapshot = createIndex(CATALOGUE_ROWS.map(factsOfRow));
  const changed = entries.map((entry) => applyOverride(entry, snapshot));
  refuseDoubles(entries, changed);
  const index = changed.length === 0 ? snapshot : createIndex([...snapshot.facts.values(), ...changed]);
  const sorted = [...index.facts.values()].sort(byProviderAndName);
  return {
    snapshotDate: SNAPSHOT_DATE,
    find: (provider, model) => findModel(index, provider, model),
    list: (provider) => sorted.filter((facts) => provider === undefined || facts.provider === lower(provider)),
  };
}

/** Both maps by `provider/model` in lower case; `byStem` without date and `-latest`. Maps, so no name is special. */
interface CatalogueIndex {
  readonly facts: ReadonlyMap<string, ModelFacts>;
  readonly byStem: ReadonlyMap<string, ModelFacts>;
}

/** Later facts replace earlier ones of the same name. */
function createIndex(all: readonly ModelFacts[]): CatalogueIndex {
  const facts = new Map(all.map((model) => [keyOf(model.provider, model.id), model]));
  const byStem = new Map<string, ModelFacts>();
  for (const model of facts.values()) {
    const stem = keyOf(model.provider, stemOf(model.id));
    const other = byStem.get(stem);
    if (other === undefined || rankOfName(model.id) > rankOfName(other.id)) byStem.set(stem, model);
  }
  return { facts, byStem };
}

function findModel(index: CatalogueIndex, provider: string, model: string): ModelFacts | null {
  const named = findNamed(index, provider, model);
  if (named !== null) return named;
  const target = MODEL_ALIASES.get(lower(model));
  return target === undefined ? null : findNamed(index, provider, target);
}

function findNamed(index: CatalogueIndex, provider: string, model: string): ModelFacts | null {
  return index.facts.get(keyOf(provider, model)) ?? index.byStem.get(keyOf(provider, stemOf(model))) ?? null;
}

function applyOverride(entry: OverrideEntry, snapshot: CatalogueIndex): ModelFacts {
  const id = fullName(entry, snapshot);
  const known = findNamed(snapshot, entry.provider, id);
  const contextWindow = entry.contextWindow ?? known?.contextWindow;
  const maxOutputTokens = entry.maxOutputTokens ?? known?.maxOutputTokens;
  if (contextWindow === undefined || maxOutputTokens === undefined) {
    throw new ConfigError(
      `Model overrides: "${entry.key}" is not in the catalogue; give it both contextWindow and maxOutputTokens.`,
    );
  }
  return {
    id,
    provider: lower(entry.provider),
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
  const keys = changed.map(({ provider, id }) => keyOf(provider, id));
  const second = keys.findIndex((key, at) => keys.indexOf(key) !== at);
  if (second === -1) return;
  const first = keys.indexOf(keys[second] ?? '');
  throw new ConfigError(
    `Model overrides: "${entries[first]?.key}" and "${entries[second]?.key}" name the same model; make them one entry.`,
  );
}

/** A short name stands for its model, because requests carry the full one; elsewhere `auto` may be a model itself. */
function fullName({ provider, model }: OverrideEntry, snapshot: CatalogueIndex): string {
  const target = MODEL_ALIASES.get(lower(model));
  return target !== undefined && findNamed(snapshot, provider, target) !== null ? target : model;
}

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

function byProviderAndName(a: ModelFacts, b: ModelFacts): number {
  return keyOf(a.provider, a.id) < keyOf(b.provider, b.id) ? -1 : 1;
}

/** Of names with the same stem the highest rank is meant. Strings, so that dates compare as dates. */
function rankOfName(id: string): string {
  const ending = DATE_OR_LATEST.exec(lower(id))?.[1];
  if (ending === undefined) return '9';
  return ending === 'latest' ? '8' : ending.replaceAll('-', '');
}

function stemOf(id: string): string {
  return lower(id).replace(DATE_OR_LATEST, '');
}

function keyOf(provider: string, model: string): string {
  return `${lower(provider)}/${lower(model)}`;
}

function lower(text: string): string {
  return text.trim().toLowerCase();
}
