// The committed snapshot of the catalogue, read and indexed. Loaded with the first question; the sessions of a process
// share it, so nothing in it is ever changed.
import { CATALOGUE_ROWS, type CatalogueRow, type PriceRow } from './catalogue-data.js';
import type { InputKind, ModelFacts, ModelPrice } from './model-facts.js';
import { indexModelNames, type ModelNameIndex } from './model-names.js';

export { SNAPSHOT_DATE } from './catalogue-data.js';

const INPUT_KINDS: ReadonlyMap<string, InputKind> = new Map([
  ['t', 'text'],
  ['i', 'image'],
  ['p', 'pdf'],
  ['a', 'audio'],
  ['v', 'video'],
]);

export const SNAPSHOT: ModelNameIndex<ModelFacts> = indexModelNames(CATALOGUE_ROWS.map(factsOfRow));

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
