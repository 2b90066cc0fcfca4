import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EffectiveSettings, readEffectiveSettings } from '../../src/context/effective-settings.js';
import { MANAGED_FILE, placesFor } from '../../src/context/settings/places.js';
import { addTrust, readTrust, trustFile, trustRoot } from '../../src/context/trust.js';
import type { Host } from '../../src/host/host.js';
import { createMemoryHost, type MemoryHost } from '../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../src/host/node-host.js';
import type { SettingSource } from '../../src/protocol/options.js';
import type { Settings } from '../../src/protocol/settingsTypes.generated.js';
import { temporaryFolder } from '../support/engine.js';

const FOLDERS = { home: '/home/user/.turnwright', homedir: '/home/user', cwd: '/project' };
const PROJECT = '/project/.turnwright/settings.json';
const USER = '/home/user/.turnwright/settings.json';

interface Given {
  readonly flag?: string | Settings;
  readonly managed?: Settings;
  readonly sources?: readonly SettingSource[];
  readonly folders?: typeof FOLDERS;
}

const machine = (files: Readonly<Record<string, Settings | string>>): MemoryHost =>
  createMemoryHost({
    files: Object.fromEntries(
      Object.entries(files).map(([file, of]) => [file, typeof of === 'string' ? of : JSON.stringify(of)]),
    ),
  });

const read = (host: Host, { flag, managed, sources, folders = FOLDERS }: Given = {}): Promise<EffectiveSettings> =>
  readEffectiveSettings(host, {
    places: placesFor(folders, sources),
    flag,
    managed,
    cwd: folders.cwd,
    home: folders.home,
    isGranted: sources?.some((source) => source !== 'user') ?? false,
  });

const reasons = ({ refused }: EffectiveSettings) => refused.map(({ leaf, why }) => `${leaf.key}: ${why}`);
const ALL: readonly SettingSource[] = ['user', 'project', 'local'];

describe('settings of several files', () => {
  it('stand in this order: managed, flag, local, project, user; our folder before others', async () => {
    const order: readonly (readonly [string, Partial<Given> | null])[] = [
      [MANAGED_FILE, null],
      ['managed option', { managed: { model: 'managed option' } }],
      ['flag', { flag: { model: 'flag' } }],
      ...['.turnwright', '.claude', '.qoder'].map((f) => [`/project/${f}/settings.local.json`, null] as const),
      ...['.turnwright', '.claude', '.qoder'].map((f) => [`/project/${f}/settings.json`, null] as const),
      ...['.turnwright', '.claude', '.qoder'].map((f) => [`/home/user/${f}/settings.json`, null] as const),
    ];
    for (const [at, [winner]] of order.entries()) {
      const rest = order.slice(at);
      const files = rest.filter(([, given]) => given === null).map(([file]) => [file, { model: file }] as const);
      const given = Object.assign({ sources: ALL }, ...rest.map(([, each]) => each ?? {})) as Given;
      const { values, entries } = await read(machine(Object.fromEntries(files)), given);
      expect(values.model).toBe(winner);
      expect(entries[0]?.overridden.map(({ value }) => value)).toEqual(rest.slice(1).map(([name]) => name));
    }
  });

  it('leaves out the sources that are not named', async () => {
    const files = {
      [USER]: { model: 'u' },
      [PROJECT]: { effort: 'low', permissions: { deny: ['A'] } },
    } satisfies Record<string, Settings>;
    expect((await read(machine(files), { sources: [] })).values).toEqual({});
    expect((await read(machine(files), { sources: ['user'] })).values).toEqual({ model: 'u' });
    expect((await read(machine(files), { sources: ['project'] })).values).toEqual({
      effort: 'low',
      permissions: { deny: ['A'] },
    });
  });

  it('reads a file that is the user’s and the folder’s once, as the user’s', async () => {
    const folders = { ...FOLDERS, cwd: '/home/user' };
    const found = await read(machine({ [USER]: { model: 'u' } }), { folders });
    expect([found.values.model, found.entries[0]?.scope, found.trust]).toEqual(['u', 'user', 'not_needed']);
  });

  it('takes the option as a file, as JSON or as an object, and refuses what is none', async () => {
    const host = machine({ '/project/mine.json': '{ "model": "m" /* so */ }', '/project/bad.json': '{' });
    for (const flag of ['mine.json', '/project/mine.json', ' {"model": "m"}', { model: 'm' }]) {
      expect((await read(host, { flag })).values).toEqual({ model: 'm' });
    }
    await expect(read(host, { flag: 'none.json' })).rejects.toThrow('/project/none.json, and there is no such file');
    await expect(read(host, { flag: 'bad.json' })).rejects.toThrow('is not JSON');
    await expect(read(host, { flag: '{"model"' })).rejects.toThrow('is not JSON');
    await expect(read(host, { flag: [] as never })).rejects.toThrow('settings must be an object');
    await expect(read(host, { managed: 5 as never })).rejects.toThrow('managedSettings must be an object');
  });
});

describe('a folder that nobody vouches for', () => {
  const files = {
    [PROJECT]: {
      permissions: { allow: ['Bash'], deny: ['WebFetch'], ask: ['Edit'], additionalDirectories: ['/'] },
      model: 'evil/x',
      env: { CI: '1' },
      language: 'x',
    } as Settings,
    '/project/.claude/settings.local.json': { permissions: { allow: ['Write'] } } as Settings,
  };

  it('denies and asks, and nothing else', async () => {
    const found = await read(machine(files));
    expect(found.values).toEqual({ permissions: { deny: ['WebFetch'], ask: ['Edit'] } });
    expect(found.trust).toBe('missing');
    expect(found.untrusted.map(({ id }) => id).sort()).toEqual([
      '.claude/settings.local.json#permissions.allow["Write"]',
      '.turnwright/settings.json#env.CI',
      '.turnwright/settings.json#language',
      '.turnwright/settings.json#model',
      '.turnwright/settings.json#permissions.additionalDirectories["/"]',
      '.turnwright/settings.json#permissions.allow["Bash"]',
    ]);
  });

  it('acts as far as it was trusted as it stands; what changes by one character does not', async () => {
    const host = machine(files);
    const before = await read(host);
    await addTrust(host, FOLDERS.home, before.root, before.untrusted);
    const after = await read(host);
    expect([after.trust, after.values.model, after.values.permissions?.allow]).toEqual([
      'remembered',
      'evil/x',
      ['Write', 'Bash'],
    ]);
    await host.fs.writeFileAtomic(PROJECT, JSON.stringify({ ...files[PROJECT], model: 'evil/y' }));
    const changed = await read(host);
    expect([changed.trust, changed.values.model, changed.values.language]).toEqual(['missing', undefined, 'x']);
    expect(changed.untrusted.map(({ leaf }) => leaf.key)).toEqual(['model']);
    // Another folder with the same files is another matter.
    await host.fs.mkdir('/other/.turnwright');
    await host.fs.writeFileAtomic('/other/.turnwright/settings.json', JSON.stringify(files[PROJECT]));
    expect((await read(host, { folders: { ...FOLDERS, cwd: '/other' } })).trust).toBe('missing');
  });

  it('has one trust for all of a repository, and none from what it says of other repositories', async () => {
    const host = machine({ '/r/.git/HEAD': 'ref: x', '/r/a/x': '', '/r/forged/.git': 'gitdir: /r/.git' });
    expect(await trustRoot(host, '/r/a')).toBe('/r');
    expect(await trustRoot(host, '/r/forged')).toBe('/r/forged');
    expect(await trustRoot(host, '/project')).toBe('/project');
    host.symlink('/link', '/r/a');
    expect(await trustRoot(host, '/link')).toBe('/r');
  });

  it('does not believe a list of trusted folders that others may write, or that is none', async () => {
    const host = machine(files);
    const { root, untrusted } = await read(host);
    await addTrust(host, FOLDERS.home, root, untrusted);
    expect((await host.fs.stat(trustFile(FOLDERS.home))).mode).toBe(0o600);
    await host.fs.chmod(trustFile(FOLDERS.home), 0o666);
    const found = await read(host);
    expect([found.trust, found.problems.at(-1)?.message]).toEqual([
      'missing',
      expect.stringMatching(/Others may write/),
    ]);
    await host.fs.chmod(trustFile(FOLDERS.home), 0o600);
    for (const text of ['', '[]', '{"folders":[]}', '{"folders":{"/project":{"a":1}}}']) {
      await host.fs.writeFileAtomic(trustFile(FOLDERS.home), text);
      await expect(readTrust(host, FOLDERS.home, root)).rejects.toThrow('not what Turnwright writes');
      expect((await read(host)).trust).toBe('missing');
    }
  });
});

describe('what a project never says, even a trusted one', () => {
  it.each<[Settings, string]>([
    [{ apiKeyHelper: 'x' }, 'apiKeyHelper'],
    [{ cleanupPeriodDays: 1 }, 'cleanupPeriodDays'],
    [{ statusLine: { type: 'command', command: 'x' } }, 'statusLine'],
    [{ permissions: { defaultMode: 'bypassPermissions' } }, 'permissions.defaultMode'],
    [{ permissions: { defaultMode: 'yolo' } }, 'permissions.defaultMode'],
    [{ permissions: { autoMode: { judge: 'x' } } }, 'permissions.autoMode'],
    [{ permissions: { deferredExpiryMs: 1 } }, 'permissions.deferredExpiryMs'],
    ...[
      'ANTHROPIC_BASE_URL',
      'openai_base_url',
      'MY_API_KEY',
      'HTTPS_PROXY',
      'http_proxy',
      'ALL_PROXY',
      'NODE_EXTRA_CA_CERTS',
      'SSL_CERT_FILE',
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'DYLD_INSERT_LIBRARIES',
      'BASH_ENV',
      'PATH',
      'GIT_SSH_COMMAND',
      'PYTHONPATH',
      'TURNWRIGHT_MAX_RETRIES',
      'CLAUDE_CODE_USE_BEDROCK',
      'PAGER',
      'RIPGREP_CONFIG_PATH',
    ].map((name) => [{ env: { [name]: 'x' } }, `env.${name}`] as [Settings, string]),
    [{ sandbox: { enabled: false } }, 'sandbox.enabled'],
    [{ sandbox: { excludedCommands: ['x'] } }, 'sandbox.excludedCommands'],
    [{ sandbox: { allowUnsandboxedCommands: true } }, 'sandbox.allowUnsandboxedCommands'],
    [{ sandbox: { network: { allowUnixSockets: ['/s'] } } }, 'sandbox.network.allowUnixSockets'],
    [{ sandbox: { network: { httpProxyPort: 1 } } }, 'sandbox.network.httpProxyPort'],
    [{ sandbox: { filesystem: { allowWrite: ['/'] } } }, 'sandbox.filesystem.allowWrite'],
    [{ sandbox: { ignoreViolations: { file: ['*'] } } }, 'sandbox.ignoreViolations.file'],
    [{ sandbox: { enableWeakerNestedSandbox: true } }, 'sandbox.enableWeakerNestedSandbox'],
    [{ allowManagedPermissionRulesOnly: true }, 'allowManagedPermissionRulesOnly'],
  ])('%j', async (settings, key) => {
    for (const file of [PROJECT, '/project/.claude/settings.local.json']) {
      const found = await read(machine({ [file]: settings }), { sources: ALL });
      expect(found.values).toEqual({});
      expect(reasons(found)).toEqual([expect.stringContaining(`${key}: `)]);
    }
    if (key.startsWith('allowManaged')) return;
    const ofUser = await read(machine({ [USER]: settings }));
    expect(ofUser.entries.map((entry) => entry.key)).toEqual([key]);
  });

  it('may make things narrower', async () => {
    const settings: Settings = {
      permissions: { defaultMode: 'plan', disableBypassPermissionsMode: 'disable' },
      sandbox: { enabled: true, allowUnsandboxedCommands: false, filesystem: { denyRead: ['/x'], denyWrite: ['/y'] } },
      budgets: { maxBudgetUsd: 1 },
    };
    const files = { [PROJECT]: settings, [USER]: { budgets: { maxBudgetUsd: 2 } } };
    const found = await read(machine(files), { sources: ALL });
    expect([found.values, found.refused]).toEqual([settings, []]);
    const more = { ...files, [PROJECT]: { budgets: { maxBudgetUsd: 3, maxTurns: 5 } } };
    const raised = await read(machine(more), { sources: ALL });
    expect([raised.values.budgets, reasons(raised)]).toEqual([
      { maxBudgetUsd: 2, maxTurns: 5 },
      ['budgets.maxBudgetUsd: a project does not raise a budget'],
    ]);
  });

  it('no file moves the home that settings are found by', async () => {
    for (const file of [USER, MANAGED_FILE]) {
      const found = await read(machine({ [file]: { env: { TURNWRIGHT_HOME: '/x', HOME: '/y', 'A B': 'z' } } }));
      expect([found.values, found.refused.length]).toEqual([{}, 3]);
    }
  });
});

describe('managed settings', () => {
  it('are weakened by nothing below', async () => {
    const managed: Settings = {
      permissions: { deny: ['WebFetch'], disableBypassPermissionsMode: 'disable' },
      sandbox: { enabled: true, filesystem: { denyRead: ['/secret'] } },
      allowManagedPermissionRulesOnly: true,
    };
    const below: Settings = {
      permissions: { allow: ['Bash'], deny: ['Edit'] },
      sandbox: { enabled: false, excludedCommands: ['x'], filesystem: { allowWrite: ['/'], denyRead: ['/mine'] } },
    };
    const found = await read(machine({ [MANAGED_FILE]: managed, [USER]: below }), { flag: below });
    expect(found.values.permissions).toEqual({ deny: ['WebFetch', 'Edit'], disableBypassPermissionsMode: 'disable' });
    expect(found.values.sandbox).toEqual({ enabled: true, filesystem: { denyRead: ['/secret', '/mine'] } });
    expect(found.managed).toEqual(managed);
  });

  it('of a file that others may write only restrict', async () => {
    const host = machine({ [MANAGED_FILE]: { permissions: { allow: ['Bash'], deny: ['Edit'] }, apiKeyHelper: 'x' } });
    await host.fs.chmod(MANAGED_FILE, 0o666);
    const found = await read(host);
    expect(found.values).toEqual({ permissions: { deny: ['Edit'] } });
    expect(found.problems.map(({ message }) => message)).toEqual([expect.stringContaining('can be written by others')]);
  });

  it('that cannot be read are not as if there were none', async () => {
    expect((await read(machine({ [MANAGED_FILE]: '{"permissions":' }))).isPolicyLost).toBe(true);
    expect((await read(machine({ [MANAGED_FILE]: '{}' }))).isPolicyLost).toBe(false);
    expect((await read(machine({}))).isPolicyLost).toBe(false);
  });
});

it('reads real files as it reads those in memory', async () => {
  const [cwd, homedir] = [await temporaryFolder(), await temporaryFolder()];
  const home = path.join(homedir, '.turnwright');
  for (const [file, text] of [
    [path.join(cwd, '.claude', 'settings.json'), '{ "permissions": { "deny": ["A"], "allow": ["B"] }, } // end'],
    [path.join(home, 'settings.json'), '{"model":"m"}'],
  ] as const) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const found = await read(createNodeHost(), { folders: { cwd, homedir, home } });
  expect(found.values).toEqual({ model: 'm', permissions: { deny: ['A'] } });
  expect(found.untrusted.map(({ id }) => id)).toEqual(['.claude/settings.json#permissions.allow["B"]']);
});
