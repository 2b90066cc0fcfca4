// `npm run bench`: our engine beside a bare loop over node:http, both against a mock model on loopback, in one run.
// Prints each measure with its bar, and last what is over. The exit code is 1 if something broke, and with --strict
// if a figure is over its bar; otherwise 0.
// Usage: npm run bench [-- --cases=cold,turns] [-- --json] [-- --strict] [-- --write] [-- --dist=<a build to measure>] [-- --rounds=5]
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt, ensureInstalled, ROOT } from '../scripts/lib/setup.mjs';
import { CASES } from './cases.mjs';
import { cellsOf, machineNow, writeDocument } from './document.mjs';
import { createScratch, runOnce, startMock } from './measure.mjs';

/** Each figure is the median of so many rounds. */
const ROUNDS = 5;

const { values: flags } = parseArgs({
  options: {
    cases: { type: 'string' },
    json: { type: 'boolean' },
    strict: { type: 'boolean' },
    write: { type: 'boolean' },
    dist: { type: 'string' },
    rounds: { type: 'string' },
  },
});
const names = flags.cases?.split(',') ?? Object.keys(CASES);
const unknown = names.filter((name) => !Object.hasOwn(CASES, name));
if (unknown.length > 0) {
  console.error(`There is no case ${unknown.join(', ')}. Cases: ${Object.keys(CASES).join(', ')}.`);
  process.exit(2);
}
const rounds = Number(flags.rounds ?? ROUNDS);
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error('--rounds is a whole number of at least 1.');
  process.exit(2);
}
if (flags.dist === undefined) {
  ensureInstalled();
  ensureBuilt({ types: false });
}

const started = performance.now();
const figures = (await measureAll(names, resolve(flags.dist ?? join(ROOT, 'dist')))).map(withVerdict);
const machine = machineNow();
if (flags.json) console.log(JSON.stringify({ machine, figures }, null, 2));
else printTable(figures);
const over = figures.filter(({ verdict }) => verdict === 'over');
if (!flags.json)
  console.log(
    over.length === 0 ? 'Nothing is over its bar.' : `Over the bar: ${over.map(({ measure }) => measure).join('; ')}.`,
  );
if (flags.write) writeDocument(figures, machine, flags.cases === undefined ? [] : names);
if (flags.strict && over.length > 0) process.exitCode = 1;

async function measureAll(wanted, dist) {
  const scratch = createScratch();
  const mock = await startMock();
  try {
    const bench = { mock, scratch, dist, rounds };
    // Not counted: loads files into the cache and warms the mock.
    for (const engine of ['bare', 'sdk', 'cli']) await runOnce(bench, engine, { deltas: [500] }, { prompts: 1 });
    const all = [];
    for (const name of wanted) {
      process.stderr.write(`${name} …\n`);
      all.push(...(await CASES[name](bench)));
    }
    return all;
  } finally {
    mock.close();
    scratch.remove();
  }
}

function withVerdict(figure) {
  const { ours, bare, bar } = figure;
  const ratio = figure.ratio ?? (bare === null ? null : ours / bare);
  if (bar === undefined) return { ...figure, ratio, verdict: 'no bar' };
  const isOver = bar.ratio === undefined ? ours > bar.value : ratio > bar.ratio;
  return { ...figure, ratio, verdict: isOver ? 'over' : 'pass' };
}

function printTable(all) {
  const rows = all.map((figure) => [...cellsOf(figure), figure.verdict === 'no bar' ? '' : figure.verdict]);
  const table = [['measure', 'ours', 'bare', 'ours / bare', 'bar', ''], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table)
    console.log(
      row
        .map((cell, column) => pad(cell, widths[column], column))
        .join('  ')
        .trimEnd(),
    );
  console.log(`\n${machine}, ${((performance.now() - started) / 1_000).toFixed(0)} s.`);
  console.log('Ratios to the bare loop of the same run hold on any machine. bench/README.md says how each is taken.');
}

function pad(cell, width, column) {
  return column === 0 || column === 5 ? cell.padEnd(width) : cell.padStart(width);
}
