// A copy of a whole folder writes what is protected in it, although nobody names that.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPermission } from '../../src/sdk/permissions/permissions.js';
import { temporaryFolder } from '../support/engine.js';

async function workspace(...files: readonly string[]) {
  const cwd = await temporaryFolder();
  for (const file of ['src/a.ts', ...files]) {
    mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true });
    writeFileSync(path.join(cwd, file), file === '.git/config' ? '[core]\nhooksPath = tools/hooks\n' : 'x');
  }
  return cwd;
}
const decide = (command: string, cwd: string, more: object = {}) =>
  checkPermission({
    tool: 'Bash',
    input: { command },
    cwd,
    mode: 'acceptEdits',
    rules: { allow: ['Bash(rsync *)'] },
    ...more,
  });
const ASKED = { behavior: 'ask', reasonType: 'safetyCheck', isFirm: true };

describe('a copy of a folder', () => {
  it.each(['kit/.vscode/tasks.json', 'kit/.mcp.json', 'kit/deep/er/.husky/pre-commit', 'kit/.git/config'])(
    'with %s in it is asked about in every mode',
    async (file) => {
      const cwd = await workspace(file);
      for (const command of [
        'cp -r kit/. .',
        'cp -a kit other',
        'cp -R kit/ .',
        'rsync -a kit/ .',
        'rsync -rv kit other',
        'cp -r src kit out',
      ])
        for (const mode of ['acceptEdits', 'bypassPermissions'] as const)
          expect([command, await decide(command, cwd, { mode })]).toMatchObject([command, ASKED]);
      for (const command of ['cp -r src other', 'cp kit/x other'])
        expect([command, await decide(command, cwd)]).toMatchObject([command, { behavior: 'allow' }]);
      expect(await decide('cp -r kit/. .', cwd, { sandbox: true })).toMatchObject({ behavior: 'allow' });
    },
  );

  it('out of what find lists brings along protected files of it', async () => {
    const cwd = await workspace('kit/.envrc', 'kit/b.ts', '.git/HEAD');
    for (const command of ['find kit -type f -exec cp {} src \\;', "find . -name '.*' -exec cp {} src \\;"])
      expect([command, await decide(command, cwd, { mode: 'bypassPermissions' })]).toMatchObject([command, ASKED]);
    for (const command of ["find . -name '*.ts' -exec cp {} src \\;", 'find src -type f -exec cp {} src \\;'])
      expect([command, await decide(command, cwd, { mode: 'bypassPermissions' })]).toMatchObject([
        command,
        { behavior: 'allow' },
      ]);
  });

  it('by a glob brings along what a glob matches', async () => {
    const cwd = await workspace('kit/.envrc', 'kit/sub/file');
    expect(await decide('cp -r kit/* .', cwd)).toMatchObject({ behavior: 'allow' });
    expect(await decide('cp -r kit/* .', await workspace('kit/sub/.envrc'))).toMatchObject(ASKED);
  });

  it('onto what core.hooksPath names is asked about', async () => {
    const cwd = await workspace(
      '.git/HEAD',
      '.git/config',
      'tools/keep',
      'kit/tools/hooks/pre-commit',
      'kit/hooks/pre-commit',
    );
    for (const command of ['cp -r kit/. .', 'cp -r kit/tools .', 'cp -r kit/hooks tools'])
      expect([command, await decide(command, cwd)]).toMatchObject([command, ASKED]);
    expect(await decide('cp -r kit other', cwd)).toMatchObject({ behavior: 'allow' });
  });
});
