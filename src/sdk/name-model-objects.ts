// Model objects where a list of models has them: each gets a name, so that everything behind the options knows names only.
import { type AiSdkLanguageModel, isAiSdkModel, namespaceOf } from '../providers/ai-sdk/language-model.js';
import type { Options, PlainOptions } from './options.js';

type NamedOptions = Omit<PlainOptions, 'model'> & Pick<Options, 'model'>;

/**
 * The options with a name in place of each model object of `fallback` and `modelTiers`, and the objects in `modelObjects`.
 * Contract: an object that has a name there keeps it; no other model that these options name is called the same.
 */
export function withNamedObjects(options: Options): NamedOptions {
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
