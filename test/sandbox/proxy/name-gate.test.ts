// What goes through a tunnel of TLS, and what does not: greetings of a real client, cut and joined in every way.
import { Duplex } from 'node:stream';
import tls from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createNameGate, helloNames } from '../../../src/sandbox/proxy/egress.js';

/** The first thing that Node sends. */
function hello(servername?: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _encoding, done) {
        resolve(chunk);
        done();
      },
    });
    tls.connect({ socket, ...(servername === undefined ? {} : { servername }) }).on('error', () => undefined);
  });
}

const record = (kind: number, content: Buffer) =>
  Buffer.concat([Buffer.from([kind, 3, 1, content.length >> 8, content.length & 0xff]), content]);
/** The same message, in records of a few bytes each. */
const inPieces = (whole: Buffer, size: number) => {
  const content = whole.subarray(5);
  const starts = Array.from({ length: Math.ceil(content.length / size) }, (_, at) => at * size);
  return Buffer.concat(starts.map((start) => record(0x16, content.subarray(start, start + size))));
};

/** What goes on of the chunks, and why it ended; '' if it did not. */
async function pass(chunks: readonly Buffer[], refused = 'evil.example'): Promise<{ got: Buffer; why: string }> {
  const gate = createNameGate((name) => (name === refused ? `${name} is refused` : null));
  const got: Buffer[] = [];
  gate.on('data', (chunk: Buffer) => got.push(chunk));
  let why = '';
  const ended = new Promise<void>((resolve) => {
    gate.on('error', (error) => {
      why = error.message;
    });
    gate.on('close', resolve);
  });
  for (const chunk of chunks) if (!gate.destroyed) gate.write(chunk);
  if (!gate.destroyed) gate.end();
  await ended;
  return { got: Buffer.concat(got), why };
}

const APP = record(0x17, Buffer.from('application data'));
const CIPHER = record(0x14, Buffer.from([1]));

describe('a greeting', () => {
  it('says which name it asks for', async () => {
    expect(helloNames((await hello('good.example')).subarray(9))).toEqual(['good.example']);
    expect(helloNames((await hello()).subarray(9))).toEqual([]);
    const whole = (await hello('good.example')).subarray(9);
    for (let length = 40; length < whole.length; length += 7) {
      expect(helloNames(whole.subarray(0, length))).toSatisfy((names) => names === null || names.length === 0);
    }
  });

  it.each([1, 2, 5, 6, 50, 100_000])('that may be goes on whole, in chunks of %i', async (size) => {
    const sent = Buffer.concat([await hello('good.example'), CIPHER, APP, APP]);
    const chunks = Array.from({ length: Math.ceil(sent.length / size) }, (_, at) =>
      sent.subarray(at * size, (at + 1) * size),
    );
    expect(await pass(chunks)).toEqual({ got: sent, why: '' });
  });

  it.each([1, 3, 64, 10_000])('that may not be does not go on, in records of %i', async (size) => {
    const { got, why } = await pass([inPieces(await hello('evil.example'), size), APP]);
    expect({ why, length: got.length }).toEqual({ why: 'evil.example is refused', length: 0 });
  });

  it('without a name goes on', async () => {
    const sent = Buffer.concat([await hello(), APP]);
    expect(await pass([sent])).toEqual({ got: sent, why: '' });
  });

  it.each([
    { name: 'at once', between: [] },
    { name: 'after a change of cipher', between: [CIPHER] },
    { name: 'after data', between: [APP, CIPHER, APP] },
  ])('that comes second, $name, is looked at too', async ({ between }) => {
    const [first, second] = [await hello('good.example'), await hello('evil.example')];
    const before = Buffer.concat([first, ...between]);
    const { got, why } = await pass([before, inPieces(second, 90), APP]);
    expect(why).toBe('evil.example is refused');
    expect(got.includes('evil.example')).toBe(false);
    expect(got.subarray(0, before.length)).toEqual(before);
  });

  it.each([
    ['a message of another kind', record(0x16, Buffer.from([2, 0, 0, 4, 3, 3, 0, 0]))],
    ['a message that is too long', record(0x16, Buffer.from([1, 255, 255, 255, 0]))],
    ['a record that is too long', Buffer.from([0x16, 3, 1, 255, 255, 0])],
    ['half a greeting', record(0x16, Buffer.from([1, 0, 0, 4, 3, 3, 0, 0]))],
    ['data first', Buffer.concat([Buffer.from([0x16, 3, 1, 0, 0]), APP])],
  ])('that is none does not go on: %s', async (_name, bytes) => {
    const { got, why } = await pass([bytes]);
    expect(why).toMatch(/^this is no (beginning of )?TLS$/);
    expect(got.length).toBeLessThanOrEqual(5);
  });
});

describe('what is no TLS', () => {
  it.each(['SSH-2.0-x\r\n', 'GET / HTTP/1.1\r\n\r\n', '\u0016\u0001nothing', '\u0000'])('goes on: %j', async (text) => {
    const sent = Buffer.from(text, 'latin1');
    expect(await pass([sent.subarray(0, 1), sent.subarray(1), sent])).toEqual({
      got: Buffer.concat([sent, sent]),
      why: '',
    });
  });

  it('and what is encrypted by an older TLS, goes on', async () => {
    const encrypted = [0x01, 0x14, 0xff].map((first) => record(0x16, Buffer.alloc(60, first)));
    const sent = Buffer.concat([await hello('good.example'), record(0x16, Buffer.from([16, 0, 0, 1, 9])), CIPHER]);
    const all = Buffer.concat([sent, ...encrypted, APP, ...encrypted, APP]);
    expect(await pass([all])).toEqual({ got: all, why: '' });
  });
});
