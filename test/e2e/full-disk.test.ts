// Tools on a disk that is full, and on one that can only be read: a file system of its own, in a namespace of its own. A
// change is whole or it is not there, the model hears why, and the session goes on.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildEntry, temporaryFolder } from './run-cli.js';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
/** A folder with a disk of 256 KB, for one program. */
const MOUNT = 'mount -t tmpfs -o size=256k none "$1" && exec "$0" "$2" "$1"';
const inNamespace = (...args: string[]) =>
  spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', ...args], {
    encoding: 'utf8',
    timeout: 60_000,
  });
/** Where nobody may make one the machine cannot tell. */
const canMount = inNamespace('mount -t tmpfs none /mnt').status === 0;

beforeAll(buildEntry, 300_000);

/** What each call did to the folder, and what the model was told of it. */
const PROGRAM = `
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from ${JSON.stringify(pathToFileURL(join(DIST, 'index.js')).href)};
import { scriptedModel, text, toolCall } from ${JSON.stringify(pathToFileURL(join(DIST, 'testing.js')).href)};

const cwd = process.argv[2];
const notebook = { cells: [{ cell_type: 'code', id: 'c', source: [], metadata: {}, outputs: [], execution_count: null }], metadata: {}, nbformat: 4, nbformat_minor: 5 };
writeFileSync(join(cwd, 'a.txt'), 'begin\\n' + 'one\\n'.repeat(2_000));
writeFileSync(join(cwd, 'a.ipynb'), JSON.stringify(notebook));
mkdirSync(join(cwd, 'folder'));
mkdirSync(join(cwd, 'spool'));
KIND;
const all = (folder = cwd) => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'filler' && !entry.parentPath.includes('.turnwright'))
  .map((entry) => [join(entry.parentPath, entry.name), readFileSync(join(entry.parentPath, entry.name), 'utf8')])
  .sort();
const before = JSON.stringify(all());
const big = 'x'.repeat(100_000);
const calls = [
  ['Read', { file_path: 'a.txt', limit: 2_000 }],
  ['Read', { file_path: 'a.ipynb' }],
  ['Glob', { pattern: '*.txt' }],
  ['Grep', { pattern: 'one', output_mode: 'count' }],
  ['Edit', { file_path: 'a.txt', old_string: 'begin', new_string: big }],
  ['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'three', replace_all: true }],
  ['Write', { file_path: 'a.txt', content: big }],
  ['Write', { file_path: 'new.txt', content: big }],
  ['Write', { file_path: 'folder/deep/new.txt', content: big }],
  ['NotebookEdit', { notebook_path: 'a.ipynb', cell_id: 'c', new_source: big }],
  ['EnterWorktree', { name: 'w' }],
  ['Bash', { command: 'head -c 200000 /dev/zero | tr "\\\\0" x' }],
  ['Bash', { command: 'echo hi > there.txt; echo said' }],
];
const steps = [...calls.map(([name, input]) => toolCall(name, input)), text('done'), text('still here')];
const prompts = (async function* () {
  for (const content of ['go', 'go on']) yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
})();
const messages = query({ prompt: prompts, options: { cwd, provider: scriptedModel(steps), permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true, env: { TURNWRIGHT_HOME: join(cwd, '.turnwright') } } });
const shown = [];
const ends = [];
const notices = [];
for await (const message of messages) {
  if (message.type === 'user' && Array.isArray(message.message.content))
    for (const block of message.message.content)
      if (block.type === 'tool_result') shown.push([block.is_error === true, typeof block.content === 'string' ? block.content : JSON.stringify(block.content)]);
  if (message.type === 'system' && message.subtype === 'notice') notices.push(message.code);
  if (message.type === 'result') ends.push(message.result);
}
const after = all().filter(([file]) => !file.endsWith('there.txt'));
console.log(JSON.stringify({ shown: shown.map(([isError, said], at) => [calls[at][0], isError, said.slice(0, 1_500), said.length]), ends, notices, isSame: JSON.stringify(after) === before, names: after.map(([file]) => file) }));
`;

const FULL = `
try { for (;;) appendFileSync(join(cwd, 'filler'), 'x'.repeat(1_024)); } catch (error) { if (error.code !== 'ENOSPC') throw error; }`;
const READ_ONLY = `
if (spawnSync('mount', ['-o', 'remount,ro', cwd]).status !== 0) throw new Error('still writable');`;

describe.skipIf(!canMount)('tools on a disk that', () => {
  it.each([
    ['is full', FULL, /no space is left on the disk\. The file was not changed\. Tell the user/],
    ['can only be read', READ_ONLY, /can only be read \(EROFS\)\. The file was not changed\. Write to another folder/],
  ])('%s change nothing by half, and say why', { timeout: 90_000 }, (_, kind, why) => {
    const folder = temporaryFolder();
    const program = join(temporaryFolder(), 'program.mjs');
    writeFileSync(
      program,
      PROGRAM.replace('KIND', () => kind),
    );
    const end = spawnSync(
      'unshare',
      ['--user', '--map-root-user', '--mount', 'sh', '-c', MOUNT, process.execPath, folder, program],
      { encoding: 'utf8', timeout: 80_000, env: { PATH: process.env['PATH'] ?? '', HOME: folder } },
    );
    expect(end.stderr).toBe('');
    const { shown, ends, isSame, names, notices } = JSON.parse(end.stdout) as {
      readonly shown: readonly (readonly [string, boolean, string, number])[];
      readonly ends: readonly string[];
      readonly notices: readonly string[];
      readonly isSame: boolean;
      readonly names: readonly string[];
    };
    expect({ ends, isSame, names: isSame ? [] : names }).toEqual({
      ends: ['done', 'still here'],
      isSame: true,
      names: [],
    });
    const told = shown.map(([tool, isError]) => [tool, isError]);
    // What only reads works; the last command says what its shell says.
    expect(told.slice(0, 4)).toEqual([
      ['Read', false],
      ['Read', false],
      ['Glob', false],
      ['Grep', false],
    ]);
    for (const [tool, isError, said, length] of shown.slice(4, 10)) {
      expect([tool, isError, said]).toEqual([tool, true, expect.stringMatching(why)]);
      expect(length).toBeLessThan(2_000);
    }
    const [worktree, long, last] = shown.slice(10);
    expect(worktree?.[1]).toBe(true);
    expect(long).toEqual(['Bash', false, expect.stringContaining('xxx'), expect.any(Number)]);
    expect(last?.[2]).toContain('said');
    expect(notices).toContain('transcript_unavailable');
  });
});
