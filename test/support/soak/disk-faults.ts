// A session of three prompts on a disk that fails. One rule: it goes on, and of what was shown nothing is missing in
// the transcript unless that was told.
import { expect } from 'vitest';
import { FileError } from '../../../src/host/host.js';
import { createMemoryHost, type MemoryHost } from '../../../src/host/memory/memory-host.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { QueryEngine } from '../../../src/session/query-engine.js';
import { takeSessionLock } from '../../../src/session/store/session-lock.js';
import { lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { getTools } from '../../../src/tools/builtin.js';
import { probeTool } from '../engine.js';
import { plainConfig } from '../plain-config.js';

/** `ESHORT`: half of an append is written. */
export const DISK_FAULTS = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE', 'ESHORT'] as const;

export type DiskFault = (typeof DISK_FAULTS)[number];

export interface DiskFaultFigures {
  readonly sessions: number;
  /** Sessions that told that something could not be written. */
  readonly told: number;
  /** Of these, the ones that had everything written in the end. */
  readonly mended: number;
}

const SESSION_ID = '66666666-6666-4666-8666-666666666666';
const CWD = '/project';

interface Run {
  readonly operations: number;
  readonly told: number;
  readonly isWhole: boolean;
}

/**
 * @param codes what the disk says
 * @param spans how many operations in a row fail
 * @param step 1 for each operation of a session, 7 for each seventh
 */
export async function checkDiskFaults(
  codes: readonly DiskFault[],
  spans: readonly number[],
  step: number,
): Promise<DiskFaultFigures> {
  const { operations, told, isWhole } = await runSession('EIO', 0, 0);
  expect({ told, isWhole, many: operations > 30 }).toEqual({ told: 0, isWhole: true, many: true });
  const figures = { sessions: 0, told: 0, mended: 0 };
  for (const code of codes) {
    for (const span of spans) {
      // Each series begins elsewhere, so that together they meet every operation.
      for (let failAt = 1 + (figures.sessions % step); failAt <= operations; failAt += step) {
        const run = await runSession(code, failAt, span).catch((cause: unknown) => {
          throw new Error(`${code} at operation ${failAt}, ${span} in a row: ${String(cause)}`, { cause });
        });
        figures.sessions++;
        if (run.told > 0) figures.told++;
        if (run.told > 0 && run.isWhole) figures.mended++;
      }
    }
  }
  return figures;
}

async function runSession(code: DiskFault, failAt: number, span: number): Promise<Run> {
  let operations = 0;
  let isFailing = failAt > 0;
  const host = createMemoryHost({
    cwd: CWD,
    files: { [`${CWD}/a.txt`]: 'hello\n' },
    onOperation(operation, path) {
      operations += 1;
      if (!isFailing || operations < failAt || operations >= failAt + span) return;
      // Half a write is a failure of an append alone; elsewhere it is a disk that is full.
      const said = code === 'ESHORT' && operation !== 'append' ? 'ENOSPC' : code;
      throw new FileError(said, path, `${operation} failed`);
    },
  });
  const model = scriptedModel([
    reply(text('Reading.'), toolCall('Read', { file_path: 'a.txt' })),
    toolCall('Write', { file_path: 'b.txt', content: 'one\n' }),
    text('done'),
    toolCall('Probe'),
    text('second'),
    reply(toolCall('Read', { file_path: 'a.txt' }), toolCall('Write', { file_path: 'c.txt', content: 'two\n' })),
    text('third'),
  ]);
  const engine = new QueryEngine({
    ...plainConfig(),
    tools: [...(await getTools()).filter((tool) => ['Read', 'Write'].includes(tool.name)), longProbe()],
    cwd: CWD,
    provider: model,
    host,
    sessionId: SESSION_ID,
    readInstructionFiles: false,
  });
  const shown: string[] = [];
  const notices: string[] = [];
  for (const [index, prompt] of ['one', 'two', 'three'].entries()) {
    const uuid = `00000000-0000-4000-8000-00000000000${index}`;
    const messages: SDKMessage[] = [];
    for await (const message of engine.submitMessage(prompt, { uuid })) messages.push(message);
    const result = lastResult(messages);
    if (result.terminal_reason !== 'turn_setup_failed') shown.push(uuid);
    else expect(result).toMatchObject({ is_error: true, errors: [expect.stringMatching(/./)] });
    for (const message of messages) {
      if (message.type === 'assistant' || message.type === 'user') shown.push(String(message.uuid));
      if (message.type === 'system' && message.subtype === 'notice') notices.push(message.code);
    }
  }
  await engine.close();
  isFailing = false;
  const isWhole = await checkKept(host, shown, notices);
  return { operations, told: notices.length, isWhole };
}

/** Its result goes into a file of its own. */
function longProbe() {
  return probeTool({ run: async () => 'long\n'.repeat(20_000) });
}

/** What was shown is in the transcript, as one conversation; else the last that was told is that it is not. */
async function checkKept(host: MemoryHost, shown: readonly string[], notices: readonly string[]): Promise<boolean> {
  const [path = '', content = ''] = Object.entries(host.files()).find(([name]) => name.endsWith('.jsonl')) ?? [];
  const entries = content.split('\n').flatMap((line) => parseEntry(line) ?? []);
  const kept = new Set(entries.map(({ uuid }) => uuid));
  const missing = shown.filter((uuid) => !kept.has(uuid));
  const isTold = notices.findLast((code) => code.startsWith('transcript_')) === 'transcript_unavailable';
  if (missing.length > 0) expect({ missing, notices, isTold }).toMatchObject({ isTold: true });
  // Each line follows one that is there.
  expect(entries.filter(({ parentUuid }) => parentUuid !== null && !kept.has(parentUuid))).toEqual([]);
  if (missing.length > 0 || path === '') return false;
  const lines = new Map(entries.map((entry) => [entry.uuid, entry.parentUuid]));
  const chain: string[] = [];
  for (let at = shown.at(-1) ?? null; at !== null; at = lines.get(at) ?? null) chain.push(at);
  expect(chain.reverse()).toEqual(shown);
  // The session is free, or its owner is known to be this process, if even giving it back failed.
  await takeSessionLock({ ...host, processes: createMemoryHost({ process: { started: '2' } }).processes }, path);
  return true;
}

function parseEntry(line: string): { readonly uuid: string; readonly parentUuid: string | null } | null {
  try {
    const value = JSON.parse(line) as { uuid?: string; parentUuid?: string | null };
    return value.uuid === undefined ? null : { uuid: value.uuid, parentUuid: value.parentUuid ?? null };
  } catch {
    return null; // half a line, or an empty one
  }
}
