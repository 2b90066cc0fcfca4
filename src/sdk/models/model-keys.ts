// The keys of providers: which there are, and keeping them. What `turnwright login` and `auth` do; no value is ever shown.

import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import {
  addressOf,
  allProviders,
  type ConfiguredProvider,
  chooseIfKeyed,
  findProvider,
  type ModelAccess,
  NO_KEY,
  setting,
} from '../../providers/choice/index.js';
import { credentialsFile, openModelAccess, readStoredKeys, writeStoredKey } from '../../session/models/index.js';
import { errorText } from '../../util/text.js';
import { withSettings } from '../settings/index.js';

export interface ProviderKeyStatus {
  readonly provider: string;
  readonly displayName: string;
  /** Where its key comes from. `none` with `needsKey: false`: it works without. */
  readonly source: 'environment' | 'login' | 'configuration' | 'none';
  /** The variable that holds it, if it is `environment`. */
  readonly variable: string | null;
  readonly needsKey: boolean;
  /** The address of requests. */
  readonly baseUrl: string;
}

export interface KeyStatus {
  /** The file in which `login` keeps keys. */
  readonly file: string;
  /** Why the keys in it are not used: others can read the file, for instance; null if nothing is wrong with it. */
  readonly problem: string | null;
  /** What answers in this folder if no model is named; null if nothing does. */
  readonly chosen: { readonly provider: string; readonly model: string } | null;
  /** Why nothing answers; null if something does. */
  readonly whyNone: string | null;
  /** True if nobody names a model, and there is no key for any. */
  readonly lacksKey: boolean;
  readonly providers: readonly ProviderKeyStatus[];
}

/** @throws ConfigError if keys or providers cannot be used */
export async function keyStatus(host: Host): Promise<KeyStatus> {
  const { options } = await withSettings({}, host);
  const { auth, modelTiers, model: named } = options;
  const env = { ...host.env, ...options.env };
  const given = { ...(auth === undefined ? {} : { auth }), ...(modelTiers === undefined ? {} : { modelTiers }) };
  const opened = openModelAccess(host, env, given, named);
  const { stored, problem } = await opened.storedKeys().then(
    (keys) => ({ stored: keys, problem: null }),
    (error: unknown) => ({ stored: new Map<string, string>(), problem: errorText(error) }),
  );
  // Keys of variables, and what answers with them, do not hang on that file.
  const access = { ...opened, storedKeys: async () => stored };
  const providers = await allProviders(access);
  return {
    file: credentialsFile(host, env),
    problem,
    ...(await answering(named, access)),
    providers: providers.map((each) => statusOf(each, env, stored)),
  };
}

/** A model that is named and cannot be had is part of the answer. */
async function answering(
  named: string | undefined,
  access: ModelAccess,
): Promise<Pick<KeyStatus, 'chosen' | 'whyNone' | 'lacksKey'>> {
  try {
    const choice = await chooseIfKeyed(named, access);
    if (choice === null) return { chosen: null, whyNone: NO_KEY, lacksKey: true };
    return { chosen: { provider: choice.provider, model: choice.model }, whyNone: null, lacksKey: false };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { chosen: null, whyNone: error.message, lacksKey: false };
  }
}

function statusOf(
  provider: ConfiguredProvider,
  env: Host['env'],
  stored: ReadonlyMap<string, string>,
): ProviderKeyStatus {
  const { id, displayName, needsKey, keyVariables } = provider;
  const variable = keyVariables.find((name) => setting(env, name) !== undefined) ?? null;
  const isWritten = provider.apiKey !== undefined;
  const source = isWritten ? 'configuration' : variable !== null ? 'environment' : stored.has(id) ? 'login' : 'none';
  return {
    provider: id,
    displayName,
    source,
    variable: source === 'environment' ? variable : null,
    needsKey,
    baseUrl: addressOf(provider, env).url,
  };
}

/** A provider that a key can be kept for. @throws ConfigError if there is none of that name */
export async function keyedProvider(
  name: string,
  host: Host,
): Promise<{ readonly id: string; readonly displayName: string; readonly keyUrl: string | null }> {
  const providers = await allProviders(openModelAccess(host, host.env, {}, undefined));
  const found = findProvider(name, providers);
  if (found !== null) return { id: found.id, displayName: found.displayName, keyUrl: found.keyUrl ?? null };
  throw new ConfigError(
    `There is no provider "${name.slice(0, 60)}". Known ones: ${providers.map(({ id }) => id).join(', ')}.`,
  );
}

/** Keeps the key of a provider in the user's own file. @returns that file. @throws ConfigError */
export async function saveKey(provider: string, key: string, host: Host): Promise<string> {
  const file = credentialsFile(host, host.env);
  const word = key.trim();
  if (word === '') throw new ConfigError('The key is empty. Nothing was kept.');
  if (/[^\x21-\x7e]/.test(word)) {
    throw new ConfigError('That is not a key: it has spaces, line breaks or other characters. Nothing was kept.');
  }
  await writeStoredKey(host, file, provider, word);
  return file;
}

/** Forgets the key of a provider. @returns false if none was kept. @throws ConfigError */
export async function removeKey(provider: string, host: Host): Promise<boolean> {
  const file = credentialsFile(host, host.env);
  if (!(await readStoredKeys(host, file)).has(provider)) return false;
  await writeStoredKey(host, file, provider, null);
  return true;
}
