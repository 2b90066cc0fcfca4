// `npm start -- "<prompt>" [flags]`: runs one prompt in the folder it was called from, installing and building
// first where that is needed. Without a prompt: a sample job on a scratch copy of this repository.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ensureBuilt, ensureInstalled, ROOT } from './lib/setup.mjs';

const SAMPLE_PROMPT = 'find the largest TypeScript file under src, then write its path and line count to report.md';
const DEFAULT_FLAGS = { '--permission-mode': 'acceptEdits', '--output-format': 'text' };
const NOT_COPIED = new Set(['node_modules', 'dist', '.git', 'coverage']);

const args = process.argv.slice(2);
const prompt = args[0]?.startsWith('-') ? undefined : args[0];
const flags = prompt === undefined ? args : args.slice(1);

ensureInstalled();
ensureBuilt({ types: false });
process.exitCode = prompt === undefined ? await runSample() : await run(prompt, process.env.INIT_CWD ?? process.cwd());

async function runSample() {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'turnwright-sample-'));
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (path) => path === ROOT || !(NOT_COPIED.has(basename(path)) || basename(path).startsWith('.build-')),
  });
  console.error(`No prompt given, so here is a sample job: ${SAMPLE_PROMPT}\n`);
  const code = await run(SAMPLE_PROMPT, folder);
  const report = join(folder, 'report.md');
  if (existsSync(report)) console.log(`\nreport.md:\n${readFileSync(report, 'utf8').trimEnd()}`);
  else console.log('\nNo report.md was written.');
  console.log(`\nThe scratch copy it worked on: ${folder}`);
  return code === 0 && !existsSync(report) ? 1 : code;
}

/** Runs the command line in a folder and returns its exit code. Signals go to it; it decides how to end. */
function run(text, cwd) {
  const defaults = Object.entries(DEFAULT_FLAGS).filter(
    ([name]) => !flags.some((flag) => flag === name || flag.startsWith(`${name}=`)),
  );
  const commandLine = [join(ROOT, 'dist', 'cli', 'main.js'), '-p', text, ...defaults.flat(), ...flags];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, commandLine, { cwd, stdio: 'inherit' });
    // The terminal sends Ctrl-C to the child as well; the others only come here.
    process.on('SIGINT', () => undefined);
    for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}
