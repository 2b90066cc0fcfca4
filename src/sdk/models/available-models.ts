// What `getAvailableModels()` and `resolveModel` are shown: every model that can be named, with what is known of it, and what a
// server of the user's own says of its models and of the account. One rule: what is not known, missing or of another kind is
// left out, and a server that does not answer is no failure.
import type { Host } from '../../host/host.js';
import type { ModelInfo, ModelPromotion, ModelThinkingConfig, UsageInfo } from '../../protocol/model.js';
import { MODEL_TIERS } from '../../protocol/model-options.js';
import type { EffortLevel } from '../../protocol/options.js';
import { type AiSdkLanguageModel, isAiSdkModel, namespaceOf } from '../../providers/ai-sdk/index.js';
import {
  type ConfiguredProvider,
  type Credential,
  chooseModel,
  credentialOf,
  findProvider,
  type ModelAccess,
  objectThinkingChoices,
  type ThinkingChoices,
  thinkingChoices,
} from '../../providers/choice/index.js';
import type { Provider } from '../../providers/contract/index.js';
import { createRoutedFetch } from '../../providers/http/index.js';
import type { Catalogue, ModelFacts } from '../../providers/models/index.js';
import type { ModelOptions } from '../../session/config/index.js';
import { openModelReach } from '../../session/models/index.js';
import { isRecord } from '../../util/json.js';
import { type ListModelsOptions, type ReadCatalogue, readCatalogue } from './models.js';

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

/** How long a server may take, milliseconds. */
const PATIENCE_MS = 10_000;
const MAX_BYTES = 4_000_000;
const MAX_MODELS = 1_000;

interface AccountServer {
  readonly host: Host;
  readonly access: ModelAccess;
  readonly models: ModelOptions;
}

/** Null if it says nothing. */
async function serverUsage(provider: ConfiguredProvider, place: AccountServer): Promise<UsageInfo | null> {
  const answer = provider.usageUrl === undefined ? null : await ask(provider.usageUrl, provider, place);
  const usage = isRecord(answer) && isRecord(answer['usage']) ? answer['usage'] : answer;
  return isRecord(usage) ? readUsage(usage) : null;
}

/** The models of its list, by names that `setModel` takes; null if it has no list, or does not give it. */
async function serverModels(provider: ConfiguredProvider, place: AccountServer): Promise<ModelInfo[] | null> {
  const answer = provider.modelsUrl === undefined ? null : await ask(provider.modelsUrl, provider, place);
  const list = isRecord(answer) ? (answer['models'] ?? answer['data']) : answer;
  if (!Array.isArray(list)) return null;
  return list.slice(0, MAX_MODELS).flatMap((entry) => {
    const read = isRecord(entry) ? readModel(provider, entry) : null;
    return read === null ? [] : [read];
  });
}

async function ask(
  url: string,
  provider: ConfiguredProvider,
  { host, access, models }: AccountServer,
): Promise<unknown> {
  const reach = openModelReach(host, access, models);
  const fetch = createRoutedFetch({ clock: host.clock, routeTo: (address) => reach.routeTo(address) });
  const controller = new AbortController();
  const cancel = host.clock.after(PATIENCE_MS, () => controller.abort());
  try {
    const token = await tokenOf(await credentialOf(provider, access), provider, reach);
    const sent = token === null ? {} : { authorization: `Bearer ${token}` };
    const headers = { accept: 'application/json', ...provider.headers, ...sent };
    const response = await fetch(url, { headers, signal: controller.signal });
    if (!response.ok) return null;
    const text = await response.text();
    return text.length > MAX_BYTES ? null : JSON.parse(text);
  } catch {
    return null; // nothing is known then, which is what callers say
  } finally {
    cancel();
    fetch.close();
  }
}

async function tokenOf(
  credential: Credential,
  { id }: ConfiguredProvider,
  reach: ReturnType<typeof openModelReach>,
): Promise<string | null> {
  switch (credential.kind) {
    case 'none':
      return null;
    case 'helper':
      return (await reach.openHelper(credential.command, credential.ttlMs, id)).key();
    case 'fetched':
      return (await reach.openFetcher(credential.fetchToken)).key();
    default:
      return credential.key;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Servers write `snake_case` or `camelCase`. */
function at(fields: Fields, name: string): unknown {
  return fields[name] ?? fields[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

function texts<Name extends string>(fields: Fields, names: readonly Name[]): { [K in Name]?: string } {
  return pick(fields, names, (value): value is string => typeof value === 'string');
}

function numbers<Name extends string>(fields: Fields, names: readonly Name[]): { [K in Name]?: number } {
  return pick(fields, names, (value): value is number => typeof value === 'number' && Number.isFinite(value));
}

function flags<Name extends string>(fields: Fields, names: readonly Name[]): { [K in Name]?: boolean } {
  return pick(fields, names, (value): value is boolean => typeof value === 'boolean');
}

function pick<Name extends string, T>(
  fields: Fields,
  names: readonly Name[],
  fits: (value: unknown) => value is T,
): { [K in Name]?: T } {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = at(fields, name);
      return fits(value) ? [[name, value]] : [];
    }),
  ) as { [K in Name]?: T };
}

function bucket<Read extends object>(
  fields: Fields,
  name: string,
  read: (fields: Fields) => Read,
): { [key: string]: Read } {
  const value = at(fields, name);
  return isRecord(value) ? { [name]: read(value) } : {};
}

function readUsage(fields: Fields): UsageInfo {
  const quota = (part: Fields) => ({
    ...numbers(part, ['total', 'used', 'remaining', 'percentage']),
    ...texts(part, ['unit']),
  });
  return {
    ...texts(fields, ['userId', 'userType', 'upgradeUrl']),
    ...numbers(fields, ['totalUsagePercentage', 'expiresAt']),
    ...flags(fields, ['isHighestTier', 'isQuotaExceeded', 'isPlanQuotaProrated']),
    ...bucket(fields, 'userQuota', quota),
    ...bucket(fields, 'addOnQuota', (part) => ({ ...quota(part), ...texts(part, ['detailUrl']) })),
    ...bucket(fields, 'orgResourcePackage', (part) => ({
      ...numbers(part, ['used', 'cap', 'remaining', 'percentage']),
      ...flags(part, ['available']),
      ...texts(part, ['unit']),
    })),
  };
}

function readModel({ id: provider }: ConfiguredProvider, entry: Fields): ModelInfo | null {
  const name = entry['value'] ?? entry['id'] ?? entry['key'] ?? entry['model'];
  if (typeof name !== 'string' || name === '' || /[\s\p{C}]/u.test(name)) return null;
  const { displayName, description = '' } = texts(entry, ['displayName', 'description']);
  const { isEnabled = true, ...known } = flags(entry, ['isEnabled', 'isNew', 'isFree']);
  const promotion = at(entry, 'promotion');
  const context = at(entry, 'contextConfig') ?? entry['context_config'];
  const thinking = at(entry, 'thinkingConfig') ?? entry['thinking_config'];
  return {
    value: `${provider}/${name}`,
    displayName: displayName ?? textOf(entry['name']) ?? textOf(entry['display_name']) ?? name,
    description,
    isEnabled,
    ...known,
    ...numbers(entry, ['priceFactor']),
    ...(isRecord(context) ? { context_config: windows(context) } : {}),
    ...(isRecord(thinking) ? { thinking_config: thinking } : {}),
    ...(isRecord(promotion) ? { promotion: readPromotion(promotion) } : {}),
    serverModel: entry as NonNullable<ModelInfo['serverModel']>,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function windows(config: Fields): NonNullable<ModelInfo['context_config']> {
  return Object.fromEntries(
    Object.entries(config).flatMap(([label, entry]) => {
      if (!isRecord(entry) || typeof entry['token_count'] !== 'number') return [];
      return [[label, { token_count: entry['token_count'], ...flags(entry, ['is_default']) }]];
    }),
  );
}

function readPromotion(fields: Fields): ModelPromotion {
  const localized = (name: 'badge' | 'description') => {
    const value = fields[name];
    if (!isRecord(value)) return {};
    return { [name]: Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string')) };
  };
  return {
    active: fields['active'] === true,
    ...localized('badge'),
    ...localized('description'),
    ...numbers(fields, ['discount_factor', 'before_promotion_price_factor']),
    ...texts(fields, ['timezone', 'rule_id', 'window_start', 'window_end']),
  };
}
