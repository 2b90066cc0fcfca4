// Where sessions live on disk. Layout and key are those of the published SDKs, so that their readers find our files.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import { shorten } from '../../util/text.js';

/** Characters of a key before it is cut. */
export const MAX_KEY_LENGTH = 200;
const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** `$TURNWRIGHT_HOME`, or `~/.turnwright`. */
export function homeFolder(
  host: Pick<Host, 'env' | 'platform'>,
  env: Readonly<Record<string, string | undefined>> = host.env,
): string {
  const named = env.TURNWRIGHT_HOME;
  return named !== undefined && named !== ''
    ? path.resolve(host.platform.cwd, named)
    : path.join(host.platform.homedir, '.turnwright');
}

/**
 * The folder whose `projects/` holds the sessions: `$TURNWRIGHT_SESSIONS_HOME`, or the home folder. Keys, trust and what is
 * known of models stay in the home folder.
 */
export function sessionsHome(
  host: Pick<Host, 'env' | 'platform'>,
  env: Readonly<Record<string, string | undefined>> = host.env,
): string {
  const named = env.TURNWRIGHT_SESSIONS_HOME;
  return named !== undefined && named !== '' ? path.resolve(host.platform.cwd, named) : homeFolder(host, env);
}

/** The folder of all sessions of a working directory. */
export async function projectFolder(host: Host, home: string, cwd: string): Promise<string> {
  return path.join(home, 'projects', projectKey(await host.fs.realpath(cwd)));
}

/** Every character outside A-Z, a-z, 0-9 becomes `-`; a long key is cut and gets a hash of the whole. */
export function projectKey(realCwd: string): string {
  const name = realCwd.normalize('NFC');
  const key = name.replace(/[^A-Za-z0-9]/g, '-');
  return key.length <= MAX_KEY_LENGTH ? key : `${key.slice(0, MAX_KEY_LENGTH)}-${hash32(name).toString(36)}`;
}

function hash32(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) | 0;
  return Math.abs(hash);
}

/** The transcript's path. @throws SessionError for an id that is not a UUID: it may not name another path. */
export function transcriptPath(folder: string, sessionId: string): string {
  return path.join(folder, `${checkSessionId(sessionId)}.jsonl`);
}

export function checkSessionId(sessionId: string): string {
  if (isSessionId(sessionId)) return sessionId.toLowerCase();
  throw new SessionError(
    'session_invalid',
    `"${shorten(String(sessionId), 100)}" is not the id of a session: neither a whole one, which is a UUID such as the session_id of a result, nor its first 8 characters.`,
  );
}

/** A UUID, so nothing that could name another path. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && SESSION_ID.test(value);
}

export function isSessionFile(name: string): boolean {
  return name.endsWith('.jsonl') && isSessionId(name.slice(0, -'.jsonl'.length));
}
