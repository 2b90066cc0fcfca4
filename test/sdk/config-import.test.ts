// Settings of another product in our own files: shown before they are written, and what is there of ours stays.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { applyImport, planImport } from '../../src/sdk/faces/config-import.js';
import { pluginMachine, writeFiles } from '../support/plugin-sources.js';

const json = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as unknown;

it('shows what would come, in our words, and writes that and no more', async () => {
  const { host, cwd, home, user } = await pluginMachine();
  const hook = { matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] };
  await writeFiles(user, {
    '.claude/settings.json': JSON.stringify({
      effortLevel: 'high',
      model: 'sonnet',
      permissions: { allow: ['Bash(ls:*)', 'Read'], defaultMode: 'manual' },
      hooks: { PreToolUse: [hook] },
      env: { TOKEN: 'canary' },
      spinnerTipsEnabled: false,
      noSuch: 1,
    }),
    '.claude.json': JSON.stringify({ mcpServers: { one: { command: 'node' }, bad: { command: 7 } }, numStartups: 3 }),
  });
  await writeFile(
    path.join(home, 'settings.json'),
    '{\n  // mine\n  "model": "haiku",\n  "permissions": { "allow": ["Read"] }\n}\n',
  );
  const request = { host, cwd, from: 'claude', scope: 'user' } as const;
  const plan = await planImport(request);
  expect(plan.values.map(({ key, value, change }) => [key, value, change])).toEqual([
    ['model', 'sonnet', 'kept'],
    ['permissions.allow', 'Bash(ls:*)', 'add'],
    ['permissions.allow', 'Read', 'same'],
    ['permissions.defaultMode', 'default', 'add'],
    ['hooks.PreToolUse', hook, 'add'],
    ['env.TOKEN', 'canary', 'add'],
    ['effort', 'high', 'add'],
  ]);
  expect(plan.left.map(({ key }) => key)).toEqual(['spinnerTipsEnabled', 'noSuch']);
  expect(plan.servers.map(({ name, change }) => [name, change])).toEqual([
    ['one', 'add'],
    ['bad', 'add'],
  ]);
  expect(await readFile(path.join(home, 'settings.json'), 'utf8')).toContain('"haiku"');

  expect(await applyImport(request, plan)).toEqual([expect.stringContaining('bad: ')]);
  const after = await readFile(path.join(home, 'settings.json'), 'utf8');
  expect(after).toContain('// mine');
  expect(JSON.parse(after.replace('// mine', ''))).toEqual({
    model: 'haiku',
    permissions: { allow: ['Read', 'Bash(ls:*)'], defaultMode: 'default' },
    hooks: { PreToolUse: [hook] },
    env: { TOKEN: 'canary' },
    effort: 'high',
  });
  expect(await json(path.join(home, 'mcp.json'))).toMatchObject({ mcpServers: { one: { command: 'node' } } });
  const again = await planImport(request);
  expect(again.values.filter(({ change }) => change === 'add')).toEqual([]);
});

it('reads those of Qoder, of a project too, and says so if there are none', async () => {
  const { host, cwd, user } = await pluginMachine();
  await expect(planImport({ host, cwd, from: 'qoder', scope: 'user' })).rejects.toThrow(
    /There are no settings of qoder here/,
  );
  await writeFiles(user, {
    '.qoder/settings.json': JSON.stringify({
      general: { vimMode: true, defaultPermissionMode: 'accept_edits' },
      vpcInstanceName: 'x',
    }),
  });
  await writeFiles(cwd, { '.qoder/settings.json': 'not json' });
  const { values, left } = await planImport({ host, cwd, from: 'qoder', scope: 'user' });
  expect(values.map(({ key, value }) => [key, value])).toEqual([
    ['permissions.defaultMode', 'acceptEdits'],
    ['editorMode', 'vim'],
  ]);
  expect(left).toEqual([{ key: 'vpcInstanceName', why: expect.stringContaining('has no effect here') }]);
  await expect(planImport({ host, cwd, from: 'qoder', scope: 'project' })).rejects.toThrow(/Correct it first/);
});
