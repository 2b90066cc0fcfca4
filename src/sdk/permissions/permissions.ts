// Permission decisions without a session: what would be said of a call under given rules, and what a command would do.

import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import type { PermissionDecision } from '../../permissions/permission-call.js';
import { parseRule } from '../../permissions/rule.js';
import type { CommandReading } from '../../permissions/shell/index.js';
import { ConfigError } from '../../protocol/errors.js';
import { checkObject, kindOf } from '../../protocol/given.js';
import type { PermissionRuleValue } from '../../protocol/permissions.js';
import type { SettingsOptions } from '../../session/settings/index.js';
import { DOORS } from '../features.js';
import { isOfKind } from '../options/index.js';
import type { CallHere, DecisionHere, PermissionQuestion, RuleReport } from './check-permission.js';

export type { PermissionQuestion, RuleReport };

/**
 * What would be decided about a call. Reads the file system, to follow links; runs nothing, asks nobody.
 * @throws ConfigError for a question that cannot be understood
 */
export async function checkPermission(question: PermissionQuestion, host?: Host): Promise<PermissionDecision> {
  return (await DOORS.permissionChecks()).decideQuestion(question, await machineOf(host));
}

/**
 * What a session that starts in a folder would decide about a call, by the settings there. Runs nothing, asks nobody.
 * @param cwd absolute
 * @throws ConfigError for a call that cannot be understood
 */
export async function checkCallHere(call: CallHere, cwd: string, host: Host): Promise<DecisionHere> {
  return (await DOORS.permissionChecks()).decideHere(call, cwd, host);
}

/**
 * What a command line would start, and which files it names, as far as it can be told without running it.
 * @param place absolute folders: where it would run, and what `~` is
 */
export async function explainCommand(
  command: string,
  place: { readonly cwd: string; readonly home: string | null },
): Promise<CommandReading> {
  if (typeof command !== 'string') throw new ConfigError(`A command must be a text, not ${kindOf(command)}.`);
  checkObject(place, 'The place of a command');
  return (await DOORS.commandReader()).readCommand(command, place);
}

/** Rules as they are written in settings, in the form of a permission update. @throws ConfigError for one that is none */
export async function readRules(rules: readonly string[]): Promise<PermissionRuleValue[]> {
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
 * @throws ConfigError if the options are wrong
 */
export async function testPermissionRules(
  options: SettingsOptions & { readonly cwd?: string } = {},
  host?: Host,
): Promise<RuleReport> {
  checkObject(options, 'The options of testPermissionRules()');
  const machine = await machineOf(host);
  return (await DOORS.permissionChecks()).testRules(machine, options.cwd ?? machine.platform.cwd, options);
}

async function machineOf(host: Host | undefined): Promise<Host> {
  if (host === undefined) return createNodeHost();
  if (isOfKind('host', host)) return host;
  throw new ConfigError(`\`host\` must be a Host, as createNodeHost() makes one, not ${kindOf(host)}.`);
}
