// Finds a model by the names people give it. One rule: the exact name first, then the name without its date, then the
// short names of `MODEL_ALIASES`.

import { ConfigError } from '../../protocol/errors.js';
import { MODEL_TIERS, type ModelTier, type ModelTiers } from '../../protocol/model-options.js';

// The shape of what is known of a model. Types only, so that every reader of prices can share them.

/** USD per million tokens. A cache price that the source does not give equals `input`. */

export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** A write that is kept for five minutes. */
  readonly cacheWrite: number;
  /** A write that is kept for an hour. Absent: twice `input`, which is what the Messages API asks; no source lists it. */
  readonly cacheWrite1h?: number;
}

/** A price for long prompts. */
interface PriceTier {
  /** It holds for a prompt of more tokens than this; cached tokens count. */
  readonly above: number;
  readonly price: ModelPrice;
}

export type InputKind = 'text' | 'image' | 'pdf' | 'audio' | 'video';

export interface ModelFacts {
  /** The model's name, without the provider. */
  readonly id: string;
  readonly provider: string;
  /** Tokens of prompt and reply together. */
  readonly contextWindow: number;
  /** Longest reply, tokens. */
  readonly maxOutputTokens: number;
  /** Null: the price is not known. For one request use `priceForPrompt` (cost.ts), which knows the tiers. */
  readonly price: ModelPrice | null;
  /** By rising `above`; empty if one price holds for all prompts. */
  readonly tiers: readonly PriceTier[];
  readonly reasoning: boolean;
  readonly input: readonly InputKind[];
}

// Names for models that are not models: tiers and short names. Data only; change a default here and nowhere else.

/** The model if none is named. */
export const DEFAULT_MODEL = 'claude-sonnet-5-5';

/** Lower-case alias to model name. */
export const MODEL_ALIASES: ReadonlyMap<string, string> = new Map([
  ['auto', DEFAULT_MODEL],
  ['ultimate', 'claude-opus-5-5'],
  ['performance', 'claude-sonnet-5-5'],
  ['efficient', 'claude-haiku-5-5'],
  ['lite', 'claude-haiku-5-5'],
  ['opus', 'claude-opus-5-5'],
  ['sonnet', 'claude-sonnet-5-5'],
  ['haiku', 'claude-haiku-5-5'],
]);

export function isTier(name: string): name is ModelTier {
  return (MODEL_TIERS as readonly string[]).includes(name);
}

// Reads which model stands for each tier. Loaded if somebody says so.

/** @throws ConfigError for an unknown tier, and for one whose model is a tier again */
export function checkTiers(value: unknown, where: string): ModelTiers | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(`${where} must be an object with a model for each tier: ${MODEL_TIERS.join(', ')}.`);
  }
  const tiers: Record<string, string> = {};
  for (const [tier, model] of Object.entries(value)) {
    if (!isTier(tier)) {
      throw new ConfigError(`${where}: there is no tier "${tier.slice(0, 64)}". Tiers: ${MODEL_TIERS.join(', ')}.`);
    }
    if (typeof model !== 'string' || model.trim() === '') throw new ConfigError(`${where}.${tier} must name a model.`);
    if (isTier(model.trim().toLowerCase())) {
      throw new ConfigError(`${where}.${tier} is "${model.trim()}", which is a tier itself. Name a model.`);
    }
    tiers[tier] = model.trim();
  }
  return tiers;
}

/** What is found: anything that belongs to a model. */
export interface NamedModel {
  readonly provider: string;
  /** The model's name, without the provider. */
  readonly id: string;
}

/** Both maps by `provider/model` in lower case; `byStem` without date and `-latest`. Maps, so no name is special. */
export interface ModelNameIndex<T extends NamedModel> {
  readonly byName: ReadonlyMap<string, T>;
  readonly byStem: ReadonlyMap<string, T>;
  /** What `findModel` found, by the names as they were given: each prompt asks for its model several times. */
  readonly asked: Map<string, T | null>;
}

/** Nobody uses so many models; names may come from anywhere. */
const MAX_ASKED = 1_000;

const DATE_OR_LATEST = /[-@](20\d{6}|20\d{2}-\d{2}-\d{2}|latest)$/;

/** Later models replace earlier ones of the same name. */
export function indexModelNames<T extends NamedModel>(models: readonly T[]): ModelNameIndex<T> {
  const byName = new Map(models.map((model) => [modelKey(model.provider, model.id), model]));
  const byStem = new Map<string, T>();
  for (const model of byName.values()) {
    const stem = modelKey(model.provider, stemOf(model.id));
    const other = byStem.get(stem);
    if (other === undefined || rankOfName(model.id) > rankOfName(other.id)) byStem.set(stem, model);
  }
  return { byName, byStem, asked: new Map() };
}

/** Also by a short name. Contract: of several dated models under one name, the undated, then `-latest`, then the newest. */
export function findModel<T extends NamedModel>(index: ModelNameIndex<T>, provider: string, model: string): T | null {
  const names = `${provider}\n${model}`;
  const known = index.asked.get(names);
  if (known !== undefined) return known;
  const target = MODEL_ALIASES.get(lowerName(model));
  const found =
    findNamedModel(index, provider, model) ?? (target === undefined ? null : findNamedModel(index, provider, target));
  if (index.asked.size >= MAX_ASKED) index.asked.clear();
  index.asked.set(names, found);
  return found;
}

/** As `findModel`, without the short names. */
export function findNamedModel<T extends NamedModel>(
  index: ModelNameIndex<T>,
  provider: string,
  model: string,
): T | null {
  return index.byName.get(modelKey(provider, model)) ?? index.byStem.get(modelKey(provider, stemOf(model))) ?? null;
}

/** Equal for equal models, however they are written. */
export function modelKey(provider: string, model: string): string {
  return `${lowerName(provider)}/${lowerName(model)}`;
}

/** The form in which names are compared. */
export function lowerName(text: string): string {
  return text.trim().toLowerCase();
}

/** Of names with the same stem the highest rank is meant. Strings, so that dates compare as dates. */
function rankOfName(id: string): string {
  const ending = DATE_OR_LATEST.exec(lowerName(id))?.[1];
  if (ending === undefined) return '9';
  return ending === 'latest' ? '8' : ending.replaceAll('-', '');
}

function stemOf(id: string): string {
  return lowerName(id).replace(DATE_OR_LATEST, '');
}
