import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveSubject } from '../../src/engine/subject/resolve-subject.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { decidePermission } from '../../src/permissions/decide.js';
import type { PermissionContext } from '../../src/permissions/permission-call.js';
import { parseRule } from '../../src/permissions/rule.js';
import { PATH_CASES, type PathCase } from './corpus/paths.js';

const READING = ['Read', 'Grep', 'Glob'];

function contextOf(setting: Pick<PathCase, 'mode' | 'allow' | 'deny' | 'ask'>, root = '/w/app'): PermissionContext {
  const parse = (rules: readonly string[] = []) => rules.map((rule) => parseRule(rule, { base: root }));
  const { mode = 'default', allow, deny, ask } = setting;
  return { mode, allow: parse(allow), deny: parse(deny), ask: parse(ask), roots: [root], home: '/home/u' };
}

describe('paths', () => {
  it('the corpus has a hundred and fifty cases', () => expect(PATH_CASES.length).toBeGreaterThanOrEqual(150));

  it.each(PATH_CASES)('$kind $tool $path ($real) in $mode, $allow, without $deny: $expect', (given) => {
    const access = READING.includes(given.tool) ? 'read' : 'write';
    const target = path.resolve(given.path);
    const decision = decidePermission(contextOf(given), {
      toolName: given.tool,
      readOnly: access === 'read',
      subject: { kind: 'path', path: target, realPath: given.real ?? target, access, isFile: given.isFile ?? false },
    });
    expect(decision.behavior).toBe(given.expect);
    expect(decision.reason).not.toBe('');
  });
});

describe('paths on a disk', () => {
  const host = createNodeHost();
  let top = '';
  let root = '';

  beforeAll(async () => {
    top = await realpath(await mkdtemp(path.join(tmpdir(), 'paths-')));
    root = path.join(top, 'app');
    await mkdir(path.join(root, '.git'), { recursive: true });
    await mkdir(path.join(root, 'src'));
    await mkdir(path.join(top, 'outside'));
    await writeFile(path.join(top, 'outside', 'secret'), 'x');
    await writeFile(path.join(root, '.env'), 'x');
    await writeFile(path.join(root, 'src', 'a.ts'), 'x');
    await symlink('../outside', path.join(root, 'out'));
    await symlink('out/secret', path.join(root, 'chain'));
    await symlink('.env', path.join(root, 'plain'));
    await symlink('.git', path.join(root, 'src', 'g'));
    await symlink('../.git', path.join(root, 'src', 'vcs'));
    await symlink('loop', path.join(root, 'loop'));
    await symlink('/nowhere/at/all', path.join(root, 'dangling'));
    await symlink(root, path.join(top, 'alias'));
  });
  afterAll(() => rm(top, { recursive: true, force: true, maxRetries: 5 }));

  async function decide(access: 'read' | 'write', target: string, setting: Parameters<typeof contextOf>[0] = {}) {
    const subject = await resolveSubject({ kind: 'path', path: target, access }, { host, cwd: root });
    const toolName = access === 'read' ? 'Read' : 'Write';
    return decidePermission(contextOf(setting, root), { toolName, readOnly: access === 'read', subject });
  }

  it.each([
    ['a folder that leads out', 'read', 'out/secret', {}, 'ask'],
    ['a chain of links', 'read', 'chain', {}, 'ask'],
    ['a link to a denied file', 'read', 'plain', { deny: ['Read(.env)'] }, 'deny'],
    ['a link within the workspace', 'read', 'plain', {}, 'allow'],
    ['a new file behind a folder that leads out', 'write', 'out/new/file', { mode: 'acceptEdits' }, 'ask'],
    ['a new file behind a link to a protected folder', 'write', 'src/vcs/hooks/x', { mode: 'acceptEdits' }, 'ask'],
    ['a new file', 'write', 'src/new/deep/file', { mode: 'acceptEdits' }, 'allow'],
    ['the workspace under another name', 'read', '../alias/src/a.ts', {}, 'ask'],
  ] as const)('%s', async (_, access, file, setting, expected) => {
    expect((await decide(access, path.resolve(root, file), setting)).behavior).toBe(expected);
  });

  async function decideLine(command: string, setting: Parameters<typeof contextOf>[0]) {
    const subject = await resolveSubject({ kind: 'command', command }, { host, cwd: root });
    return decidePermission(contextOf(setting, root), { toolName: 'Bash', readOnly: false, subject });
  }

  it.each([
    ['a link leads to what the line makes', 'mv .env old; ln -s ../outside/secret .env; echo x > plain', 'ask'],
    ['a link on the way leads to it', 'mv out old; ln -s ../outside out; echo x > chain', 'ask'],
    ['the line makes another name', 'ln -s ../outside/secret new; echo x > plain', 'allow'],
    ['it is made afterwards', 'echo x > plain; ln -s ../outside/secret .env', 'allow'],
  ] as const)('%s', async (_, line, expected) => {
    expect((await decideLine(line, { mode: 'bypassPermissions' })).behavior).toBe(expected);
  });

  it.each([
    ['cd out && git -C ../outside/repo checkout side', 'deny'],
    ['cd out && make -C ../outside/repo', 'ask'],
    ['cd out && tar -cf ../x.tar -C ../outside/repo .', 'ask'],
    ['cd out && git --work-tree=../outside/repo checkout side', 'deny'],
    ['cd src && git -C .. checkout side', 'allow'],
  ] as const)('an option leads through a link as the system does: %s', async (line, expected) => {
    const deny = expected === 'deny' ? [`Edit(/${top}/outside/repo/**)`] : [];
    const allow = ['Bash(git:*)', 'Bash(make:*)', 'Bash(tar:*)'];
    expect((await decideLine(line, { mode: 'acceptEdits', allow, deny })).behavior).toBe(expected);
  });

  it('refuses what cannot be resolved', async () => {
    await expect(decide('read', path.join(root, 'loop'))).rejects.toThrow();
    await expect(decide('write', path.join(root, 'dangling'))).rejects.toThrow(/leads nowhere/);
  });
});
