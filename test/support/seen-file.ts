// A file that the model has seen, for tests that are about what is done to it then.
import path from 'node:path';
import { createFileStateCache, type FileStateCache, NOTHING_SHOWN } from '../../src/tools/file-state-cache.js';
import type { ToolContext } from '../../src/tools/tool.js';

/** As a Read of the file leaves it, but for what that would show. */
export async function markSeen({ host, cwd, readFileCache }: ToolContext, file: string): Promise<void> {
  const { realPath, stat } = await host.fs.locate(path.resolve(cwd, file));
  const hash = await host.sha256(await host.fs.readFile(realPath));
  readFileCache.set(realPath, { hash, mtimeMs: stat?.mtimeMs ?? 0, size: stat?.size ?? 0, range: NOTHING_SHOWN });
}

/** Of a model that has seen every file as it is, until it sees or writes one. */
export function everythingSeen(): FileStateCache {
  const cache = createFileStateCache();
  return { ...cache, get: (file) => cache.get(file) ?? { hash: null, seenAtMs: Number.POSITIVE_INFINITY } };
}
