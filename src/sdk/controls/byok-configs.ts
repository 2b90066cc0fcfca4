// Models and providers with keys of the user's own: set up, changed, tried and forgotten by a host. One rule: a key goes in
// and never comes out, neither in an answer nor in an error.

import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import type {
  BYOKModelValidationInput,
  ByokConfigCheckResult,
  ByokConfigInfo,
  ByokConfigReference,
  ByokModelConfigInput,
  ByokProtocol,
  CheckByokConfigInput,
  CreateByokConfigInput,
  CustomByokProviderConfigInput,
  DeleteByokConfigInput,
  UpdateByokConfigInput,
} from '../../protocol/control.js';
import { ConfigError, isEngineError, ModelError } from '../../protocol/errors.js';
import type { ProviderApi } from '../../protocol/model-options.js';
import {
  allProviders,
  chooseModel,
  configureProviders,
  findProvider,
  KNOWN_PROVIDERS,
  loadProvider,
} from '../../providers/choice/index.js';
import { loadCatalogue } from '../../providers/models/index.js';
import {
  credentialsFile,
  describedProvider,
  type KeptModel,
  type KeptProvider,
  type KeptProviders,
  openModelAccess,
  openModelReach,
  readKeptProviders,
  writeKeptProviders,
} from '../../session/models/index.js';
import { whileLocked } from '../../session/settings/index.js';
import { given, isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import { askModel, QUESTIONS } from '../models/index.js';
import type { ControlledQuery } from './controlled-query.js';

const ID = /^[a-z][a-z0-9_.-]{0,63}$/i;
const APIS: Readonly<Record<string, ProviderApi>> = {
  openai: 'openai-chat',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
  anthropic: 'anthropic',
};

/** How long a model that is tried may take. */
const CHECK_MS = 30_000;

interface Place {
  readonly host: Host;
  readonly env: Host['env'];
}

function placeOf({ options }: ControlledQuery): Place {
  const host = options.host ?? createNodeHost();
  return { host, env: { ...host.env, ...options.env } };
}

export async function listByokConfigs(query: ControlledQuery): Promise<ByokConfigInfo[]> {
  const place = placeOf(query);
  const kept = await readKeptProviders(place.host, place.env);
  return Promise.all([...kept].map(([id, each]) => infoOf(id, each)));
}

/** @throws ConfigError for what cannot be used, and if the name is taken */
export async function createByokConfig(
  query: ControlledQuery,
  input: CreateByokConfigInput,
): Promise<ByokConfigReference> {
  const place = placeOf(query);
  const { id, config } = await readInput(input, place);
  await change(place, (kept) => {
    if (kept.has(id))
      throw new ConfigError(
        `There is a configuration ${JSON.stringify(id)} already. Update it, or give this one another name.`,
      );
    return new Map([...kept, [id, config]]);
  });
  return config.kind === 'model' ? { key: id } : { providerId: id };
}

/** @throws ConfigError if there is none of that name, or a field cannot be used */
export async function updateByokConfig(query: ControlledQuery, input: UpdateByokConfigInput): Promise<void> {
  const place = placeOf(query);
  const id = nameOf(input);
  await change(place, async (kept) => {
    const known = kept.get(id);
    if (known === undefined) throw noConfig(id);
    return new Map([...kept, [id, await updated(id, known, input, place)]]);
  });
}

/** @throws ConfigError if there is none of that name */
export async function deleteByokConfig(query: ControlledQuery, target: DeleteByokConfigInput): Promise<void> {
  const id = nameOf(target);
  await change(placeOf(query), (kept) => {
    if (!kept.has(id)) throw noConfig(id);
    return new Map([...kept].filter(([name]) => name !== id));
  });
}

/** Sends one small request. Contract: never throws for what is wrong with the configuration. */
export async function checkByokConfig(
  query: ControlledQuery,
  input: CheckByokConfigInput,
): Promise<ByokConfigCheckResult> {
  try {
    const place = placeOf(query);
    const { config } = await readInput(input, place);
    const [model] = config.models;
    if (model === undefined)
      return { success: false, error: 'Name the model that is to be tried.', code: 'BYOK_CHECK_FAILED' };
    return await tryModel(config, model.id, place);
  } catch (error) {
    return { success: false, error: errorText(error), code: isEngineError(error) ? error.code : 'BYOK_CHECK_FAILED' };
  }
}

/** Null if it could not be tried. */
export async function validateByokModel(
  query: ControlledQuery,
  { provider, model, api_key, url, style }: BYOKModelValidationInput,
): Promise<boolean | null> {
  const config = {
    provider,
    model,
    parameters: { api_key },
    ...given({ baseUrl: url, style }),
  } as ByokModelConfigInput;
  const { success, code } = await checkByokConfig(query, config);
  if (success) return true;
  // The key or the model was refused; anything else says nothing of them.
  return code === 'authentication' || code === 'permission' || code === 'not_found' ? false : null;
}

async function tryModel(config: KeptProvider, model: string, { host, env }: Place): Promise<ByokConfigCheckResult> {
  const id = 'byok-check';
  const models = { providers: { [id]: describedProvider(config) } };
  const name = `${id}/${model}`;
  const access = openModelAccess(host, env, models, name);
  const provider = await loadProvider(await chooseModel(name, access), openModelReach(host, access, models));
  const controller = new AbortController();
  const cancel = host.clock.after(CHECK_MS, () => controller.abort());
  try {
    await askModel(provider, QUESTIONS.count(model), controller.signal);
    return { success: true };
  } catch (error) {
    const text = errorText(error).replaceAll(config.apiKey, '[REDACTED]');
    if (controller.signal.aborted)
      return { success: false, error: `It did not answer within ${CHECK_MS / 1_000} seconds.`, code: 'timeout' };
    const status = error instanceof ModelError ? error.status : null;
    return {
      success: false,
      error: text,
      code: error instanceof ModelError ? error.kind : 'BYOK_CHECK_FAILED',
      ...(typeof status === 'number' ? { details: { httpStatus: status } } : {}),
    };
  } finally {
    cancel();
    provider.close?.();
  }
}

/** One change at a time, of all programs. */
async function change(
  { host, env }: Place,
  next: (kept: KeptProviders) => KeptProviders | Promise<KeptProviders>,
): Promise<void> {
  await whileKept(host, env, async () => {
    await writeKeptProviders(host, env, await next(await readKeptProviders(host, env)));
  });
}

async function whileKept(host: Host, env: Host['env'], work: () => Promise<void>): Promise<void> {
  await whileLocked(host, credentialsFile(host, env), work);
}

function isProvider(input: object): input is CustomByokProviderConfigInput {
  return 'providerId' in input;
}

async function readInput(
  input: CreateByokConfigInput,
  place: Place,
): Promise<{ readonly id: string; readonly config: KeptProvider }> {
  if (!isRecord(input)) throw new ConfigError('A configuration is an object: of a model, or of a provider.');
  const read = isProvider(input) ? readProvider(input) : await readModel(input as ByokModelConfigInput, place);
  await refuseTaken(read.id, place);
  // What cannot be a provider is told by who knows.
  configureProviders({ [read.id]: describedProvider(read.config) }, 'byok');
  return read;
}

/** A name that means a provider already would take its place. */
async function refuseTaken(id: string, { host, env }: Place): Promise<void> {
  const known = findProvider(id, KNOWN_PROVIDERS);
  if (known !== null || id.toLowerCase() === 'offline')
    throw new ConfigError(`${JSON.stringify(id)} is the name of a known provider. Give this one another name.`);
  const own = await allProviders(openModelAccess(host, env, {}, undefined)).catch(() => []);
  const kept = await readKeptProviders(host, env);
  if (own.some((each) => each.isOwn && each.id === id.toLowerCase()) && !kept.has(id))
    throw new ConfigError(`${JSON.stringify(id)} is the name of a provider of your own. Give this one another name.`);
}

function readProvider(input: CustomByokProviderConfigInput): { readonly id: string; readonly config: KeptProvider } {
  const { providerId, baseUrl, apiKey, displayName = providerId, protocol = 'openai', model } = input;
  const api = apiOf(protocol);
  return {
    id: word(providerId, 'providerId', ID),
    config: {
      kind: 'provider',
      displayName: word(displayName, 'displayName'),
      api,
      baseUrl: word(baseUrl, 'baseUrl'),
      apiKey: word(apiKey, 'apiKey', KEY),
      authType: authTypeOf(input.authType, api),
      providerType: input.type === undefined ? 'openai-compatible' : word(input.type, 'type'),
      models: modelsOf(model, input.models),
    },
  };
}

const KEY = /^[\x21-\x7e]+$/;

async function readModel(
  input: ByokModelConfigInput,
  { host, env }: Place,
): Promise<{ readonly id: string; readonly config: KeptProvider }> {
  const { provider, model, parameters, displayName, baseUrl, style, reasoningEffort, contextWindow } = input;
  const of = word(provider, 'provider');
  const name = word(model, 'model');
  if (!isRecord(parameters)) throw new ConfigError('parameters holds what the provider asks for: { api_key: "…" }.');
  const others = Object.keys(parameters).filter((each) => each !== 'api_key');
  if (others.length > 0)
    throw new ConfigError(`parameters takes api_key only, not ${others.join(', ').slice(0, 100)}.`);
  const known = findProvider(of, await allProviders(openModelAccess(host, env, {}, undefined)));
  const url = baseUrl ?? known?.baseUrl;
  if (url === undefined || url === '')
    throw new ConfigError(`There is no known provider ${JSON.stringify(of.slice(0, 60))}, so its baseUrl is needed.`);
  const api = style === undefined ? (known?.api ?? 'openai-chat') : apiOf(style);
  const key =
    input.key ??
    `${of}-${name}`
      .toLowerCase()
      .replace(/[^a-z0-9_.-]+/g, '-')
      .slice(0, 60);
  return {
    id: word(key, 'key', ID),
    config: {
      kind: 'model',
      of,
      displayName: displayName === undefined ? name : word(displayName, 'displayName'),
      api,
      baseUrl: word(url, 'baseUrl'),
      apiKey: word(parameters['api_key'], 'parameters.api_key', KEY),
      authType: authTypeOf(undefined, api),
      ...(input.type === undefined ? {} : { providerType: word(input.type, 'type') }),
      ...(reasoningEffort === undefined ? {} : { reasoningEffort: word(reasoningEffort, 'reasoningEffort') }),
      models: [{ id: name, ...given({ contextWindow: tokens(contextWindow, 'contextWindow') }) }],
    },
  };
}

async function updated(
  id: string,
  known: KeptProvider,
  input: UpdateByokConfigInput,
  place: Place,
): Promise<KeptProvider> {
  const [first] = known.models;
  const again: Record<string, unknown> =
    known.kind === 'provider'
      ? {
          apiKey: known.apiKey,
          baseUrl: known.baseUrl,
          displayName: known.displayName,
          protocol: known.api,
          authType: known.authType,
          type: known.providerType,
          models: known.models.map(({ id: model, ...rest }) => ({ ...rest, model })),
        }
      : {
          provider: known.of,
          model: first?.id,
          parameters: { api_key: known.apiKey },
          displayName: known.displayName,
          baseUrl: known.baseUrl,
          style: known.api,
          reasoningEffort: known.reasoningEffort,
          contextWindow: first?.contextWindow,
        };
  const changes = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const merged = { ...given(again), ...changes };
  const read = isProvider(merged as object)
    ? readProvider(merged as unknown as CustomByokProviderConfigInput)
    : await readModel({ ...merged, key: id } as unknown as ByokModelConfigInput, place);
  if (read.config.kind !== known.kind) throw noConfig(id);
  return read.config;
}

function modelsOf(first: string | undefined, models: CustomByokProviderConfigInput['models'] = []): KeptModel[] {
  if (!Array.isArray(models)) throw new ConfigError('models is a list of { model }.');
  const listed = models.map((each): KeptModel => {
    const { model, id, displayName, contextWindow, maxOutputTokens, capabilities } = each as Readonly<
      Record<string, unknown>
    >;
    const can = isRecord(capabilities) ? capabilities : {};
    return {
      id: word(model ?? id, 'models[].model'),
      ...given({
        displayName: displayName === undefined ? undefined : word(displayName, 'models[].displayName'),
        contextWindow: tokens(contextWindow, 'models[].contextWindow'),
        maxOutputTokens: tokens(maxOutputTokens, 'models[].maxOutputTokens'),
        vision: typeof can['vision'] === 'boolean' ? can['vision'] : undefined,
        reasoning: can['thinking'] === undefined ? undefined : true,
      }),
    };
  });
  if (first === undefined) return listed;
  const name = word(first, 'model');
  const own = listed.find(({ id }) => id === name) ?? { id: name };
  return [own, ...listed.filter(({ id }) => id !== name)];
}

async function infoOf(id: string, kept: KeptProvider): Promise<ByokConfigInfo> {
  const catalogue = await loadCatalogue();
  const factsOf = (model: KeptModel) => (kept.of === undefined ? null : catalogue.find(kept.of, model.id));
  const facts = (model: KeptModel) => {
    const known = factsOf(model);
    return {
      vision: model.vision ?? known?.input.includes('image') ?? false,
      reasoning: model.reasoning ?? known?.reasoning ?? false,
      maxInputTokens: model.contextWindow ?? known?.contextWindow ?? 0,
    };
  };
  const [first] = kept.models;
  if (kept.kind === 'model')
    return {
      key: id,
      displayName: kept.displayName,
      provider: kept.of ?? id,
      model: first?.id ?? '',
      baseUrl: kept.baseUrl,
      style: protocolOf(kept.api),
      ...facts(first ?? { id: '' }),
      ...given({
        type: kept.providerType,
        reasoningEffort: kept.reasoningEffort,
        contextWindow: first?.contextWindow,
      }),
    };
  return {
    providerId: id,
    displayName: kept.displayName,
    baseUrl: kept.baseUrl,
    providerType: kept.providerType === 'alibaba' ? 'alibaba' : 'openai-compatible',
    protocol: protocolOf(kept.api),
    authType: kept.authType,
    defaultModelId: first?.id ?? '',
    models: kept.models.map((model) => ({
      id: model.id,
      displayName: model.displayName ?? model.id,
      ...facts(model),
      maxOutputTokens: model.maxOutputTokens ?? factsOf(model)?.maxOutputTokens ?? 0,
    })),
  };
}

function protocolOf(api: ProviderApi): ByokProtocol {
  return api === 'openai-chat' ? 'openai' : api;
}

function apiOf(protocol: unknown): ProviderApi {
  const api = typeof protocol === 'string' && Object.hasOwn(APIS, protocol) ? APIS[protocol] : undefined;
  if (api === undefined)
    throw new ConfigError(
      `The protocol is one of ${Object.keys(APIS).join(', ')}, not ${JSON.stringify(protocol)?.slice(0, 60)}.`,
    );
  return api;
}

function authTypeOf(authType: unknown, api: ProviderApi): 'bearer' | 'api-key' {
  if (authType === undefined) return api === 'anthropic' ? 'api-key' : 'bearer';
  if (authType === 'bearer' || authType === 'api-key') return authType;
  throw new ConfigError('authType is bearer or api-key.');
}

/** @throws ConfigError, without the value: it may be a key */
function word(value: unknown, name: string, shape?: RegExp): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= 10_000 && (shape?.test(value.trim()) ?? true))
    return value.trim();
  const what =
    shape === ID
      ? 'a name of letters, digits, ".", "_" and "-"'
      : 'a text that is not empty, without spaces or line breaks';
  throw new ConfigError(`${name} must be ${shape === undefined ? 'a text that is not empty' : what}.`);
}

function tokens(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw new ConfigError(`${name} must be a whole number of tokens, at least 1.`);
}

function nameOf(target: unknown): string {
  const { key, providerId } = (isRecord(target) ? target : {}) as { key?: unknown; providerId?: unknown };
  return word(providerId ?? key, providerId === undefined ? 'key' : 'providerId', ID);
}

function noConfig(id: string): ConfigError {
  return new ConfigError(`There is no configuration ${JSON.stringify(id)}. listByokConfigs() says which there are.`);
}
