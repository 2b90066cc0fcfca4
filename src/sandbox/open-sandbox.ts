// The sandbox of one session: looked for once, a private folder, and each command wrapped by the policy.
// Rule: if a command cannot be confined it does not run.

import path from 'node:path';
import { type HostFs, isFileError } from '../host/host.js';
import { isWithin } from '../host/is-inside.js';
import { ToolError } from '../protocol/errors.js';
import type {
  CommandPlace,
  CommandSandbox,
  SandboxStatus,
  SandboxViolation,
  WrappedCommand,
} from './command-sandbox.js';
import { type GuardedPaths, guardPaths, type RefusedPaths } from './guard-paths.js';
import {
  createStubRegistry,
  createStubs,
  openJournal,
  type SandboxJournal,
  type StubRegistry,
  type Stubs,
} from './journal.js';
import {
  bubblewrapCommand,
  expectedMounts,
  probeBubblewrap,
  readMountTable,
  type SandboxPrograms,
  VERIFY,
} from './linux.js';
import { type OpenedEgress, openEgress } from './open-egress.js';
import { openSeatbelt, probeSeatbelt } from './open-seatbelt.js';
import { hasProxy, type SandboxPolicy } from './policy.js';
import { findNested, GIT_REDIRECTIONS, NestedWatch, nestedNames } from './protected-paths.js';
import { type OpenedFolder, openSandboxFolder, type SandboxOptions } from './sandbox-folder.js';
import { findViolations, isIgnored } from './violations.js';

const TMP_FOLDERS = ['/tmp'];
/** Told of one command. */
const MAX_REFUSED = 8;
/** Variables that the loader or the shell act on before anything is confined, and that may name files of a workspace. */
const ACTS_OUTSIDE =
  /^(LD_.*|GCONV_PATH|GLIBC_TUNABLES|MALLOC_.*|BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|LOCPATH)$/;
/**
 * Runs the command and lets what it started write its last lines: all that is left when this ends is gone at once.
 * Builtins only, but for the wait.
 */
const RUNNER = `${VERIFY}"$@"; code=$?; tries=0
while set -- /proc/[0-9]*; [ $# -gt 2 ] && [ $tries -lt 6 ]; do tries=$((tries + 1)); sleep 0.02; done
exit $code`;

/** If there are no process numbers of its own, nothing can be waited for. */
const NESTED_RUNNER = `${VERIFY}exec "$@"`;
const MOUNT_TABLE = '/proc/self/mountinfo';

/** Contract: never throws; if nothing can be confined, the status says why and `wrap` refuses. */
export async function openSandbox(options: SandboxOptions): Promise<CommandSandbox> {
  const { host, policy } = options;
  let folder: OpenedFolder | null = null;
  try {
    folder = await openSandboxFolder(host, opensSockets(policy));
    if (host.platform.os === 'darwin') return await onMac(options, folder);
    const probe = await probeBubblewrap({
      host,
      path: options.env['PATH'] ?? '',
      roots: policy.roots,
      folder,
      filter: folder.filter,
      isNested: policy.isNested,
    });
    if ('programs' in probe) {
      const areas = await realAreas(options, [...policy.roots, ...policy.allowWrite]);
      const journal = await openJournal({ host, engineFolder: options.engineFolder, areas, folder: folder.path });
      return new BubblewrapSandbox(options, folder, probe.programs, journal);
    }
    await folder.remove();
    return refusing(probe.reason, policy);
  } catch (error) {
    await folder?.remove();
    if (!isFileError(error)) throw error;
    return refusing(`The sandbox has no place for its files. ${error.message}`, policy);
  }
}

/** What commands may write, without symbolic links, as far as it is there. */
async function realAreas({ host }: SandboxOptions, wanted: readonly string[]): Promise<string[]> {
  const areas: string[] = [];
  for (const area of wanted) {
    const real = await host.fs.realpath(area).catch((error: unknown) => {
      if (isFileError(error)) return area;
      throw error;
    });
    areas.push(real);
  }
  return areas;
}

/** Loaded if it is needed, which is on few machines. */
async function onMac(options: SandboxOptions, folder: OpenedFolder): Promise<CommandSandbox> {
  const fault = await probeSeatbelt(options.host, options.policy, folder);
  if (fault === null) return openSeatbelt(options, folder);
  await folder.remove();
  return refusing(fault, options.policy);
}

/** The filter knows no paths: with one socket allowed the call is, and what else can be seen is covered. */
function opensSockets({ network: { unixSockets } }: SandboxPolicy): boolean {
  return unixSockets === 'all' || unixSockets.length > 0;
}

function refusing(reason: string, { allowUnsandboxed }: SandboxPolicy): CommandSandbox {
  return {
    status: { available: false, mechanism: null, reason },
    allowsUnsandboxed: allowUnsandboxed,
    wrap: async () => {
      throw new ToolError(`The sandbox is switched on but cannot be used, so nothing was run. ${reason}`);
    },
    close: async () => undefined,
  };
}

interface Guarded extends GuardedPaths {
  /** What of the protected names stood in folders below the top; null if that is not watched. */
  readonly below: { readonly watch: NestedWatch; readonly before: ReadonlySet<string> } | null;
}

async function plantedBelow({ below }: Guarded): Promise<readonly string[]> {
  if (below === null) return [];
  return [...(await below.watch.now())].filter((target) => !below.before.has(target));
}

class BubblewrapSandbox implements CommandSandbox {
  readonly status: SandboxStatus = { available: true, mechanism: 'bubblewrap', reason: null };
  readonly allowsUnsandboxed: boolean;
  #options: SandboxOptions;
  readonly #folder: OpenedFolder;
  readonly #programs: SandboxPrograms;
  readonly #journal: SandboxJournal;
  readonly #registry: StubRegistry;
  readonly #refusedBefore: RefusedPaths = { read: new Set(), write: new Set() };
  /** The policy with the workspace folders of now. */
  #policy: SandboxPolicy;
  #nested: Promise<{ readonly found: readonly string[]; readonly watch: NestedWatch }> | null = null;
  /** What stands for missing paths is counted, so commands are set up one at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** What git would start of repositories that the workspace records, as last seen; undefined before the first command. */
  #foreign: string | null | undefined;
  #egress: Promise<OpenedEgress> | null = null;
  /** Refusals of the proxies, of all commands that run. */
  readonly #refused = new Set<(violation: SandboxViolation) => void>();

  constructor(options: SandboxOptions, folder: OpenedFolder, programs: SandboxPrograms, journal: SandboxJournal) {
    this.#options = options;
    this.#policy = options.policy;
    this.#journal = journal;
    this.#registry = createStubRegistry(journal);
    this.#folder = folder;
    this.#programs = programs;
    this.allowsUnsandboxed = options.policy.allowUnsandboxed;
  }

  async wrap(command: readonly string[], place: CommandPlace): Promise<WrappedCommand> {
    if (this.#isClosed) throw new ToolError('The session has ended, so nothing was run.');
    const { host } = this.#options;
    const stubs = createStubs(this.#registry, host.fs);
    try {
      const guarded = await this.#alone(() => this.#guard(stubs, place.isLasting === true));
      return await this.#wrapGuarded(command, place, guarded, stubs);
    } catch (error) {
      await this.#alone(() => stubs.remove());
      throw error;
    }
  }

  alsoBelow(from: string, to: string): void {
    this.#policy = keptBelowToo(this.#policy, from, to);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const egress = await this.#egress?.catch(() => null); // one that could not be opened has nothing to close
    await egress?.close();
    await this.#folder.remove();
    await this.#journal.close();
  }

  /** Null if nothing is let out. @throws ToolError if the way out cannot be had, or has ended */
  async #openEgress(): Promise<OpenedEgress | null> {
    const { host, policy } = this.#options;
    if (!hasProxy(policy)) return null;
    this.#nsenter();
    this.#egress ??= openEgress({
      host,
      network: policy.network,
      folder: this.#folder.path,
      bwrap: this.#programs.bwrap,
      onRefused: (violation) => {
        for (const take of this.#refused) take(violation);
      },
    });
    const egress = await this.#egress;
    if (egress.isClosed) throw new ToolError('The network of the sandbox has ended, so nothing was run.');
    return egress;
  }

  #nsenter(): string {
    const { nsenter } = this.#programs;
    if (nsenter !== null) return nsenter;
    throw new ToolError(
      'The sandbox lets commands out only with the program nsenter (package util-linux), which was not found. Nothing was run.',
    );
  }

  /** Takes over folders that were added to the workspace since, or taken away. @throws ToolError if none may be one */
  async #followRoots(): Promise<void> {
    const { roots } = this.#policy;
    const now = this.#options.roots?.() ?? roots;
    if (now.length === roots.length && now.every((root, at) => root === roots[at])) return;
    const added = await realAreas(
      this.#options,
      now.filter((root) => !roots.includes(root)),
    );
    const own = [this.#programs.bwrap, this.#programs.nsenter].filter((program) => program !== null);
    const taken = added.find((root) => own.some((program) => isWithin(root, program)));
    if (taken !== undefined)
      throw new ToolError(
        `${taken} holds the program of the sandbox, so it can be no workspace folder. Nothing was run.`,
      );
    if (added.length > 0) await this.#journal.extend(added);
    this.#policy = { ...this.#policy, roots: now };
    this.#nested = null;
  }

  async #guard(stubs: Stubs, isLasting: boolean): Promise<Guarded> {
    await this.#followRoots();
    const { host, engineFolder } = this.#options;
    const policy = this.#policy;
    this.#nested ??= this.#lookBelow();
    const { found, watch } = await this.#nested;
    const guarded = await guardPaths(
      policy,
      {
        fs: host.fs,
        home: host.platform.homedir,
        engineFolder,
        nested: found,
        hookPaths: await this.#hookPaths(),
        protectedNames: this.#options.protectedNames ?? [],
        tmpFolders: TMP_FOLDERS,
        refusedBefore: this.#refusedBefore,
      },
      stubs,
    );
    for (const target of guarded.mustStayMissing.filter(isRedirection)) await this.#journal.note('missing', target);
    // While a server lives people make such files too.
    return { ...guarded, below: isLasting ? null : { watch, before: await watch.now() } };
  }

  async #lookBelow(): Promise<{ readonly found: readonly string[]; readonly watch: NestedWatch }> {
    const { host, protectedNames = [] } = this.#options;
    const isNested = nestedNames(protectedNames);
    const { found, folders } = await findNested(host.fs, this.#policy.roots, isNested);
    return { found, watch: new NestedWatch(host, folders, isNested) };
  }

  async #hookPaths(): Promise<readonly string[]> {
    const facts = await this.#options.gitFacts?.();
    if (facts === undefined) return [];
    if (this.#foreign === undefined) this.#foreign = await facts.foreignPrograms();
    return facts.guardedPaths();
  }

  /** Making a repository and recording it cannot be held back: a `git status` of the user's own obeys what it says. */
  async #recorded(cwd: string): Promise<SandboxViolation[]> {
    const found = (await (await this.#options.gitFacts?.())?.foreignPrograms()) ?? null;
    const isNew = found !== null && found !== this.#foreign;
    this.#foreign = found;
    if (!isNew) return [];
    return [
      { kind: 'file', target: cwd, message: `After this command ${found}. Look at it before you run git there.` },
    ];
  }

  async #wrapGuarded(
    command: readonly string[],
    { cwd, env }: CommandPlace,
    guarded: Guarded,
    stubs: Stubs,
  ): Promise<WrappedCommand> {
    const { host, policy } = this.#options;
    const realCwd = await host.fs.realpath(cwd);
    const egress = await this.#openEgress();
    const refused: SandboxViolation[] = [];
    const take = (violation: SandboxViolation): void => {
      if (refused.length < MAX_REFUSED && !refused.some(({ target }) => target === violation.target))
        refused.push(violation);
    };
    this.#refused.add(take);
    const { outer, inner } = splitEnvironment({
      ...env,
      ...egress?.env,
      TMPDIR: this.#tmpdir(guarded),
      TURNWRIGHT_SANDBOX: 'bubblewrap',
    });
    const mounts = [...guarded.mounts, ...this.#ownMounts(guarded)];
    const table = readMountTable(new TextDecoder().decode(await host.fs.readFile(MOUNT_TABLE)));
    const runner = policy.isNested ? NESTED_RUNNER : RUNNER;
    const words = bubblewrapCommand(
      {
        bwrap: this.#programs.bwrap,
        mounts,
        folder: this.#folder,
        cwd: realCwd,
        isNested: policy.isNested,
        filter: this.#folder.filter,
        network: egress === null ? null : { nsenter: this.#nsenter(), pid: egress.pid },
        innerEnv: inner,
      },
      ['/bin/sh', '-c', runner, 'sh', expectedMounts(mounts, this.#folder, table), ...command],
    );
    const tell = (all: readonly SandboxViolation[]): readonly SandboxViolation[] => {
      const found = all.filter((one) => !isIgnored(one, policy.ignore));
      for (const violation of found) this.#options.onViolation(violation);
      return found;
    };
    return {
      command: words,
      env: outer,
      inspect: async () => tell([...(await this.#undo(guarded, realCwd)), ...refused.splice(0)]),
      ended: async (printed) => {
        this.#refused.delete(take);
        const made = await this.#undo(guarded, realCwd);
        await this.#alone(() => stubs.remove());
        const place = {
          cwd: realCwd,
          mounts: guarded.mounts,
          isOffline: !hasProxy(policy),
          blocksSockets: !opensSockets(policy),
        };
        return tell([...made, ...refused, ...findViolations(printed, place).map((one) => explained(one, guarded))]);
      },
    };
  }

  /** What the command could not be kept from: taken back if that is possible. */
  async #undo(guarded: Guarded, cwd: string): Promise<SandboxViolation[]> {
    const recorded = await this.#recorded(cwd);
    const { fs } = this.#options.host;
    const planted = [...guarded.mustStayMissing, ...(await plantedBelow(guarded))];
    return [...(await takeAway(fs, planted)), ...(await this.#replaced(guarded)), ...recorded];
  }

  /** Only if the whole folder for temporary files is a workspace: then ours is seen in it, but for its inner parts. */
  #ownMounts(guarded: GuardedPaths) {
    const isSeen = !guarded.mounts.some(({ path: at, kind }) => kind === 'tmp' && isWithin(at, this.#folder.path));
    if (!isSeen) return [];
    return [
      { path: this.#folder.path, kind: 'hidden', isFolder: true },
      { path: this.#folder.tmp, kind: 'write', isFolder: true },
    ] as const;
  }

  #tmpdir({ mounts }: GuardedPaths): string {
    return mounts.some(({ path: at, kind }) => at === '/tmp' && kind === 'tmp') ? '/tmp' : this.#folder.tmp;
  }

  /** A mount goes with the file that it stands on: what another program put in its place was open to the command. */
  async #replaced({ standing }: GuardedPaths): Promise<SandboxViolation[]> {
    const now = await this.#options.host.fs.lstatAll(standing.map((one) => one.path));
    return standing.flatMap(({ path: target, inode }, at) => {
      if (now[at]?.inode === inode) return [];
      const message = `${target} was replaced by another program while the command ran, which could then reach it. Look at what stands there.`;
      return [{ kind: 'file', target, message }];
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(work);
    this.#turn = next.catch(() => undefined); // told to whoever asked for the work
    return next;
  }
}

/** A folder that takes no new entries is a surprise to whoever does not know why. */
function explained(violation: SandboxViolation, { sealed }: GuardedPaths): SandboxViolation {
  const seal = sealed.find(({ folder }) => path.dirname(violation.target) === folder);
  if (seal === undefined) return violation;
  const why = `${seal.link} is a symbolic link, so nothing new can be made beside it`;
  return { ...violation, message: `${violation.message} ${why}.` };
}

function splitEnvironment(env: Readonly<Record<string, string>>) {
  const outer: Record<string, string> = {};
  const inner: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) (ACTS_OUTSIDE.test(name) ? inner : outer)[name] = value;
  return { outer, inner };
}

/** The same places below another folder are kept as well. */
function keptBelowToo(policy: SandboxPolicy, from: string, to: string): SandboxPolicy {
  const both = (paths: readonly string[]) => [
    ...paths,
    ...paths.flatMap((target) =>
      isWithin(from, target) && !isWithin(to, target) ? [path.join(to, path.relative(from, target))] : [],
    ),
  ];
  return { ...policy, denyRead: [...new Set(both(policy.denyRead))], denyWrite: [...new Set(both(policy.denyWrite))] };
}

// What a command made although it must not be there, and that could not be held back while it ran: taken away afterwards.
// Rule: what git would obey is removed; anything else may be somebody's work, so it is moved aside and told.

/** Behind the name of what was moved aside. */
const ASIDE = '.held-back';
const MAX_ASIDE = 100;

/** @param targets paths that were missing when the command started */
async function takeAway(fs: HostFs, targets: readonly string[]): Promise<SandboxViolation[]> {
  const stats = await fs.lstatAll(targets);
  const found: SandboxViolation[] = [];
  for (const target of targets.filter((_, at) => stats[at] != null)) {
    try {
      const message = isRedirection(target) ? await remove(fs, target) : await moveAside(fs, target);
      found.push({ kind: 'file', target, message });
    } catch (error) {
      if (!isFileError(error, 'ENOENT')) throw error; // it is gone, as it should be
    }
  }
  return found;
}

/** True for what git would obey, which nobody makes by hand. */
function isRedirection(target: string): boolean {
  return (GIT_REDIRECTIONS as readonly string[]).includes(path.basename(target));
}

async function remove(fs: HostFs, target: string): Promise<string> {
  await fs.remove(target);
  return `${target} would make git obey another folder's configuration, so it was removed.`;
}

async function moveAside(fs: HostFs, target: string): Promise<string> {
  const names = Array.from({ length: MAX_ASIDE }, (_, at) => `${target}${ASIDE}${at === 0 ? '' : `-${at + 1}`}`);
  const taken = await fs.lstatAll(names);
  const aside = names[taken.indexOf(null)] ?? `${target}${ASIDE}`;
  await fs.rename(target, aside);
  return `${target} configures what runs later, and was made in the sandbox, so it was moved to ${aside}. Look at it, and move it back if it is right.`;
}
