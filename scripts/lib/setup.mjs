// What every script needs first: where the repository is, and that its packages are installed and its build is
// fresh. Uses Node alone, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const BUILD_STAMP = join(ROOT, 'dist', '.build.json');

const LOCK = join(ROOT, '.setup-lock');
const LOCK_POLL_MS = 100;

/** A file of the repository, parsed. */
export function readJson(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

/** All files under a folder of the repository, as sorted paths relative to it, `/` between names. */
export function listFiles(folder, extensions) {
  const root = join(ROOT, folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extensions.some((extension) => entry.name.endsWith(extension)))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(ROOT.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

/**
 * Installs what package-lock.json names, if it is not there already. Prints nothing when nothing is to do;
 * otherwise everything goes to stderr. Safe to call from two processes at once.
 */
export function ensureInstalled() {
  if (isInstalled()) return;
  withLock(() => {
    if (isInstalled()) return;
    process.stderr.write('Installing dependencies …\n');
    runQuiet('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], 'npm ci');
  });
}

/**
 * Builds dist/ if it is missing or older than the sources.
 * @param types  true: the type declarations must be there too (slower)
 */
export function ensureBuilt({ types }) {
  if (isBuilt(types)) return;
  withLock(() => {
    if (isBuilt(types)) return;
    process.stderr.write('Building …\n');
    const script = join(ROOT, 'scripts', 'build.mjs');
    runQuiet(process.execPath, types ? [script] : [script, '--js-only'], 'The build');
  });
}

/** A hash of everything the build reads. */
export function sourceHash() {
  const hash = createHash('sha256');
  const inputs = [
    ...listFiles('src', ['']),
    'scripts/build.mjs',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ];
  for (const path of inputs) {
    const content = readFileSync(join(ROOT, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** True if every package of the lockfile is installed in the version it names. */
function isInstalled() {
  const installed = readIfThere(join(ROOT, 'node_modules', '.package-lock.json'));
  if (installed === null) return false;
  const wanted = readJson('package-lock.json').packages;
  return Object.entries(wanted).every(
    // An optional package is absent if it is for another platform.
    ([path, entry]) => path === '' || entry.optional || installed.packages[path]?.version === entry.version,
  );
}

function isBuilt(types) {
  const stamp = readIfThere(BUILD_STAMP);
  return stamp !== null && stamp.hash === sourceHash() && (stamp.types || !types);
}

function readIfThere(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Missing or half written: the same as not done yet.
    return null;
  }
}

function runQuiet(command, args, what) {
  const result = spawnSync(command, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (result.status === 0) return;
  process.stderr.write(
    `${result.stdout ?? ''}${result.stderr ?? ''}${result.error ? `${result.error.message}\n` : ''}`,
  );
  process.stderr.write(`${what} failed.\n`);
  process.exit(1);
}

/** Runs `action` while no other process of this repository does. A lock whose owner is gone is taken over. */
function withLock(action) {
  for (;;) {
    try {
      mkdirSync(LOCK);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!lockOwnerLives()) rmSync(LOCK, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
    }
  }
  writeFileSync(join(LOCK, 'pid'), String(process.pid));
  const release = () => rmSync(LOCK, { recursive: true, force: true });
  process.once('exit', release);
  try {
    action();
  } finally {
    process.off('exit', release);
    release();
  }
}

function lockOwnerLives() {
  const owner = readIfThere(join(LOCK, 'pid'));
  if (owner === null) {
    // The owner may be between making the folder and writing its id: give it one moment.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
    return readIfThere(join(LOCK, 'pid')) !== null;
  }
  try {
    process.kill(owner, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
