// What of a command line is looked up before a session begins: a system prompt and servers in files, and ids as people write
// them, by their first characters. One rule: an id that more than one thing has is no id.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type { QueryOptions } from '../../protocol/query-options.generated.js';
import { findSessionIds } from '../../sdk/sessions/index.js';
import { getSessionMessages, listSessions } from '../../sdk/sessions.js';
import type { CliIo } from '../cli-io.js';
import { DOORS } from '../doors.js';
import type { CliArgs } from './args.js';

/** Fewer characters of an id are too easily a slip. */
const LEAST_PREFIX = 4;
/** Whatever a part of an id may be. */
const PREFIX = /^[0-9a-f][0-9a-f-]{0,35}$/i;
const WHOLE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MAX_SHOWN = 60;
const MAX_LISTED = 5;

interface Where {
  readonly dir?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * The options with what their flags only name: the system prompt of a file, servers of files, whole ids of sessions.
 * @throws ConfigError, SessionError
 */
export async function completeOptions(
  { options, systemPromptFile, appendSystemPrompt, mcpConfigs }: CliArgs,
  { env, startedIn }: Pick<CliIo, 'env' | 'startedIn'>,
): Promise<CliArgs['options']> {
  const text = systemPromptFile === undefined ? undefined : await readPromptFile(systemPromptFile, startedIn());
  const systemPrompt = appendSystemPrompt === undefined || text === undefined ? text : [text, appendSystemPrompt];
  const mcpServers = mcpConfigs.length === 0 ? undefined : await readServers(mcpConfigs, startedIn(), env);
  return withWholeIds({
    ...options,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(mcpServers === undefined ? {} : { mcpServers }),
  });
}

/** What reads them is loaded if there are some: commands that only look up an id need none. @throws ConfigError */
async function readServers(sources: readonly string[], folder: string, env: CliIo['env']) {
  const { readMcpConfigs } = await DOORS.mcpConfig();
  return readMcpConfigs(createNodeHost(), sources, { folder, env });
}

/** @throws ConfigError if it cannot be read */
async function readPromptFile(file: string, startedIn: string): Promise<string> {
  const path = resolve(startedIn, file);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ConfigError(`--system-prompt-file ${path} cannot be read (${code}).`, { cause: error });
  }
}

export function isWholeId(given: string): boolean {
  return WHOLE_ID.test(given);
}

/** The whole id of a session. @throws ConfigError, SessionError */
export async function sessionIdOf(given: string, where: Where): Promise<string> {
  if (!PREFIX.test(given))
    throw new ConfigError(`"${given.slice(0, MAX_SHOWN)}" is not the id of a session, nor the beginning of one.`);
  if (given.length < LEAST_PREFIX)
    throw new ConfigError(`"${given}" is too short: give ${LEAST_PREFIX} characters of the id.`);
  const found = await findSessionIds(given, where);
  if (found.length > 0) return onlyOne(given, found, 'sessions');
  const place = where.dir === undefined ? '' : ` of ${where.dir}`;
  throw new SessionError('session_not_found', `There is no session${place} whose id begins with ${given}.`);
}

/** The whole id of a message of a session. @throws ConfigError, SessionError */
export async function messageIdOf(given: string, sessionId: string, where: Where): Promise<string> {
  if (isWholeId(given)) return given;
  const messages = await getSessionMessages(sessionId, where);
  const found = messages.map(({ uuid }) => uuid).filter((uuid) => uuid.toLowerCase().startsWith(given.toLowerCase()));
  if (given.length >= LEAST_PREFIX && found.length > 0) return onlyOne(given, [...new Set(found)], 'messages');
  throw new ConfigError(
    `there is no message whose id begins with "${given.slice(0, MAX_SHOWN)}" in session ${sessionId}. "turnwright sessions show ${sessionId.slice(0, 8)} --json" tells the ids.`,
  );
}

/**
 * The options of a run with whole ids in place of their beginnings. What is no beginning of one stays as it is: the session
 * says what is wrong with it. @throws ConfigError, SessionError
 */
async function withWholeIds(options: QueryOptions): Promise<QueryOptions> {
  const { resume, resumeSessionAt: at, resumeDropsTurn: drops, cwd, env } = options;
  const where = { ...(cwd === undefined ? {} : { dir: cwd }), ...(env === undefined ? {} : { env }) };
  const isPart = resume !== undefined && resume.length >= LEAST_PREFIX && PREFIX.test(resume) && !isWholeId(resume);
  const session = isPart ? await partOf(resume, where) : resume;
  const parts = [at, drops].filter((id) => id !== undefined && !isWholeId(id));
  const owner = parts.length === 0 ? undefined : (session ?? (await newest(where)));
  const whole = async (id: string) => (owner === undefined ? id : messageIdOf(id, owner, where));
  return {
    ...options,
    ...(session === undefined ? {} : { resume: session }),
    ...(at === undefined ? {} : { resumeSessionAt: await whole(at) }),
    ...(drops === undefined ? {} : { resumeDropsTurn: await whole(drops) }),
  };
}

/** Of this folder first; of another, so that it can be said where it is. */
async function partOf(given: string, where: Where): Promise<string> {
  const here = await findSessionIds(given, where);
  if (here.length > 0) return onlyOne(given, here, 'sessions');
  const { dir: _, ...anywhere } = where;
  const all = await findSessionIds(given, anywhere);
  if (all.length > 0) return onlyOne(given, all, 'sessions');
  throw new SessionError(
    'session_not_found',
    `There is no session whose id begins with ${given}. "turnwright sessions list --all" lists them.`,
  );
}

/** What `--continue` goes on with. */
async function newest(where: Where): Promise<string | undefined> {
  return (await listSessions({ ...where, limit: 1, includeWorktrees: false }))[0]?.sessionId;
}

function onlyOne(given: string, found: readonly string[], what: string): string {
  const [first = given, ...others] = found;
  if (others.length === 0) return first;
  const some = found.slice(0, MAX_LISTED).join(', ');
  throw new ConfigError(`${found.length} ${what} have ids that begin with ${given}: ${some}. Give more of it.`);
}
