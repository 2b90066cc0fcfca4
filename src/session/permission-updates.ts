// Permission updates that an answer brings along: what they change for the rest of the session.
import type { PermissionContext } from '../permissions/permission-call.js';
import { type PermissionRule, parseRule, ruleFromValue, ruleText } from '../permissions/rule.js';
import type { PermissionRuleValue, PermissionUpdate } from '../protocol/permissions.js';
import { currentToolName } from '../protocol/tool-names.js';

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
  switch (update.type) {
    case 'setMode':
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
      return { ...context, roots: [...context.roots, ...update.directories] };
    case 'removeDirectories':
      return { ...context, roots: context.roots.filter((root) => !update.directories.includes(root)) };
    default:
      return update satisfies never;
  }
}

function withRules(
  context: PermissionContext,
  behavior: 'allow' | 'deny' | 'ask',
  change: (rules: readonly PermissionRule[]) => readonly PermissionRule[],
): PermissionContext {
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
