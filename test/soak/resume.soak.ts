// Long sessions: resuming one costs what is sent, not what is in the file.
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import { projectFolder } from '../../src/session/store/session-places.js';
import { buildEntry, temporaryFolder } from '../e2e/run-cli.js';
import { recordFigure } from '../support/figures.js';
import {
  type LongTranscript,
  measureStart,
  type Start,
  typicalStart,
  writeLongTranscript,
} from '../support/soak/long-transcripts.js';
import { buildProgram } from '../support/soak/programs.js';
import { SESSION } from '../support/transcript-lines.js';

const RUNS = 15;
let program = '';

beforeAll(async () => {
  buildEntry();
  program = await buildProgram('measure-start');
});

/** What resuming adds to a start, and the memory of the whole process. */
async function measure(transcript: LongTranscript): Promise<Start> {
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  const folder = await projectFolder(createNodeHost(), home, cwd);
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${SESSION}.jsonl`);
  await writeLongTranscript(file, transcript);
  const plain: Start[] = [];
  const resumed: Start[] = [];
  // In turns: a machine that becomes slower in between must not count as a resume that is slow.
  for (let run = 0; run < RUNS; run++) {
    plain.push(await measureStart(program, cwd, home, false));
    resumed.push(await measureStart(program, cwd, home, true));
  }
  await rm(file);
  const typical = typicalStart(resumed);
  return { ms: typical.ms - typicalStart(plain).ms, maxRssMb: typical.maxRssMb };
}

const GIGABYTE = { records: 100_000, bytes: 10_700 };

it.each<readonly [string, LongTranscript, number, number]>([
  ['2,000 messages', { records: 2_000, bytes: 1_500, compactEvery: 0 }, 30, 150],
  ['1 GB in 100,000 records, a compaction every 1,500', { ...GIGABYTE, compactEvery: 1_500 }, 1_500, 150],
  ['1 GB in 100,000 records, no compaction', { ...GIGABYTE, compactEvery: 0 }, 1_500, 150],
])('of %s', async (name, transcript, maxMs, maxMb) => {
  const { ms, maxRssMb } = await measure(transcript);
  recordFigure('resume', `${name}: added to a start`, ms.toFixed(1), 'ms');
  recordFigure('resume', `${name}: memory of the process, at most`, maxRssMb.toFixed(0), 'MB');
  // The bounds of the requirement are for a machine that does nothing else.
  expect(ms).toBeLessThan(4 * maxMs);
  expect(maxRssMb).toBeLessThan(maxMb);
});
