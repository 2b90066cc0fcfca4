// Files of the user about models and the way to them: limits and prices, how models call tools as `turnwright models probe` found it,
// certificates that are accepted. One rule: a file that cannot be read is an error, whatever it holds.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { builtInAuthorities } from '../../providers/http/index.js';
import { TOOL_CALL_PROFILES, type ToolCallProfile } from '../../providers/text-calls/index.js';
import { isRecord } from '../../util/json.js';
import type { ModelOptions } from '../config/index.js';
import { homeFolder } from '../store/index.js';

/**
 * What the user says of models in a file, `{ "provider/model": { contextWindow, maxOutputTokens, price } }`; undefined
 * if there is none. @throws ConfigError
 */
export async function readModelsFile(
  host: Host,
  env: Host['env'],
  { modelsFile }: ModelOptions,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const named = modelsFile ?? (env.TURNWRIGHT_MODELS_FILE?.trim() || undefined);
  if (named === undefined) return undefined;
  const file = path.resolve(homeFolder(host, env), named);
  try {
    const content: unknown = JSON.parse(new TextDecoder().decode(await host.fs.readFile(file)));
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
      return content as Readonly<Record<string, unknown>>;
    }
  } catch (error) {
    if (isFileError(error))
      throw new ConfigError(`The file of models ${file} cannot be read: ${error.message}`, { cause: error });
    throw new ConfigError(`The file of models ${file} is not JSON.`, { cause: error });
  }
  throw new ConfigError(`The file of models ${file} must hold an object: { "provider/model": { … } }.`);
}

// Authorities whose certificates are accepted.

type Env = Readonly<Record<string, string | undefined>>;

/**
 * SSL_CERT_FILE takes the place of the authorities that come with the runtime; NODE_EXTRA_CA_CERTS and the option come to
 * them. Null if nothing is said.
 */
export async function readAuthorities(
  host: Host,
  env: Env,
  caFile: string | undefined,
): Promise<readonly string[] | null> {
  const base = env.SSL_CERT_FILE?.trim() || null;
  const more = [env.NODE_EXTRA_CA_CERTS?.trim(), caFile].filter(
    (file) => file !== undefined && file !== '',
  ) as string[];
  if (base === null && more.length === 0) return null;
  const files = await Promise.all([...(base === null ? [] : [base]), ...more].map((file) => readPem(host, file)));
  if (base !== null) return files;
  return [...builtInAuthorities(), ...files];
}

async function readPem(host: Host, file: string): Promise<string> {
  const absolute = path.resolve(host.platform.cwd, file);
  try {
    const text = new TextDecoder().decode(await host.fs.readFile(absolute));
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new ConfigError(`The file of authorities ${absolute} cannot be read: ${error.message}`, { cause: error });
  }
  throw new ConfigError(`The file of authorities ${absolute} holds no certificate in PEM form.`);
}

/** What is kept of one model. Other fields are kept as they are, for people and programs that read the file. */
interface KeptProfile {
  readonly toolCalls: ToolCallProfile;
  readonly [field: string]: unknown;
}

/** By `provider/model`. */
type KeptProfiles = ReadonlyMap<string, KeptProfile>;

const VERSION = 1;

function modelProfilesFile(host: Pick<Host, 'env' | 'platform'>, env: Env): string {
  return path.join(homeFolder(host, env), 'model-profiles.json');
}

/** None if there is no file. @throws ConfigError if it cannot be read, or is not what `probe --keep` writes */
export async function readModelProfiles(host: Pick<Host, 'env' | 'fs' | 'platform'>, env: Env): Promise<KeptProfiles> {
  const file = modelProfilesFile(host, env);
  try {
    return parseProfiles(new TextDecoder().decode(await host.fs.readFile(file)), file);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return new Map();
    if (!isFileError(error)) throw error;
    throw new ConfigError(`The profiles in ${file} cannot be read: ${error.message}`, { cause: error });
  }
}

/** Keeps a profile. Those of other models stay. @returns the file */
export async function keepModelProfile(
  host: Pick<Host, 'env' | 'fs' | 'platform'>,
  env: Env,
  model: string,
  profile: KeptProfile,
): Promise<string> {
  const file = modelProfilesFile(host, env);
  const models = new Map(await readModelProfiles(host, env)).set(model, profile);
  const text = JSON.stringify({ version: VERSION, models: Object.fromEntries([...models].sort()) }, null, 2);
  try {
    await host.fs.mkdir(path.dirname(file), { mode: 0o700 });
    await host.fs.writeFileAtomic(file, `${text}\n`, { mode: 0o600 });
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new ConfigError(`The profiles in ${file} cannot be written: ${error.message}`, { cause: error });
  }
  return file;
}

/** How the models of a provider call tools, by the model's own name. */
export function toolCallsOf(kept: KeptProfiles, provider: string): Readonly<Record<string, ToolCallProfile>> {
  const prefix = `${provider}/`;
  const found = [...kept].filter(([model]) => model.startsWith(prefix));
  return Object.fromEntries(found.map(([model, { toolCalls }]) => [model.slice(prefix.length), toolCalls]));
}

function parseProfiles(text: string, file: string): KeptProfiles {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    content = null; // told below
  }
  const models = isRecord(content) && content['version'] === VERSION ? content['models'] : null;
  const entries = isRecord(models) ? Object.entries(models) : null;
  if (entries?.every(([, profile]) => isProfile(profile))) return new Map(entries as [string, KeptProfile][]);
  throw new ConfigError(`${file} is not what "turnwright models probe --keep" writes. Remove it and probe again.`);
}

function isProfile(value: unknown): value is KeptProfile {
  return isRecord(value) && TOOL_CALL_PROFILES.some((profile) => profile === value['toolCalls']);
}
