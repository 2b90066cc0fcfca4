// Runs a script in a thread of its own, and answers its calls: what thread and engine say to each other, and the end of both. One
// rule: the thread is gone when this settles, whatever the script did; what comes from a script crosses as text, never as a value.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { AbortError, ConfigError } from '../../protocol/errors.js';
import type { HostClock } from '../host.js';

export interface ScriptLimits {
  /** Of running code, without waits for calls, milliseconds. */
  readonly runMs: number;
  /** Of the script's values. */
  readonly memoryBytes: number;
  /** Of what it prints, and of its value, each. */
  readonly outputBytes: number;
}

/** What the thread is started with. */
export interface ScriptWork {
  readonly code: string;
  /** Names of the functions in `tools`. */
  readonly tools: readonly string[];
  readonly limits: ScriptLimits;
}

export type FromScript =
  /** The machine is there, and the script begins. */
  | { readonly type: 'begins' }
  | { readonly type: 'call'; readonly id: number; readonly name: string; readonly input: string }
  /** Nothing runs until a call is answered. `answered`: answers that were taken so far. */
  | { readonly type: 'waits'; readonly answered: number; readonly runMs: number }
  | ({ readonly type: 'end' } & ScriptEnd);

export interface ScriptEnd {
  /** What it printed, as far as it is kept. */
  readonly printed: string;
  /** Characters that it printed beyond. */
  readonly dropped: number;
  /** Its value as JSON; null if it gave none or failed. */
  readonly value: string | null;
  /** Why it did not come to its end. */
  readonly error: ScriptError | null;
  readonly runMs: number;
}

export interface ScriptError {
  /** `thrown`: by its code. The others are limits, and a promise that nothing can settle. */
  readonly kind: 'thrown' | 'syntax' | 'time' | 'memory' | 'output' | 'stuck' | 'crashed';
  readonly message: string;
}

/** An answer to a call: a value as JSON, or why there is none. */
export interface ScriptAnswer {
  readonly id: number;
  readonly ok: boolean;
  /** JSON, or what the error says. */
  readonly text: string;
  /** Name of the error. */
  readonly name?: string;
}

/** What a thread may take beside the machine of the script. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
/** How long a thread is let run beyond the limit that it keeps itself. */
const GRACE_MS = 1_500;
/** To load the machine, on any disk. */
const START_MS = 30_000;

/**
 * Contract: time that the script waits for a call does not count. `answer` may take as long as it likes; it must not
 * reject. Calls under way are not waited for if the script ended at a limit.
 * @throws AbortError at once when the signal aborts
 */
export async function runScript(
  work: ScriptWork,
  answer: (call: { readonly name: string; readonly input: string }) => Promise<Omit<ScriptAnswer, 'id'>>,
  clock: Pick<HostClock, 'after'>,
  signal: AbortSignal,
): Promise<ScriptEnd> {
  if (signal.aborted) throw aborted();
  const worker = new Worker(workerFile(), {
    workerData: work,
    resourceLimits: THREAD_LIMITS,
    // Nothing of the session is for it.
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
  });
  let cancelWatch: () => void = () => undefined;
  let onAbort: () => void = () => undefined;
  let sent = 0;
  try {
    return await new Promise<ScriptEnd>((resolve, reject) => {
      const stopped = (kind: 'time' | 'memory' | 'crashed', message: string) =>
        resolve({ printed: '', dropped: 0, value: null, error: { kind, message }, runMs: work.limits.runMs });
      const watch = (ms: number): void => {
        cancelWatch();
        cancelWatch = clock.after(ms, () => stopped('time', `It ran for more than ${work.limits.runMs / 1_000} s.`));
      };
      onAbort = () => reject(aborted());
      signal.addEventListener('abort', onAbort, { once: true });
      watch(START_MS);
      worker.on('message', (message: FromScript) => {
        switch (message.type) {
          case 'begins':
            watch(work.limits.runMs + GRACE_MS);
            return;
          case 'call':
            void answer(message).then((given) => {
              sent += 1;
              watch(work.limits.runMs + GRACE_MS);
              worker.postMessage({ ...given, id: message.id } satisfies ScriptAnswer);
            });
            return;
          case 'waits':
            // Unless an answer is on its way to it.
            if (message.answered === sent) cancelWatch();
            return;
          case 'end':
            resolve(message);
            return;
          default:
            message satisfies never;
        }
      });
      worker.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') stopped('memory', 'It took more memory than there is for it.');
        else stopped('crashed', `The machine that runs scripts failed: ${error.message}`);
      });
      worker.once('exit', () => stopped('crashed', 'The thread of the script ended.'));
    });
  } finally {
    cancelWatch();
    signal.removeEventListener('abort', onAbort);
    await worker.terminate();
  }
}

function aborted(): AbortError {
  return new AbortError('The script was stopped.');
}

/** Named in `imports` of package.json, so that it is found from the source and from the build. */
function workerFile(): string {
  try {
    return createRequire(import.meta.url).resolve('#script-worker');
  } catch (cause) {
    throw new ConfigError(
      'Scripts cannot run: the file of the package that does it is not there. Keep the package turnwright out of your bundle.',
      { cause },
    );
  }
}
