// What a session that goes on with a conversation knows of the files in it: which the model read or wrote, and until when
// that was still so. Their content is not kept, so a file counts as seen only as long as nothing has changed it since.

import { CWD_NOTE } from '../../engine/state/index.js';
import { type Host, isFileError } from '../../host/host.js';
import type { FileStateCache } from '../../tools/file-state-cache.js';
import { mapBounded } from '../../util/map-bounded.js';
import { resolvePath } from '../../util/posix-path.js';
import { blocksOf, type Message } from '../messages/index.js';

/** The newest; more are not looked up at a start. */
const MAX_FILES = 300;
const AT_ONCE = 16;
const READING: ReadonlySet<string> = new Set(['Read']);
const WRITING: ReadonlySet<string> = new Set(['Write', 'Edit', 'NotebookEdit']);

export interface SeenBefore {
  readonly cwd: string;
  readonly messages: readonly Message[];
  /** What it knows already stays. */
  readonly readFileCache: FileStateCache;
}

/** Contract: throws nothing for what stands on the disk or in the conversation. */
export async function rememberFiles({ cwd, messages, readFileCache }: SeenBefore, { fs }: Host): Promise<void> {
  const seen = [...filesSeen(messages, cwd)].slice(-MAX_FILES);
  const found = await mapBounded(seen, AT_ONCE, async ([path, seenAtMs]) => {
    try {
      const { realPath, stat } = await fs.locate(path);
      return stat?.kind === 'file' ? { realPath, seenAtMs } : null;
    } catch (error) {
      if (!isFileError(error)) throw error;
      return null; // it is gone, or out of reach: there is nothing to remember
    }
  });
  for (const file of found) {
    if (file === null || readFileCache.get(file.realPath) !== undefined) continue;
    readFileCache.set(file.realPath, { hash: null, seenAtMs: file.seenAtMs });
  }
}

interface OpenCall {
  readonly path: string;
  /** Null: when its result was there. */
  readonly seenAtMs: number | null;
}

/** Paths, the one that was seen last at the end, with the last moment from which on it must not have changed. */
function filesSeen(messages: readonly Message[], cwd: string): Map<string, number> {
  const open = new Map<string, OpenCall>();
  const seen = new Map<string, number>();
  let before = Number.NaN;
  let hasMoved = false;
  for (const { message, timestamp = '' } of messages) {
    const at = Date.parse(timestamp);
    for (const block of blocksOf(message.content)) {
      if (block.type === 'tool_use') {
        const path = pathOf(block.input);
        // A read may begin before the reply is whole, but not before what it answers.
        if (path !== null && READING.has(block.name)) open.set(block.id, { path, seenAtMs: before });
        if (path !== null && WRITING.has(block.name)) open.set(block.id, { path, seenAtMs: null });
      }
      if (block.type === 'tool_result') hasMoved ||= JSON.stringify(block.content ?? '').includes(CWD_NOTE);
      if (block.type !== 'tool_result' || block.is_error === true) continue;
      const call = open.get(block.tool_use_id);
      if (call === undefined) continue;
      // It may have been relative to another folder.
      if (hasMoved && !call.path.startsWith('/')) continue;
      const path = resolvePath(cwd, call.path);
      const seenAtMs = Math.max(call.seenAtMs ?? at, seen.get(path) ?? 0);
      if (Number.isNaN(seenAtMs)) continue; // a host gave messages without times
      seen.delete(path);
      seen.set(path, seenAtMs);
    }
    before = at;
  }
  return seen;
}

function pathOf(input: unknown): string | null {
  const { file_path: file, notebook_path: notebook } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const path = file ?? notebook;
  return typeof path === 'string' && path !== '' ? path : null;
}
