// Permission updates that an answer brings along: what they change for the rest of the session.
import type { PermissionContext } from '../../permissions/permission-call.js';
import { type PermissionRule, parseRule, ruleFromValue, ruleText } from '../../permissions/rule.js';
import { ConfigError } from '../../protocol/errors.js';
import { PERMISSION_MODES, type PermissionRuleValue, type PermissionUpdate } from '../../protocol/permissions.js';
import { currentToolName } from '../../protocol/tool-names.js';

const BEHAVIORS = ['allow', 'deny', 'ask'];

/**
 * Updates hold for this session, whatever their destination says; settings files are not written.
 * @throws ConfigError for a rule that is not understood
 */
export function applyUpdates(context: PermissionContext, updates: readonly PermissionUpdate[]): PermissionContext {
  let current = context;
  for (const update of updates) current = applyUpdate(current, update);
  return current;
}

function applyUpdate(context: PermissionContext, update: PermissionUpdate): PermissionContext {
  switch (update?.type) {
    case 'setMode':
      if (!PERMISSION_MODES.includes(update.mode)) throw unusable(`there is no mode ${JSON.stringify(update.mode)}`);
      // Skipping all questions was allowed at the start of the session or not at all.
      return update.mode === 'bypassPermissions' || update.mode === 'yolo'
        ? context
        : { ...context, mode: update.mode };
    case 'addRules':
      return withRules(context, update.behavior, (rules) => [
        ...rules,
        ...update.rules.map((rule) => ruleFromValue(rule)),
      ]);
    case 'replaceRules':
      return withRules(context, update.behavior, () => update.rules.map((rule) => ruleFromValue(rule)));
    case 'removeRules': {
      const removed = new Set(update.rules.map(ruleKey));
      return withRules(context, update.behavior, (rules) => rules.filter((rule) => !removed.has(sourceKey(rule))));
    }
    case 'addDirectories':
      return { ...context, roots: [...context.roots, ...foldersOf(update)] };
    case 'removeDirectories':
      return { ...context, roots: context.roots.filter((root) => !foldersOf(update).includes(root)) };
    default:
      update satisfies never;
      throw unusable(`its type is ${JSON.stringify((update as { readonly type?: unknown } | null)?.type)}`);
  }
}

/** The answer is the caller's code, maybe untyped: what it means is not guessed, since rules depend on it. */
function unusable(why: string): ConfigError {
  return new ConfigError(`A permission update is not one that is known: ${why}.`);
}

function foldersOf({ directories }: { readonly directories: readonly string[] }): readonly string[] {
  if (Array.isArray(directories) && directories.every((folder) => typeof folder === 'string')) return directories;
  throw unusable('its directories are not a list of paths');
}

function withRules(
  context: PermissionContext,
  behavior: 'allow' | 'deny' | 'ask',
  change: (rules: readonly PermissionRule[]) => readonly PermissionRule[],
): PermissionContext {
  if (!BEHAVIORS.includes(behavior)) throw unusable(`its behavior is ${JSON.stringify(behavior)}`);
  return { ...context, [behavior]: change(context[behavior]) };
}

/** Two ways to write one rule have one key. */
function ruleKey(value: PermissionRuleValue): string {
  return sourceKey(parseRule(ruleText(value)));
}

function sourceKey({ toolName, source }: PermissionRule): string {
  const at = source.indexOf('(');
  return at === -1 ? currentToolName(toolName) : `${currentToolName(toolName)}${source.slice(at)}`;
}
