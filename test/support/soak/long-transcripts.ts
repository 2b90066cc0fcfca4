// Long transcripts as our own writer leaves them, and what it takes to go on with one.
import { spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { assistantLine, linkLine, SESSION, textBlock, userLine, uuidOf } from '../transcript-lines.js';

export interface LongTranscript {
  readonly records: number;
  /** Of one record, about. */
  readonly bytes: number;
  /** A compaction every so many records; 0 for none. */
  readonly compactEvery: number;
}

const BATCH = 1_000;
/** Messages of one prompt. */
const PROMPT = 20;

export async function writeLongTranscript(
  file: string,
  { records, bytes, compactEvery }: LongTranscript,
): Promise<void> {
  const handle = await open(file, 'w');
  const text = 'They said "yes", and went on.\n'.repeat(Math.ceil(bytes / 32)).slice(0, Math.max(1, bytes - 500));
  try {
    for (let from = 1; from <= records; from += BATCH)
      await writeRecords(handle, from, Math.min(records, from + BATCH - 1), text, compactEvery);
  } finally {
    await handle.close();
  }
}

async function writeRecords(handle: FileHandle, from: number, to: number, text: string, compactEvery: number) {
  let lines = '';
  for (let n = from; n <= to; n++) {
    const isBoundary = compactEvery > 0 && n % compactEvery === 0;
    const boundary = { parent: null, logicalParentUuid: uuidOf(n - 1), subtype: 'compact_boundary' };
    const entry = isBoundary
      ? linkLine(n, 'system', boundary)
      : n % 2 === 1
        ? userLine(n, `${n} ${text}`)
        : assistantLine(n, `msg_${n}`, [textBlock(`${n} ${text}`)]);
    lines += `${JSON.stringify(entry)}\n`;
    if (n % PROMPT === 0) lines += `${JSON.stringify(stateLine(n))}\n`;
  }
  await handle.appendFile(lines);
}

function stateLine(n: number) {
  const usage = { input_tokens: n, output_tokens: n, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const line = { usage, costPico: '1000', isPriceKnown: true, contextWindow: 200_000, maxOutputTokens: 32_000 };
  const ledger = { apiDurationMs: n, models: { 'claude-sonnet-5': line } };
  const state = { ledger, turns: n / 2, compaction: {}, todos: [] };
  return { type: 'turnwright-state', sessionId: SESSION, leafUuid: uuidOf(n), state };
}

export interface Start {
  readonly ms: number;
  readonly maxRssMb: number;
}

/** Starts a session in a process of its own, up to its first message. @param program `measure-start`, built */
export async function measureStart(program: string, cwd: string, home: string, isResumed: boolean): Promise<Start> {
  const child = spawn(process.execPath, [program], {
    cwd,
    env: { HOME: home, TURNWRIGHT_HOME: home, ...(isResumed ? { RESUME: SESSION } : {}) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  await new Promise((resolve) => child.on('close', resolve));
  return JSON.parse(stdout) as Start;
}

/** The middle one of several starts, by its time. */
export function typicalStart(starts: readonly Start[]): Start {
  const middle = starts.toSorted((a, b) => a.ms - b.ms)[Math.floor(starts.length / 2)];
  if (middle === undefined) throw new Error('Nothing was measured.');
  return middle;
}
