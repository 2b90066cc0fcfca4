// Changes settings files: comments stay, other writers lose nothing, and what a person had written there is trusted. Loaded with
// the first change.
import path from 'node:path';
import { lookUpwards, repositoryAbove } from '../../context/look.js';
import {
  checkSettings,
  leavesOf,
  parseSettings,
  type SettingScope,
  withAppended,
  withValue,
} from '../../context/settings/index.js';
import { trustItem, trustRoot } from '../../context/trust.js';
import { type Host, isFileError } from '../../host/host.js';
import { parseRule, ruleText } from '../../permissions/rule.js';
import { ConfigError } from '../../protocol/errors.js';
import type {
  PermissionBehavior,
  PermissionRuleValue,
  PermissionUpdate,
  PermissionUpdateDestination,
} from '../../protocol/permissions.js';
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import type { PendingNotice } from '../config/index.js';
import { homeFolder } from '../store/index.js';
import { whileLocked } from './file-lock.js';
import { keepTrust } from './keep-trust.js';

/** One change. `append` and `remove` are about one element of a list. */
export interface SettingsEdit {
  readonly op: 'set' | 'unset' | 'append' | 'remove';
  readonly path: readonly string[];
  /** Undefined for `unset`. */
  readonly value?: unknown;
}

export type WritableScope = Extract<SettingScope, 'user' | 'project' | 'local'>;

export interface SettingsHome {
  readonly host: Host;
  readonly env: Host['env'];
  /** Absolute. */
  readonly cwd: string;
}

const OWN_MODE = 0o600;
const PROJECT_MODE = 0o644;
const IGNORED = '# Settings of one person\n*.local.json\n';

/** The file that takes the changes of a scope. */
export interface SettingsTarget {
  readonly file: string;
  /** The folder that paths in the file start from, absolute. */
  readonly base: string;
}

/**
 * The file of ours that a session in the folder reads for this scope and that changes go to: the nearest there is; else
 * that of the nearest folder with settings of ours; else of the top of the repository, so that what is kept counts in all
 * of it. In no repository that of the folder. `others`: further files that are there and count.
 */
export async function settingsTarget(
  home: SettingsHome,
  scope: WritableScope,
): Promise<SettingsTarget & { readonly others: readonly SettingsTarget[] }> {
  const { host, env, cwd } = home;
  if (scope === 'user')
    return { file: path.join(homeFolder(host, env), 'settings.json'), base: host.platform.homedir, others: [] };
  const targets = await settingsTargets(home, scope);
  const stats = await host.fs.lstatAll(targets.flatMap(({ file }) => [file, path.dirname(file)]));
  const [first, ...others] = targets.filter((_, at) => stats[2 * at] !== null);
  const withFolder = targets.find((_, at) => stats[2 * at + 1] !== null);
  return { ...(first ?? withFolder ?? targets.at(-1) ?? targetIn(cwd, scope)), others };
}

/** Every file of ours that there may be for the scope, the nearest first. */
async function settingsTargets(
  { host, cwd }: SettingsHome,
  scope: Exclude<WritableScope, 'user'>,
): Promise<readonly SettingsTarget[]> {
  // What stands in the user's home is the user's.
  const above = repositoryAbove(await lookUpwards(host, cwd)).filter((folder) => folder !== host.platform.homedir);
  return [cwd, ...above].map((folder) => targetIn(folder, scope));
}

function targetIn(base: string, scope: Exclude<WritableScope, 'user'>): SettingsTarget {
  const name = scope === 'project' ? 'settings.json' : 'settings.local.json';
  return { file: path.join(base, '.turnwright', name), base };
}

/**
 * Changes the file that `settingsTarget` names, or `target` if you asked for it before.
 * @returns the file
 * @throws ConfigError if the file is no settings file, or leads out of the folder; FileError
 */
export async function editSettings(
  home: SettingsHome,
  scope: WritableScope,
  edits: readonly SettingsEdit[],
  target?: SettingsTarget,
): Promise<string> {
  const { host, env, cwd } = home;
  const { file, base } = target ?? (await settingsTarget(home, scope));
  await host.fs.mkdir(path.dirname(file), { mode: scope === 'user' ? 0o700 : 0o755 });
  if (scope !== 'user') await checkInside(host, base, file);
  await whileLocked(host, file, async () => {
    const before = await readText(host, file);
    const after = await applyEdits(before ?? '', edits, file);
    if (after === before) return;
    await host.fs.writeFileAtomic(file, after, { mode: scope === 'user' ? OWN_MODE : PROJECT_MODE });
    if (before === null && scope === 'local') await ignoreLocal(host, path.dirname(file));
  });
  if (scope !== 'user') await trustEdits(host, homeFolder(host, env), cwd, { scope, file, base }, edits);
  return file;
}

async function applyEdits(text: string, edits: readonly SettingsEdit[], file: string): Promise<string> {
  let current = text;
  for (const { op, path: keys, value } of edits) {
    const parsed = await parseSettings(current);
    if ('problem' in parsed) throw new ConfigError(`${file} ${parsed.problem}. Correct it first.`);
    if (typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value))
      throw new ConfigError(`${file} holds no object. Correct it first.`);
    const there = valueAt(parsed.value, keys);
    const list = Array.isArray(there) ? there : typeof there === 'string' ? [there] : [];
    if (op === 'set') current = withValue(current, keys, value);
    else if (op === 'unset') current = there === undefined ? current : withValue(current, keys, undefined);
    else if (op === 'remove') {
      for (let at = list.length - 1; at >= 0; at--)
        if (list[at] === value) current = withValue(current, [...keys, at], undefined);
    } else if (!list.includes(value)) {
      current = Array.isArray(there)
        ? withAppended(current, keys, list.length, value)
        : withValue(current, keys, [...list, value]);
    }
  }
  return current === '' || current.endsWith('\n') ? current : `${current}\n`;
}

function valueAt(root: unknown, keys: readonly string[]): unknown {
  let value = root;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

async function readText({ fs }: Host, file: string): Promise<string | null> {
  try {
    const stat = await fs.stat(file);
    if (stat.kind !== 'file') throw new ConfigError(`${file} is not a regular file, so nothing can be saved there.`);
    return new TextDecoder().decode(await fs.readFile(file));
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return null;
    throw error;
  }
}

/** A link that a repository brings along must not make us write somewhere else. */
async function checkInside({ fs }: Host, cwd: string, file: string): Promise<void> {
  const folder = await fs.realpath(path.dirname(file));
  const isLink = await fs.lstat(file).then(
    ({ kind }) => kind === 'symlink',
    (error: unknown) => {
      if (isFileError(error, 'ENOENT')) return false;
      throw error;
    },
  );
  if (!isLink && folder === path.join(await fs.realpath(cwd), '.turnwright')) return;
  throw new ConfigError(`${file} is a link to another place, so nothing is saved there.`);
}

/** Settings of one person belong in no repository. */
async function ignoreLocal({ fs }: Host, folder: string): Promise<void> {
  try {
    await fs.createFile(path.join(folder, '.gitignore'), IGNORED, { mode: PROJECT_MODE });
  } catch (error) {
    if (!isFileError(error, 'EEXIST')) throw error; // the project says itself what it ignores
  }
}

/** What a person had us write is trusted as it stands; what else is in the file is not. */
async function trustEdits(
  host: Host,
  home: string,
  cwd: string,
  place: SettingsTarget & { readonly scope: WritableScope },
  edits: readonly SettingsEdit[],
): Promise<void> {
  const leaves = edits.flatMap(({ op, path: keys, value }) => {
    if (op !== 'set' && op !== 'append') return [];
    const nested = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), op === 'append' ? [value] : value);
    const { layer } = checkSettings(nested as Settings, place);
    return layer === null ? [] : leavesOf(layer);
  });
  if (leaves.length === 0) return;
  const root = await trustRoot(host, cwd);
  const items = await Promise.all(leaves.map((leaf) => trustItem(host, root, leaf, cwd)));
  await keepTrust(host, home, root, items);
}

// Keeps permission updates in settings files, if whoever answered said so.

const SCOPES: Readonly<Record<PermissionUpdateDestination, WritableScope | null>> = {
  userSettings: 'user',
  projectSettings: 'project',
  localSettings: 'local',
  session: null,
  cliArg: null,
};
const MODES_WITHOUT_QUESTIONS = ['bypassPermissions', 'yolo'];

/** True if an update is to outlive the session. */
function isKept(update: PermissionUpdate): boolean {
  return SCOPES[update.destination] !== null;
}

/**
 * Writes the updates that name a file. What cannot be written holds for the session, and is told.
 * @param isManagedOnly managed settings alone say what is allowed
 * @throws ConfigError if nothing may be saved
 */
export async function saveUpdates(
  home: SettingsHome,
  updates: readonly PermissionUpdate[],
  isManagedOnly: boolean,
): Promise<readonly PendingNotice[]> {
  if (isManagedOnly && updates.some(isKept))
    throw new ConfigError('Managed settings alone say what is allowed here, so no rule is saved.');
  const notices: PendingNotice[] = [];
  for (const scope of ['user', 'project', 'local'] as const) {
    const wanted = updates.filter(({ destination }) => SCOPES[destination] === scope);
    if (wanted.length === 0) continue;
    try {
      const target = await settingsTarget(home, scope);
      const cwd = await home.host.fs.realpath(home.cwd).catch(() => home.cwd); // what is not there has one name
      for (const each of [target, ...target.others]) {
        // What is taken back is taken back wherever it stands.
        const updatesHere = each === target ? wanted : wanted.filter(({ type }) => type.startsWith('remove'));
        const base = each.base === home.cwd ? cwd : each.base;
        const edits = updatesHere.flatMap((update) => editsOf(update, textFor(scope, cwd, base), cwd, base));
        if (edits.length > 0) await editSettings(home, scope, edits, each);
      }
    } catch (error) {
      if (!isFileError(error) && !(error instanceof ConfigError)) throw error;
      notices.push({
        code: 'settings_not_saved',
        message: `A permission that was to be kept in the ${scope} settings holds for this session only: ${error.message}`,
      });
    }
  }
  return notices;
}

type RuleWriter = (rule: PermissionRuleValue, behavior: PermissionBehavior) => string;

/**
 * A path of the working directory must say which folder it means, in a file whose paths start elsewhere. What a name at
 * any depth allows would reach further in a file of the project that stands above; in the user's own it is to.
 */
function textFor(scope: WritableScope, cwd: string, base: string): RuleWriter {
  if (base === cwd) return ruleText;
  const start = scope === 'user' ? `/${cwd}` : `/${path.relative(base, cwd)}`;
  return (rule, behavior) => {
    const { content } = parseRule(ruleText(rule));
    if (content?.kind !== 'path') return ruleText(rule);
    const { anchor, source } = content.pattern;
    const below = source.replace(/^\.?\//, '');
    if (anchor === 'base') return ruleText({ ...rule, ruleContent: `${start}/${below}` });
    if (anchor !== 'anywhere' || behavior !== 'allow' || scope === 'user') return ruleText(rule);
    return ruleText({ ...rule, ruleContent: `${start}/**/${below}` });
  };
}

/** Relative folders start from the working directory where they were named. */
function folderText(folder: string, cwd: string, base: string): string {
  return base === cwd || path.isAbsolute(folder) || folder.startsWith('~') ? folder : path.resolve(cwd, folder);
}

function editsOf(update: PermissionUpdate, text: RuleWriter, cwd: string, base: string): SettingsEdit[] {
  switch (update.type) {
    case 'addRules':
    case 'removeRules': {
      const op = update.type === 'addRules' ? 'append' : 'remove';
      const { behavior } = update;
      return update.rules.map((rule) => ({ op, path: ['permissions', behavior], value: text(rule, behavior) }));
    }
    case 'replaceRules': {
      const value = update.rules.map((rule) => text(rule, update.behavior));
      return [{ op: 'set', path: ['permissions', update.behavior], value }];
    }
    case 'addDirectories':
    case 'removeDirectories': {
      const op = update.type === 'addDirectories' ? 'append' : 'remove';
      const folders = update.directories.map((folder) => folderText(folder, cwd, base));
      return folders.map((value) => ({ op, path: ['permissions', 'additionalDirectories'], value }));
    }
    case 'setMode':
      // Skipping all questions is a matter of one session, if at all.
      return MODES_WITHOUT_QUESTIONS.includes(update.mode)
        ? []
        : [{ op: 'set', path: ['permissions', 'defaultMode'], value: update.mode }];
    default:
      return update satisfies never;
  }
}
