// Where a request differs from a recorded one: the first place, as a path, and what stands there.
import { isRecord } from './wire-json.js';

export interface Drift {
  /** `messages.2.content.0.text`; empty for the whole body. */
  readonly path: string;
  readonly recorded: unknown;
  readonly sent: unknown;
}

const SHOWN = 80;

export interface DriftFinder {
  /** Null where both are the same. The order of keys counts for nothing. */
  find(recorded: unknown, sent: unknown): Drift | null;
}

/** Paths that are not looked at, step by step. */
type Patterns = readonly (readonly string[])[];

/** So deep stand the items of a body's lists: messages, tools. */
const ITEM_DEPTH = 2;

/**
 * Contract: items of lists that were found equal once are not looked at again, so comparing a long conversation costs what
 * is new in it.
 * @param ignored paths that are not looked at, with all that is below them; `*` stands for any one step
 */
export function createDriftFinder(ignored: readonly string[]): DriftFinder {
  const equal = new WeakMap<object, object>();
  const patterns = ignored.map((path) => path.split('.'));
  return { find: (recorded, sent) => walk(recorded, sent, patterns, 0, equal) };
}

export function findDrift(recorded: unknown, sent: unknown, ignored: readonly string[]): Drift | null {
  return createDriftFinder(ignored).find(recorded, sent);
}

function walk(
  recorded: unknown,
  sent: unknown,
  patterns: Patterns,
  depth: number,
  equal: WeakMap<object, object>,
): Drift | null {
  if (Object.is(recorded, sent)) return null;
  const isItem = depth === ITEM_DEPTH && isRecord(recorded) && isRecord(sent);
  if (isItem && equal.get(recorded) === sent) return null;
  const drift = walkParts(recorded, sent, patterns, depth, equal);
  // What was not looked at may differ, which another path would see.
  if (isItem && drift === null && patterns.length === 0) equal.set(recorded, sent);
  return drift;
}

function walkParts(
  recorded: unknown,
  sent: unknown,
  patterns: Patterns,
  depth: number,
  equal: WeakMap<object, object>,
): Drift | null {
  const steps = stepsOf(recorded, sent);
  if (steps === null) return { path: '', recorded, sent };
  for (const step of steps) {
    const inner = patterns.length === 0 ? patterns : below(patterns, String(step));
    if (inner.some((rest) => rest.length === 0)) continue;
    const found = walk(part(recorded, step), part(sent, step), inner, depth + 1, equal);
    if (found !== null) return { ...found, path: found.path === '' ? String(step) : `${step}.${found.path}` };
  }
  return null;
}

/** The steps down from two lists or two records; null where they are no such two. */
function stepsOf(recorded: unknown, sent: unknown): Iterable<string | number> | null {
  if (Array.isArray(recorded) && Array.isArray(sent)) {
    return (recorded.length > sent.length ? recorded : sent).keys();
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
