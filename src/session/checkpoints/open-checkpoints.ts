// Whether a session has file checkpoints, and where. What makes them is loaded only for those that do.
import path from 'node:path';
import type { LoopDeps } from '../../engine/state/index.js';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { logTo, type QueryEngineConfig } from '../config/index.js';
import { checkSessionId, projectFolder, refuseLinks, sessionsHome } from '../store/index.js';
import type { Checkpoints } from './checkpoints.js';

/** Null for a session without. @param door loads what makes them. @throws ConfigError if they have no place */
export async function openCheckpoints(
  config: QueryEngineConfig,
  host: Host,
  sessionId: string,
  door: () => Promise<typeof import('./checkpoints.js')>,
): Promise<Checkpoints | null> {
  const { enableFileCheckpointing: wanted = false } = config;
  if (typeof wanted !== 'boolean')
    throw new ConfigError(`enableFileCheckpointing is ${JSON.stringify(wanted)}. It is true or false.`);
  const isOn = wanted;
  if (config.persistSession === false) {
    if (isOn) throw new ConfigError(NO_PLACE);
    return null;
  }
  // Only a session that is resumed may have some from before.
  if (!isOn && config.resumedFrom == null) return null;
  const home = sessionsHome(host, { ...host.env, ...config.env });
  const ownFolder = path.join(await projectFolder(host, home, config.cwd), checkSessionId(sessionId));
  const folder = path.join(ownFolder, 'checkpoints');
  await refuseLinks(host, ownFolder);
  if (isOn) {
    const { createCheckpoints } = await door();
    const roots = config.permissions?.roots ?? [config.cwd, ...(config.additionalDirectories ?? [])];
    const log: LoopDeps['log'] = (event, detail) => logTo(config, event, detail);
    return createCheckpoints({ host, folder, roots, home, log });
  }
  if (await isThere(host, folder)) {
    const { markPause } = await door();
    await markPause(host, folder);
  }
  return null;
}

export const NO_PLACE =
  'enableFileCheckpointing needs a session that is kept on disk, for that is where the former content of files goes. Leave persistSession out.';

async function isThere({ fs }: Host, folder: string): Promise<boolean> {
  try {
    return (await fs.lstat(folder)).kind === 'directory';
  } catch (error) {
    if (isFileError(error)) return false;
    throw error;
  }
}
