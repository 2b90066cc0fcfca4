// Which firings of an event a matcher wants. A matcher that cannot be used is an error when it is given, never a hook
// that silently stays away.
import { ConfigError } from '../protocol/errors.js';
import type { HookEvent, HookInput } from '../protocol/hooks.js';
import { currentToolName } from '../protocol/tool-names.js';
import { basenameOf } from '../util/posix-path.js';
import { errorText } from '../util/text.js';

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

// How long a regular expression could take on a short name. A bound, never an exact figure: too high is safe, too low
// is a bug.

/** What a pattern can cost. Both are upper bounds, and may be Infinity. */
export interface PatternCost {
  /** Ways through the pattern that a backtracking engine may have to try. */
  readonly paths: number;
  /** Atoms of the pattern with its counted repeats written out. */
  readonly size: number;
}

/**
 * Bounds the cost of a valid regular expression on a text of `length` characters, searched at one position.
 * Contract: linear in the source; a pattern whose `paths` are few cannot hang the engine.
 */
export function patternCost(source: string, length: number): PatternCost {
  return readAlternatives({ source, at: 0 }, length);
}

interface Cursor {
  readonly source: string;
  at: number;
}

function readAlternatives(cursor: Cursor, length: number): PatternCost {
  let cost = readSequence(cursor, length);
  while (cursor.source[cursor.at] === '|') {
    cursor.at += 1;
    const next = readSequence(cursor, length);
    cost = { paths: cost.paths + next.paths, size: cost.size + next.size };
  }
  return cost;
}

function readSequence(cursor: Cursor, length: number): PatternCost {
  let cost: PatternCost = { paths: 1, size: 1 };
  while (cursor.at < cursor.source.length && !'|)'.includes(cursor.source[cursor.at] ?? '')) {
    const term = repeat(readAtom(cursor, length), readQuantifier(cursor), length);
    cost = { paths: cost.paths * term.paths, size: cost.size + term.size };
  }
  return cost;
}

const GROUP_START = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/y;
const CHARACTER_CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/y;
const ESCAPE_OR_CHARACTER = /\\[\s\S]|[\s\S]/y;

function readAtom(cursor: Cursor, length: number): PatternCost {
  if (eat(cursor, GROUP_START) !== null) {
    const inner = readAlternatives(cursor, length);
    cursor.at += 1; // the closing parenthesis
    return inner;
  }
  if (eat(cursor, CHARACTER_CLASS) === null) eat(cursor, ESCAPE_OR_CHARACTER);
  return { paths: 1, size: 1 };
}

interface Quantifier {
  readonly min: number;
  readonly max: number;
}

const QUANTIFIER = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y;

function readQuantifier(cursor: Cursor): Quantifier {
  const match = eat(cursor, QUANTIFIER);
  if (match === null) return { min: 1, max: 1 };
  const [text, least, comma, most] = match;
  if (least !== undefined) {
    const min = Number(least);
    if (comma === '') return { min, max: min };
    return { min, max: most === '' ? Number.POSITIVE_INFINITY : Number(most) };
  }
  if (text.startsWith('?')) return { min: 0, max: 1 };
  return { min: text.startsWith('+') ? 1 : 0, max: Number.POSITIVE_INFINITY };
}

function repeat(atom: PatternCost, { min, max }: Quantifier, length: number): PatternCost {
  // No more repeats than characters can match, but for empty ones, which the engine takes once.
  const most = Math.min(max, min + length);
  const copies = Number.isFinite(max) ? max : min + 1;
  return { paths: repeatedPaths(atom.paths, min, most), size: atom.size * Math.max(1, copies) };
}

/** The sum of `paths` to the power of each number of repeats. */
function repeatedPaths(paths: number, min: number, most: number): number {
  if (paths === 1) return Math.max(1, most - min + 1);
  let sum = 0;
  for (let repeats = min; repeats <= most && Number.isFinite(sum); repeats += 1) sum += paths ** repeats;
  return sum;
}

function eat(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = cursor.at;
  const match = sticky.exec(cursor.source);
  if (match !== null) cursor.at = sticky.lastIndex;
  return match;
}
