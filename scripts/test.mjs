// `npm test [-- filters and vitest flags]`: installs and builds what is missing, then runs the tests.
import { ensureBuilt, ensureInstalled } from './lib/setup.mjs';
import { runVitest } from './lib/vitest.mjs';

ensureInstalled();
ensureBuilt({ types: false });
process.exitCode = await runVitest('unit', process.argv.slice(2));
