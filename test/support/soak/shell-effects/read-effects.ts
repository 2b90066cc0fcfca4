// What a traced line did to the files of the fixture. One rule: each path is the real one, of the moment of the call.
import path from 'node:path';
import type { Fixture } from './fixture.js';
import { createLinkModel, type LinkModel } from './link-model.js';
import { descriptorPath, readCalls, type TraceCall, textOf } from './trace-calls.js';

/**
 * `list`: the names in a folder were read. `write`: also made, and changed in its mode, owner, times or attributes. `connect`:
 * something was sent to an address, which is the path then.
 */
export type EffectKind = 'read' | 'list' | 'write' | 'remove' | 'run' | 'connect';

export interface Effect {
  readonly kind: EffectKind;
  /** Absolute, without links; of what is removed or replaced, the name itself. */
  readonly path: string;
  readonly by: Image;
}

/** A program that runs in a process. */
export interface Image {
  /** Base name; of a shell before it starts a program, that of the shell. */
  readonly program: string;
  /** As the trace shows them, the program first. */
  readonly words: string;
  /** Something ended it, so that what it would have removed may be there still. */
  isKilled: boolean;
  /** The program that started it, be it in another process or in this one. */
  readonly parent: Image | null;
}

interface Process {
  cwd: string;
  image: Image | null;
}

export interface TracedEffects {
  /** On the fixture. */
  readonly effects: readonly Effect[];
  /** Elsewhere: programs of the system that were started, files that were changed, and addresses. */
  readonly beyond: readonly Effect[];
}

/** Effects of the line whose trace this is, each once, in order. */
export function readEffects(lines: readonly string[], fixture: Fixture): TracedEffects {
  const effects = new Map<string, Effect>();
  const beyond = new Map<string, Effect>();
  const reader = createReader(fixture, (effect) => {
    const key = `${effect.kind} ${effect.path} ${effect.by.program}`;
    const isOurs = effect.path === fixture.root || effect.path.startsWith(`${fixture.root}/`);
    const kept = isOurs ? effects : beyond;
    if (isOurs || BEYOND.has(effect.kind)) if (!kept.has(key)) kept.set(key, effect);
  });
  const driver = Number.parseInt(lines[0] ?? '', 10);
  reader.processes.set(driver, { cwd: '/', image: null });
  // A process may be seen before the call that made it has ended.
  const early = new Map<number, TraceCall[]>();
  const take = (call: TraceCall): void => {
    const process = reader.processes.get(call.pid);
    if (process === undefined) {
      early.set(call.pid, [...(early.get(call.pid) ?? []), call]);
      return;
    }
    const child = reader.take(process, call);
    if (child === null) return;
    const waiting = early.get(child) ?? [];
    early.delete(child);
    for (const each of waiting) take(each);
  };
  for (const call of readCalls(lines)) take(call);
  for (const line of lines) {
    const [, pid] = /^(\d+)\s+\+\+\+ killed by/.exec(line) ?? [];
    const image = pid === undefined ? undefined : reader.processes.get(Number(pid))?.image;
    if (image) image.isKilled = true;
  }
  return { effects: [...effects.values()], beyond: [...beyond.values()] };
}

/** What counts of what is done elsewhere. */
const BEYOND: ReadonlySet<EffectKind> = new Set(['write', 'remove', 'run', 'connect']);

interface Reader {
  readonly processes: Map<number, Process>;
  /** Returns the number of the process that the call made, or null. */
  take(process: Process, call: TraceCall): number | null;
}

function createReader(fixture: Fixture, tell: (effect: Effect) => void): Reader {
  const processes = new Map<number, Process>();
  const links = createLinkModel(fixture.links);
  const folders = new Set([...fixture.kinds].flatMap(([at, kind]) => (kind === 'folder' ? [at] : [])));
  for (const top of [fixture.root, fixture.workspace, fixture.home, fixture.outside]) folders.add(top);
  const note = (process: Process, kind: EffectKind, target: string): void => {
    if (process.image !== null) tell({ kind, path: target, by: process.image });
  };
  const context = { links, folders, note };
  return {
    processes,
    take(process, call) {
      const { name, args, result } = call;
      if (/^(?:clone3?|v?fork)$/.test(name)) {
        const child = Number.parseInt(result, 10);
        // Threads share the folder.
        const isThread = args.join().includes('CLONE_FS');
        processes.set(child, isThread ? process : { ...process });
        return child;
      }
      if (name === 'chdir') process.cwd = links.resolve(absolute(process.cwd, textOf(args[0])), true);
      else if (name === 'fchdir') process.cwd = descriptorPath(args[0]) ?? process.cwd;
      else if (name === 'execve' || name === 'execveat') readRun(context, process, call);
      else readFileCall(context, process, call);
      return null;
    },
  };
}

interface Context {
  readonly links: LinkModel;
  readonly folders: Set<string>;
  note(process: Process, kind: EffectKind, target: string): void;
}

function absolute(base: string, target: string | null): string {
  return path.isAbsolute(target ?? '') ? (target ?? '') : `${base}/${target ?? ''}`;
}

function readRun({ links, note }: Context, process: Process, { name, args }: TraceCall): void {
  const words = name === 'execve' ? args : [absolute(descriptorPath(args[0]) ?? process.cwd, textOf(args[1])), ...args];
  const target = name === 'execve' ? absolute(process.cwd, textOf(words[0])) : (words[0] ?? '');
  note(process, 'run', links.resolve(target, true));
  process.image = { program: path.basename(target), words: words[1] ?? '', isKilled: false, parent: process.image };
}

/** Two names, the first of a descriptor and a path in it: `at` is the place of the descriptor. */
function named({ links }: Context, process: Process, args: readonly string[], at: number, follow: boolean): string {
  const base = descriptorPath(args[at]) ?? process.cwd;
  return links.resolve(absolute(base, textOf(args[at + 1])), follow);
}

type FileCall = (context: Context, process: Process, call: TraceCall) => void;

const open: FileCall = ({ folders, note }, process, { args, name, result }) => {
  const target = descriptorPath(result);
  const flags =
    name === 'creat' ? 'O_WRONLY|O_CREAT' : (args.find((arg) => /O_(?:RDONLY|WRONLY|RDWR)/.test(arg)) ?? '');
  if (target === null || flags.includes('O_PATH')) return;
  if (/O_(?:WRONLY|RDWR|CREAT|TRUNC)/.test(flags) && !folders.has(target)) note(process, 'write', target);
  if (/O_(?:RDONLY|RDWR)/.test(flags) && !/O_DIRECTORY|O_CREAT\|O_EXCL|O_TMPFILE/.test(flags) && !folders.has(target))
    note(process, 'read', target);
};

const changes =
  (at: number | null): FileCall =>
  (context, process, call) => {
    const follow = !/^l|NOFOLLOW/.test(`${call.name}${call.args.join()}`) && !call.name.startsWith('mk');
    const target =
      at === null
        ? context.links.resolve(absolute(process.cwd, textOf(call.args[0])), follow)
        : textOf(call.args[at + 1]) === null || call.name.endsWith('xattr')
          ? descriptorPath(call.args[at])
          : named(context, process, call.args, at, follow);
    if (target === null) return;
    context.note(process, 'write', target);
    if (call.name.startsWith('mkdir')) context.folders.add(target);
  };

/** A name of its own that only `note` is told: links are not followed. */
function plainName(context: Context, process: Process, args: readonly string[], at: number | null, place = 0): string {
  return at === null
    ? context.links.resolve(absolute(process.cwd, textOf(args[place])), false)
    : named(context, process, args, at, false);
}

const removes =
  (at: number | null): FileCall =>
  (context, process, { args }) => {
    const target = plainName(context, process, args, at);
    context.note(process, 'remove', target);
    context.links.remove(target);
    context.folders.delete(target);
  };

const renames =
  (isAt: boolean): FileCall =>
  (context, process, { args }) => {
    const from = plainName(context, process, args, isAt ? 0 : null);
    const to = plainName(context, process, args, isAt ? 2 : null, 1);
    context.note(process, 'remove', from);
    context.note(process, 'write', to);
    if (args.join().includes('RENAME_EXCHANGE')) context.note(process, 'write', from);
    context.links.remove(to);
    context.links.move(from, to);
    for (const folder of [...context.folders]) {
      if (folder !== from && !folder.startsWith(`${from}/`)) continue;
      context.folders.delete(folder);
      context.folders.add(to + folder.slice(from.length));
    }
  };

const links =
  (isAt: boolean): FileCall =>
  (context, process, { args }) => {
    const written = plainName(context, process, args, isAt ? 0 : null);
    const from = args.join().includes('AT_SYMLINK_FOLLOW') ? context.links.resolve(written, true) : written;
    // What is written to the new name is written to the file, so that it may change from now on.
    context.note(process, 'write', from);
    context.note(process, 'write', plainName(context, process, args, isAt ? 2 : null, 1));
  };

const symlinks =
  (isAt: boolean): FileCall =>
  (context, process, { args }) => {
    const at = plainName(context, process, args, isAt ? 1 : null, 1);
    context.note(process, 'write', at);
    context.links.make(at, textOf(args[0]) ?? '');
  };

const lists: FileCall = ({ note }, process, { args }) => {
  const target = descriptorPath(args[0]);
  if (target !== null) note(process, 'list', target);
};

/** Attributes and versions of a file, as `chattr` sets them. */
const controls: FileCall = ({ note }, process, { args }) => {
  const target = /^FS_IOC_(?:FS)?SET/.test(args[1] ?? '') ? descriptorPath(args[0]) : null;
  if (target !== null) note(process, 'write', target);
};

/** Names of machines, and what stands behind them; not what is of this machine only. */
const connects: FileCall = ({ note }, process, { args }) => {
  const address = args.find((arg) => /sa_family=AF_INET6?\b/.test(arg));
  if (address !== undefined) note(process, 'connect', address);
};

const CALLS: Readonly<Record<string, FileCall>> = {
  ...Object.fromEntries(['open', 'openat', 'openat2', 'creat'].map((name) => [name, open])),
  ...Object.fromEntries(
    'mkdir mknod chmod chown lchown utime utimes truncate setxattr lsetxattr removexattr lremovexattr'
      .split(' ')
      .map((name) => [name, changes(null)]),
  ),
  ...Object.fromEntries(
    'mkdirat mknodat fchmodat fchmod fchown fchownat utimensat futimesat'.split(' ').map((name) => [name, changes(0)]),
  ),
  fsetxattr: changes(0),
  ioctl: controls,
  fremovexattr: changes(0),
  unlink: removes(null),
  rmdir: removes(null),
  unlinkat: removes(0),
  rename: renames(false),
  renameat: renames(true),
  renameat2: renames(true),
  link: links(false),
  linkat: links(true),
  symlink: symlinks(false),
  symlinkat: symlinks(true),
  getdents64: lists,
  connect: connects,
  sendto: connects,
};

function readFileCall(context: Context, process: Process, call: TraceCall): void {
  CALLS[call.name]?.(context, process, call);
}
