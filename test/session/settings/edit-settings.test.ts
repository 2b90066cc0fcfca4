import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { Settings } from '../../../src/protocol/settingsTypes.generated.js';
import { editSettings, type SettingsEdit, type SettingsHome } from '../../../src/session/settings/edit-settings.js';
import { temporaryFolder } from '../../support/engine.js';

const append = (value: string): SettingsEdit => ({ op: 'append', path: ['permissions', 'allow'], value });
const remove = (value: string): SettingsEdit => ({ op: 'remove', path: ['permissions', 'allow'], value });

async function realHome(): Promise<SettingsHome & { readonly home: string }> {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  return { host: createNodeHost(), env: { TURNWRIGHT_HOME: home }, cwd, home };
}

describe('a change of a settings file', () => {
  it('keeps comments, order and the other values', async () => {
    const home = await realHome();
    const file = path.join(home.home, 'settings.json');
    await writeFile(
      file,
      '{\n  "permissions": {\n    // harmless\n    "allow": ["Read"], // so\n  },\n  "model": "m"\n}\n',
    );
    await editSettings(home, 'user', [append('Glob'), append('Read')]);
    const text = await readFile(file, 'utf8');
    expect(text).toContain('    // harmless\n');
    expect(text).toMatch(/"allow": \[\s*"Read",\s*"Glob"\s*\], \/\/ so/);
    expect(text).toMatch(/"model": "m"\n\}\n$/);
    await editSettings(home, 'user', [remove('Read'), remove('none')]);
    expect(await readFile(file, 'utf8')).toMatch(/"allow": \[\s*"Glob"\s*\], \/\/ so/);
  });

  it('is the same in memory', async () => {
    const host = createMemoryHost();
    await editSettings({ host, env: {}, cwd: '/project' }, 'local', [append('Read')]);
    const files = host.files();
    expect(JSON.parse(files['/project/.turnwright/settings.local.json'] ?? '')).toEqual({
      permissions: { allow: ['Read'] },
    });
    expect(files['/project/.turnwright/.gitignore']).toContain('*.local.json');
    expect(Object.keys(files).filter((file) => file.endsWith('.lock'))).toEqual([]);
    expect((await host.fs.stat('/home/user/.turnwright/trust.json')).mode).toBe(0o600);
  });

  it('leaves what the project says of ignored files as it is', async () => {
    const home = await realHome();
    await mkdir(path.join(home.cwd, '.turnwright'));
    await writeFile(path.join(home.cwd, '.turnwright', '.gitignore'), 'mine\n');
    await editSettings(home, 'local', [append('Read')]);
    expect(await readFile(path.join(home.cwd, '.turnwright', '.gitignore'), 'utf8')).toBe('mine\n');
  });

  it('is not made through a link that leads elsewhere', async () => {
    for (const link of ['file', 'folder']) {
      const home = await realHome();
      const outside = await temporaryFolder();
      const victim = path.join(outside, 'settings.local.json');
      await writeFile(victim, '{}');
      const folder = path.join(home.cwd, '.turnwright');
      if (link === 'folder') await symlink(outside, folder);
      else {
        await mkdir(folder);
        await symlink(victim, path.join(folder, 'settings.local.json'));
      }
      await expect(editSettings(home, 'local', [append('Read')])).rejects.toThrow('is a link to another place');
      expect(await readFile(victim, 'utf8')).toBe('{}');
    }
  });

  it('of many at once loses none, and of other processes neither', async () => {
    const home = await realHome();
    const names = Array.from({ length: 12 }, (_, at) => `Tool${at}`);
    await Promise.all(names.map((name) => editSettings(home, 'local', [append(name)])));
    const file = path.join(home.cwd, '.turnwright', 'settings.local.json');
    const read = async () => JSON.parse(await readFile(file, 'utf8')) as Settings;
    expect([...((await read()).permissions?.allow ?? [])].sort()).toEqual([...names].sort());
    expect((await readdir(path.dirname(file))).sort()).toEqual(['.gitignore', 'settings.local.json']);
    const trust = await readFile(path.join(home.home, 'trust.json'), 'utf8');
    for (const name of names) expect(trust).toContain(`permissions.allow[\\"${name}\\"]`);
  });

  it('waits for nobody who is gone', async () => {
    const home = await realHome();
    const folder = path.join(home.cwd, '.turnwright');
    const { stdout } = await promisify(execFile)(process.execPath, ['-p', 'process.pid']);
    await mkdir(folder);
    const self = await home.host.processes.self();
    const owner = { ...self, pid: Number(stdout), started: 'then', nonce: 'abc-def', since: '' };
    await writeFile(path.join(folder, 'settings.local.json.lock'), JSON.stringify(owner));
    await editSettings(home, 'local', [append('Read')]);
    expect((await readdir(folder)).sort()).toEqual(['.gitignore', 'settings.local.json']);
  });
});
