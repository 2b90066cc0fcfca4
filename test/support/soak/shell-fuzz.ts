// Texts of chance for the reader of commands and for rules. Their rule: no fault and no hang, whatever the text is.
import {
  allowsRun,
  mayRestrictRun,
  parseCommandPattern,
  restrictsRun,
} from '../../../src/permissions/command-pattern.js';
import { readCommand } from '../../../src/permissions/shell/read-command.js';
import { isEngineError } from '../../../src/protocol/errors.js';
import { createRandom, type Random } from './random.js';
import { randomScript } from './shell-scripts.js';

const PLACE = { cwd: '/w', home: '/home/u' };
/** Pieces that take turns in being repeated: what parsers are slow at. */
const PIECES = [
  ...[
    '$(',
    '`',
    '${',
    '((',
    '[[',
    '(',
    '{',
    '<<E\n',
    '<(',
    '"',
    "'",
    "$'",
    '\\',
    '*',
    '[',
    '{a,',
    '|',
    '&&',
    ';',
    '\n',
    '!',
    '#',
    '$((',
    'a[',
    '=',
  ],
  ...[
    'sed s/[/',
    "sed 's/",
    'awk "',
    'find -exec ',
    'sudo ',
    'env -S ',
    'xargs ',
    'git -c ',
    'bash -c ',
    'eval ',
    '\u0000',
    '\ud800',
    '\u00a0',
    '\r',
    '😀',
    '-',
    '--',
    'a',
    ' ',
    // Whole statements, each of which may ask about all the others.
    "f() { trap 'ls' X; }; ",
    "trap 'cd a' X; ",
    'while :; do cd a; done; ',
    'x=*; echo a/$x; ',
    'for f in {a,b}; do cat "$f"; done; ',
  ],
];

export interface Fuzzed {
  readonly inputs: number;
  /** The longest time that one input took, in milliseconds. */
  slowestMs: number;
  slowest: string;
  readonly faults: string[];
}

/** Reads `count` texts and holds rules against them. `now` measures; without it nothing is measured. */
export function fuzzShell(count: number, seed: number, now: () => number = () => 0): Fuzzed {
  const random = createRandom(seed);
  const rules = ['*', 'git *', 'npm run:*', 'a * b * c', 'rm -rf:*', '* --version'].map((rule) =>
    parseCommandPattern(rule),
  );
  const totals: Fuzzed = { inputs: count, slowestMs: 0, slowest: '', faults: [] };
  for (let at = 0; at < count; at++) {
    const text = randomText(random);
    const fuzz = (): void => {
      for (const run of readCommand(text, PLACE).programs)
        for (const rule of rules) for (const holds of [allowsRun, restrictsRun, mayRestrictRun]) holds(rule, run);
      checkPattern(text);
    };
    try {
      const took = shortestOf(fuzz, now, totals.slowestMs);
      if (took > totals.slowestMs) Object.assign(totals, { slowestMs: took, slowest: text.slice(0, 200) });
    } catch (error) {
      totals.faults.push(`${String(error)}: ${text.slice(0, 200)}`);
    }
  }
  return totals;
}

/** What a text costs is the least of its times: on a busy machine one of a million is interrupted. */
function shortestOf(fuzz: () => void, now: () => number, slowestMs: number): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 4; run++) {
    const start = now();
    fuzz();
    shortest = Math.min(shortest, now() - start);
    if (shortest <= slowestMs) return shortest;
  }
  return shortest;
}

/** A text as a rule is taken or refused with a reason. */
function checkPattern(text: string): void {
  try {
    parseCommandPattern(text);
  } catch (error) {
    if (!isEngineError(error)) throw error;
  }
}

function randomText(random: Random): string {
  const kind = random.next();
  if (kind < 0.4) return randomScript(random);
  if (kind < 0.6) return mutated(random, randomScript(random));
  if (kind < 0.62) return random.pick(PIECES).repeat(random.int(1, 2_000)).slice(0, 12_000);
  if (kind < 0.64) return Array.from({ length: random.int(1, 1_000) }, () => random.pick(PIECES)).join('');
  if (kind < 0.9) return Array.from({ length: random.int(1, 20) }, () => random.pick(PIECES)).join('');
  return String.fromCharCode(
    ...Array.from({ length: random.int(0, 40) }, () => random.int(0, random.chance(0.9) ? 127 : 65_535)),
  );
}

/** A part left out, doubled, or replaced by a sign. */
function mutated(random: Random, text: string): string {
  const [from, to] = [random.int(0, text.length), random.int(0, text.length)].sort((a, b) => a - b) as [number, number];
  const middle = random.pick([() => '', () => text.slice(from, to).repeat(2), () => random.pick(PIECES)])();
  return text.slice(0, from) + middle + text.slice(to);
}
