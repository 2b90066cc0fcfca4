// The rules of a folder's settings, looked over: those that cannot be used, those that are wide or never count, and whether
// their examples hold.
import type { Host } from '../../host/host.js';
import { lintRules } from '../../permissions/lint-rules.js';
import type { PermissionBehavior } from '../../protocol/permissions.js';
import {
  type CheckedExample,
  checkExamples,
  findSettings,
  type SettingsOptions,
} from '../../session/settings/index.js';

export interface RuleReport {
  readonly rules: number;
  readonly examples: readonly CheckedExample[];
  /** Rules that are understood, and probably not meant so. */
  readonly faults: readonly {
    readonly behavior: PermissionBehavior;
    readonly rule: string;
    readonly problem: string;
  }[];
  /** Rules that cannot be used. */
  readonly problems: readonly string[];
}

/** @throws ConfigError where the options are wrong */
export async function testRules(host: Host, cwd: string, options: SettingsOptions): Promise<RuleReport> {
  const opened = await findSettings(host, host.env, cwd, options).open();
  if (opened === null) return { rules: 0, examples: [], faults: [], problems: [] };
  const { rules, effective, notices } = opened;
  const examples = checkExamples(effective.entries, rules, { cwd, home: host.platform.homedir });
  return {
    rules: rules.allow.length + rules.deny.length + rules.ask.length,
    examples,
    faults: lintRules(rules).map(({ behavior, rule, problem }) => ({ behavior, rule: rule.source, problem })),
    problems: notices.filter(({ code }) => code === 'permission_rule_unusable').map(({ message }) => message),
  };
}
