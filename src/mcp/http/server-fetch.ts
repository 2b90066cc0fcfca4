// The requests of one MCP server: its headers, and how much it may answer. One rule: headers of the definition go to the
// server's own origin and nowhere else.
import type { RoutedFetch } from '../../providers/http/index.js';

/** The longest answer, and the longest event of a stream. Bytes. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export type ServerFetch = (address: string | URL, init?: RequestInit) => Promise<Response>;

/** Contract: what the published client sets for itself stays, such as the id of the session. */
export function createServerFetch(
  fetch: RoutedFetch,
  server: URL,
  headers: Readonly<Record<string, string>>,
): ServerFetch {
  return async (address, init = {}) => {
    const url = new URL(address);
    const sent = new Headers(url.origin === server.origin ? headers : {});
    for (const [name, value] of new Headers(init.headers)) sent.set(name, value);
    const response = await fetch(url, { ...init, headers: sent });
    if (response.body === null) return response;
    const isStream =
      response.headers.get('content-type')?.trim().toLowerCase().startsWith('text/event-stream') === true;
    const { status } = response;
    return new Response(response.body.pipeThrough(limited(isStream)), { status, headers: response.headers });
  };
}

/** Of a stream each event is measured by itself: an empty line ends one. */
function limited(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = isStream ? lastEventEnd(chunk) : -1;
      bytes = end === -1 ? bytes + chunk.length : chunk.length - end;
      if (bytes <= MAX_MESSAGE_BYTES) return controller.enqueue(chunk);
      controller.error(new Error(`it sent a message of more than ${MAX_MESSAGE_BYTES} bytes`));
    },
  });
}

const LF = 0x0a;
const CR = 0x0d;

/** Behind the last two line ends that follow each other; -1 if there are none. */
function lastEventEnd(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at > 0; at -= 1) {
    if (chunk[at] !== LF && chunk[at] !== CR) continue;
    const before = chunk[at] === LF && chunk[at - 1] === CR ? at - 2 : at - 1;
    if (before >= 0 && (chunk[before] === LF || chunk[before] === CR)) return at + 1;
  }
  return -1;
}
