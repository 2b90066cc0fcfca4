// What commands make in the sandbox where the file tools would ask: it is moved aside, told, and nothing of it is lost.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandboxed } from '../support/sandboxed.js';

describe('a file that configures what runs later', () => {
  it('is moved aside after the command that made it, and told', async () => {
    const made = await sandboxed();
    const { code, model } = await made.run('echo one > .npmrc; mkdir .husky; echo two > .husky/pre-commit; cat .npmrc');
    expect(code).toBe(0);
    const at = (name: string) => path.join(made.workspace, name);
    expect(existsSync(at('.npmrc'))).toBe(false);
    expect(existsSync(at('.husky'))).toBe(false);
    expect(readFileSync(at('.npmrc.held-back'), 'utf8')).toBe('one\n');
    expect(readFileSync(at('.husky.held-back/pre-commit'), 'utf8')).toBe('two\n');
    expect(made.told.map(({ target }) => target).sort()).toEqual([at('.husky'), at('.npmrc')]);
    expect(model).toContain(`moved to ${at('.npmrc.held-back')}`);
    await made.run('echo three > .npmrc');
    expect(readFileSync(at('.npmrc.held-back'), 'utf8')).toBe('one\n');
    expect(readFileSync(at('.npmrc.held-back-2'), 'utf8')).toBe('three\n');
  });

  it('is moved aside in a folder below too, whatever way it came there', async () => {
    const made = await sandboxed({ files: { 'ws/packages/a/x': '', 'ws/packages/b/x': '', 'ws/packages/c/x': '' } });
    const at = (name: string) => path.join(made.workspace, name);
    await made.run('true');
    // What a person makes between two commands is theirs.
    writeFileSync(at('packages/b/.npmrc'), 'own\n');
    const { model } = await made.run(
      'echo one > packages/a/.npmrc; mkdir packages/b/.husky; echo two > packages/b/.husky/pre-commit; ' +
        'mv packages/c packages/d; mkdir packages/c; echo three > packages/c/lefthook.yml; touch -d @0 packages/c packages/a; ' +
        'mkdir packages/new; echo four > packages/new/.npmrc',
    );
    expect(existsSync(at('packages/a/.npmrc'))).toBe(false);
    expect(readFileSync(at('packages/a/.npmrc.held-back'), 'utf8')).toBe('one\n');
    expect(readFileSync(at('packages/b/.husky.held-back/pre-commit'), 'utf8')).toBe('two\n');
    expect(readFileSync(at('packages/c/lefthook.yml.held-back'), 'utf8')).toBe('three\n');
    expect(model).toContain(`moved to ${at('packages/a/.npmrc.held-back')}`);
    expect(readFileSync(at('packages/b/.npmrc'), 'utf8')).toBe('own\n');
    // A folder of the command's own is as a clone of a repository.
    expect(readFileSync(at('packages/new/.npmrc'), 'utf8')).toBe('four\n');
  });

  it('that is there cannot be changed', async () => {
    const files = { 'ws/lefthook.yml': 'own\n', 'ws/.cursor/mcp.json': '{}\n', 'ws/packages/a/.npmrc': 'own\n' };
    const made = await sandboxed({ files });
    expect((await made.run('echo x > lefthook.yml')).code).not.toBe(0);
    expect((await made.run('echo x > .cursor/new')).code).not.toBe(0);
    expect((await made.run('echo x > packages/a/.npmrc')).code).not.toBe(0);
    expect((await made.run('mv packages/a packages/b')).code).not.toBe(0);
    for (const name of ['lefthook.yml', 'packages/a/.npmrc'])
      expect(readFileSync(path.join(made.workspace, name), 'utf8')).toBe('own\n');
  });

  it('costs no file that stands for it, and an installation may write what it makes', async () => {
    const made = await sandboxed();
    const { stdout } = await made.run(
      'git init -q . 2>/dev/null; ls -A | grep -v "^.git$"; mkdir .yarn && echo x > .yarn/install-state.gz && echo x > .pnp.cjs && echo made',
    );
    expect(stdout).not.toContain('.npmrc');
    expect(stdout).toContain('made');
    expect(existsSync(path.join(made.workspace, '.pnp.cjs'))).toBe(true);
    expect(made.told).toEqual([]);
  });
});
