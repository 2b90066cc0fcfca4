// Ids of the host: the form of a UUID, every bit that may vary does, none twice, also without the device.
import { expect, it } from 'vitest';
import { createUuidSource, drawRandomBytes } from '../../src/host/random-ids.js';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

it('makes version 4 UUIDs, none twice', () => {
  const uuid = createUuidSource();
  const made = Array.from({ length: 10_000 }, uuid);
  for (const id of made) expect(id).toMatch(UUID_V4);
  expect(new Set(made).size).toBe(made.length);
});

it('uses every byte it draws, in order, once', () => {
  let drawn = 0;
  const uuid = createUuidSource((length) => Uint8Array.from({ length }, () => drawn++ & 0xff));
  expect(uuid()).toBe('00010203-0405-4607-8809-0a0b0c0d0e0f');
  expect(uuid()).toBe('10111213-1415-4617-9819-1a1b1c1d1e1f');
  const rest = Array.from({ length: 62 }, uuid);
  expect(new Set(rest).size).toBe(16); // the bytes go round after 16 ids
  expect(drawn).toBe(1024);
  uuid();
  expect(drawn).toBe(2048);
});

it('lets every free bit be either', () => {
  const ones = createUuidSource((length) => new Uint8Array(length).fill(0xff));
  const zeros = createUuidSource((length) => new Uint8Array(length));
  expect(ones()).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
  expect(zeros()).toBe('00000000-0000-4000-8000-000000000000');
});

it('draws as many bytes as asked for', () => {
  for (const length of [0, 1, 9, 1024, 70_000]) expect(drawRandomBytes(length)).toHaveLength(length);
  expect(drawRandomBytes(32)).not.toEqual(drawRandomBytes(32));
});
