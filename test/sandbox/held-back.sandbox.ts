// What commands make in the sandbox where the file tools would ask: it is moved aside, told, and nothing of it is lost.
import { existsSync, readFileSync } from 'node:fs';
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

  it('that is there cannot be changed', async () => {
    const made = await sandboxed({ files: { 'ws/lefthook.yml': 'own\n', 'ws/.cursor/mcp.json': '{}\n' } });
    expect((await made.run('echo x > lefthook.yml')).code).not.toBe(0);
    expect((await made.run('echo x > .cursor/new')).code).not.toBe(0);
    expect(readFileSync(path.join(made.workspace, 'lefthook.yml'), 'utf8')).toBe('own\n');
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
