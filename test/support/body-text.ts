/** The text of a body that is sent in pieces. */
export function bodyText(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString('utf8');
}
