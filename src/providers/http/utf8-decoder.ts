// Bytes to text where a chunk may end inside a character.

/**
 * A decoder for one stream. A byte order mark at its start is dropped, invalid bytes become U+FFFD.
 * Contract: the texts of all chunks joined are the text of all bytes joined, apart from an unfinished last character.
 */
export function createUtf8Decoder(): (chunk: Uint8Array) => string {
  // Whole characters only reach the decoder: its own streaming mode is several times slower on small chunks.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest: Uint8Array | null = null;
  let atStart = true;

  return (chunk) => {
    let bytes = chunk;
    if (rest !== null) {
      bytes = new Uint8Array(rest.length + chunk.length);
      bytes.set(rest);
      bytes.set(chunk, rest.length);
      rest = null;
    }
    const whole = wholeLength(bytes);
    if (whole < bytes.length) {
      rest = bytes.slice(whole);
      bytes = bytes.subarray(0, whole);
    }
    if (bytes.length === 0) return '';
    const text = decoder.decode(bytes);
    if (!atStart) return text;
    atStart = false;
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  };
}

/** How many bytes stand before an unfinished character at the end. */
function wholeLength(bytes: Uint8Array): number {
  const length = bytes.length;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] as number;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) {
      const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return size > back ? length - back : length;
    }
  }
  return length;
}
