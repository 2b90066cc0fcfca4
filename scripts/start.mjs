// `npm start -- "<prompt>" [flags]`: runs one prompt in the folder it was called from, installing and building
// first if that is needed. Without a prompt: a sample job on a scratch copy of this repository. Without a key: by the
// offline model, which it says first.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { ensureBuilt, ensureInstalled, ROOT } from './lib/setup.mjs';

const SAMPLE_PROMPT = 'find the largest TypeScript file under src, then write its path and line count to report.md';
const NOT_COPIED = new Set(['node_modules', 'dist', '.git', 'coverage']);

const args = process.argv.slice(2);

ensureInstalled();
ensureBuilt({ types: false });
const CLI = join(ROOT, 'dist', 'cli', 'main.js');
const calledFrom = process.env.INIT_CWD ?? process.cwd();
const { hasPrompt, setsMode, namesModel, folder: named } = await readArguments();
const isOffline = !namesModel && !hasModel(resolve(calledFrom, named ?? '.'));
if (isOffline) {
  console.error(
    'There is no key, so the offline model answers: a planner by fixed rules, not a language model (docs/offline-model.md).\nFor a language model, set ANTHROPIC_API_KEY or the key of another provider.\n',
  );
}
// Edits are accepted unless the flags say what is.
const flags = [
  ...(setsMode ? [] : ['--permission-mode', 'acceptEdits']),
  ...(isOffline ? ['--model', 'offline'] : []),
  ...args,
];
process.exitCode = hasPrompt ? await run(['-p', ...flags], calledFrom) : await runSample(['-p', ...flags]);

/** What the command line's own parser makes of the arguments: a word after a flag may be its value or the prompt. */
async function readArguments() {
  if (args.length === 0) return { hasPrompt: false, setsMode: false, namesModel: false };
  // The sources, because dist/ holds no file with the parser alone.
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: join(ROOT, 'src', 'cli', 'args', 'args.ts'),
    platform: 'node',
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const code = Buffer.from(output[0].code).toString('base64');
  const { parseArgs } = await import(`data:text/javascript;base64,${code}`);
  try {
    const { action, prompt, options } = parseArgs(args);
    return {
      hasPrompt: prompt !== undefined || action !== 'run',
      setsMode: options.permissionMode !== undefined,
      // Settings that are given may name one: whether they do, the command line knows.
      namesModel: action !== 'run' || options.model !== undefined || options.settings !== undefined,
      folder: options.cwd,
    };
  } catch {
    // The command line reads the same words and says what is wrong with them.
    return { hasPrompt: true, setsMode: true, namesModel: true };
  }
}

/** Whether a model answers there that nobody named: by a key, or by settings. */
function hasModel(folder) {
  if (!existsSync(folder)) return true; // the command line says so
  const { status, stdout } = spawnSync(process.execPath, [CLI, 'auth', 'status', '--json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  // What keeps it from an answer keeps the prompt from one too, and is told there.
  return status !== 0 || !JSON.parse(stdout).lacksKey;
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
    const child = spawn(process.execPath, [CLI, ...words], { cwd, stdio: 'inherit' });
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
