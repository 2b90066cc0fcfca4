// The files that `@` completes: listed by ripgrep in a process of its own, kept for some seconds. One rule: what git does not
// ignore comes first, what it ignores last, `.git` never.
import { spawn } from 'node:child_process';
import { type ListedFile, withFolders } from '../../util/rank-files.js';
import { DOORS } from '../doors.js';

export interface FileList {
  /** As of now or some seconds ago. Contract: never rejects; empty if they cannot be listed. */
  read(): Promise<readonly ListedFile[]>;
  /** Ends what still lists. */
  dispose(): void;
}

/** Ignored files are many and rarely meant; so are the files of a home folder. */
const MOST = 100_000;
/** A list that is older is made anew, while the old one serves, milliseconds. */
const FRESH_MS = 3_000;
const COMMON = ['--files', '--hidden', '--null', '--no-messages', '--no-config', '--glob', '!.git'];

export interface FileListParts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
}

export function createFileList({ cwd, env, now }: FileListParts): FileList {
  const abort = new AbortController();
  let listed: readonly ListedFile[] | null = null;
  let listedAt = Number.NEGATIVE_INFINITY;
  let listing: Promise<readonly ListedFile[]> | null = null;
  const list = async (): Promise<readonly ListedFile[]> => {
    const program = (await bundledRipgrep()) ?? 'rg';
    const run = (args: readonly string[]) => namesOf(program, [...COMMON, ...args], cwd, env, abort.signal);
    const kept = await run([]);
    const first = withFolders(kept, false, new Set());
    // Those that are ignored may take longer; whoever waits has the others meanwhile.
    listed ??= first;
    void run(['--no-ignore']).then((all) => {
      const seen = new Set(kept);
      const known = new Set(first.map((file) => file.path));
      listed = [
        ...first,
        ...withFolders(
          all.filter((each) => !seen.has(each)),
          true,
          known,
        ),
      ];
    });
    return first;
  };
  return {
    async read() {
      if (listing === null && now() - listedAt > FRESH_MS) {
        listedAt = now();
        listing = list().finally(() => {
          listing = null;
        });
      }
      return listed ?? (await listing) ?? [];
    },
    dispose: () => abort.abort(),
  };
}

/** Null if none came with the package: then one of the PATH is tried. */
async function bundledRipgrep(): Promise<string | null> {
  try {
    return (await DOORS.ripgrep()).rgPath;
  } catch {
    return null; // no binary for this platform
  }
}

/** Names that ripgrep prints. What went wrong leaves what came before. */
function namesOf(
  program: string,
  args: readonly string[],
  cwd: string,
  env: FileListParts['env'],
  signal: AbortSignal,
): Promise<string[]> {
  return new Promise((resolve) => {
    const names: string[] = [];
    const decoder = new TextDecoder();
    let rest = '';
    const child = spawn(program, args, { cwd, env, signal, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.on('data', (bytes: Uint8Array) => {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split('\0');
      rest = parts.pop() ?? '';
      for (const name of parts) if (canBeWritten(name)) names.push(name.startsWith('./') ? name.slice(2) : name);
      if (names.length >= MOST) child.kill();
    });
    child.once('error', () => resolve(names));
    child.once('close', () => resolve(names));
  });
}

/** What has no place in a mention is left out. */
function canBeWritten(name: string): boolean {
  return !/[\p{Cc}"\ufffd]/u.test(name);
}
