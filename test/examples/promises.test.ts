// docs/promises.md names the tests that hold what it says: they are there, and no long run is forgotten.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/promises.md'), 'utf8');
const rows = page.split('\n').filter((line) => /^\| (?!---|What goes wrong \|)/.test(line));

it('each promise has a test that is there', () => {
  const without = rows.filter((row) => !/`test\/|soaks? `/.test(row));
  expect(without).toEqual([]);
  const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(rows.length).toBeGreaterThan(50);
});

it('each long run stands for a promise', () => {
  const named = [...page.matchAll(/soaks? ((?:`[a-z-]+`(?:, )?)+)/g)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name),
  );
  const there = readdirSync(join(ROOT, 'test/soak'))
    .filter((file) => file.endsWith('.soak.ts'))
    .map((file) => file.slice(0, -'.soak.ts'.length));
  expect([...new Set(named)].sort()).toEqual(there.sort());
});
