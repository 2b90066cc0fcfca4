// The strict checker of Responses requests without state: what OpenAI's API would answer with 400, found before it is sent.
// One rule: it judges what is on the wire and repairs nothing.

import { checkImageUrl, checkStrictSchema, checkToolName, createNameCheck, MAX_CALL_ID } from './wire-chat.js';
import { MAX_BODY_BYTES, type MockCheck, type WireCheck } from './wire-validator.js';
import {
  checkFields,
  checkJson,
  createReport,
  isRecord,
  type JsonRecord,
  type Report,
  type WireViolation,
} from './wire-violation.js';

const BODY_FIELDS = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'store',
  'include',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_output_tokens',
  'reasoning',
  'text',
  'prompt_cache_key',
  'temperature',
  'top_p',
  'metadata',
  'service_tier',
  'truncation',
  'user',
]);
const EFFORTS: ReadonlySet<unknown> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']);
const SUMMARIES: ReadonlySet<unknown> = new Set(['auto', 'concise', 'detailed']);
const LEAST_OUTPUT_TOKENS = 16;

/**
 * Checks the body of one `POST /responses` with `store: false`.
 * Contract: pure, linear in the size of the body, never throws; an empty list means that OpenAI's API would take the
 * request as far as its shape decides.
 */
export function validateResponsesRequest(body: unknown, options: { readonly bytes?: number } = {}): WireViolation[] {
  return [...checkResponsesBody(body, options.bytes).violations];
}

function checkResponsesBody(body: unknown, bytes: number | undefined): WireCheck {
  const { violations, report } = createReport();
  if (!isRecord(body)) {
    report('body_invalid', '', 'The body must be a JSON object');
    return { violations, size: 0 };
  }
  checkFields(body, BODY_FIELDS, '', report);
  const size = checkJson(body, '', report);
  if ((bytes ?? size) > MAX_BODY_BYTES) report('body_too_large', '', 'The request is too large');
  checkScalars(body, report);
  const names = checkTools(body['tools'], report);
  if (body['tool_choice'] !== undefined && names.size === 0) {
    report('tool_choice_invalid', 'tool_choice', 'Tool choice requires tools');
  }
  checkInput(body['input'], report);
  return { violations, size };
}

/** The checker of a mock server. */
export function createResponsesCheck(): MockCheck {
  return {
    checkBody: (body, bytes) => checkResponsesBody(body, bytes),
    noteReply: () => undefined, // encrypted content is checked by the tests that carry it
  };
}

function checkScalars(body: JsonRecord, report: Report): void {
  const { model, stream, store, max_output_tokens: limit, reasoning, text, instructions } = body;
  if (typeof model !== 'string' || model.trim() === '') report('model_invalid', 'model', 'A model is required');
  if (stream !== undefined && typeof stream !== 'boolean') report('stream_invalid', 'stream', 'must be a boolean');
  if (store !== false) report('field_invalid', 'store', 'Without state, store must be false');
  if (instructions !== undefined && (typeof instructions !== 'string' || instructions === '')) {
    report('system_invalid', 'instructions', 'instructions must be a text that is not empty');
  }
  if (limit !== undefined && !(Number.isSafeInteger(limit) && (limit as number) >= LEAST_OUTPUT_TOKENS)) {
    report('max_tokens_invalid', 'max_output_tokens', `Expected a value >= ${LEAST_OUTPUT_TOKENS}`);
  }
  if (reasoning !== undefined) checkReasoning(reasoning, report);
  if (text !== undefined) {
    const format = isRecord(text) && isRecord(text['format']) ? text['format'] : {};
    if (format['type'] !== 'json_schema') report('field_invalid', 'text.format', 'must be json_schema');
    else checkStrictSchema(format, 'text.format', report);
  }
}

function checkReasoning(reasoning: unknown, report: Report): void {
  if (!isRecord(reasoning)) {
    report('field_invalid', 'reasoning', 'reasoning must be an object');
    return;
  }
  checkFields(reasoning, new Set(['effort', 'summary']), 'reasoning', report);
  const { effort, summary } = reasoning;
  if (effort !== undefined && !EFFORTS.has(effort)) report('field_invalid', 'reasoning.effort', 'Unknown effort');
  if (summary !== undefined && !SUMMARIES.has(summary)) report('field_invalid', 'reasoning.summary', 'Unknown summary');
}

function checkTools(tools: unknown, report: Report): ReadonlySet<string> {
  const names = createNameCheck('tools', report);
  if (tools === undefined) return names.seen;
  if (!Array.isArray(tools)) {
    report('tool_invalid', 'tools', 'tools must be a list');
    return names.seen;
  }
  for (const [at, tool] of (tools as unknown[]).entries()) {
    if (!isRecord(tool) || tool['type'] !== 'function') {
      report('tool_invalid', `tools.${at}`, 'A tool must be a function');
      continue;
    }
    checkFields(tool, new Set(['type', 'name', 'description', 'parameters', 'strict']), `tools.${at}`, report);
    if (tool['strict'] !== false)
      report('tool_schema_invalid', `tools.${at}.strict`, 'The schema is not in the strict form');
    names.check(tool, `tools.${at}`);
  }
  return names.seen;
}

/** What is known of the input so far. */
interface Reading {
  /** Calls by id; true once answered. */
  readonly calls: Map<string, boolean>;
  readonly reasoning: Set<string>;
}

function checkInput(input: unknown, report: Report): void {
  if (!Array.isArray(input) || input.length === 0) {
    report('messages_empty', 'input', 'input must be a list that is not empty');
    return;
  }
  const reading: Reading = { calls: new Map(), reasoning: new Set() };
  for (const [at, item] of (input as unknown[]).entries()) {
    const next: unknown = input[at + 1];
    checkItem(item, next, `input.${at}`, reading, report);
  }
  for (const [id, isAnswered] of reading.calls) {
    if (!isAnswered) report('tool_result_missing', 'input', `No tool output found for function call ${id}`);
  }
}

function checkItem(item: unknown, next: unknown, path: string, reading: Reading, report: Report): void {
  const type = isRecord(item) ? item['type'] : undefined;
  if (!isRecord(item)) report('content_invalid', path, 'An item must be an object');
  else if (type === 'message') checkMessage(item, path, report);
  else if (type === 'function_call') checkCall(item, path, reading, report);
  else if (type === 'function_call_output') checkOutput(item, path, reading, report);
  else if (type === 'reasoning') checkReasoningItem(item, next, path, reading, report);
  else report('block_unknown', path, `Unknown item ${JSON.stringify(type)}`);
}

function checkMessage(item: JsonRecord, path: string, report: Report): void {
  checkFields(item, new Set(['type', 'role', 'content']), path, report);
  const { role, content } = item;
  if (role === 'assistant') {
    if (typeof content !== 'string' || content === '') report('text_empty', `${path}.content`, 'A text is required');
  } else if (role === 'user') checkParts(content, `${path}.content`, report);
  else report('role_invalid', `${path}.role`, `Unknown role ${JSON.stringify(role)}`);
}

function checkCall(item: JsonRecord, path: string, { calls }: Reading, report: Report): void {
  checkFields(item, new Set(['type', 'call_id', 'name', 'arguments']), path, report);
  const { call_id: id, name, arguments: args } = item;
  checkToolName(name, `${path}.name`, report);
  if (typeof id !== 'string' || id === '' || id.length > MAX_CALL_ID.responses) {
    report('tool_use_invalid', `${path}.call_id`, `Expected a string with maximum length ${MAX_CALL_ID.responses}`);
  } else if (calls.has(id)) report('tool_use_duplicate', `${path}.call_id`, `Duplicate call ${id}`);
  else calls.set(id, false);
  if (!isJsonObject(args)) report('tool_use_invalid', `${path}.arguments`, 'arguments must be a JSON object as text');
}

function isJsonObject(text: unknown): boolean {
  try {
    return typeof text === 'string' && isRecord(JSON.parse(text));
  } catch {
    return false; // reported by the caller
  }
}

function checkOutput(item: JsonRecord, path: string, { calls }: Reading, report: Report): void {
  checkFields(item, new Set(['type', 'call_id', 'output']), path, report);
  const { call_id: id, output } = item;
  const state = typeof id === 'string' ? calls.get(id) : undefined;
  if (typeof id !== 'string' || state === undefined) {
    report('tool_result_orphan', path, `No tool call found for function call output ${JSON.stringify(id)}`);
  } else if (state) report('tool_result_duplicate', path, `The call ${id} was answered before`);
  else calls.set(id, true);
  if (typeof output === 'string') {
    if (output === '') report('text_empty', `${path}.output`, 'output must not be empty');
  } else checkParts(output, `${path}.output`, report);
}

/** Reasoning needs its encrypted content, since nothing is stored, and what it led to behind it. */
function checkReasoningItem(item: JsonRecord, next: unknown, path: string, reading: Reading, report: Report): void {
  checkFields(item, new Set(['type', 'id', 'summary', 'encrypted_content']), path, report);
  const { id, summary, encrypted_content: encrypted } = item;
  if (typeof encrypted !== 'string' || encrypted === '') {
    report('thinking_unsigned', path, 'Items are not persisted when `store` is set to false');
  }
  if (typeof id === 'string' && reading.reasoning.has(id)) report('thinking_invalid', path, `Duplicate item ${id}`);
  if (typeof id === 'string') reading.reasoning.add(id);
  const isList = Array.isArray(summary);
  if (
    !isList ||
    summary.some(
      (part: unknown) => !isRecord(part) || part['type'] !== 'summary_text' || typeof part['text'] !== 'string',
    )
  ) {
    report('thinking_invalid', `${path}.summary`, 'summary must be a list of texts');
  }
  const follows = isRecord(next) ? next['type'] : undefined;
  const isOwn =
    follows === 'reasoning' || follows === 'function_call' || (isRecord(next) && next['role'] === 'assistant');
  if (!isOwn) report('thinking_last', path, 'reasoning was provided without its required following item');
}

function checkParts(parts: unknown, path: string, report: Report): void {
  if (!Array.isArray(parts) || parts.length === 0) {
    report('content_invalid', path, 'content must be a list of parts that is not empty');
    return;
  }
  for (const [at, part] of (parts as unknown[]).entries()) checkPart(part, `${path}.${at}`, report);
}

function checkPart(part: unknown, path: string, report: Report): void {
  const type = isRecord(part) ? part['type'] : undefined;
  if (!isRecord(part)) report('content_invalid', path, 'A part must be an object');
  else if (type === 'input_text') {
    checkFields(part, new Set(['type', 'text']), path, report);
    if (typeof part['text'] !== 'string' || part['text'] === '') report('text_empty', path, 'text must not be empty');
  } else if (type === 'input_image') {
    checkFields(part, new Set(['type', 'image_url', 'detail']), path, report);
    checkImageUrl(part['image_url'], path, report);
  } else if (type === 'input_file') {
    checkFields(part, new Set(['type', 'filename', 'file_data', 'file_url']), path, report);
    const { file_data: data, file_url: url, filename } = part;
    const isData =
      typeof data === 'string' && data.startsWith('data:application/pdf;base64,') && typeof filename === 'string';
    if (!isData && typeof url !== 'string') report('document_invalid', path, 'A file needs a URL, or a name and data');
  } else report('block_unknown', path, `Unknown part ${JSON.stringify(type)}`);
}
