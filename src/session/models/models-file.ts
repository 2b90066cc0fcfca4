// What the user says of models in a file of their own. One rule: a file that cannot be read is an error, whatever it holds.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
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
