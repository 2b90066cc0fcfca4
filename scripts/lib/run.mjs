// Runs a program and keeps what it prints. For the scripts that report on other programs.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './setup.mjs';

/**
 * Runs a program in the repository with no input.
 * @returns its exit code (1 if a signal or a failed start ended it) and its output: both streams in order of
 *   arrival, and stdout alone
 */
export function capture(command, args, options = {}) {
  return new Promise((resolve) => {
    let output = '';
    let stdout = '';
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const add = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk;
      add(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', add);
    child.on('error', (error) => resolve({ code: 1, output: `${output}${error.message}\n`, stdout }));
    child.on('close', (code, signal) => {
      resolve({ code: code ?? 1, output: signal ? `${output}${signal}\n` : output, stdout });
    });
  });
}

/** Path of a program that a dev dependency brings, to be run with Node. */
export function toolPath(...parts) {
  return join(ROOT, 'node_modules', ...parts);
}

/** Seconds since `start` (from `performance.now()`), with one decimal. */
export function secondsSince(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
