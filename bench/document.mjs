// The figures of one run as a document, `docs/bench.md`: written by `npm run bench -- --write`, never by hand.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../scripts/lib/setup.mjs';

const DOCUMENT = join(ROOT, 'docs', 'bench.md');
/** Written by a run of its own, and kept by the others. */
const RIVALS = '\n## The terminal beside other libraries\n';
const VERDICTS = { pass: 'met', over: '**not met**', 'no bar': '' };

/** Measure, ours, bare, their ratio, and the bar, as a reader sees them. */
export function cellsOf({ measure, unit, ours, bare, ratio, bar }) {
  const limit = bar === undefined ? '-' : bar.ratio === undefined ? `${bar.value} ${unit}` : `${bar.ratio} x bare`;
  if (bare === null) return [measure, `${rounded(ours)} ${unit}`, '-', '-', limit];
  return [measure, `${rounded(ours)} ${unit}`, `${rounded(bare)} ${unit}`, `${rounded(ratio)} x`, limit];
}

/** @param only the cases that ran; empty: all of them */
export function writeDocument(figures, machine, only) {
  const rows = figures.map((figure) => [...cellsOf(figure), VERDICTS[figure.verdict]]);
  const table = [['Measure', 'Ours', 'Bare', 'Ours / bare', 'Bar', 'Met'], Array(6).fill('---'), ...rows];
  const counted = figures.filter(({ verdict }) => verdict !== 'no bar');
  const met = counted.filter(({ verdict }) => verdict === 'pass').length;
  const part = only.length === 0 ? '' : `\nOnly these cases ran: ${only.join(', ')}.\n`;
  const text = `# Benchmark

Written by \`npm run bench -- --write\`; do not edit. How each figure is taken, and what bare is:
[bench/README.md](../bench/README.md). Bars are ratios to the bare loop of the same run, which hold on any machine.
${part}
- Machine: ${machine}
- Commit: ${commit()}
- Date: ${new Date().toISOString().slice(0, 10)}
- Bars: ${met} of ${counted.length} met

${linesOf(table)}
`;
  writeFileSync(DOCUMENT, `${text}${rivals()}`);
}

/** @param table rows of the screens beside each other, from `tableOf` */
export function writeRivals(table, machine) {
  const before = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8').split(RIVALS)[0] : '# Benchmark\n';
  const text = `
Written by \`node bench/rivals.mjs --write\`; do not edit. The same conversation on the same screen of 100 x 30, by our whole
program and, without an engine behind them, by pi-tui's own \`TUI\` and by Ink: [bench/README.md](../bench/README.md).

- Machine: ${machine}
- Commit: ${commit()}
- Date: ${new Date().toISOString().slice(0, 10)}

${table}
`;
  writeFileSync(DOCUMENT, `${before}${RIVALS}${text}`);
}

/** The first row is the head. */
export function tableOf([head, ...rows]) {
  return linesOf([head, Array(head.length).fill('---'), ...rows]);
}

const linesOf = (rows) => rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function rivals() {
  const [, section] = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8').split(RIVALS) : [];
  return section === undefined ? '' : `${RIVALS}${section}`;
}

/** What a figure depends on. */
export function machineNow() {
  return `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}, ${process.platform} ${process.arch}, load ${loadavg()[0].toFixed(1)}`;
}

/** With a word if the working tree is another. */
function commit() {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  try {
    const isChanged = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!docs/bench.md') !== '';
    return `${git('rev-parse', '--short=12', 'HEAD')}${isChanged ? ', with changes that are not committed' : ''}`;
  } catch {
    return 'not known: this is no git checkout';
  }
}

function rounded(value) {
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}
