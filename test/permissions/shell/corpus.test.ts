// The corpus: commands by the class of the advisories that they stand for, with rules and what those must give.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readCommand } from '../../../src/permissions/shell/read-command.js';
import { describeFiles, judge, type Outcome, PLACE, type Rules } from '../../support/shell/judge.js';

interface CaseGroup extends Rules {
  /** What the group is about. */
  readonly about: string;
  readonly outcome?: Outcome;
  readonly commands?: readonly string[];
  /** A command and files that it must be said to use. */
  readonly uses?: readonly (readonly [string, ...string[]])[];
}

const FOLDER = new URL('corpus/', import.meta.url);
const CORPUS = new Map(
  readdirSync(FOLDER).map((file): [string, CaseGroup[]] => [
    file.replace('.json', ''),
    JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as CaseGroup[],
  ]),
);

describe.each([...CORPUS])('class %s', (_name, groups) => {
  it.each(groups.map((group): [string, CaseGroup] => [group.about, group]))('%s', (_about, group) => {
    const wrong = (group.commands ?? []).flatMap((command) => {
      const outcome = judge(readCommand(command, PLACE), group);
      return outcome === group.outcome ? [] : [`${outcome}: ${command.slice(0, 200)}`];
    });
    const missing = (group.uses ?? []).flatMap(([command, ...expected]) => {
      const found = readCommand(command, PLACE).files.flatMap((use) => describeFiles(use));
      return expected.filter((use) => !found.includes(use)).map((use) => `${use}: ${command} has ${found.join(', ')}`);
    });
    expect([...wrong, ...missing]).toEqual([]);
  });
});

it('is as big as it claims', () => {
  const size = ([name, groups]: [string, CaseGroup[]]) =>
    [name, groups.reduce((sum, { commands = [], uses = [] }) => sum + commands.length + uses.length, 0)] as const;
  const sizes = new Map([...CORPUS].map(size));
  expect([...sizes.values()].reduce((a, b) => a + b)).toBeGreaterThanOrEqual(1_500);
  expect(sizes.get('benign')).toBeGreaterThanOrEqual(400);
});
