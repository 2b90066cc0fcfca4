// Which worktrees the engine made, beside the worktrees themselves: who works in one, and what was left behind when its
// process died. One rule: a record is data of the folder, so it names nothing that is started or removed by itself.
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

type RecordHost = Pick<Host, 'fs' | 'processes' | 'clock' | 'ids'>;

const RECORDS = '.records';
const ENDING = '.json';
/** Of one record, bytes. */
const MAX_RECORD = 16 * 1024;
/** Records that are looked at. */
const MAX_RECORDS = 500;
/** Keeps git, and all that obeys it, from taking the worktrees for files of the repository. */
const IGNORE_ALL = '*\n';

function recordFile(folder: string, name: string): string {
  return path.join(areaOf(folder), RECORDS, `${name}${ENDING}`);
}

/** Makes the folder for worktrees. @throws ToolError if something else stands there */
export async function makeArea({ fs }: Pick<Host, 'fs'>, folder: string): Promise<void> {
  const area = areaOf(folder);
  for (const each of [area, path.join(area, RECORDS)]) {
    const [stat = null] = await fs.lstatAll([each]);
    if (stat === null) await fs.mkdir(each, { mode: 0o755 }).catch(ignoreExisting);
    else if (stat.kind !== 'directory')
      throw new ToolError(`${each} is not a folder, so worktrees cannot be made there. Move it away.`);
  }
  await fs.createFile(path.join(area, '.gitignore'), IGNORE_ALL, { durable: false }).catch((error: unknown) => {
    if (!isFileError(error, 'EEXIST')) throw error;
  });
}

/** Makes the record, which is how a name is taken. @throws ToolError if it is taken */
export async function writeRecord({ fs }: Pick<Host, 'fs'>, folder: string, record: WorktreeRecord): Promise<void> {
  const file = recordFile(folder, record.name);
  await fs.createFile(file, textOf(record), { durable: false }).catch((error: unknown) => {
    if (!isFileError(error, 'EEXIST')) throw error;
    throw new ToolError(`There is a worktree ${record.name} already. Choose another name.`);
  });
}

export async function changeRecord({ fs }: Pick<Host, 'fs'>, folder: string, record: WorktreeRecord): Promise<void> {
  await fs.writeFileAtomic(recordFile(folder, record.name), textOf(record), { durable: false });
}

/** Removes the record, and the folder for worktrees if it was the last. */
export async function dropRecord({ fs }: Pick<Host, 'fs'>, folder: string, name: string): Promise<void> {
  const area = areaOf(folder);
  await fs.removeEntry(recordFile(folder, name)).catch(ignoreMissing);
  const rest = await fs.readdir(area).catch(() => ['unknown']); // what cannot be read stays
  const records = await fs.readdir(path.join(area, RECORDS)).catch(() => ['unknown']);
  if (records.length > 0 || rest.some((entry) => entry !== RECORDS && entry !== '.gitignore')) return;
  for (const entry of [path.join(area, RECORDS), path.join(area, '.gitignore'), area])
    await fs.removeEntry(entry).catch(() => undefined); // another session may have come meanwhile: then it stays
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
export async function listWorktrees(host: RecordHost, folder: string): Promise<readonly ListedWorktree[]> {
  const names = await host.fs.readdir(path.join(areaOf(folder), RECORDS)).catch(() => []); // most folders have none
  const listed: ListedWorktree[] = [];
  for (const name of [...names].sort().slice(0, MAX_RECORDS)) {
    const record = name.endsWith(ENDING) ? await readRecord(host, folder, name.slice(0, -ENDING.length)) : null;
    if (record !== null) listed.push(await withState(host, record));
  }
  return listed;
}

/** Those whose session died. What a person removed since is forgotten: git has its branch. */
export async function leftBehind(host: RecordHost, folder: string): Promise<readonly ListedWorktree[]> {
  const all = await listWorktrees(host, folder);
  const gone = all.filter(({ state, isThere }) => !isThere && state !== 'in_use');
  for (const { name } of gone) await dropRecord(host, folder, name).catch(() => undefined); // told again then
  return all.filter(({ state, isThere }) => state === 'left' && isThere);
}

/** Null if there is none of that name. */
export async function findWorktree(host: RecordHost, folder: string, name: string): Promise<ListedWorktree | null> {
  const record = await readRecord(host, folder, checkName(name));
  return record === null ? null : withState(host, record);
}

async function withState({ fs, processes }: RecordHost, record: WorktreeRecord): Promise<ListedWorktree> {
  const [stat = null] = await fs.lstatAll([record.path]);
  const state = record.process === null ? null : await processes.stateOf(record.process);
  return {
    ...record,
    state: state === null ? 'kept' : state === 'ended' ? 'left' : 'in_use',
    isThere: stat?.kind === 'directory',
  };
}

async function readRecord({ fs }: Pick<Host, 'fs'>, folder: string, name: string): Promise<WorktreeRecord | null> {
  try {
    checkName(name);
    const { stat, head } = await fs.readEnds(recordFile(folder, name), MAX_RECORD);
    return stat.size > MAX_RECORD ? null : checked(JSON.parse(new TextDecoder().decode(head)), folder, name);
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
