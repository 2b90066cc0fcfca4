// Permission updates that outlive the session, through the gate of a whole session and real files.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import type { PermissionUpdate } from '../../../src/protocol/permissions.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { saveUpdates } from '../../../src/session/settings/edit-settings.js';
import { findSettings } from '../../../src/session/settings/find-settings.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../../support/engine.js';

const rule = (toolName: string, ruleContent?: string) =>
  ruleContent === undefined ? { toolName } : { toolName, ruleContent };
const add = (
  destination: PermissionUpdate['destination'],
  toolName = 'Bash',
  ruleContent?: string,
): PermissionUpdate => ({
  type: 'addRules',
  rules: [rule(toolName, ruleContent)],
  behavior: 'allow',
  destination,
});

async function place() {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const read = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as unknown;
  return {
    cwd,
    home,
    ofUser: () => read(path.join(home, 'settings.json')),
    ofProject: () => read(path.join(cwd, '.turnwright', 'settings.json')),
    ofLocal: () => read(path.join(cwd, '.turnwright', 'settings.local.json')),
  };
}

/** A prompt whose model calls Bash, and whose host answers with updates. */
async function answered(cwd: string, home: string, updates: PermissionUpdate[], options: Options = {}) {
  let asked = 0;
  const model = scriptedModel([toolCall('Bash', { command: 'mkdir -p made' }), text('ok')]);
  const messages = await collect(
    query({
      prompt: 'go',
      options: {
        provider: model,
        cwd,
        env: { TURNWRIGHT_HOME: home },
        persistSession: false,
        canUseTool: async () => {
          asked++;
          return { behavior: 'allow', updatedPermissions: updates };
        },
        ...options,
      },
    }),
  );
  return { asked, messages, denials: lastResult(messages).permission_denials.length };
}

const codes = (messages: readonly SDKMessage[]) =>
  messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.code] : []));

describe('a permission that is to be kept', () => {
  it.each(['userSettings', 'projectSettings', 'localSettings'] as const)(
    'goes into the file of %s, and the next session does not ask',
    async (destination) => {
      const { cwd, home, ...files } = await place();
      const first = await answered(cwd, home, [add(destination)]);
      expect([first.asked, codes(first.messages)]).toEqual([1, []]);
      const file = { userSettings: files.ofUser, projectSettings: files.ofProject, localSettings: files.ofLocal };
      expect(await file[destination]()).toEqual({ permissions: { allow: ['Bash'] } });
      const second = await answered(cwd, home, []);
      expect([second.asked, second.denials, codes(second.messages)]).toEqual([0, 0, []]);
    },
  );

  it('vouches for itself and for nothing else of the folder', async () => {
    const { cwd, home } = await place();
    await mkdir(path.join(cwd, '.turnwright'));
    await writeFile(path.join(cwd, '.turnwright', 'settings.local.json'), '{ "permissions": { "allow": ["Write"] } }');
    await answered(cwd, home, [add('localSettings')]);
    const { asked, messages } = await answered(cwd, home, []);
    const told = messages.find((each) => each.type === 'system' && each.subtype === 'notice');
    expect([asked, codes(messages)]).toEqual([0, ['folder_not_trusted']]);
    expect(JSON.stringify(told)).toContain('permissions.allow');
  });

  it('in the session alone stands in no file', async () => {
    const { cwd, home, ofUser } = await place();
    await answered(cwd, home, [add('session')]);
    await expect(ofUser()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is refused, and the call with it, if managed settings alone allow anything', async () => {
    const { cwd, home, ofUser } = await place();
    const managed: Options = { managedSettings: { allowManagedPermissionRulesOnly: true } };
    const { denials, messages } = await answered(cwd, home, [add('userSettings')], managed);
    expect(denials).toBe(1);
    expect(JSON.stringify(messages)).toContain('no rule is saved');
    await expect(ofUser()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('that cannot be written holds for the session, and is told', async () => {
    const { cwd, home } = await place();
    await writeFile(path.join(home, 'settings.json'), '{ "permissions": ');
    const { denials, messages } = await answered(cwd, home, [add('userSettings')]);
    expect([denials, codes(messages)]).toEqual([0, ['settings_problem', 'settings_not_saved']]);
    expect(await readFile(path.join(home, 'settings.json'), 'utf8')).toBe('{ "permissions": ');
  });
});

describe('every kind of update', () => {
  it('changes the lists it names', async () => {
    const host = createMemoryHost();
    const home = { host, env: {}, cwd: '/project' };
    const save = (...updates: PermissionUpdate[]) => saveUpdates(home, updates, false);
    const destination = 'localSettings';
    await save(
      add(destination, 'Bash', 'npm test'),
      add(destination, 'Read'),
      { type: 'addRules', rules: [rule('WebFetch')], behavior: 'deny', destination },
      { type: 'addDirectories', directories: ['/a', '/b'], destination },
      { type: 'setMode', mode: 'acceptEdits', destination },
    );
    await save(
      { type: 'removeRules', rules: [rule('Read')], behavior: 'allow', destination },
      { type: 'replaceRules', rules: [rule('Edit')], behavior: 'ask', destination },
      { type: 'removeDirectories', directories: ['/a'], destination },
      { type: 'setMode', mode: 'bypassPermissions', destination },
    );
    expect(JSON.parse(host.files()['/project/.turnwright/settings.local.json'] ?? '')).toEqual({
      permissions: {
        allow: ['Bash(npm test)'],
        deny: ['WebFetch'],
        additionalDirectories: ['/b'],
        defaultMode: 'acceptEdits',
        ask: ['Edit'],
      },
    });
  });

  it('says in the user’s file which folder a path means', async () => {
    const host = createMemoryHost();
    const updates = ['/src/**', './x', 'src/y', '*.md', '~/n/**', '//abs/z'].map((each) =>
      add('userSettings', 'Edit', each),
    );
    await saveUpdates({ host, env: {}, cwd: '/project' }, updates, false);
    expect(JSON.parse(host.files()['/home/user/.turnwright/settings.json'] ?? '')).toEqual({
      permissions: {
        allow: [
          'Edit(//project/src/**)',
          'Edit(//project/x)',
          'Edit(//project/src/y)',
          'Edit(*.md)',
          'Edit(~/n/**)',
          'Edit(//abs/z)',
        ],
      },
    });
  });

  it.each([
    {
      name: 'the nearest file there is',
      there: ['/w/.turnwright/settings.local.json', '/w/a/.turnwright/settings.local.json'],
      goesTo: '/w/a',
    },
    {
      name: 'the nearest folder with settings',
      there: ['/w/.turnwright/other', '/w/a/.turnwright/settings.json'],
      goesTo: '/w/a',
    },
    { name: 'the top of the repository', there: [], goesTo: '/w' },
  ])('goes to $name, and means the same paths there', async ({ there, goesTo }) => {
    const host = createMemoryHost({
      files: { '/w/.git/HEAD': 'x', '/w/a/b/file': '', ...Object.fromEntries(there.map((file) => [file, '{}'])) },
    });
    const content = ['/src/**', 'x/y', '*.md', '~/n', '//abs'];
    const updates = content.map((each) => add('localSettings', 'Edit', each));
    const deny = { ...add('localSettings', 'Read', '*.pem'), behavior: 'deny' } as PermissionUpdate;
    const directories = { type: 'addDirectories', directories: ['../x', '/y'], destination: 'localSettings' } as const;
    await saveUpdates({ host, env: {}, cwd: '/w/a/b' }, [...updates, deny, directories], false);
    const start = goesTo === '/w' ? '/a/b' : '/b';
    expect(JSON.parse(host.files()[`${goesTo}/.turnwright/settings.local.json`] ?? '')).toEqual({
      permissions: {
        allow: [`Edit(${start}/src/**)`, `Edit(${start}/x/y)`, `Edit(${start}/**/*.md)`, 'Edit(~/n)', 'Edit(//abs)'],
        deny: ['Read(*.pem)'],
        additionalDirectories: ['/w/a/x', '/y'],
      },
    });
    // Trusted as it was written, and read by a session in the folder.
    const opened = await findSettings(host, {}, '/w/a/b', {}).open();
    expect(opened?.effective).toMatchObject({ trust: 'remembered', refused: [] });
    expect(opened?.rules.allow).toHaveLength(5);
  });

  it('takes a rule back wherever it stands', async () => {
    const rules = (...allow: string[]) => JSON.stringify({ permissions: { allow } });
    const files = {
      '/w/.git/HEAD': 'x',
      '/w/.turnwright/settings.local.json': rules('Bash(npm test)', 'Edit(/a/x)'),
      '/w/a/.turnwright/settings.local.json': rules('Bash(npm test)', 'Edit(/x)', 'Read'),
    };
    const host = createMemoryHost({ files });
    const removed = [rule('Bash', 'npm test'), rule('Edit', '/x')];
    const update = { type: 'removeRules', rules: removed, behavior: 'allow', destination: 'localSettings' } as const;
    await saveUpdates({ host, env: {}, cwd: '/w/a' }, [update], false);
    expect(JSON.parse(host.files()['/w/.turnwright/settings.local.json'] ?? '').permissions.allow).toEqual([]);
    expect(JSON.parse(host.files()['/w/a/.turnwright/settings.local.json'] ?? '').permissions.allow).toEqual(['Read']);
  });

  it('keeps out of the home folder, which is the user’s', async () => {
    const host = createMemoryHost({ files: { '/home/user/.git/HEAD': 'x', '/home/user/p/file': '' } });
    await saveUpdates({ host, env: {}, cwd: '/home/user/p' }, [add('localSettings')], false);
    expect(Object.keys(host.files())).toContain('/home/user/p/.turnwright/settings.local.json');
  });
});
