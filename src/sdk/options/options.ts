// The options of `query()`, as the host gives them (declared in `declared/`), and plain: with names in place of model objects, so
// that everything behind the options knows names only. One object may be the provider; each other gets a name.
import { ConfigError } from '../../protocol/errors.js';
import type { FallbackPolicy, ModelTiers } from '../../protocol/model-options.js';
import { type AiSdkLanguageModel, isAiSdkModel, namespaceOf } from '../../providers/ai-sdk/index.js';
import type { Options } from './sdk-options.generated.js';

export type { Options } from './sdk-options.generated.js';

/** Options in which models are names: a model object has become the provider, or has a name of its own. */
export type PlainOptions = Omit<Options, 'model' | 'fallback' | 'modelTiers'> & {
  readonly model?: string;
  readonly fallback?: FallbackPolicy;
  readonly modelTiers?: ModelTiers;
};

type NamedOptions = Omit<PlainOptions, 'model'> & Pick<Options, 'model'>;

/** @throws ConfigError if there are two to answer */
export function plainOptions(options: Options): PlainOptions {
  const { model, ...rest } = withNamedObjects(options);
  if (model === undefined) return rest;
  if (!isAiSdkModel(model)) return { ...rest, model };
  if (rest.provider === undefined) return { ...rest, provider: model, model: model.modelId };
  throw new ConfigError('Give a model object either as model or as provider: only one can answer.');
}

/**
 * The options with a name in place of each model object of `fallback` and `modelTiers`, and the objects in `modelObjects`.
 * Contract: an object that has a name there keeps it; no other model that these options name is called the same.
 */
function withNamedObjects(options: Options): NamedOptions {
  const { fallback, modelTiers, ...rest } = options;
  const models: unknown = fallback?.models;
  const chain: readonly unknown[] = Array.isArray(models) ? models : [];
  const tiers = Object.entries(modelTiers ?? {});
  const listed = [...chain, ...tiers.map(([, model]) => model)];
  if (!listed.some(isAiSdkModel)) return options as NamedOptions;
  const objects = { ...options.modelObjects };
  const nameOf = namer(objects, new Set([...listed, options.model]));
  return {
    ...rest,
    ...(fallback === undefined ? {} : { fallback: { ...fallback, models: chain.map(nameOf) as readonly string[] } }),
    ...(tiers.length === 0
      ? {}
      : { modelTiers: Object.fromEntries(tiers.map(([tier, model]) => [tier, nameOf(model)])) }),
    modelObjects: objects,
  };
}

/** @param objects grows @param taken names of other models */
function namer(objects: Record<string, AiSdkLanguageModel>, taken: ReadonlySet<unknown>) {
  return (model: unknown): unknown => {
    if (!isAiSdkModel(model)) return model;
    const known = Object.keys(objects).find((name) => objects[name] === model);
    if (known !== undefined) return known;
    const base = `${namespaceOf(model)}/${model.modelId}`;
    let name = base;
    for (let number = 2; Object.hasOwn(objects, name) || taken.has(name); number++) name = `${base}#${number}`;
    objects[name] = model;
    return name;
  };
}

/** An empty list or object asks for nothing. */
export function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
