// The hooks of settings: which of them run, in which order, and why the others do not. Loaded if settings have some.
// Rule: a hook that cannot be used is told and left out; those beside it stay.

import path from 'node:path';
import type { EffectiveSettings } from '../../context/effective-settings.js';
import {
  isProject,
  type SettingEntry,
  type SettingLeaf,
  type SettingScope,
  UNCLEAR,
} from '../../context/settings/index.js';
import { type ActingFiles, filesOfCommands } from '../../context/trust.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import { canBlock } from '../../hooks/declared-hooks.js';
import { compileMatcher } from '../../hooks/matcher.js';
import type { Host } from '../../host/host.js';
import { isInside, pathBelow } from '../../host/is-inside.js';
import { ConfigError } from '../../protocol/errors.js';
import type { HookEvent } from '../../protocol/hooks.js';
import { isFired, type PendingNotice } from '../config/index.js';
import { type HookWork, type HttpHookRules, hookWork, type UsableWork } from './hook-work.js';

/** A hook that does not run. */
export interface RefusedHook {
  readonly event: string;
  readonly label: string;
  readonly file: string | null;
  readonly command: string | null;
  readonly why: string;
}

export interface SettingsHooks {
  readonly commands: readonly CommandHook[];
  readonly refused: readonly RefusedHook[];
  readonly notices: readonly PendingNotice[];
}

/** A hook as settings hold it, beside what its type has. */
interface HookEntry extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly timeout?: number;
  readonly onFailure?: 'continue' | 'block' | typeof UNCLEAR;
  readonly async?: boolean;
  readonly asyncTimeout?: number;
  readonly statusMessage?: string;
  /** Front matter alone has it: the schema of settings knows no such key. */
  readonly once?: boolean;
}

interface HookGroupEntry {
  readonly matcher?: string;
  readonly hooks: readonly HookEntry[];
}

/**
 * From who is obeyed most to who was nearest to this run: of values that replace something the last counts, and hooks
 * given as code come after all of these.
 */
const ORDER: readonly SettingScope[] = ['managed', 'user', 'project', 'local', 'flag'];

/** Of one event: all that match run at the same time. */
const MAX_HOOKS = 50;

type HooksHost = Pick<Host, 'fs' | 'sha256' | 'platform'>;

/** @param cwd where the session runs commands, absolute */
export function settingsHooks(host: HooksHost, effective: EffectiveSettings, cwd: string): SettingsHooks {
  const commands: CommandHook[] = [];
  const refused: RefusedHook[] = [];
  const notices: PendingNotice[] = [];
  const httpRules = httpHookRules(effective);
  for (const { group, hook, at, whyNot } of hooksOf(effective)) {
    const event = group.path[1] as HookEvent;
    const place = `${event}[${group.at ?? 0}].hooks[${at}]`;
    const label = `${place} (${nameOf(group, host, cwd)})`;
    const isOneTooMany = commands.filter((each) => each.event === event).length >= MAX_HOOKS;
    const work = hookWork(hook, httpRules);
    const fault =
      faultOf(event, (group.value as HookGroupEntry).matcher, hook, work) ??
      (isOneTooMany ? `there are more than ${MAX_HOOKS} hooks for ${event}` : null);
    const why = whyNot ?? fault ?? whyTurnedOff(effective, group.scope);
    if (why === null && work.fault === null)
      commands.push(commandHook(host, effective, { group, hook, work, label, cwd }));
    else refused.push({ event, label, file: group.file, command: work.command, why: why ?? work.fault ?? '' });
    // What does not count as a setting is told as one.
    if (fault !== null && whyNot === null) notices.push(problem(group, `hooks.${place}`, fault));
  }
  return { commands, refused, notices: [...notices, ...idleNotice(commands)] };
}

/** A list that is there and empty lets nothing through. */
export function httpHookRules({ values, lists }: Pick<EffectiveSettings, 'values' | 'lists'>): HttpHookRules {
  const said = (key: 'allowedHttpHookUrls' | 'httpHookAllowedEnvVars') =>
    values[key] ?? (lists.includes(key) ? [] : undefined);
  return { urls: said('allowedHttpHookUrls'), variables: said('httpHookAllowedEnvVars') };
}

interface PlacedHook {
  readonly group: SettingLeaf;
  readonly hook: HookEntry;
  /** Its number in the group. */
  readonly at: number;
  /** Why its group does not count; null if it does. */
  readonly whyNot: string | null;
}

function hooksOf({ entries, refused }: EffectiveSettings): readonly PlacedHook[] {
  const all = [
    ...entries.map((group) => ({ group, whyNot: null })),
    ...refused.map(({ leaf, why }) => ({ group: leaf, whyNot: why })),
  ].filter(({ group }) => group.path[0] === 'hooks');
  return ORDER.flatMap((scope) => fromWeakest(all.filter(({ group }) => group.scope === scope))).flatMap(
    ({ group, whyNot }) => (group.value as HookGroupEntry).hooks.map((hook, at) => ({ group, hook, at, whyNot })),
  );
}

/** Of the files of one scope the stronger one comes later, as of the scopes; each as it stands. */
function fromWeakest<Placed extends { readonly group: SettingLeaf }>(groups: readonly Placed[]): readonly Placed[] {
  const files = [...new Set(groups.map(({ group }) => group.file))].reverse();
  return files.flatMap((file) => groups.filter(({ group }) => group.file === file));
}

/** Why a hook cannot be used; null if it can. */
function faultOf(event: HookEvent, matcher: string | undefined, hook: HookEntry, { fault }: HookWork): string | null {
  if (fault !== null) return fault;
  if (hook.onFailure === 'block' && !canBlock(event))
    return `onFailure is "block", but a ${event} hook can block nothing`;
  if (hook.onFailure === 'block' && hook.async === true)
    return 'onFailure is "block", but a hook with async is not waited for';
  try {
    compileMatcher(event, matcher, 'its matcher');
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.replace(/\.$/, '');
  }
}

/** The files of a folder turn off what they bring along themselves, and nothing else. */
function whyTurnedOff({ entries }: EffectiveSettings, scope: SettingScope): string | null {
  const said = entries
    .filter(({ key }) => key === 'disableAllHooks')
    .flatMap((entry: SettingEntry) => [entry, ...entry.overridden]);
  const by = (...scopes: SettingScope[]) => said.find((each) => scopes.includes(each.scope))?.value === true;
  const isOff =
    by('managed') ||
    (scope !== 'managed' && (by('flag') || (by('user') && !said.some((each) => each.scope === 'flag')))) ||
    (isProject({ scope }) && (by('local') || by('project')));
  return isOff ? 'disableAllHooks turns it off' : null;
}

/** What is not understood refuses, if the event can refuse anything: a guard must not be lost by a letter. */
function onFailureOf(event: HookEvent, { onFailure = 'continue', async: isAsync }: HookEntry): 'continue' | 'block' {
  if (onFailure !== UNCLEAR) return onFailure;
  return canBlock(event) && isAsync !== true ? 'block' : 'continue';
}

interface HookPlace {
  readonly group: SettingLeaf;
  readonly hook: HookEntry;
  readonly work: UsableWork;
  readonly label: string;
  readonly cwd: string;
}

function commandHook(
  host: HooksHost,
  effective: EffectiveSettings,
  { group, hook, work, label, cwd }: HookPlace,
): CommandHook {
  const { matcher } = group.value as HookGroupEntry;
  const event = group.path[1] as HookEvent;
  const isConfined = isProject(group);
  const known = effective.actingFiles.get(group.value) ?? null;
  return {
    event,
    label,
    scope: group.scope,
    file: group.file,
    matcher,
    command: work.command,
    ...(work.action === null ? {} : { action: work.action }),
    timeoutMs: (hook.timeout ?? work.timeoutSeconds) * 1000,
    onFailure: onFailureOf(event, hook),
    // Nothing outlives a session, so its end is waited for.
    isAsync: hook.async === true && event !== 'SessionEnd',
    ...(hook.asyncTimeout === undefined ? {} : { asyncTimeoutMs: hook.asyncTimeout * 1000 }),
    statusMessage: hook.statusMessage,
    ...(hook.once === true ? { once: { isSpent: false } } : {}),
    isConfined,
    projectFolder: isConfined ? group.base : cwd,
    changedFiles: known === null ? null : () => changedFiles(host, effective.root, [cwd, group.base], group, known),
  };
}

/** Of the files that the commands of a group name, those that are not as they were when the settings were read. */
async function changedFiles(
  host: HooksHost,
  root: string,
  folders: readonly string[],
  group: SettingLeaf,
  known: ActingFiles,
): Promise<readonly string[]> {
  const { hooks } = group.value as HookGroupEntry;
  const commands = hooks.flatMap(({ command }) => (typeof command === 'string' ? [command] : []));
  const now = await filesOfCommands(host, root, folders, commands);
  const names = [...new Set([...Object.keys(known), ...Object.keys(now)])];
  return names.filter((name) => known[name] !== now[name]);
}

/** The file as a person knows it. */
function nameOf({ file, scope, base }: SettingLeaf, { platform }: HooksHost, cwd: string): string {
  if (file === null) return 'given as an option';
  if (isProject({ scope })) return isInside(cwd, file) ? path.relative(base, file) : file;
  const fromHome = pathBelow(platform.homedir, file);
  return fromHome === null ? file : `~/${fromHome}`;
}

function problem({ file }: SettingLeaf, key: string, fault: string): PendingNotice {
  const subject = file ?? 'The settings given as an option';
  return { code: 'settings_problem', message: `${subject}: ${key} does not run: ${fault}.`, setting: { file, key } };
}

function idleNotice(commands: readonly CommandHook[]): PendingNotice[] {
  const events = [...new Set(commands.map(({ event }) => event))].filter((event) => !isFired(event));
  return events.map((event) => ({
    code: 'option_without_effect',
    message: `Hooks for ${event} have no effect in this version: it is not fired.`,
  }));
}
