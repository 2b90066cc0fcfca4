// Ways out of the sandbox, each run by Bash, by a hook of a project, and by a server of tools: none gets out. The same
// scripts do get out where there is no sandbox, as
// far as a test machine lets them.
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createHookRunner, type HookEventReport } from '../../src/hooks/run-hooks.js';
import { createNodeExec } from '../../src/host/node-exec.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { openStdioServer } from '../../src/mcp/stdio/stdio-server.js';
import { createSecrets } from '../../src/providers/secrets.js';
import { openCommandHooks } from '../../src/session/command-hooks.js';
import { hookInput } from '../hooks/inputs.js';
import { commandHook } from '../support/command-hooks.js';
import { ESCAPE_ATTEMPTS, type EscapeAttempt, HAS_IPV6 } from '../support/escape-attempts.js';
import { SERVER_FILE } from '../support/mcp-server.js';
import { type Sandboxed, sandboxed } from '../support/sandboxed.js';

const closing: (() => void)[] = [];
let canary: ChildProcess;
let around: Record<string, string> = {};

async function serve(at: net.ListenOptions): Promise<AddressInfo | string | null> {
  const server = net.createServer((socket) => socket.on('error', () => undefined).end('hello'));
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(at, resolve));
  closing.push(() => server.close());
  return server.address();
}

async function serveDatagrams(): Promise<number> {
  const server: Datagrams = createSocket('udp4', (_message, from) => server.send('back', from.port, from.address));
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return server.address().port;
}

function startCanary(): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '', CANARY: 'canary-environment' };
  return spawn('/bin/sh', ['-c', 'while :; do sleep 5; done', 'canary-argument'], { env, stdio: 'ignore' });
}

beforeAll(async () => {
  const base = mkdtempSync('/tmp/turnwright-canary-');
  closing.push(() => rmSync(base, { recursive: true, force: true }));
  const shared = `/dev/shm/turnwright-canary-${process.pid}`;
  for (const file of [path.join(base, 'file'), shared]) writeFileSync(file, 'canary');
  closing.push(() => rmSync(shared, { force: true }));
  const socket = path.join('/var/tmp', `turnwright-${process.pid}.sock`);
  const abstract = `turnwright-${process.pid}`;
  await serve({ path: socket });
  await serve({ path: `\0${abstract}` });
  around = {
    NODE: process.execPath,
    TMPCANARY: path.join(base, 'file'),
    SHMCANARY: shared,
    SOCKET: socket,
    ABSTRACT: abstract,
    PORT: String(((await serve({ host: '127.0.0.1', port: 0 })) as AddressInfo).port),
    PORT6: HAS_IPV6 ? String(((await serve({ host: '::1', port: 0 })) as AddressInfo).port) : '1',
    UDPPORT: String(await serveDatagrams()),
  };
});

afterAll(() => {
  canary?.kill('SIGKILL');
  for (const close of closing) close();
});

/** The same place for each attempt, in the sandbox and out of it. */
async function prepare(attempt: EscapeAttempt): Promise<{ place: Sandboxed; env: Record<string, string> }> {
  const place = await sandboxed({ files: { 'outside/canary': 'canary' } });
  await mkdir(path.join(place.home, '.turnwright'), { recursive: true });
  await writeFile(path.join(place.home, '.turnwright', 'credentials.json'), 'canary');
  if (canary === undefined || canary.exitCode !== null || canary.signalCode !== null) canary = startCanary();
  if (attempt.before !== undefined) await runPlain(attempt.before, place, {});
  return { place, env: { ...around, OUT: place.outside, CANARYPID: String(canary.pid) } };
}

async function runPlain(script: string, { workspace, home }: Sandboxed, env: Record<string, string>): Promise<string> {
  let said = '';
  const take = (chunk: Uint8Array): void => {
    said += Buffer.from(chunk).toString();
  };
  await createNodeExec().run({
    command: ['/bin/bash', '-c', script],
    cwd: workspace,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
    signal: new AbortController().signal,
    timeoutMs: 20_000,
    onStdout: take,
    onStderr: take,
  });
  return said;
}

/** What the attempt left, as far as it should not be there. */
function traces({ workspace, outside, home }: Sandboxed, attempt: EscapeAttempt): string[] {
  const base = path.dirname(workspace);
  const found = readdirSync(outside).filter((name) => name !== 'canary');
  if (readFileSync(path.join(outside, 'canary'), 'utf8') !== 'canary') found.push('canary');
  found.push(...readdirSync(home).filter((name) => name !== '.turnwright'));
  found.push(...readdirSync(base).filter((name) => !['ws', 'home', 'outside'].includes(name)));
  if (attempt.leaves !== undefined && exists(path.join(base, attempt.leaves))) found.push(attempt.leaves);
  return found;
}

function exists(target: string): boolean {
  try {
    return lstatSync(target) !== undefined;
  } catch {
    return false; // not there
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null && exists(`/proc/${child.pid}`);
}

describe('ways out of the sandbox', () => {
  it('are many', () => {
    expect(ESCAPE_ATTEMPTS.length).toBeGreaterThanOrEqual(90);
    expect(ESCAPE_ATTEMPTS.filter(({ works }) => works).length).toBeGreaterThanOrEqual(50);
  });

  it.each(ESCAPE_ATTEMPTS)('a command that $name', async (attempt) => {
    const { place, env } = await prepare(attempt);
    const { stdout, stderr } = await place.run(attempt.script, { env });
    expect(`${stdout}${stderr}`).not.toContain('ESCAPED');
    expect(traces(place, attempt)).toEqual([]);
    expect(isAlive(canary)).toBe(true);
  });
});

/** As a hook that a repository brings along. What it printed and what is told of it. */
async function runAsHook(script: string, { workspace, home, sandbox }: Sandboxed, env: Record<string, string>) {
  const hook = commandHook('PreToolUse', script, { isConfined: true, projectFolder: workspace });
  const host = createNodeHost();
  const commands = openCommandHooks([hook], {
    host,
    cwd: workspace,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8', ...env },
    secrets: createSecrets(),
    sandbox,
  });
  let printed = '';
  const onReport = (report: HookEventReport) => {
    printed += JSON.stringify(report);
  };
  const runner = createHookRunner({}, { ...host, onReport }, commands.declared);
  await runner.run(hookInput('PreToolUse'), undefined, new AbortController().signal);
  await commands.close();
  return printed;
}

describe('ways out of the sandbox for a hook of a project', () => {
  it.each(ESCAPE_ATTEMPTS)('a hook that $name', async (attempt) => {
    const { place, env } = await prepare(attempt);
    const printed = await runAsHook(attempt.script, place, env);
    expect(printed).toContain('"hook_response"');
    expect(printed).not.toContain('ESCAPED');
    expect(traces(place, attempt)).toEqual([]);
    expect(isAlive(canary)).toBe(true);
  });
});

/** A server of tools inside, which runs what it is called with. */
async function openServer({ workspace, home, sandbox }: Sandboxed, env: Record<string, string>) {
  const file = path.join(workspace, 'server.mjs');
  await copyFile(SERVER_FILE, file);
  const { exec, clock } = createNodeHost();
  const server = openStdioServer(
    { name: 's', command: process.execPath, args: [file, '{}'], env },
    {
      exec,
      clock,
      monotonic: () => clock.monotonic(),
      cwd: workspace,
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home },
      sandbox,
      elicit: null,
      startTimeoutMs: 30_000,
      hide: async (text) => text,
      onNotice: () => undefined,
    },
  );
  onTestFinished(() => server.close());
  await server.started;
  const { connection } = server.offer();
  const call = connection.client?.callTool as unknown as Call;
  if (connection.type !== 'connected') throw new Error(connection.error);
  const run = async (script: string): Promise<string> => {
    const params = { name: 'echo', arguments: { text: `bash ${script}` } };
    const answer = await call(params, { signal: new AbortController().signal }).catch((error: unknown) => error);
    return answer instanceof Error ? answer.message : JSON.stringify(answer);
  };
  return { run, close: () => server.close() };
}

type Call = (params: object, options: { readonly signal: AbortSignal }) => Promise<unknown>;

describe('ways out of the sandbox for a server of tools', () => {
  it('are not its work: it answers, writes in the workspace, and is confined', async () => {
    const place = await sandboxed();
    const { run, close } = await openServer(place, {});
    const shown = await run('echo made > made; cat made; grep CapEff /proc/self/status; echo $TURNWRIGHT_SANDBOX');
    expect(shown).toMatch(/made.*0000000000000000.*bubblewrap/);
    expect(readFileSync(path.join(place.workspace, 'made'), 'utf8')).toBe('made\n');
    await close();
    expect(readdirSync(place.workspace).sort()).toEqual(['made', 'server.mjs']);
  });

  it('what cannot be held back is taken back after the call that made it', async () => {
    const place = await sandboxed();
    await runPlain('git init -q .', place, {});
    const { run } = await openServer(place, {});
    expect(await run('echo ../evil > .git/commondir; echo done')).toContain('done');
    expect(exists(path.join(place.workspace, '.git/commondir'))).toBe(false);
    expect(place.told.map(({ message }) => message)).toEqual([expect.stringContaining('so it was removed')]);
  });

  it.each(ESCAPE_ATTEMPTS)('a server that $name', async (attempt) => {
    const { place, env } = await prepare(attempt);
    const { run, close } = await openServer(place, env);
    expect(await run(attempt.script)).not.toContain('ESCAPED');
    await close();
    expect(traces(place, attempt)).toEqual([]);
    expect(isAlive(canary)).toBe(true);
  });
});

describe('without the sandbox they work, so each of them can', () => {
  it.each(ESCAPE_ATTEMPTS.filter(({ works }) => works))('a command that $name', async (attempt) => {
    const { place, env } = await prepare(attempt);
    const base = path.dirname(place.workspace);
    const said = await runPlain(attempt.script, place, env);
    const isOut = attempt.leaves === undefined ? said.includes('ESCAPED') : exists(path.join(base, attempt.leaves));
    expect({ isOut, said: isOut ? '' : said }).toEqual({ isOut: true, said: '' });
  });
});
