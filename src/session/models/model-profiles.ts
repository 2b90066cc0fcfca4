// What `turnwright models probe` found out of models and the user keeps: one file in the user's own folder. One rule: it
// only says how models behave, so nothing in it can be secret or lead anywhere.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { TOOL_CALL_PROFILES, type ToolCallProfile } from '../../providers/text-calls/index.js';
import { isRecord } from '../../util/json.js';
import { homeFolder } from '../store/index.js';

type Env = Readonly<Record<string, string | undefined>>;

/** What is kept of one model. Other fields are kept as they are, for people and programs that read the file. */
export interface KeptProfile {
  readonly toolCalls: ToolCallProfile;
  readonly [field: string]: unknown;
}

/** By `provider/model`. */
export type KeptProfiles = ReadonlyMap<string, KeptProfile>;

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
