// A packed body as it is unpacked: never faster than it is taken, and nothing after it was dropped.
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type UnpackedBody, unpackBody } from '../../../src/providers/http/unpack-body.js';

const MEGABYTE = 1024 * 1024;

/** The body as far as it is used here: a stream. */
function begin(packed: Uint8Array) {
  const source = new PassThrough();
  const state = { bytes: 0, end: null as string | null };
  const body = unpackBody(source as unknown as IncomingMessage, 'gzip', {
    data: (chunk) => {
      state.bytes += chunk.length;
      onData();
    },
    end: () => {
      state.end = 'end';
    },
    fail: ({ kind }) => {
      state.end = kind;
    },
  }) as UnpackedBody;
  let onData: () => void = () => body.pause();
  source.end(packed);
  return { source, state, body, flow: () => (onData = () => undefined) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('waits for who is slow, and then gives all', async () => {
  const { state, body, flow } = begin(gzipSync(Buffer.alloc(10 * MEGABYTE, 'x')));
  while (state.bytes === 0) await turn();
  for (let count = 0; count < 500; count++) await turn();
  expect(state.bytes).toBeLessThan(MEGABYTE);
  flow();
  body.resume();
  while (state.end === null) await turn();
  expect(state).toEqual({ bytes: 10 * MEGABYTE, end: 'end' });
});

it('says nothing after it was dropped', async () => {
  const { source, state, body } = begin(gzipSync(Buffer.alloc(10 * MEGABYTE, 'x')));
  while (state.bytes === 0) await turn();
  const { bytes } = state;
  body.drop();
  body.resume();
  source.resume();
  for (let count = 0; count < 500; count++) await turn();
  expect(state).toEqual({ bytes, end: null });
});

it('ends an empty body', () => {
  const { state, body } = begin(new Uint8Array());
  body.finish();
  expect(state).toEqual({ bytes: 0, end: 'end' });
});
