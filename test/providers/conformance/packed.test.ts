// Replies that come packed, though none are asked for: unpacked on every protocol, cut or broken ones failures, bombs
// given up.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as zlib from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { foldEvents } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { attempt } from '../../support/anthropic-replies.js';
import { sendChunks } from '../../support/sse-server.js';
import { ADAPTERS, CONFORMERS, type WireAdapter } from './adapters.js';

type Pack = (bytes: Uint8Array) => Buffer;

const PACKINGS: readonly (readonly [name: string, pack: Pack])[] = [
  ['gzip', (bytes) => zlib.gzipSync(bytes)],
  ['x-gzip', (bytes) => zlib.gzipSync(bytes)],
  ['GZIP', (bytes) => zlib.gzipSync(bytes)],
  ['deflate', (bytes) => zlib.deflateSync(bytes)],
  ['deflate', (bytes) => zlib.deflateRawSync(bytes)],
  ['br', (bytes) => zlib.brotliCompressSync(bytes)],
];
const REPLY = reply(text('é'.repeat(300)), toolCall('Read', { k: 'v' }, 'a'));

function bodyOf(adapter: WireAdapter): Buffer {
  const frames = CONFORMERS.find(({ api }) => api === adapter.api)?.frames(REPLY, 7) ?? [];
  return Buffer.from(frames.join(''));
}

async function serveBy(adapter: WireAdapter, answer: (response: ServerResponse, incoming: IncomingMessage) => unknown) {
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => void answer(response, incoming));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const provider = adapter.connect(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  onTestFinished(async () => {
    provider.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return provider;
}

const headOf = (packing: string) => ({ 'content-type': 'text/event-stream', 'content-encoding': packing });

/** In pieces of this many bytes, each a write of its own. */
function inPieces(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

describe.each(ADAPTERS)('$api', (adapter) => {
  const body = bodyOf(adapter);

  it.each(PACKINGS)('reads a reply packed as %s, in one piece and byte by byte', async (packing, pack) => {
    const packed = pack(body);
    let size = packed.length;
    const provider = await serveBy(adapter, async (response, incoming) => {
      expect(incoming.headers['accept-encoding']).toBe('identity');
      await sendChunks(response.writeHead(200, headOf(packing)), inPieces(packed, size));
      response.end();
    });
    for (size of [packed.length, 1]) {
      const { events, error } = await attempt(provider);
      expect(error).toBeNull();
      expect(foldEvents(events).content).toMatchObject([
        { text: 'é'.repeat(300) },
        { name: 'Read', input: { k: 'v' } },
      ]);
    }
  });

  it('gives each event when it comes, and ends with the last one, though the packing has not', async () => {
    const packer = zlib.createGzip();
    const provider = await serveBy(adapter, (response) => {
      packer.pipe(response.writeHead(200, headOf('gzip')));
      packer.write(body);
      packer.flush();
    });
    expect((await attempt(provider)).error).toBeNull();
    packer.destroy();
  });

  it('is a failure and no end if it is cut, after any number of bytes', async () => {
    const packed = zlib.gzipSync(body);
    let count = 0;
    const provider = await serveBy(adapter, async (response) => {
      await sendChunks(response.writeHead(200, headOf('gzip')), [packed.subarray(0, count)]);
      if (count % 2 === 0) response.end();
      else response.write('', () => response.socket?.destroy());
    });
    // The last bytes are a checksum, and some of what comes before an end mark.
    for (count = 1; count < packed.length - 100; count += 9) {
      const { events, error } = await attempt(provider);
      expect(error, `after ${count} bytes`).toMatchObject({ retryable: true });
      expect(events.some(({ type }) => type === 'message_stop')).toBe(false);
    }
  });

  it('gives what came before a break, and is tried again', async () => {
    const half = zlib.gzipSync(body.subarray(0, body.length / 2), { finishFlush: zlib.constants.Z_SYNC_FLUSH });
    const answers = [[half, Buffer.alloc(2_000, 0xff)], [half]];
    const provider = await serveBy(adapter, async (response) => {
      await sendChunks(response.writeHead(200, headOf('gzip')), answers.shift() ?? []);
      if (answers.length === 0) response.write('', () => response.socket?.destroy());
      else response.end();
    });
    for (const how of ['broken', 'cut']) {
      const { events, error } = await attempt(provider);
      expect(events.length, how).toBeGreaterThan(1);
      expect(error, how).toMatchObject({ kind: 'stream_cut', retryable: true });
    }
  });

  it('says what is not packed as it says', async () => {
    const provider = await serveBy(adapter, (response) => response.writeHead(200, headOf('gzip')).end(body));
    const { error } = await attempt(provider);
    expect(error).toMatchObject({
      kind: 'malformed',
      retryable: true,
      message: expect.stringContaining('cannot be unpacked'),
    });
  });

  it('reads a packed failure, and of an unknown packing goes by the status', async () => {
    const packed = zlib.gzipSync(JSON.stringify({ error: { type: 'x', message: 'No such deployment.' } }));
    const headers = { 'content-type': 'application/json' };
    const packings = ['gzip', 'snappy'];
    const provider = await serveBy(adapter, (response) => {
      response.writeHead(404, { ...headers, 'content-encoding': packings.shift() ?? '' }).end(packed);
    });
    expect((await attempt(provider)).error).toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('No such deployment'),
    });
    const { error } = await attempt(provider);
    expect(error).toMatchObject({ kind: 'not_found', status: 404 });
    expect(error?.message).not.toContain('�');
  });

  it.each(['snappy', 'gzip, br', 'exi\u00ff'])(
    'names a packing that it cannot undo, and does not try again: %s',
    async (packing) => {
      const provider = await serveBy(adapter, (response) => {
        const head = response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': packing });
        head.end(zlib.gzipSync(body));
      });
      const { error } = await attempt(provider);
      expect(error).toMatchObject({ kind: 'malformed', retryable: false, status: 200 });
      expect(error?.message).toContain(`packed as "${packing}"`);
      expect(error?.message).toContain('gzip, deflate, br');
    },
  );

  it('uses the connection again after a packed reply', async () => {
    const ports = new Set<number | undefined>();
    const provider = await serveBy(adapter, (response, incoming) => {
      ports.add(incoming.socket.remotePort);
      response.writeHead(200, headOf('gzip')).end(zlib.gzipSync(body));
    });
    for (let count = 0; count < 3; count++) expect((await attempt(provider)).error).toBeNull();
    expect(ports.size).toBe(1);
  });
});

describe('a bomb', () => {
  const [adapter] = ADAPTERS;
  if (adapter === undefined) throw new Error('There is no protocol.');

  it.each<[string, Pack]>([
    ['gzip', (bytes) => zlib.gzipSync(bytes)],
    ['br', (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])('of comments is given up, packed as %s', async (packing, pack) => {
    const packed = pack(Buffer.alloc(24 * 1024 * 1024, ': still here\n\n'));
    const provider = await serveBy(adapter, (response) => response.writeHead(200, headOf(packing)).end(packed));
    const { error } = await attempt(provider);
    expect(error).toMatchObject({ kind: 'malformed', retryable: false });
    expect(error?.message).toContain('unpacks to a size');
  });
});

it('zstd is unpacked if Node can, and named if it cannot', async () => {
  const [adapter] = ADAPTERS;
  if (adapter === undefined) throw new Error('There is no protocol.');
  const pack = (zlib as { zstdCompressSync?: Pack }).zstdCompressSync;
  const bytes = bodyOf(adapter);
  const provider = await serveBy(adapter, (response) =>
    response.writeHead(200, headOf('zstd')).end(pack === undefined ? bytes : pack(bytes)),
  );
  const { error } = await attempt(provider);
  if (pack === undefined) expect(error?.message).toContain('packed as "zstd"');
  else expect(error).toBeNull();
});
