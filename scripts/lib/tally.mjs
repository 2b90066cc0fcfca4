// Steps that pass or fail, each with its time, and how many of each.
import { secondsSince } from './run.mjs';

/** `test` resolves to whether the action did not throw; `finish` prints `N passed, N failed` and sets the exit code. */
export function createTally() {
  let passed = 0;
  let failed = 0;
  return {
    async test(name, action) {
      const start = performance.now();
      try {
        await action();
        passed += 1;
        console.log(`ok    ${name} (${secondsSince(start)})`);
        return true;
      } catch (error) {
        failed += 1;
        console.log(`FAIL  ${name} (${secondsSince(start)})\n${error.message}`);
        return false;
      }
    },
    finish() {
      console.log(`${passed} passed, ${failed} failed`);
      process.exitCode = failed === 0 ? 0 : 1;
    },
  };
}
