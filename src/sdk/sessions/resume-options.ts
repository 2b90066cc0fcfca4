// Which session a query goes on with: the options that name one, what they mean together, and what they cannot mean.

import { type Host, isFileError, type ProcessIdentity } from '../../host/host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import type { PendingNotice, QueryEngineConfig } from '../../session/config/index.js';
import {
  checkSessionId,
  folderOfSession,
  holdsConversation,
  latestSession,
  placeIn,
  projectFolder,
  type ResumedSession,
  type ResumeWishes,
  refuseLinks,
  resumeFound,
  type SessionPlace,
  type StoredSession,
  sessionInUse,
  sessionOwner,
  sessionsHome,
} from '../../session/store/index.js';
import { DOORS } from '../features.js';
import type { Options } from '../options/index.js';
import { wholeId } from './list-sessions.js';
import type { StoreLookup } from './resume-stored.js';
import { checkStore } from './session-options.js';

export interface SessionStart {
  readonly config: Pick<
    QueryEngineConfig,
    'sessionId' | 'resumedFrom' | 'initialMessages' | 'resumedState' | 'resumedReplies' | 'cannotStart'
  >;
  readonly notices: readonly PendingNotice[];
}

/** The places in which sessions are looked for. */
interface Place {
  readonly host: Host;
  readonly home: string;
  readonly folder: string;
}

/** @throws ConfigError if the options contradict each other; SessionError if the session cannot be used */
export async function startSession(options: Options, host: Host, env: Host['env'], cwd: string): Promise<SessionStart> {
  checkTogether(options);
  const wanted = options.sessionId === undefined ? undefined : checkSessionId(options.sessionId);
  const isNew = options.resume === undefined && !options.continue;
  if (isNew && wanted === undefined) return newSession(host.ids.uuid(), []);
  const home = sessionsHome(host, env);
  const place = { host, home, folder: await projectFolder(host, home, cwd) };
  if (wanted !== undefined) await refuseTaken(place, wanted, options);
  if (isNew) return newSession(wanted ?? host.ids.uuid(), []);
  const store = await openStore(options, place, env);
  const { found, stored, notices } = await findSession(place, await wholeResume(options, place, cwd), store);
  if (found === null) return newSession(wanted ?? host.ids.uuid(), notices);
  await refuseInUse(place, found, options);
  const forkAs = options.forkSession ? (wanted ?? host.ids.uuid()) : undefined;
  const wishes = {
    upTo: options.resumeSessionAt,
    dropsTurn: options.resumeDropsTurn,
    forkAs,
    isKept: options.persistSession ?? true,
  };
  const started =
    stored === null || store === null
      ? await resumeHere(place, found, wishes, store).catch((error: unknown) => sayWhere(place, found, store, error))
      : await store.resume(stored, wishes);
  return typeof started === 'string'
    ? { config: { sessionId: found.sessionId, cannotStart: started }, notices }
    : resumedSession(started, notices, forkAs !== undefined);
}

/** The session that `resume` names, by its id or by the first characters of it, in this folder. */
async function wholeResume({ resume, sessionStore }: Options, { host, home }: Place, cwd: string) {
  if (resume === undefined || resume.length === 36) return resume;
  const where = { host, env: { TURNWRIGHT_SESSIONS_HOME: home }, dir: cwd, includeWorktrees: false };
  return wholeId(resume, sessionStore === undefined ? where : { ...where, sessionStore });
}

/** Null if sessions are kept on this machine alone. */
async function openStore(options: Options, { host, folder }: Place, env: Host['env']): Promise<StoreLookup | null> {
  const store = checkStore(options.sessionStore);
  if (store === null) return null;
  const { lookIntoStore } = await DOORS.resumeStored();
  return lookIntoStore(store, host, folder, options, env);
}

async function resumeHere(
  { host, folder }: Place,
  found: SessionPlace,
  wishes: ResumeWishes,
  store: StoreLookup | null,
): Promise<ResumedSession | string> {
  const started = await resumeFound(host, found, wishes);
  // What goes on in the store must be there from its beginning.
  if (store !== null && wishes.forkAs !== undefined && wishes.isKept && typeof started !== 'string') {
    await store.addFork(placeIn(folder, wishes.forkAs));
  }
  return started;
}

/** A query of this process that is being closed lets go of its session soon: so long is waited for it, milliseconds. */
const CLOSING_MS = 1_000;
const LOOK_MS = 20;

/**
 * Two writers would tear each other's conversation apart; who writes elsewhere, or not at all, may read. Who leaves one
 * query and goes on with its session in the next need not know when the first one has ended.
 */
async function refuseInUse({ host }: Place, { file }: SessionPlace, options: Options): Promise<void> {
  if (options.forkSession || options.persistSession === false) return;
  for (let waited = 0; ; waited += LOOK_MS) {
    const owner = await sessionOwner(host, file);
    if (owner === null) return;
    if (waited >= CLOSING_MS || !(await isThisProcess(host, owner))) throw sessionInUse(owner);
    await new Promise<void>((resolve) => void host.clock.after(LOOK_MS, resolve));
  }
}

async function isThisProcess({ processes }: Pick<Host, 'processes'>, owner: ProcessIdentity): Promise<boolean> {
  const self = await processes.self();
  return (['pid', 'started', 'boot', 'space', 'machine'] as const).every((field) => owner[field] === self[field]);
}

function newSession(sessionId: string, notices: readonly PendingNotice[]): SessionStart {
  return { config: { sessionId, resumedFrom: null }, notices };
}

function resumedSession(resumed: ResumedSession, notices: readonly PendingNotice[], isFork: boolean): SessionStart {
  const { sessionId, messages, lastUuid, state, laterReplies } = resumed;
  return {
    config: {
      sessionId,
      resumedFrom: lastUuid,
      initialMessages: messages,
      resumedState: state,
      resumedReplies: laterReplies,
      ...(isFork ? { isFork } : {}),
    },
    notices: [...notices, ...resumed.notices],
  };
}

function checkTogether(options: Options): void {
  const { resume, continue: isContinued, sessionId, forkSession, resumeSessionAt, resumeDropsTurn } = options;
  const isResumed = resume !== undefined || isContinued === true;
  if (resume !== undefined && isContinued)
    throw new ConfigError('resume and continue name different sessions. Give one of them.');
  if (isResumed && sessionId !== undefined && !forkSession)
    throw new ConfigError(
      'sessionId names a new session, resume and continue an old one. Add forkSession, or leave it out.',
    );
  if (!isResumed) {
    const lonely = [forkSession && 'forkSession', resumeSessionAt !== undefined && 'resumeSessionAt'].find(Boolean);
    if (lonely)
      throw new ConfigError(`${lonely} says what to do with an earlier session. Name that one by resume or continue.`);
  }
  if (resumeDropsTurn !== undefined && resumeSessionAt === undefined)
    throw new ConfigError('resumeDropsTurn says what resumeSessionAt cuts off. Give both.');
}

/** Two sessions of one id would become one file. One that holds nothing, as a crash leaves it, is nobody's. */
async function refuseTaken({ host, folder }: Place, sessionId: string, options: Options): Promise<void> {
  if (options.persistSession === false) return;
  const { file, ownFolder } = placeIn(folder, sessionId);
  await refuseLinks(host, ownFolder);
  try {
    if ((await host.fs.lstat(file)).size === 0) return;
    if (!(await holdsConversation(host, file))) return;
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return;
    if (!isFileError(error)) throw error;
    throw new SessionError('session_invalid', `Session ${sessionId} cannot be kept: ${error.message}`, error);
  }
  throw new SessionError(
    'session_invalid',
    `There is a session ${sessionId} already (${file}). Go on with it by resume, or give another sessionId.`,
  );
}

interface Found {
  /** Null if there is none. */
  readonly found: SessionPlace | null;
  /** The same session, if the store has more of it. */
  readonly stored: StoredSession | null;
  readonly notices: readonly PendingNotice[];
}

async function findSession(place: Place, resume: string | undefined, store: StoreLookup | null): Promise<Found> {
  const { host, folder } = place;
  if (resume !== undefined) {
    const found = placeIn(folder, checkSessionId(resume));
    const stored = (await store?.find(found.sessionId)) ?? null;
    return { found, stored, notices: [] };
  }
  const local = await latestSession(host, folder);
  const stored = (await store?.newest(local)) ?? null;
  const found = stored?.place ?? local.place;
  const notices: PendingNotice[] = local.unreadable.map((sessionId) => ({
    code: 'transcript_damaged',
    message: `Session ${sessionId} cannot be read, so an earlier one was looked for.`,
  }));
  if (found === null)
    notices.push({
      code: 'no_session_to_continue',
      message: 'There is no earlier session in this folder, so a new one was started.',
      ...(store === null || store.canList
        ? {}
        : { remedy: 'The sessionStore has no listSessions, so its sessions are not known. Name one by resume.' }),
    });
  return { found, stored, notices };
}

/**
 * A session belongs to the folder it was started in: its paths, and what may be done there, are those of that folder.
 * @throws SessionError always: it is looked for in vain, and the error names the folder that it belongs to
 */
async function sayWhere(
  { host, home }: Place,
  { file, sessionId }: SessionPlace,
  store: StoreLookup | null,
  error: unknown,
): Promise<never> {
  if (!(error instanceof SessionError) || error.code !== 'session_not_found') throw error;
  const elsewhere = await folderOfSession(host, home, sessionId);
  throw new SessionError(
    'session_not_found',
    elsewhere === null
      ? `There is no session ${sessionId} (looked for ${file}${store === null ? '' : ', and in the sessionStore'}).`
      : `Session ${sessionId} belongs to another folder: ${elsewhere}. Resume it there (option cwd, flag --cwd).`,
  );
}
