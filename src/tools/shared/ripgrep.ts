// Runs ripgrep and hands its output over record by record. Rule: memory is bounded whatever it prints, and no chunk
// of output holds up the event loop.
import path from 'node:path';
import { isFileError, type RunOutcome } from '../../host/host.js';
import { AbortError, ToolError } from '../../protocol/errors.js';
import { linkAbort } from '../../util/abort.js';
import { createHeadTailBuffer } from '../../util/head-tail-buffer.js';
import { searchOutside } from '../../util/posix-path.js';
import { loadRipgrep } from '../bodies.js';
import type { ToolContext } from '../tool.js';

/** A longer record is cut to this; ripgrep itself cuts long lines much earlier if it is told to. */
const MAX_RECORD_BYTES = 16 * 1024;
const MAX_ERROR_BYTES = 4_000;
/** After so many records other work of the process has its turn: a pipe can hand over a megabyte in one go. */
const RECORDS_AT_ONCE = 1_000;

export interface RipgrepSearch {
  /** Without the program; `--no-config` is added. */
  readonly arguments: readonly string[];
  readonly cwd: string;
  /** The byte that ends a record. */
  readonly separator: 'newline' | 'nul';
  readonly deadlineMs: number;
  /**
   * Is shown the bytes of a record first, from `start` up to `end`: true leaves it at that. Of many thousand records,
   * making texts is most of the work.
   */
  readonly passOver?: (bytes: Uint8Array, start: number, end: number) => boolean;
  /** Takes one record, as text, without its separator. Returns false to end the search. */
  readonly onRecord: (record: string) => boolean;
}

export interface RipgrepOutcome {
  readonly ended: 'finished' | 'stopped' | 'deadline';
  /** 0 found something, 1 found nothing, 2 an error; null if it did not end by itself. */
  readonly exitCode: number | null;
  /** What it wrote to stderr, cut to 4,000 bytes. */
  readonly errorText: string;
}

/**
 * Runs one search to its end, its deadline, or until `onRecord` returns false.
 * @throws ToolError if ripgrep is missing or cannot start, and if the call was interrupted
 */
export async function runRipgrep(search: RipgrepSearch, context: ToolContext): Promise<RipgrepOutcome> {
  const program = await findRipgrep(context);
  const { controller, release } = linkAbort(context.signal);
  const errors = createHeadTailBuffer(MAX_ERROR_BYTES);
  let stopped = false;
  let inARow = 0;
  const splitter = createRecordSplitter(search, (record) => {
    inARow += 1;
    if (stopped || search.onRecord(record)) return;
    stopped = true;
    controller.abort(new AbortError('The search has found enough.'));
  });
  try {
    const outcome = await context.host.exec.run({
      command: [program, '--no-config', ...search.arguments],
      cwd: search.cwd,
      env: context.childEnv,
      signal: controller.signal,
      timeoutMs: search.deadlineMs,
      leavesNothing: true,
      onStdout: splitter.take,
      onStderr: errors.append,
      pause: () => {
        if (inARow < RECORDS_AT_ONCE) return null;
        inARow = 0;
        return new Promise((resolve) => setImmediate(resolve));
      },
    });
    if (context.signal.aborted) throw new ToolError('The search was interrupted. Nothing was changed.');
    if (outcome.ended === 'exited') splitter.end();
    return describeOutcome(outcome, stopped, errors.render().text.trim());
  } catch (error) {
    if (isFileError(error)) throw new ToolError(`The search could not be started. ${error.message}`);
    throw error;
  } finally {
    release();
  }
}

function describeOutcome(outcome: RunOutcome, stopped: boolean, errorText: string): RipgrepOutcome {
  const ended = stopped ? 'stopped' : outcome.ended === 'timed_out' ? 'deadline' : 'finished';
  return { ended, exitCode: outcome.exitCode, errorText };
}

/** The ripgrep that came with the package, else one on the PATH. */
async function findRipgrep(context: ToolContext): Promise<string> {
  const bundled = await bundledRipgrep();
  if (bundled !== null && (await exists(bundled, context))) return bundled;
  const search = searchOutside(context.childEnv['PATH'] ?? '', context.folder ?? context.cwd);
  for (const folder of search.split(path.delimiter)) {
    const candidate = path.join(folder, 'rg');
    if (folder !== '' && (await exists(candidate, context))) return candidate;
  }
  throw new ToolError(
    'ripgrep was not found, so this search cannot run. Install it (`rg` on the PATH), or reinstall this package with its optional dependencies.',
  );
}

/** The ripgrep that came with the package; null if none was installed for this platform. */
export async function bundledRipgrep(): Promise<string | null> {
  try {
    return (await loadRipgrep()).rgPath;
  } catch {
    return null; // whoever searches tries the PATH next
  }
}

async function exists(file: string, context: ToolContext): Promise<boolean> {
  try {
    return (await context.host.fs.stat(file)).kind === 'file';
  } catch {
    // Missing or unreadable: not a program to use.
    return false;
  }
}

/** Splits bytes into records. Only an unfinished record is kept between chunks, and no more of it than the cap. */
function createRecordSplitter(
  search: Pick<RipgrepSearch, 'separator' | 'passOver'>,
  onRecord: (record: string) => void,
) {
  const separator = search.separator === 'nul' ? 0 : 10;
  const { passOver } = search;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const separatorText = String.fromCharCode(separator);
  let rest: Uint8Array[] = [];
  let restLength = 0;
  const keep = (bytes: Uint8Array): void => {
    const part = bytes.slice(0, Math.max(0, MAX_RECORD_BYTES - restLength));
    if (part.length > 0) rest.push(part);
    restLength += part.length;
  };
  const takeRest = (): string => {
    const text = decoder.decode(Buffer.concat(rest));
    rest = [];
    restLength = 0;
    return text;
  };
  const takeOneByOne = (chunk: Uint8Array, last: number, isPassed: NonNullable<typeof passOver>): void => {
    let start = 0;
    for (let at = 0; at <= last; at += 1) {
      if (chunk[at] !== separator) continue;
      if (!isPassed(chunk, start, at)) onRecord(decoder.decode(chunk.subarray(start, at)));
      start = at + 1;
    }
  };
  return {
    take(chunk: Uint8Array): void {
      const first = chunk.indexOf(separator);
      if (first < 0) {
        keep(chunk);
        return;
      }
      keep(chunk.subarray(0, first));
      onRecord(takeRest());
      const last = chunk.lastIndexOf(separator);
      if (passOver !== undefined) takeOneByOne(chunk.subarray(first + 1), last - first - 1, passOver);
      else if (last > first) {
        const records = decoder.decode(chunk.subarray(first + 1, last)).split(separatorText);
        for (const record of records) onRecord(record);
      }
      keep(chunk.subarray(last + 1));
    },
    end(): void {
      if (restLength > 0) onRecord(takeRest());
    },
  };
}

// Limits of the search tools that they tell the model and keep.

/** Paths that Glob shows. */

export const MAX_FILES_SHOWN = 100;

/** Files up to this many are ordered by modification time; more would cost too many looks at the disk. */
export const MAX_SORTED_BY_TIME = 1_000;

/** Lines or files that Grep shows if the call does not say. */
export const DEFAULT_HEAD_LIMIT = 250;
