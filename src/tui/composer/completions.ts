// What `/` and `@` propose while a prompt is written, and the files that `@` completes: listed by ripgrep in a process of its
// own, kept for some seconds. What git does not ignore comes first, what it ignores last, `.git` never.

import { spawn } from 'node:child_process';
import { searchOutside } from '../../util/posix-path.js';
import { holdsInOrder, type ListedFile, rankFiles, withFolders } from '../../util/rank-files.js';
import { escapeHidden } from '../../view/escape-text.js';
import { displayWidth, fitToWidth } from '../../view/width.js';
import { DOORS } from '../doors.js';

export interface Completion {
  /** What takes the place of the word. */
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  readonly aliases?: readonly string[];
}

/** As the editor of the library asks for them. Lines and columns count from 0. */
interface Completions {
  getSuggestions(
    lines: string[],
    line: number,
    column: number,
    options: { signal: AbortSignal; force?: boolean },
  ): Promise<{ items: Completion[]; prefix: string } | null>;
  applyCompletion(
    lines: string[],
    line: number,
    column: number,
    item: Completion,
    prefix: string,
  ): { lines: string[]; cursorLine: number; cursorCol: number };
  shouldTriggerFileCompletion(lines: string[], line: number, column: number): boolean;
}

/** Proposals of one word. */
const MOST = 40;

interface CompletionParts {
  readonly commands: () => readonly CompletedCommand[];
  readonly files: FileList;
  /** Of the window, asked for with each proposal. */
  readonly columns: () => number;
}

export function createCompletions({ commands, files, columns }: CompletionParts): Completions {
  return {
    async getSuggestions(lines, line, column, { signal }) {
      const before = (lines[line] ?? '').slice(0, column);
      const command = line === 0 ? /^\/(\S*)$/.exec(before) : null;
      if (command !== null) return orNull(matchingCommands(commands(), command[1] ?? '', columns()), before);
      const mention = mentionBefore(before);
      if (mention === null) return null;
      const found = rankFiles(await files.read(), mention.query, MOST);
      return signal.aborted ? null : orNull(found.map(toCompletion), mention.word);
    },
    applyCompletion(lines, line, column, item, prefix) {
      const text = lines[line] ?? '';
      const start = column - prefix.length;
      // A folder is gone on with, and so is a word that a blank follows already.
      const rest = text.slice(column);
      const gap = item.value.endsWith('/') || item.value.endsWith('/"') || rest.startsWith(' ') ? '' : ' ';
      const changed = [...lines];
      changed[line] = `${text.slice(0, start)}${item.value}${gap}${rest}`;
      // Within the quotes of a folder, so that it can be gone on with.
      const back = item.value.endsWith('/"') ? 1 : 0;
      return { lines: changed, cursorLine: line, cursorCol: start + item.value.length + gap.length - back };
    },
    shouldTriggerFileCompletion: (lines, line, column) => mentionBefore((lines[line] ?? '').slice(0, column)) !== null,
  };
}

function orNull(items: Completion[], prefix: string): { items: Completion[]; prefix: string } | null {
  return items.length === 0 ? null : { items, prefix };
}

/** The `@` word that ends here, as the engine reads them: behind a blank, with or without quotes. */
export function mentionBefore(before: string): { readonly word: string; readonly query: string } | null {
  const quoted = /(?:^|\s)(@"([^"]*))$/.exec(before);
  if (quoted !== null) return { word: quoted[1] ?? '', query: quoted[2] ?? '' };
  const plain = /(?:^|\s)(@([^\s"]*))$/.exec(before);
  return plain === null ? null : { word: plain[1] ?? '', query: plain[2] ?? '' };
}

function toCompletion({ path, isIgnored }: ListedFile): Completion {
  const value = /\s/.test(path) ? `@"${path}"` : `@${path}`;
  return { value, label: escapeHidden(path), ...(isIgnored ? { description: 'ignored by git' } : {}) };
}

/** Commands whose name or alias begins so, then those that hold the letters in their order. */
export function matchingCommands(
  commands: readonly CompletedCommand[],
  query: string,
  columns = Number.POSITIVE_INFINITY,
): Completion[] {
  const wanted = query.toLowerCase();
  const ranked = commands.flatMap((command) => {
    const ranks = [command.name, ...(command.aliases ?? [])].map((name) => commandRank(name.toLowerCase(), wanted));
    const rank = Math.min(...ranks);
    return rank === NO_MATCH ? [] : [{ command, rank }];
  });
  ranked.sort((a, b) => a.rank - b.rank || (a.command.name < b.command.name ? -1 : 1));
  const shown = ranked.slice(0, MOST);
  const widest = Math.max(...shown.map(({ command: { name } }) => displayWidth(escapeHidden(name))));
  const room = columns - BESIDE - Math.min(MOST_OF_NAME, Math.max(LEAST_OF_NAME, widest + 2));
  return shown.map(({ command: { name, description, argumentHint = '' } }) => {
    const says = escapeHidden(description).replaceAll('\n', ' ');
    const hint = escapeHidden(argumentHint);
    // The library draws no descriptions in narrow windows; in others the names stand in a column of their own.
    if (hint === '' || columns <= WITHOUT_DESCRIPTIONS)
      return {
        value: `/${name}`,
        label: escapeHidden(`${name} ${hint}`.trimEnd()),
        description: fitToWidth(says, room),
      };
    return { value: `/${name}`, label: escapeHidden(name), description: fitToWidth(`${hint}  ${says}`, room) };
  });
}

/** Columns of a window in which the library draws names alone. */
const WITHOUT_DESCRIPTIONS = 44;

/** What the library gives to names, and keeps free beside them and their descriptions, columns. */
const [LEAST_OF_NAME, MOST_OF_NAME, BESIDE] = [12, 32, 8];

const NO_MATCH = 99;

function commandRank(name: string, query: string): number {
  if (name === query) return 0;
  if (name.startsWith(query)) return 1;
  if (name.split(/[:_-]/).some((part) => part.startsWith(query))) return 2;
  if (name.includes(query)) return 3;
  return holdsInOrder(name, query) ? 4 : NO_MATCH;
}

interface FileList {
  /** As of now or some seconds ago. Contract: never rejects; empty if they cannot be listed. */
  read(): Promise<readonly ListedFile[]>;
  /** Ends what still lists. */
  dispose(): void;
}

/** Ignored files are many and rarely meant; so are the files of a home folder. */
const MOST_FILES = 100_000;
/** A list that is older is made anew, while the old one serves, milliseconds. */
const FRESH_MS = 3_000;
const COMMON = ['--files', '--hidden', '--null', '--no-messages', '--no-config', '--glob', '!.git'];

interface FileListParts {
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
    const outside = { ...env, PATH: searchOutside(env['PATH'] ?? '', cwd) };
    const run = (args: readonly string[]) => namesOf(program, [...COMMON, ...args], cwd, outside, abort.signal);
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

/** Null if none came with the package: then one of the PATH is tried, outside of the workspace. */
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
      if (names.length >= MOST_FILES) child.kill();
    });
    child.once('error', () => resolve(names));
    child.once('close', () => resolve(names));
  });
}

/** What has no place in a mention is left out. */
function canBeWritten(name: string): boolean {
  return !/[\p{Cc}"\ufffd]/u.test(name);
}
