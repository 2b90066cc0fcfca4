// The transcript of a session: kept in a file, in the host's own store, in both or in neither.
import path from 'node:path';
import { readGitState } from '../../context/environment.js';
import type { Host } from '../../host/host.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import type { QueryEngineConfig } from '../config/index.js';
import { createEntryContent } from './entry-content.js';
import { projectFolder, sessionsHome, transcriptPath } from './session-places.js';
import { createStoreMirror } from './store-mirror.js';
import { createNullTranscript, createTranscript, type Transcript, type TranscriptOptions } from './transcript.js';

interface Surroundings {
  readonly host: Host;
  /** The session's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sessionId: string;
  readonly limits: EngineLimits;
  /** Default: true if the session is resumed, or begins with messages. */
  readonly mayExist?: boolean;
  /** Null: secrets are written as they are. */
  readonly vault: SecretVault | null;
}

export async function openSessionTranscript(config: QueryEngineConfig, around: Surroundings): Promise<Transcript> {
  const { host, env, sessionId, limits, vault } = around;
  const isKept = config.persistSession !== false;
  if (!isKept && config.sessionStore === undefined) return createNullTranscript();
  const [folder, git] = await Promise.all([
    projectFolder(host, sessionsHome(host, env), config.cwd),
    readGitState(host, config.cwd),
  ]);
  const file = transcriptPath(folder, sessionId);
  const { mayExist = config.resumedFrom != null || (config.initialMessages ?? []).length > 0 } = around;
  return createTranscript({
    host,
    sessionId,
    cwd: config.cwd,
    gitBranch: git?.branch ?? '',
    file: isKept ? { path: file, mayExist } : null,
    lastUuid: config.resumedFrom ?? null,
    content: createEntryContent({
      host,
      blobFolder: isKept ? path.join(file.slice(0, -'.jsonl'.length), 'blobs') : null,
      maxBlobBytes: limits.maxBlobBytes,
      vault,
    }),
    mirror: openMirror(config, host, path.basename(folder), sessionId),
  });
}

/** Null: the host has no store of its own. */
function openMirror(
  { sessionStore: store, sessionStoreFlush: flush = 'batched' }: QueryEngineConfig,
  { clock }: Host,
  projectKey: string,
  sessionId: string,
): TranscriptOptions['mirror'] {
  if (store === undefined) return null;
  return (subpath, onError) => {
    const key = { projectKey, sessionId, ...(subpath === undefined ? {} : { subpath }) };
    return createStoreMirror({ store, key, flush, clock, onError });
  };
}
