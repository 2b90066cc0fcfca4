// Everything that can go wrong with a reply, as data: what happens, where, and which failure it must be.
import { ModelError, type ModelErrorKind } from '../../../src/protocol/errors.js';
import type { MockAnswer } from '../../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import type { Conformer } from './adapters.js';

export interface Fault {
  readonly name: string;
  readonly answer: MockAnswer;
  readonly kind: ModelErrorKind;
  readonly isRetried: boolean;
  /** True where only a limit of time ends it. */
  readonly isSilent?: boolean;
}

/** Characters of one delta. */
export const CHUNK_SIZE = 6;
/** What a fault breaks off: a text, then a call. */
const REPLY = reply(text('first second third'), toolCall('Probe', { value: 'something that takes several deltas' }));

/** How many frames come before the fault. */
const POSITIONS: readonly (readonly [name: string, count: (frames: readonly string[], opening: number) => number])[] = [
  ['after the start', (_, opening) => opening],
  ['in the text', (frames) => frames.findIndex((frame) => frame.includes('first')) + 1],
  ['before the call', (frames) => frames.findIndex((frame) => frame.includes('Probe'))],
  ['in the input of the call', (frames) => frames.findIndex((frame) => frame.includes('Probe')) + 4],
  ['before the end marker', (frames) => frames.length - 1],
];

const BREAKS: readonly (readonly [name: string, answer: (frames: number) => MockAnswer, kind: ModelErrorKind])[] = [
  ['the connection is cut', (frames) => ({ ...REPLY, cutAfterEvents: frames }), 'stream_cut'],
  ['an overload', (frames) => ({ ...REPLY, cutAfterEvents: frames, cutWith: failure('overloaded') }), 'overloaded'],
  ['a failure of the server', (frames) => ({ ...REPLY, cutAfterEvents: frames, cutWith: failure('server') }), 'server'],
  ['silence', (frames) => ({ ...REPLY, stallAfterEvents: frames }), 'stream_idle'],
  ['pings for ever', (frames) => ({ ...REPLY, stallAfterEvents: frames, pings: true, pingEveryMs: 5 }), 'stream_idle'],
];

const STATUSES: readonly (readonly [name: string, answer: MockAnswer, kind: ModelErrorKind, isRetried: boolean])[] = [
  ['400', { status: 400 }, 'invalid_request', false],
  ['a full window', { error: failure('context_overflow') }, 'context_overflow', false],
  ['a wrong key', { error: failure('authentication') }, 'authentication', false],
  ['a spent quota', { error: failure('quota') }, 'quota', false],
  ['a forbidden model', { error: failure('permission') }, 'permission', false],
  ['an unknown model', { error: failure('not_found') }, 'not_found', false],
  ['408', { status: 408 }, 'timeout', true],
  ['409', { status: 409 }, 'server', true],
  ['413', { error: failure('request_too_large') }, 'request_too_large', false],
  ['429', { error: failure('rate_limit') }, 'rate_limit', true],
  ['500', { status: 500 }, 'server', true],
  ['502 with a page', { status: 502, body: '<html>Bad Gateway</html>' }, 'server', true],
  ['529', { error: failure('overloaded') }, 'overloaded', true],
  ['a closed connection', { error: failure('connection') }, 'connection', true],
  ['one JSON document', { ...REPLY, malformed: 'json' }, 'malformed', true],
  ['an empty stream', { ...REPLY, malformed: 'empty' }, 'malformed', true],
  ['an event that is not JSON', { ...REPLY, malformed: 'bad-json' }, 'malformed', true],
  ['events out of order', { ...REPLY, malformed: 'out-of-order' }, 'malformed', true],
];

function failure(kind: ModelErrorKind): ModelError {
  return new ModelError(kind, `Scripted ${kind}.`);
}

export function faultsOf(adapter: Conformer): Fault[] {
  const frames = adapter.frames(REPLY, CHUNK_SIZE);
  const broken = POSITIONS.flatMap(([place, count]) =>
    BREAKS.map(([name, answer, kind]): Fault => {
      const at = count(frames, adapter.opening);
      if (at < 1 || at >= frames.length)
        throw new Error(`${adapter.api}: no place "${place}" among ${frames.length} frames`);
      return { name: `${name} ${place}`, answer: answer(at), kind, isRetried: true, isSilent: kind === 'stream_idle' };
    }),
  );
  const early: Fault[] = [
    { name: 'no answer at all', answer: { stall: true }, kind: 'timeout', isRetried: true, isSilent: true },
    {
      name: 'pings and nothing else',
      answer: { stall: true, pings: true, pingEveryMs: 5 },
      kind: 'timeout',
      isRetried: true,
      isSilent: true,
    },
  ];
  return [
    ...STATUSES.map(([name, answer, kind, isRetried]) => ({ name, answer, kind, isRetried })),
    // Who reads the answer by itself does not say what it was.
    {
      name: 'a web page',
      answer: { ...REPLY, malformed: 'html' },
      kind: 'malformed',
      isRetried: adapter.api.startsWith('ai-sdk'),
    },
    ...early,
    ...broken,
  ];
}
