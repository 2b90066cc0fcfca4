// A vitest reporter whose one line says `N passed, N failed`. With TURNWRIGHT_TEST_SUMMARY set it writes the counts
// to that file instead, so that the caller can print the line after everything else.
import { writeFileSync } from 'node:fs';

export default class SummaryReporter {
  /** Called once, at the end. A file that failed to load, or an error outside any test, counts as one failure. */
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      let failedHere = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed += 1;
        else if (state === 'failed') failedHere += 1;
        else counts.skipped += 1;
      }
      counts.failed += failedHere;
      if (failedHere === 0 && module.state() === 'failed') counts.failed += 1;
    }
    const file = process.env.TURNWRIGHT_TEST_SUMMARY;
    if (file) writeFileSync(file, JSON.stringify(counts));
    else console.log(summaryLine(counts));
  }
}

export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
