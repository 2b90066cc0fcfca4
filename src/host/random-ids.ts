// Random ids from the system's own generator. `node:crypto` gives the same, but loading it costs every start 4 ms.
import { closeSync, openSync, readSync } from 'node:fs';

const RANDOM_DEVICE = '/dev/urandom';
const ID_BYTES = 16;
/** Ids drawn at once: a system call for each would cost more than the id. */
const IDS_AT_ONCE = 64;
const HEX = Buffer.from('0123456789abcdef');
const DASH = 0x2d;
/** Bytes before which a dash stands. */
const GROUPS: ReadonlySet<number> = new Set([4, 6, 8, 10]);

/** Makes UUIDs of version 4. Each source draws bytes of its own. */
export function createUuidSource(draw: (length: number) => Uint8Array = drawRandomBytes): () => string {
  const text = Buffer.alloc(36);
  let pool: Uint8Array = new Uint8Array(0);
  let used = 0;
  return () => {
    if (used === pool.length) {
      pool = draw(ID_BYTES * IDS_AT_ONCE);
      used = 0;
    }
    let at = 0;
    for (let index = 0; index < ID_BYTES; index++) {
      if (GROUPS.has(index)) text[at++] = DASH;
      let byte = pool[used + index] ?? 0;
      // Version and variant, as RFC 9562 wants them.
      if (index === 6) byte = (byte & 0x0f) | 0x40;
      else if (index === 8) byte = (byte & 0x3f) | 0x80;
      text[at++] = HEX[byte >> 4] ?? 0;
      text[at++] = HEX[byte & 15] ?? 0;
    }
    used += ID_BYTES;
    // One flat string: pieces that were joined would be kept with every message.
    return text.toString('latin1', 0, at);
  };
}

/** Bytes nobody can guess. */
export function drawRandomBytes(length: number): Uint8Array {
  try {
    return readDevice(length);
  } catch {
    // Not every system has the device; every one has the module.
    return process.getBuiltinModule('node:crypto').randomBytes(length);
  }
}

function readDevice(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  const device = openSync(RANDOM_DEVICE, 'r');
  try {
    if (readSync(device, bytes, 0, length, null) < length) throw new Error('The random device gave too little.');
  } finally {
    closeSync(device);
  }
  return bytes;
}
