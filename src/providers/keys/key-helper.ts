// The key that a command of the user's prints. One rule: the command comes from the host or the user's own settings,
// never from a project; what it prints is shown nowhere.
import type { HostClock, HostExec } from '../../host/host.js';
import { ModelError } from '../../protocol/errors.js';
import { errorText, shorten } from '../../util/text.js';

export interface KeyHelperOptions {
  /** A line for the shell. */
  readonly command: string;
  /** How long a key is used before the command runs again, milliseconds. Default 5 minutes; 0 asks before each request. */
  readonly ttlMs?: number | undefined;
  readonly exec: HostExec;
  readonly clock: Pick<HostClock, 'monotonic'>;
  /** Absolute; the command is not the project's, so it does not run there. */
  readonly cwd: string;
  /** Without the credentials of providers. */
  readonly env: Readonly<Record<string, string>>;
  /** Told of each key before it is used. */
  readonly onKey: (key: string) => void;
}

export interface KeyHelper {
  /** The key, kept or new. Contract: callers at the same time wait for one run. @throws ModelError */
  key(): Promise<string>;
  /** That key was refused: the next call runs the command again. */
  forget(key: string): void;
}

const DEFAULT_TTL_MS = 5 * 60_000;
const DEADLINE_MS = 30_000;
/** Keys are shorter, and some are signed tokens. Bytes. */
const MAX_KEY = 16 * 1024;
const MAX_SHOWN = 200;

export function createKeyHelper(options: KeyHelperOptions): KeyHelper {
  const { ttlMs = DEFAULT_TTL_MS, clock } = options;
  let kept: { readonly key: string; readonly until: number } | null = null;
  let running: Promise<string> | null = null;
  const ask = async (): Promise<string> => {
    const key = await runHelper(options);
    options.onKey(key);
    kept = { key, until: clock.monotonic() + ttlMs };
    return key;
  };
  return {
    key() {
      if (running !== null) return running;
      if (kept !== null && clock.monotonic() < kept.until) return Promise.resolve(kept.key);
      running = ask().finally(() => {
        running = null;
      });
      return running;
    },
    forget(key) {
      if (kept?.key === key) kept = null;
    },
  };
}

async function runHelper({ command, exec, cwd, env }: KeyHelperOptions): Promise<string> {
  const out: Uint8Array[] = [];
  const complaints: Uint8Array[] = [];
  let size = 0;
  const controller = new AbortController();
  const outcome = await exec
    .run({
      command: ['/bin/sh', '-c', command],
      cwd,
      env,
      signal: controller.signal,
      timeoutMs: DEADLINE_MS,
      onStdout(chunk) {
        size += chunk.length;
        if (size > MAX_KEY) controller.abort();
        else out.push(chunk.slice());
      },
      onStderr(chunk) {
        if (complaints.length < 16) complaints.push(chunk.slice());
      },
    })
    .catch((error: unknown) => {
      throw refused(`could not be started: ${errorText(error)}`);
    });
  if (size > MAX_KEY) throw refused(`printed more than ${MAX_KEY} bytes, which is no key`);
  if (outcome.ended === 'timed_out') throw refused(`gave no key within ${DEADLINE_MS / 1_000} s`);
  if (outcome.exitCode !== 0) {
    const said = shorten(textOf(complaints).replace(/[^\P{C}\s]/gu, ''), MAX_SHOWN);
    throw refused(`failed with exit code ${outcome.exitCode ?? outcome.signal}${said === '' ? '' : `: ${said}`}`);
  }
  const key = textOf(out).trim();
  if (key === '') throw refused('printed nothing');
  if (/[^\x21-\x7e]/.test(key))
    throw refused('printed something that is no key: it has spaces, line breaks or other characters');
  return key;
}

function refused(what: string): ModelError {
  return new ModelError('authentication', `The command for the key (apiKeyHelper) ${what}. Run it by hand to see why.`);
}

function textOf(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
}
