// The text of the Seatbelt profile. Whether macOS does what it says is tried by nobody here.
import { describe, expect, it } from 'vitest';
import type { SandboxSettings } from '../../src/protocol/options.js';
import { seatbeltProfile } from '../../src/sandbox/open-seatbelt.js';
import { readPolicy } from '../../src/sandbox/policy.js';

const place = { home: '/Users/u', engineFolder: '/Users/u/.turnwright', tmp: '/var/folders/x/tmp', proxyPorts: [] };
const profile = (settings: SandboxSettings, ports: readonly number[] = [], hookPaths: readonly string[] = []) => {
  const policy = readPolicy(settings, {
    cwd: '/Users/u/app',
    roots: ['/Users/u/app'],
    home: '/Users/u',
    secretFiles: ['/Users/u/.turnwright/credentials.json'],
  });
  return seatbeltProfile(policy, { ...place, proxyPorts: ports, hookPaths });
};
const rules = (settings: SandboxSettings, ports: readonly number[] = []) =>
  profile(settings, ports)
    .split('\n')
    .filter((line) => /^\((allow|deny) (file-(read|write)|network)/.test(line) && !line.includes('regex'));

/** Each field of the settings that a profile knows. */
const EVERY_FIELD: SandboxSettings = {
  enabled: true,
  allowUnsandboxedCommands: false,
  network: { allowLocalBinding: true, allowUnixSockets: ['/var/run/docker.sock'], allowedDomains: ['example.com'] },
  filesystem: {
    allowWrite: ['/opt/cache', '/tmp/shared'],
    denyWrite: ['vendor/locked'],
    denyRead: ['~/.ssh', 'private/keys'],
    allowRead: ['~/.ssh/known_hosts'],
  },
};

describe('the profile', () => {
  it.each([
    ['plain', profile({})],
    ['every-field', profile(EVERY_FIELD, [8123, 8124], ['/Users/u/app/tools/hooks'])],
    ['all-sockets', profile({ network: { allowAllUnixSockets: true } })],
  ])('is word for word as test/fixtures/seatbelt/%s.sb has it', async (name, text) => {
    await expect(`${text}\n`).toMatchFileSnapshot(`../fixtures/seatbelt/${name}.sb`);
  });

  it('denies what it does not name, and writes to the workspace and temporary files only', () => {
    expect(profile({})).toMatch(/^\(version 1\)\n\(deny default\)\n/);
    expect(rules({}).filter((line) => line.startsWith('(allow file-write*'))).toEqual([
      '(allow file-write* (subpath "/Users/u/app"))',
      '(allow file-write* (subpath "/var/folders/x/tmp"))',
      '(allow file-write* (subpath "/private/var/folders/x/tmp"))',
    ]);
    expect(rules({}).filter((line) => line.includes('network'))).toEqual([]);
    expect(profile({}).match(/\(/g)?.length).toBe(profile({}).match(/\)/g)?.length);
  });

  it('gives no file the rights of its owner or group, wherever it may write', () => {
    const lines = profile(EVERY_FIELD).split('\n');
    const at = lines.indexOf('(deny file-write-setugid)');
    expect(at).toBeGreaterThan(lines.findLastIndex((line) => line.startsWith('(allow file-write*')));
  });

  it('protects by name at any depth, in any case, after what it allows', () => {
    const text = profile({});
    const [line = ''] = text.split('\n').filter((one) => one.includes('deny file-write* (regex'));
    const pattern = new RegExp(/#"(.*)"/.exec(line)?.[1] ?? 'x^');
    for (const name of [
      '.mcp.json',
      '.claude/settings.json',
      '.CLAUDE/x',
      'a/b/.vscode/x',
      '.git/hooks/pre-commit',
      '.git/config',
    ]) {
      expect(pattern.test(`/Users/u/app/${name}`), name).toBe(true);
    }
    for (const name of ['.git/index', 'a.mcp.json', '.claudex/a', 'src/config']) {
      expect(pattern.test(`/Users/u/app/${name}`), name).toBe(false);
    }
    expect(pattern.test('/Users/u/appx/.mcp.json')).toBe(false);
    expect(text.indexOf(line)).toBeGreaterThan(text.indexOf('(allow file-write* (subpath "/Users/u/app"))'));
  });

  it('protects what git obeys in submodules and worktrees', () => {
    const lines = profile({})
      .split('\n')
      .filter((line) => line.includes('(deny file-write* (regex'));
    const patterns = lines.map((line) => new RegExp(/#"(.*)"/.exec(line)?.[1] ?? 'x^'));
    const isDenied = (name: string) => patterns.some((pattern) => pattern.test(`/Users/u/app/.git/${name}`));
    for (const name of ['commondir', 'modules/a/config', 'modules/a/b/hooks/x', 'worktrees/w/commondir'])
      expect(isDenied(name), name).toBe(true);
    for (const name of ['modules/a/index', 'worktrees/w/HEAD']) expect(isDenied(name), name).toBe(false);
  });

  it('does not let what is hidden be moved to where it is not', () => {
    const unlink = rules({ filesystem: { denyRead: ['~', 'a/secret'] } }).filter((line) => line.includes('unlink'));
    expect(unlink).toContain('(deny file-write-unlink (subpath "/Users/u/app/a/secret"))');
    expect(unlink).toContain('(deny file-write-unlink (literal "/Users/u/app/a"))');
    expect(unlink).not.toContain('(deny file-write-unlink (subpath "/Users/u"))');
  });

  it('hides what is not to be read, and opens parts of it again', () => {
    const settings = { filesystem: { denyRead: ['~', 'secret'], allowRead: ['~/.cache'] } };
    expect(rules(settings).filter((line) => line.includes('file-read* '))).toEqual([
      '(deny file-read* (subpath "/Users/u/.turnwright/credentials.json"))',
      '(deny file-read* (subpath "/Users/u"))',
      '(deny file-read* (subpath "/Users/u/app/secret"))',
      '(allow file-read* (subpath "/Users/u/app"))',
      '(allow file-read* (subpath "/Users/u/.cache"))',
      '(deny file-read* (subpath "/Users/u/app/secret"))',
    ]);
  });

  it('denies writes after all that allows them, and the folders above cannot be moved', () => {
    const lines = rules({ filesystem: { allowWrite: ['/opt/x'], denyWrite: ['deep/er'] } });
    expect(lines).toContain('(deny file-write* (subpath "/Users/u/app/deep/er"))');
    expect(lines).toContain('(deny file-write-unlink (literal "/Users/u/app/deep"))');
    const last = lines.findLastIndex((line) => line.startsWith('(allow file-write*'));
    expect(lines.indexOf('(deny file-write* (subpath "/Users/u/app/deep/er"))')).toBeGreaterThan(last);
    expect(lines).toContain('(deny file-write* (subpath "/Users/u/.bashrc"))');
  });

  it('allowLocalBinding lets commands listen on loopback, proxies are reached by their ports, sockets by name', () => {
    const network = { allowLocalBinding: true, allowUnixSockets: ['/opt/agent.sock'] };
    expect(rules({ network }, [8123]).filter((line) => line.includes('network'))).toEqual([
      '(allow network-outbound (remote ip "localhost:8123"))',
      '(allow network-bind (local ip "localhost:*"))',
      '(allow network-inbound (local ip "localhost:*"))',
      '(allow network-outbound (remote unix-socket (path-literal "/opt/agent.sock")))',
    ]);
    expect(rules({ network: { allowAllUnixSockets: true } }).filter((line) => line.includes('network'))).toHaveLength(
      2,
    );
  });

  it('keeps odd names in one text each', () => {
    expect(profile({ filesystem: { denyWrite: ['/a"b\\c)'] } })).toContain('(subpath "/a\\"b\\\\c)")');
  });
});
