// The examples of settings, held against the rules of settings.
import type { SettingEntry } from '../../context/settings/index.js';
import type { PermissionRule } from '../../permissions/rule.js';
import { type ExamplePlace, speaksOf } from '../../permissions/rule-examples.js';
import type { PermissionBehavior } from '../../protocol/permissions.js';
import type { PendingNotice } from '../config/index.js';

export interface CheckedExample {
  /** As the example names it. */
  readonly rule: string;
  /** Null if no list has the rule. */
  readonly behavior: PermissionBehavior | null;
  readonly example: string;
  readonly expected: 'match' | 'not_match';
  readonly isRight: boolean;
  readonly file: string | null;
}

type Rules = Readonly<Record<PermissionBehavior, readonly PermissionRule[]>>;

/** Each example of each rule; one without a rule in the lists is wrong. */
export function checkExamples(entries: readonly SettingEntry[], rules: Rules, place: ExamplePlace): CheckedExample[] {
  return entries
    .filter(({ key }) => key === 'permissions.examples')
    .flatMap(({ value, file }) => {
      const {
        rule: source,
        match = [],
        not_match: notMatch = [],
      } = value as {
        readonly rule: string;
        readonly match?: readonly string[];
        readonly not_match?: readonly string[];
      };
      const named = findRule(rules, source);
      const check = (expected: CheckedExample['expected']) => (example: string) => ({
        rule: source,
        behavior: named?.behavior ?? null,
        example,
        expected,
        isRight: named !== null && speaksOf(named.rule, named.behavior, example, place) === (expected === 'match'),
        file,
      });
      return [...match.map(check('match')), ...notMatch.map(check('not_match'))];
    });
}

export function exampleNotice({ rule, behavior, example, expected, file }: CheckedExample): PendingNotice {
  const where = file ?? 'the option settings';
  const why =
    behavior === null
      ? `names the rule "${rule}", which stands in no list`
      : `says that "${rule}" (${behavior}) ${expected === 'match' ? 'speaks' : 'does not speak'} of "${example.slice(0, 200)}", and it is not so`;
  return {
    code: 'permission_example_failed',
    message: `An example in ${where} ${why}.`,
    remedy: 'Correct the rule or the example; "turnwright permissions test" checks all of them.',
  };
}

function findRule(rules: Rules, source: string): { rule: PermissionRule; behavior: PermissionBehavior } | null {
  for (const behavior of ['deny', 'ask', 'allow'] as const) {
    const rule = rules[behavior].find((candidate) => candidate.source === source.trim());
    if (rule !== undefined) return { rule, behavior };
  }
  return null;
}
