// The names of options: what a program takes for one of its options is that option, however it is written.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PROGRAMS as DESCRIBED } from '../../../src/permissions/shell/programs/programs.js';
import { readCommand } from '../../../src/permissions/shell/read-command.js';

const PROGRAMS = path.resolve(import.meta.dirname, '../../../src/permissions/shell/programs');
const PLACE = { cwd: '/w', home: '/home/u' };
/** They are asked for as a whole: the code reads what may be short for them by itself. */
const READ_BY_THEMSELVES = ['--l'];

it('each long option that code asks for stands in a table, so that what is short for it counts too', () => {
  const sources = readdirSync(PROGRAMS).map((name) => ({
    name,
    text: readFileSync(path.join(PROGRAMS, name), 'utf8'),
  }));
  const missing: string[] = [];
  let count = 0;
  // Tables of git know nothing of the options of others.
  for (const isGit of [true, false]) {
    const group = sources.filter(({ name }) => name.startsWith('git') === isGit);
    const tables = group.flatMap(({ text }) => [...text.matchAll(/(?:\w:|=)\s*((?:(?:'[^']*'|`[^`]*`)[\s+]*)+)/g)]);
    const listed = new Set(tables.flatMap(([, texts = '']) => texts.match(/--[a-z][\w-]*/g) ?? []));
    for (const { name, text } of group)
      for (const [, option = ''] of text.matchAll(/'(--[a-z][\w-]*)'/g)) {
        count++;
        if (!listed.has(option) && !READ_BY_THEMSELVES.includes(option)) missing.push(`${name} ${option}`);
      }
  }
  expect(missing).toEqual([]);
  expect(count).toBeGreaterThan(300);
});

it('code asks for options by their main names, as `has` finds no other', () => {
  const mains = new Set([...DESCRIBED.values()].flatMap(({ mainNames }) => [...mainNames.values()]));
  const others = new Set([...DESCRIBED.values()].flatMap(({ mainNames }) => [...mainNames.keys()]));
  // Those of git have a table for each subcommand.
  const asked = readdirSync(PROGRAMS)
    .filter((name) => !name.startsWith('git'))
    .flatMap((name) =>
      [...readFileSync(path.join(PROGRAMS, name), 'utf8').matchAll(/\bhas\(\s*[\w.]+,([^)]*)\)/g)].flatMap(
        ([, names = '']) => [...names.matchAll(/'([^']+)'/g)].map(([, option = '']) => ({ name, option })),
      ),
    );
  expect(asked.filter(({ option }) => others.has(option) && !mains.has(option))).toEqual([]);
  expect(asked.length).toBeGreaterThan(120);
});

it.each(['npm', 'pnpm'])('what is short for an option that says what %s runs counts as it', (program) => {
  const options = ['script-shell', 'node-options', 'userconfig', 'globalconfig'];
  const hidden = options.flatMap((option) =>
    Array.from({ length: option.length - 2 }, (_, cut) => option.slice(0, cut + 3))
      // That is one by itself.
      .filter((name) => name !== 'global')
      .flatMap((name) => ['-', '--', '---'].flatMap((dashes) => ['=', ' '].map((by) => `${dashes}${name}${by}./x`)))
      .filter((word) => readCommand(`${program} test ${word}`, PLACE).unknown === null),
  );
  expect(hidden).toEqual([]);
});
