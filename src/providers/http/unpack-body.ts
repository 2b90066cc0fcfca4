// The body of a reply that came packed, unpacked while it streams. Loaded with the first such reply: none is asked for,
// but proxies pack what they pass on. Rule: how much comes out is bounded by how much came in.
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

/** What becomes of a packed body. Contract: nothing is called after `end`, `fail` or `UnpackedBody.drop`. */
export interface UnpackedSink {
  data(chunk: Uint8Array): void;
  /** All that could be unpacked was given. */
  end(): void;
  /** It is not what it says, or far too much comes out. */
  fail(reason: UnpackFailure): void;
}

export type UnpackFailure =
  /** What came cannot be unpacked: none of it, or not all. */
  { readonly kind: 'unreadable' | 'broken'; readonly cause: unknown } | { readonly kind: 'too_much' };

export interface UnpackedBody {
  pause(): void;
  resume(): void;
  /** Nothing more arrives: what is there is still given, then the sink hears `end`. */
  finish(): void;
  /** It does not matter any more. */
  drop(): void;
}

/** Unpacked bytes that nobody asks questions about. */
const FREE_BYTES = 16 * 1024 * 1024;
/** Beyond them, bytes that may come out of one that came in. A stream of single words packs to a 40th. */
const MAX_RATIO = 200;

/** What can be unpacked here; zstd since Node 22.15. */
export const KNOWN_PACKINGS: readonly string[] = [
  'gzip',
  'deflate',
  'br',
  ...('createZstdDecompress' in zlib ? ['zstd'] : []),
];

/**
 * @param packing a value of `content-encoding`, in any case
 * @returns null if it is none that is known
 */
export function unpackBody(response: IncomingMessage, packing: string, sink: UnpackedSink): UnpackedBody | null {
  const name = packing.trim().toLowerCase().replace(/^x-/, '');
  return KNOWN_PACKINGS.includes(name) ? new Unpacking(response, name, sink) : null;
}

class Unpacking implements UnpackedBody {
  readonly #response: IncomingMessage;
  readonly #packing: string;
  #sink: UnpackedSink | null;
  #decoder: Transform | null = null;
  #received = 0;
  #given = 0;

  constructor(response: IncomingMessage, packing: string, sink: UnpackedSink) {
    this.#response = response;
    this.#packing = packing;
    this.#sink = sink;
    response.on('data', this.#onPacked);
    response.on('end', this.#onEnd);
  }

  pause(): void {
    this.#decoder?.pause();
  }

  resume(): void {
    this.#decoder?.resume();
  }

  finish(): void {
    if (this.#decoder === null) this.#end();
    else this.#decoder.end();
  }

  drop(): void {
    this.#sink = null;
    this.#response.off('data', this.#onPacked);
    this.#response.off('end', this.#onEnd);
    this.#decoder?.destroy();
  }

  readonly #onEnd = () => this.finish();

  readonly #onPacked = (chunk: Buffer) => {
    this.#received += chunk.length;
    this.#decoder ??= this.#open(chunk[0] ?? 0);
    if (!this.#decoder.write(chunk)) this.#response.pause();
  };

  #open(firstByte: number): Transform {
    const decoder = createDecoder(this.#packing, firstByte);
    decoder.on('data', (chunk: Buffer) => this.#give(chunk));
    decoder.on('drain', () => this.#response.resume());
    decoder.on('end', () => this.#end());
    decoder.on('error', (cause) => this.#fail({ kind: this.#given === 0 ? 'unreadable' : 'broken', cause }));
    return decoder;
  }

  #give(chunk: Buffer): void {
    this.#given += chunk.length;
    if (this.#given > FREE_BYTES && this.#given > this.#received * MAX_RATIO) this.#fail({ kind: 'too_much' });
    else this.#sink?.data(chunk);
  }

  #end(): void {
    const sink = this.#sink;
    this.drop();
    sink?.end();
  }

  #fail(reason: UnpackFailure): void {
    const sink = this.#sink;
    this.drop();
    sink?.fail(reason);
  }
}

/** What was cut is given as far as it goes: whether the reply is whole, its own end says. */
const AS_FAR_AS_IT_GOES = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };

function createDecoder(packing: string, firstByte: number): Transform {
  switch (packing) {
    case 'gzip':
      return zlib.createGunzip(AS_FAR_AS_IT_GOES);
    case 'deflate':
      // With the header of zlib, as it should be, or without, as some send it.
      return (firstByte & 0x0f) === 8
        ? zlib.createInflate(AS_FAR_AS_IT_GOES)
        : zlib.createInflateRaw(AS_FAR_AS_IT_GOES);
    case 'br': {
      const flush = zlib.constants.BROTLI_OPERATION_FLUSH;
      return zlib.createBrotliDecompress({ flush, finishFlush: flush });
    }
    default:
      return createZstdDecoder();
  }
}

/** The types are those of the oldest Node, which has none of it. */
interface ZstdOfNode {
  createZstdDecompress(options: { flush: number; finishFlush: number; params: Record<number, number> }): Transform;
  readonly constants: { readonly ZSTD_e_flush: number; readonly ZSTD_d_windowLogMax: number };
}

/** The largest window that RFC 9659 lets a server use, as a power of two. */
const ZSTD_WINDOW_LOG = 23;

function createZstdDecoder(): Transform {
  const { createZstdDecompress, constants } = zlib as unknown as ZstdOfNode;
  return createZstdDecompress({
    flush: constants.ZSTD_e_flush,
    finishFlush: constants.ZSTD_e_flush,
    params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
  });
}
