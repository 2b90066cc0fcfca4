// What a person is asked about a call, a plan or the settings of a folder, the answers there are, and what may be allowed from
// now on. One rule: what would run, act or was planned is shown whole, with nothing hidden in it, and anything but a clear yes is
// a denial.
import type {
  CanUseToolOptions,
  PermissionResult,
  PermissionRuleValue,
  PermissionUpdate,
  PermissionUpdateDestination,
} from '../protocol/permissions.js';
import { shorten } from '../util/text.js';
import { describeInput, escapeHidden, oneLine } from './escape-text.js';
import { formatCount } from './figures.js';

/** Longest note to the model, characters. */
const MAX_NOTE = 4_000;
/** Longest detail shown whole in a stream of lines; of a longer one both ends are shown, since either may hide the point. */
const MAX_DETAIL = 20_000;

/** What is not asked about as a call, but as what it means. */
const WISHES: Readonly<Record<string, string>> = {
  EnterPlanMode: 'The model wants to plan first: it reads, and changes nothing before you agree to its plan',
};

/** What a tool does with what it names. */
const VERBS: Readonly<Record<string, string>> = {
  Edit: 'change',
  NotebookEdit: 'change',
  Write: 'write',
  Read: 'read',
  Glob: 'search for',
  Grep: 'search for',
  WebFetch: 'fetch',
  WebSearch: 'search for',
};

export interface PermissionQuestion {
  /** In place of the tool and what it wants; null for calls that say it themselves. */
  readonly wish: string | null;
  /** The tool, on one line. */
  readonly tool: string;
  /** Such as `run`, `change`, `fetch`. */
  readonly wants: string;
  /** What it would do, as the model wrote it: not escaped. Empty if the tool's name says all. */
  readonly deed: string;
  /** The rest of its input: names on one line, values not escaped. */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  /** What the engine can tell of what it does, on one line; empty if the deed says all. */
  readonly does: string;
  /** Why it is asked about, on one line. */
  readonly why: string;
  readonly isOfSubagent: boolean;
  /** What keeps the next question away; null if nothing does. */
  readonly offer: Offer | null;
}

export function permissionQuestion(
  name: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
): PermissionQuestion {
  const deed = describeInput(input);
  const fields = Object.entries(input).filter(([, value]) => value !== deed && value !== undefined);
  return {
    wish: WISHES[name] ?? null,
    tool: oneLine(options.displayName ?? name, 60),
    wants: deed === '' || 'command' in input ? 'run' : (VERBS[name] ?? 'act on'),
    deed,
    fields: fields.map(([field, value]) => ({
      name: oneLine(field, 40),
      value: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
    })),
    does: oneLine(options.description ?? '', 600),
    why: oneLine(options.decisionReason ?? '', 400),
    isOfSubagent: options.agentID !== undefined,
    offer: offerOf(options.suggestions),
  };
}

export function allowOnce(): PermissionResult {
  return { behavior: 'allow', decisionClassification: 'user_temporary' };
}

/** Allowed, and from now on not asked about: what `offer` says, for as long as `destination` is read. */
export function allowAlways(offer: Offer, destination: PermissionUpdateDestination): PermissionResult {
  return {
    behavior: 'allow',
    updatedPermissions: offer.until(destination),
    decisionClassification: 'user_permanent',
  };
}

/** Another call was allowed always, and this one with it. */
export function allowedBefore(): PermissionResult {
  return { behavior: 'allow', decisionClassification: 'user_permanent' };
}

/** @param note what the person wants the model to know of it */
export function refuse(note: string): PermissionResult {
  const said = shorten(note.trim(), MAX_NOTE);
  return deny(said === '' ? 'The user refused this call.' : `The user refused this call, and says: ${said}`);
}

export function deny(message: string): PermissionResult {
  return { behavior: 'deny', message, decisionClassification: 'user_reject' };
}

export const INTERRUPTED = 'The call was interrupted before it was approved.';

/** Every character of it, escaped, long runs of white space counted out: they are used to push a second command out of sight. */
export function showHidden(text: string): string {
  return escapeHidden(text)
    .replace(/[ \t]{12,}/g, (run) => ` ⟨${formatCount(run.length)} spaces⟩ `)
    .replace(/\n\s*\n(\s*\n){2,}/g, (run) => `\n⟨${formatCount(run.split('\n').length - 1)} line ends⟩\n`);
}

/** As `showHidden`, for a stream of lines: of what is too long for it both ends are shown, and the count between. */
export function showWhole(text: string): string {
  const visible = showHidden(text);
  if (visible.length <= MAX_DETAIL) return visible;
  const half = MAX_DETAIL / 2;
  return `${visible.slice(0, half)}\n⟨${formatCount(visible.length - MAX_DETAIL)} characters not shown⟩\n${visible.slice(-half)}`;
}

interface PlanShown {
  /** Of the call. */
  readonly input: Record<string, unknown>;
  /** The plan that the model gave. */
  readonly first: string;
  /** The plan that was shown last: a person may have changed it meanwhile. */
  readonly plan: string;
}

/** @param acceptsEdits true: edits are not asked about from here on */
export function approvePlan({ input, first, plan }: PlanShown, acceptsEdits: boolean): PermissionResult {
  return {
    behavior: 'allow',
    ...(plan === first ? {} : { updatedInput: { ...input, plan } }),
    decisionClassification: 'user_temporary',
    ...(acceptsEdits
      ? { updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] as const }
      : {}),
  } as PermissionResult;
}

/** @param note what should be otherwise; empty for nothing said */
export function refusePlan(note: string): PermissionResult {
  const said = shorten(note.trim(), MAX_NOTE);
  return deny(
    said === ''
      ? 'The user wants you to plan on. Ask what to change.'
      : `The user wants you to plan on, and says: ${said}`,
  );
}

export const PLAN_INTERRUPTED = 'The call was interrupted before the plan was approved.';

export interface Offer {
  /** The same for two calls that one answer covers. */
  readonly key: string;
  /** What would be allowed, on one line. */
  readonly words: string;
  /** The rules among it; none for a mode or a folder alone. */
  readonly rules: readonly PermissionRuleValue[];
  /** True if it can be written into settings; a mode or folder is for the session. */
  readonly isKeepable: boolean;
  /** What allows it, up to there. */
  until(destination: PermissionUpdateDestination): PermissionUpdate[];
}

const MAX_WORDS = 200;

/** Null if nothing would keep the next question away. */
export function offerOf(suggestions: readonly PermissionUpdate[] | undefined): Offer | null {
  if (suggestions === undefined || suggestions.length === 0) return null;
  return {
    key: JSON.stringify(suggestions),
    words: oneLine(suggestions.map(wordsOf).join(', '), MAX_WORDS),
    rules: suggestions.flatMap((update) => (update.type === 'addRules' ? update.rules : [])),
    isKeepable: suggestions.every(({ type }) => type === 'addRules'),
    until: (destination) => suggestions.map((update) => ({ ...update, destination })),
  };
}

/** The same offer with other rules in place of its own; modes and folders of it stay. */
export function withRules(offer: Offer, rules: readonly PermissionRuleValue[]): Offer {
  const others = offer.until('session').filter(({ type }) => type !== 'addRules');
  const added: PermissionUpdate = { type: 'addRules', rules, behavior: 'allow', destination: 'session' };
  return offerOf([added, ...others]) ?? offer;
}

function wordsOf(update: PermissionUpdate): string {
  switch (update.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return update.rules
        .map(({ toolName, ruleContent }) => (ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`))
        .join(', ');
    case 'setMode':
      return update.mode === 'acceptEdits' ? 'edits in the workspace' : `mode ${update.mode}`;
    case 'addDirectories':
    case 'removeDirectories':
      return `files in ${update.directories.join(', ')}`;
    default:
      return update satisfies never;
  }
}

/** A value that would act. */
interface ActingValue {
  readonly file: string;
  readonly key: string;
  readonly value: unknown;
  /** Files that it names. */
  readonly files: readonly string[];
}

/** As `sdk/folder-trust.ts` finds it. */
export interface ActingValues {
  readonly root: string;
  readonly settings: readonly ActingValue[];
  readonly git: readonly ActingValue[];
  readonly skills: readonly ActingValue[];
  readonly agents: readonly ActingValue[];
  readonly commands: readonly ActingValue[];
  readonly outputStyles: readonly ActingValue[];
}

export interface TrustQuestion {
  /** Such as `brings settings that nobody has vouched for. They would act:`. */
  readonly what: string;
  /** By file, each with its values, indented; escaped, and as long as they are. */
  readonly lines: readonly string[];
  /** As many as are asked about. */
  readonly count: number;
}

export const WITHOUT_TRUST =
  'Without your trust only its rules that deny or ask count. A value that changes is asked about again.';

/** More than a person reads: then the question is not asked. */
const MAX_VALUES = 200;
/** Longest value that is shown whole, characters. A longer one cannot be agreed to here. */
const MAX_VALUE = 2_000;
/** Files of one value that are named. */
const MAX_FILES = 12;

/** Null if there is more than a person could read. */
export function trustQuestion(folder: ActingValues): TrustQuestion | null {
  const { settings, git, skills, agents, commands, outputStyles } = folder;
  const all = [...settings, ...git, ...skills, ...agents, ...commands, ...outputStyles];
  if (all.length > MAX_VALUES || all.some((each) => shown(each).length > MAX_VALUE)) return null;
  const texts =
    skills.length > 0 ? 'skills' : agents.length > 0 ? 'agents' : commands.length > 0 ? 'commands' : 'output styles';
  const part = (values: readonly ActingValue[], head: string) =>
    values.length === 0 ? [] : [`  and ${head}:`, ...byFile(values)];
  return {
    what: `brings ${settings.length + git.length === 0 ? texts : 'settings'} that nobody has vouched for. They would act:`,
    lines: [
      ...byFile(settings),
      ...part(git, 'git would start these programs whenever it is run'),
      ...part(skills, 'the model would be told to work by these texts'),
      ...part(agents, 'the model could start these agents'),
      ...part(commands, 'you could call these commands'),
      ...part(outputStyles, 'the model could be told to write in these styles'),
    ],
    count: all.length,
  };
}

function byFile(values: readonly ActingValue[]): string[] {
  const files = [...new Set(values.map(({ file }) => file))];
  return files.flatMap((file) => [
    `  ${escapeHidden(file)}`,
    ...values.filter((each) => each.file === file).flatMap((each) => [`    ${shown(each)}`, ...named(each)]),
  ]);
}

/** Files that a command names act as much as the command does. */
function named({ files }: ActingValue): string[] {
  if (files.length === 0) return [];
  const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : '';
  const names = files.slice(0, MAX_FILES).map((file) => escapeHidden(JSON.stringify(file).slice(1, -1)));
  return [`      with ${names.join(', ')}${more}, as ${files.length === 1 ? 'it stands' : 'they stand'}`];
}

function shown({ key, value }: ActingValue): string {
  // JSON writes line ends and quotes out, so that a value cannot look like another line.
  return `${escapeHidden(JSON.stringify(key).slice(1, -1))} = ${escapeHidden(JSON.stringify(value))}`;
}
