// Keeps permission updates in settings files, where whoever answered said so. Loaded with the first answer that does.
import path from 'node:path';
import { isFileError } from '../host/host.js';
import { parseRule, ruleText } from '../permissions/rule.js';
import { ConfigError } from '../protocol/errors.js';
import type { PermissionRuleValue, PermissionUpdate, PermissionUpdateDestination } from '../protocol/permissions.js';
import type { PendingNotice } from './config.js';
import { editSettings, type SettingsEdit, type SettingsHome, type WritableScope } from './edit-settings.js';

const SCOPES: Readonly<Record<PermissionUpdateDestination, WritableScope | null>> = {
  userSettings: 'user',
  projectSettings: 'project',
  localSettings: 'local',
  session: null,
  cliArg: null,
};
const MODES_WITHOUT_QUESTIONS = ['bypassPermissions', 'yolo'];

/** True where an update is to outlive the session. */
function isKept(update: PermissionUpdate): boolean {
  return SCOPES[update.destination] !== null;
}

/**
 * Writes the updates that name a file. What cannot be written holds for the session, and is told.
 * @param isManagedOnly managed settings alone say what is allowed
 * @throws ConfigError where nothing may be saved
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
    const edits = updates
      .filter(({ destination }) => SCOPES[destination] === scope)
      .flatMap((update) => editsOf(update, textFor(scope, home.cwd)));
    if (edits.length === 0) continue;
    try {
      await editSettings(home, scope, edits);
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

type RuleWriter = (rule: PermissionRuleValue) => string;

/** In the user's own file a path of this folder must say which folder it means. */
function textFor(scope: WritableScope, cwd: string): RuleWriter {
  if (scope !== 'user') return ruleText;
  return (rule) => {
    const { content } = parseRule(ruleText(rule));
    if (content?.kind !== 'path' || content.pattern.anchor !== 'base') return ruleText(rule);
    const below = content.pattern.source.replace(/^\.?\//, '');
    return ruleText({ ...rule, ruleContent: `/${path.join(cwd, below)}` });
  };
}

function editsOf(update: PermissionUpdate, text: RuleWriter): SettingsEdit[] {
  switch (update.type) {
    case 'addRules':
    case 'removeRules': {
      const op = update.type === 'addRules' ? 'append' : 'remove';
      return update.rules.map((rule) => ({ op, path: ['permissions', update.behavior], value: text(rule) }));
    }
    case 'replaceRules':
      return [{ op: 'set', path: ['permissions', update.behavior], value: update.rules.map(text) }];
    case 'addDirectories':
    case 'removeDirectories': {
      const op = update.type === 'addDirectories' ? 'append' : 'remove';
      return update.directories.map((value) => ({ op, path: ['permissions', 'additionalDirectories'], value }));
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
