// A load beside the tests: one busy process for each core, so that tests and load share every core by halves. Finds the
// tests that depend on the speed of a machine.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const SELF = fileURLToPath(import.meta.url);
const SLICE_MS = 20;

/** @returns what ends it. It also ends by itself as soon as this process is gone. */
export function startCpuLoad() {
  const burners = Array.from({ length: availableParallelism() }, () => fork(SELF, ['burn'], { stdio: 'ignore' }));
  return () => {
    for (const burner of burners) burner.disconnect();
  };
}

function burn() {
  const until = performance.now() + SLICE_MS;
  while (performance.now() < until);
  // Between two slices it hears that its parent went.
  setImmediate(burn);
}

if (process.argv[1] === SELF && process.argv[2] === 'burn') {
  process.on('disconnect', () => process.exit());
  burn();
}
