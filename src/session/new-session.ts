// A session as it begins, or as a resumed conversation left it.
import { NO_COMPACTION } from '../engine/state/index.js';
import type { SDKDeferredToolUse } from '../protocol/messages.js';
import { openCheckpoints } from './checkpoints/index.js';
import type { QueryEngineConfig } from './config/index.js';
import type { Session } from './core/index.js';
import { DOORS } from './features.js';
import { createStamp, type History } from './messages/index.js';
import { toldBefore } from './prompt/index.js';

export type SessionParts = Pick<
  Session,
  | 'config'
  | 'features'
  | 'host'
  | 'ledger'
  | 'history'
  | 'queue'
  | 'modelOverride'
  | 'runtime'
  | 'assembled'
  | 'onSettled'
  | 'onAbandoned'
  | 'spawnAgent'
>;

export async function newSession(parts: SessionParts): Promise<Session> {
  const { config, host, history } = parts;
  const { resumedState, resumedFrom } = config;
  const sessionId = config.sessionId ?? host.ids.uuid();
  const answering: Session['answering'] = {};
  if (history.messages.length > 0) await rememberSeen(config, history, host);
  return {
    ...parts,
    sessionId,
    startedAt: host.clock.monotonic(),
    stamp: createStamp(sessionId, host, null, () => answering.uuid),
    answering,
    givenIds: new Set(),
    memory: {
      compaction: resumedState?.compaction ?? NO_COMPACTION,
      turns: resumedState?.turns ?? 0,
      isStarted: false,
      wasCleared: false,
      isOrphanAsked: false,
      isTitled: resumedFrom != null,
      isSnipped: resumedFrom == null,
      environment: toldBefore(config),
      instructions: null,
      recordedPrompt: config.systemPromptSnapshot === true ? resumedState?.systemPrompt : undefined,
      deferred: await waitingCalls(parts),
    },
    modelOverride: config.resolveModel === undefined ? parts.modelOverride : (chosen) => chosen,
    checkpoints: once(() => openCheckpoints(config, host, sessionId, DOORS.checkpoints)),
    depth: 0,
  };
}

/** Files that the model saw earlier in the conversation need no second look, unless they changed. */
async function rememberSeen(
  { cwd, readFileCache }: QueryEngineConfig,
  { messages }: History,
  host: SessionParts['host'],
): Promise<void> {
  const { rememberFiles } = await DOORS.prompt();
  await rememberFiles({ cwd, messages, readFileCache }, host);
}

/** Few sessions have calls that wait. */
async function waitingCalls({ config, history, features }: SessionParts): Promise<Map<string, SDKDeferredToolUse>> {
  const { resumedState, deferredExpiryMs } = config;
  if (resumedState?.deferred === undefined) return new Map();
  return features.waitingCalls(resumedState.deferred, history.params, deferredExpiryMs);
}

/** Keeps what the first call gave; a failure is tried again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return async () => {
    made ??= make();
    try {
      return await made;
    } catch (error) {
      made = null;
      throw error;
    }
  };
}
