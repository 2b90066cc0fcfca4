// Ways out of the sandbox, each tried on every route by which something runs inside: a command, also of a subagent and in
// the background, a hook of a project, a server of tools. None gets out. The same scripts do get out where there is no sandbox, as far as a test machine lets
// them.
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createNodeExec } from '../../src/host/processes/node-exec.js';
import { ESCAPE_ATTEMPTS, type EscapeAttempt, HAS_IPV6 } from '../support/escape-attempts.js';
import { ESCAPE_ROUTES, openShellServer } from '../support/escape-routes.js';
import { type OnFinished, type SandboxFolders, sandboxed, sandboxFolders } from '../support/sandboxed.js';

const closing: (() => void)[] = [];
/** A process outside, which no attempt on any route may end. */
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
  // It waits for an input that never comes.
  return spawn('/bin/sh', ['-c', 'read -r _', 'canary-argument'], { env, stdio: ['pipe', 'ignore', 'ignore'] });
}

beforeAll(async () => {
  const base = mkdtempSync('/tmp/turnwright-canary-');
  closing.push(() => rmSync(base, { recursive: true, force: true }));
  const shared = `/dev/shm/turnwright-canary-${process.pid}`;
  for (const file of [path.join(base, 'file'), shared]) writeFileSync(file, 'canary');
  closing.push(() => rmSync(shared, { force: true }));
  const socket = path.join('/var/tmp', `turnwright-${process.pid}.sock`);
  const abstract = `turnwright-${process.pid}`;
  canary = startCanary();
  closing.push(() => void canary.kill('SIGKILL'));
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
  for (const close of closing) close();
});

/** The same place for each attempt, in the sandbox and out of it. */
async function prepare({ before }: Pick<EscapeAttempt, 'before'>, of: ChildProcess, onFinished: OnFinished) {
  const files = { 'outside/canary': 'canary', 'home/.turnwright/credentials.json': 'canary' };
  const folders = await sandboxFolders(files, onFinished);
  if (before !== undefined) await runPlain(before, folders, {});
  return { folders, env: { ...around, OUT: folders.outside, CANARYPID: String(of.pid) } };
}

async function runPlain(
  script: string,
  { workspace, home }: SandboxFolders,
  env: Record<string, string>,
): Promise<string> {
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
function traces({ base, outside, home }: SandboxFolders, attempt: EscapeAttempt): string[] {
  const found = readdirSync(outside).filter((name) => name !== 'canary');
  if (readFileSync(path.join(outside, 'canary'), 'utf8') !== 'canary') found.push('canary');
  found.push(...readdirSync(home).filter((name) => name !== '.turnwright'));
  found.push(...readdirSync(base).filter((name) => !['ws', 'home', 'outside'].includes(name)));
  if (attempt.leaves !== undefined && exists(path.join(base, attempt.leaves))) found.push(attempt.leaves);
  return found;
}

const named = (attempts: readonly EscapeAttempt[]) => attempts.map((attempt) => [attempt.name, attempt] as const);

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
    expect(ESCAPE_ATTEMPTS.length).toBeGreaterThan(140);
    expect(ESCAPE_ATTEMPTS.filter(({ works }) => works).length).toBeGreaterThanOrEqual(75);
  });
});

describe.each(ESCAPE_ROUTES)('ways out of the sandbox for $name', (route) => {
  it('are not its work: it runs, writes in the workspace, and is confined', async () => {
    const { folders, env } = await prepare({}, canary, onTestFinished);
    const script = 'echo made > made; cat made; grep CapEff /proc/self/status; echo $TURNWRIGHT_SANDBOX';
    const said = await route.run(script, folders, { env, onFinished: onTestFinished });
    expect(said).toMatch(/made.*0000000000000000.*bubblewrap/s);
    expect(readFileSync(path.join(folders.workspace, 'made'), 'utf8')).toBe('made\n');
    expect(readdirSync(folders.workspace).filter((name) => name !== 'server.sh')).toEqual(['made']);
  });

  it.concurrent.for(named(ESCAPE_ATTEMPTS))('%s: no', async ([, attempt], { onTestFinished: onFinished }) => {
    const { folders, env } = await prepare(attempt, canary, onFinished);
    expect(await route.run(attempt.script, folders, { env, onFinished })).not.toContain('ESCAPED');
    expect(traces(folders, attempt)).toEqual([]);
    expect(isAlive(canary)).toBe(true);
  });
});

describe('a server of tools', () => {
  it('cannot be held back from everything: that is taken back after the call that made it', async () => {
    const place = await sandboxed();
    await runPlain('git init -q .', place, {});
    const { run } = await openShellServer(place, { env: {}, onFinished: onTestFinished });
    expect(await run('echo ../evil > .git/commondir; echo done')).toContain('done');
    expect(exists(path.join(place.workspace, '.git/commondir'))).toBe(false);
    expect(place.told.map(({ message }) => message)).toEqual([expect.stringContaining('so it was removed')]);
  });
});

describe('without the sandbox they work, so each of them can', () => {
  const working = ESCAPE_ATTEMPTS.filter(({ works }) => works);
  it.concurrent.for(named(working))('%s: yes', async ([, attempt], { onTestFinished: onFinished }) => {
    // One of its own, which the attempt may end.
    const own = startCanary();
    onFinished(() => void own.kill('SIGKILL'));
    const { folders, env } = await prepare(attempt, own, onFinished);
    const said = await runPlain(attempt.script, folders, env);
    const { leaves } = attempt;
    const isOut = leaves === undefined ? said.includes('ESCAPED') : exists(path.join(folders.base, leaves));
    expect({ isOut, said: isOut ? '' : said }).toEqual({ isOut: true, said: '' });
  });
});
