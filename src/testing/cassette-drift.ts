// Where a request differs from a recorded one: the first place, as a path, and what stands there.
import { isRecord, join } from './wire-json.js';

export interface Drift {
  /** `messages.2.content.0.text`; empty for the whole body. */
  readonly path: string;
  readonly recorded: unknown;
  readonly sent: unknown;
}

const SHOWN = 80;

/**
 * Null where both are the same. The order of keys counts for nothing.
 * @param ignored paths that are not looked at, with all that is below them; `*` stands for any one step
 */
export function findDrift(recorded: unknown, sent: unknown, ignored: readonly string[], path = ''): Drift | null {
  if (path !== '' && ignored.some((pattern) => isUnder(path, pattern))) return null;
  if (Array.isArray(recorded) && Array.isArray(sent)) {
    for (let at = 0; at < Math.max(recorded.length, sent.length); at++) {
      const found = findDrift(recorded[at], sent[at], ignored, join(path, at));
      if (found !== null) return found;
    }
    return null;
  }
  if (isRecord(recorded) && isRecord(sent)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(sent)])) {
      const found = findDrift(field(recorded, key), field(sent, key), ignored, join(path, key));
      if (found !== null) return found;
    }
    return null;
  }
  return Object.is(recorded, sent) ? null : { path, recorded, sent };
}

/** A drift in words. */
export function driftText({ path, recorded, sent }: Drift): string {
  const [before, now] = aroundDifference(recorded, sent);
  return `first difference at ${path === '' ? 'the body' : path}: recorded ${before}, sent ${now}`;
}

function field(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function isUnder(path: string, pattern: string): boolean {
  const steps = path.split('.');
  return pattern.split('.').every((step, at) => step === steps[at] || (step === '*' && steps[at] !== undefined));
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
