import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { openPersonalFiles } from '../../../src/sdk/faces/personal-files.js';
import { createHistoryWalk, createPromptHistory, searchPrompts } from '../../../src/tui/composer/prompt-history.js';
import { temporaryFolder } from '../../support/engine.js';

async function open(home: string, cwd: string, env: Record<string, string> = {}) {
  const files = await openPersonalFiles({ cwd, env: { TURNWRIGHT_HOME: home, ...env } });
  return { files, path: files.pathOf(`prompts/${files.project}.jsonl`), history: createPromptHistory(files, () => 7) };
}

test('prompts are there in the next session of the folder, and in no other', async () => {
  const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
  const first = await open(home, cwd);
  await first.history.add('one');
  await first.history.add('two\nlines');
  await first.history.add('one');
  expect(first.history.entries()).toEqual(['one', 'two\nlines']);
  const second = await open(home, cwd);
  // What is sent before the file was read is still the newest.
  await second.history.add('three');
  await second.history.load();
  expect(second.history.entries()).toEqual(['three', 'one', 'two\nlines']);
  const elsewhere = await open(home, await temporaryFolder());
  await elsewhere.history.load();
  expect(elsewhere.history.entries()).toEqual([]);
});

test('the file is its owner’s alone, and holds no secret', async () => {
  const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
  const { history, path } = await open(home, cwd, { MY_TOKEN: 'swordfish-swordfish' });
  const key = `ghp_${'a1B2'.repeat(9)}`;
  await history.add(`use ${key} and swordfish-swordfish`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain('[redacted:');
  expect(text).not.toContain(key);
  expect(text).not.toContain('swordfish');
  // In this session it is as it was typed.
  expect(history.entries()[0]).toContain(key);
});

test('damaged lines, and lines of others, cost the others nothing', async () => {
  const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
  const { history, path } = await open(home, cwd);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '{"text":"a"}\n{"te\n[]\n{"text":5}\n\0\n{"text":"b"}');
  await history.load();
  expect(history.entries()).toEqual(['b', 'a']);
  expect(history.problem).toBeNull();
});

test('a file that grew long is made shorter', async () => {
  const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
  const { history, path } = await open(home, cwd);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, Array.from({ length: 3_000 }, (_, at) => `${JSON.stringify({ text: `p${at}` })}\n`).join(''));
  await history.load();
  expect(history.entries()).toHaveLength(1_000);
  expect(history.entries()[0]).toBe('p2999');
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(1_001);
});

test('a home that cannot be written is told, and no prompt is lost', async () => {
  const [folder, cwd] = [await temporaryFolder(), await temporaryFolder()];
  writeFileSync(`${folder}/file`, '');
  const { history } = await open(`${folder}/file`, cwd);
  await history.load();
  await history.add('kept');
  expect(history.entries()).toEqual(['kept']);
  expect(history.problem).toContain('Earlier prompts are not kept');
});

test('huge prompts are there for the session alone', async () => {
  const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
  const { history, files } = await open(home, cwd);
  await history.add('x'.repeat(60_000));
  expect(history.entries()).toHaveLength(1);
  expect(await files.read(`prompts/${files.project}.jsonl`)).toBeNull();
});

test('Up goes back, Down comes forward, at last to the draft', () => {
  let entries = ['c', 'b', 'a'];
  const walk = createHistoryWalk({ entries: () => entries });
  expect(walk.newer()).toBeNull();
  expect(walk.older('draft')).toBe('c');
  entries = ['new', ...entries];
  expect([walk.older(''), walk.older(''), walk.older('')]).toEqual(['b', 'a', null]);
  expect([walk.newer(), walk.newer(), walk.isWalking, walk.newer(), walk.isWalking]).toEqual([
    'b',
    'c',
    true,
    'draft',
    false,
  ]);
  walk.stop();
  expect(walk.older('new')).toBe('c');
});

test('search wants all words, in small letters unless capitals are typed', () => {
  const entries = ['Fix the Parser', 'parse a file', 'other'];
  expect(searchPrompts(entries, 'parse')).toEqual(['Fix the Parser', 'parse a file']);
  expect(searchPrompts(entries, 'Parse')).toEqual(['Fix the Parser']);
  expect(searchPrompts(entries, 'file parse')).toEqual(['parse a file']);
  expect(searchPrompts(entries, ' ')).toEqual(entries);
});
