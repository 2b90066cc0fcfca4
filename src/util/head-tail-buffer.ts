// Keeps the first and the last bytes of a stream of any length, in bounded memory, with an exact count of what is
// left out. Rule: every byte given is either shown or counted.
import { joinBytes } from './bytes.js';

export interface HeadTailText {
  readonly text: string;
  /** Bytes given but not shown. */
  readonly omittedBytes: number;
}

export interface HeadTailBuffer {
  /** Copies what it keeps; the chunk may be reused. */
  append(chunk: Uint8Array): void;
  readonly totalBytes: number;
  /**
   * The stream as text: all of it if it has at most `limitBytes`, else its head, a line made by `describe`, and
   * its tail. Contract: a character cut by an edge is left out whole and counted; other invalid bytes become U+FFFD.
   * @param limitBytes at most the buffer's capacity, which is the default
   * @param describe  makes the marker line from the number of bytes left out
   */
  render(limitBytes?: number, describe?: (omittedBytes: number) => string): HeadTailText;
}

/**
 * An empty buffer that keeps `capacity` bytes: the first half and the last half.
 * Memory grows with what is given, up to `capacity`.
 */
export function createHeadTailBuffer(capacity: number): HeadTailBuffer {
  const headCapacity = Math.ceil(capacity / 2);
  const head = createGrowingBytes(headCapacity);
  const tail = createRing(capacity - headCapacity);
  let totalBytes = 0;
  return {
    append(chunk) {
      totalBytes += chunk.length;
      const taken = head.append(chunk);
      if (taken < chunk.length) tail.append(chunk.subarray(taken));
    },
    get totalBytes() {
      return totalBytes;
    },
    render(limitBytes = capacity, describe = describeOmission) {
      const limit = Math.min(limitBytes, capacity);
      const kept = joinBytes([head.bytes(), tail.bytes()]);
      if (totalBytes <= limit) return { text: decode(kept), omittedBytes: 0 };
      const headPart = dropCutEnd(kept.subarray(0, Math.min(Math.ceil(limit / 2), head.bytes().length)));
      const tailPart = dropCutStart(kept.subarray(kept.length - Math.floor(limit / 2)));
      const omittedBytes = totalBytes - headPart.length - tailPart.length;
      return { text: joinParts(decode(headPart), describe(omittedBytes), decode(tailPart)), omittedBytes };
    },
  };
}

function describeOmission(omittedBytes: number): string {
  return `[… ${omittedBytes} bytes omitted …]`;
}

/** The marker stands on a line of its own. */
function joinParts(head: string, marker: string, tail: string): string {
  const before = head === '' || head.endsWith('\n') ? '' : '\n';
  const after = tail === '' || tail.startsWith('\n') ? '' : '\n';
  return `${head}${before}${marker}${after}${tail}`;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Without an unfinished character at its end. Bytes that can never become one stay. */
function dropCutEnd(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Without the rest of a character whose start is gone. */
function dropCutStart(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && start < bytes.length && isContinuation(bytes[start] ?? 0)) start += 1;
  return bytes.subarray(start);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0) return lead < 0xf0 ? 3 : 1;
  return lead >= 0xc2 ? 2 : 1;
}

/** Takes bytes until `capacity`; `append` returns how many it took. */
function createGrowingBytes(capacity: number) {
  let store = new Uint8Array(Math.min(capacity, 1024));
  let length = 0;
  return {
    append(chunk: Uint8Array): number {
      const taken = Math.min(chunk.length, capacity - length);
      if (length + taken > store.length) store = grow(store, length + taken, capacity);
      store.set(chunk.subarray(0, taken), length);
      length += taken;
      return taken;
    },
    bytes: () => store.subarray(0, length),
  };
}

/** The last `capacity` bytes. */
function createRing(capacity: number) {
  let store = new Uint8Array(0);
  let next = 0;
  let length = 0;
  return {
    append(chunk: Uint8Array): void {
      const last = chunk.subarray(Math.max(0, chunk.length - capacity));
      const needed = Math.min(capacity, length + last.length);
      // Until the capacity is reached nothing has wrapped, so growing keeps the order.
      if (needed > store.length) store = grow(store, needed, capacity);
      if (store.length < capacity || next + last.length <= store.length) {
        store.set(last, next);
      } else {
        const room = store.length - next;
        store.set(last.subarray(0, room), next);
        store.set(last.subarray(room), 0);
      }
      next = capacity === 0 ? 0 : (next + last.length) % capacity;
      length = needed;
    },
    bytes: () =>
      length < capacity ? store.subarray(0, length) : joinBytes([store.subarray(next), store.subarray(0, next)]),
  };
}

function grow(store: Uint8Array, needed: number, capacity: number): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(Math.min(capacity, Math.max(needed, store.length * 2)));
  grown.set(store);
  return grown;
}
