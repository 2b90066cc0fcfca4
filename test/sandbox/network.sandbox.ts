// The way out of the sandbox by its proxy: what is allowed gets out, all the rest does not, and nothing of it stays.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findProcesses, parentOf } from '../support/process-scan.js';
import { httpProxy } from '../support/proxy-server.js';
import { sandboxed } from '../support/sandboxed.js';

async function startServer(): Promise<number> {
  const server = createServer((_request, response) => response.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** SOCKS 5 as far as curl needs it: every connection goes to `port`. */
async function startSocks(port: number, asked: string[]): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (request: Buffer) => {
        asked.push(request.subarray(5, 5 + (request[4] ?? 0)).toString());
        socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
        socket.pipe(net.connect(port, '127.0.0.1')).pipe(socket);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Loopback is what programs do not ask a proxy for, unless they are told. */
const curl = (words: string) => `curl -sS -m 10 --noproxy '' ${words}`;

describe('a command with a way out', () => {
  it('gets what is allowed by HTTP, by a tunnel and by SOCKS, and nothing else', async () => {
    const port = await startServer();
    const { run, told } = await sandboxed({ settings: { network: { allowedDomains: [`127.0.0.1:${port}`] } } });
    const url = `http://127.0.0.1:${port}/`;
    expect(await run(curl(url))).toMatchObject({ stdout: 'hello', code: 0 });
    expect(await run(curl(`--proxytunnel ${url}`))).toMatchObject({ stdout: 'hello' });
    expect(await run(curl(`-x "$ALL_PROXY" ${url}`))).toMatchObject({ stdout: 'hello' });
    expect(told).toEqual([]);
    const refused = await run(curl('-o /dev/null -w "%{http_code}" http://denied.example/'));
    expect(refused.stdout).toBe('403');
    expect(refused.model).toContain('[Sandbox: A connection to denied.example:80 was refused');
    expect(told).toEqual([expect.objectContaining({ kind: 'network', target: 'denied.example:80' })]);
  });

  it.each([
    ['without the proxy', (port: number) => curl(`--proxy '' http://127.0.0.1:${port}/`)],
    ['without a login', (port: number) => curl(`-f -x http://127.0.0.1:39128 http://127.0.0.1:${port}/`)],
    ['by a name with a dot at its end', (port: number) => curl(`-f --proxytunnel http://localhost.:${port}/`)],
    ['by IPv6', (port: number) => curl(`-f --proxytunnel "http://[::ffff:127.0.0.1]:${port}/"`)],
    ['by another port', () => curl('-f http://127.0.0.1:1/')],
    ['by a name server', () => 'getent hosts example.com'],
    [
      'by a relay of its own',
      (port: number) =>
        `"$NODE" -e 'const s = require("net").createServer((c) => c.pipe(require("net").connect(${port}, "127.0.0.1").on("error", () => process.exit(9)))).listen(8080, "127.0.0.1", () => require("net").connect(8080, "127.0.0.1").write("GET / HTTP/1.0\\r\\n\\r\\n"))'`,
    ],
  ])('gets nowhere %s', async (_name, script) => {
    const port = await startServer();
    const { run } = await sandboxed({
      settings: { network: { allowedDomains: [`127.0.0.1:${port}`, 'localhost:1'] } },
    });
    const { code, stdout } = await run(script(port), { env: { NODE: process.execPath }, timeout: 15_000 });
    expect(code).not.toBe(0);
    expect(stdout).not.toContain('hello');
  });

  it('has no other network than one without, and does not see what holds it', async () => {
    const { run } = await sandboxed({ settings: { network: { allowedDomains: ['allowed.example'] } } });
    expect((await run('cat /proc/net/dev | wc -l; ls -d /proc/[0-9]* | wc -l')).stdout).toMatch(/^3\n[1-9]$/);
    for (const script of [
      'exec 3<>/dev/tcp/1.1.1.1/443',
      'ip link add x type dummy',
      'ls /tmp/turnwright-sandbox-*',
      'nsenter -t 1 -n true',
    ]) {
      expect((await run(`timeout 2 bash -c '${script}'`)).code, script).not.toBe(0);
    }
  });

  it('is not stopped by unix sockets that are closed, and deniedDomains wins', async () => {
    const port = await startServer();
    const network = { allowedDomains: [`localhost:${port}`], deniedDomains: ['localhost'] };
    const { run } = await sandboxed({ settings: { network } });
    expect((await run(curl(`-f --proxytunnel http://localhost:${port}/`))).code).not.toBe(0);
  });
});

describe('proxies of the user', () => {
  it('httpProxyPort is asked in place of ours', async () => {
    const port = await startServer();
    const theirs = await httpProxy({ target: `http://127.0.0.1:${port}` });
    const { run } = await sandboxed({ settings: { network: { httpProxyPort: theirs.port } } });
    expect(await run(curl('http://anything.example/'))).toMatchObject({ stdout: 'hello' });
    expect(theirs.asked).toEqual(['GET http://anything.example/']);
  });

  it('socksProxyPort is asked in place of ours', async () => {
    const port = await startServer();
    const asked: string[] = [];
    const theirs = await startSocks(port, asked);
    const { run } = await sandboxed({ settings: { network: { socksProxyPort: theirs } } });
    expect(await run(curl('-x "$ALL_PROXY" http://anything.example/'))).toMatchObject({ stdout: 'hello' });
    expect(asked).toEqual(['anything.example']);
    expect((await run('echo "$HTTP_PROXY"')).stdout).toBe('');
  });
});

/** A folder for temporary files of its own, so that its processes are told from those of tests that run beside. */
async function ownFolder(): Promise<string> {
  const tmp = await mkdtemp('/var/tmp/tw-net-');
  onTestFinished(() => rm(tmp, { recursive: true, force: true, maxRetries: 5 }));
  return tmp;
}

describe('what works for the network', () => {
  it('is one process for the session, and gone with it', async () => {
    const tmp = await ownFolder();
    const { run, sandbox } = await sandboxed({ tmp, settings: { network: { allowedDomains: ['allowed.example'] } } });
    await Promise.all([run('true'), run('true'), run('true')]);
    expect(await readdir(tmp)).toHaveLength(1);
    // Bubblewrap outside, its first process inside, and Node.
    expect(findProcesses(tmp)).toHaveLength(3);
    await sandbox.close();
    expect(findProcesses(tmp)).toEqual([]);
    expect(await readdir(tmp)).toEqual([]);
  });

  it('is not started if nothing is let out', async () => {
    const tmp = await ownFolder();
    const { run } = await sandboxed({ tmp });
    expect((await run('echo "$HTTP_PROXY$ALL_PROXY"')).stdout).toBe('');
    expect(findProcesses(tmp)).toEqual([]);
  });

  it('ends every command of the session when it was ended', async () => {
    const tmp = await ownFolder();
    const { run } = await sandboxed({ tmp, settings: { network: { allowedDomains: ['allowed.example'] } } });
    const { stdout } = await run('readlink /proc/self/ns/net');
    expect(stdout).toMatch(/^net:/);
    // The outermost takes the others along, at once or a moment later. Its number need not be the lowest: they start over.
    const all = findProcesses(tmp);
    process.kill(all.find((pid) => !all.includes(parentOf(pid))) as number, 'SIGKILL');
    await expect(async () => {
      // The end is noticed with a turn of the event loop or two.
      for (let tries = 0; tries < 100; tries++) await run('true');
    }).rejects.toThrow(/network of the sandbox has ended/);
  });
});
