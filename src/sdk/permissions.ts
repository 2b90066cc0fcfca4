// Permission decisions without a session: what would be said of a call under given rules, and what a command would do.
import type { Host } from '../host/host.js';
import type { PermissionDecision } from '../permissions/permission-call.js';
import type { CommandReading } from '../permissions/shell/command-reading.js';
import type { PermissionRuleValue } from '../protocol/permissions.js';
import type { SettingsOptions } from '../session/settings/index.js';
import type { PermissionQuestion } from './permissions/permission-question.js';
import type { RuleReport } from './permissions/test-rules.js';

export type { PermissionQuestion, RuleReport };

/**
 * What would be decided about a call. Reads the file system, to follow links; runs nothing, asks nobody.
 * @throws ConfigError for a question that cannot be understood
 */
export async function checkPermission(question: PermissionQuestion, host?: Host): Promise<PermissionDecision> {
  const [{ decideQuestion }, { createNodeHost }] = await Promise.all([
    import('./permissions/check-permission.js'),
    import('../host/node-host.js'),
  ]);
  return decideQuestion(question, host ?? createNodeHost());
}

/**
 * What a session that starts in a folder would decide about a call, by the settings there. Runs nothing, asks nobody.
 * @param cwd absolute
 * @throws ConfigError for a call that cannot be understood
 */
export async function checkCallHere(
  call: Pick<PermissionQuestion, 'tool' | 'input' | 'mode'>,
  cwd: string,
  host: Host,
): Promise<PermissionDecision> {
  return (await import('./permissions/check-permission.js')).decideHere(call, cwd, host);
}

/**
 * What a command line would start, and which files it names, as far as it can be told without running it.
 * @param place absolute folders: where it would run, and what `~` is
 */
export async function explainCommand(
  command: string,
  place: { readonly cwd: string; readonly home: string | null },
): Promise<CommandReading> {
  return (await import('../permissions/shell/read-command.js')).readCommand(command, place);
}

/** Rules as they are written in settings, in the form of a permission update. @throws ConfigError for one that is none */
export async function readRules(rules: readonly string[]): Promise<PermissionRuleValue[]> {
  const { parseRule } = await import('../permissions/rule.js');
  return rules.map((rule) => {
    const text = rule.trim();
    parseRule(text);
    const [, toolName = text, content] = /^([^(]+)\((.*)\)$/s.exec(text) ?? [];
    // Written in settings, brackets stand behind a backslash.
    return content === undefined ? { toolName } : { toolName, ruleContent: content.replace(/\\([()\\])/g, '$1') };
  });
}

/**
 * Looks over the rules of a folder's settings: whether they can be used, whether their examples hold, and which are wider
 * than they look or never count.
 * @throws ConfigError where the options are wrong
 */
export async function testPermissionRules(
  options: SettingsOptions & { readonly cwd?: string } = {},
  host?: Host,
): Promise<RuleReport> {
  const [{ testRules }, { createNodeHost }] = await Promise.all([
    import('./permissions/test-rules.js'),
    import('../host/node-host.js'),
  ]);
  const machine = host ?? createNodeHost();
  return testRules(machine, options.cwd ?? machine.platform.cwd, options);
}
