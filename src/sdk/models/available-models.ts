// What `getAvailableModels()` and `resolveModel` are shown: every model that can be named, with what is known of it. One
// rule: what is not known is left out.

import type { ModelInfo, ModelThinkingConfig, UsageInfo } from '../../protocol/model.js';
import { MODEL_TIERS } from '../../protocol/model-options.js';
import type { EffortLevel } from '../../protocol/options.js';
import { type AiSdkLanguageModel, isAiSdkModel, namespaceOf } from '../../providers/ai-sdk/index.js';
import {
  chooseModel,
  findProvider,
  objectThinkingChoices,
  type ThinkingChoices,
  thinkingChoices,
} from '../../providers/choice/index.js';
import type { Provider } from '../../providers/contract/index.js';
import type { Catalogue, ModelFacts } from '../../providers/models/index.js';
import { type ListModelsOptions, type ReadCatalogue, readCatalogue } from './models.js';
import { serverModels, serverUsage } from './server-account.js';

export interface AvailableModelsOptions extends Omit<ListModelsOptions, 'provider'> {
  /** What answers in place of what names lead to. */
  readonly own?: Provider | AiSdkLanguageModel | undefined;
}

/**
 * The tiers, the session's own model if the catalogue does not list it, the model objects, then the models whose
 * providers have keys. Behind a provider of the host's own names are its own, so there are the objects alone.
 * @throws ConfigError if a file, a key or a provider cannot be used
 */
export async function availableModels({ own, ...options }: AvailableModelsOptions): Promise<ModelInfo[]> {
  const read = await readCatalogue(options);
  const objects = [...(options.models?.modelObjects ?? [])].map(([name, object]) =>
    ofObject(name, object, read.catalogue),
  );
  if (own !== undefined && !isAiSdkModel(own)) return objects;
  const told = await ofServers(read, { own, ...options });
  const listed = read.provider
    .filter(({ isUsable }) => isUsable)
    .flatMap(
      ({ known }) =>
        told.get(known.id) ??
        read.facts
          .filter(({ provider }) => provider === known.id)
          .map((facts) => infoOf(`${known.id}/${facts.id}`, facts, thinkingChoices(known, facts.id))),
    );
  const first =
    own === undefined
      ? await namedModel(options.model, [...objects, ...listed], read)
      : [ofObject(options.model ?? own.modelId, own, read.catalogue)];
  return [...(await tiersOf(read)), ...first, ...objects, ...listed.sort(byValue)];
}

/** What the server of the session's model tells of the account; null if it tells nothing. */
export async function usageInfo({ own, ...options }: AvailableModelsOptions): Promise<UsageInfo | null> {
  if (own !== undefined) return null;
  const { access, provider } = await readCatalogue(options);
  if (!provider.some(({ known }) => known.usageUrl !== undefined)) return null;
  const choice = await chooseModel(options.model, access);
  const served = provider.find(({ known }) => known.id === choice.provider);
  if (served === undefined) return null;
  return serverUsage(served.known, { host: options.host, access, models: options.models ?? {} });
}

/** In place of what the catalogue knows, if a server has a list of its own. */
async function ofServers(
  { access, provider }: ReadCatalogue,
  { host, models = {} }: AvailableModelsOptions,
): Promise<ReadonlyMap<string, ModelInfo[]>> {
  const listing = provider.filter(({ known, isUsable }) => isUsable && known.modelsUrl !== undefined);
  if (listing.length === 0) return new Map();
  const lists = await Promise.all(
    listing.map(async ({ known }) => [known.id, await serverModels(known, { host, access, models })] as const),
  );
  return new Map(lists.flatMap(([id, list]) => (list === null ? [] : [[id, list] as const])));
}

/** A tier is there if it stands for a model that can be reached. */
async function tiersOf({ access }: ReadCatalogue): Promise<ModelInfo[]> {
  const tiers = await Promise.all(
    MODEL_TIERS.map(async (tier): Promise<ModelInfo[]> => {
      const choice = await chooseModel(tier, access).catch(() => null); // no key: then there is no such tier
      if (choice === null) return [];
      const target = 'object' in choice ? choice.name : `${choice.provider}/${choice.model}`;
      return [{ value: tier, displayName: tier, description: `Stands for ${target}.`, isEnabled: true }];
    }),
  );
  return tiers.flat();
}

/** The model that the session names, if no list has it: one of a server of the user's own, say. */
async function namedModel(
  model: string | undefined,
  others: readonly ModelInfo[],
  { access, catalogue, provider }: ReadCatalogue,
): Promise<ModelInfo[]> {
  const choice = await chooseModel(model, access).catch(() => null); // what is wrong is told when the session starts
  if (choice === null || choice.api === 'offline' || 'object' in choice) return [];
  const value = `${choice.provider}/${choice.model}`;
  const facts = catalogue.find(choice.provider, choice.model);
  const names = [value, ...(facts === null ? [] : [`${choice.provider}/${facts.id}`])];
  if (others.some((other) => names.includes(other.value))) return [];
  const known = findProvider(
    choice.provider,
    provider.map((each) => each.known),
  );
  const info = infoOf(value, facts, known === null ? null : thinkingChoices(known, choice.model));
  return [choice.free === true ? { ...info, description: 'It costs nothing.', isFree: true } : info];
}

function ofObject(name: string, object: AiSdkLanguageModel, catalogue: Catalogue): ModelInfo {
  const facts = catalogue.find(namespaceOf(object), object.modelId);
  const { description, ...info } = infoOf(name, facts, objectThinkingChoices(object));
  return { ...info, displayName: object.modelId, description: `A model object of ${object.provider}. ${description}` };
}

/** @param facts null: nothing is known of it, and so not whether it thinks */
function infoOf(value: string, facts: ModelFacts | null, thinking: ThinkingChoices | null): ModelInfo {
  const displayName = facts?.id ?? value.slice(value.indexOf('/') + 1);
  if (facts === null) {
    return { value, displayName, description: 'What it takes and costs is not known.', isEnabled: true };
  }
  const { input, price, contextWindow, reasoning } = facts;
  const cost = price === null ? 'price not known' : `$${price.input} in, $${price.output} out for a million tokens`;
  return {
    value,
    displayName,
    description: `Takes ${input.join(', ')}; ${cost}.`,
    isEnabled: true,
    ...(price !== null && price.input === 0 && price.output === 0 ? { isFree: true } : {}),
    context_config: { [windowLabel(contextWindow)]: { token_count: contextWindow, is_default: true } },
    ...(reasoning && thinking !== null ? { thinking_config: thinkingConfig(thinking) } : {}),
  };
}

const EFFORTS: Readonly<Record<EffortLevel, string>> = {
  low: 'Thinks least and answers soonest.',
  medium: 'Thinks if it helps.',
  high: 'Thinks much.',
  xhigh: 'Thinks very much, for hard and long tasks.',
  max: 'Thinks as much as the model can.',
};

function thinkingConfig({ canBeOff, efforts, usual }: ThinkingChoices): ModelThinkingConfig {
  const levels = efforts.map((effort) => [
    effort,
    { description: EFFORTS[effort], ...(effort === usual ? { is_default: true } : {}) },
  ]);
  return {
    ...(canBeOff ? { disabled: { description: 'Answers with as little thinking as it can.' } } : {}),
    enabled: {
      description: 'Thinks before it answers.',
      ...(levels.length === 0 ? {} : { efforts: Object.fromEntries(levels) }),
    },
  };
}

/** `200K`, `1M`. */
function windowLabel(tokens: number): string {
  return tokens >= 1_000_000 ? `${Math.round(tokens / 100_000) / 10}M` : `${Math.round(tokens / 1_000)}K`;
}

function byValue(a: ModelInfo, b: ModelInfo): number {
  return a.value < b.value ? -1 : 1;
}
