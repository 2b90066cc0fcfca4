// What a compaction must not lose of a session: its todo list, and the files the model read last, as they are now.

import { collectPins } from '../engine/compaction/pins.js';
import type { TokenEstimator } from '../engine/estimate-tokens.js';
import { type Host, isFileError } from '../host/host.js';
import type { FileStateCache } from '../tools/file-state-cache.js';
import type { QueryEngineConfig } from './config.js';

/** Files that are looked at; those that fit are pinned. */
const MAX_FILES = 10;
/** A larger file would not fit anyway. Bytes. */
const MAX_FILE_SIZE = 400_000;

/** Instruction files are part of the system prompt, which a compaction leaves alone. */
export async function collectSessionPins(
  config: Pick<QueryEngineConfig, 'getAppState' | 'readFileCache'>,
  host: Host,
  estimator: TokenEstimator,
  maxTokens: number,
): Promise<string[]> {
  const readFiles: { path: string; text: string }[] = [];
  for (const path of recentPaths(config.readFileCache).slice(0, MAX_FILES)) {
    const text = await readText(host, path);
    if (text !== null) readFiles.push({ path, text });
  }
  return collectPins({ todos: config.getAppState().todos ?? [], readFiles, instructions: [], maxTokens, estimator });
}

/** Also those that an earlier compaction pinned or left out, which the model need not have read again. */
function recentPaths(cache: FileStateCache): readonly string[] {
  return cache.recentPaths?.() ?? [...cache.entries()].map(([path]) => path);
}

async function readText(host: Host, path: string): Promise<string | null> {
  try {
    const stat = await host.fs.stat(path);
    if (stat.kind !== 'file' || stat.size > MAX_FILE_SIZE) return null;
    return new TextDecoder().decode(await host.fs.readFile(path));
  } catch (error) {
    if (isFileError(error)) return null; // it is gone or closed to us by now: the summary has to do
    throw error;
  }
}
