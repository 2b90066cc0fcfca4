// A list of a server, such as its tools: every page, within one time limit. What the server says is foreign data.
import type { HostClock } from '../host/host.js';
import { ABORTED, linkAbort, raceAbort } from '../util/abort.js';
import { isRecord } from '../util/json.js';

/** Longest wait for all pages of one list, milliseconds. */
export const LIST_TIMEOUT_MS = 30_000;
const MAX_PAGES = 100;
const MAX_ITEMS = 2_000;

/** Asks for one page. */
export type AskPage = (params: { readonly cursor?: string }, signal: AbortSignal) => Promise<unknown>;

/**
 * @param what it lists, as the answers name it: `tools`
 * @throws Error if the server fails, does not answer in time, or never comes to an end, and after an abort
 */
export async function listPages<Item>(
  what: string,
  ask: AskPage,
  clock: Pick<HostClock, 'after'>,
  signal: AbortSignal,
): Promise<Item[]> {
  const { controller, release } = linkAbort(signal);
  const cancelTimer = clock.after(LIST_TIMEOUT_MS, () => controller.abort());
  try {
    const listed = await raceAbort(allPages<Item>(what, ask, controller.signal), controller.signal);
    if (listed !== ABORTED) return listed;
    const late = `it did not list its ${what} within ${LIST_TIMEOUT_MS / 1000} s`;
    throw new Error(signal.aborted ? 'the session was closed' : late);
  } finally {
    cancelTimer();
    release();
  }
}

async function allPages<Item>(what: string, ask: AskPage, signal: AbortSignal): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await ask(cursor === undefined ? {} : { cursor }, signal);
    const { [what]: listed, nextCursor } = isRecord(answer) ? answer : {};
    if (!Array.isArray(listed)) throw new Error(`its answer has no list of ${what}`);
    for (const item of listed) items.push(item as Item);
    if (items.length > MAX_ITEMS) throw new Error(`it lists more than ${MAX_ITEMS} ${what}`);
    // An empty cursor is what some servers give for none.
    if (typeof nextCursor !== 'string' || nextCursor === '') return items;
    cursor = nextCursor;
  }
  throw new Error(`its list of ${what} has more than ${MAX_PAGES} pages`);
}
