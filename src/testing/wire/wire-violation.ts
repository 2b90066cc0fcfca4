// What the wire validator reports: one closed list of codes, one record per finding. Nothing here checks anything.

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
