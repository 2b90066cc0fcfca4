// `npm run soak [-- <suite>] [-- --seed=N] [-- --minutes=N]`: the long tests at full counts. What they measure goes to
// docs/figures.md with the seed, the commit and the machine. `--minutes`: how long a suite that counts lines may go on.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, ROOT } from './lib/setup.mjs';
import { runVitest } from './lib/vitest.mjs';

const FIGURES = join(ROOT, 'docs', 'figures.md');
const DEFAULT_SEED = '42';
const COLUMNS = ['Suite', 'Figure', 'Value', 'Unit', 'Seed', 'Commit', 'Machine'];
const INTRO = `# Figures

Measured by \`npm run soak\`, which writes this table. One row is one figure of one suite, from its latest run.
`;

const args = process.argv.slice(2);
const seed = args.find((arg) => arg.startsWith('--seed='))?.slice('--seed='.length) ?? DEFAULT_SEED;
if (!/^-?\d+$/.test(seed)) {
  console.error(`--seed must be a whole number, not "${seed}".`);
  process.exit(2);
}
const minutes = args.find((arg) => arg.startsWith('--minutes='))?.slice('--minutes='.length);
if (minutes !== undefined && !/^[1-9]\d*$/.test(minutes)) {
  console.error(`--minutes must be a whole number of 1 or more, not "${minutes}".`);
  process.exit(2);
}
const filters = args
  .filter((arg) => !/^--(?:seed|minutes)=/.test(arg))
  .map((arg) => (/^[\w-]+$/.test(arg) && !arg.startsWith('-') ? `test/soak/${arg}` : arg));

ensureInstalled();
ensureBuilt({ types: false });
const folder = mkdtempSync(join(tmpdir(), 'turnwright-soak-'));
const recorded = join(folder, 'figures.jsonl');
const env = { TURNWRIGHT_SOAK: '1', TURNWRIGHT_SEED: seed, TURNWRIGHT_FIGURES: recorded };
if (minutes !== undefined) env.TURNWRIGHT_SOAK_MINUTES = minutes;
// Read before the run: files may change while it goes on.
const commit = currentCommit();
process.exitCode = await runVitest(['soak'], filters, env);
mergeFigures();
rmSync(folder, { recursive: true, force: true });

/** Replaces the rows of the figures that were recorded, keeps the others, sorts by suite and name. */
function mergeFigures() {
  if (!existsSync(recorded)) return;
  const machine = `${availableParallelism()} cores, Node ${process.versions.node}, ${process.platform} ${process.arch}`;
  const rows = readRows();
  for (const line of readFileSync(recorded, 'utf8').split('\n').filter(Boolean)) {
    const { suite, name, value, unit } = JSON.parse(line);
    addRow(rows, [suite, name, value, unit, seed, commit, machine].map(cell));
  }
  const table = [COLUMNS, COLUMNS.map(() => '---'), ...[...rows.entries()].sort(byKey).map(([, row]) => row)];
  writeFileSync(FIGURES, `${INTRO}\n${table.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`);
}

function readRows() {
  const rows = new Map();
  if (!existsSync(FIGURES)) return rows;
  for (const line of readFileSync(FIGURES, 'utf8').split('\n')) {
    const cells = line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((text) => text.trim());
    if (cells.length !== COLUMNS.length || cells[0] === COLUMNS[0] || cells[0] === '---') continue;
    addRow(rows, cells);
  }
  return rows;
}

/** A row replaces the one of the same suite and figure. */
function addRow(rows, cells) {
  rows.set(`${cells[0]}\0${cells[1]}`, cells);
}

function byKey([a], [b]) {
  return a < b ? -1 : 1;
}

function cell(value) {
  return String(value).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function currentCommit() {
  try {
    const git = (...command) => execFileSync('git', command, { cwd: ROOT, encoding: 'utf8' }).trim();
    // The table itself is what an earlier suite wrote.
    const changes = git('status', '--porcelain', '--', '.', ':!docs/figures.md');
    return `${git('rev-parse', '--short=12', 'HEAD')}${changes === '' ? '' : ' + changes'}`;
  } catch {
    // Not a git checkout, or no git: the table says so.
    return 'unknown';
  }
}
