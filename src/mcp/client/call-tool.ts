// A call of a tool on a connection. Most are one request; a tool that runs as a task of the server is begun, followed and
// fetched, and one that needs a page opened first is called again once the user opened it.

import type { HostClock } from '../../host/host.js';
import type { McpListedTool } from '../../protocol/mcp.js';
import { isRecord } from '../../util/json.js';
import { RpcError } from '../transport.js';
import type { Connection } from './connect.js';
import type { RequestOptions } from './rpc-peer.js';
import { URL_ELICITATION_REQUIRED } from './server-requests.js';

/** How often a task is asked how far it is, if the server does not say. Milliseconds. */
const USUAL_POLL_MS = 1_000;
const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 30_000;

export async function callTool(
  connection: Connection,
  tool: McpListedTool,
  params: object,
  options: RequestOptions,
  clock: Pick<HostClock, 'after'>,
): Promise<unknown> {
  const call = () =>
    tool.execution?.taskSupport === 'required'
      ? runTask(connection, params, options, clock)
      : connection.request('tools/call', params, options);
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== URL_ELICITATION_REQUIRED) throw error;
    if (!(await connection.openPages(error.data, options.signal))) throw error;
    return call();
  }
}

async function runTask(
  connection: Connection,
  params: object,
  options: RequestOptions,
  clock: Pick<HostClock, 'after'>,
): Promise<unknown> {
  const begun = await connection.request('tools/call', { ...params, task: {} }, options);
  const task = isRecord(begun) && isRecord(begun['task']) ? begun['task'] : null;
  // A server may answer at once after all.
  if (task === null) return begun;
  const { taskId } = task;
  const cancel = () => {
    const late = AbortSignal.timeout(SHORTEST_POLL_MS * 10);
    connection.request('tasks/cancel', { taskId }, { signal: late }).catch(() => undefined); // it ends by itself then
  };
  options.signal.addEventListener('abort', cancel, { once: true });
  const ended = new AbortController();
  try {
    void follow(connection, task, options, clock, ended.signal);
    // Answered when the task has come to its end.
    return await connection.request('tasks/result', { taskId }, options);
  } finally {
    ended.abort();
    options.signal.removeEventListener('abort', cancel);
  }
}

/** Says how far the task is for as long as its result is waited for, so that its time does not run out. Never throws. */
async function follow(
  connection: Connection,
  begun: Readonly<Record<string, unknown>>,
  { onProgress }: RequestOptions,
  clock: Pick<HostClock, 'after'>,
  ended: AbortSignal,
): Promise<void> {
  let task = begun;
  for (let polls = 0; !ended.aborted; polls += 1) {
    const { status, statusMessage, pollInterval } = task;
    if (status !== 'working' && status !== 'input_required') return;
    const message = typeof statusMessage === 'string' ? statusMessage : String(status);
    onProgress?.({ progress: polls, message });
    const asked = typeof pollInterval === 'number' ? pollInterval : USUAL_POLL_MS;
    await pause(Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, asked)), clock, ended);
    if (ended.aborted) return;
    try {
      const answer = await connection.request('tasks/get', { taskId: begun['taskId'] }, { signal: ended });
      task = isRecord(answer) ? answer : {};
    } catch {
      return; // its result says what is wrong
    }
  }
}

function pause(ms: number, clock: Pick<HostClock, 'after'>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    const stop = () => {
      cancel();
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
