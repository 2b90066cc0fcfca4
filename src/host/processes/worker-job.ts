// One piece of work in a thread of its own, with limits: what reads files of strangers may hang or eat memory there and
// nowhere else. One rule: when a job settles, its thread is gone.
import { Worker } from 'node:worker_threads';

export interface WorkerJob {
  /** Addresses of one module, the likeliest first: as it is installed, and as it stands in its repository. */
  readonly modules: readonly string[];
  /** What it exports: a function of one value. Its second argument takes what counts if it comes to no end. */
  readonly name: string;
  /** Copied to the thread. */
  readonly input: unknown;
  readonly timeoutMs: number;
  /** Of JavaScript objects; what lies outside of the heap is not counted. */
  readonly memoryMb: number;
  readonly signal: AbortSignal;
}

export type JobEnd =
  | { readonly kind: 'done'; readonly value: unknown }
  /** The function threw. */
  | { readonly kind: 'failed'; readonly name: string; readonly message: string; readonly told?: unknown }
  /** `told`: what it had told last. */
  | { readonly kind: 'timed_out' | 'out_of_memory'; readonly told?: unknown }
  | { readonly kind: 'aborted' | 'no_module' };

/** What the thread runs: it needs no file of its own, so a program that was put into one file has it too. */
const MAIN = `
const { parentPort, workerData: { modules, name, input } } = require('node:worker_threads');
async function load() {
  for (const module of modules) {
    try { return await import(module); } catch (error) { if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error; }
  }
  return null;
}
load().then(async (module) => module === null ? { kind: 'no_module' } : { kind: 'done', value: await module[name](input, (told) => parentPort.postMessage({ kind: 'told', told })) })
  .catch((error) => ({ kind: 'failed', name: String(error?.name), message: String(error?.message ?? error) }))
  .then((end) => parentPort.postMessage(end));
`;

/** Contract: never rejects. What the job writes to its console goes nowhere. */
export async function runWorkerJob({ signal, timeoutMs, memoryMb, ...work }: WorkerJob): Promise<JobEnd> {
  if (signal.aborted) return { kind: 'aborted' };
  const { modules, name, input } = work;
  const worker = new Worker(MAIN, {
    eval: true,
    workerData: { modules, name, input },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    stdout: true,
    stderr: true,
    // Nothing that this process was started with: a loader, or a debugger, is not for these modules.
    execArgv: [],
    env: {},
  });
  let onAbort = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<JobEnd>((resolve) => {
      let before: { told?: unknown } = {};
      worker.on('message', (said: JobEnd | { readonly kind: 'told'; readonly told: unknown }) => {
        if (said.kind === 'told') before = { told: said.told };
        else resolve(said.kind === 'failed' ? { ...said, ...before } : said);
      });
      worker.once('error', (error: Error & { code?: string }) =>
        resolve(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? { kind: 'out_of_memory', ...before }
            : { kind: 'failed', name: error.name, message: error.message, ...before },
        ),
      );
      worker.once('exit', () => resolve({ kind: 'failed', name: 'Error', message: 'it ended by itself', ...before }));
      onAbort = () => resolve({ kind: 'aborted' });
      signal.addEventListener('abort', onAbort, { once: true });
      timer = setTimeout(() => resolve({ kind: 'timed_out', ...before }), timeoutMs);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // Its output is read by nobody, and would hold it back.
    worker.stdout.resume();
    worker.stderr.resume();
    await worker.terminate();
  }
}
