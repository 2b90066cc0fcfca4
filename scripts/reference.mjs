// Writes what follows from the declared options: types, lists and flags in src/, and the reference in docs/.
// `--check` fails if a file is out of date.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { optionSources } from './lib/option-sources.mjs';
import { faultsOf, readOptions } from './lib/read-options.mjs';
import { readLimits, referencePages } from './lib/reference-pages.mjs';
import { ROOT } from './lib/setup.mjs';
import { toolsPage } from './lib/tools-page.mjs';

const run = promisify(execFile);
const isCheck = process.argv.includes('--check');
const options = await readOptions();
const limits = await readLimits();
const faults = await faultsOf(options);
const stale = [];
let count = 0;

if (faults.length === 0) {
  take(optionSources(options, limits));
  // What is told of the settings is read from what was just written.
  if (!isCheck) await run(process.execPath, [join(ROOT, 'scripts', 'settings-types.mjs')]);
  const reference = await referencePages(options, limits);
  faults.push(...reference.faults);
  take({ ...reference.pages, ...(await toolsPage()) });
}
for (const fault of faults) console.error(fault);
if (isCheck && stale.length > 0) console.error(`out of date: ${stale.join(', ')}. Run \`npm run reference\``);
if (faults.length > 0 || (isCheck && stale.length > 0)) process.exitCode = 1;
else console.log(`${options.length} options; ${stale.length} of ${count} files written`);

function take(files) {
  for (const [path, text] of Object.entries(files)) {
    count += 1;
    if (current(path) === text) continue;
    stale.push(path);
    if (!isCheck) write(path, text);
  }
}

function current(path) {
  return existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : null;
}

function write(path, text) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
}
