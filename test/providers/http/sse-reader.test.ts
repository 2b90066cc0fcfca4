// Events out of streams however they are cut: the same as a parser that others wrote and use gives.
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseReader } from '../../../src/providers/http/sse-reader.js';

type Read = readonly (readonly [data: string, event: string | undefined])[];

function read(pieces: readonly string[], maxChars = 1_000_000): Read {
  const events: (readonly [string, string | undefined])[] = [];
  const reader = new SseReader(
    { event: (data, event) => void events.push([data, event]) },
    maxChars,
    () => new Error('too long'),
  );
  for (const piece of pieces) reader.feed(piece);
  return events;
}

function expected(text: string): Read {
  const events: (readonly [string, string | undefined])[] = [];
  createParser({ onEvent: ({ data, event }) => void events.push([data, event]) }).feed(text);
  return events;
}

function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...ends, text.length].map((end, at) => text.slice(ends[at - 1] ?? 0, end));
}

const lines = fc.constantFrom(
  'data: {"a":1}',
  'data:no space',
  'data:  two spaces',
  'data:',
  'data',
  'data: ',
  'data: x\u2028y: z',
  'event: ping',
  'event:',
  'event',
  'event: a: b',
  'eventually: no',
  'database: no',
  'id: 7',
  'retry: 10',
  ': a comment',
  ':',
  ' data: indented',
  'Data: upper',
  '',
  '',
  '',
);
const ends = fc.constantFrom('\n', '\r\n', '\r');

describe('a reader of server-sent events', () => {
  it('gives what another parser gives, wherever the text is cut', () => {
    const streams = fc.tuple(
      fc.array(fc.tuple(lines, ends), { maxLength: 30 }),
      fc.array(fc.nat(500), { maxLength: 12 }),
    );
    fc.assert(
      fc.property(streams, ([parts, places]) => {
        const body = parts.map(([line, end]) => line + end).join('');
        // What ends in a return could go on with a line feed: only the one who ends the stream knows.
        const text = body.replace(/\r$/, '\r\n');
        expect(read(cut(text, places))).toEqual(expected(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it('reads a line of 20 MB in pieces without joining them again and again', () => {
    const piece = 'x'.repeat(2_000);
    const pieces = ['data: ', ...Array.from({ length: 10_000 }, () => piece), '\n\n'];
    const [event] = read(pieces, 64 * 1024 * 1024);
    expect(event?.[0].length).toBe(20_000_000);
  });

  it.each([
    ['a line', ['data: ', 'x'.repeat(60), 'x'.repeat(60)]],
    ['lines of one event', Array.from({ length: 12 }, () => `data: ${'x'.repeat(10)}\n`)],
    ['a line behind others', [`data: ${'x'.repeat(90)}\ndata: ${'x'.repeat(20)}`]],
  ])('stops at %s longer than it may be', (_, pieces) => {
    expect(() => read(pieces, 100)).toThrow('too long');
  });
});
