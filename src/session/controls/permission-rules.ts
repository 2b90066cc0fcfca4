// The permission rules in force, for a client that shows them.
import type { SDKControlListPermissionRulesResponse, SDKPermissionRuleEntry } from '../../protocol/control-answers.js';
import type { PermissionBehavior } from '../../protocol/permissions.js';
import type { Session, SessionRuntime } from '../core/index.js';

/** As published clients call them. */
const SOURCES: Readonly<Record<string, SDKPermissionRuleEntry['source']>> = {
  managed: 'policySettings',
  flag: 'flagSettings',
  local: 'localSettings',
  project: 'projectSettings',
  user: 'userSettings',
  cliArg: 'cliArg',
  command: 'command',
};

/** What stands in a file can be changed there. */
const EDITABILITY: Readonly<Record<string, SDKPermissionRuleEntry['editability']>> = {
  managed: 'readonly',
  flag: 'readonly',
  local: 'persistent',
  project: 'persistent',
  user: 'persistent',
};

/** What denies first, as it decides first. */
const BEHAVIORS: readonly PermissionBehavior[] = ['deny', 'ask', 'allow'];

export function permissionRules(
  { config }: Session,
  { gate: { rules } }: SessionRuntime,
  managedOnly: boolean,
): SDKControlListPermissionRulesResponse {
  const entries = BEHAVIORS.flatMap((behavior): SDKPermissionRuleEntry[] =>
    (rules?.[behavior] ?? []).map(({ source, origin }) => ({
      behavior,
      rule: source,
      source: SOURCES[origin] ?? 'session',
      editability: EDITABILITY[origin] ?? 'session',
    })),
  );
  const initial = new Set([config.cwd, ...(config.additionalDirectories ?? [])]);
  const [, ...folders] = rules?.roots ?? [];
  return {
    state: {
      rules: entries,
      workspaceDirectories: [...new Set(folders)]
        .filter((folder) => folder !== config.cwd)
        .map((folder) => ({ path: folder, source: initial.has(folder) ? 'cliArg' : 'session' })),
      originalCwd: config.cwd,
      managedOnly,
    },
  };
}
