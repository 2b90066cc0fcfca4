// The names that a TLS client asks a server for, of its first message. Pure. Nothing else of TLS is looked at.

const RANDOM_AT = 2;
const RANDOM_LENGTH = 32;
const SERVER_NAME = 0;
const HOST_NAME = 0;

/**
 * Of a whole ClientHello, without the head of the handshake message. No names where it has none; null where it is no
 * ClientHello.
 */
export function helloNames(body: Buffer): readonly string[] | null {
  try {
    let at = RANDOM_AT + RANDOM_LENGTH;
    at += 1 + body.readUInt8(at); // session
    at += 2 + body.readUInt16BE(at); // ciphers
    at += 1 + body.readUInt8(at); // compression
    if (at === body.length) return [];
    const end = at + 2 + body.readUInt16BE(at);
    if (end !== body.length) return null;
    const names: string[] = [];
    for (at += 2; at < end; ) {
      const kind = body.readUInt16BE(at);
      const length = body.readUInt16BE(at + 2);
      if (at + 4 + length > end) return null;
      if (kind === SERVER_NAME) names.push(...namesOf(body.subarray(at + 4, at + 4 + length)));
      at += 4 + length;
    }
    return names;
  } catch (error) {
    if (error instanceof RangeError) return null; // it ends too soon
    throw error;
  }
}

/** @throws RangeError */
function namesOf(list: Buffer): string[] {
  const names: string[] = [];
  const end = 2 + list.readUInt16BE(0);
  for (let at = 2; at < end; ) {
    const length = list.readUInt16BE(at + 1);
    if (at + 3 + length > list.length) throw new RangeError('A name is longer than its list.');
    if (list.readUInt8(at) === HOST_NAME) names.push(list.toString('latin1', at + 3, at + 3 + length));
    at += 3 + length;
  }
  return names;
}
