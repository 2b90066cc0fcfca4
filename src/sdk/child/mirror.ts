// The session store of the host, filled from the frames in which a program tells what it writes to its transcript. One
// rule: entries reach the store in their order, and what it does not take is told by a message.
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/session-store.js';
import { isRecord } from '../../util/is-record.js';
import { errorText } from '../../util/text.js';
import type { Fields } from '../wire/fields.js';

/** Times that one frame is tried. */
const ATTEMPTS = 3;

export interface Mirror {
  take(frame: Fields): void;
  /** All that was taken is in the store, or was told. Never rejects. */
  flushed(): Promise<void>;
}

export function createMirror(store: SessionStore, onError: (error: string, key: SessionKey) => void): Mirror {
  let last: Promise<void> = Promise.resolve();
  return {
    take({ filePath, entries }) {
      const key = typeof filePath === 'string' ? keyOf(filePath) : null;
      if (key === null || !Array.isArray(entries)) return;
      const objects = entries.filter(isRecord) as unknown as SessionStoreEntry[];
      last = last.then(() => append(store, key, objects)).catch((error: unknown) => onError(errorText(error), key));
    },
    flushed: () => last,
  };
}

async function append(store: SessionStore, key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.append(key, entries);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** Of `…/projects/<project>/<session>.jsonl`, or of a transcript beside it, `…/<session>/<subpath>.jsonl`. */
function keyOf(filePath: string): SessionKey | null {
  const parts = filePath.split(/[\\/]/);
  const at = parts.lastIndexOf('projects');
  const [projectKey, ...rest] = at === -1 ? [] : parts.slice(at + 1);
  const path = rest.join('/').replace(/\.jsonl$/, '');
  const [sessionId, ...below] = path.split('/');
  if (!projectKey || !sessionId) return null;
  return { projectKey, sessionId, ...(below.length === 0 ? {} : { subpath: below.join('/') }) };
}
