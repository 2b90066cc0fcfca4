// `node bench/rivals.mjs [--write] [--only=Ink]`: our terminal beside the same screen by pi-tui's own `TUI` and by Ink, over the same
// conversation. Installs both on demand into a cache folder; they are no dependencies. Needs the network once. With --write the
// table goes into docs/bench.md. They draw without an engine behind them, ours is the whole program.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, ROOT } from '../scripts/lib/setup.mjs';
import { machineNow, tableOf, writeRivals } from './document.mjs';
import { createScratch } from './measure.mjs';
import { afterMessages, close, firstPaint, idleKeys, openFace, rest, startModel, streaming } from './terminal.mjs';

// A CommonJS module whose names Node does not see from outside.
const { Terminal } = createRequire(import.meta.url)('@xterm/headless');

const PACKAGES = ['@earendil-works/pi-tui@0.74.2', 'ink@6.8.0', 'react@19.2.0'];
const FOLDER = join(ROOT, 'node_modules', '.cache', 'turnwright-faces');
const SHELL_LINES = 40;
const RESIZES = 60;

ensureInstalled();
ensureBuilt({ types: false });
install();
const fromFolder = createRequire(join(FOLDER, 'package.json'));
const addressOf = (name) => pathToFileURL(fromFolder.resolve(name)).href;
const only = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length) ?? '';
const FACES = [
  { name: 'Turnwright', face: undefined },
  {
    name: 'pi-tui 0.74.2',
    face: {
      words: [fileURLToPath(new URL('./drivers/face-pi.mjs', import.meta.url))],
      env: { BENCH_FACE: addressOf('@earendil-works/pi-tui') },
    },
  },
  {
    name: 'Ink 6.8.0',
    face: {
      words: [fileURLToPath(new URL('./drivers/face-ink.mjs', import.meta.url))],
      env: { BENCH_FACE: addressOf('ink'), BENCH_REACT: addressOf('react') },
    },
  },
].filter(({ name }) => name.includes(only));

const scratch = createScratch();
const columns = [];
try {
  for (const { name, face } of FACES) {
    process.stderr.write(`${name} …\n`);
    columns.push(await measure({ scratch, dist: join(ROOT, 'dist'), rounds: 5, face }));
  }
} finally {
  scratch.remove();
}
const rows = [...columns[0].keys()].map((measured) => [
  measured,
  ...columns.map((column) => column.get(measured) ?? '-'),
]);
const table = tableOf([['Measure', ...FACES.map(({ name }) => name)], ...rows]);
console.log(table);
if (process.argv.includes('--write') && only === '') writeRivals(table, machineNow());

/** The figures of one screen, by what is measured. */
async function measure(bench) {
  const told = async (step, of) => {
    process.stderr.write(`  ${step} …\n`);
    return of;
  };
  const [paint] = await told('start', firstPaint(bench));
  const [idle] = await told('keys', idleKeys(bench));
  const fast = await told('20,000 deltas', streaming(bench, 2_000, 20_000, { cpu: 0, bytes: 0, key: 0 }));
  const slow = await told('500 deltas', streaming(bench, 100, 500, { bytes: 0, key: 0 }));
  const [key, , memory, more] = await told('5,000 messages', afterMessages(bench));
  const resized = await told('resizes', resizes(bench));
  const [cpu, fastBytes, fastKey, wiped] = fast.map(({ ours }) => ours);
  const [slowBytes, slowKey] = slow.map(({ ours }) => ours);
  return new Map([
    ['start to first paint, x bare Node', shown(paint.ours / paint.bare)],
    ['20,000 deltas in 10 s: CPU, s', `${shown(cpu)}${fast.isWhole ? '' : ', unfinished'}`],
    ['bytes a delta, at 2,000 / 100 a second', `${shown(fastBytes)} / ${shown(slowBytes)}`],
    ['times that the whole screen was wiped while they came', shown(wiped)],
    ['key to next bytes p99, idle / at 2,000 / 100 a second, ms', [idle.ours, fastKey, slowKey].map(shown).join(' / ')],
    ['the same p50 after 5,000 messages, x before', shown(key.ours / key.bare)],
    ['memory of 5,000 messages, MB', bench.face === undefined ? ours(memory, more) : shown(memory.ours)],
    [`${RESIZES} resizes after an answer: kB; shell lines lost, of ${SHELL_LINES}`, resized],
  ]);
}

function ours(memory, more) {
  return `${shown(memory.ours)}; ${shown(Math.max(0, more.ours))} more than without a terminal`;
}

function shown(value) {
  return (value >= 10 ? value.toFixed(0) : value.toFixed(value >= 1 ? 1 : 2)).replace(/^0\.00$/, '0');
}

/** Lines of the shell, an answer, then a window that is dragged. */
async function resizes(bench) {
  const model = await startModel({ count: 2_000, perSecond: 20_000 });
  const face = openFace({ ...bench, shellLines: SHELL_LINES }, model.url);
  const terminal = new Terminal({ cols: 100, rows: 30, scrollback: 20_000, allowProposedApi: true });
  face.pty.onData((data) => terminal.write(data));
  await face.shown('> ');
  await rest(1_000);
  face.pty.write('go\r');
  await face.shown('1 turn');
  await rest(1_000);
  const before = face.bytes();
  for (let at = 0; at < RESIZES; at++) {
    const [cols, rows] = [70 + ((at * 7) % 60), 20 + (at % 15)];
    terminal.resize(cols, rows);
    face.pty.resize(cols, rows);
    await rest(16);
  }
  await rest(1_000);
  const bytes = face.bytes() - before;
  await close(face);
  model.close();
  await new Promise((resolve) => terminal.write('', resolve));
  const { active } = terminal.buffer;
  const lines = new Set(
    Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? ''),
  );
  const lost = Array.from({ length: SHELL_LINES }, (_, at) => `shell line ${at + 1}`).filter(
    (line) => !lines.has(line),
  );
  return `${shown(bytes / 1_000)}; ${lost.length}`;
}

function install() {
  const stamp = join(FOLDER, 'installed.json');
  const wanted = JSON.stringify(PACKAGES);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  process.stderr.write(`Installing ${PACKAGES.join(', ')} …\n`);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{"name":"faces","private":true,"type":"module"}');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...flags, ...PACKAGES], { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(stamp, wanted);
}
