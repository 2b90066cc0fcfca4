// The command line at a terminal of its own: `script` of util-linux gives it one, and what is typed goes through the
// kernel as a person's keys do.
import { spawn } from 'node:child_process';
import { expect, onTestFinished } from 'vitest';
import { ENTRY } from './run-cli.js';

export interface Terminal {
  /** All that the screen showed so far, without colours. */
  readonly screen: () => string;
  /** Waits until the screen shows `text` behind what was waited for before, then types `keys`. */
  answer(text: string, keys: string): Promise<void>;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

export function openTerminal(
  argv: readonly string[],
  {
    cwd,
    env,
    entry = ENTRY,
  }: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly entry?: string },
): Terminal {
  const command = [process.execPath, entry, ...argv].map(quote).join(' ');
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', TERM: 'xterm', NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let shown = '';
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text.replaceAll('\r', '');
  });
  return {
    screen: () => shown,
    async answer(text, keys) {
      await expect.poll(() => shown.slice(read), { timeout: 60_000, interval: 20 }).toContain(text);
      read = shown.indexOf(text, read) + text.length;
      child.stdin.write(keys);
    },
    ended: new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    }),
  };
}
