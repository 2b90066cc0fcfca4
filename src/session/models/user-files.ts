// Files of the user about models and the way to them: limits and prices of models, certificates that are accepted. One rule: a
// file that cannot be read is an error, whatever it holds.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { builtInAuthorities } from '../../providers/http/index.js';
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
