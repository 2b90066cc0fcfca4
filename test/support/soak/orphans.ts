// Sessions of programs of their own, with background tasks of every kind that is hard to end, ended in every way: who
// survives, and whether the program leaves by itself.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findProcesses } from '../process-scan.js';
import { createRandom } from './random.js';

const DIST = fileURLToPath(new URL('../../../dist/', import.meta.url));
/** After that nothing may live; far less than what runs would take by itself. */
const GONE_WITHIN_MS = 60_000;

/** What a task does, once it is up; `up` makes the file that says so. */
const KINDS = {
  plain: (up: string) => `${up}; exec sleep 600`,
  wrapper: (up: string) => `bash -c 'sleep 600 & ${up}; sleep 600; true'; true`,
  setsid: (up: string) => `setsid bash -c '${up}; sleep 600; true' & sleep 600; true`,
  deaf: (up: string) => `trap "" TERM HUP INT; ${up}; while :; do sleep 600; done`,
  /** Only its group tells whose it is. */
  unmarked: (up: string) => `${up}; exec env -i PROBE="$PROBE" sleep 600`,
  orphan: (up: string) => `(setsid bash -c 'trap "" TERM HUP; ${up}; sleep 600; true' & ) ; exec sleep 600`,
} as const;

/** What a program does once its tasks run, in the loop over the messages of its session. */
const ENDINGS = {
  return: '',
  throw: "throw new Error('enough');",
  'return()': 'await messages.return();',
  break: 'break;',
  abort: 'abortController.abort();',
  'close()': 'messages.close();',
  'exit()': 'process.exit(0);',
  fault: "setTimeout(() => { throw new Error('fault'); }); await new Promise(() => undefined);",
  SIGTERM: 'setInterval(() => undefined, 1_000); await new Promise(() => undefined);',
  SIGHUP: 'setInterval(() => undefined, 1_000); await new Promise(() => undefined);',
  SIGKILL: 'setInterval(() => undefined, 1_000); await new Promise(() => undefined);',
} as const;

export type Ending = keyof typeof ENDINGS;
export const ALL_ENDINGS = Object.keys(ENDINGS) as readonly Ending[];

/** One of each sort: the loop is left, the session is ended, the program ends, a signal ends it. */
export function someEndings(seed: number): readonly Ending[] {
  const random = createRandom(seed);
  return [
    random.pick<Ending>(['return', 'throw', 'return()', 'break']),
    random.pick<Ending>(['abort', 'close()']),
    random.pick<Ending>(['exit()', 'fault']),
    random.pick<Ending>(['SIGTERM', 'SIGHUP', 'SIGKILL']),
  ];
}

export interface OrphanFigures {
  sessions: number;
  tasks: number;
  /** Ending and kind of each task of which something lived on. */
  survivors: string[];
  /** From the end of the process to that of the last descendant, longest. */
  goneMs: number;
  /** From the end of the last generator to that of the process, longest. */
  leftMs: number;
}

/** @param isSandboxed the commands run in bubblewrap */
export async function checkOrphans(endings: readonly Ending[], isSandboxed: boolean): Promise<OrphanFigures> {
  const figures: OrphanFigures = { sessions: 0, tasks: 0, survivors: [], goneMs: 0, leftMs: 0 };
  for (const ending of endings) await endOnce(ending, isSandboxed, figures);
  return figures;
}

async function endOnce(ending: Ending, isSandboxed: boolean, figures: OrphanFigures): Promise<void> {
  // Not below /tmp, which is a private folder inside of a sandbox.
  const folder = mkdtempSync(join(realpathSync(isSandboxed ? '/var/tmp' : tmpdir()), 'turnwright-orphans-'));
  const kinds = Object.keys(KINDS).flatMap((kind) => [kind, `agent-${kind}`]);
  const words = new Map(kinds.map((kind) => [kind, `${folder}/${kind}`] as const));
  try {
    const file = join(folder, 'program.mjs');
    writeFileSync(file, programOf(ending, isSandboxed, folder));
    const child = spawn(process.execPath, [file], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: folder, TURNWRIGHT_HOME: join(folder, 'home') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    let overAt = Number.POSITIVE_INFINITY;
    child.stderr.on('data', (chunk) => {
      said += String(chunk);
    });
    child.stdout.on('data', (chunk) => {
      if (String(chunk).includes('over')) overAt = performance.now();
      if (String(chunk).includes('up') && ending.startsWith('SIG')) child.kill(ending as NodeJS.Signals);
    });
    await new Promise((resolve) => child.on('close', resolve));
    const endedAt = performance.now();
    if (readdirSync(folder).filter((name) => name.startsWith('up-')).length < kinds.length)
      throw new Error(`Not all tasks came up before ${ending}: ${said}`);
    if (Number.isFinite(overAt)) figures.leftMs = Math.max(figures.leftMs, endedAt - overAt);
    figures.survivors.push(...(await survivorsOf(words)).map((kind) => `${ending}: ${kind}`));
    figures.goneMs = Math.max(figures.goneMs, performance.now() - endedAt);
    figures.sessions += 1;
    figures.tasks += kinds.length;
  } finally {
    for (const word of words.values()) for (const pid of findProcesses(word)) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Kinds of which something lives at the end of the time. */
async function survivorsOf(words: ReadonlyMap<string, string>): Promise<string[]> {
  const deadline = performance.now() + GONE_WITHIN_MS;
  for (;;) {
    const alive = [...words].filter(([, word]) => findProcesses(`PROBE=${word};`).length > 0);
    if (alive.length === 0 || performance.now() >= deadline) return alive.map(([kind]) => kind);
    await delay(50);
  }
}

/** The session starts all tasks, its agent as many; then it is ended. */
function programOf(ending: Ending, isSandboxed: boolean, folder: string): string {
  const commands = (prefix: string) =>
    Object.entries(KINDS).map(([kind, make]) => {
      const word = `${folder}/${prefix}${kind}`;
      return `export PROBE='PROBE=${word};'; ${make(`touch up-${prefix}${kind}`)}`;
    });
  const isText = ending === 'return';
  const at = (name: string) => JSON.stringify(pathToFileURL(join(DIST, name)).href);
  return `import { existsSync } from 'node:fs';
    import { query } from ${at('index.js')};
    import { reply, scriptedModel, text, toolCall } from ${at('testing.js')};
    const start = (commands) =>
      commands.map((command) => toolCall('Bash', { command, description: 'job', run_in_background: true }));
    const main = ${JSON.stringify(commands(''))};
    const agent = ${JSON.stringify(commands('agent-'))};
    const model = scriptedModel(({ messages }) => {
      const isAgent = JSON.stringify(messages[0]).includes('AGENT TASK');
      if (JSON.stringify(messages.at(-1)).includes('tool_result')) return text('started');
      if (isAgent) return reply(...start(agent));
      return reply(...start(main), toolCall('Agent', { description: 'more', prompt: 'AGENT TASK' }));
    });
    async function* endless() {
      yield { type: 'user', message: { role: 'user', content: 'go' }, parent_tool_use_id: null };
      await new Promise(() => undefined);
    }
    const isUp = () => ${JSON.stringify(Object.keys(KINDS))}.every((kind) => existsSync('up-' + kind) && existsSync('up-agent-' + kind));
    const abortController = new AbortController();
    const messages = query({
      prompt: ${isText ? "'go'" : 'endless()'},
      options: {
        provider: model,
        abortController,
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        limits: { backgroundWaitMs: 0 },
        ${isSandboxed ? 'sandbox: { enabled: true, autoAllowBashIfSandboxed: true },' : ''}
      },
    });
    const until = async (isSo) => { while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10)); };
    try {
      for await (const { type, is_error, errors } of messages) {
        if (type !== 'result') continue;
        if (is_error) throw new Error(JSON.stringify(errors));
        await until(isUp);
        console.log('up');
        ${ENDINGS[ending]}
      }
    } catch (error) {
      if (!/enough|aborted/.test(error.message)) throw error;
    }
    console.log('over');
`;
}
