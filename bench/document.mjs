// The figures of one run as a document, `docs/bench.md`: written by `npm run bench -- --write`, never by hand.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/lib/setup.mjs';

const DOCUMENT = join(ROOT, 'docs', 'bench.md');
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

${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}
`;
  writeFileSync(DOCUMENT, text);
}

/** With a word where the working tree is another. */
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
