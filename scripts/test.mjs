// `npm test [-- filters and vitest flags]`: installs and builds what is missing, then runs the tests. Those of the
// sandbox run where bubblewrap works; TURNWRIGHT_TEST_SANDBOX=required makes it a failure where it does not.
import { whyNoBubblewrap } from './lib/bubblewrap.mjs';
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
process.exitCode = await runVitest(projects, process.argv.slice(2));
