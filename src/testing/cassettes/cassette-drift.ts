// Where a request differs from a recorded one: the first place, as a path, and what stands there.
import { isRecord } from '../wire/index.js';

export interface Drift {
  /** `messages.2.content.0.text`; empty for the whole body. */
  readonly path: string;
  readonly recorded: unknown;
  readonly sent: unknown;
}

const SHOWN = 80;

export interface DriftFinder {
  /** Null if both are the same. The order of keys counts for nothing. */
  find(recorded: unknown, sent: unknown): Drift | null;
}

/** Paths that are not looked at, step by step. */
type Patterns = readonly (readonly string[])[];

/** So deep stand the lists of a body: messages, tools. */
const LIST_DEPTH = 1;
/** So many lists are looked back: agents that work side by side take turns. */
const RECENT = 16;

/** Two lists without a difference. */
interface EqualLists {
  readonly recorded: readonly unknown[];
  readonly sent: readonly unknown[];
}

/** The lists that were found equal last, newest first. */
type Known = EqualLists[];

/**
 * Contract: what lists that were found equal begin with is not looked at again, so comparing a long conversation costs what
 * is new in it.
 * @param ignored paths that are not looked at, with all that is below them; `*` stands for any one step
 */
export function createDriftFinder(ignored: readonly string[]): DriftFinder {
  const known: Known = [];
  const patterns = ignored.map((path) => path.split('.'));
  return { find: (recorded, sent) => walk(recorded, sent, patterns, 0, known) };
}

export function findDrift(recorded: unknown, sent: unknown, ignored: readonly string[]): Drift | null {
  return createDriftFinder(ignored).find(recorded, sent);
}

function walk(recorded: unknown, sent: unknown, patterns: Patterns, depth: number, known: Known): Drift | null {
  if (Object.is(recorded, sent)) return null;
  // What was not looked at may differ, which another path would see.
  const isList = depth === LIST_DEPTH && patterns.length === 0 && Array.isArray(recorded) && Array.isArray(sent);
  if (!isList) return walkParts(recorded, sent, stepsOf(recorded, sent, 0), patterns, depth, known);
  const from = alikeFromStart({ recorded, sent }, known);
  const drift = walkParts(recorded, sent, stepsOf(recorded, sent, from), patterns, depth, known);
  if (drift === null) {
    known.unshift({ recorded, sent });
    if (known.length > RECENT) known.pop();
  }
  return drift;
}

/** How many items both lists begin with that are those of two lists found equal. */
function alikeFromStart({ recorded, sent }: EqualLists, known: Known): number {
  let most = 0;
  for (const before of known) {
    const end = Math.min(recorded.length, sent.length, before.recorded.length);
    let at = 0;
    while (at < end && recorded[at] === before.recorded[at] && sent[at] === before.sent[at]) at++;
    most = Math.max(most, at);
    // Of the same conversation, whose last messages alone are others: none of the lists before it has more.
    if (at > 0) break;
  }
  return most;
}

function walkParts(
  recorded: unknown,
  sent: unknown,
  steps: Iterable<string | number> | null,
  patterns: Patterns,
  depth: number,
  known: Known,
): Drift | null {
  if (steps === null) return { path: '', recorded, sent };
  for (const step of steps) {
    const inner = patterns.length === 0 ? patterns : below(patterns, String(step));
    if (inner.some((rest) => rest.length === 0)) continue;
    const found = walk(part(recorded, step), part(sent, step), inner, depth + 1, known);
    if (found !== null) return { ...found, path: found.path === '' ? String(step) : `${step}.${found.path}` };
  }
  return null;
}

/** The steps down from two lists or two records; null if they are no such two. @param from first item of lists */
function stepsOf(recorded: unknown, sent: unknown, from: number): Iterable<string | number> | null {
  if (Array.isArray(recorded) && Array.isArray(sent)) {
    const length = Math.max(recorded.length, sent.length);
    return Array.from({ length: length - from }, (_, at) => from + at);
  }
  if (!isRecord(recorded) || !isRecord(sent)) return null;
  return new Set([...Object.keys(recorded), ...Object.keys(sent)]);
}

function part(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function below(patterns: Patterns, step: string): Patterns {
  return patterns.filter(([first]) => first === '*' || first === step).map((pattern) => pattern.slice(1));
}

/** A drift in words. */
export function driftText({ path, recorded, sent }: Drift): string {
  const [before, now] = aroundDifference(recorded, sent);
  return `first difference at ${path === '' ? 'the body' : path}: recorded ${before}, sent ${now}`;
}

/** Long texts are shown from a little before the place where they part. */
function aroundDifference(recorded: unknown, sent: unknown): readonly [string, string] {
  if (typeof recorded !== 'string' || typeof sent !== 'string') return [shown(recorded), shown(sent)];
  let at = 0;
  while (at < recorded.length && recorded[at] === sent[at]) at++;
  const from = Math.max(0, at - SHOWN / 4);
  const part = (text: string) => `${from > 0 ? '…' : ''}${shown(text.slice(from, from + SHOWN))}`;
  return [part(recorded), part(sent)];
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value) ?? String(value);
  return json.length > SHOWN + 20 ? `${json.slice(0, SHOWN)}…` : json;
}
