// `npm run lockfile`: completes package-lock.json after dependencies changed. npm leaves out optional packages that
// it could not look up, for example those of other platforms on a partial mirror, and then refuses the lockfile in
// `npm ci`. Their versions are exact in the package that wants them; their platform is in their name.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingOptional } from './lib/lockfile.mjs';
import { ROOT } from './lib/setup.mjs';

const PATH = join(ROOT, 'package-lock.json');
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openbsd', 'openharmony', 'sunos', 'win32', 'aix', 'netbsd'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

const lock = JSON.parse(readFileSync(PATH, 'utf8'));
const added = missingOptional(lock);
for (const { path, name, version, wantedBy } of added) {
  const os = SYSTEMS.filter((system) => name.includes(system));
  const cpu = PROCESSORS.filter((processor) => name.includes(processor)).slice(0, 1);
  const libc = name.includes('musl') ? ['musl'] : name.includes('gnu') ? ['glibc'] : [];
  if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name}: "${version}" is no exact version; add it by hand`);
  if (os.length !== 1 || cpu.length !== 1)
    throw new Error(`${name}: the name does not tell its platform; add it by hand`);
  const entry = { version, cpu, ...(wantedBy.dev ? { dev: true } : {}), ...(libc.length > 0 ? { libc } : {}) };
  lock.packages[path] = { ...entry, license: wantedBy.license, optional: true, os };
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(PATH, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: ${added.length} packages of other platforms added`);
