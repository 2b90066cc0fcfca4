// Transcripts with what disks, crashes, other writers and editors leave of them. One rule: whatever it is, reading it
// ends, throws nothing, and gives a conversation that can be sent.
import { expect } from 'vitest';
import { initialState } from '../../../src/engine/query-loop.js';
import { createRequestBuilder } from '../../../src/engine/request/build-request.js';
import type { FileStat, ReadHandle } from '../../../src/host/host.js';
import { toMessageParam } from '../../../src/session/messages/history.js';
import { toConversation } from '../../../src/session/store/conversation.js';
import { fileSource } from '../../../src/session/store/line-reader.js';
import type { EntryValue } from '../../../src/session/store/read-entry.js';
import { readTranscript } from '../../../src/session/store/read-transcript.js';
import { restoreState } from '../../../src/session/store/restore-state.js';
import { validateModelRequest } from '../../../src/testing/wire/wire-validator.js';
import {
  answerLine,
  assistantLine,
  callBlock,
  fileText,
  linkLine,
  SESSION,
  textBlock,
  userLine,
  uuidOf,
} from '../transcript-lines.js';
import { createRandom, type Random } from './random.js';

export interface MutationFigures {
  /** Transcripts that still gave a conversation. */
  readonly used: number;
  /** Milliseconds for a megabyte, of each transcript, the quickest first. */
  readonly msPerMb: readonly number[];
}

/** Characters of one text of a base transcript: enough of them make a file whose reading can be timed. */
const TEXT = 'She said "go on", and they went on.\n'.repeat(80);

/** @throws what `expect` throws, with the number of the transcript, which the seed makes again */
export async function checkMutations(runs: number, seed: number): Promise<MutationFigures> {
  const bases = [ourLines(), otherLines()];
  const times: number[] = [];
  let used = 0;
  for (let run = 0; run < runs; run++) {
    const random = createRandom(seed + run);
    const bytes = mutate(random.pick(bases), random);
    const upTo = random.chance(0.1) ? uuidOf(random.int(1, 80)) : undefined;
    const { messages, msPerMb } = await bestOf(bytes, upTo);
    times.push(msPerMb);
    if (messages.length > 0) used += 1;
    const builder = createRequestBuilder();
    builder.configure({ system: ['You are a test.'], tools: [], maxTokens: 1_000 });
    const state = initialState({ messages: messages.map(toMessageParam), model: 'm', wantsValue: false });
    const violations = validateModelRequest(builder.build(state).request);
    expect({ run, violations }).toEqual({ run, violations: [] });
  }
  return { used, msPerMb: times.sort((a, b) => a - b) };
}

/**
 * Transcripts of several megabytes, as many lines as a long session has, damaged in the same ways.
 * @returns milliseconds for a megabyte of each, the quickest first
 */
export async function checkLargeMutations(runs: number, seed: number): Promise<readonly number[]> {
  const lines = Array.from({ length: LARGE_EXCHANGES }, (_, n) => exchange(1 + 10 * n)).flat();
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const random = createRandom(seed + run);
    times.push((await bestOf(mutate(lines, random), undefined)).msPerMb);
  }
  return times.sort((a, b) => a - b);
}

const LARGE_EXCHANGES = 200;
/** A reading that takes longer is repeated, as often as this at most. */
const MS_PER_MB = 10;
const REPEATS = 6;

/**
 * The shortest of several readings: what reading costs. A pause of the machine, or of its garbage collection, falls on
 * any of them, and on a file of a tenth of a megabyte it counts for ten times its length.
 */
async function bestOf(bytes: Uint8Array, upTo: string | undefined): ReturnType<typeof timed> {
  let best = await timed(bytes, upTo);
  for (let repeat = 0; repeat < REPEATS && best.msPerMb > MS_PER_MB; repeat++) {
    const again = await timed(bytes, upTo);
    if (again.msPerMb < best.msPerMb) best = again;
  }
  return best;
}

async function timed(bytes: Uint8Array, upTo: string | undefined) {
  const before = performance.now();
  const read = await readTranscript(fileSource(inMemory(bytes), bytes.length), {
    sessionId: SESSION,
    isSidechain: false,
    maxBytes: 16_000_000,
    ...(upTo === undefined ? {} : { upTo }),
  });
  const messages = toConversation(read.entries);
  restoreState(read, messages);
  return { messages, msPerMb: (performance.now() - before) / Math.max(bytes.length / 1e6, 0.05) };
}

/** As we write it: a compaction, states, titles, four calls at once. */
function ourLines(): EntryValue[] {
  const lines: EntryValue[] = [...exchange(1), ...exchange(11), ...exchange(21)];
  const summary = { parent: 31, extra: { isCompactSummary: true } };
  lines.push(linkLine(31, 'system', { parent: null, logicalParentUuid: uuidOf(30), subtype: 'compact_boundary' }));
  lines.push(userLine(32, `Summary. ${TEXT}`, summary), ...exchange(33, 32), ...exchange(43), ...exchange(53));
  return lines.flatMap((line, at) =>
    at % 9 === 8 ? [line, stateLine(at), { type: 'last-prompt', lastPrompt: TEXT, sessionId: SESSION }] : [line],
  );
}

/** A prompt, a reply with four calls, their results, an answer: ten lines. */
function exchange(n: number, parent: number | null = n === 1 ? null : n - 1): EntryValue[] {
  const ids = [0, 1, 2, 3].map((k) => `toolu_${n}_${k}`);
  const thinking = { type: 'thinking', thinking: `Thoughts \ud83d\ude00 ${TEXT}`, signature: `sig_${n}` };
  return [
    userLine(n, `Prompt ${n}. ${TEXT}`, { parent }),
    linkLine(n + 1, 'attachment', { attachment: { type: 'file' } }),
    assistantLine(n + 2, `msg_${n}`, [thinking, textBlock(TEXT), ...ids.map((id) => callBlock(id))]),
    ...ids.map((id, k) => answerLine(n + 3 + k, id, TEXT, { extra: { toolUseResult: { content: TEXT } } })),
    userLine(n + 7, 'A note.', { extra: { isMeta: true } }),
    linkLine(n + 8, 'progress'),
    assistantLine(n + 9, `msg_${n}_end`, [textBlock(`Done ${n}. ${TEXT}`)]),
  ];
}

/** As others write it: a line for each block, answers as branches, lines aside. */
function otherLines(): EntryValue[] {
  const lines: EntryValue[] = [{ type: 'summary', summary: 'A session', leafUuid: uuidOf(9) }];
  for (let n = 1; n < 60; n += 12) {
    lines.push(userLine(n, TEXT, { parent: n === 1 ? null : n - 1 }));
    for (const k of [1, 2, 3]) lines.push(assistantLine(n + k, `msg_${n}`, [callBlock(`toolu_${n}_${k}`)]));
    for (const k of [2, 1, 3]) lines.push(answerLine(n + 3 + k, `toolu_${n}_${k}`, TEXT, { parent: n + k }));
    lines.push(userLine(n + 7, TEXT, { parent: n, extra: { isSidechain: true } }));
    lines.push(assistantLine(n + 8, `msg_${n}_b`, [textBlock(TEXT)], { parent: n + 6 }));
    for (const k of [9, 10, 11]) lines.push(linkLine(n + k, k === 9 ? 'system' : 'progress', { content: TEXT }));
  }
  return lines;
}

function stateLine(at: number): EntryValue {
  const model = {
    usage: { input_tokens: at },
    costPico: '12345',
    isPriceKnown: true,
    contextWindow: 1,
    maxOutputTokens: 1,
  };
  const state = { ledger: { apiDurationMs: at, models: { m: model } }, turns: at, compaction: {}, todos: [] };
  return { type: 'turnwright-state', sessionId: SESSION, leafUuid: uuidOf(at), state };
}

function mutate(base: readonly EntryValue[], random: Random): Uint8Array {
  let lines: (EntryValue | string)[] = [...base];
  for (let n = random.int(1, 4); n > 0; n--) lines = mutateLines(lines, random);
  const bytes = Buffer.from(fileText(lines));
  const cut = random.chance(0.3) ? bytes.subarray(0, random.int(0, bytes.length)) : bytes;
  if (random.chance(0.3)) cut.fill(0, random.int(0, cut.length), random.int(0, cut.length));
  for (let n = random.chance(0.5) ? random.int(1, 20) : 0; n > 0 && cut.length > 0; n--)
    cut[random.int(0, cut.length - 1)] = random.int(0, 255);
  return cut;
}

const LINE_MUTATIONS: readonly ((lines: (EntryValue | string)[], at: number, random: Random) => void)[] = [
  (lines, at) => lines.splice(at, 1),
  (lines, at, random) => lines.splice(at, random.int(1, 20)),
  (lines, at, random) => lines.splice(random.int(0, lines.length), 0, ...lines.splice(at, random.int(1, 5))),
  (lines, at) => lines.splice(at, 0, lines[at] ?? ''),
  (lines, at, random) => lines.splice(at, 0, ...lines.slice(0, random.int(0, lines.length))),
  (lines, at, random) => lines.splice(at, 1, cutText(lines[at], random)),
  (lines, at, random) => lines.splice(at, 2, `${cutText(lines[at], random)}${JSON.stringify(lines[at + 1] ?? {})}`),
  (lines, at, random) => lines.splice(at, 0, random.pick(GARBAGE)),
  (lines, _at, random) => void lines.sort(() => random.next() - 0.5),
  (lines, at, random) => lines.splice(at, 1, changed(lines[at], random)),
];

const GARBAGE = [
  '',
  '\0\0\0\0',
  '{}',
  '[]',
  'null',
  '{"type":"user"}',
  '{"uuid":7}',
  '\ufeff{',
  '[['.repeat(50_000),
  '{"a":'.repeat(5_000),
  '\u2028',
];

const FIELDS = [
  'uuid',
  'parentUuid',
  'logicalParentUuid',
  'type',
  'sessionId',
  'isSidechain',
  'message',
  'timestamp',
  'compactMetadata',
];

function changed(line: EntryValue | string | undefined, random: Random): EntryValue | string {
  if (line === undefined || typeof line === 'string') return line ?? '';
  const values = [
    null,
    true,
    7,
    'x',
    {},
    [],
    uuidOf(random.int(1, 70)),
    { content: null },
    { content: [null, {}, 'x'] },
    { preservedMessages: { anchorUuid: uuidOf(random.int(1, 70)), uuids: [uuidOf(random.int(1, 70))] } },
  ];
  return { ...line, [random.pick(FIELDS)]: random.pick(values) };
}

function cutText(line: EntryValue | string | undefined, random: Random): string {
  const text = typeof line === 'string' ? line : JSON.stringify(line ?? {});
  return text.slice(0, random.int(0, text.length));
}

function mutateLines(lines: readonly (EntryValue | string)[], random: Random): (EntryValue | string)[] {
  const changedLines = [...lines];
  random.pick(LINE_MUTATIONS)(changedLines, random.int(0, Math.max(0, lines.length - 1)), random);
  return changedLines;
}

function inMemory(bytes: Uint8Array): ReadHandle {
  return {
    stat: async () => ({ kind: 'file', size: bytes.length }) as FileStat,
    read: async (position, length) => bytes.slice(position, position + length),
    close: async () => undefined,
  };
}
