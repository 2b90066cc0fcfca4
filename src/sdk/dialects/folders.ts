// The folders of other programs, as if they were ours: their settings of the user and their sessions, while keys, trust and
// what is known of models stay where ours are.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';

/** Where a published SDK keeps what is the user's. */
export interface DialectFolder {
  readonly variable: string;
  /** In the home folder, if the variable is not set. */
  readonly name: string;
}

export const CLAUDE_FOLDER: DialectFolder = { variable: 'CLAUDE_CONFIG_DIR', name: '.claude' };
export const QODER_FOLDER: DialectFolder = { variable: 'QODER_CONFIG_DIR', name: '.qoder' };

type Env = Readonly<Record<string, string | undefined>>;

/** Variables that put sessions into that folder. Contract: who names a folder of sessions himself is not overruled. */
export function sessionVariables(
  { variable, name }: DialectFolder,
  { platform }: Pick<Host, 'platform'>,
  env: Env,
): Env {
  if (env['TURNWRIGHT_SESSIONS_HOME']) return {};
  return { TURNWRIGHT_SESSIONS_HOME: env[variable] || path.join(platform.homedir, name) };
}

/** The machine with an environment of its own: `env` replaces the variables of the process. */
export function dialectHost(folder: DialectFolder, host: Host = createNodeHost(), env: Env = host.env): Host {
  return { ...host, env: { ...env, ...sessionVariables(folder, host, env) } };
}
