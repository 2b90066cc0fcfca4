// The names in a zip archive, read from the list at its end.
import type { ReadHandle } from '../../../host/host.js';

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
/** The end, with the longest remark there may be. */
const MAX_END = 22 + 65_535;
const MAX_LIST = 32 * 1024 * 1024;

/** Null where there is no such list, or one of the form for very large archives. */
export async function zipNames(handle: ReadHandle): Promise<readonly string[] | null> {
  const { size } = await handle.stat();
  const from = Math.max(0, size - MAX_END);
  const tail = await handle.read(from, size - from);
  const view = viewOf(tail);
  const ends: number[] = [];
  for (let at = 0; at <= tail.length - 22; at++) if (view.getUint32(at, true) === END_SIGNATURE) ends.push(at);
  // Of several ends one program takes this, another that.
  for (const at of ends.length === 1 ? ends : []) {
    const [count, length, start] = [
      view.getUint16(at + 10, true),
      view.getUint32(at + 12, true),
      view.getUint32(at + 16, true),
    ];
    // What stands in front of the archive moves all of it; then the list ends where the end begins.
    const isMoved = start + length !== from + at;
    if (count === 0xffff || start === 0xffffffff || length > MAX_LIST) return null;
    return listedNames(await handle.read(isMoved ? from + at - length : start, length), count);
  }
  return null;
}

function listedNames(list: Uint8Array, count: number): readonly string[] | null {
  const names: string[] = [];
  const view = viewOf(list);
  let at = 0;
  for (let entry = 0; entry < count; entry++) {
    if (at + 46 > list.length || view.getUint32(at, true) !== ENTRY_SIGNATURE) return null;
    const [name, extra, remark] = [
      view.getUint16(at + 28, true),
      view.getUint16(at + 30, true),
      view.getUint16(at + 32, true),
    ];
    names.push(new TextDecoder().decode(list.subarray(at + 46, at + 46 + name)).replaceAll('\\', '/'));
    at += 46 + name + extra + remark;
  }
  return names;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
