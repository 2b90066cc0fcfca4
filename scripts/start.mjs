// `npm start -- "<prompt>" [flags]`: runs one prompt in the folder it was called from, installing and building
// first where that is needed. Without a prompt: a sample job on a scratch copy of this repository.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ensureBuilt, ensureInstalled, ROOT } from './lib/setup.mjs';

const SAMPLE_PROMPT = 'find the largest TypeScript file under src, then write its path and line count to report.md';
const NOT_COPIED = new Set(['node_modules', 'dist', '.git', 'coverage']);

const args = process.argv.slice(2);

ensureInstalled();
ensureBuilt({ types: false });
const { hasPrompt, setsMode } = await readArguments();
// Edits are accepted unless the flags say what is.
const flags = setsMode ? args : ['--permission-mode', 'acceptEdits', ...args];
process.exitCode = hasPrompt
  ? await run(['-p', ...flags], process.env.INIT_CWD ?? process.cwd())
  : await runSample(['-p', ...flags]);

/** What the command line's own parser makes of the arguments: a word after a flag may be its value or the prompt. */
async function readArguments() {
  if (args.length === 0) return { hasPrompt: false, setsMode: false };
  // The sources, because dist/ holds no file with the parser alone.
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({ input: join(ROOT, 'src', 'cli', 'args.ts'), platform: 'node', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const code = Buffer.from(output[0].code).toString('base64');
  const { parseArgs } = await import(`data:text/javascript;base64,${code}`);
  try {
    const { action, prompt, options } = parseArgs(args);
    return { hasPrompt: prompt !== undefined || action !== 'run', setsMode: options.permissionMode !== undefined };
  } catch {
    // The command line reads the same words and says what is wrong with them.
    return { hasPrompt: true, setsMode: true };
  }
}

async function runSample(words) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'turnwright-sample-'));
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (path) => path === ROOT || !(NOT_COPIED.has(basename(path)) || basename(path).startsWith('.build-')),
  });
  console.error(`No prompt given, so here is a sample job: ${SAMPLE_PROMPT}\n`);
  const code = await run([SAMPLE_PROMPT, ...words], folder);
  const report = join(folder, 'report.md');
  if (existsSync(report)) console.log(`\nreport.md:\n${readFileSync(report, 'utf8').trimEnd()}`);
  else console.log('\nNo report.md was written.');
  console.log(`\nThe scratch copy it worked on: ${folder}`);
  return code === 0 && !existsSync(report) ? 1 : code;
}

/** Runs the command line in a folder and returns its exit code. Signals go to it; it decides how to end. */
function run(words, cwd) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(ROOT, 'dist', 'cli', 'main.js'), ...words], { cwd, stdio: 'inherit' });
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
