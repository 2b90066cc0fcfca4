// The command that prints a key: when it runs, and what becomes of it if it fails.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import { createAnthropicProvider } from '../../../src/providers/anthropic/anthropic.js';
import {
  createKeyedProvider,
  createKeyHelper,
  type KeyHelperOptions,
} from '../../../src/providers/keys/changing-keys.js';
import { attempt, textReply, wire } from '../../support/anthropic-replies.js';
import { temporaryFolder } from '../../support/engine.js';
import { withMoreTime } from '../../support/more-time.js';
import { plain, startSseServer, stream } from '../../support/sse-server.js';

const { exec, clock } = createNodeHost();

async function helperOf(command: string, more: Partial<KeyHelperOptions> = {}) {
  const cwd = await temporaryFolder();
  const keys: string[] = [];
  const env = { PATH: process.env.PATH ?? '' };
  const helper = createKeyHelper({ command, exec, clock, cwd, env, onKey: (key) => void keys.push(key), ...more });
  return { helper, keys, cwd };
}

/** Prints `key-1`, `key-2` … */
const COUNTING = 'n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n; echo "  key-$n  "';

describe('createKeyHelper', () => {
  it('runs once for callers at the same time, keeps the key, and asks again after its time', async () => {
    let now = 0;
    const { helper, keys } = await helperOf(COUNTING, { ttlMs: 1_000, clock: { monotonic: () => now } });
    expect(await Promise.all([helper.key(), helper.key()])).toEqual(['key-1', 'key-1']);
    now = 999;
    expect(await helper.key()).toBe('key-1');
    now = 1_000;
    expect(await helper.key()).toBe('key-2');
    expect(keys).toEqual(['key-1', 'key-2']);
  });

  it('asks again if the key it gave was refused, and only then', async () => {
    const { helper } = await helperOf(COUNTING);
    expect(await helper.key()).toBe('key-1');
    helper.forget('another');
    expect(await helper.key()).toBe('key-1');
    helper.forget('key-1');
    expect(await helper.key()).toBe('key-2');
  });

  it('runs where it is told, with the variables it is given and no others', async () => {
    const cwd = await temporaryFolder();
    await writeFile(path.join(cwd, 'key'), `from-file-${process.pid}\n`);
    const { helper } = await helperOf('cat key', { cwd });
    expect(await helper.key()).toBe(`from-file-${process.pid}`);
    const seen = await helperOf('env | tr -c "[:graph:]" "-"', { env: { PATH: process.env.PATH ?? '', ONE: 'two' } });
    expect(await seen.helper.key()).toContain('ONE=two');
    expect(await seen.helper.key()).not.toContain('HOME=');
  });

  it.each([
    ['exit 3', /failed with exit code 3\./],
    ['echo no vault >&2; exit 1', /failed with exit code 1: no vault/],
    ['true', /printed nothing/],
    ['echo one two', /no key: it has spaces/],
    ['printf "secretword\\nsecretword"', /no key: it has spaces, line breaks/],
    ['head -c 40000 /dev/zero | tr "\\0" x', /more than 16384 bytes/],
  ])('"%s" is a failure of the key that is not retried', async (command, why) => {
    const { helper } = await helperOf(command);
    const error = await helper.key().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'authentication', retryable: false, message: expect.stringMatching(why) });
    expect((error as Error).message).not.toMatch(/secretword/);
  });

  it('a command that hangs is ended at its deadline, with all it started', async () => {
    const hangs = async (timeoutMs: number) => {
      const timeouts: number[] = [];
      const { helper, cwd } = await helperOf('echo $$ > pid; sleep 600', {
        exec: {
          ...exec,
          run: (options) => {
            timeouts.push(options.timeoutMs);
            return exec.run({ ...options, timeoutMs });
          },
        },
      });
      await expect(helper.key()).rejects.toThrow(/gave no key within 30 s/);
      expect(timeouts).toEqual([30_000]);
      return readFile(path.join(cwd, 'pid'), 'utf8').catch(() => '');
    };
    const pid = Number(await withMoreTime(300, hangs, (written) => written !== ''));
    expect(pid).toBeGreaterThan(0);
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });

  it('a failure is not kept', async () => {
    const { helper, cwd } = await helperOf('cat key');
    await expect(helper.key()).rejects.toThrow(/exit code 1/);
    await writeFile(path.join(cwd, 'key'), 'now-it-is-there');
    expect(await helper.key()).toBe('now-it-is-there');
  });
});

describe('createKeyedProvider', () => {
  const providerFor = async (accepted: (key: unknown) => boolean) => {
    const refused = plain(401, '{"error":{"type":"authentication_error","message":"expired"}}');
    const good = stream(wire(textReply('x')));
    const server = await startSseServer((response, seen) =>
      (accepted(seen.headers['x-api-key']) ? good : refused)(response, seen),
    );
    onTestFinished(() => server.close());
    const { helper, cwd } = await helperOf(COUNTING);
    const provider = createKeyedProvider(helper, (apiKey) =>
      createAnthropicProvider({ apiKey, baseUrl: server.url, clock }),
    );
    onTestFinished(() => provider.close?.());
    return { provider, server, cwd, sent: () => server.requests.map(({ headers }) => headers['x-api-key']) };
  };

  it('a refused key is a failure to be tried again, and then there is a new one', async () => {
    const { provider, sent } = await providerFor((key) => key !== 'key-1');
    const first = await attempt(provider);
    expect(first.error).toMatchObject({ kind: 'authentication', status: 401, retryable: true });
    expect((await attempt(provider)).error).toBeNull();
    expect((await attempt(provider)).error).toBeNull();
    expect(sent()).toEqual(['key-1', 'key-2', 'key-2']);
  });

  it('if the new key is refused too, that is the end', async () => {
    const { provider } = await providerFor(() => false);
    expect((await attempt(provider)).error?.retryable).toBe(true);
    expect((await attempt(provider)).error?.retryable).toBe(false);
  });

  it('opens a connection for each key and leaves none behind', async () => {
    const { provider, server } = await providerFor((key) => key !== 'key-1');
    await attempt(provider);
    await attempt(provider);
    await server.until(() => !server.isOpen(1));
    provider.close?.();
    await server.until(() => !server.isOpen());
  });

  it('a failing command is the failure of the request', async () => {
    const { helper } = await helperOf('exit 1');
    const provider = createKeyedProvider(helper, () => createAnthropicProvider({ apiKey: 'x', clock }));
    expect((await attempt(provider)).error).toMatchObject({ kind: 'authentication', retryable: false });
  });
});
