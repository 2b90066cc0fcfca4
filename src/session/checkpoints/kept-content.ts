// Former content that a session keeps to put it back: each once, up to a limit.
import { isFileError } from '../../host/host.js';
import type { BlobStore } from '../store/index.js';
import type { Disk, LostReason } from './image.js';
import type { JournalRecord } from './journal.js';

export interface KeptContent {
  /** `new` and `known`: the bytes are on the disk. Else why they are not. Contract: throws no FileError. */
  keep(bytes: Uint8Array): Promise<'new' | 'known' | LostReason>;
  /** For content that was `new` and turned out not to be needed. Contract: throws no FileError. */
  letGo(hash: string): Promise<void>;
  /** Counts what an earlier process kept. @throws FileError */
  takeStock(records: readonly JournalRecord[]): Promise<void>;
}

export function createKeptContent(disk: Disk, blobs: BlobStore, maxBytes: number): KeptContent {
  const kept = new Map<string, number>();
  let total = 0;
  const count = (hash: string, size: number): void => {
    kept.set(hash, size);
    total += size;
  };
  return {
    async keep(bytes) {
      const hash = await disk.sha256(bytes);
      if (kept.has(hash)) return 'known';
      if (total + bytes.length > maxBytes) return 'too_much';
      try {
        await blobs.put(bytes);
      } catch (error) {
        if (!isFileError(error)) throw error;
        return 'not_kept';
      }
      count(hash, bytes.length);
      return 'new';
    },
    async letGo(hash) {
      const size = kept.get(hash) ?? 0;
      try {
        await blobs.remove(hash);
      } catch (error) {
        if (!isFileError(error)) throw error;
        return; // a content too many is no harm
      }
      kept.delete(hash);
      total -= size;
    },
    async takeStock(records) {
      const sizes = new Map(
        records.flatMap(imagesOf).flatMap((image) => (image.kind === 'file' ? [[image.hash, image.size]] : [])),
      );
      for (const hash of await blobs.list()) count(hash, sizes.get(hash) ?? 0);
    },
  };
}

function imagesOf(record: JournalRecord) {
  if (record.type === 'open') return (record.paths ?? []).map(({ before }) => before);
  return record.type === 'close' || record.type === 'changes' ? record.changes.map(({ before }) => before) : [];
}
