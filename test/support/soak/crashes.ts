// Sessions in processes of their own, killed at random moments and in the middle of writes, then resumed. One rule: what
// a process said that it had is there afterwards, and the session goes on.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNodeHost } from '../../../src/host/node-host.js';
import { type ReadEntry, readTranscriptFile } from '../../../src/session/store/read-transcript.js';
import { type MockProvider, startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { buildProgram, ROOT } from './programs.js';
import { createRandom, type Random } from './random.js';

export interface CrashFigures {
  kills: number;
  /** Of them in the middle of a write. */
  torn: number;
  acknowledged: number;
  lost: number;
  /** Sessions that could not be resumed although something of them was acknowledged. */
  unresumable: number;
  /** Calls that ran twice. */
  repeated: number;
}

const CLI = path.join(ROOT, 'dist', 'cli', 'main.js');
const SESSION = '22222222-2222-4222-8222-222222222222';
/** Far longer than any of these sessions takes, so that a process that hangs is told from one that is slow. */
const HANGS_MS = 60_000;

/**
 * @param kills the least number of kills; half of the sessions are in the engine, half in the command line
 * @throws if a run cannot be told: its own files fail, or a process hangs
 */
export async function checkCrashes(kills: number, seed: number): Promise<CrashFigures> {
  const program = await buildProgram('crash-session');
  const figures: CrashFigures = { kills: 0, torn: 0, acknowledged: 0, lost: 0, unresumable: 0, repeated: 0 };
  for (let run = 0; figures.kills < kills; run++) {
    const isCli = run % 2 === 0;
    await crashAndResume({ random: createRandom(seed + run), program: isCli ? null : program }, figures);
  }
  return figures;
}

interface Crashing {
  readonly random: Random;
  /** Path of the program that is the engine's; null for the command line. */
  readonly program: string | null;
  readonly cwd: string;
  readonly home: string;
  readonly mock: MockProvider;
  prompts: number;
}

/** One session: killed up to three times, each time resumed, at last left to end. */
async function crashAndResume(
  { random, program }: Pick<Crashing, 'random' | 'program'>,
  figures: CrashFigures,
): Promise<void> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'turnwright-crash-')));
  const [cwd, home] = [path.join(root, 'project'), path.join(root, 'home')];
  await mkdir(cwd);
  const mock = await startMockProvider({
    steps: (body, index) => answer(body, index, program === null),
    chunkSize: 64,
  });
  const acknowledged = new Set<string>();
  try {
    const crashing = { random, program, cwd, home, mock, prompts: 0 };
    for (let kills = random.int(1, 3); kills > 0; kills--) {
      const run = await runOnce(crashing, await hasConversation(home), true);
      for (const uuid of run.uuids) acknowledged.add(uuid);
      if (run.signal !== 'SIGKILL') continue;
      figures.kills += 1;
      if (run.isTorn) figures.torn += 1;
    }
    const isThere = await hasConversation(home);
    const last = await runOnce(crashing, isThere, false);
    if ((!isThere && acknowledged.size > 0) || !last.isSuccess) figures.unresumable += 1;
    figures.acknowledged += acknowledged.size;
    const kept = await keptEntries(home);
    figures.lost += [...acknowledged].filter((uuid) => !kept.some((entry) => entry.uuid === uuid)).length;
    // A prompt is written before it is sent, so one that was sent was acknowledged.
    const sent = new Set(JSON.stringify(mock.requests.map(({ body }) => body)).match(/prompt \d+-\d+/g));
    const text = JSON.stringify(kept.map(({ value }) => value.message));
    figures.lost += [...sent].filter((prompt) => !text.includes(prompt)).length;
    figures.acknowledged += sent.size;
    figures.repeated += await repeatedMarks(cwd);
    mock.assertClean();
  } finally {
    await mock.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Up to three rounds of up to four calls, then an answer. Every call has a name of its own. */
function answer(body: unknown, index: number, isCli: boolean) {
  const { messages } = body as { messages: readonly { role: string; content: unknown }[] };
  const sinceText =
    messages.length - 1 - messages.findLastIndex(({ content }) => JSON.stringify(content).includes('prompt '));
  const { int } = createRandom(index + messages.length * 31);
  if (sinceText / 2 >= int(0, 3)) return text(`Done with ${index}. ${'y'.repeat(int(0, 3_000))}`);
  const calls = Array.from({ length: int(1, 4) }, (_, k) => `mark-${index}-${k}`).map((name) =>
    isCli ? toolCall('Bash', { command: `echo ${name} >> marks.txt` }) : toolCall('mcp__probe__mark', { name }),
  );
  return reply(text('Marking.'), ...calls);
}

interface Run {
  readonly signal: string | null;
  readonly isTorn: boolean;
  readonly isSuccess: boolean;
  /** Of messages that the process showed. */
  readonly uuids: readonly string[];
}

async function runOnce(crashing: Crashing, isResumed: boolean, isKilled: boolean): Promise<Run> {
  const { random, program } = crashing;
  const isTorn = isKilled && program !== null && random.chance(0.5);
  const child = program === null ? startCli(crashing, isResumed) : startProgram(crashing, program, isResumed, isTorn);
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.resume();
  const timers = [setTimeout(() => child.kill('SIGABRT'), HANGS_MS)];
  if (isKilled && !isTorn) killAtRandom(child, random, timers);
  const signal = await new Promise<string | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (_code, ended) => resolve(ended));
  });
  for (const timer of timers) clearTimeout(timer);
  if (signal === 'SIGABRT') throw new Error(`A session hangs. It had said:\n${stdout}`);
  const shown = stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    signal,
    isTorn,
    isSuccess: shown.some(({ type, subtype }) => type === 'result' && subtype === 'success'),
    uuids: shown.flatMap(({ type, uuid }) => (type === 'assistant' || type === 'user' ? [String(uuid)] : [])),
  };
}

/** Most of the time of a process is its start; so the moment is counted from what it says, in half of the cases. */
function killAtRandom(child: ChildProcessWithoutNullStreams, random: Random, timers: NodeJS.Timeout[]): void {
  const kill = (ms: number) => timers.push(setTimeout(() => child.kill('SIGKILL'), ms));
  if (random.chance(0.3)) {
    kill(random.int(0, 400));
    return;
  }
  let chunks = random.int(1, 10);
  const ms = random.int(0, 4);
  child.stdout.on('data', () => {
    chunks -= 1;
    if (chunks === 0) kill(ms);
  });
}

function startProgram(crashing: Crashing, program: string, isResumed: boolean, isTorn: boolean) {
  const { random, cwd, home, mock } = crashing;
  return spawn(process.execPath, [program], {
    cwd,
    env: {
      ...environment(home, mock),
      SESSION_ID: SESSION,
      IS_RESUMED: isResumed ? 'yes' : '',
      PROMPTS: JSON.stringify([1, 2].map(() => nextPrompt(crashing))),
      ...(isTorn ? { CRASH_AT_WRITE: String(random.int(1, 14)), CRASH_SHARE: String(random.next()) } : {}),
    },
  });
}

function startCli(crashing: Crashing, isResumed: boolean) {
  const { cwd, home, mock } = crashing;
  const which = isResumed ? ['--continue'] : ['--session-id', SESSION];
  const flags = ['--output-format', 'stream-json', '--allowedTools', 'Bash', ...which];
  const args = [CLI, '-p', nextPrompt(crashing), ...flags];
  const child = spawn(process.execPath, args, { cwd, env: environment(home, mock) });
  child.stdin.on('error', () => undefined); // it may be gone before this is closed
  child.stdin.end();
  return child;
}

/** No two of a session are the same. */
function nextPrompt(crashing: Crashing): string {
  crashing.prompts += 1;
  return `prompt ${crashing.prompts}-${crashing.mock.requests.length}`;
}

function environment(home: string, mock: MockProvider): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    TURNWRIGHT_HOME: home,
    TURNWRIGHT_RETRY_BASE_MS: '1',
    ANTHROPIC_BASE_URL: mock.url,
    ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef',
  };
}

async function transcriptOf(home: string): Promise<string | null> {
  const projects = path.join(home, 'projects');
  for (const key of await readdir(projects).catch(() => [] as string[])) {
    const file = path.join(projects, key, `${SESSION}.jsonl`);
    if ((await readFile(file, 'utf8').catch(() => '')) !== '') return file;
  }
  return null;
}

async function hasConversation(home: string): Promise<boolean> {
  return (await keptEntries(home)).length > 0;
}

/** The conversation as a reader finds it. */
async function keptEntries(home: string): Promise<readonly ReadEntry[]> {
  const file = await transcriptOf(home);
  if (file === null) return [];
  const rules = { sessionId: SESSION, isSidechain: false };
  return (await readTranscriptFile(createNodeHost(), file, rules)).entries;
}

async function repeatedMarks(cwd: string): Promise<number> {
  const marks = (await readFile(path.join(cwd, 'marks.txt'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return marks.length - new Set(marks).size;
}
