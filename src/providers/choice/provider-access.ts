// Which providers there are, what is known of one, and which key each gets. Of those in the table only Anthropic stands here:
// most sessions need no other. One rule: a key goes to the provider it is for, at the address that its user set, and nowhere
// else. Nothing here comes from the files of a project.

import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type {
  AuthOptions,
  ChatQuirks,
  FetchToken,
  ModelTiers,
  ProviderApi,
  ProviderKeyOptions,
  ProviderOptions,
  SecretInput,
} from '../../protocol/model-options.js';
import type { AiSdkLanguageModel } from '../ai-sdk/index.js';
import type { ProviderLimits } from '../contract/index.js';
import { DOORS } from '../doors.js';
import { KEY_VARIABLES, type Secrets } from '../keys/index.js';
import { MODEL_ALIASES } from '../models/index.js';

export interface KnownProvider {
  /** What stands before the slash in `provider/model`. */
  readonly id: string;
  /** Other names for it there. */
  readonly aliases?: readonly string[];
  readonly displayName: string;
  readonly api: ProviderApi;
  readonly baseUrl: string;
  readonly baseUrlVariable?: string;
  /** The address that the user gives in another way: asked for if `baseUrlVariable` is not set. */
  readonly addressOf?: (env: Readonly<Record<string, string | undefined>>) => string | undefined;
  /** The first that is set counts. */
  readonly keyVariables: readonly string[];
  readonly needsKey: boolean;
  /** The page on which people get a key. */
  readonly keyUrl?: string;
  /** Absent: its models must be named. */
  readonly tiers?: ModelTiers;
  readonly quirks?: ChatQuirks;
  readonly headers?: Readonly<Record<string, string>>;
  /** True: requests cost nothing. */
  readonly free?: boolean;
  /** In place of those of the session. */
  readonly limits?: ProviderLimits;
}

/** A known provider, or the user's own. */
export interface ConfiguredProvider extends KnownProvider {
  /** True if a user wrote about it. */
  readonly isOwn: boolean;
  /** True if the address is the user's, by an option. A variable is looked at later. */
  readonly hasOwnAddress: boolean;
  /** Addresses at which its server lists models, and tells what the account has used; absolute. */
  readonly modelsUrl?: string;
  readonly usageUrl?: string;
  /** A key that was written down with it. */
  readonly apiKey?: string;
}

export const ANTHROPIC: ConfiguredProvider = {
  id: 'anthropic',
  displayName: 'Anthropic',
  api: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  keyVariables: KEY_VARIABLES.anthropic,
  needsKey: true,
  keyUrl: 'https://platform.claude.com/settings/keys',
  tiers: Object.fromEntries(MODEL_ALIASES),
  isOwn: false,
  hasOwnAddress: false,
};

type Env = Host['env'];
export type ModelObjects = ReadonlyMap<string, AiSdkLanguageModel>;

/** What decides which models can be reached. All of it is the host's or the user's; nothing comes from a project. */
export interface ModelAccess {
  readonly env: Env;
  readonly auth?: AuthOptions | ProviderKeyOptions | undefined;
  /** The provider that `auth` is for. */
  readonly authProvider?: string | undefined;
  /** The option `providers`, unread. */
  readonly providers?: unknown;
  readonly tiers?: ModelTiers | undefined;
  /** Features that the API of Anthropic is asked for. */
  readonly betas?: readonly string[] | undefined;
  /** Model objects of the host's own, by the names that stand for them. */
  readonly objects?: ModelObjects | undefined;
  /** Keys kept by `turnwright login`, by provider. @throws ConfigError if they cannot be used */
  readonly storedKeys: () => Promise<ReadonlyMap<string, string>>;
  /** Providers that a host has set up for the user, as the option `providers` would describe them. Does not throw. */
  readonly keptProviders?: () => Promise<Readonly<Record<string, ProviderOptions>>>;
  readonly secrets: Secrets;
}

/** How a provider gets its key. */
export type Credential =
  | { readonly kind: 'key'; readonly key: string; readonly source: 'user' | 'temporary' }
  | { readonly kind: 'token'; readonly key: string; readonly source: 'user' | 'temporary' }
  | { readonly kind: 'helper'; readonly command: string; readonly ttlMs?: number; readonly source: 'user' }
  | { readonly kind: 'fetched'; readonly fetchToken: FetchToken; readonly source: 'temporary' }
  | { readonly kind: 'none'; readonly source: 'none' };

const NO_CREDENTIAL: Credential = { kind: 'none', source: 'none' };

/** Every provider that can be named. Contract: variables and keys that users named are known to `access.secrets` then. */
export async function allProviders(access: ModelAccess): Promise<readonly ConfiguredProvider[]> {
  const { env, providers, secrets, keptProviders } = access;
  const [{ configureProviders }, kept] = await Promise.all([DOORS.choice(), keptProviders?.() ?? {}]);
  const described = providers ?? (await providersOfVariable(env));
  const known = configureProviders(described, providers === undefined ? 'TURNWRIGHT_PROVIDERS' : 'providers');
  const all = Object.keys(kept).length === 0 ? known : withKept(known, configureProviders(kept, 'byok'));
  for (const { isOwn, id, keyVariables, apiKey, headers } of all) {
    if (!isOwn) continue;
    for (const name of keyVariables) secrets.addVariable(name);
    if (apiKey !== undefined) secrets.addValue(apiKey, `key of ${id}`);
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (/auth|key|token|secret|cookie/i.test(name)) secrets.addValue(value, `header of ${id}`);
    }
  }
  return all;
}

/** What options and variables describe stands before what was set up once. */
function withKept(
  known: readonly ConfiguredProvider[],
  kept: readonly ConfiguredProvider[],
): readonly ConfiguredProvider[] {
  return [...known, ...kept.filter(({ id, isOwn }) => isOwn && known.every((other) => other.id !== id))];
}

/** True if the user described providers: then the table of all of them decides. */
export function hasOwnProviders({ env, providers }: ModelAccess): boolean {
  return providers !== undefined || setting(env, 'TURNWRIGHT_PROVIDERS') !== undefined;
}

async function providersOfVariable(env: Env): Promise<unknown> {
  const text = setting(env, 'TURNWRIGHT_PROVIDERS');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(
      'TURNWRIGHT_PROVIDERS is not JSON. Write it as the option: {"name":{"baseUrl":"https://…"}}.',
    );
  }
}

/** @throws ConfigError if there is none of that name */
export async function providerNamed(prefix: string, access: ModelAccess): Promise<ConfiguredProvider> {
  if (prefix === 'anthropic' && !hasOwnProviders(access)) return ANTHROPIC;
  const providers = await allProviders(access);
  const { findProvider } = await DOORS.choice();
  const found = findProvider(prefix, providers);
  if (found !== null) return found;
  const known = providers.map(({ id }) => id).join(', ');
  throw new ConfigError(
    `There is no provider "${prefix}". Known ones: ${known}, offline. Others go into the option providers.`,
  );
}

/** In order: `auth`, what is written down with the provider, its variables, what `turnwright login` keeps. */
export async function credentialOf(provider: ConfiguredProvider, access: ModelAccess): Promise<Credential> {
  const { env, secrets } = access;
  const given = await givenCredential(provider, access);
  if (given !== null) return given;
  if (provider.apiKey !== undefined) return { kind: 'key', key: provider.apiKey, source: 'user' };
  const variable = provider.keyVariables.find((name) => setting(env, name) !== undefined);
  if (variable !== undefined) {
    const key = setting(env, variable) ?? '';
    return { kind: variable === 'ANTHROPIC_AUTH_TOKEN' ? 'token' : 'key', key, source: 'user' };
  }
  const stored = (await access.storedKeys()).get(provider.id);
  if (stored === undefined) return NO_CREDENTIAL;
  secrets.addValue(stored, `key of ${provider.id}`);
  return { kind: 'key', key: stored, source: 'user' };
}

/** What the option `auth` says of a provider; null if it says nothing. */
async function givenCredential(provider: ConfiguredProvider, access: ModelAccess): Promise<Credential | null> {
  const { auth, env, secrets } = access;
  if (auth === undefined || auth.type === 'qodercli') return null;
  if ((await providerNamed(access.authProvider ?? 'anthropic', access)).id !== provider.id) return null;
  if (auth.type === 'accessToken') {
    // It belongs to a server that the user knows, not to whoever answers at a provider's usual address.
    if (!addressOf(provider, env).isOwn) return null;
    const key = secretOf(auth.accessToken, 'auth.accessToken', access);
    secrets.addValue(key, 'access token');
    return { kind: 'token', key, source: 'temporary' };
  }
  if (auth.type === 'tokenProvider') {
    if (!addressOf(provider, env).isOwn) return null;
    return { kind: 'fetched', fetchToken: auth.fetchToken, source: 'temporary' };
  }
  if (auth.type === 'apiKeyHelper') {
    const { command, ttlMs } = auth;
    return { kind: 'helper', command, ...(ttlMs === undefined ? {} : { ttlMs }), source: 'user' };
  }
  const key = secretOf(auth.apiKey, 'auth.apiKey', access);
  secrets.addValue(key, `key of ${provider.id}`);
  return { kind: 'key', key, source: 'temporary' };
}

function secretOf(input: SecretInput, where: string, { env, secrets }: ModelAccess): string {
  if (typeof input === 'string') return input.trim();
  secrets.addVariable(input.envVar);
  const value = setting(env, input.envVar);
  if (value !== undefined) return value;
  throw new ConfigError(`${where} names the variable ${input.envVar}, and that is not set.`);
}

export function isUsable({ needsKey }: ConfiguredProvider, { kind }: Credential): boolean {
  return !needsKey || kind !== 'none';
}

/** The address that requests go to. `isOwn`: a variable or an option says so. */
export function addressOf(provider: ConfiguredProvider, env: Env): { readonly url: string; readonly isOwn: boolean } {
  const { baseUrlVariable, addressOf: other } = provider;
  const url = (baseUrlVariable === undefined ? undefined : setting(env, baseUrlVariable)) ?? other?.(env);
  return url === undefined ? { url: provider.baseUrl, isOwn: provider.hasOwnAddress } : { url, isOwn: true };
}

/** A variable without surrounding spaces; undefined if it is not set or empty. */
export function setting(env: Env, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
