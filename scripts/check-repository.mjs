// Checks what is easy to break by accident: exact versions, a lockfile without download addresses, no install scripts
// in what users get, one version number, and the files that every release carries.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingOptional } from './lib/lockfile.mjs';
import { ROOT, readJson } from './lib/setup.mjs';

const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
const RELEASE_FILES = ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md'];
const PERMISSIVE =
  /^\(?(MIT|MIT-0|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|Python-2\.0)\b/;

const manifest = readJson('package.json');
const lockText = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
const lock = JSON.parse(lockText);
const faults = [...versions(), ...lockfile(), ...files()];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`${Object.keys(lock.packages).length - 1} packages`);

function versions() {
  const found = [];
  for (const field of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    for (const [name, version] of Object.entries(manifest[field] ?? {})) {
      if (!EXACT.test(version)) found.push(`package.json: ${field}.${name} is "${version}"; give one exact version`);
    }
  }
  const source = readFileSync(join(ROOT, 'src/util/version.ts'), 'utf8');
  const version = /VERSION = '([^']+)'/.exec(source)?.[1];
  if (version !== manifest.version) {
    found.push(`src/util/version.ts says ${version}, package.json says ${manifest.version}; make them equal`);
  }
  return found;
}

function lockfile() {
  const found = [];
  if (/"resolved":/.test(lockText))
    found.push('package-lock.json: has download addresses ("resolved"); run npm install');
  if (/"https?:\/\/[^"]*(registry|\.tgz)/.test(lockText)) found.push('package-lock.json: names a registry; remove it');
  const root = lock.packages[''];
  for (const field of ['dependencies', 'devDependencies', 'peerDependencies']) {
    if (JSON.stringify(sorted(root[field])) !== JSON.stringify(sorted(manifest[field]))) {
      found.push(`package-lock.json: ${field} differ from package.json; run npm install`);
    }
  }
  for (const { name } of missingOptional(lock)) {
    found.push(`package-lock.json: lacks the optional package ${name}; run npm run lockfile`);
  }
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.link || !path.includes('node_modules/')) continue;
    // Packages of other platforms may lack it: see scripts/lockfile.mjs.
    if (!entry.integrity && !(entry.dev && entry.optional)) found.push(`package-lock.json: ${path} has no integrity`);
    if (entry.dev || entry.devOptional) continue;
    if (entry.hasInstallScript) found.push(`${path}: users would run its install script; choose another package`);
    if (!PERMISSIVE.test(entry.license ?? '')) found.push(`${path}: licence ${entry.license} needs a decision`);
  }
  return found;
}

function files() {
  const found = RELEASE_FILES.filter((file) => !existsSync(join(ROOT, file))).map((file) => `${file} is missing`);
  const changelog = join(ROOT, 'CHANGELOG.md');
  if (existsSync(changelog) && !readFileSync(changelog, 'utf8').includes('\n## [Unreleased]\n')) {
    found.push('CHANGELOG.md: needs an [Unreleased] section');
  }
  return found;
}

function sorted(record = {}) {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
