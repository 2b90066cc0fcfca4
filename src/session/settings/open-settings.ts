// The settings of a session, ready to be used: values, rules, folders, and what is to be told of them. Loaded if a
// session has settings.
import path from 'node:path';
import {
  type EffectiveSettings,
  type RuleSource,
  readEffectiveSettings,
  type SettingsRequest,
} from '../../context/effective-settings.js';
import { type ExtensionKind, lockedSurfaces, type SettingsProblem } from '../../context/settings/index.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import { type Host, isFolder } from '../../host/host.js';
import type { Confinement } from '../../permissions/permission-call.js';
import {
  anyFile,
  inToolCase,
  listsPaths,
  mayHaveParts,
  type PermissionRule,
  parseRule,
  startsElsewhere,
} from '../../permissions/rule.js';
import { isOpenName } from '../../permissions/tool-rule.js';
import { ConfigError } from '../../protocol/errors.js';
import type { PermissionBehavior } from '../../protocol/permissions.js';
import { meantTool } from '../../protocol/tool-names.js';
import { errorText } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';
import { DOORS } from '../features.js';
import { type RefusedHook, type SettingsHooks, settingsHooks } from '../hooks/index.js';

const EXAMPLES = 'permissions.examples';

export interface OpenedSettings {
  readonly effective: EffectiveSettings;
  readonly rules: SettingsRules;
  /** Absolute folders that are there. */
  readonly directories: readonly string[];
  /** True if no mode may skip questions. */
  readonly disableBypass: boolean;
  /** What else they forbid: said anywhere, it holds. */
  readonly confinement: Confinement;
  /** False: shell lines of commands are not run. */
  readonly mayRunShell: boolean;
  /** Kinds that only plugins bring along. Absent: none. */
  readonly locked?: readonly ExtensionKind[];
  /** In the order their answers are merged. */
  readonly commandHooks: readonly CommandHook[];
  /** Hooks that do not run, and why. */
  readonly refusedHooks: readonly RefusedHook[];
  readonly notices: readonly PendingNotice[];
}

/** @throws ConfigError if the options are no settings */
export async function openSettings(host: Host, request: SettingsRequest): Promise<OpenedSettings> {
  const effective = await readEffectiveSettings(host, request);
  const rules = settingsRules(effective, [request.cwd, host.platform.homedir]);
  const { directories, notices } = await findDirectories(host, effective);
  const hooks = readHooks(host, effective, request.cwd);
  const locked = lockedSurfaces(effective.managed).flatMap((surface) => LOCKED_KINDS[surface] ?? []);
  const examples = await failedExamples(host, effective, rules, request.cwd);
  return {
    effective,
    rules,
    directories,
    disableBypass: effective.isPolicyLost || effective.values.permissions?.disableBypassPermissionsMode === 'disable',
    confinement: confinementOf(effective),
    mayRunShell: !isSaid(effective, 'disableSkillShellExecution', true),
    ...(locked.length === 0 ? {} : { locked }),
    commandHooks: hooks.commands,
    refusedHooks: hooks.refused,
    notices: [...settingsNotices(effective), ...rules.notices, ...examples, ...hooks.notices, ...notices],
  };
}

const LOCKED_KINDS: Readonly<Record<string, readonly ExtensionKind[]>> = {
  skills: ['skills', 'commands'],
  agents: ['agents'],
};

/** A value that confines holds, whatever a stronger source says. */
function isSaid({ entries }: EffectiveSettings, key: string, value: unknown): boolean {
  return entries.some(
    (entry) => entry.key === key && [entry, ...entry.overridden].some((each) => each.value === value),
  );
}

function confinementOf(effective: EffectiveSettings): Confinement {
  const says = (key: string, value: unknown) => isSaid(effective, key, value);
  const isOn = (key: string) => says(`permissions.${key}`, true);
  return {
    ...(says('disableAutoMode', 'disable') || says('permissions.disableAutoMode', 'disable')
      ? { disableAuto: true }
      : {}),
    ...(isOn('blockReadsOutsideWorkingDirectories') ? { blockReadsOutside: true } : {}),
    ...(isOn('blockWritesOutsideWorkingDirectories') ? { blockWritesOutside: true } : {}),
    ...(isOn('denyInsteadOfPrompting') ? { deniesAsks: true } : {}),
    ...(effective.managed.allowManagedPermissionRulesOnly === true ? { onlyManagedRules: true } : {}),
    ...((effective.values.autoMode?.hard_deny?.length ?? 0) > 0 ? { hasHardDenials: true } : {}),
  };
}

function readHooks(host: Host, effective: EffectiveSettings, cwd: string): SettingsHooks {
  const all = [...effective.entries, ...effective.refused.map(({ leaf }) => leaf)];
  if (!all.some(({ path: keys }) => keys[0] === 'hooks')) return { commands: [], refused: [], notices: [] };
  return settingsHooks(host, effective, cwd);
}

/** Few settings have examples, and what reads them is large. */
async function failedExamples(
  { platform }: Host,
  { entries }: EffectiveSettings,
  rules: SettingsRules,
  cwd: string,
): Promise<readonly PendingNotice[]> {
  if (!entries.some(({ key }) => key === EXAMPLES)) return [];
  const { checkExamples, exampleNotice } = await DOORS.ruleExamples();
  const checked = checkExamples(entries, rules, { cwd, home: platform.homedir });
  return checked.filter(({ isRight }) => !isRight).map(exampleNotice);
}

async function findDirectories({ fs, platform }: Host, { entries }: EffectiveSettings) {
  const named = entries.filter(({ key }) => key === 'permissions.additionalDirectories');
  const notices: PendingNotice[] = [];
  const directories: string[] = [];
  for (const { value, base, file } of named) {
    const text = String(value);
    const folder = text === '~' || text.startsWith('~/') ? path.join(platform.homedir, text.slice(1)) : text;
    const absolute = path.resolve(base, folder);
    if (await isFolder(fs, absolute)) directories.push(absolute);
    else
      notices.push({
        code: 'settings_problem',
        message: `${file ?? 'The settings given as an option'}: permissions.additionalDirectories names ${absolute}, which is not a folder that can be used.`,
        setting: { file, key: 'permissions.additionalDirectories' },
      });
  }
  return { directories: [...new Set(directories)], notices };
}

// The seam between settings and permissions: rules as they stand in files become rules that decide. One rule: a rule that
// is not understood is told, and if it was meant to deny or to ask, its whole tool is asked about.

interface SettingsRules {
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly allow: readonly PermissionRule[];
  readonly notices: readonly PendingNotice[];
}

/** The tool that a rule names, however the rest of it is written. */
const NAMED_TOOL = /^\s*([A-Za-z][A-Za-z0-9_-]*)/;

function settingsRules({ rules }: Pick<EffectiveSettings, 'rules'>, folders: readonly string[]): SettingsRules {
  const notices: PendingNotice[] = [];
  const asked: PermissionRule[] = [];
  const parseAll = (behavior: PermissionBehavior): PermissionRule[] =>
    rules[behavior].flatMap((rule) => {
      try {
        const parsed = parse(behavior === 'allow' ? rule : { ...rule, source: inToolCase(rule.source) ?? rule.source });
        if (behavior === 'allow' && isOpenName(parsed.toolName)) throw new ConfigError(NAMES_NO_SERVER);
        const elsewhere = behavior === 'allow' ? null : (startsElsewhere(parsed, folders) ?? listsPaths(parsed));
        if (elsewhere !== null) notices.push(keepsElsewhere(rule, behavior, elsewhere));
        return [parsed];
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

const NAMES_NO_SERVER =
  'Stars stand for parts of a name only in rules that deny or ask, and behind a server that is spelled: mcp__server__get_*.';

/** Of a tool about files all that it could do to any, by whatever tool or command. */
function wholeTool(rule: RuleSource): PermissionRule | null {
  const name = NAMED_TOOL.exec(rule.source)?.[1];
  if (name === undefined) return null;
  if (name.toLowerCase() === 'mcp') return parse({ ...rule, source: 'mcp__*' });
  return parse({ ...rule, source: anyFile(name) ?? name });
}

/** It counts as it is written: a project may have such a folder. */
function keepsElsewhere({ source, file }: RuleSource, behavior: PermissionBehavior, why: string): PendingNotice {
  return {
    code: 'permission_rule_unusable',
    message: `A rule of permissions.${behavior} probably keeps nothing: "${source}" in ${file ?? 'the option settings'}. ${why}.`,
    setting: { file, key: `permissions.${behavior}` },
  };
}

function notUnderstood(
  { source, file }: RuleSource,
  behavior: PermissionBehavior,
  error: unknown,
  tool: string | null,
): PendingNotice {
  const too = tool !== null && anyFile(tool) !== null ? ', and so is each command that does the same' : '';
  // Of a name that no part of a call goes with nobody knows here whether there is such a tool.
  const isSure = tool === null || mayHaveParts(tool) || tool.startsWith('mcp');
  const meant = isSure || tool === null ? undefined : meantTool(tool);
  const hint = meant === undefined ? '' : ` Did you mean ${source.trim().replace(tool ?? '', () => meant)}?`;
  const lost =
    tool === null
      ? 'IT PROTECTS NOTHING'
      : `${isSure ? '' : 'if there is a tool of that name, '}every call of ${tool} is asked about instead${too}`;
  const consequence = behavior === 'allow' ? 'it allows nothing' : lost;
  return {
    code: 'permission_rule_unusable',
    message: `A rule of permissions.${behavior} is not understood, so ${consequence}: "${source}" in ${file ?? 'the option settings'}. ${errorText(error)}${behavior === 'allow' ? '' : hint}`,
    setting: { file, key: `permissions.${behavior}` },
  };
}

// What a session has to tell of its settings: what is wrong in them, what does not count, what does nothing yet.

function settingsNotices(effective: EffectiveSettings): PendingNotice[] {
  return [
    ...problemNotices(effective.problems.filter(({ isIdle }) => isIdle !== true)),
    ...policyNotice(effective),
    ...refusalNotices(effective),
    ...trustNotice(effective),
    ...gitNotice(effective),
    ...idleNotice(effective),
  ];
}

/** From so many on, what is the same in one file is one notice: a long row of lines buries the one that matters. */
const MANY = 3;

function problemNotices(problems: readonly SettingsProblem[]): PendingNotice[] {
  const groups = new Map<string, SettingsProblem[]>();
  for (const problem of problems) {
    const same = `${problem.file}\n${problem.key === null ? problems.indexOf(problem) : problem.message}`;
    groups.set(same, [...(groups.get(same) ?? []), problem]);
  }
  return [...groups.values()].flatMap((group) => (group.length < MANY ? group.map(problemNotice) : [oneNotice(group)]));
}

function oneNotice(problems: readonly SettingsProblem[]): PendingNotice {
  const [{ file = null, message = '' } = {}] = problems;
  const keys = problems.map(({ key }) => key ?? '');
  return {
    code: 'settings_problem',
    message: `${sourceName(file)}: the same is wrong with ${problems.length} values; each ${message}: ${listed(keys, FEW)}.`,
    remedy: 'The command "turnwright config explain" lists them all.',
    settings: problems.map(({ key, message: what, expected, nearest }) => ({
      file,
      key,
      message: what,
      ...(expected === undefined ? {} : { expected }),
      ...(nearest === undefined ? {} : { nearest }),
    })),
  };
}

function problemNotice({ file, key, message, expected, nearest }: SettingsProblem): PendingNotice {
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  const subject = key === null ? sourceName(file) : `${sourceName(file)}: ${key}`;
  return {
    code: 'settings_problem',
    message: `${subject} ${message}.${meant}`,
    setting: {
      file,
      key,
      ...(expected === undefined ? {} : { expected }),
      ...(nearest === undefined ? {} : { nearest }),
    },
  };
}

function sourceName(file: string | null): string {
  return file ?? 'The settings given as an option';
}

function policyNotice({ isPolicyLost }: EffectiveSettings): PendingNotice[] {
  if (!isPolicyLost) return [];
  const message = 'The managed settings of this machine cannot be read, so no mode may skip questions in this session.';
  return [{ code: 'settings_problem', message }];
}

/** One for each reason and file. */
function refusalNotices({ refused }: EffectiveSettings): PendingNotice[] {
  const groups = new Map<string, { readonly file: string | null; readonly why: string; readonly keys: string[] }>();
  for (const { leaf, why, needsTrust } of refused) {
    if (needsTrust) continue;
    const group = groups.get(`${leaf.file}\n${why}`) ?? { file: leaf.file, why, keys: [] };
    groups.set(`${leaf.file}\n${why}`, group);
    if (!group.keys.includes(leaf.key)) group.keys.push(leaf.key);
  }
  return [...groups.values()].map(({ file, why, keys }) => ({
    code: 'settings_refused',
    message: `${sourceName(file)}: ${listed(keys)} ${keys.length === 1 ? 'does' : 'do'} not count: ${why}.`,
    setting: { file, key: keys[0] ?? null },
  }));
}

function trustNotice({ trust, untrusted, root }: EffectiveSettings): PendingNotice[] {
  if (trust !== 'missing') return [];
  const byFile = new Map<string, string[]>();
  for (const { leaf } of untrusted) {
    const keys = byFile.get(leaf.file ?? '') ?? [];
    byFile.set(leaf.file ?? '', keys.includes(leaf.key) ? keys : [...keys, leaf.key]);
  }
  const parts = [...byFile].map(([file, keys]) => `${listed(keys)} (${file})`);
  return [
    {
      code: 'folder_not_trusted',
      message: `Nobody vouches for ${root}, so of its settings these do not act: ${parts.join('; ')}. Rules that deny or ask hold.`,
      remedy: HOW_TO_TRUST,
    },
  ];
}

function gitNotice({ gitPrograms, root }: EffectiveSettings): PendingNotice[] {
  if (gitPrograms.length === 0) return [];
  const keys = [...new Set(gitPrograms.map(({ leaf }) => leaf.key))];
  return [
    {
      code: 'folder_not_trusted',
      message: `Nobody vouches for ${root}, and git would start programs there that its configuration names (${listed(keys)}). So every git command is asked about.`,
      remedy: HOW_TO_TRUST,
    },
  ];
}

const HOW_TO_TRUST =
  'Name project and local in settingSources, run with --trust, or start turnwright in that folder and answer its question.';

/** Keys of other products: one line for all, since nothing is wrong with them. */
function idleNotice({ problems }: EffectiveSettings): PendingNotice[] {
  const idle = problems.filter(({ isIdle }) => isIdle === true);
  if (idle.length === 0) return [];
  const keys = [...new Set(idle.map(({ key }) => key ?? ''))];
  const files = [...new Set(idle.map(({ file }) => file ?? 'given as an option'))];
  return [
    {
      code: 'option_without_effect',
      level: 'info',
      message: `Settings of other products without effect here: ${listed(keys)} (${files.join(', ')}).`,
      remedy: '"turnwright config explain" says why of each.',
      settings: idle.map(({ file, key, message }) => ({ file, key, message })),
    },
  ];
}

const SHOWN = 12;
const FEW = 3;

function listed(keys: readonly string[], shown = SHOWN): string {
  return keys.length <= shown ? keys.join(', ') : `${keys.slice(0, shown).join(', ')} and ${keys.length - shown} more`;
}
