// `npm test [-- filters and vitest flags]`: installs and builds what is missing, then runs the tests. Those of the
// sandbox run if bubblewrap works; TURNWRIGHT_TEST_SANDBOX=required makes it a failure if it does not. With --load
// they run beside processes that take half of the CPU.
import { whyNoBubblewrap } from './lib/bubblewrap.mjs';
import { startCpuLoad } from './lib/cpu-load.mjs';
import { ensureBuilt, ensureInstalled } from './lib/setup.mjs';
import { runVitest } from './lib/vitest.mjs';

const missing = whyNoBubblewrap();
const isRequired = process.env.TURNWRIGHT_TEST_SANDBOX === 'required';
if (missing !== null && isRequired) {
  console.error(`The tests of the sandbox are required and cannot run: ${missing}.`);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
ensureInstalled();
ensureBuilt({ types: false });
const projects = missing === null ? ['unit', 'sandbox'] : ['unit'];
if (missing !== null) console.error(`The tests of the sandbox do not run: ${missing}.`);
const args = process.argv.slice(2);
const endLoad = args.includes('--load') ? startCpuLoad() : null;
process.exitCode = await runVitest(
  projects,
  args.filter((arg) => arg !== '--load'),
);
endLoad?.();
