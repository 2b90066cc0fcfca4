// Writes what follows from the declared options: types, lists and flags in src/, and the reference in docs/.
// `--check` fails if a file is out of date.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { optionSources } from './lib/option-sources.mjs';
import { faultsOf, readOptions } from './lib/read-options.mjs';
import { referencePages } from './lib/reference-pages.mjs';
import { ROOT } from './lib/setup.mjs';
import { toolsPage } from './lib/tools-page.mjs';

const run = promisify(execFile);
const options = await readOptions();
const reference = await referencePages(options);
const faults = [...(await faultsOf(options)), ...reference.faults];
const files = faults.length > 0 ? {} : { ...optionSources(options), ...reference.pages, ...(await toolsPage()) };
const stale = Object.entries(files).filter(([path, text]) => current(path) !== text);

if (faults.length > 0) {
  for (const fault of faults) console.error(fault);
  process.exitCode = 1;
} else if (!process.argv.includes('--check')) {
  for (const [path, text] of stale) write(path, text);
  // Settings that are the same as an option follow from it too.
  await run(process.execPath, [join(ROOT, 'scripts', 'settings-types.mjs')]);
  console.log(`${options.length} options; ${stale.length} of ${Object.keys(files).length} files written`);
} else if (stale.length > 0) {
  console.error(`out of date: ${stale.map(([path]) => path).join(', ')}. Run \`npm run reference\``);
  process.exitCode = 1;
} else console.log(`${options.length} options, ${Object.keys(files).length} files`);

function current(path) {
  return existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : null;
}

function write(path, text) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
}
