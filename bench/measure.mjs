// Runs one engine once against the mock: a fresh process in a clean environment, the times of both sides afterwards.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nowMs } from './clock.mjs';

/** The processes the benchmark starts from its own files. */
const SCRIPTS = {
  mock: new URL('./mock.mjs', import.meta.url),
  bare: new URL('./drivers/bare.mjs', import.meta.url),
  sdk: new URL('./drivers/sdk.mjs', import.meta.url),
};
const REST_MS = 500;
const TIMEOUT_MS = 60_000;

/** Starts the mock. `close` ends it. */
export async function startMock() {
  const child = spawn(process.execPath, [fileURLToPath(SCRIPTS.mock)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const first = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (first.done) throw new Error('The mock did not start.');
  const url = `http://127.0.0.1:${JSON.parse(first.value).port}`;
  return {
    url,
    setScript: (script) => fetch(`${url}/__script`, { method: 'POST', body: JSON.stringify(script) }),
    log: async () => (await fetch(`${url}/__log`)).json(),
    close: () => child.kill(),
  };
}

/** A folder for one benchmark run: `cwd` with the files that the tool calls read, and homes to throw away. */
export function createScratch() {
  const root = mkdtempSync(join(tmpdir(), 'turnwright-bench-'));
  const cwd = join(root, 'work');
  mkdirSync(cwd);
  const keptHome = join(root, 'kept-home');
  mkdirSync(keptHome, { mode: 0o700 });
  let homes = 0;
  return {
    cwd,
    /** Of the command line, for all its runs. */
    keptHome,
    /** One-line files `0.txt` … in a folder, whose path is returned. */
    makeFiles(count) {
      for (let at = 0; at < count; at++) writeFileSync(join(cwd, `${at}.txt`), `line of file ${at}\n`);
      return cwd;
    },
    newHome() {
      const home = join(root, `home-${homes++}`);
      mkdirSync(home);
      return home;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/**
 * One run.
 * @param bench  { mock, scratch, dist }, and, if they are others than of this process, `node` and `nodeOptions`
 * @param engine `bare`, `sdk` or `cli`
 * @param script what the mock answers
 * @param steps  what the driver does; the command line always runs one prompt
 * @returns { start, requests, marks, memory }: milliseconds of the shared clock, `heap` and `rss` in bytes by number of
 *   sessions
 */
export async function runOnce({ mock, scratch, dist, node, nodeOptions = [] }, engine, script, steps) {
  await mock.setScript(script);
  const home = scratch.newHome();
  const args = commandOf(engine, dist, { ...steps, url: mock.url });
  const start = nowMs();
  const child = spawn(node ?? process.execPath, [...nodeOptions, ...args], {
    cwd: scratch.cwd,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      // As people have it: the cache that Node keeps for the command line is there from an earlier start.
      ...(engine === 'cli' ? { TURNWRIGHT_HOME: scratch.keptHome } : {}),
      ...(engine === 'bare' ? {} : { ANTHROPIC_BASE_URL: mock.url, ANTHROPIC_API_KEY: 'sk-bench-no-key' }),
    },
    stdio: [engine === 'cli' ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const { marks, memory } = await follow(child, engine === 'cli');
  const code = await ended;
  clearTimeout(timer);
  rmSync(home, { recursive: true, force: true });
  if (code !== 0) throw new Error(`The ${engine} driver ended with ${code}.\n${errors}`);
  return { start, requests: await mock.log(), marks, memory };
}

function commandOf(engine, dist, plan) {
  if (engine === 'cli') return [join(dist, 'cli', 'main.js'), '-p', 'Say hello.', '--model', 'mock-model'];
  const sdk = pathToFileURL(join(dist, 'index.js')).href;
  return [fileURLToPath(SCRIPTS[engine]), JSON.stringify({ ...plan, sdk })];
}

/** Reads the driver's marks; at each rest takes its memory and lets it go on. */
async function follow(child, isPlainText) {
  const marks = [];
  const memory = new Map();
  for await (const line of createInterface({ input: child.stdout })) {
    if (isPlainText) continue;
    const mark = JSON.parse(line);
    marks.push(mark);
    if (mark.kind !== 'idle') continue;
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    memory.set(mark.sessions, { heap: mark.heap, rss: residentBytes(child.pid) });
    child.stdin.write('\n');
  }
  return { marks, memory };
}

/** Memory of a process as Linux counts it; null on other systems. */
function residentBytes(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)[1]) * 1024;
  } catch {
    // No /proc: this is not Linux.
    return null;
  }
}
