// Finds a model by the names people give it. One rule: the exact name first, then the name without its date, then the
// short names of `model-aliases.ts`.
import { MODEL_ALIASES } from './model-aliases.js';

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
}

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
  return { byName, byStem };
}

/** Also by a short name. Contract: of several dated models under one name, the undated, then `-latest`, then the newest. */
export function findModel<T extends NamedModel>(index: ModelNameIndex<T>, provider: string, model: string): T | null {
  const named = findNamedModel(index, provider, model);
  if (named !== null) return named;
  const target = MODEL_ALIASES.get(lowerName(model));
  return target === undefined ? null : findNamedModel(index, provider, target);
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
