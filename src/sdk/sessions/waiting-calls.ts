// The calls of an earlier session that wait for a decision, for whoever asks a person before going on with it.

import { createNodeHost } from '../../host/node-host.js';
import type { SDKDeferredToolUse } from '../../protocol/messages.js';
import { createHistory } from '../../session/messages/index.js';
import { waitingCalls as restore } from '../../session/prompt/index.js';
import type { Options } from '../options/index.js';
import { startSession } from './resume-options.js';

/**
 * Those of the session that the options go on with (`resume`, `continue`), in the order in which they were made. Reads
 * only, and runs nothing.
 * @returns none if there is no such session: whoever starts it is told
 */
export async function waitingCalls(options: Options): Promise<readonly SDKDeferredToolUse[]> {
  if (options.resume === undefined && options.continue !== true) return [];
  const host = options.host ?? createNodeHost();
  const { forkSession: _fork, sessionId: _own, ...rest } = options;
  const cwd = options.cwd ?? host.platform.cwd;
  const { config } = await startSession({ ...rest, persistSession: false }, host, { ...host.env, ...options.env }, cwd);
  const { resumedState, initialMessages = [] } = config;
  if (resumedState?.deferred === undefined) return [];
  const history = createHistory([...initialMessages]);
  return [...restore(resumedState.deferred, history.params, options.deferredExpiryMs).values()];
}
