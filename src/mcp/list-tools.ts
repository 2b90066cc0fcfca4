// The tools of one server: every page, within one time limit. What the server says is foreign data.
import type { HostClock } from '../host/host.js';
import type { McpClient, McpListedTool } from '../protocol/mcp.js';
import { ABORTED, linkAbort, raceAbort } from '../util/abort.js';

/** Longest wait for all pages of one server, milliseconds. */
const LIST_TIMEOUT_MS = 30_000;
const MAX_PAGES = 100;
const MAX_TOOLS = 2_000;

/** @throws Error where the server fails, does not answer in time, or never comes to an end, and after an abort */
export async function listTools(
  client: McpClient,
  clock: Pick<HostClock, 'after'>,
  signal: AbortSignal,
): Promise<McpListedTool[]> {
  const { controller, release } = linkAbort(signal);
  const cancelTimer = clock.after(LIST_TIMEOUT_MS, () => controller.abort());
  try {
    const listed = await raceAbort(allPages(client, controller.signal), controller.signal);
    if (listed !== ABORTED) return listed;
    throw new Error(
      signal.aborted ? 'the session was closed' : `it did not list its tools within ${LIST_TIMEOUT_MS / 1000} s`,
    );
  } finally {
    cancelTimer();
    release();
  }
}

async function allPages(client: McpClient, signal: AbortSignal): Promise<McpListedTool[]> {
  const tools: McpListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { signal, timeout: LIST_TIMEOUT_MS });
    if (!Array.isArray(answer?.tools)) throw new Error('its answer to tools/list has no list of tools');
    tools.push(...answer.tools);
    if (tools.length > MAX_TOOLS) throw new Error(`it lists more than ${MAX_TOOLS} tools`);
    // An empty cursor is what some servers give for none.
    if (typeof answer.nextCursor !== 'string' || answer.nextCursor === '') return tools;
    cursor = answer.nextCursor;
  }
  throw new Error(`its list of tools has more than ${MAX_PAGES} pages`);
}
