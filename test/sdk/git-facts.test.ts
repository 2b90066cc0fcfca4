// What git's configuration says on the disk decides about calls: of one, and of a whole session.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PermissionMode } from '../../src/protocol/permissions.js';
import { checkPermission } from '../../src/sdk/permissions/permissions.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

async function repository(config = '') {
  const cwd = await temporaryFolder();
  execFileSync('git', ['init', '-q', cwd], { stdio: 'pipe' });
  writeFileSync(path.join(cwd, '.git/config'), `[core]\nrepositoryformatversion = 0\n${config}`);
  for (const name of ['scripts/hooks', 'evil/hooks']) mkdirSync(path.join(cwd, name), { recursive: true });
  writeFileSync(path.join(cwd, 'scripts/hooks/pre-commit'), '');
  writeFileSync(path.join(cwd, 'evil/hooks/pre-commit'), '');
  return cwd;
}

/** Records a repository whose configuration starts a program that leaves a mark. */
function plant(cwd: string): string {
  const mark = path.join(cwd, 'mark');
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', cwd, ...words], { stdio: 'pipe' });
  git('init', '-q', 'lib');
  git('-C', 'lib', 'commit', '-q', '--allow-empty', '-m', 'one');
  git('add', 'lib');
  writeFileSync(path.join(cwd, 'run.sh'), `#!/bin/sh\n: > ${mark}\n`, { mode: 0o755 });
  git('-C', 'lib', 'config', 'core.fsmonitor', path.join(cwd, 'run.sh'));
  return mark;
}

const HOOKS = 'hooksPath = scripts/hooks\n';

describe('a change of what core.hooksPath names', () => {
  const command = (text: string) => ({ tool: 'Bash', input: { command: text } });
  const write = (file: string) => ({ tool: 'Write', input: { file_path: file, content: 'x' } });
  const calls = [
    write('scripts/hooks/pre-commit'),
    write('scripts/Hooks/new'),
    write('link/pre-commit'),
    command('cp evil/hooks/pre-commit scripts/hooks/pre-commit'),
    command('echo x > scripts/hooks/pre-push'),
    command('sed -i s/a/b/ scripts/hooks/pre-commit'),
    command('mv scripts old'),
    command('rm -r scripts'),
    command('ln -s ../evil/hooks scripts/hooks'),
  ];
  it.each(calls.flatMap((call) => (['acceptEdits', 'bypassPermissions'] as const).map((mode) => ({ call, mode }))))(
    'is asked about in every mode: $call.input in $mode',
    async ({ call, mode }) => {
      const cwd = await repository(HOOKS);
      symlinkSync('scripts/hooks', path.join(cwd, 'link'));
      const asked = await checkPermission({ ...call, cwd, mode, rules: { allow: ['Bash', 'Write'] } });
      expect(asked).toMatchObject({ behavior: 'ask', reasonType: 'safetyCheck', isFirm: true });
      const plain = await repository();
      symlinkSync('scripts/hooks', path.join(plain, 'link'));
      expect(await checkPermission({ ...call, cwd: plain, mode, rules: { allow: ['Bash', 'Write'] } })).toMatchObject({
        behavior: 'allow',
      });
    },
  );

  it.each<[string, PermissionMode]>([
    ['echo x > scripts/other', 'acceptEdits'],
    ['cat scripts/hooks/pre-commit', 'default'],
    ['mkdir -p scripts/more', 'acceptEdits'],
    ['cp a scripts', 'acceptEdits'],
  ])('and nothing else is: %s', async (text, mode) => {
    expect(await checkPermission({ ...command(text), mode, cwd: await repository(HOOKS) })).toMatchObject({
      behavior: 'allow',
    });
  });

  it('is asked about if the folder is not there yet, nor the one it lies in', async () => {
    const cwd = await repository('hooksPath = build/hooks\n');
    for (const text of ['mkdir build/hooks', 'mv evil build', 'cp -r evil build'])
      expect(await checkPermission({ ...command(text), mode: 'acceptEdits', cwd })).toMatchObject({ behavior: 'ask' });
  });
});

describe('a session', () => {
  it('asks about git once a repository is recorded whose configuration starts something', async () => {
    const cwd = await repository();
    const status = toolCall('Bash', { command: 'git status --short' });
    const env = { TURNWRIGHT_HOME: await temporaryFolder() };
    const run = async () => {
      const provider = scriptedModel([status, text('done')]);
      const options = { cwd, provider, env, settingSources: ['project' as const] };
      return lastResult(await collect(query({ prompt: 'go', options })));
    };
    expect((await run()).permission_denials).toEqual([]);
    const mark = plant(cwd);
    const after = await run();
    expect(after.permission_denials).toHaveLength(1);
    expect(after.permission_denials[0]?.reason).toContain('lib/.git/config (core.fsmonitor) would');
    expect(existsSync(mark)).toBe(false);
  });

  it('asks about a hook whose folder was named while it ran', async () => {
    const cwd = await repository();
    writeFileSync(path.join(cwd, 'set.sh'), 'git config core.hooksPath scripts/hooks\n');
    const model = scriptedModel([
      toolCall('Write', { file_path: 'scripts/hooks/one', content: 'x' }),
      toolCall('Bash', { command: 'sh set.sh' }),
      toolCall('Write', { file_path: 'scripts/hooks/two', content: 'x' }),
      text('done'),
    ]);
    const env = { TURNWRIGHT_HOME: await temporaryFolder() };
    const options = { cwd, provider: model, env, permissionMode: 'acceptEdits' as const, allowedTools: ['Bash'] };
    const { permission_denials: denied } = lastResult(await collect(query({ prompt: 'go', options })));
    expect(denied.map(({ tool_input: input }) => input)).toEqual([{ file_path: 'scripts/hooks/two', content: 'x' }]);
  });
});
