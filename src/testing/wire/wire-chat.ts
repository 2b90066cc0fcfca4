// The strict checker of Chat Completions requests, and what both of OpenAI's forms share: what the API would answer with 400,
// found before it is sent. One rule: it judges what is on the wire and repairs nothing.
import { type ChatServer, MAX_BODY_BYTES, type MockCheck, type WireCheck } from './wire-validator.js';
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
  'messages',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_completion_tokens',
  'max_tokens',
  'reasoning_effort',
  'response_format',
  'prompt_cache_key',
  'temperature',
  'top_p',
  'stop',
  'seed',
  'user',
  'store',
  'metadata',
  'service_tier',
  'verbosity',
]);
/** What servers of other makers take beside, and what it must be. */
const OTHER_FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  /** DeepSeek, Z.ai, Moonshot. */
  thinking: (value) => isRecord(value) && (value['type'] === 'enabled' || value['type'] === 'disabled'),
  /** Qwen. */
  enable_thinking: (value) => typeof value === 'boolean',
  /** vLLM, SGLang, llama.cpp. */
  chat_template_kwargs: isRecord,
  /** OpenRouter. */
  reasoning: isRecord,
};
const OTHER_MESSAGE_FIELDS = ['reasoning', 'reasoning_details'];
const EFFORTS: ReadonlySet<unknown> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']);
const MESSAGE_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  system: new Set(['role', 'content', 'name']),
  developer: new Set(['role', 'content', 'name']),
  user: new Set(['role', 'content', 'name']),
  assistant: new Set(['role', 'content', 'name', 'tool_calls', 'refusal', 'reasoning_content']),
  tool: new Set(['role', 'content', 'tool_call_id']),
};

interface ChatCheckOptions {
  /** Size of the body as sent. */
  readonly bytes?: number;
  /** Fields of a server of another maker. */
  readonly extraFields?: readonly string[];
  /** Whose server it is. `compatible`: one of another maker, with the fields for thinking that such have. Default `openai`. */
  readonly server?: ChatServer;
}

/**
 * Checks the body of one `POST /chat/completions`.
 * Contract: pure, linear in the size of the body, never throws; an empty list means that OpenAI's API would take the request
 * as far as its shape decides.
 */
export function validateChatRequest(body: unknown, options: ChatCheckOptions = {}): WireViolation[] {
  return [...checkChatBody(body, options).violations];
}

function checkChatBody(body: unknown, options: ChatCheckOptions): WireCheck {
  const { violations, report } = createReport();
  if (!isRecord(body)) {
    report('body_invalid', '', 'The body must be a JSON object');
    return { violations, size: 0 };
  }
  const { extraFields = [], server = 'openai' } = options;
  const isOther = server === 'compatible';
  checkFields(
    body,
    new Set([...BODY_FIELDS, ...(isOther ? Object.keys(OTHER_FIELDS) : []), ...extraFields]),
    '',
    report,
  );
  if (isOther) checkOtherFields(body, report);
  const size = checkJson(body, '', report);
  if ((options.bytes ?? size) > MAX_BODY_BYTES) report('body_too_large', '', 'The request is too large');
  checkScalars(body, report);
  const names = checkTools(body['tools'], report);
  if (body['tool_choice'] !== undefined && names.size === 0) {
    report('tool_choice_invalid', 'tool_choice', "'tool_choice' is only allowed when 'tools' are specified");
  }
  checkMessages(
    isOther ? withoutMarks(body['messages']) : body['messages'],
    isOther ? OTHER_MESSAGE_FIELDS : [],
    report,
  );
  return { violations, size };
}

/** Without the cache breakpoints that OpenRouter passes on. */
function withoutMarks(messages: unknown): unknown {
  const plain = (value: unknown): unknown => {
    if (!isRecord(value)) return value;
    const { cache_control: _, content, ...rest } = value;
    return {
      ...rest,
      ...('content' in value ? { content: Array.isArray(content) ? content.map(plain) : content } : {}),
    };
  };
  return Array.isArray(messages) ? messages.map(plain) : messages;
}

function checkOtherFields(body: JsonRecord, report: Report): void {
  for (const [field, isRight] of Object.entries(OTHER_FIELDS)) {
    const value = body[field];
    if (value !== undefined && !isRight(value)) report('field_invalid', field, `Not a value of ${field}`);
  }
}

/** The checker of a mock server. */
export function createChatCheck(server: ChatServer = 'openai'): MockCheck {
  return {
    checkBody: (body, bytes) => checkChatBody(body, bytes === undefined ? { server } : { server, bytes }),
    noteReply: () => undefined, // nothing of a reply is signed here
  };
}

function checkScalars(body: JsonRecord, report: Report): void {
  const { model, stream, reasoning_effort: effort, response_format: format, stream_options: streaming } = body;
  if (typeof model !== 'string' || model.trim() === '')
    report('model_invalid', 'model', 'you must provide a model parameter');
  if (stream !== undefined && typeof stream !== 'boolean') report('stream_invalid', 'stream', 'must be a boolean');
  if (streaming !== undefined && stream !== true) {
    report('stream_invalid', 'stream_options', "'stream_options' is only allowed when 'stream' is enabled");
  }
  const limits = [body['max_completion_tokens'], body['max_tokens']].filter((limit) => limit !== undefined);
  if (limits.length > 1) report('max_tokens_invalid', 'max_tokens', 'Setting both limits is not supported');
  for (const limit of limits) {
    if (!(Number.isSafeInteger(limit) && (limit as number) >= 1))
      report('max_tokens_invalid', 'max_completion_tokens', 'must be at least 1');
  }
  if (effort !== undefined && !EFFORTS.has(effort)) report('field_invalid', 'reasoning_effort', 'Unknown effort');
  if (format !== undefined) {
    const schema = isRecord(format) && isRecord(format['json_schema']) ? format['json_schema'] : {};
    if (!isRecord(format) || format['type'] !== 'json_schema')
      report('field_invalid', 'response_format', 'must be json_schema');
    else checkStrictSchema(schema, 'response_format.json_schema', report);
  }
}

function checkTools(tools: unknown, report: Report): ReadonlySet<string> {
  const names = createNameCheck('tools', report);
  if (tools === undefined) return names.seen;
  if (!Array.isArray(tools) || tools.length === 0) {
    report('tool_invalid', 'tools', 'tools must be a list that is not empty');
    return names.seen;
  }
  for (const [at, tool] of (tools as unknown[]).entries()) {
    const path = `tools.${at}`;
    const called = isRecord(tool) && isRecord(tool['function']) ? tool['function'] : null;
    if (!isRecord(tool) || tool['type'] !== 'function' || called === null) {
      report('tool_invalid', path, 'A tool must be a function');
      continue;
    }
    checkFields(tool, new Set(['type', 'function']), path, report);
    checkFields(called, new Set(['name', 'description', 'parameters', 'strict']), `${path}.function`, report);
    names.check(called, `${path}.function`);
  }
  return names.seen;
}

/** What is open while the messages are read: calls that wait for their results. */
interface Reading {
  readonly open: Set<string>;
  readonly seen: Set<string>;
  at: number;
}

function checkMessages(messages: unknown, others: readonly string[], report: Report): void {
  if (!Array.isArray(messages) || messages.length === 0) {
    report('messages_empty', 'messages', 'messages must be a list that is not empty');
    return;
  }
  const reading: Reading = { open: new Set(), seen: new Set(), at: 0 };
  let asks = false;
  for (const [at, message] of (messages as unknown[]).entries()) {
    reading.at = at;
    const path = `messages.${at}`;
    const role = isRecord(message) ? message['role'] : undefined;
    const fields = typeof role === 'string' ? MESSAGE_FIELDS[role] : undefined;
    if (!isRecord(message) || fields === undefined) {
      report('role_invalid', path, `Unknown role ${JSON.stringify(role)}`);
      continue;
    }
    checkFields(message, others.length === 0 ? fields : new Set([...fields, ...others]), path, report);
    if (role !== 'tool') closeCalls(reading, report);
    if (role === 'tool') checkResult(message, path, reading, report);
    else if (role === 'assistant') checkAssistant(message, path, reading, report);
    else checkContent(message['content'], `${path}.content`, role === 'user', report);
    asks ||= role === 'user' || role === 'tool';
  }
  closeCalls(reading, report);
  if (!asks) report('messages_empty', 'messages', 'There is no message of the user');
}

/** Each call must be answered before anything else follows. */
function closeCalls({ open, at }: Reading, report: Report): void {
  for (const id of open)
    report('tool_result_missing', `messages.${at}`, `tool_call_id ${id} did not have a response message`);
  open.clear();
}

function checkResult(message: JsonRecord, path: string, { open, seen }: Reading, report: Report): void {
  const id = message['tool_call_id'];
  if (typeof id !== 'string' || !seen.has(id)) {
    report(
      'tool_result_orphan',
      path,
      "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    );
  } else if (!open.delete(id)) report('tool_result_duplicate', path, `tool_call_id ${id} was answered before`);
  checkContent(message['content'], `${path}.content`, false, report);
}

function checkAssistant(message: JsonRecord, path: string, reading: Reading, report: Report): void {
  const { content, tool_calls: calls } = message;
  if (calls === undefined) {
    checkContent(content, `${path}.content`, false, report);
    return;
  }
  if (content !== null && content !== undefined) checkContent(content, `${path}.content`, false, report);
  if (!Array.isArray(calls) || calls.length === 0) {
    report('tool_use_invalid', `${path}.tool_calls`, 'tool_calls must be a list that is not empty');
    return;
  }
  for (const [at, call] of (calls as unknown[]).entries()) checkCall(call, `${path}.tool_calls.${at}`, reading, report);
}

function checkCall(call: unknown, path: string, { open, seen }: Reading, report: Report): void {
  const called = isRecord(call) && isRecord(call['function']) ? call['function'] : null;
  if (!isRecord(call) || call['type'] !== 'function' || called === null) {
    report('tool_use_invalid', path, 'A call must be of a function');
    return;
  }
  checkFields(call, new Set(['id', 'type', 'function', 'extra_content']), path, report);
  const { id } = call;
  if (typeof id !== 'string' || id === '' || id.length > MAX_CALL_ID.chat) {
    report(
      'tool_use_invalid',
      `${path}.id`,
      `string too long or empty. Expected a string with maximum length ${MAX_CALL_ID.chat}`,
    );
  } else if (seen.has(id)) report('tool_use_duplicate', `${path}.id`, `Duplicate id ${id}`);
  else {
    seen.add(id);
    open.add(id);
  }
  checkToolName(called['name'], `${path}.function.name`, report);
  if (!isJsonObject(called['arguments']))
    report('tool_use_invalid', `${path}.function.arguments`, 'arguments must be a JSON object as text');
}

function isJsonObject(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false; // reported by the caller
  }
}

/** A text that is not empty, or a list of parts. Only the user may send other parts than text. */
function checkContent(content: unknown, path: string, mayHoldMedia: boolean, report: Report): void {
  if (typeof content === 'string') {
    if (content === '') report('text_empty', path, 'content must not be empty');
    return;
  }
  if (!Array.isArray(content) || content.length === 0) {
    report('content_invalid', path, 'content must be a string or a list of parts');
    return;
  }
  for (const [at, part] of (content as unknown[]).entries()) checkPart(part, `${path}.${at}`, mayHoldMedia, report);
}

function checkPart(part: unknown, path: string, mayHoldMedia: boolean, report: Report): void {
  const type = isRecord(part) ? part['type'] : undefined;
  if (!isRecord(part) || (type !== 'text' && !mayHoldMedia)) {
    report('content_invalid', path, `Invalid part ${JSON.stringify(type)} for this role`);
    return;
  }
  if (type === 'text') {
    checkFields(part, new Set(['type', 'text']), path, report);
    if (typeof part['text'] !== 'string' || part['text'] === '') report('text_empty', path, 'text must not be empty');
  } else if (type === 'image_url') {
    checkFields(part, new Set(['type', 'image_url']), path, report);
    checkImageUrl(isRecord(part['image_url']) ? part['image_url']['url'] : undefined, path, report);
  } else if (type === 'file') {
    const file = isRecord(part['file']) ? part['file'] : {};
    const isPdf = typeof file['file_data'] === 'string' && file['file_data'].startsWith('data:application/pdf;base64,');
    if (!isPdf || typeof file['filename'] !== 'string')
      report('document_invalid', path, 'A file needs a name and PDF data');
  } else report('block_unknown', path, `Unknown part ${JSON.stringify(type)}`);
}

/** Longest id of a call, characters. */
export const MAX_CALL_ID = { chat: 40, responses: 64 } as const;

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const IMAGE_DATA = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

export function checkToolName(name: unknown, path: string, report: Report): name is string {
  if (typeof name === 'string' && TOOL_NAME.test(name)) return true;
  report('tool_name_invalid', path, `Expected a string that matches the pattern ${TOOL_NAME.source}`);
  return false;
}

/** Checks definitions one after the other: names are unique, schemas are of objects. */
export function createNameCheck(path: string, report: Report) {
  const seen = new Set<string>();
  return {
    seen: seen as ReadonlySet<string>,
    check(tool: JsonRecord, at: string): void {
      const { name, parameters, description } = tool;
      if (checkToolName(name, `${at}.name`, report)) {
        if (seen.has(name)) report('tool_name_duplicate', `${at}.name`, `${path} has ${name} twice`);
        seen.add(name);
      }
      if (description !== undefined && typeof description !== 'string') {
        report('tool_invalid', `${at}.description`, 'A description must be a string');
      }
      const isObject = isRecord(parameters) && parameters['type'] === 'object' && isRecord(parameters['properties']);
      if (!isObject) report('tool_schema_invalid', `${at}.parameters`, 'object schema missing properties');
    },
  };
}

export function checkImageUrl(url: unknown, path: string, report: Report): void {
  if (typeof url !== 'string') report('image_invalid', path, 'An image needs a URL');
  else if (!/^https?:\/\//.test(url) && !IMAGE_DATA.test(url.slice(0, 200_000_000))) {
    report('image_invalid', path, 'Expected a base64-encoded data URL with an image MIME type, or a web URL');
  }
}

/** `{ name, schema, strict: true }`, the schema in the strict form: closed objects with every property required. */
export function checkStrictSchema(format: JsonRecord, path: string, report: Report): void {
  const { name, schema, strict } = format;
  if (typeof name !== 'string' || !TOOL_NAME.test(name))
    report('output_schema_invalid', `${path}.name`, 'A name is required');
  if (strict !== true || !isRecord(schema) || schema['type'] !== 'object') {
    report('output_schema_invalid', `${path}.schema`, 'A strict schema of an object is required');
    return;
  }
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const node = open.pop();
    if (!isRecord(node)) continue;
    const properties = isRecord(node['properties']) ? node['properties'] : null;
    if (node['type'] === 'object') {
      const required = Array.isArray(node['required']) ? node['required'] : [];
      const isClosed = node['additionalProperties'] === false && properties !== null;
      if (!isClosed || Object.keys(properties).some((key) => !required.includes(key))) {
        report('output_schema_invalid', path, "'required' must hold every key, 'additionalProperties' must be false");
      }
    }
    const below = [properties, isRecord(node['$defs']) ? node['$defs'] : null].flatMap((list) =>
      Object.values(list ?? {}),
    );
    open.push(...below, node['items'], ...(Array.isArray(node['anyOf']) ? (node['anyOf'] as unknown[]) : []));
  }
}
