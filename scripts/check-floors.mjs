// Checks the floors and cycles of src/ by .dependency-cruiser.mjs. A run that saw no files or no imports fails:
// a broken parser must not look like a clean result.
import { capture, toolPath } from './lib/run.mjs';
import { listFiles } from './lib/setup.mjs';

const cruiser = toolPath('dependency-cruiser', 'bin', 'dependency-cruise.mjs');
const { code, output, stdout } = await capture(process.execPath, [cruiser, 'src', '--output-type', 'json']);
const report = parse(stdout);
const { totalCruised, totalDependenciesCruised, violations } = report.summary;
const expected = listFiles('src', ['.ts']).length;

for (const { rule, from, to, cycle } of violations) {
  const path = cycle ? cycle.map((step) => step.name ?? step).join(' -> ') : to;
  console.error(`${rule.name}: ${from} -> ${path}`);
}
if (totalCruised < expected || totalDependenciesCruised === 0) {
  fail(`it saw ${totalCruised} modules and ${totalDependenciesCruised} imports; src/ has ${expected} files`);
}
if (violations.length > 0) fail(`${violations.length} imports break the rules above`);
console.log(`${totalCruised} modules, ${totalDependenciesCruised} imports, none against the rules`);

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return fail(`dependency-cruiser ended with ${code}:\n${output}`);
  }
}

function fail(reason) {
  console.error(`Floors: ${reason}.`);
  process.exit(1);
}
