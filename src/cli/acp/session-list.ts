// The stored sessions, a page at a time.
import type { ListSessionsRequest, ListSessionsResponse, SessionInfo } from '@agentclientprotocol/sdk';
import type { Host } from '../../host/host.js';
import { listSessions } from '../../sdk/sessions.js';
import { invalidParams } from './request-errors.js';

const PAGE = 50;

/** @throws RequestError for a cursor that no list gave */
export async function sessionList({ cwd, cursor }: ListSessionsRequest, host: Host): Promise<ListSessionsResponse> {
  const offset = cursor == null ? 0 : Number(/^after-(\d{1,9})$/.exec(cursor)?.[1] ?? Number.NaN);
  if (Number.isNaN(offset)) throw invalidParams('The cursor is none that session/list gave. Ask without one.');
  const where = cwd == null ? {} : { dir: cwd, includeWorktrees: false };
  const found = await listSessions({ ...where, host, limit: PAGE + 1, offset });
  const sessions = found.slice(0, PAGE).flatMap((info): SessionInfo[] => {
    const folder = info.cwd ?? cwd;
    // Of another program, which did not write where it worked: it cannot be gone on with from here.
    if (folder == null) return [];
    const updatedAt = new Date(info.lastModified).toISOString();
    return [{ sessionId: info.sessionId, cwd: folder, title: info.summary, updatedAt }];
  });
  return found.length > PAGE ? { sessions, nextCursor: `after-${offset + PAGE}` } : { sessions };
}
