// A search that follows links reads what they lead to, also if nobody names them.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPermission } from '../../src/sdk/permissions/permissions.js';
import { temporaryFolder } from '../support/engine.js';

async function workspace(link: (cwd: string, outside: string) => void) {
  const base = await temporaryFolder();
  const [cwd, outside] = [path.join(base, 'ws'), path.join(base, 'outside')];
  for (const folder of [path.join(cwd, 'src/deep'), path.join(cwd, 'lib'), outside])
    mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(outside, 'key'), 'secret');
  writeFileSync(path.join(cwd, 'lib/a'), '');
  link(cwd, outside);
  return cwd;
}
const decide = (command: string, cwd: string, more: object = {}) =>
  checkPermission({ tool: 'Bash', input: { command }, cwd, ...more });

const FOLLOWING = [
  'grep -R x .',
  'grep -Rn x src',
  'grep --dereference-recursive x',
  'egrep -nR x src/deep',
  'rg -L x',
  'rg --follow x src',
  'rg -uuL x',
  'diff -r src lib',
  'diff -ruN lib src',
  'ls -LR',
];
const STAYING = ['grep -r x .', 'rg x', 'diff --no-dereference -r src lib', 'diff src lib', 'grep -R x lib', 'ls -R'];

describe('a search that follows links', () => {
  it.each(['folder', 'file'])('is asked about if one leads out: a %s', async (kind) => {
    const cwd = await workspace((at, outside) =>
      symlinkSync(kind === 'file' ? path.join(outside, 'key') : outside, path.join(at, 'src/deep/way')),
    );
    for (const command of FOLLOWING)
      expect([command, await decide(command, cwd)]).toMatchObject([command, { behavior: 'ask' }]);
    for (const command of STAYING)
      expect([command, await decide(command, cwd)]).toMatchObject([command, { behavior: 'allow' }]);
    expect(await decide('grep -R x .', cwd, { rules: { deny: ['Read(//**/key)'] } })).toMatchObject({
      behavior: kind === 'file' ? 'deny' : 'ask',
    });
  });

  it('reads on if links stay inside, or lead nowhere', async () => {
    const cwd = await workspace((at) => {
      symlinkSync('../../lib', path.join(at, 'src/deep/way'));
      symlinkSync('none', path.join(at, 'src/nowhere'));
    });
    for (const command of FOLLOWING.filter((each) => !each.includes('/deep')))
      expect([command, await decide(command, cwd)]).toMatchObject([command, { behavior: 'allow' }]);
  });

  it('copies nothing that links lead to', async () => {
    const cwd = await workspace((at, outside) => symlinkSync(outside, path.join(at, 'src/way')));
    for (const command of ['cp -rL src copy', 'cp -r --dereference src copy'])
      expect(await decide(command, cwd, { mode: 'acceptEdits' })).toMatchObject({ behavior: 'ask' });
    expect(await decide('cp -r lib copy', cwd, { mode: 'acceptEdits' })).toMatchObject({ behavior: 'allow' });
  });

  it('of more than can be looked through is asked about', async () => {
    const cwd = await workspace((at) => {
      for (let folder = 0; folder <= 4_000; folder++) mkdirSync(path.join(at, `many/${folder}`), { recursive: true });
    });
    expect(await decide('grep -R x .', cwd)).toMatchObject({ behavior: 'ask' });
    expect(await decide('grep -R x lib', cwd)).toMatchObject({ behavior: 'allow' });
  });
});

describe('words of a program that nobody described', () => {
  const rules = { allow: ['Bash(mycli *)'], deny: [] as string[] };

  it('are new names if they stand outside, also in a folder that the line moved to', async () => {
    const cwd = await workspace(() => undefined);
    for (const command of ['mycli ../outside/new', 'cd ../outside; mycli new', '(cd ../outside && mycli -o new)'])
      expect(await decide(command, cwd, { rules })).toMatchObject({ behavior: 'ask' });
    for (const command of ['mycli new', 'cd src; mycli new', 'mycli src/new'])
      expect(await decide(command, cwd, { rules })).toMatchObject({ behavior: 'allow' });
  });

  it('mean what their wildcards match to rules that deny, in every mode', async () => {
    const cwd = await workspace(() => undefined);
    const kept = { rules: { ...rules, deny: ['Read(lib/a)'] }, mode: 'bypassPermissions' };
    for (const command of ['mycli lib/a', 'mycli lib/*', 'mycli "$PWD"/lib/*'])
      expect(await decide(command, cwd, kept)).toMatchObject({ behavior: 'ask' });
    expect(await decide('mycli src/*', cwd, kept)).toMatchObject({ behavior: 'allow' });
  });
});

describe('what a line does without naming it', () => {
  const outcome = async (command: string, deny: string, cwd: string) => {
    const call = { rules: { deny: [deny] }, mode: 'bypassPermissions' };
    return (await decide(command, cwd, call)).behavior;
  };

  it('counts for folders that wildcards match, if they themselves are changed', async () => {
    const cwd = await workspace(() => undefined);
    expect(await outcome('chmod u+x ./*', 'Edit(/lib)', cwd)).toBe('ask');
    expect(await outcome('chmod u+x src/*', 'Edit(/lib)', cwd)).toBe('allow');
    expect(await outcome('wc -l ./*', 'Read(/lib)', cwd)).toBe('allow');
  });

  it('counts for folders on the way to a new name', async () => {
    const cwd = await workspace(() => undefined);
    for (const command of [
      'git init L/../x',
      'mkdir -p L/../x',
      'curl --create-dirs --output-dir L/../x -O localhost/y',
    ])
      expect([command, await outcome(command, 'Edit(/L)', cwd)]).toEqual([command, 'deny']);
  });

  it('counts for what a program does without a name, if the list of them may be empty', async () => {
    const cwd = await workspace(() => undefined);
    expect(await outcome('find lib -type d | xargs patch -i x.patch', 'Edit(/src/new)', cwd)).toBe('ask');
  });
});
