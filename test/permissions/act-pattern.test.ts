// Rules that deny or ask about commands know the program: what they name is denied in whatever form it is written.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowsRun, mayRestrictRun, parseCommandPattern, restrictsRun } from '../../src/permissions/command-pattern.js';
import type { ProgramTable } from '../../src/permissions/shell/programs/program-table.js';
import { PROGRAMS } from '../../src/permissions/shell/programs/programs.js';
import { readCommand } from '../../src/permissions/shell/read-command.js';
import { PLACE } from '../support/shell/judge.js';

function outcome(rule: string, command: string): 'denied' | 'asked' | 'open' {
  const pattern = parseCommandPattern(rule);
  const { programs } = readCommand(command, PLACE);
  if (programs.some((run) => restrictsRun(pattern, run))) return 'denied';
  return programs.some((run) => mayRestrictRun(pattern, run)) ? 'asked' : 'open';
}

describe('a rule that denies', () => {
  it.each<[rule: string, denied: readonly string[], open: readonly string[]]>([
    [
      'rm -rf *',
      [
        'rm -fr x',
        'rm -r -f x',
        'rm x -rf',
        'rm --recursive --force x',
        'rm -Rf x',
        'rm --rec --for x',
        'rm -vrf x',
        'rm -rf',
        'sudo rm -f -r x',
        'ls && rm -fR x',
        "bash -c 'rm -f -r x'",
        '/bin/rm -fr x',
        'find . -exec rm -fr {} +',
        'rm -r x -f y',
        'RM -fr x',
        '"rm" \'-f\' -r x',
      ],
      ['rm -r x', 'rm -f x', 'rm x', 'rm -- -rf', 'rmdir -p x', 'ls -rf', 'rm -i -f x'],
    ],
    [
      'git push --force *',
      [
        'git push origin main --force',
        'git -C x push -f',
        'git push -f',
        'git push -uf origin main',
        'git --no-pager -c color.ui=never push origin -f',
        'git push --forc',
        'git push origin --force main',
      ],
      [
        'git push',
        'git push origin main',
        'git push --force-with-lease',
        'git pull --force',
        'git fetch -f origin',
        'git push -- --force',
      ],
    ],
    ['git push -f *', ['git push --force', 'git push origin -f'], ['git push -n']],
    ['git add *', ['git stage x', 'git -C y stage x'], ['git status', 'git rm x']],
    ['git reset --hard *', ['git reset HEAD~1 --hard'], ['git reset --soft', 'git reset HEAD']],
    [
      'git branch -D *',
      ['git branch --delete --force x', 'git branch -d -f x'],
      ['git branch -d x', 'git branch -f x'],
    ],
    [
      'git commit --no-verify *',
      ['git commit -anm x', 'git commit -m x -n'],
      ['git commit -am x', 'git commit -m --no-verify'],
    ],
    ['npm install *', ['npm i x', 'npm add x', 'npm --prefix y i x'], ['npm test', 'npm ci']],
    ['chmod 777 *', ['chmod -R 777 x', 'chmod -v 777 x'], ['chmod 755 777', 'chmod 755 x']],
    ['chmod -R 777 *', ['chmod 777 -R x', 'chmod --recursive 777 x'], ['chmod 777 x']],
    ['git push * --force', ['git push -f origin main', 'git push origin -f'], ['git push origin main']],
    // Without a wildcard it is that act and no other.
    ['rm -rf build', ['rm -fr build', 'rm build -r --force'], ['rm -fr build dist', 'rm -rfv build', 'rm -rf dist']],
    [
      'git push -f origin main',
      ['git push origin main --force', 'git -C x push origin -f main'],
      ['git push -f origin next'],
    ],
  ])('%s', (rule, denied, open) => {
    expect(denied.filter((command) => outcome(rule, command) !== 'denied')).toEqual([]);
    expect(open.filter((command) => outcome(rule, command) !== 'open')).toEqual([]);
  });

  it.each([
    // No description has all options, so that one may be short for another.
    ['git reset --hard *', 'git reset --har'],
    ['git push --force *', 'git push origin "$X"'],
    ['git push --force *', 'git push $X origin'],
    ['git push --force *', 'git $X --force'],
    ['rm -rf *', 'rm -r "$X" a'],
    ['rm -rf *', 'rm $X'],
    ['git push -f origin *', 'git push -f "$X"'],
  ])('%s asks about what may be it: %s', (rule, command) => expect(outcome(rule, command)).toBe('asked'));

  it.each([
    ['git push --force *', 'git push origin "feature/$X"'],
    ['git commit --no-verify *', 'git commit -m "$X"'],
    ['rm -rf *', 'rm "src/$X"'],
    ['git push --force *', 'git log $X'],
  ])('%s does not ask about what is not: %s', (rule, command) => expect(outcome(rule, command)).toBe('open'));

  it('says nothing of rules that allow: those stay as literal as they are', () => {
    const allows = (rule: string, command: string) =>
      readCommand(command, PLACE).programs.every((run) => allowsRun(parseCommandPattern(rule), run));
    for (const command of ['rm -fr x', 'rm -r -f x', 'rm x -rf']) expect(allows('rm -rf *', command)).toBe(false);
    expect(allows('git push --force *', 'git push origin main --force')).toBe(false);
    expect(allows('npm install *', 'npm i x')).toBe(false);
  });
});

/** Options without a value that have several names, by main name. */
function flagsOf({ options, mainNames, longNames }: ProgramTable): (readonly string[])[] {
  const byMain = new Map<string, string[]>();
  for (const [name, main] of mainNames)
    if (options.get(name) === 'flag') byMain.set(main, [...(byMain.get(main) ?? []), name]);
  // The first signs of a long one that no other begins with.
  const shorter = (name: string) =>
    [4, 6, 8]
      .map((end) => name.slice(0, end))
      .filter((start) => longNames.filter((long) => long.startsWith(start)).length === 1);
  return [...byMain.values()]
    .filter((names) => names.length > 1)
    .map((names) => [...names, ...names.filter((name) => name.startsWith('--')).flatMap(shorter)]);
}

const KNOWN = [...PROGRAMS].flatMap(([name, table]): [string, (readonly string[])[]][] => {
  const { subcommands } = table;
  if (subcommands?.tableOf !== undefined)
    return ['push', 'commit', 'clean', 'branch', 'rebase', 'fetch', 'tag'].map((verb) => [
      `${name} ${verb}`,
      flagsOf(subcommands.tableOf?.(verb) as ProgramTable),
    ]);
  // Where options must stand in front there is no other order.
  return table.isStrict === true || table.isSingleDash === true ? [] : [[name, flagsOf(table)]];
});

describe('of every known program with synonyms', () => {
  const programs = KNOWN.filter(([, flags]) => flags.length >= 2);

  it('there are many', () => expect(programs.length).toBeGreaterThan(20));

  it('any order, bundling and spelling of the flags is denied, and none without one of them', () => {
    const run = fc
      .tuple(fc.constantFrom(...programs), fc.infiniteStream(fc.nat(1_000_000)))
      .map(([[program, flags], numbers]) => {
        const next = (): number => numbers.next().value as number;
        const pick = <T>(list: readonly T[]): T => list[next() % list.length] as T;
        const first = next() % flags.length;
        const second = (first + 1 + (next() % (flags.length - 1))) % flags.length;
        const wanted = [flags[first], flags[second]] as [readonly string[], readonly string[]];
        const spell = (groups: readonly (readonly string[])[]): string[] => {
          const names = groups.map((names) => pick(names));
          if (next() % 2 === 0) names.reverse();
          const letters = names.filter((name) => name.length === 2);
          const others = names.filter((name) => name.length !== 2);
          return next() % 2 === 0 && letters.length === 2
            ? [`-${letters.map((name) => name[1]).join('')}`]
            : [...others, ...letters];
        };
        const place = (words: readonly string[]): string => {
          const operands = ['x1', 'x2'];
          for (const word of words) operands.splice(next() % (operands.length + 1), 0, word);
          return `${program} ${operands.join(' ')}`;
        };
        return {
          rule: `${program} ${spell(wanted).join(' ')} *`,
          denied: place(spell(wanted)),
          open: place(spell([wanted[next() % 2] as readonly string[]])),
        };
      });
    fc.assert(
      fc.property(run, ({ rule, denied, open }) => {
        expect(`${rule}: ${denied}: ${outcome(rule, denied)}`).toBe(`${rule}: ${denied}: denied`);
        expect(`${rule}: ${open}: ${outcome(rule, open)}`).not.toBe(`${rule}: ${open}: denied`);
      }),
      { seed: 42, numRuns: 3_000 },
    );
  });
});
