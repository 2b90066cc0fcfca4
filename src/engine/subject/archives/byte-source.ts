// Bytes of an archive from its start on, as far as they are asked for. One rule: never more in memory than one piece.
import type { ReadHandle } from '../../../host/host.js';

export interface ByteSource {
  /** Exactly so many bytes; null if there are fewer. */
  read(length: number): Promise<Uint8Array | null>;
  skip(length: number): Promise<void>;
  /** True where it ended before its end: more may follow that was not seen. */
  isCut(): boolean;
  close(): Promise<void>;
}

/** Of a file, which is read where it is looked at and nowhere else. */
export function fileSource(handle: ReadHandle): ByteSource {
  let at = 0;
  return {
    async read(length) {
      const bytes = await handle.read(at, length);
      at += length;
      return bytes.length === length ? bytes : null;
    },
    async skip(length) {
      at += length;
    },
    isCut: () => false,
    close: () => handle.close(),
  };
}

const PIECE = 256 * 1024;

/** Of a file that is compressed with gzip. @param limit bytes that are unpacked at most: what is longer ends there */
export function gzipSource(handle: ReadHandle, limit: number): ByteSource {
  let from = 0;
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const piece = await handle.read(from, PIECE);
      from += piece.length;
      if (piece.length === 0) controller.close();
      else controller.enqueue(new Uint8Array(piece));
    },
  });
  const reader = packed.pipeThrough(new DecompressionStream('gzip')).getReader();
  let rest = new Uint8Array();
  let total = 0;
  let isCut = false;
  /** False at the end. What follows it, or is damaged, other programs may read on in. */
  const more = async (): Promise<boolean> => {
    if (total > limit) isCut = true;
    if (isCut) return false;
    const piece = await reader.read().catch(() => null);
    if (piece === null) isCut = true;
    if (piece === null || piece.done) return false;
    const { value } = piece;
    total += value.length;
    const joined = new Uint8Array(rest.length + value.length);
    joined.set(rest);
    joined.set(value, rest.length);
    rest = joined;
    return true;
  };
  return {
    async read(length) {
      while (rest.length < length) if (!(await more())) return null;
      const bytes = rest.subarray(0, length);
      rest = rest.subarray(length);
      return bytes;
    },
    async skip(length) {
      let left = length;
      while (left > rest.length) {
        left -= rest.length;
        rest = new Uint8Array();
        if (!(await more())) return;
      }
      rest = rest.subarray(left);
    },
    isCut: () => isCut,
    async close() {
      await reader.cancel().catch(() => undefined); // it has failed, so it is closed
      await handle.close();
    },
  };
}
