// The private folder of a session's sandbox: temporary files of its commands, what mounts stand on, and the filter of the system
// calls that no program in it may make, a classic BPF program for bubblewrap's `--seccomp`. Rule: an architecture that is not known
// is killed, since its numbers mean something else.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';
import type { SandboxViolation } from './command-sandbox.js';
import type { SandboxFolder } from './linux.js';
import type { SandboxPolicy } from './policy.js';

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_OR_EQUAL = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;

/** Offsets in `struct seccomp_data`; the low half of an argument, on machines that store it first. */
const AT_NUMBER = 0;
const AT_ARCHITECTURE = 4;
const AT_FIRST_ARGUMENT = 16;
const AT_SECOND_ARGUMENT = 24;
const AT_THIRD_ARGUMENT = 32;
const AT_FOURTH_ARGUMENT = 40;

/** Whoever runs a file with this bit has the rights of its owner, outside of the sandbox too. */
const SET_USER_ID = 0o4000;
/** O_CREAT, and the bit of O_TMPFILE. */
const MAKES_FILE = 0x400040;

/** Calls of the 32-bit numbering on x86-64 have this bit. */
const X32_BIT = 0x40000000;
/** Every flag of clone that makes a new namespace. */
const NAMESPACE_FLAGS = 0x7e020000;
const TERMINAL_INPUT = [0x5412, 0x541c];

const AF_UNIX = 1;
/** Internet, and what tells programs which interfaces there are. All others reach past a network namespace or the kernel. */
const FAMILIES = [2, 10, 16];

interface Architecture {
  readonly audit: number;
  readonly hasX32: boolean;
  readonly socket: number;
  readonly ioctl: number;
  readonly clone: number;
  /** Calls that give a file its mode, and which argument that is. With `flags`, the mode counts if they make a file. */
  readonly modes: readonly { readonly number: number; readonly mode: number; readonly flags?: number }[];
  /** Refused: mounts, namespaces, keys, tracing of processes and of the kernel, modules, clocks, handles that pass folders by. */
  readonly refused: readonly number[];
}

const CLONE3 = 435;
const IO_URING = [425, 426, 427];
const NEW_MOUNT_CALLS = [428, 429, 430, 431, 432, 433, 442];
const PIDFD_GETFD = 438;
const FCHMODAT2 = 452;
/** Has the mode in memory, which no filter can look at. Programs go on with `openat`. */
const OPENAT2 = 437;

const X64: Architecture = {
  audit: 0xc000003e,
  hasX32: true,
  socket: 41,
  ioctl: 16,
  clone: 56,
  // chmod, fchmod, creat, mknod; fchmodat, mknodat, fchmodat2
  modes: [
    ...[90, 91, 85, 133].map((number) => ({ number, mode: AT_SECOND_ARGUMENT })),
    ...[268, 259, FCHMODAT2].map((number) => ({ number, mode: AT_THIRD_ARGUMENT })),
    // open, openat
    { number: 2, mode: AT_THIRD_ARGUMENT, flags: AT_SECOND_ARGUMENT },
    { number: 257, mode: AT_FOURTH_ARGUMENT, flags: AT_THIRD_ARGUMENT },
  ],
  refused: [
    ...NEW_MOUNT_CALLS,
    ...[165, 166, 155, 161, 272, 308],
    ...[248, 249, 250],
    ...[321, 298, 323, 300, 103],
    ...[246, 320, 175, 313, 176, 169, 167, 168, 163, 179],
    ...[164, 227, 172, 173, 304],
    // What traces another process, reads its memory or takes its descriptors: ptrace, process_vm_*, kcmp.
    ...[101, 310, 311, 312, PIDFD_GETFD],
  ],
};

const ARM64: Architecture = {
  audit: 0xc00000b7,
  hasX32: false,
  socket: 198,
  ioctl: 29,
  clone: 220,
  // fchmod; fchmodat, mknodat, fchmodat2
  modes: [
    { number: 52, mode: AT_SECOND_ARGUMENT },
    ...[53, 33, FCHMODAT2].map((number) => ({ number, mode: AT_THIRD_ARGUMENT })),
    // openat
    { number: 56, mode: AT_FOURTH_ARGUMENT, flags: AT_THIRD_ARGUMENT },
  ],
  refused: [
    ...NEW_MOUNT_CALLS,
    ...[40, 39, 41, 51, 97, 268],
    ...[217, 218, 219],
    ...[280, 241, 282, 262, 116],
    ...[104, 294, 105, 273, 106, 142, 224, 225, 89, 60],
    ...[170, 112, 265],
    ...[117, 270, 271, 272, PIDFD_GETFD],
  ],
};

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** The filter's bytes: eight an instruction. @param allowsUnix sockets of the machine may be opened */
export function seccompFilter(allowsUnix: boolean): Uint8Array {
  const families = allowsUnix ? [AF_UNIX, ...FAMILIES] : FAMILIES;
  const program = [load(AT_ARCHITECTURE), ...[X64, ARM64].flatMap((architecture) => partOf(architecture, families))];
  return toBytes([...program, give(KILL_PROCESS)]);
}

/** Tests for one architecture; goes on behind them for another. */
function partOf(architecture: Architecture, families: readonly number[]): Instruction[] {
  const { refused, ioctl, clone, socket, modes } = architecture;
  const body = [
    load(AT_NUMBER),
    ...(architecture.hasX32 ? [skipUnless(JUMP_GREATER_OR_EQUAL, X32_BIT), give(ENOSYS)] : []),
    ...refused.flatMap((number) => when(number, EPERM)),
    // Programs know what to do without these; an error of another kind would stop them.
    ...[CLONE3, OPENAT2, ...IO_URING].flatMap((number) => when(number, ENOSYS)),
    ...onCall(clone, [load(AT_FIRST_ARGUMENT), skipUnless(JUMP_ANY_BIT, NAMESPACE_FLAGS), give(EPERM), give(ALLOW)]),
    ...onCall(ioctl, [
      load(AT_SECOND_ARGUMENT),
      ...TERMINAL_INPUT.flatMap((request) => when(request, EPERM)),
      give(ALLOW),
    ]),
    ...modes.flatMap(({ number, mode, flags }) =>
      onCall(number, [
        ...(flags === undefined ? [] : [load(flags), skipUnless(JUMP_ANY_BIT, MAKES_FILE, 3)]),
        load(mode),
        skipUnless(JUMP_ANY_BIT, SET_USER_ID),
        give(EPERM),
        give(ALLOW),
      ]),
    ),
    ...onCall(socket, [load(AT_FIRST_ARGUMENT), ...families.flatMap((family) => when(family, ALLOW)), give(EPERM)]),
    give(ALLOW),
  ];
  return onCall(architecture.audit, body);
}

function load(offset: number): Instruction {
  return [LOAD_WORD, 0, 0, offset];
}

function give(result: number): Instruction {
  return [RETURN, 0, 0, result];
}

function skipUnless(test: number, value: number, skipped = 1): Instruction {
  return [test, 0, skipped, value];
}

function when(value: number, result: number): Instruction[] {
  return [skipUnless(JUMP_EQUAL, value), give(result)];
}

/** `body`, if the loaded word is `value`. */
function onCall(value: number, body: readonly Instruction[]): Instruction[] {
  if (body.length > 255) throw new RangeError('A jump of the filter is longer than its field.');
  return [skipUnless(JUMP_EQUAL, value, body.length), ...body];
}

/** `struct sock_filter`, little-endian as both architectures are. */
function toBytes(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.setUint16(at * 8, code, true);
    bytes.setUint8(at * 8 + 2, ifTrue);
    bytes.setUint8(at * 8 + 3, ifFalse);
    bytes.setUint32(at * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}

export interface OpenedFolder extends SandboxFolder {
  /** The filter of system calls. */
  readonly filter: string;
  /** Contract: never throws. */
  remove(): Promise<void>;
}

/** What a private folder is called. */
export const folderName = /^turnwright-sandbox-[0-9a-f-]{36}$/;

const REMOVAL_MS = 10_000;

/** @throws FileError if there is no place for it */
export async function openSandboxFolder(host: Host, allowsUnix: boolean): Promise<OpenedFolder> {
  const { fs } = host;
  const base = path.join(await fs.realpath(host.platform.tmpdir), `turnwright-sandbox-${host.ids.uuid()}`);
  const at = (name: string) => path.join(base, name);
  const folder = { path: base, tmp: at('tmp'), noFile: at('no-file'), noFolder: at('no-folder'), filter: at('filter') };
  await fs.mkdir(base, { mode: 0o700 });
  await fs.mkdir(folder.tmp, { mode: 0o700 });
  await fs.mkdir(folder.noFolder, { mode: 0o700 });
  await fs.chmod(folder.noFolder, 0);
  await fs.createFile(folder.noFile, '', { mode: 0o600, durable: false });
  await fs.chmod(folder.noFile, 0);
  await fs.createFile(folder.filter, seccompFilter(allowsUnix), { mode: 0o600, durable: false });
  return { ...folder, remove: () => removeFolder(host, base) };
}

async function removeFolder(host: Host, folder: string): Promise<void> {
  try {
    await host.fs.remove(folder);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return;
    // A command may leave folders that nobody may enter, which only their owner can open again.
    await host.exec
      .run({
        command: ['/bin/sh', '-c', 'chmod -R u+rwX -- "$0"; exec rm -rf -- "$0"', folder],
        cwd: '/',
        env: { PATH: '/usr/bin:/bin' },
        signal: new AbortController().signal,
        timeoutMs: REMOVAL_MS,
        onStdout: () => undefined,
        onStderr: () => undefined,
      })
      .catch(() => undefined); // temporary files that stay are the system's to clear
  }
}

// What the sandbox of a session is opened with, on every machine.

/** Contract: neither throws for what stands on the disk. */
export interface GitFacts {
  /** Further paths that no command may change or make, absolute. */
  guardedPaths(): Promise<readonly string[]>;
  /** What git would start of repositories that the workspace records, for people; null if it is nothing. */
  foreignPrograms(): Promise<string | null>;
}

export interface SandboxOptions {
  readonly policy: SandboxPolicy;
  /** Workspace folders as they are now, asked before each command. Default: those of the policy. */
  roots?(): readonly string[];
  readonly host: Host;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The engine's own folder, which no command may change. */
  readonly engineFolder: string;
  /** What git's configuration says as it stands, asked before and after each command. Default: nothing is asked. */
  gitFacts?(): Promise<GitFacts>;
  /**
   * Names of files and folders of a writable folder, in lower case, that no command may change or make, as the file tools
   * have them: what was missing and is there afterwards is moved aside. Default: none beside our own.
   */
  readonly protectedNames?: readonly string[];
  /** Told of each refusal that is not ignored. Contract: must not throw. */
  readonly onViolation: (violation: SandboxViolation) => void;
}
