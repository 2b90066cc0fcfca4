// Which files an agent came to since it was asked last. Every turn asks; what follows from them is loaded with
// the first of them that may bring instructions along.
import path from 'node:path';
import type { Instructions } from '../../context/instructions/index.js';
import type { MessageParam } from '../../protocol/content.js';
import type { FileStateCache } from '../../tools/file-state-cache.js';

/** What an agent knows of instructions that came later; gone with its conversation. */
export interface LaterInstructions {
  /** Folders that have no instruction files. */
  readonly bare: Set<string>;
  /** The message that told a file last, by its source. */
  readonly told: Map<string, MessageParam>;
}

/** Absolute, links resolved. None, for nearly no work, if there are none, or if they can bring nothing along. */
export function touchedSince(cache: FileStateCache, known: Instructions | undefined): readonly string[] {
  const touched = cache.takeTouched?.() ?? NONE;
  if (touched.length === 0 || known === undefined || known.folders.length === 0) return NONE;
  return known.waiting.length > 0 ? touched : touched.filter((file) => !known.folders.includes(path.dirname(file)));
}

const NONE: readonly string[] = [];
