// Runs vitest as a child, so that the line with the counts is the last one whatever vitest prints at its end.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolPath } from './run.mjs';
import { ROOT } from './setup.mjs';
import { summaryLine } from './summary-reporter.mjs';

/**
 * Runs vitest projects and prints `N passed, N failed` as the last line.
 * @param args  filters and flags for vitest; a `--project` among them replaces the given one
 * @returns the exit code: 0 only if tests ran and all of them passed
 */
export async function runVitest(projects, args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-test-'));
  const summary = join(folder, 'summary.json');
  const chosen = args.some((arg) => arg === '--project' || arg.startsWith('--project='))
    ? []
    : projects.flatMap((project) => ['--project', project]);
  const code = await new Promise((resolve) => {
    const color = process.stdout.isTTY ? [] : ['--no-color'];
    const child = spawn(process.execPath, [toolPath('vitest', 'vitest.mjs'), 'run', ...color, ...chosen, ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env, TURNWRIGHT_TEST_SUMMARY: summary },
    });
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
    child.on('error', () => resolve(1));
    child.on('exit', (exitCode) => resolve(exitCode ?? 1));
  });
  const counts = readCounts(summary);
  rmSync(folder, { recursive: true, force: true });
  // No tests, or an end that no test accounts for, is a failure too.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  console.log(summaryLine(counts));
  return counts.failed === 0 ? 0 : 1;
}

function readCounts(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Vitest ended before its reporter was called; the caller counts that as a failure.
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
