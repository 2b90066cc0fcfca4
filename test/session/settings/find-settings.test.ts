// Which files a session reads that begins below the top of a project: those of its repository, and no others.
import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import type { SettingSource } from '../../../src/protocol/options.js';
import type { Settings } from '../../../src/protocol/settingsTypes.generated.js';
import { resolveOptions } from '../../../src/sdk/resolve-options.js';
import { findSettings } from '../../../src/session/settings/find-settings.js';

const ALL: readonly SettingSource[] = ['user', 'project', 'local'];
const machine = (files: Readonly<Record<string, Settings | string>>) =>
  createMemoryHost({
    files: Object.fromEntries(
      Object.entries(files).map(([file, of]) => [file, typeof of === 'string' ? of : JSON.stringify(of)]),
    ),
  });

async function open(host: ReturnType<typeof machine>, cwd: string, settingSources?: readonly SettingSource[]) {
  const opened = await findSettings(host, {}, cwd, { settingSources }).open();
  return opened?.effective ?? null;
}

describe('in a folder of a repository', () => {
  const REPOSITORY = { '/r/.git/HEAD': 'ref: refs/heads/main', '/r/.git/config': '', '/r/pkg/a/x': '' };

  it('the settings of its top hold, from there', async () => {
    const settings = { permissions: { deny: ['Read(/vault/**)', 'Bash(rm *)'], allow: ['Edit'] } };
    const effective = await open(machine({ ...REPOSITORY, '/r/.claude/settings.json': settings }), '/r/pkg/a');
    expect(effective?.rules.deny.map(({ source, base }) => [source, base])).toEqual([
      ['Read(/vault/**)', '/r'],
      ['Bash(rm *)', '/r'],
    ]);
    expect(effective).toMatchObject({ root: '/r', trust: 'missing', rules: { allow: [] } });
  });

  it('the nearest file counts for a value, and rules of all of them', async () => {
    const host = machine({
      ...REPOSITORY,
      '/r/.turnwright/settings.json': { effort: 'low', language: 'top', permissions: { deny: ['A'] } },
      '/r/pkg/.qoder/settings.json': { effort: 'medium', model: 'middle', permissions: { deny: ['B'] } },
      '/r/pkg/a/.claude/settings.json': { effort: 'high', permissions: { deny: ['C'] } },
      '/r/.claude/settings.local.json': { model: 'local' },
    });
    const effective = await open(host, '/r/pkg/a', ALL);
    expect(effective?.values).toMatchObject({ effort: 'high', model: 'local', language: 'top' });
    expect(effective?.values.permissions?.deny).toEqual(['C', 'B', 'A']);
  });

  it('has the trust that was given at its top, and changes there are seen from below', async () => {
    const host = machine({ ...REPOSITORY, '/r/.claude/settings.json': { permissions: { allow: ['Edit'] } } });
    const at = await findSettings(host, {}, '/r', {}).open();
    const { keepTrust } = await import('../../../src/session/settings/keep-trust.js');
    await keepTrust(host, '/home/user/.turnwright', '/r', at?.effective.untrusted ?? []);
    const finder = findSettings(host, {}, '/r/pkg/a', {});
    expect((await finder.open())?.effective).toMatchObject({ trust: 'remembered', rules: { allow: [{ base: '/r' }] } });
    expect(await finder.reopen('prompt')).toBeNull();
    await host.fs.writeFileAtomic('/r/.claude/settings.json', '{"permissions":{"allow":["Write"]}}');
    expect((await finder.reopen('prompt'))?.settings?.effective).toMatchObject({
      trust: 'missing',
      rules: { allow: [] },
    });
  });

  it('that is a repository itself, or a worktree, those around it do not hold', async () => {
    const host = machine({ ...REPOSITORY, '/r/.claude/settings.json': { effort: 'low' }, '/r/pkg/.git': 'gitdir: /x' });
    expect((await open(host, '/r/pkg/a', ALL))?.values.effort).toBeUndefined();
  });

  it('a session denies what its top denies', async () => {
    const host = machine({ ...REPOSITORY, '/r/.claude/settings.json': { permissions: { deny: ['Bash(curl *)'] } } });
    const { deny } = (await resolveOptions({ model: 'offline', cwd: '/r/pkg/a' }, host)).permissions ?? {};
    expect(deny?.map(({ source }) => source)).toEqual(['Bash(curl *)']);
  });
});

describe('in no repository', () => {
  it('settings of folders above are those of nobody', async () => {
    const host = machine({ '/shared/.claude/settings.json': { effort: 'low' }, '/shared/a/x': '' });
    expect(await open(host, '/shared/a', ALL)).toBeNull();
  });

  it('a home above is read as the user’s, and nothing of it as a project’s', async () => {
    const files = { '/home/user/.git/HEAD': 'x', '/home/user/.git/config': '', '/home/user/a/x': '' };
    const host = machine({ ...files, '/home/user/.turnwright/settings.json': { effort: 'low' } });
    const effective = await open(host, '/home/user/a');
    expect(effective?.files).toEqual([{ scope: 'user', file: '/home/user/.turnwright/settings.json' }]);
    expect(effective).toMatchObject({ trust: 'not_needed', values: { effort: 'low' } });
  });
});
