// Keeps permission updates in settings files, where whoever answered said so. Loaded with the first answer that does.
import path from 'node:path';
import { isFileError } from '../../host/host.js';
import { parseRule, ruleText } from '../../permissions/rule.js';
import { ConfigError } from '../../protocol/errors.js';
import type {
  PermissionBehavior,
  PermissionRuleValue,
  PermissionUpdate,
  PermissionUpdateDestination,
} from '../../protocol/permissions.js';
import type { PendingNotice } from '../config/index.js';
import {
  editSettings,
  type SettingsEdit,
  type SettingsHome,
  settingsTarget,
  type WritableScope,
} from './edit-settings.js';

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
