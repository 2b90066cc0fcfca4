import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { actingFiles, NOT_WATCHED } from '../../src/context/trust.js';
import { createNodeHost } from '../../src/host/node-host.js';

/** A project with some files beside a file that is not of it. */
function project(files: Readonly<Record<string, string>> = {}) {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'turnwright-acting-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const root = path.join(base, 'project');
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  mkdirSync(root);
  writeFileSync(path.join(base, 'outside.sh'), 'echo outside');
  for (const [name, text] of Object.entries(files)) write(name, text);
  const host = createNodeHost();
  return { base, root, write, look: (...words: string[]) => actingFiles(host, root, root, words), host };
}

describe('the files that a command names', () => {
  it.each([
    ['./hooks/check.sh'],
    ['hooks/check.sh --fast'],
    ['bash hooks/check.sh'],
    ['"$CLAUDE_PROJECT_DIR"/hooks/check.sh'],
    ['$' + '{TURNWRIGHT_PROJECT_DIR}/hooks/check.sh'],
    ["'$QODER_PROJECT_DIR/hooks/check.sh'"],
    ['sh -c "exec $PWD/hooks/check.sh"'],
    ['true;hooks/check.sh>/dev/null'],
    ['node --require=./hooks/check.sh x'],
    ['hooks\\/check.sh'],
    ['hooks/../hooks/check.sh'],
    ['cd hooks && ./check.sh'],
    ['make -C hooks'],
  ])('%s', async (command) => {
    const { look } = project({ 'hooks/check.sh': 'exit 0', 'other.sh': 'exit 0' });
    expect(Object.keys(await look(command))).toEqual(['hooks/check.sh']);
  });

  it('names with spaces are found, in quotes and as arguments', async () => {
    const { look } = project({ 'my hooks/check it.sh': '1' });
    expect(Object.keys(await look('bash "my hooks/check it.sh"'))).toEqual(['my hooks/check it.sh']);
    expect(Object.keys(await look('my hooks/check it.sh'))).toEqual(['my hooks/check it.sh']);
  });

  it('one byte more or less is another hash, and so is a file that comes', async () => {
    const { look, write } = project({ 'a.sh': 'exit 0' });
    const before = await look('sh a.sh b.sh');
    write('a.sh', 'exit 1');
    const changed = await look('sh a.sh b.sh');
    write('b.sh', 'exit 0');
    const more = await look('sh a.sh b.sh');
    expect(changed['a.sh']).not.toBe(before['a.sh']);
    expect(Object.keys(before)).toEqual(['a.sh']);
    expect(Object.keys(more)).toEqual(['a.sh', 'b.sh']);
  });

  it('what stands beside a script in a folder of an agent counts with it', async () => {
    const { look } = project({ '.claude/hooks/run.sh': '. ./lib/common.sh', '.claude/hooks/lib/common.sh': 'true' });
    expect(Object.keys(await look('.claude/hooks/run.sh'))).toEqual([
      '.claude/hooks/lib/common.sh',
      '.claude/hooks/run.sh',
    ]);
  });

  it.each([
    ['npm run check', 'package.json'],
    ['/usr/bin/npx --yes tool', 'package.json'],
    ['make lint', 'Makefile'],
  ])('%s does what %s says', async (command, file) => {
    const { look } = project({ [file]: '{}' });
    expect(Object.keys(await look(command))).toEqual([file]);
  });

  it('a plain word is no folder, a path is one', async () => {
    const { look } = project({ 'test/a.js': '1' });
    expect(await look('npm test')).toEqual({});
    expect(Object.keys(await look('node ./test'))).toEqual(['test/a.js']);
  });

  it('of a link counts what it leads to; what is outside does not, nor the project itself', async () => {
    const { base, root, look } = project({ 'a.sh': '1' });
    symlinkSync(path.join(base, 'outside.sh'), path.join(root, 'link.sh'));
    const before = await look('sh link.sh ../outside.sh . ./ /etc/passwd');
    expect(Object.keys(before)).toEqual(['link.sh']);
    writeFileSync(path.join(base, 'outside.sh'), 'echo changed');
    expect(await look('sh link.sh')).not.toEqual(before);
  });

  it('a folder with too much in it, and links that go round, are told as not watched', async () => {
    const { root, look } = project();
    mkdirSync(path.join(root, 'many'));
    for (let at = 0; at <= 500; at++) writeFileSync(path.join(root, 'many', `${at}`), '');
    mkdirSync(path.join(root, 'round'));
    for (const name of ['a', 'b', 'c']) symlinkSync('.', path.join(root, 'round', name));
    expect(await look('node ./many')).toEqual({ many: NOT_WATCHED });
    expect(await look('node ./round')).toEqual({ round: NOT_WATCHED });
  });

  it('relative names are looked for in the working directory and at the top', async () => {
    const { root, host } = project({ 'run.sh': 'top', 'packages/a/run.sh': 'inner' });
    const found = await actingFiles(host, root, path.join(root, 'packages/a'), ['sh run.sh']);
    expect(Object.keys(found)).toEqual(['packages/a/run.sh', 'run.sh']);
  });
});
