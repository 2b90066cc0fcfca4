// Which provider and model a name means, with which key. What a session asks before it loads a provider.
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { ChatQuirks, ModelTier, ModelTiers, ProviderApi } from '../../protocol/model-options.js';
import { type AiSdkLanguageModel, namespaceOf } from '../ai-sdk/index.js';
import type { ProviderLimits } from '../contract/index.js';
import { familyOf, PROVIDER_ORDER } from '../keys/index.js';
import { isTier } from '../models/index.js';
import {
  ANTHROPIC,
  addressOf,
  allProviders,
  type ConfiguredProvider,
  type Credential,
  credentialOf,
  hasOwnProviders,
  isUsable,
  type ModelAccess,
  providerNamed,
  setting,
} from './provider-access.js';

type Env = Host['env'];

/** What is told if no model was named and there is no key for any. */
export const NO_KEY =
  'No model can answer, because there is no key. Set ANTHROPIC_API_KEY or the key of another provider, or run "turnwright login". To try it without a key: --model offline (in code, model: "offline").';

const UNUSED_TOKEN =
  'The access token of the option auth is not used: it is sent only to a server whose address you set, by a variable such as ANTHROPIC_BASE_URL or the option providers.';

export interface RemoteChoice {
  readonly api: ProviderApi;
  /** The id of the provider. */
  readonly provider: string;
  /** As the provider knows it. */
  readonly model: string;
  readonly baseUrl: string;
  readonly credential: Credential;
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks?: ChatQuirks;
  readonly free?: true;
  readonly limits?: ProviderLimits;
}

/** A model object of the host's own, by the name that stands for it. */
export interface ObjectChoice {
  readonly api: 'ai-sdk';
  readonly provider: string;
  readonly model: string;
  readonly name: string;
  readonly object: AiSdkLanguageModel;
}

export type ModelChoice =
  | RemoteChoice
  | ObjectChoice
  | { readonly api: 'offline'; readonly provider: 'offline'; readonly model: string };

/**
 * Decides provider, model and credentials.
 * `model` is the name of a model object, `offline`, `PROVIDER/NAME`, a bare NAME, a tier, a short name or `default`; absent, the environment's
 * TURNWRIGHT_MODEL or ANTHROPIC_MODEL counts, then the tier `auto`. A tier belongs to the provider that `providerInOrder`
 * gives; a bare name to the provider that made the model if it has a key, else to that one.
 * Contract: the offline model is chosen by its name and in no other way. Throws `ConfigError`.
 */
export async function chooseModel(model: string | undefined, access: ModelAccess): Promise<ModelChoice> {
  const choice = await chooseIfKeyed(model, access);
  if (choice === null) throw noKeyAtAll(access);
  return choice;
}

/** What follows from a null of `chooseIfKeyed`, for whoever needs a model. */
export function noKeyAtAll({ auth }: Pick<ModelAccess, 'auth'>): ConfigError {
  return new ConfigError(
    auth?.type === 'accessToken' || auth?.type === 'tokenProvider' ? `${NO_KEY} ${UNUSED_TOKEN}` : NO_KEY,
  );
}

/** As `chooseModel`; null if no model was named and no key is set, so that none can answer. */
export async function chooseIfKeyed(model: string | undefined, access: ModelAccess): Promise<ModelChoice | null> {
  const named = model === undefined || model === 'default' ? (model ?? null) : checkName(model);
  const wanted = named === null || named === 'default' ? environmentModel(access.env) : named;
  const name = tierModel(wanted ?? 'auto', access.tiers);
  const object = access.objects?.get(name);
  if (object !== undefined) return objectChoice(name, object);
  const { prefix, rest } = splitModel(name);
  if (prefix === 'offline') return { api: 'offline', provider: 'offline', model: rest };
  if (prefix !== null) {
    const provider = await providerNamed(prefix, access);
    return choose(provider, rest, await credentialOf(provider, access), access);
  }
  const found = await providerOfBareName(name, access);
  if (found !== null) return choose(found.provider, name, found.credential, access);
  if (wanted === null) return null;
  throw noKey(name, ANTHROPIC);
}

export function objectChoice(name: string, object: AiSdkLanguageModel): ObjectChoice {
  return { api: 'ai-sdk', provider: namespaceOf(object), model: object.modelId, name, object };
}

/**
 * The provider that `auth` is for: the one it names, else that of the session's model, else Anthropic. So the key of a
 * session never goes to the provider of an agent, or of a model that is chosen later.
 */
export function providerOfAuth(
  auth: NonNullable<ModelAccess['auth']>,
  model: string | undefined,
  { env, tiers }: Pick<ModelAccess, 'env' | 'tiers'>,
): string {
  if ('provider' in auth && auth.provider !== undefined) return auth.provider.toLowerCase();
  const named = model === undefined || model === 'default' ? environmentModel(env) : checkName(model);
  const name = tierModel(named ?? 'auto', tiers);
  return splitModel(name).prefix ?? familyOf(name) ?? 'anthropic';
}

interface Found {
  readonly provider: ConfiguredProvider;
  readonly credential: Credential;
}

/** Null if no provider has a key. @throws ConfigError if the model's own provider has none */
async function providerOfBareName(name: string, access: ModelAccess): Promise<Found | null> {
  const family = familyOf(name);
  if (family === null) return providerInOrder(access);
  const provider = await providerNamed(family, access);
  const credential = await credentialOf(provider, access);
  if (isUsable(provider, credential)) return { provider, credential };
  const first = await providerInOrder(access);
  // A gateway may serve models of everybody; the provider of another model does not.
  if (first !== null && addressOf(first.provider, access.env).isOwn) return first;
  throw noKey(name, provider);
}

/**
 * The provider if nobody named one: that of `auth`; then new ones of the user's own that have tiers, as they are written;
 * then the first of `PROVIDER_ORDER` with a key, in the environment or kept by `turnwright login`.
 */
async function providerInOrder(access: ModelAccess): Promise<Found | null> {
  const { auth, env } = access;
  if (auth?.type === 'apiKey' || auth?.type === 'apiKeyHelper') {
    const provider = await providerNamed(access.authProvider ?? 'anthropic', access);
    return { provider, credential: await credentialOf(provider, access) };
  }
  if (!hasOwnProviders(access) && ANTHROPIC.keyVariables.some((name) => setting(env, name) !== undefined)) {
    return { provider: ANTHROPIC, credential: await credentialOf(ANTHROPIC, access) };
  }
  const providers = await allProviders(access);
  const inOrder = PROVIDER_ORDER.flatMap((id) => providers.find((provider) => provider.id === id) ?? []);
  const own = providers.filter(
    (provider) => provider.isOwn && provider.tiers !== undefined && !inOrder.includes(provider),
  );
  for (const provider of [...own, ...inOrder]) {
    const credential = await credentialOf(provider, access);
    if (isUsable(provider, credential)) return { provider, credential };
  }
  return null;
}

function choose(
  provider: ConfiguredProvider,
  name: string,
  credential: Credential,
  { env, betas }: ModelAccess,
): RemoteChoice {
  if (!isUsable(provider, credential)) throw noKey(name, provider);
  const { id, api, quirks, free, limits } = provider;
  const asked = api === 'anthropic' && betas !== undefined ? { 'anthropic-beta': betas.join(',') } : {};
  const headers = { ...customHeaders(env, id), ...asked, ...provider.headers };
  return {
    api,
    provider: id,
    model: modelOf(provider, name),
    baseUrl: addressOf(provider, env).url,
    credential,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(quirks === undefined ? {} : { quirks }),
    ...(free === true ? { free } : {}),
    ...(limits === undefined ? {} : { limits }),
  };
}

/** What a tier or a short name means at a provider. @throws ConfigError if it has none */
function modelOf({ id, tiers }: ConfiguredProvider, name: string): string {
  const lower = name.toLowerCase();
  // Beside tiers the known ones have short names, such as `opus`.
  const model = tiers !== undefined && Object.hasOwn(tiers, lower) ? tiers[lower as ModelTier] : undefined;
  if (model !== undefined) return model;
  if (!isTier(lower)) return name;
  throw new ConfigError(`${id} has no default model for "${lower}". Name one: ${id}/MODEL.`);
}

/** `Name: value`, one a line. @throws ConfigError */
function customHeaders(env: Env, provider: string): Readonly<Record<string, string>> {
  const text = provider === 'anthropic' ? setting(env, 'ANTHROPIC_CUSTOM_HEADERS') : undefined;
  if (text === undefined) return {};
  return Object.fromEntries(
    text.split(/\r?\n/).flatMap((line) => {
      if (line.trim() === '') return [];
      const colon = line.indexOf(':');
      if (colon < 1) throw new ConfigError('ANTHROPIC_CUSTOM_HEADERS: each line must be a header, as "Name: value".');
      return [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
    }),
  );
}

function noKey(name: string, { id, displayName, keyVariables }: ConfiguredProvider): ConfigError {
  const set = keyVariables[0] === undefined ? '' : `Set ${keyVariables[0]}, run "turnwright login ${id}"`;
  return new ConfigError(
    `The model "${name}" needs a key for ${displayName} and none is set. ${set === '' ? `Run "turnwright login ${id}"` : set}, or use --model offline to try without one.`,
  );
}

function environmentModel(env: Env): string | null {
  const model = setting(env, 'TURNWRIGHT_MODEL') ?? setting(env, 'ANTHROPIC_MODEL');
  return model === undefined || model === 'default' ? null : checkName(model);
}

function tierModel(name: string, tiers: ModelTiers | undefined): string {
  const lower = name.toLowerCase();
  if (!isTier(lower)) return name;
  return tiers?.[lower] ?? lower;
}

/** Only the first slash divides: what follows is the name, with whatever slashes it has. */
function splitModel(model: string): { readonly prefix: string | null; readonly rest: string } {
  if (model.toLowerCase() === 'offline') return { prefix: 'offline', rest: 'offline' };
  const slash = model.indexOf('/');
  if (slash === -1) return { prefix: null, rest: model };
  const prefix = model.slice(0, slash).toLowerCase();
  const rest = model.slice(slash + 1);
  if (rest === '') throw new ConfigError(`"${model}" names no model. Write ${prefix}/NAME.`);
  return { prefix, rest };
}

function checkName(model: string): string {
  const name = model.trim();
  if (name === '') throw new ConfigError('The name of the model is empty. Leave it out to use the default.');
  if (name.length > 256 || /[\s\p{C}]/u.test(name)) {
    throw new ConfigError(
      'The name of the model holds spaces or control characters, or is longer than 256 characters.',
    );
  }
  return name;
}
