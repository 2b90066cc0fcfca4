// Bytes as base64, without Node.

/** A multiple of three, so that the pieces join; and few enough for the arguments of one call. */
const PIECE = 24_576;

export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE))));
  return pieces.join('');
}
