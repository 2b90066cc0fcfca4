// `npm start` on a fresh clone, as a newcomer has it: installs, builds, and does the work in the folder it was called
// from. With the offline model, and nothing from this machine but npm's cache.
// Usage: node scripts/start-smoke.mjs   Clones the last commit. Last line: `N passed, N failed`.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture } from './lib/run.mjs';
import { ROOT } from './lib/setup.mjs';
import { createTally } from './lib/tally.mjs';

const PROMPT = 'find the largest TypeScript file under src, then write its path and line count to report.md';
/** What the programs may know of this machine: no key, no home of Turnwright, no settings of whoever runs this. */
const KEPT_VARIABLES =
  /^(PATH|HOME|USER|LANG|LC_.*|TERM|TMPDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(https?|no)_proxy|npm_config_(cache|registry|cafile|.*proxy))$/i;

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-start-')));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const clone = join(folder, 'clone');
const elsewhere = join(folder, 'elsewhere');
const { test, finish } = createTally();

if (await test('a fresh clone installs, builds, and works in the folder it was called from', startsElsewhere)) {
  await test('flags before the prompt are flags, and the prompt is the prompt', flagsFirst);
  await test('without a prompt: the sample job on a scratch copy', samples);
  await test('flags alone are no prompt', () => samples('--max-turns', '9'));
  await test('a flag that is not known is said, and starts nothing', unknownFlag);
}
finish();

async function startsElsewhere() {
  await must('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone], folder);
  mkdirSync(join(elsewhere, 'src', 'deep'), { recursive: true });
  writeFileSync(join(elsewhere, 'src', 'small.ts'), 'export const a = 1;\n');
  writeFileSync(join(elsewhere, 'src', 'deep', 'large.ts'), 'export const line = true;\n'.repeat(123));
  // Larger than both, and not asked about.
  writeFileSync(join(elsewhere, 'src', 'larger.md'), 'words\n'.repeat(2000));
  const output = await start(PROMPT);
  checkReport('report.md', 'src/deep/large.ts', 123);
  if (!/offline/i.test(output)) throw new Error(`nothing says that this is the offline model:\n${output}`);
  if (existsSync(join(clone, 'report.md'))) throw new Error('the clone has a report.md as well');
  const changes = await must('git', ['status', '--porcelain'], clone);
  if (changes.trim() !== '') throw new Error(`the clone has changed:\n${changes}`);
}

async function flagsFirst() {
  const output = await start('--model', 'offline', '--output-format=json', PROMPT.replace('report.md', 'second.md'));
  checkReport('second.md', 'src/deep/large.ts', 123);
  if (/sample job/.test(output)) throw new Error(`the sample job ran:\n${output}`);
  if (!output.includes('"subtype":"success"')) throw new Error(`--output-format=json had no effect:\n${output}`);
}

async function samples(...flags) {
  const output = await start(...flags);
  const { path, lines } = largestTypeScript(join(clone, 'src'), 'src');
  const [, report = ''] = output.split('\nreport.md:\n');
  if (!report.includes(path) || !hasNumber(report, lines)) {
    throw new Error(`the report should name ${path} with ${lines} lines:\n${output}`);
  }
  const copy = /The scratch copy it worked on: (.+)/.exec(output)?.[1];
  if (copy === undefined || copy === clone || !existsSync(join(copy, 'report.md'))) {
    throw new Error(`no scratch copy with a report:\n${output}`);
  }
  rmSync(copy, { recursive: true, force: true });
}

async function unknownFlag() {
  const { code, output } = await npmStart(['--no-such-flag', PROMPT]);
  if (code === 0 || !output.includes('unknown flag --no-such-flag')) throw new Error(`ended with ${code}:\n${output}`);
  if (/sample job/.test(output)) throw new Error(`the sample job ran:\n${output}`);
}

/** `npm start` of the clone, called from elsewhere: npm hands the folder on as INIT_CWD. */
function npmStart(args) {
  return capture('npm', ['--prefix', clone, 'start', '--', ...args], { cwd: elsewhere, env: newcomersEnvironment() });
}

async function start(...args) {
  const { code, output } = await npmStart(args);
  if (code !== 0) throw new Error(`npm start ended with ${code}:\n${output}`);
  return output;
}

function checkReport(name, path, lines) {
  const file = join(elsewhere, name);
  if (!existsSync(file)) throw new Error(`no ${name} in the folder it was called from`);
  const report = readFileSync(file, 'utf8');
  if (!report.includes(path) || !hasNumber(report, lines)) {
    throw new Error(`${name} should name ${path} with ${lines} lines:\n${report}`);
  }
}

/** The largest file by lines, which is what the request means (docs/offline-model.md), counted without Turnwright. */
function largestTypeScript(root, shown) {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  const sized = files.map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }));
  const [largest] = sized.sort((a, b) => b.lines - a.lines);
  return { path: `${shown}${largest.file.slice(root.length)}`, lines: largest.lines };
}

function hasNumber(text, number) {
  return (text.replaceAll(/[,_](?=\d{3})/g, '').match(/\d+/g) ?? []).includes(String(number));
}

function newcomersEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => KEPT_VARIABLES.test(name));
  return {
    ...Object.fromEntries(kept),
    TURNWRIGHT_HOME: join(folder, 'home'),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  };
}

async function must(command, args, cwd) {
  const { code, output } = await capture(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${output}`);
  return output;
}
