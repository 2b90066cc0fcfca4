// The file with what is kept for the user: keys of models, credentials of MCP servers, and providers that a host has set
// up. One rule: a file that others can read is not used, no text shows what is in it, and what one part writes leaves the
// others as they are.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { McpCredentials, McpTokenStore } from '../../protocol/mcp.js';
import { PROVIDER_APIS, type ProviderApi, type ProviderOptions } from '../../protocol/model-options.js';
import { isRecord } from '../../util/json.js';
import { whileLocked } from '../settings/index.js';
import { homeFolder } from '../store/index.js';

type Env = Readonly<Record<string, string | undefined>>;

/** By the name of a part; what is unknown stays as it was. */
export type CredentialsContent = Readonly<Record<string, unknown>>;

const MODE = 0o600;
const OTHERS = 0o077;
const VERSION = 1;

/** The parts of the file. */
const KEYS = 'keys';
const TOKENS = 'mcp';
const BYOK = 'byok';

/** `credentials.json` in the user's own folder, which no project can name. */
export function credentialsFile(host: Pick<Host, 'env' | 'platform'>, env: Env): string {
  return path.join(homeFolder(host, env), 'credentials.json');
}

/**
 * Null if there is no file.
 * @throws ConfigError if others can read the file, or it is no JSON object
 */
export async function readCredentialsFile(
  host: Pick<Host, 'fs' | 'platform'>,
  file: string,
): Promise<CredentialsContent | null> {
  try {
    const { mode } = await host.fs.stat(file);
    if (host.platform.os !== 'win32' && (mode & OTHERS) !== 0) {
      throw new ConfigError(
        `The keys in ${file} can be read by others (mode ${mode.toString(8).padStart(3, '0')}), so they are not used. Run: chmod 600 ${file}`,
      );
    }
    return parse(new TextDecoder().decode(await host.fs.readFile(file)), file);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return null;
    if (isFileError(error))
      throw new ConfigError(`The keys in ${file} cannot be read: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Writes one part; an empty one goes, and the file with the last. @throws ConfigError */
export async function writeCredentialsPart(
  host: Pick<Host, 'fs' | 'platform'>,
  file: string,
  part: string,
  value: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { version: _, [part]: __, ...others } = (await readCredentialsFile(host, file)) ?? {};
  const parts = { ...others, ...(Object.keys(value).length === 0 ? {} : { [part]: value }) };
  try {
    await host.fs.mkdir(path.dirname(file), { mode: 0o700 });
    if (Object.keys(parts).length === 0) await removeFile(host, file);
    else {
      const text = JSON.stringify({ version: VERSION, ...parts }, null, 2);
      await host.fs.writeFileAtomic(file, `${text}\n`, { mode: MODE });
    }
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new ConfigError(`The keys in ${file} cannot be written: ${error.message}`, { cause: error });
  }
}

/** What is said of a file that holds something else. */
export function notOurs(file: string): ConfigError {
  return new ConfigError(`${file} is not what "turnwright login" writes. Remove it and log in again.`);
}

async function removeFile({ fs }: Pick<Host, 'fs'>, file: string): Promise<void> {
  try {
    await fs.removeEntry(file);
  } catch (error) {
    if (!isFileError(error, 'ENOENT')) throw error;
  }
}

function parse(text: string, file: string): CredentialsContent {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw notOurs(file); // what the parser says may show a part of a key
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw notOurs(file);
  return content as CredentialsContent;
}

/** The keys of models that `turnwright login` keeps, by provider. */
type StoredKeys = ReadonlyMap<string, string>;

/**
 * None if there is no file.
 * @throws ConfigError if others can read the file, or it is not what `login` writes
 */
export async function readStoredKeys(host: Pick<Host, 'fs' | 'platform'>, file: string): Promise<StoredKeys> {
  const content = await readCredentialsFile(host, file);
  if (content === null) return new Map();
  const isOther = [TOKENS, BYOK].some((part) => Object.hasOwn(content, part));
  const keys = content[KEYS] ?? (isOther ? {} : null);
  if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) throw notOurs(file);
  const entries = Object.entries(keys);
  if (entries.some(([, key]) => typeof key !== 'string' || key === '')) throw notOurs(file);
  return new Map(entries as [string, string][]);
}

/** Keeps a key, or with null no longer. The other keys stay. */
export async function writeStoredKey(
  host: Pick<Host, 'fs' | 'platform'>,
  file: string,
  provider: string,
  key: string | null,
): Promise<void> {
  const keys = new Map(await readStoredKeys(host, file));
  if (key === null) keys.delete(provider);
  else keys.set(provider, key);
  await writeCredentialsPart(host, file, KEYS, Object.fromEntries([...keys].sort()));
}

/**
 * The credentials of MCP servers. Of all processes one at a time writes the file, and one at a time refreshes what is kept
 * of a server, so that no refresh token is used twice.
 * @throws ConfigError with each call if the file cannot be used
 */
export function storedTokens(host: Host, env: Host['env']): McpTokenStore {
  const file = credentialsFile(host, env);
  const all = async (): Promise<Readonly<Record<string, unknown>>> => {
    const found = (await readCredentialsFile(host, file))?.[TOKENS] ?? {};
    if (!isRecord(found)) throw notOurs(file);
    return found;
  };
  const write = async (server: string, credentials: McpCredentials | null): Promise<void> => {
    const { [server]: _, ...others } = await all();
    await writeCredentialsPart(
      host,
      file,
      TOKENS,
      credentials === null ? others : { ...others, [server]: credentials },
    );
  };
  return {
    async read(server) {
      const found = (await all())[server];
      return isCredentials(found) ? found : null;
    },
    write: (server, credentials) => whileLocked(host, file, () => write(server, credentials)),
    async exclusive(server, work) {
      const hash = await host.sha256(new TextEncoder().encode(server));
      return whileLocked(host, `${file}.${hash.slice(0, 16)}`, work);
    },
  };
}

function isCredentials(value: unknown): value is McpCredentials {
  if (!isRecord(value)) return false;
  return [value['issuer'], value['tokenEndpoint'], value['clientId']].every((text) => typeof text === 'string');
}

// Providers and models with keys of the user's own that a host has set up by controls. One rule: no answer shows a key, and
// what cannot be used is passed over, never fatal.

export interface KeptModel {
  readonly id: string;
  readonly displayName?: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly vision?: boolean;
  readonly reasoning?: boolean;
}

/** What was set up under one name. */
export interface KeptProvider {
  /** `model`: one model of a known provider, with a key of its own. `provider`: a server. */
  readonly kind: 'model' | 'provider';
  readonly displayName: string;
  readonly api: ProviderApi;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly authType: 'bearer' | 'api-key';
  /** The known provider that it is a model of. */
  readonly of?: string;
  readonly providerType?: string;
  readonly reasoningEffort?: string;
  readonly models: readonly KeptModel[];
}

export type KeptProviders = ReadonlyMap<string, KeptProvider>;

/** @throws ConfigError if others can read the file, or it is none of ours */
export async function readKeptProviders(host: Host, env: Host['env']): Promise<KeptProviders> {
  const content = await readCredentialsFile(host, credentialsFile(host, env));
  const part = content?.[BYOK];
  if (!isRecord(part)) return new Map();
  return new Map(Object.entries(part).flatMap(([id, value]) => (isKept(value) ? [[id, value] as const] : [])));
}

/** @throws ConfigError if the file cannot be written */
export async function writeKeptProviders(host: Host, env: Host['env'], kept: KeptProviders): Promise<void> {
  await writeCredentialsPart(host, credentialsFile(host, env), BYOK, Object.fromEntries([...kept].sort()));
}

/** As the option `providers` would describe it. */
export function describedProvider(kept: KeptProvider): ProviderOptions {
  const { displayName, api, baseUrl, apiKey, authType, models } = kept;
  const [first] = models;
  const isUsual = (api === 'anthropic') === (authType === 'api-key');
  const header = authType === 'bearer' ? { authorization: `Bearer ${apiKey}` } : { 'api-key': apiKey };
  return {
    displayName,
    api,
    baseUrl,
    apiKey,
    ...(isUsual ? {} : { headers: header }),
    ...(first === undefined ? {} : { tiers: { auto: first.id } }),
  };
}

function isKept(value: unknown): value is KeptProvider {
  if (!isRecord(value)) return false;
  const { kind, displayName, api, baseUrl, apiKey, authType, models } = value;
  return (
    (kind === 'model' || kind === 'provider') &&
    [displayName, baseUrl, apiKey].every((each) => typeof each === 'string' && each !== '') &&
    PROVIDER_APIS.some((each) => each === api) &&
    (authType === 'bearer' || authType === 'api-key') &&
    Array.isArray(models) &&
    models.every((model) => isRecord(model) && typeof model['id'] === 'string')
  );
}
