// What the sandboxes of a user have put on the disk, a file for each session, and the empty folders that stand in place of protected
// paths while a command runs: so that one session does not take away what stands guard for another, and the next one clears
// up after one that was killed. Rule: of what is written there only empty folders, and files that must not be, are removed.
import path from 'node:path';
import { type Host, type HostFs, ignoreFileError, isFileError, type ProcessIdentity } from '../host/host.js';
import { isWithin } from '../host/is-inside.js';
import { parseRecord } from '../util/json.js';
import { GIT_REDIRECTIONS } from './protected-paths.js';
import { folderName } from './sandbox-folder.js';

export interface SandboxJournal {
  /** Contract: on its way to the disk when this resolves, so it is called before the path is made. */
  note(kind: 'stub' | 'missing', target: string): Promise<void>;
  /** Commands may write in these folders too from now on. */
  extend(areas: readonly string[]): Promise<void>;
  /** Folders that commands of other sessions may be writing in. */
  othersAreas(): Promise<readonly string[]>;
  /** Clears up after this session, and after those that have ended. Contract: never throws. */
  close(): Promise<void>;
}

interface Opened {
  readonly host: Host;
  /** The engine's own folder. */
  readonly engineFolder: string;
  /** Folders that commands may write, without symbolic links. */
  readonly areas: readonly string[];
  /** The private folder of the session. */
  readonly folder: string;
}

/** A session as its file tells of it. */
interface Entry {
  readonly file: string;
  readonly owner: ProcessIdentity | null;
  readonly areas: readonly string[];
  readonly folder: string | null;
  readonly stubs: readonly string[];
  readonly missing: readonly string[];
  readonly isClosed: boolean;
  /** When the file was written last, milliseconds. */
  readonly writtenMs: number;
}

const FOLDER = 'sandbox';
const ENDING = '.jsonl';
/** A session that cannot be seen from here, as in a container that is gone, counts as living for so long. */
const LONGEST_UNSEEN_MS = 7 * 24 * 60 * 60_000;

/** Contract: never throws; if nothing can be written there, nothing is kept. */
export async function openJournal({ host, engineFolder, areas, folder }: Opened): Promise<SandboxJournal> {
  const place = path.join(engineFolder, FOLDER);
  const file = path.join(place, `${host.ids.uuid()}${ENDING}`);
  const known = new Set<string>();
  const write = async (line: unknown): Promise<void> => {
    const handle = await host.fs.openAppend(file);
    try {
      await handle.append(`${JSON.stringify(line)}\n`);
    } finally {
      await handle.close();
    }
  };
  try {
    await write({ owner: await host.processes.self(), areas, folder });
  } catch (error) {
    if (!isFileError(error)) throw error;
    // A home that cannot be written: the sandbox holds all the same, and what is left behind by a kill stays.
    return {
      note: async () => undefined,
      extend: async () => undefined,
      othersAreas: async () => [],
      close: async () => undefined,
    };
  }
  await clearUp(host, place, file);
  return {
    async note(kind, target) {
      if (known.has(`${kind} ${target}`)) return;
      await write({ [kind]: target });
      known.add(`${kind} ${target}`);
    },
    extend: (more) => write({ areas: more }),
    othersAreas: async () => areasOf(await living(host, place, file)),
    async close() {
      await write({ closed: true }).catch(ignoreFileError);
      await clearUp(host, place, null);
    },
  };
}

/** Contract: never throws; what cannot be removed stays for the next time. */
async function clearUp(host: Host, place: string, own: string | null): Promise<void> {
  try {
    const entries = await readEntries(host, place, own);
    const used = areasOf(entries.filter(({ isOver }) => !isOver));
    const isUsed = (target: string) => used.some((area) => isWithin(area, target));
    const over = entries.filter(({ isOver }) => isOver);
    for (const target of over.flatMap(({ missing }) => missing)) {
      const mayGo = !isUsed(target) && (GIT_REDIRECTIONS as readonly string[]).includes(path.basename(target));
      if (mayGo) await host.fs.remove(target).catch(ignoreFileError);
    }
    // What lies in another goes before it.
    const stubs = [...new Set(over.flatMap((entry) => entry.stubs))].sort((a, b) => b.length - a.length);
    for (const target of stubs) if (!isUsed(target)) await removeEmpty(host, target);
    for (const { folder, file, ...entry } of over) {
      if (folder !== null && folderName.test(path.basename(folder)))
        await host.fs.remove(folder).catch(ignoreFileError);
      if (![...entry.stubs, ...entry.missing].some(isUsed)) await host.fs.removeEntry(file).catch(ignoreFileError);
    }
  } catch (error) {
    ignoreFileError(error);
  }
}

async function removeEmpty({ fs }: Host, target: string): Promise<void> {
  try {
    if ((await fs.lstat(target)).kind === 'directory') await fs.removeEntry(target);
  } catch (error) {
    ignoreFileError(error); // it is gone, or holds something
  }
}

async function living(host: Host, place: string, own: string): Promise<readonly Entry[]> {
  return (await readEntries(host, place, own)).filter(({ isOver }) => !isOver);
}

function areasOf(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap(({ areas }) => areas);
}

/** All but `own`. `isOver`: its commands have ended. */
async function readEntries(host: Host, place: string, own: string | null) {
  const names = (await host.fs.readdir(place)).filter((name) => name.endsWith(ENDING));
  const files = names.map((name) => path.join(place, name)).filter((file) => file !== own);
  const found: (Entry & { readonly isOver: boolean })[] = [];
  for (const file of files) {
    const entry = await readEntry(host, file);
    if (entry === null) continue;
    found.push({ ...entry, isOver: entry.isClosed || (await hasEnded(host, entry)) });
  }
  return found;
}

async function hasEnded(host: Host, { owner, writtenMs }: Entry): Promise<boolean> {
  const state = owner === null ? 'unknown' : await host.processes.stateOf(owner);
  return state === 'ended' || (state === 'unknown' && host.clock.now() - writtenMs > LONGEST_UNSEEN_MS);
}

/** Null if it went meanwhile. */
async function readEntry({ fs }: Host, file: string): Promise<Entry | null> {
  try {
    const lines = new TextDecoder()
      .decode(await fs.readFile(file))
      .split('\n')
      .map((line) => parseRecord(line) ?? {});
    const texts = (key: string) => lines.map((line) => line[key]).filter((value) => typeof value === 'string');
    const [first = {}] = lines;
    const areas = lines.flatMap((line) => (Array.isArray(line['areas']) ? line['areas'] : []));
    return {
      file,
      owner: isOwner(first['owner']) ? first['owner'] : null,
      areas: areas.filter((area) => typeof area === 'string'),
      folder: texts('folder')[0] ?? null,
      stubs: texts('stub'),
      missing: texts('missing'),
      isClosed: lines.some((line) => line['closed'] === true),
      writtenMs: (await fs.stat(file)).mtimeMs,
    };
  } catch (error) {
    ignoreFileError(error);
    return null;
  }
}

function isOwner(value: unknown): value is ProcessIdentity {
  return typeof value === 'object' && value !== null && typeof (value as { pid?: unknown }).pid === 'number';
}

/** Those of all commands that run in one session. */
export interface StubRegistry {
  readonly users: Map<string, { count: number; readonly inode: number }>;
  readonly journal: Pick<SandboxJournal, 'note' | 'othersAreas'>;
}

/** Those that one command needs. */
export interface Stubs {
  /** True for what stands for a missing path: it is missing, to whoever asks. */
  isStub(target: string): boolean;
  /** False if nobody could make it: then the command cannot either. */
  make(target: string): Promise<boolean>;
  /** Contract: never throws. */
  remove(): Promise<void>;
}

/** Codes that say that this user may not write there. */
const NOT_OURS = ['EACCES', 'EPERM', 'EROFS'];

export function createStubRegistry(journal: StubRegistry['journal']): StubRegistry {
  return { users: new Map(), journal };
}

/** Contract: not called by two commands at the same moment. */
export function createStubs({ users, journal }: StubRegistry, fs: HostFs): Stubs {
  const held: string[] = [];
  return {
    isStub: (target) => users.has(target),
    async make(target) {
      const known = users.get(target);
      if (known !== undefined) known.count += 1;
      else {
        try {
          await journal.note('stub', target);
          await fs.mkdir(target, { mode: 0o755 });
          users.set(target, { count: 1, inode: (await fs.lstat(target)).inode });
        } catch (error) {
          if (NOT_OURS.some((code) => isFileError(error, code))) return false;
          throw error;
        }
      }
      held.push(target);
      return true;
    },
    async remove() {
      if (held.length === 0) return;
      // A command of another session may count on it. It goes with the session that ends last.
      const others = await journal.othersAreas().catch(() => null);
      for (const target of held.splice(0).reverse()) {
        const user = users.get(target);
        if (user === undefined) continue;
        user.count -= 1;
        if (user.count > 0) continue;
        users.delete(target);
        if (others === null || others.some((area) => isWithin(area, target))) continue;
        await removeStub(fs, target, user.inode).catch(() => undefined); // it stays: better than to take what is not ours
      }
    },
  };
}

async function removeStub(fs: HostFs, target: string, inode: number): Promise<void> {
  const stat = await fs.lstat(target);
  // One that holds something stays: `removeEntry` refuses it.
  if (stat.inode === inode && stat.kind === 'directory') await fs.removeEntry(target);
}
