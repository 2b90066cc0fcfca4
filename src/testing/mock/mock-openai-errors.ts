// How OpenAI words the failures that a script names in the words of the Messages API.

const CODES: ReadonlyMap<string, readonly [type: string, code: string | null]> = new Map([
  ['overloaded_error', ['server_error', 'server_overloaded']],
  ['rate_limit_error', ['requests', 'rate_limit_exceeded']],
  ['billing_error', ['insufficient_quota', 'insufficient_quota']],
  ['authentication_error', ['invalid_request_error', 'invalid_api_key']],
  ['permission_error', ['permission_error', null]],
  ['not_found_error', ['invalid_request_error', 'model_not_found']],
  ['request_too_large', ['invalid_request_error', 'request_too_large']],
  ['api_error', ['server_error', 'server_error']],
  ['invalid_request_error', ['invalid_request_error', null]],
]);

/** The error document. A status alone decides where OpenAI has no code for it. */
export function openAIErrorBody(_status: number, type: string, message: string): unknown {
  return { error: openAIError(type, message) };
}

export function openAIError(
  type: string,
  message: string,
): { message: string; type: string; param: null; code: string | null } {
  const isOverflow = message.startsWith('prompt is too long');
  const [openAIType, code] = CODES.get(type) ?? ['server_error', null];
  return { message, type: openAIType, param: null, code: isOverflow ? 'context_length_exceeded' : code };
}
