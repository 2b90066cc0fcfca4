// The seam between settings and permissions: rules as they stand in files become rules that decide. One rule: a rule that
// is not understood is told, and where it was meant to deny or to ask, its whole tool is asked about.
import type { EffectiveSettings, RuleSource } from '../../context/settings/effective.js';
import { type PermissionRule, parseRule } from '../../permissions/rule.js';
import type { PermissionBehavior } from '../../protocol/permissions.js';
import { errorText } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';

export interface SettingsRules {
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly allow: readonly PermissionRule[];
  readonly notices: readonly PendingNotice[];
}

/** The tool that a rule names, however the rest of it is written. */
const NAMED_TOOL = /^\s*([A-Za-z][A-Za-z0-9_-]*)/;

export function settingsRules({ rules }: Pick<EffectiveSettings, 'rules'>): SettingsRules {
  const notices: PendingNotice[] = [];
  const asked: PermissionRule[] = [];
  const parseAll = (behavior: PermissionBehavior): PermissionRule[] =>
    rules[behavior].flatMap((rule) => {
      try {
        return [parse(rule)];
      } catch (error) {
        const whole = behavior === 'allow' ? null : wholeTool(rule);
        if (whole !== null) asked.push(whole);
        notices.push(notUnderstood(rule, behavior, error, whole?.toolName ?? null));
        return [];
      }
    });
  const [deny, ask, allow] = [parseAll('deny'), parseAll('ask'), parseAll('allow')];
  return { deny, ask: [...ask, ...asked], allow, notices };
}

/** The one place that knows how a rule is parsed. @throws ConfigError `rule_invalid` */
function parse({ source, origin, base }: RuleSource): PermissionRule {
  return parseRule(source, { origin, base });
}

function wholeTool(rule: RuleSource): PermissionRule | null {
  const name = NAMED_TOOL.exec(rule.source)?.[1];
  return name === undefined ? null : parse({ ...rule, source: name });
}

function notUnderstood(
  { source, file }: RuleSource,
  behavior: PermissionBehavior,
  error: unknown,
  tool: string | null,
): PendingNotice {
  const lost = tool === null ? 'IT PROTECTS NOTHING' : `every call of ${tool} is asked about instead`;
  const consequence = behavior === 'allow' ? 'it allows nothing' : lost;
  return {
    code: 'permission_rule_unusable',
    message: `A rule of permissions.${behavior} is not understood, so ${consequence}: "${source}" in ${file ?? 'the option settings'}. ${errorText(error)}`,
    setting: { file, key: `permissions.${behavior}` },
  };
}
