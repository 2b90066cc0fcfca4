// What settings mean, and that nothing that is not understood makes the sandbox looser.
import { describe, expect, it } from 'vitest';
import type { SandboxSettings } from '../../src/protocol/options.js';
import { hasProxy, readPolicy, sandboxOptions } from '../../src/sandbox/policy.js';

const place = {
  cwd: '/w/app',
  roots: ['/w/app'],
  home: '/home/u',
  secretFiles: ['/home/u/.turnwright/credentials.json'],
};
const read = (settings: SandboxSettings) => readPolicy(settings, place);

describe('the policy', () => {
  it('lets little through if nothing is said', () => {
    expect(read({ enabled: true })).toEqual({
      autoAllowBash: true,
      excludedCommands: [],
      allowUnsandboxed: true,
      roots: ['/w/app'],
      allowWrite: [],
      denyWrite: [],
      denyRead: ['/home/u/.turnwright/credentials.json'],
      allowRead: [],
      network: {
        allowed: [],
        denied: [],
        allowLocalBinding: false,
        unixSockets: [],
        httpProxyPort: null,
        socksProxyPort: null,
      },
      ignore: { file: [], network: [] },
      isNested: false,
    });
  });

  it('takes over what only others act on', () => {
    const policy = read({
      autoAllowBashIfSandboxed: false,
      allowUnsandboxedCommands: false,
      excludedCommands: ['docker', 'git push:*'],
      enableWeakerNestedSandbox: true,
      ignoreViolations: { file: ['/x'], network: ['*'] },
      network: { allowLocalBinding: true, allowAllUnixSockets: true, httpProxyPort: 8080, socksProxyPort: 1080 },
    });
    expect(policy).toMatchObject({
      autoAllowBash: false,
      allowUnsandboxed: false,
      excludedCommands: ['docker', 'git push:*'],
      isNested: true,
      ignore: { file: ['/x'], network: ['*'] },
      network: { allowLocalBinding: true, unixSockets: 'all', httpProxyPort: 8080, socksProxyPort: 1080 },
    });
  });

  it.each([
    ['/abs', '/abs'],
    ['//abs/x', '/abs/x'],
    ['~', '/home/u'],
    ['~/x', '/home/u/x'],
    ['./x', '/w/app/x'],
    ['x/../y', '/w/app/y'],
    ['/abs/**', '/abs'],
  ])('reads the path %s', (text, target) => {
    expect(read({ filesystem: { allowWrite: [text] } }).allowWrite).toEqual([target]);
  });

  it.each(['**/.env', '/a/*/b', '~other/x', ' ', 'a\0b'])('does not guess what the path %j means', (text) => {
    expect(() => read({ filesystem: { denyRead: [text] } })).toThrow(/sandbox\.filesystem\.denyRead/);
  });

  it.each([
    [{ enabled: 'yes' }, /sandbox\.enabled must be true or false/],
    [{ excludedCommands: 'docker' }, /sandbox\.excludedCommands must be a list/],
    [{ excludedCommands: [''] }, /texts that are not empty/],
    [{ network: { httpProxyPort: 0 } }, /httpProxyPort must be a port/],
    [{ network: { socksProxyPort: '1' } }, /socksProxyPort must be a port/],
    [{ network: [] }, /sandbox\.network must be an object/],
    [{ filesystem: { denyread: ['/x'] } }, /no sandbox\.filesystem\.denyread/],
    [{ ignoreViolations: { file: [1] } }, /sandbox\.ignoreViolations\.file/],
    [{ failIfUnavailable: false }, /no sandbox\.failIfUnavailable/],
    [{ network: { allowedDomains: ['https://example.com'] } }, /allowedDomains has "https/],
    [null, /sandbox must be an object/],
  ])('refuses %j', (settings, message) => {
    expect(() => readPolicy(settings as SandboxSettings, place)).toThrow(message);
  });

  it('refuses to confine a command to everything', () => {
    expect(() => readPolicy({ enabled: true }, { ...place, roots: ['/w/..'] })).toThrow(/workspace is \/ itself/);
    const filesystem = { allowWrite: ['/w', '//'] };
    expect(() => readPolicy({ enabled: true, filesystem }, place)).toThrow(/allowWrite has \/, and a sandbox/);
  });

  it('needs a proxy only if something is let out', () => {
    expect(hasProxy(read({}))).toBe(false);
    expect(hasProxy(read({ network: { deniedDomains: ['example.com'] } }))).toBe(false);
    expect(hasProxy(read({ network: { allowedDomains: ['example.com'] } }))).toBe(true);
    expect(hasProxy(read({ network: { httpProxyPort: 3128 } }))).toBe(true);
  });
});

describe('settings of several places', () => {
  it('take the strongest value, and all lists', () => {
    const merged = sandboxOptions({
      settings: { enabled: false, allowUnsandboxedCommands: true, filesystem: { denyRead: ['/a'], allowRead: ['/x'] } },
      option: { enabled: true, filesystem: { denyRead: ['/b', '/a'] } },
      managed: { allowUnsandboxedCommands: false, network: { httpProxyPort: 1 } },
    });
    expect(merged).toEqual({
      enabled: true,
      allowUnsandboxedCommands: false,
      filesystem: { denyRead: ['/a', '/b'], allowRead: ['/x'] },
      network: { httpProxyPort: 1 },
    });
  });

  it('reopen only what managed settings reopen, if those say so', () => {
    const managed = { filesystem: { allowManagedReadPathsOnly: true, allowRead: ['/m'] } };
    const merged = sandboxOptions({ option: { filesystem: { denyRead: ['/'], allowRead: ['/x'] } }, managed });
    expect(merged?.filesystem).toEqual({ denyRead: ['/'], allowRead: ['/m'], allowManagedReadPathsOnly: true });
    const alone = sandboxOptions({ option: { filesystem: { allowManagedReadPathsOnly: true, allowRead: ['/x'] } } });
    expect(alone?.filesystem?.allowRead).toEqual([]);
  });

  it('are none if nobody says anything, and checked one by one', () => {
    expect(sandboxOptions({})).toBeUndefined();
    expect(() => sandboxOptions({ settings: { enabled: 1 }, option: { enabled: true } })).toThrow(/sandbox\.enabled/);
  });
});
