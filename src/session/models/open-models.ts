// The models of a session: the host's own provider, or those that names and keys lead to.
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { CustomModel } from '../../protocol/model.js';
import type { ApiKeySource } from '../../protocol/system-messages.js';
import { type AiSdkLanguageModel, isAiSdkModel, namespaceOf } from '../../providers/ai-sdk/index.js';
import {
  createModelRouter,
  loadProvider,
  type ModelPlace,
  type ModelReach,
  type ModelRouter,
  objectChoice,
  resolveFrom,
  resolveModels,
} from '../../providers/choice/index.js';
import { type Provider, qualitiesOf } from '../../providers/contract/index.js';
import type { Secrets } from '../../providers/keys/index.js';
import { type Catalogue, MODEL_LIMITS_TABLE, type ModelLimits } from '../../providers/models/index.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import { DOORS } from '../features.js';
import { createPriceBook, type PriceBook, type Prices } from '../spending/index.js';
import { namesModelsFile, openModelAccess, openModelReach, type SessionAccess } from './model-access.js';

export interface SessionModels extends ModelRouter {
  readonly apiKeySource: ApiKeySource;
  readonly notices: readonly PendingNotice[];
  /** What was said of a model when it was set up with a key of its own. */
  readonly keptModel: SessionAccess['keptModel'];
  /** The proxy of the next request on, null: what the variables say. Absent: requests do not go our way. @throws ConfigError */
  setProxy?(proxy: string | null): Promise<void>;
  /** There if the host names models with keys of their own. The name that requests use. @throws ConfigError */
  admitCustom?(model: CustomModel): Promise<string>;
}

/** @param agentModel what the definition of the session's own agent names. @throws ConfigError */
export async function openModels(
  config: QueryEngineConfig,
  agentModel: string | undefined,
  host: Host,
  env: Host['env'],
  secrets: Secrets,
): Promise<SessionModels> {
  const { userSpecifiedModel: wanted = agentModel, models: options = {} } = config;
  const access = openModelAccess(host, env, options, wanted, secrets);
  const reach = openModelReach(host, access, options);
  const first = { ...(await firstModels(config, wanted, reach)), keptModel: access.keptModel };
  const isOwn = config.provider !== undefined && !isAiSdkModel(config.provider);
  const open = isOwn ? first : { ...first, setProxy: reach.setProxy };
  const models = config.allowedModels === undefined ? open : withAllowedModels(open, wanted, config.allowedModels);
  if (config.resolveModel === undefined) return models;
  const { withCustomModels } = await DOORS.access();
  return { ...models, ...withCustomModels(models, access, (choice) => loadProvider(choice, reach)) };
}

async function firstModels(
  config: QueryEngineConfig,
  wanted: string | undefined,
  reach: ModelReach,
): Promise<Omit<SessionModels, 'keptModel'>> {
  const { provider, apiKeySource = 'none' } = config;
  if (isAiSdkModel(provider)) {
    // One object is one model: names of others lead to others.
    const models = await resolveFrom(objectChoice(wanted ?? provider.modelId, provider), reach);
    return { ...models, apiKeySource, notices: [] };
  }
  if (provider !== undefined) return { ...ownModels(provider, wanted, reach), apiKeySource, notices: [] };
  const resolved = await resolveModels(wanted, reach);
  return { ...resolved, notices: tokenNotice(config, resolved.apiKeySource) };
}

/** Whose prices count for a provider of the host's own. */
export function hostPlace(given: Provider | AiSdkLanguageModel): Pick<ModelPlace, 'provider' | 'free'> {
  if (isAiSdkModel(given)) return { provider: namespaceOf(given), free: false };
  return { provider: given.id, free: given.free ?? false };
}

/** The host's own provider, which serves every name but those of model objects. It is not ours to close. */
function ownModels(provider: Provider, wanted: string | undefined, reach: ModelReach): ModelRouter {
  const { objects } = reach.access;
  const place = (name: string): ModelPlace => ({ ...hostPlace(provider), model: name });
  const own: ModelRouter = {
    provider,
    model: wanted ?? provider.id,
    admit: async (name) => name,
    locate: place,
    close: () => undefined,
  };
  if (objects === undefined) return own;
  const borrowed: Provider = {
    ...qualitiesOf(provider),
    stream: (request, limits, signal) => provider.stream(request, limits, signal),
  };
  const router = createModelRouter({
    first: { choice: { provider: provider.id, model: own.model, name: own.model }, provider: borrowed },
    async choose(name) {
      const object = objects.get(name);
      return object === undefined ? { provider: provider.id, model: name, name } : objectChoice(name, object);
    },
    load: async (choice) => ('object' in choice ? loadProvider(choice, reach) : borrowed),
  });
  return { ...router, locate: (name) => (objects.has(name) ? router.locate(name) : place(name)) };
}

/** A token for one company is not shown to another. */
function tokenNotice({ models }: QueryEngineConfig, source: ApiKeySource): PendingNotice[] {
  const type = models?.auth?.type;
  if ((type !== 'accessToken' && type !== 'tokenProvider') || source === 'temporary') return [];
  return [
    {
      code: 'option_without_effect',
      message:
        'The access token of the option auth is not used: it is sent only to a server whose address you set, by a variable such as ANTHROPIC_BASE_URL or the option providers.',
      remedy: 'Set that address, or give the key of a provider: auth: apiKey("…", "openai").',
    },
  ];
}

/** The catalogue is large and rarely needed before the first reply, so it is loaded when it is asked for. */
export function lazyPrices(
  { catalogueOverrides, models = {} }: QueryEngineConfig,
  { locate, keptModel }: Pick<SessionModels, 'locate' | 'keptModel'>,
  host: Host,
  env: Host['env'],
): Prices {
  let book: PriceBook | null = null;
  let loading: Promise<PriceBook> | null = null;
  const load = async (): Promise<PriceBook> => {
    const [{ loadCatalogue }, ofFile] = await Promise.all([
      DOORS.catalogue(),
      namesModelsFile(models, env)
        ? DOORS.access().then(({ readModelsFile }) => readModelsFile(host, env, models))
        : undefined,
    ]);
    const overrides = ofFile === undefined ? catalogueOverrides : { ...ofFile, ...catalogueOverrides };
    book = createPriceBook(withKeptModels(await loadCatalogue(overrides), keptModel), locate);
    return book;
  };
  return {
    known: () => book,
    load() {
      loading ??= load();
      return loading;
    },
  };
}

/** A model with a key of its own is that of the provider that it is of, with the limits that were said. */
function withKeptModels(catalogue: Catalogue, keptModel: SessionModels['keptModel']): Pick<Catalogue, 'find'> {
  return {
    find(provider, model) {
      const known = catalogue.find(provider, model);
      const kept = known === null ? keptModel(provider, model) : null;
      if (kept === null) return known;
      const { of, ...limits } = kept;
      const facts = of === undefined ? null : catalogue.find(of, model);
      const { contextWindow = facts?.contextWindow, maxOutputTokens = facts?.maxOutputTokens } = limits;
      if (contextWindow === undefined) return null;
      const unknown = { id: model, price: null, tiers: [], reasoning: false, input: ['text'] } as const;
      return { ...unknown, ...facts, provider, contextWindow, maxOutputTokens: maxOutputTokens ?? contextWindow };
    },
  };
}

/** True if figures of models come from the user: only the catalogue knows them, so it must be there from the start. */
export function hasOverrides({ catalogueOverrides, models = {} }: QueryEngineConfig, env: Host['env']): boolean {
  return catalogueOverrides !== undefined || namesModelsFile(models, env);
}

/** The limits of a model, known from the first request on: of the catalogue once it is there, else of the short table. */
export function modelLimits(
  { locate, keptModel }: Pick<SessionModels, 'locate' | 'keptModel'>,
  catalogue: () => PriceBook | null,
): (model: string) => Partial<ModelLimits> | null {
  return (name) => {
    const { provider, model } = locate(name);
    const { of = provider, ...said } = keptModel(provider, model) ?? {};
    // What was said with the key counts; of the rest the catalogue knows more than the short table.
    const known = catalogue()?.facts(name);
    if (known != null && Object.keys(said).length === 0) return known;
    const listed = MODEL_LIMITS_TABLE.find(of, model);
    return Object.keys(said).length === 0 ? listed : { ...listed, ...said };
  };
}

// Which models settings let a session name. One rule: a name that is not listed is refused whoever says it, before anything
// is sent.

/** What settings say of models. */
interface AllowedModels {
  /** Names, or families such as `sonnet`. */
  readonly names: readonly string[];
  /** True: also for the model of a session that names none. */
  readonly isForDefault: boolean;
}

/** What of the models of a session is looked at. */
interface Named {
  readonly model: string;
  admit(name: string): Promise<string>;
}

/** @param wanted what the session names; undefined: nothing. @throws ConfigError */
function withAllowedModels<Models extends Named>(
  models: Models,
  wanted: string | undefined,
  allowed: AllowedModels,
): Models {
  const check = (name: string): void => {
    if (allowed.names.some((entry) => means(entry, name))) return;
    const listed = allowed.names.length === 0 ? 'none' : allowed.names.join(', ');
    throw new ConfigError(`Settings (availableModels) do not list the model ${name}. They list: ${listed}.`);
  };
  if (wanted !== undefined) check(wanted);
  else if (allowed.isForDefault) check(models.model);
  return {
    ...models,
    async admit(name) {
      check(name);
      return models.admit(name);
    },
  };
}

/** A family means each of its models; a name itself, with every date, window and provider. */
function means(entry: string, model: string): boolean {
  const [listed, named] = [plainModelName(entry), plainModelName(model)];
  return named === listed || (!/\d/.test(listed) && named.split(/[-.]/).includes(listed));
}

/** `anthropic/Claude-Opus-4-1-20250805[1m]` is `claude-opus-4-1`. */
export function plainModelName(name: string): string {
  const last = name.trim().toLowerCase().split('/').at(-1) ?? '';
  return last.replace(/\[[^\]]*\]$/, '').replace(/[-@]\d{8}$/, '');
}
