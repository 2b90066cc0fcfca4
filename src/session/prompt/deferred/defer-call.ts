// A call that waits for a decision is written down. Loaded with the first one.
import type { SDKDeferredToolUse } from '../../../protocol/messages.js';
import type { AgentRun } from '../../core/index.js';
import { expiryFrom } from './expiry.js';

/** On the disk before the caller hears of it, so that whoever decides finds the call whatever became of the process. */
export async function deferCall({ session, runtime }: AgentRun, call: SDKDeferredToolUse): Promise<void> {
  const { memory, host, config } = session;
  const now = host.clock.now();
  const expiry = expiryFrom(now, config.deferredExpiryMs);
  memory.deferred.set(call.id, { ...call, ...expiry });
  const timestamp = new Date(now).toISOString();
  const { id: toolUseId, reason = '' } = call;
  const { expires_at: expiresAt } = expiry;
  const until = expiresAt === undefined ? {} : { expiresAt };
  await runtime.transcript.annotate({ type: 'turnwright-deferred', toolUseId, reason, ...until, timestamp });
  await runtime.transcript.sync();
}
