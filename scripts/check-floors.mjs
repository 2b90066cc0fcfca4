// Checks the floors of src/ by .dependency-cruiser.mjs, and that there are no cycles, those of types included. A run that saw no
// files or no imports fails: a broken parser must not look like a clean result.
import { LISTS_OF_DOORS } from './lib/doors.mjs';
import { capture, toolPath } from './lib/run.mjs';
import { listFiles } from './lib/setup.mjs';

const cruiser = toolPath('dependency-cruiser', 'bin', 'dependency-cruise.mjs');
const { code, output, stdout } = await capture(process.execPath, [cruiser, 'src', '--output-type', 'json']);
const report = parse(stdout);
const { totalCruised, totalDependenciesCruised, violations } = report.summary;
const expected = listFiles('src', ['.ts']).length;

for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} -> ${to}`);
const cycles = cyclesOf(report.modules);
for (const cycle of cycles) console.error(`no-cycles: ${cycle.join(' -> ')}`);
if (totalCruised < expected || totalDependenciesCruised === 0) {
  fail(`it saw ${totalCruised} modules and ${totalDependenciesCruised} imports; src/ has ${expected} files`);
}
const broken = violations.length + cycles.length;
if (broken > 0) fail(`${broken} imports break the rules above`);
console.log(`${totalCruised} modules, ${totalDependenciesCruised} imports, none against the rules`);

/** Each import that leads back to whoever needs it, with the way round. */
function cyclesOf(modules) {
  const needs = new Map(
    modules.map(({ source, dependencies }) => [
      source,
      // A list of doors needs nothing that it names.
      dependencies
        .filter(({ dynamic }) => !(dynamic && LISTS_OF_DOORS.includes(source)))
        .map(({ resolved }) => resolved),
    ]),
  );
  const done = new Set();
  const found = [];
  for (const start of needs.keys()) {
    // Depth first: whoever is met again on the way is in a cycle.
    const way = [];
    const onWay = new Set();
    const look = (file) => {
      if (onWay.has(file)) found.push([...way.slice(way.indexOf(file)), file]);
      if (done.has(file)) return;
      done.add(file);
      way.push(file);
      onWay.add(file);
      for (const next of needs.get(file) ?? []) look(next);
      way.pop();
      onWay.delete(file);
    };
    look(start);
  }
  return found;
}

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
