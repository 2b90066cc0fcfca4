// Which firings of an event a matcher wants. A matcher that cannot be used is an error when it is given, never a hook
// that silently stays away.
import { ConfigError } from '../protocol/errors.js';
import type { HookEvent, HookInput } from '../protocol/hooks.js';
import { currentToolName } from '../protocol/tool-names.js';
import { basenameOf } from '../util/posix-path.js';
import { errorText } from '../util/text.js';
import { patternCost } from './pattern-cost.js';

/** True if the hooks of a matcher run for this subject (see `hookSubject`); null: the event has none. */
export type AppliesTo = (subject: string | null) => boolean;

/** Characters of a subject that are looked at. Tool names end well before. */
const SUBJECT_LIMIT = 256;
const MATCHER_LIMIT = 1000;
const MAX_PATTERN_SIZE = 10_000;
/** Three free repeats over the longest subject (20 ms at the worst), or 23 optional characters (0.2 s). */
const MAX_PATHS = (SUBJECT_LIMIT + 1) ** 3;

const TOOL_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
]);

/**
 * Reads a matcher of `event`.
 * Contract: absent, '' and '*' match all. Names, or a list of names by `|` or `,`, match exactly; a `*` in them stands
 * for any rest. Anything else is a regular expression (case counts) over the whole subject; one that starts with `^` or
 * ends with `$` says itself where it is anchored. An event without a subject ignores the matcher.
 * @param where  how messages name the matcher, for example `hooks.PreToolUse[0].matcher`
 * @throws ConfigError for a pattern that is invalid, could take too long, or can never match a tool
 */
export function compileMatcher(event: HookEvent, matcher: string | undefined, where: string): AppliesTo {
  const source = matcher?.trim() ?? '';
  if (source === '' || source === '*') return () => true;
  if (source.length > MATCHER_LIMIT) {
    throw new ConfigError(
      `${where} has ${source.length} characters; the limit is ${MATCHER_LIMIT}. Split it into several matchers.`,
    );
  }
  const test = /^[\w\s,|*-]+$/.test(source) ? namesTest(event, source, where) : patternTest(event, source, where);
  return (subject) => subject === null || test(subject.slice(0, SUBJECT_LIMIT));
}

/**
 * What the matcher of an event is held against: the tool name, or the event's own subject.
 * @returns null if the event has no subject, '' if this firing leaves it out
 */
export function hookSubject(input: HookInput): string | null {
  switch (input.hook_event_name) {
    case 'PreToolUse':
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'PermissionRequest':
    case 'PermissionDenied':
      return input.tool_name;
    case 'SessionStart':
    case 'ConfigChange':
    case 'PreModelSwitch':
    case 'PostModelSwitch':
    case 'DirectoryAdded':
      return input.source;
    case 'UserPromptExpansion':
      return input.command_name;
    case 'PreCompact':
    case 'PostCompact':
    case 'Setup':
      return input.trigger;
    case 'Notification':
      return input.notification_type;
    case 'SubagentStart':
    case 'SubagentStop':
      return input.agent_type ?? '';
    case 'SessionEnd':
      return input.reason;
    case 'StopFailure':
      return input.error;
    case 'InstructionsLoaded':
      return input.load_reason;
    case 'FileChanged':
      return basenameOf(input.file_path);
    case 'Elicitation':
    case 'ElicitationResult':
      return input.mcp_server_name;
    case 'UserPromptSubmit':
    case 'Stop':
    case 'TeammateIdle':
    case 'TaskCreated':
    case 'TaskCompleted':
    case 'WorktreeCreate':
    case 'WorktreeRemove':
    case 'CwdChanged':
    case 'PostToolBatch':
    case 'MessageDisplay':
      return null;
    default:
      input satisfies never;
      return null;
  }
}

function namesTest(event: HookEvent, source: string, where: string): (subject: string) => boolean {
  const names = source
    .split(/[|,]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new ConfigError(`${where} "${source}" names nothing. Leave it out to match all.`);
  for (const name of names) refuseBlank(event, name, where);
  const today = TOOL_EVENTS.has(event) ? currentToolName : (name: string) => name;
  const exact = new Set(names.filter((name) => !name.includes('*')).map(today));
  const open = names
    .filter((name) => name.includes('*'))
    .map((name) => compilePattern(name.replace(/\*+/g, '.*'), name, 0, where));
  return (subject) => exact.has(subject) || open.some((pattern) => pattern.test(subject));
}

function patternTest(event: HookEvent, source: string, where: string): (subject: string) => boolean {
  refuseBlank(event, source, where);
  const anchorsItself = source.startsWith('^') || /(?:^|[^\\])(?:\\\\)*\$$/.test(source);
  const startsAtFirst = source.startsWith('^') && !source.includes('|');
  const starts = !anchorsItself ? 0 : startsAtFirst ? 1 : SUBJECT_LIMIT + 1;
  const pattern = compilePattern(source, source, starts, where);
  return (subject) => pattern.test(subject);
}

/** A guard written as `Bash(rm *)` would never run, and nobody would notice. */
function refuseBlank(event: HookEvent, source: string, where: string): void {
  if (!TOOL_EVENTS.has(event) || !/\s/.test(source)) return;
  throw new ConfigError(
    `${where} "${source}" holds a blank, and no tool name does. A matcher names tools, not their input: ` +
      `write the tool's name and look at tool_input in the hook.`,
  );
}

/**
 * @param body    the pattern without the anchors that make it match the whole subject
 * @param starts  at how many positions of the subject the engine may begin; 0: only at the first, and to the end
 */
function compilePattern(body: string, source: string, starts: number, where: string): RegExp {
  let pattern: RegExp;
  try {
    // Alone first: the group put around it must not close a parenthesis that it left open.
    pattern = new RegExp(body, 's');
    if (starts === 0) pattern = new RegExp(`^(?:${body})$`, 's');
  } catch (error) {
    throw new ConfigError(
      `${where} "${source}" is not a regular expression (${errorText(error)}). Write tool names, a list such as ` +
        `Edit|Write, or a valid pattern such as mcp__.*.`,
      { cause: error },
    );
  }
  const { paths, size } = patternCost(body, SUBJECT_LIMIT);
  if (paths * Math.max(1, starts) > MAX_PATHS || size > MAX_PATTERN_SIZE) {
    throw new ConfigError(
      `${where} "${source}" could take too long to match. Repeat no group that holds a repeat or a choice, and use at ` +
        `most three of * and +.`,
    );
  }
  return pattern;
}
