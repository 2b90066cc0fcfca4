// Writes src/providers/models/catalogue-data.ts, the committed snapshot of models and prices, from a checkout of models.dev,
// and beside it model-limits-data.ts, the part of it that the first request of a session needs.
// Rule: a figure comes from a file or is not there; a file that cannot be read or resolved stops the script.
// Usage: node scripts/refresh-catalogue.mjs <checkout> --date <YYYY-MM-DD> [--providers a,b] [--out <file>]
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { renderLimits } from './lib/model-limits.mjs';
import { ROOT } from './lib/setup.mjs';
import { parseToml } from './lib/toml.mjs';

const PROVIDERS = 'alibaba,anthropic,deepseek,google,mistral,moonshotai,openai,xai,zai';
const TARGET = join(ROOT, 'src', 'providers', 'models', 'catalogue-data.ts');
const INPUT_LETTERS = { text: 't', image: 'i', pdf: 'p', audio: 'a', video: 'v' };
/** An older spelling of a tier, by the prompt length above which it counts. */
const OLD_TIERS = { context_over_200k: 200_000 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { date: { type: 'string' }, providers: { type: 'string', default: PROVIDERS }, out: { type: 'string' } },
});
const [checkout] = positionals;

try {
  if (checkout === undefined || positionals.length > 1) throw new Error('Name one folder: a checkout of models.dev.');
  if (!existsSync(join(checkout, 'providers'))) throw new Error(`${checkout} has no folder "providers".`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(values.date ?? ''))
    throw new Error('Give the date of the checkout: --date 2026-01-31');
  const { rows, skipped } = readModels(values.providers.split(','));
  if (rows.length === 0) throw new Error('No model was found; nothing was written.');
  const target = values.out ?? TARGET;
  writeFileSync(target, render(rows, values.date));
  writeFileSync(join(dirname(target), 'model-limits-data.ts'), renderLimits(rows));
  console.log(`${rows.length} models written, ${skipped} without tools, text or limits left out`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function readModels(providers) {
  const rows = [];
  let skipped = 0;
  for (const provider of providers) {
    const folder = join(checkout, 'providers', provider, 'models');
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (file.isDirectory() || !file.name.endsWith('.toml')) continue;
      const id = relative(folder, join(file.parentPath, file.name)).replaceAll('\\', '/').slice(0, -'.toml'.length);
      const row = toRow(`${provider}/${id}`, resolveModel(`providers/${provider}/models/${id}.toml`, []));
      if (row === null) skipped += 1;
      else rows.push(row);
    }
  }
  return { rows: rows.sort((a, b) => (a[0] < b[0] ? -1 : 1)), skipped };
}

/** A model file with what it inherits: `base_model` names models/<it>.toml, `extends.from` another provider's model. */
function resolveModel(path, via) {
  if (via.includes(path)) throw new Error(`${[...via, path].join(' -> ')}: a model inherits from itself`);
  if (!existsSync(join(checkout, path))) throw new Error(`${via.at(-1)}: ${path}, which it inherits from, is missing`);
  const own = parseToml(readFileSync(join(checkout, path), 'utf8'), path);
  const basePath = pathOfBase(own);
  if (basePath === null) return own;
  const base = resolveModel(basePath, [...via, path]);
  for (const dotted of [...(own.base_model_omit ?? []), ...(own.extends?.omit ?? [])]) omit(base, dotted.split('.'));
  return merge(base, own);
}

function pathOfBase(model) {
  if (model.base_model !== undefined) return `models/${model.base_model}.toml`;
  if (model.extends?.from === undefined) return null;
  const [provider, ...id] = model.extends.from.split('/');
  return `providers/${provider}/models/${id.join('/')}.toml`;
}

function omit(table, [key, ...rest]) {
  if (rest.length === 0) delete table[key];
  else if (isTable(table[key])) omit(table[key], rest);
}

/** Tables merge key by key; everything else is replaced. */
function merge(base, own) {
  const merged = Object.assign(Object.create(null), base);
  for (const [key, value] of Object.entries(own)) {
    merged[key] = isTable(value) && isTable(base[key]) ? merge(base[key], value) : value;
  }
  return merged;
}

function isTable(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One row of the snapshot, or null for a model that an agent cannot use. */
function toRow(key, model) {
  const { context, output } = model.limit ?? {};
  const usable = model.tool_call !== false && (model.modalities?.output ?? []).includes('text') && context > 0;
  if (!usable || !(output > 0)) return null;
  const input = (model.modalities.input ?? []).map((kind) => INPUT_LETTERS[kind] ?? unknownInput(key, kind));
  const price = toPrice(key, model.cost);
  const tiers = price === null ? [] : toTiers(key, model.cost);
  return [key, context, output, model.reasoning === true ? 1 : 0, input.join(''), price, ...tiers];
}

function unknownInput(key, kind) {
  throw new Error(`${key}: unknown input "${kind}"; add it to this script and to catalogue.ts`);
}

/** Null if nothing is said, and if all is 0, which stands for plans as well as for free models. */
function toPrice(key, cost) {
  if (cost?.input === undefined || cost.output === undefined) return null;
  const price = [cost.input, cost.output, cost.cache_read ?? null, cost.cache_write ?? null];
  for (const figure of price) {
    if (figure !== null && !(figure >= 0)) throw new Error(`${key}: ${figure} is no price`);
  }
  return cost.input === 0 && cost.output === 0 ? null : price;
}

function toTiers(key, cost) {
  const tiers = (cost.tiers ?? []).map((tier) => {
    const above = tier.tier?.size ?? tier.context?.min;
    const price = toPrice(key, tier);
    if (!(above > 0) || price === null) throw new Error(`${key}: a price tier without its size or its prices`);
    return [above, ...price];
  });
  for (const [name, above] of Object.entries(OLD_TIERS)) {
    if (tiers.length === 0 && cost[name] !== undefined) tiers.push([above, ...toPrice(key, cost[name])]);
  }
  return tiers.sort((a, b) => a[0] - b[0]);
}

function render(rows, date) {
  const lines = rows.map((row) => `  ${literal(row)},\n`);
  return `// Written by scripts/refresh-catalogue.mjs; do not edit, use overrides or run the script.
// Figures from models.dev (https://github.com/anomalyco/models.dev), MIT licence, Copyright (c) 2025 spin.dev.

/** USD per million tokens: input, output, cache read, cache write; null if the source gives none. */
export type PriceRow = readonly [number, number, number | null, number | null];

/** A price that holds for prompts of more than the first number of tokens. */
export type TierRow = readonly [number, ...PriceRow];

/** \`provider/model\`, context window, longest reply, reasons (1) or not (0), input kinds (text, image …), price, tiers. */
export type CatalogueRow = readonly [string, number, number, 0 | 1, string, PriceRow | null, ...TierRow[]];

/** The day the figures were taken, ISO. */
export const SNAPSHOT_DATE = '${date}';

// biome-ignore format: one line a model
export const CATALOGUE_ROWS: readonly CatalogueRow[] = [
${lines.join('')}];
`;
}

function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : String(value);
}
