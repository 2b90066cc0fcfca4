import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { editExternally } from '../../../src/tui/composer/external-editor.js';
import { temporaryFolder } from '../../support/engine.js';

/** Runs `script` as the editor; `$1` is the file. */
async function edit(script: string, draft: string, name = 'VISUAL') {
  const folder = await temporaryFolder();
  const program = join(folder, 'my editor.sh');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  const terminal: string[] = [];
  const answer = await editExternally(draft, {
    env: { PATH: process.env['PATH'], TMPDIR: folder, [name]: `'${program}' --wait` },
    cwd: folder,
    giveTerminal: () => {
      terminal.push('given');
      return () => void terminal.push('taken');
    },
  });
  expect(terminal).toEqual(['given', 'taken']);
  return { answer, left: readdirSync(folder).filter((each) => each.startsWith('turnwright-')), folder };
}

test('what the editor wrote is the draft, and the file is gone', async () => {
  const { answer, left } = await edit('test "$1" = --wait && printf "%s and more\\n" "$(cat "$2")" > "$2"', 'a draft');
  expect(answer).toEqual({ text: 'a draft and more' });
  expect(left).toEqual([]);
});

test('EDITOR counts if VISUAL is not set; a line end that was there stays', async () => {
  expect((await edit('true', 'as it was\n', 'EDITOR')).answer).toEqual({ text: 'as it was\n' });
});

test('an editor that fails changes nothing', async () => {
  const { answer, left } = await edit('exit 3', 'a draft');
  expect(answer).toEqual({ problem: expect.stringMatching(/ended with code 3\. The text is as it was\.$/) });
  expect(left).toEqual([]);
});

test('what it wrote before it failed is kept, and told', async () => {
  const { answer } = await edit('echo half > "$2"; kill -9 $$', 'a draft');
  const problem = 'problem' in answer ? answer.problem : '';
  expect(problem).toContain('ended with code 137');
  const file = problem.slice(problem.indexOf('is in ') + 'is in '.length);
  expect(existsSync(file)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('half\n');
});

test('one that is not there is told', async () => {
  const folder = await temporaryFolder();
  const taken: string[] = [];
  const answer = await editExternally('draft', {
    env: { PATH: '/usr/bin:/bin', TMPDIR: folder, EDITOR: 'no-such-editor-anywhere' },
    cwd: folder,
    giveTerminal: () => () => void taken.push('taken'),
  });
  expect(answer).toEqual({ problem: expect.stringContaining('was not found: set VISUAL or EDITOR') });
  expect(taken).toEqual(['taken']);
});

test('a folder that cannot be written is told, and the terminal is never given away', async () => {
  const answer = await editExternally('draft', {
    env: { TMPDIR: '/nowhere/at/all', EDITOR: 'true' },
    cwd: '/',
    giveTerminal: () => expect.unreachable(),
  });
  expect(answer).toEqual({ problem: expect.stringContaining('true could not be used') });
});
