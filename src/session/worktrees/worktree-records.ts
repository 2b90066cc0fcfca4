// Which worktrees the engine made, kept in the user's own folder: who works in one, and what was left behind when its process
// died. One rule: nothing that lies in the workspace says what a worktree is, for its files are the model's and the repository's.
import path from 'node:path';
import { type Host, isFileError, type ProcessIdentity } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import { isRecord } from '../../util/json.js';
import { areaOf, checkName, type Worktree } from './worktree.js';

export interface WorktreeRecord extends Worktree {
  readonly sessionId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Who works in it; null if it was kept for later. */
  readonly process: ProcessIdentity | null;
}

/** `left`: whoever worked in it ended without a word. */
export type WorktreeState = 'in_use' | 'kept' | 'left';

export interface ListedWorktree extends WorktreeRecord {
  readonly state: WorktreeState;
  /** False if its folder is gone, or was never made. */
  readonly isThere: boolean;
}

/** Whose records are meant: those of one folder of sessions. */
export interface RecordPlace {
  readonly host: Pick<Host, 'fs' | 'processes' | 'sha256'>;
  /** Absolute, links resolved. */
  readonly folder: string;
  /** `$TURNWRIGHT_HOME`. */
  readonly home: string;
}

const ENDING = '.json';
const MODE = 0o600;
/** Of one record, bytes. */
const MAX_RECORD = 16 * 1024;
/** Records that are looked at. */
const MAX_RECORDS = 500;
/** Keeps git, and all that obeys it, from taking the worktrees for files of the repository. */
const IGNORE_ALL = '*\n';

/** Named after the whole path: two folders never share one. */
async function recordsOf({ host, folder, home }: RecordPlace): Promise<string> {
  return path.join(home, 'worktrees', (await host.sha256(new TextEncoder().encode(folder))).slice(0, 32));
}

async function recordFile(place: RecordPlace, name: string): Promise<string> {
  return path.join(await recordsOf(place), `${name}${ENDING}`);
}

/** Makes the folder for worktrees. @throws ToolError if something else stands there */
export async function makeArea({ host: { fs }, folder }: Pick<RecordPlace, 'host' | 'folder'>): Promise<void> {
  const area = areaOf(folder);
  const [stat = null] = await fs.lstatAll([area]);
  if (stat === null) await fs.mkdir(area, { mode: 0o755 }).catch(ignoreExisting);
  else if (stat.kind !== 'directory')
    throw new ToolError(`${area} is not a folder, so worktrees cannot be made there. Move it away.`);
  await fs.createFile(path.join(area, '.gitignore'), IGNORE_ALL, { durable: false }).catch((error: unknown) => {
    if (!isFileError(error, 'EEXIST')) throw error;
  });
}

/** Makes the record, which is how a name is taken. @throws ToolError if it is taken */
export async function writeRecord(place: RecordPlace, record: WorktreeRecord): Promise<void> {
  const file = await recordFile(place, record.name);
  const { fs } = place.host;
  await fs.mkdir(path.dirname(file), { mode: 0o700 });
  await fs.createFile(file, textOf(record), { durable: false, mode: MODE }).catch((error: unknown) => {
    if (!isFileError(error, 'EEXIST')) throw error;
    throw new ToolError(`There is a worktree ${record.name} already. Choose another name.`);
  });
}

export async function changeRecord(place: RecordPlace, record: WorktreeRecord): Promise<void> {
  const file = await recordFile(place, record.name);
  await place.host.fs.writeFileAtomic(file, textOf(record), { durable: false, mode: MODE });
}

/** Removes the record, and the folder for worktrees if it was the last. */
export async function dropRecord(place: RecordPlace, name: string): Promise<void> {
  const { fs } = place.host;
  const area = areaOf(place.folder);
  const records = await recordsOf(place);
  await fs.removeEntry(path.join(records, `${name}${ENDING}`)).catch(ignoreMissing);
  const others = await fs.readdir(records).catch(() => ['unknown']); // what cannot be read stays
  const rest = await fs.readdir(area).catch(() => ['unknown']);
  const isBare = rest.every((entry) => entry === '.gitignore');
  // Another session may have come meanwhile: then it stays.
  for (const entry of others.length > 0 ? [] : [records, ...(isBare ? [path.join(area, '.gitignore'), area] : [])])
    await fs.removeEntry(entry).catch(() => undefined);
}

/** Another session came first. */
function ignoreExisting(error: unknown): void {
  if (!isFileError(error, 'EEXIST')) throw error;
}

function ignoreMissing(error: unknown): void {
  if (!isFileError(error, 'ENOENT')) throw error;
}

function textOf({ name, path: top, folder, branch, base, madeBy, ...rest }: WorktreeRecord): string {
  return `${JSON.stringify({ name, path: top, folder, branch, base, madeBy, ...rest }, null, 2)}\n`;
}

/** The worktrees of a folder, by name. Contract: never throws for what stands on the disk; what is no record is passed by. */
export async function listWorktrees(place: RecordPlace): Promise<readonly ListedWorktree[]> {
  const names = await place.host.fs.readdir(await recordsOf(place)).catch(() => []); // most folders have none
  const listed: ListedWorktree[] = [];
  for (const name of [...names].sort().slice(0, MAX_RECORDS)) {
    const record = name.endsWith(ENDING) ? await readRecord(place, name.slice(0, -ENDING.length)) : null;
    if (record !== null) listed.push(await withState(place, record));
  }
  return listed;
}

/** Those whose session died. What a person removed since is forgotten: git has its branch. */
export async function leftBehind(place: RecordPlace): Promise<readonly ListedWorktree[]> {
  const all = await listWorktrees(place);
  const gone = all.filter(({ state, isThere }) => !isThere && state !== 'in_use');
  for (const { name } of gone) await dropRecord(place, name).catch(() => undefined); // told again then
  return all.filter(({ state, isThere }) => state === 'left' && isThere);
}

/** Null if there is none of that name. */
export async function findWorktree(place: RecordPlace, name: string): Promise<ListedWorktree | null> {
  const record = await readRecord(place, checkName(name));
  return record === null ? null : withState(place, record);
}

async function withState({ host }: RecordPlace, record: WorktreeRecord): Promise<ListedWorktree> {
  const [stat = null] = await host.fs.lstatAll([record.path]);
  const state = record.process === null ? null : await host.processes.stateOf(record.process);
  return {
    ...record,
    state: state === null ? 'kept' : state === 'ended' ? 'left' : 'in_use',
    isThere: stat?.kind === 'directory',
  };
}

async function readRecord(place: RecordPlace, name: string): Promise<WorktreeRecord | null> {
  try {
    const { stat, head } = await place.host.fs.readEnds(await recordFile(place, checkName(name)), MAX_RECORD);
    return stat.size > MAX_RECORD ? null : checked(JSON.parse(new TextDecoder().decode(head)), place.folder, name);
  } catch {
    return null; // gone, half written, or of somebody else: none of ours
  }
}

/** The place of what git made follows from its name, whatever the record says. */
function checked(value: unknown, folder: string, name: string): WorktreeRecord | null {
  if (!isRecord(value) || value['name'] !== name) return null;
  const { sessionId, createdAt, madeBy, branch, base, process } = value;
  if (typeof sessionId !== 'string' || typeof createdAt !== 'string') return null;
  if (madeBy !== 'git' && madeBy !== 'hook') return null;
  if (!isTextOrNull(branch) || !isTextOrNull(base) || (process !== null && !isIdentity(process))) return null;
  const own = path.join(areaOf(folder), name);
  const top = madeBy === 'git' ? own : value['path'];
  const work = value['folder'];
  if (typeof top !== 'string' || !path.isAbsolute(top) || typeof work !== 'string') return null;
  const isWithin = work === top || work.startsWith(`${top}${path.sep}`);
  return {
    name,
    path: top,
    folder: isWithin && !work.includes('..') ? work : top,
    branch,
    base,
    madeBy,
    sessionId,
    createdAt,
    process,
  };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (!isRecord(value) || typeof value['pid'] !== 'number') return false;
  return ['started', 'boot', 'space', 'machine'].every((key) => typeof value[key] === 'string');
}
