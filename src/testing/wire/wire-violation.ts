// What the wire validator reports (one closed list of codes, one record for each finding), and the checks that hold for any JSON
// in a request: one fast pass finds out whether something is wrong, and only then a second one where.

/** Every rule of the validator. A code names the rule, not the place; `path` names the place. */
export const WIRE_VIOLATION_CODES = [
  'body_invalid',
  'body_too_large',
  'not_json',
  'nesting_too_deep',
  'lone_surrogate',
  'unknown_field',
  'field_invalid',
  'model_invalid',
  'stream_invalid',
  'max_tokens_invalid',
  'thinking_config_invalid',
  'thinking_budget_invalid',
  'system_invalid',
  'tool_invalid',
  'tool_name_invalid',
  'tool_name_duplicate',
  'tool_schema_invalid',
  'tool_choice_invalid',
  'output_schema_invalid',
  'messages_empty',
  'role_invalid',
  'role_order',
  'content_invalid',
  'content_empty',
  'block_unknown',
  'block_role',
  'text_invalid',
  'text_empty',
  'text_blank',
  'tool_use_invalid',
  'tool_use_duplicate',
  'tool_result_invalid',
  'tool_result_missing',
  'tool_result_orphan',
  'tool_result_duplicate',
  'tool_result_order',
  'tool_result_content',
  'thinking_invalid',
  'thinking_unsigned',
  'thinking_order',
  'thinking_last',
  'thinking_missing',
  'thinking_changed',
  'cache_control_invalid',
  'cache_control_target',
  'cache_control_order',
  'cache_control_excess',
  'image_invalid',
  'image_type_mismatch',
  'image_unreadable',
  'image_too_large',
  'image_dimensions',
  'image_excess',
  'document_invalid',
  'document_encrypted',
  'document_pages',
  'prefill_whitespace',
  'prefill_forbidden',
  'prefix_changed',
] as const;

export type WireViolationCode = (typeof WIRE_VIOLATION_CODES)[number];

/** One broken rule. `path` is dotted from the body's root, as the API writes it: `messages.3.content.0.text`. */
export interface WireViolation {
  readonly code: WireViolationCode;
  readonly path: string;
  readonly detail: string;
}

/** Takes what the checks find. */
export type Report = (code: WireViolationCode, path: string, detail: string) => void;

/** A list with the `Report` that fills it. */
export function createReport(): { readonly violations: WireViolation[]; readonly report: Report } {
  const violations: WireViolation[] = [];
  return { violations, report: (code, path, detail) => violations.push({ code, path, detail }) };
}

/** One line per violation: path, detail, code. */
export function formatViolations(violations: readonly WireViolation[]): string {
  return violations.map(({ code, path, detail }) => `${path}: ${detail} [${code}]`).join('\n');
}

/** A request that the model API would refuse. Not a `ModelError`, so no engine mistakes it for a provider's failure. */
export class WireViolationError extends Error {
  readonly violations: readonly WireViolation[];

  constructor(violations: readonly WireViolation[]) {
    super(`The request is not valid on the wire; fix what built it.\n${formatViolations(violations)}`);
    this.name = 'WireViolationError';
    this.violations = violations;
  }
}

/** Deeper JSON is refused by the parsers in front of the models. */
const MAX_DEPTH = 1000;

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reports the first value under `path` that JSON cannot carry or the API would refuse.
 * @returns a cheap estimate of the serialised size, in characters
 */
export function checkJson(value: unknown, path: string, report: Report): number {
  const measure: Measure = { size: 0, flawed: false };
  measureValue(value, 0, measure);
  if (measure.flawed) reportFlaw(value, path, 0, report);
  return measure.size;
}

/** Reports the fields of `record` that are not in `known`. A field set to undefined is not sent, so it does not count. */
export function checkFields(record: JsonRecord, known: ReadonlySet<string>, path: string, report: Report): void {
  for (const key in record) {
    if (!known.has(key) && record[key] !== undefined) {
      report('unknown_field', join(path, key), 'Extra inputs are not permitted');
    }
  }
}

export function join(path: string, key: string | number): string {
  return path === '' ? String(key) : `${path}.${key}`;
}

/** Node has `isWellFormed` since 20; the ES2023 library types do not name it. */
function isWellFormed(text: string): boolean {
  return (text as unknown as { isWellFormed(): boolean }).isWellFormed();
}

interface Measure {
  size: number;
  flawed: boolean;
}

function measureValue(value: unknown, depth: number, measure: Measure): void {
  switch (typeof value) {
    case 'string':
      measure.size += value.length + 2;
      if (!isWellFormed(value)) measure.flawed = true;
      return;
    case 'number':
      measure.size += 8;
      if (!Number.isFinite(value)) measure.flawed = true;
      return;
    case 'boolean':
    case 'undefined':
      measure.size += 5;
      return;
    case 'object':
      if (value === null) measure.size += 4;
      else measureObject(value, depth, measure);
      return;
    default:
      measure.flawed = true;
  }
}

function measureObject(value: object, depth: number, measure: Measure): void {
  if (depth >= MAX_DEPTH) {
    measure.flawed = true;
    return;
  }
  measure.size += 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      measure.size += 1;
      measureValue(item, depth + 1, measure);
    }
    return;
  }
  const record = value as JsonRecord;
  for (const key in record) {
    measure.size += key.length + 4;
    if (!isWellFormed(key)) measure.flawed = true;
    measureValue(record[key], depth + 1, measure);
  }
}

/** True once the first flaw was reported. */
function reportFlaw(value: unknown, path: string, depth: number, report: Report): boolean {
  if (typeof value === 'string') {
    if (isWellFormed(value)) return false;
    report('lone_surrogate', path, 'The string holds a lone surrogate, which is not valid Unicode');
    return true;
  }
  if (typeof value !== 'object' || value === null) {
    const carried = typeof value === 'number' ? Number.isFinite(value) : value == null || typeof value === 'boolean';
    if (!carried) report('not_json', path, `JSON cannot carry ${String(value)}`);
    return !carried;
  }
  if (depth >= MAX_DEPTH) {
    report('nesting_too_deep', path.slice(0, 200), `Nested deeper than ${MAX_DEPTH} levels, or cyclic`);
    return true;
  }
  for (const [key, child] of Object.entries(value)) {
    if (!isWellFormed(key)) {
      report('lone_surrogate', path, 'A key holds a lone surrogate, which is not valid Unicode');
      return true;
    }
    if (reportFlaw(child, join(path, key), depth + 1, report)) return true;
  }
  return false;
}
