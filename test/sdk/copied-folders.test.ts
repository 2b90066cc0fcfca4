// A copy of a whole folder writes what is protected in it, although nobody names that.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandSubject } from '../../src/engine/subject/command-subject.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { parseRule } from '../../src/permissions/rule.js';
import { keptFiles } from '../../src/permissions/unseen-files.js';
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
    rules: { allow: ['Bash(rsync *)', 'Bash(git mv *)', 'Bash(gio *)', 'Bash(scp *)', 'Bash(ln *)', 'Bash(find *)'] },
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
        'cp -al kit other',
        'cp -r kit/* .',
        'mv kit other',
        'mv -T kit other',
        'mv kit src',
        'mv -t src kit',
        'scp -r kit other',
        'git mv kit other',
        'gio move kit other',
      ].filter((each) => file.startsWith('kit/deep') || !each.includes('*')))
        expect([command, await decide(command, cwd, { mode: 'bypassPermissions' })]).toMatchObject([command, ASKED]);
      for (const command of ['cp -r kit/. .', 'rsync -a kit/ .', 'mv kit other'])
        expect([command, await decide(command, cwd)]).toMatchObject([command, ASKED]);
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

  it('is looked through also if it is large', async () => {
    const cwd = await workspace();
    for (let at = 0; at < 1_200; at++) mkdirSync(path.join(cwd, 'kit', `f${at}`), { recursive: true });
    expect(await decide('cp -r kit other', cwd)).toMatchObject({ behavior: 'allow' });
    mkdirSync(path.join(cwd, 'kit', 'f9/deep/.husky'), { recursive: true });
    expect(await decide('cp -r kit other', cwd)).toMatchObject(ASKED);
  });

  it('is not asked about for its size alone, as long as no rule is held against each of its files', async () => {
    const cwd = await workspace();
    const host = createNodeHost();
    const many = Array.from({ length: 40_000 }, (_, at) => ({ name: `f${at}`, kind: 'file' as const }));
    const entries: typeof host.fs.entries = (folder) =>
      folder.endsWith('/src') ? Promise.resolve(many) : host.fs.entries(folder);
    const place = { host: { ...host, fs: { ...host.fs, entries } }, cwd };
    const filesOf = async (askKept?: () => Promise<ReturnType<typeof keptFiles>>) =>
      (await commandSubject({ kind: 'command', command: 'mv src other' }, { ...place, ...(askKept && { askKept }) }))
        .files;
    const none = { deny: [], ask: [], roots: [cwd] };
    for (const askKept of [undefined, async () => keptFiles(none, null, 'write')])
      expect(await filesOf(askKept)).not.toContainEqual(expect.objectContaining({ path: null }));
    const deny = [parseRule('Edit(docs/**)')];
    const files = await filesOf(async () => keptFiles({ ...none, deny }, null, 'write'));
    expect(files).toContainEqual(expect.objectContaining({ path: null, access: 'write' }));
  });

  it('that has no end is asked about', async () => {
    const cwd = await workspace('kit/a');
    const host = createNodeHost();
    const ten = Array.from({ length: 10 }, (_, at) => ({ name: `d${at}`, kind: 'directory' as const }));
    const entries: typeof host.fs.entries = (folder) =>
      folder.includes('/kit') ? Promise.resolve(ten) : host.fs.entries(folder);
    const place = { host: { ...host, fs: { ...host.fs, entries } }, cwd };
    for (const command of ['mv kit other', 'chmod -R u+w kit']) {
      const { files = [] } = (await commandSubject({ kind: 'command', command }, place)) ?? {};
      expect(files).toContainEqual(expect.objectContaining({ path: null, access: 'write' }));
    }
  });

  it('makes protected what was none elsewhere', async () => {
    const cwd = await workspace(
      'parts/config.toml',
      'conf/helix/languages.toml',
      'made/x.pth',
      'lib/site-packages/a.py',
    );
    for (const command of [
      'cp -r parts mise',
      'mv parts mise',
      'ln -s parts mise',
      'cp -r conf .config',
      'ln -s conf .config',
      'mv conf .config',
      'cp -rT made lib/site-packages',
      'cp made/*.pth lib/site-packages',
    ])
      expect([command, await decide(command, cwd)]).toMatchObject([command, ASKED]);
    for (const command of ['mv parts other', 'ln -s conf src/conf', 'cp -r made lib/site-packages'])
      expect([command, await decide(command, cwd)]).toMatchObject([command, { behavior: 'allow' }]);
  });

  it('that writes through a link in its place is held to what the link leads to', async () => {
    const cwd = await workspace('kit/sub/file', 'sub/other');
    const outside = await temporaryFolder();
    symlinkSync(path.join(outside, 'file'), path.join(cwd, 'sub/file'));
    writeFileSync(path.join(outside, 'file'), 'x');
    for (const command of ['cp -r kit/. .', 'cp -rT kit .', 'cp -r kit/sub .', 'rsync -a --inplace kit/ .'])
      expect([command, await decide(command, cwd)]).toMatchObject([command, { behavior: 'ask' }]);
    expect(await decide('cp -r kit other', cwd)).toMatchObject({ behavior: 'allow' });
  });

  it('onto what a rule keeps is denied', async () => {
    const cwd = await workspace('kit/docs/a.md', 'docs/a.md');
    const rules = { allow: ['Bash(mv *)', 'Bash(cp *)', 'Bash(rsync *)'], deny: ['Edit(docs/**)'] };
    for (const command of ['cp -rT kit .', 'cp -r kit/docs .', 'mv -T kit other', 'rsync -a kit/ other'])
      for (const mode of ['default', 'bypassPermissions'] as const)
        expect([command, await decide(command, cwd, { mode, rules })]).toMatchObject([command, { behavior: 'deny' }]);
  });
});

describe('a folder that is removed', () => {
  it('takes along what configures itself, and is asked about if it configures what stays', async () => {
    const cwd = await workspace('kit/.npmrc', '.config/lefthook.yml', 'pack/.config/pip/pip.conf', 'plain/a');
    for (const command of ['rm -rf kit', 'find kit -delete', 'rm -rf pack', 'find kit -name "*.c" -delete'])
      expect([command, await decide(command, cwd, { mode: 'bypassPermissions' })]).toMatchObject([
        command,
        { behavior: 'allow' },
      ]);
    for (const command of [
      'rm -rf .config',
      'rm -rf pack/.config',
      'mv .config x',
      'find kit -type f -delete',
      'find kit -name ".n*" -delete',
      'rsync -a --delete plain/ kit/',
      'git clean -fdx kit',
    ])
      expect([command, await decide(command, cwd, { mode: 'bypassPermissions' })]).toMatchObject([command, ASKED]);
  });
});
