// The strict checker of model requests: what the Anthropic Messages API would answer with 400, found before it is sent.
// Every request of every test passes it. One rule: it judges what is on the wire and repairs nothing.
import type { MessageParam } from '../../protocol/content.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import { inspectMessage, type MessageFacts } from './wire-blocks.js';
import { checkConversation, type ThinkingMode } from './wire-conversation.js';
import {
  type CacheMark,
  checkCacheControl,
  checkCacheMarks,
  checkToolChoice,
  inspectTools,
  type ToolFacts,
} from './wire-tools.js';
import {
  checkFields,
  checkJson,
  createReport,
  isRecord,
  type JsonRecord,
  type Report,
  type WireViolation,
} from './wire-violation.js';

/** Largest request body, bytes. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Smallest thinking budget, tokens. */
const MIN_THINKING_BUDGET = 1024;

/** The two checks that depend on one object only, so a caller may keep their outcome by identity. */
export interface WireInspectors {
  readonly message: (message: unknown) => MessageFacts;
  readonly tools: (tools: unknown) => ToolFacts;
}

/** Whose Chat Completions: OpenAI's, or those of another maker. */
export type ChatServer = 'openai' | 'compatible';

/** Checks the requests of one server, in order. */
export interface MockCheck {
  checkBody(body: unknown, bytes?: number): WireCheck;
  noteReply(message: Pick<MessageParam, 'content'>): void;
}

/** The verdict on one request. */
export interface WireCheck {
  readonly violations: readonly WireViolation[];
  /** Estimate of the serialised size, characters. */
  readonly size: number;
}

/**
 * Checks the body of one `POST /v1/messages`.
 * Contract: pure, linear in the size of the body, never throws; an empty list means that the API would take the
 * request as far as its shape decides. Text inside signed thinking is opaque and not judged.
 * @param body  the parsed JSON
 * @param options.bytes  size of the body as sent; without it the size is worked out if it may matter
 */
export function validateWireRequest(body: unknown, options: { readonly bytes?: number } = {}): WireViolation[] {
  return [...checkWireBody(body, { message: inspectMessage, tools: inspectTools }, options.bytes).violations];
}

/** Checks a request as providers get it, by the same rules: it is mapped to the body it would become. */
export function validateModelRequest(request: ModelRequest): WireViolation[] {
  return validateWireRequest(toWireBody(request));
}

/** The body a canonical request becomes. Messages and tools are passed on by identity. */
export function toWireBody(request: ModelRequest): JsonRecord {
  const { thinking, effort, outputSchema } = request;
  const outputConfig = {
    ...(effort === undefined ? {} : { effort }),
    ...(outputSchema === undefined ? {} : { format: { type: 'json_schema', schema: outputSchema } }),
  };
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    stream: true,
    system: request.system,
    tools: request.tools,
    messages: request.messages,
    ...(thinking === undefined
      ? {}
      : {
          thinking: thinking.type === 'enabled' ? wireBudget(thinking) : thinking,
        }),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
  };
}

/** `validateWireRequest` with the caller's own inspectors, for callers that check growing conversations. */
export function checkWireBody(body: unknown, inspect: WireInspectors, bytes?: number): WireCheck {
  const { violations, report } = createReport();
  if (!isRecord(body)) {
    report('body_invalid', '', 'The body must be a JSON object');
    checkSize({}, 0, bytes, report);
    return { violations, size: 0 };
  }
  checkFields(body, BODY_FIELDS, '', report);
  const thinking = checkScalars(body, report);
  const marks: CacheMark[] = [];

  const tools = inspect.tools(body['tools']);
  violations.push(...tools.violations);
  marks.push(...tools.cacheMarks);
  checkToolChoice(body['tool_choice'], tools.names, thinking === 'enabled' || thinking === 'adaptive', report);

  let size = tools.size + checkSystem(body['system'], marks, report);
  const facts = inspectMessages(body['messages'], inspect, marks, report);
  for (const message of facts) size += message.size;
  if (Array.isArray(body['messages'])) checkConversation(facts, thinking, report);
  checkCacheControl(body, '', marks, report);
  checkCacheMarks(marks, report);
  checkSize(body, size, bytes, report);
  return { violations, size };
}

const BODY_FIELDS = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'stream',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'metadata',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'service_tier',
  'cache_control',
  'context_management',
  'container',
  'inference_geo',
  'speed',
]);
const EFFORTS: ReadonlySet<unknown> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);
const SYSTEM_FIELDS = new Set(['type', 'text', 'cache_control', 'citations']);

function inspectMessages(
  messages: unknown,
  inspect: WireInspectors,
  marks: CacheMark[],
  report: Report,
): MessageFacts[] {
  if (!Array.isArray(messages)) {
    report('messages_empty', 'messages', 'Messages must be an array');
    return [];
  }
  const all: MessageFacts[] = [];
  for (let index = 0; index < messages.length; index++) {
    const facts = inspect.message(messages[index]);
    all.push(facts);
    if (facts.violations.length === 0 && facts.cacheMarks.length === 0) continue;
    const place = (path: string) => (path === '' ? `messages.${index}` : `messages.${index}.${path}`);
    for (const { code, path, detail } of facts.violations) report(code, place(path), detail);
    for (const mark of facts.cacheMarks) marks.push({ ...mark, path: place(mark.path) });
  }
  return all;
}

function checkSystem(system: unknown, marks: CacheMark[], report: Report): number {
  if (system === undefined) return 0;
  const size = checkJson(system, 'system', report);
  if (typeof system === 'string') {
    if (system === '') report('text_empty', 'system', 'Text content blocks must be non-empty');
    return size;
  }
  if (!Array.isArray(system)) {
    report('system_invalid', 'system', 'System must be a string or an array of text blocks');
    return size;
  }
  for (let index = 0; index < system.length; index++) {
    const block: unknown = system[index];
    const path = `system.${index}`;
    if (!isRecord(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') {
      report('system_invalid', path, 'A system block must be a text block');
      continue;
    }
    checkFields(block, SYSTEM_FIELDS, path, report);
    checkCacheControl(block, path, marks, report);
    if (block['text'] === '') report('text_empty', `${path}.text`, 'Text content blocks must be non-empty');
  }
  return size;
}

/** Checks everything that is neither a message nor a tool. @returns the thinking mode */
function checkScalars(body: JsonRecord, report: Report): ThinkingMode {
  const { model, stream, max_tokens: maxTokens, output_config: outputConfig } = body;
  if (typeof model !== 'string' || model.trim() === '') report('model_invalid', 'model', 'A model name is required');
  if (stream !== undefined && typeof stream !== 'boolean')
    report('stream_invalid', 'stream', 'stream must be a boolean');
  if (!isCount(maxTokens, 1)) report('max_tokens_invalid', 'max_tokens', 'max_tokens must be a positive integer');
  const thinking = checkThinkingConfig(body['thinking'], maxTokens, report);
  const thinkingOn = thinking === 'enabled' || thinking === 'adaptive';
  checkSampling(body, thinkingOn, report);
  if (outputConfig !== undefined) checkOutputConfig(outputConfig, report);
  const { metadata, stop_sequences: stops } = body;
  if (metadata !== undefined && !isRecord(metadata)) report('field_invalid', 'metadata', 'metadata must be an object');
  if (
    stops !== undefined &&
    !(Array.isArray(stops) && stops.every((stop) => typeof stop === 'string' && stop.trim() !== ''))
  ) {
    report('field_invalid', 'stop_sequences', 'stop_sequences must be strings with more than whitespace');
  }
  for (const key in body) {
    if (key !== 'messages' && key !== 'tools' && key !== 'system') checkJson(body[key], key, report);
  }
  return thinking;
}

function wireBudget({ budgetTokens, ...rest }: { readonly budgetTokens: number }) {
  return { ...rest, budget_tokens: budgetTokens };
}

function checkThinkingConfig(thinking: unknown, maxTokens: unknown, report: Report): ThinkingMode {
  if (thinking === undefined) return null;
  const type = isRecord(thinking) ? thinking['type'] : undefined;
  if (!isRecord(thinking) || (type !== 'enabled' && type !== 'adaptive' && type !== 'disabled')) {
    report('thinking_config_invalid', 'thinking', 'thinking must be of type enabled, adaptive or disabled');
    return null;
  }
  const budget = thinking['budget_tokens'];
  if (type === 'enabled') {
    if (!isCount(budget, MIN_THINKING_BUDGET)) {
      report(
        'thinking_budget_invalid',
        'thinking.budget_tokens',
        `budget_tokens must be at least ${MIN_THINKING_BUDGET}`,
      );
    } else if (typeof maxTokens === 'number' && maxTokens <= budget) {
      report('thinking_budget_invalid', 'max_tokens', 'max_tokens must be greater than thinking.budget_tokens');
    }
  } else if (budget !== undefined) {
    report('thinking_config_invalid', 'thinking.budget_tokens', `budget_tokens does not go with type ${type}`);
  }
  const known = new Set(['type', 'budget_tokens', 'display']);
  checkFields(thinking, known, 'thinking', report);
  return type;
}

function checkSampling(body: JsonRecord, thinkingOn: boolean, report: Report): void {
  const { temperature, top_p: topP, top_k: topK } = body;
  if (temperature !== undefined && !isWithin(temperature, 0, 1)) {
    report('field_invalid', 'temperature', 'temperature must be between 0 and 1');
  } else if (thinkingOn && temperature !== undefined && temperature !== 1) {
    report('field_invalid', 'temperature', 'temperature may only be set to 1 when thinking is enabled');
  }
  if (topP !== undefined && !isWithin(topP, 0, 1)) report('field_invalid', 'top_p', 'top_p must be between 0 and 1');
  if (topK !== undefined && (!isCount(topK, 0) || thinkingOn)) {
    report('field_invalid', 'top_k', 'top_k must be a count, and unset when thinking is enabled');
  }
}

function checkOutputConfig(config: unknown, report: Report): void {
  if (!isRecord(config)) {
    report('field_invalid', 'output_config', 'output_config must be an object');
    return;
  }
  const { effort, format } = config;
  if (effort !== undefined && !EFFORTS.has(effort)) report('field_invalid', 'output_config.effort', 'Unknown effort');
  if (format !== undefined && !(isRecord(format) && format['type'] === 'json_schema' && isRecord(format['schema']))) {
    report('field_invalid', 'output_config.format', 'format must be {type: "json_schema", schema}');
  } else if (isRecord(format) && isRecord(format['schema'])) {
    checkOutputSchema(format['schema'], 'output_config.format.schema', report);
  }
  checkFields(config, new Set(['effort', 'format']), 'output_config', report);
}

/** The exact size costs a serialisation, so it is only taken if the estimate comes near the limit. */
function checkSize(body: JsonRecord, estimate: number, bytes: number | undefined, report: Report): void {
  const mayBeTooLarge = estimate > MAX_BODY_BYTES / 8;
  if (bytes === undefined && !mayBeTooLarge) return;
  const size = bytes ?? serialisedBytes(body);
  if (size > MAX_BODY_BYTES)
    report('body_too_large', '', `Request exceeds the maximum size: ${size} of ${MAX_BODY_BYTES} bytes`);
}

function serialisedBytes(body: JsonRecord): number {
  try {
    return Buffer.byteLength(JSON.stringify(body));
  } catch {
    return 0; // cyclic or not JSON: reported already as nesting_too_deep or not_json
  }
}

function isCount(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}

function isWithin(value: unknown, low: number, high: number): boolean {
  return typeof value === 'number' && value >= low && value <= high;
}

// Checks of `output_config.format.schema`: the part of JSON Schema that the API holds an answer to.

const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'title', 'description', 'default', 'examples', '$comment', 'enum', 'const', 'format'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems'],
  ...['anyOf', '$ref', '$defs', 'definitions'],
]);
/** Properties that may be left out, over the whole schema. */
const MAX_OPTIONAL = 24;

/** Contract: pure; never throws. */
function checkOutputSchema(schema: JsonRecord, path: string, report: Report): void {
  const walk: Walk = { root: schema, optional: 0, report };
  checkNode(schema, path, [], walk);
  for (const place of ['$defs', 'definitions']) {
    const defs = schema[place];
    if (isRecord(defs)) for (const name in defs) checkNode(defs[name], `${path}.${place}.${name}`, [], walk);
  }
  if (walk.optional > MAX_OPTIONAL)
    report('output_schema_invalid', path, `The compiled grammar is too large: ${walk.optional} optional properties`);
}

interface Walk {
  readonly root: JsonRecord;
  optional: number;
  readonly report: Report;
}

/** `open`: the references on the way here, so that one that leads back is found. */
function checkNode(node: unknown, path: string, open: readonly string[], walk: Walk): void {
  const refuse = (place: string, detail: string) => walk.report('output_schema_invalid', `${path}${place}`, detail);
  if (!isRecord(node)) {
    refuse('', 'A schema must be an object');
    return;
  }
  for (const keyword in node) if (!KEYWORDS.has(keyword)) refuse(`.${keyword}`, `Keyword ${keyword} is not supported`);
  const { $ref: ref, anyOf, type } = node;
  if (ref !== undefined) checkReference(ref, path, open, walk);
  else if (anyOf !== undefined) {
    if (!Array.isArray(anyOf) || anyOf.length === 0) refuse('.anyOf', 'anyOf must be a list of schemas');
    else for (const [index, choice] of anyOf.entries()) checkNode(choice, `${path}.anyOf.${index}`, open, walk);
  } else if (!TYPES.has(type)) refuse('.type', 'A schema needs one type, anyOf or $ref');
  if (type === 'object') checkObject(node, path, open, walk);
  if (type !== 'array') return;
  if (node['minItems'] !== undefined && node['minItems'] !== 0 && node['minItems'] !== 1)
    refuse('.minItems', 'Only 0 and 1 are supported');
  checkNode(node['items'], `${path}.items`, open, walk);
}

function checkObject(node: JsonRecord, path: string, open: readonly string[], walk: Walk): void {
  if (node['additionalProperties'] !== false)
    walk.report('output_schema_invalid', `${path}.additionalProperties`, 'For objects it must be set to false');
  const { properties, required } = node;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  if (!isRecord(properties)) return;
  for (const name in properties) {
    if (!names.includes(name)) walk.optional += 1;
    checkNode(properties[name], `${path}.properties.${name}`, open, walk);
  }
}

function checkReference(ref: unknown, path: string, open: readonly string[], walk: Walk): void {
  const match = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(ref));
  const defs = match === null ? undefined : walk.root[match[1] ?? ''];
  const target = isRecord(defs) && match !== null ? defs[match[2] ?? ''] : undefined;
  if (target === undefined) walk.report('output_schema_invalid', `${path}.$ref`, `${String(ref)} leads nowhere`);
  else if (open.includes(String(ref)))
    walk.report('output_schema_invalid', `${path}.$ref`, 'Recursive schemas are not supported');
  else if (holdsReference(target)) checkNode(target, path, [...open, String(ref)], { ...walk, optional: 0 });
}

function holdsReference(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(holdsReference);
  if (!isRecord(node)) return false;
  return typeof node['$ref'] === 'string' || Object.values(node).some(holdsReference);
}
