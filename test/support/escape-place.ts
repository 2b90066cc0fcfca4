// The place that ways out of the sandbox are tried from: what is outside answers, and shows whether anything got there.
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { createNodeExec } from '../../src/host/processes/node-exec.js';
import { type EscapeAttempt, HAS_IPV6 } from './escape-attempts.js';
import type { EscapeRoute } from './escape-routes.js';
import { type OnFinished, type SandboxFolders, sandboxFolders } from './sandboxed.js';

export interface EscapePlace {
  /** The same for each attempt, in the sandbox and out of it. `canary`: the process outside that it may try to end. */
  prepare(attempt: Pick<EscapeAttempt, 'before'>, onFinished: OnFinished, canary?: ChildProcess): Promise<Prepared>;
  /** What of an attempt got out by a route, a line each. */
  tryOn(route: EscapeRoute, attempt: EscapeAttempt, onFinished: OnFinished): Promise<readonly string[]>;
  /** True if an attempt does what it is for without a sandbox; else what it said. */
  tryWithout(attempt: EscapeAttempt, onFinished: OnFinished): Promise<true | string>;
  close(): void;
}

export interface Prepared {
  readonly folders: SandboxFolders;
  readonly env: Record<string, string>;
}

/** Servers, files and a process that stand outside as long as attempts are made. */
export async function openEscapePlace(): Promise<EscapePlace> {
  const closing: (() => void)[] = [];
  const serve = async (at: net.ListenOptions): Promise<string> => {
    const server = net.createServer((socket) => socket.on('error', () => undefined).end('hello'));
    await new Promise<void>((resolve, reject) => server.on('error', reject).listen(at, resolve));
    closing.push(() => server.close());
    return String((server.address() as AddressInfo | null)?.port ?? '');
  };
  const serveDatagrams = async (): Promise<string> => {
    const server = createSocket('udp4', (_message, from) => server.send('back', from.port, from.address));
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    return String(server.address().port);
  };
  const base = mkdtempSync('/tmp/turnwright-canary-');
  closing.push(() => rmSync(base, { recursive: true, force: true }));
  const shared = `/dev/shm/turnwright-canary-${process.pid}`;
  for (const file of [path.join(base, 'file'), shared]) writeFileSync(file, 'canary');
  closing.push(() => rmSync(shared, { force: true }));
  const socket = path.join('/var/tmp', `turnwright-${process.pid}.sock`);
  const abstract = `turnwright-${process.pid}`;
  await serve({ path: socket });
  await serve({ path: `\0${abstract}` });
  /** No attempt on any route may end it. */
  const canary = startCanary();
  closing.push(() => void canary.kill('SIGKILL'));
  const around = {
    NODE: process.execPath,
    TMPCANARY: path.join(base, 'file'),
    SHMCANARY: shared,
    SOCKET: socket,
    ABSTRACT: abstract,
    PORT: await serve({ host: '127.0.0.1', port: 0 }),
    PORT6: HAS_IPV6 ? await serve({ host: '::1', port: 0 }) : '1',
    UDPPORT: await serveDatagrams(),
  };
  const prepare: EscapePlace['prepare'] = async ({ before }, onFinished, of = canary) => {
    const files = { 'outside/canary': 'canary', 'home/.turnwright/credentials.json': 'canary' };
    const folders = await sandboxFolders(files, onFinished);
    if (before !== undefined) await runPlain(before, folders);
    return { folders, env: { ...around, OUT: folders.outside, CANARYPID: String(of.pid) } };
  };
  return {
    prepare,
    async tryOn(route, attempt, onFinished) {
      const { folders, env } = await prepare(attempt, onFinished);
      const said = await route.run(attempt.script, folders, { env, onFinished });
      const found = traces(folders, attempt);
      if (said.includes('ESCAPED')) found.push(said);
      if (!isAlive(canary)) found.push('the process outside has ended');
      return found;
    },
    async tryWithout(attempt, onFinished) {
      // One of its own, which the attempt may end.
      const own = startCanary();
      onFinished(() => void own.kill('SIGKILL'));
      const { folders, env } = await prepare(attempt, onFinished, own);
      const said = await runPlain(attempt.script, folders, env);
      const { leaves } = attempt;
      const isOut = leaves === undefined ? said.includes('ESCAPED') : exists(path.join(folders.base, leaves));
      return isOut || said;
    },
    close: () => {
      for (const close of closing) close();
    },
  };
}

/** Runs a script without a sandbox; gives what it printed. */
export async function runPlain(
  script: string,
  { workspace, home }: SandboxFolders,
  env: Readonly<Record<string, string>> = {},
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

function startCanary(): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '', CANARY: 'canary-environment' };
  // It waits for an input that never comes.
  return spawn('/bin/sh', ['-c', 'read -r _', 'canary-argument'], { env, stdio: ['pipe', 'ignore', 'ignore'] });
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

export function exists(target: string): boolean {
  try {
    return lstatSync(target) !== undefined;
  } catch {
    return false; // not there
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null && exists(`/proc/${child.pid}`);
}
