// The folders of other programs, as if they were ours: their settings of the user, their sessions and the functions over these,
// while keys, trust and what is known of models stay in ours.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import type { Options } from '../options/index.js';
import type { SessionFunctionOptions } from '../sessions/index.js';
import * as ours from '../sessions.js';

/** Where a published SDK keeps what is the user's. */
interface DialectFolder {
  readonly variable: string;
  /** In the home folder, if the variable is not set. */
  readonly name: string;
}

export const CLAUDE_FOLDER: DialectFolder = { variable: 'CLAUDE_CONFIG_DIR', name: '.claude' };
export const QODER_FOLDER: DialectFolder = { variable: 'QODER_CONFIG_DIR', name: '.qoder' };

type Env = Readonly<Record<string, string | undefined>>;

/** Variables that put sessions into that folder. Contract: who names a folder of sessions himself is not overruled. */
function sessionVariables({ variable, name }: DialectFolder, { platform }: Pick<Host, 'platform'>, env: Env): Env {
  if (env['TURNWRIGHT_SESSIONS_HOME']) return {};
  return { TURNWRIGHT_SESSIONS_HOME: env[variable] || path.join(platform.homedir, name) };
}

/** The machine with an environment of its own: `env` replaces the variables of the process. */
export function dialectHost(folder: DialectFolder, host: Host = createNodeHost(), env: Env = host.env): Host {
  return { ...host, env: { ...env, ...sessionVariables(folder, host, env) } };
}

/** Options that name a program of a published SDK, which knows no options but those of that SDK. */
export const PUBLISHED_PROGRAMS = ['pathToClaudeCodeExecutable', 'pathToQoderCLIExecutable'] as const;
const PROGRAMS = [
  ...PUBLISHED_PROGRAMS,
  ...(['spawnClaudeCodeProcess', 'spawnQoderCLIProcess', 'childProcess'] as const),
  ...(['executable', 'executableArgs', 'extraArgs'] as const),
] as const;

type Given = { readonly [Name in (typeof PROGRAMS)[number]]?: unknown } & {
  readonly host?: Host;
  readonly env?: Env;
  readonly trustFolder?: boolean;
};

/** True if what only we have beside the options of that SDK would reach nobody. */
export function runsPublishedProgram(options: Given): boolean {
  return PUBLISHED_PROGRAMS.some((name) => options[name] !== undefined);
}

/**
 * Where a session of a dialect runs: on a machine whose environment is `env`, or in a child process with it. Naming a source
 * of settings reads it; allow rules of a project that nobody trusted grant nothing all the same.
 */
export function dialectPlace(folder: DialectFolder, options: Given): Pick<Options, 'host' | 'env' | 'trustFolder'> {
  const { host, env, trustFolder = false } = options;
  const machine = dialectHost(folder, host ?? createNodeHost(), env);
  if (host !== undefined || !PROGRAMS.some((name) => options[name])) return { host: machine, trustFolder };
  // It is added to the environment of the process: what is not in it is taken away.
  const away = Object.fromEntries(Object.keys(createNodeHost().env).map((name) => [name, undefined]));
  const place = { env: { ...away, ...machine.env } as NonNullable<Options['env']> };
  return runsPublishedProgram(options) ? place : { ...place, trustFolder };
}

/** Each as `turnwright` has it; the sessions are those of the folder. */
export function sessionFunctions(folder: DialectFolder) {
  const there = <Given extends SessionFunctionOptions>(options: Given | undefined): Given => {
    const host = options?.host ?? createNodeHost();
    const env = { ...host.env, ...options?.env };
    return { ...(options as Given), host, env: { ...options?.env, ...sessionVariables(folder, host, env) } };
  };
  return {
    listSessions: ((options) => ours.listSessions(there(options))) satisfies typeof ours.listSessions,
    getSessionInfo: ((id, options) => ours.getSessionInfo(id, there(options))) satisfies typeof ours.getSessionInfo,
    getSessionMessages: ((id, options) =>
      ours.getSessionMessages(id, there(options))) satisfies typeof ours.getSessionMessages,
    listSubagents: ((id, options) => ours.listSubagents(id, there(options))) satisfies typeof ours.listSubagents,
    getSubagentMessages: ((id, agent, options) =>
      ours.getSubagentMessages(id, agent, there(options))) satisfies typeof ours.getSubagentMessages,
    renameSession: ((id, title, options) =>
      ours.renameSession(id, title, there(options))) satisfies typeof ours.renameSession,
    tagSession: ((id, tag, options) => ours.tagSession(id, tag, there(options))) satisfies typeof ours.tagSession,
    deleteSession: ((id, options) => ours.deleteSession(id, there(options))) satisfies typeof ours.deleteSession,
    archiveSession: ((id, options) => ours.archiveSession(id, there(options))) satisfies typeof ours.archiveSession,
    unarchiveSession: ((id, options) =>
      ours.unarchiveSession(id, there(options))) satisfies typeof ours.unarchiveSession,
    forkSession: ((id, options) => ours.forkSession(id, there(options))) satisfies typeof ours.forkSession,
    importSessionToStore: ((id, store, options) =>
      ours.importSessionToStore(id, store, there(options))) satisfies typeof ours.importSessionToStore,
  };
}
