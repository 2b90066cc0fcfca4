// `npm run check`: everything that can be said about the code without running its tests. One line a step; the whole
// output of a step that failed. Two steps run at a time.
import { capture, secondsSince, toolPath } from './lib/run.mjs';
import { ensureInstalled } from './lib/setup.mjs';

ensureInstalled();

const STEPS = [
  // The longest first, so that the two lanes end together.
  ['package', ['scripts/check-package.mjs']],
  ['types', ['scripts/check-types.mjs']],
  ['dead code', [toolPath('knip', 'bin', 'knip.js')]],
  ['format, lint', [toolPath('@biomejs', 'biome', 'bin', 'biome'), 'ci', '--colors=off', '--error-on-warnings', '.']],
  ['surface', ['scripts/api.mjs', '--check']],
  ['settings', ['scripts/settings-types.mjs', '--check']],
  ['reference', ['scripts/reference.mjs', '--check']],
  ['floors', ['scripts/check-floors.mjs']],
  ['source', ['scripts/check-source.mjs']],
  ['spec', ['scripts/check-spec-coverage.mjs']],
  ['repository', ['scripts/check-repository.mjs']],
  ['pictures', ['scripts/pictures.mjs', '--check']],
];
const LANES = 2;

const start = performance.now();
const queue = [...STEPS];
const failed = [];
await Promise.all(Array.from({ length: LANES }, runLane));
console.log(`${STEPS.length - failed.length} of ${STEPS.length} steps passed in ${secondsSince(start)}`);
if (failed.length > 0) {
  console.log(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}

async function runLane() {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    const [name, args] = step;
    const began = performance.now();
    const { code, output } = await capture(process.execPath, args, {
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
    });
    const time = secondsSince(began).padStart(7);
    if (code === 0) {
      const warnings = output.split('\n').filter((line) => line.startsWith('warning:'));
      console.log([`ok    ${name.padEnd(13)} ${time}`, ...warnings.map((line) => `      ${line}`)].join('\n'));
    } else {
      failed.push(name);
      console.log(`FAIL  ${name.padEnd(13)} ${time}\n${output.trimEnd()}\n`);
    }
  }
}
