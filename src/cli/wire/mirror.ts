// A client that keeps a copy of the transcript gets each entry as it is written. One rule: a copy is never waited for.
import path from 'node:path';
import type { SessionStore } from '../../protocol/session-store.js';
import type { WireClient } from './client.js';

/** Bytes of entries in one line, about; a single entry may be longer. */
const LINE = 500_000;

/**
 * A store that only sends. What it says of the place of a transcript is the place that the client looks at: its own
 * folder for sessions.
 */
export function mirrorTo(client: WireClient, env: Readonly<NodeJS.ProcessEnv>): SessionStore {
  const home = env['CLAUDE_CONFIG_DIR'] ?? env['QODER_CONFIG_DIR'] ?? path.join(env['HOME'] ?? '/', '.claude');
  return {
    async append({ projectKey, sessionId, subpath }, entries) {
      const place = subpath === undefined ? `${sessionId}.jsonl` : path.join(sessionId, `${subpath}.jsonl`);
      const filePath = path.join(home, 'projects', projectKey, place);
      let some: typeof entries = [];
      let size = 0;
      for (const entry of entries) {
        const length = JSON.stringify(entry).length;
        if (size + length > LINE && some.length > 0) {
          await client.send({ type: 'transcript_mirror', filePath, entries: some });
          some = [];
          size = 0;
        }
        some.push(entry);
        size += length;
      }
      if (some.length > 0) await client.send({ type: 'transcript_mirror', filePath, entries: some });
    },
    load: async () => null,
  };
}
