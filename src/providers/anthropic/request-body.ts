// The body of a Messages API request. Each message, tool and system block is serialised once and then found by identity; a
// cache breakpoint is cut into the kept text, and what lies before is kept as bytes. A schema for the reply is written as the
// API wants it: every value that fits what is sent fits what was asked for.
import type { ContentBlock, MessageParam, TextBlock, ToolResultContent, UserBlock } from '../../protocol/content.js';
import type { JsonSchema } from '../../protocol/json.js';
import { isPlainValue, isRecord } from '../../util/json.js';
import { sameStart } from '../../util/lists.js';
import { definitionJson, isSealed, type ModelRequest, type RequestedSearch } from '../contract/index.js';

/** Prompt cache breakpoints among the messages; with the last tool and the last system block there are at most four. */
const MESSAGE_BREAKPOINTS = 2;

const CACHE_CONTROL = '"cache_control":{"type":"ephemeral"}';
const TEXT_HEAD = '{"role":"user","content":';

/** Builds bodies. Contract: holds of a conversation what its last request had, as long as its first message lives. */
interface BodyBuilder {
  /**
   * The bytes of the JSON, in pieces that follow each other. Contract: they are never changed.
   * Throws what `JSON.stringify` throws on a value that is no JSON, for example a cycle.
   */
  build(request: ModelRequest): readonly Uint8Array[];
}

export function createBodyBuilder(): BodyBuilder {
  const encoder = new TextEncoder();
  const kept = new WeakMap<object, string>();
  const keep = <T extends object>(item: T, write: (item: T) => string): string => {
    const known = kept.get(item);
    if (known !== undefined) return known;
    const text = write(item);
    kept.set(item, text);
    return text;
  };
  const beginning = createMessageBytes((message) => {
    const text = keep(message, writeMessage);
    kept.delete(message); // from here on it is kept as bytes
    return text;
  });

  return {
    build(request) {
      const parts = request.system.filter((block) => block.text !== '');
      const system = parts.map((block) => keep(block, writeText));
      const tools = request.tools.map((tool) => keep(tool, definitionJson));
      const boundary = parts.findIndex((block, at) => block.cache_control !== undefined && at < parts.length - 1);
      markLast(system);
      // Tools stand before the system prompt, so that this one breakpoint is for both.
      if (boundary === -1) markLast(tools);
      else system[boundary] = mark(system[boundary] ?? '');
      if (request.webSearch !== undefined) tools.push(writeSearch(request.webSearch));
      const head = encoder.encode(writeHead(request, system, tools));
      const { from, texts } = markedEnd(request.messages, (message) => keep(message, writeMessage));
      const rest = encoder.encode(`${texts.join(',')}],"stream":true${writeOptions(request)}}`);
      return [head, beginning(request.messages, from), rest];
    },
  };
}

function writeHead(request: ModelRequest, system: string[], tools: string[]): string {
  let head = `{"model":${JSON.stringify(request.model)},"max_tokens":${JSON.stringify(request.maxTokens)}`;
  if (system.length > 0) head += `,"system":[${system.join(',')}]`;
  if (tools.length > 0) head += `,"tools":[${tools.join(',')}]`;
  return `${head},"messages":[`;
}

function writeOptions({ messages, tools, toolChoice, thinking, effort, outputSchema }: ModelRequest): string {
  let text = toolChoice === 'none' && tools.length > 0 ? ',"tool_choice":{"type":"none"}' : '';
  if (thinking?.type === 'enabled' && mayThink(messages)) {
    const { budgetTokens, display } = thinking;
    text += `,"thinking":${JSON.stringify({ type: 'enabled', budget_tokens: budgetTokens, display })}`;
  }
  if (thinking?.type === 'adaptive') {
    text += `,"thinking":${JSON.stringify({ type: 'adaptive', display: thinking.display })}`;
  }
  const output = {
    ...(effort === undefined ? {} : { effort }),
    ...(outputSchema === undefined ? {} : { format: { type: 'json_schema', schema: outputSchema } }),
  };
  return Object.keys(output).length === 0 ? text : `${text},"output_config":${JSON.stringify(output)}`;
}

/** The API takes one list of domains or the other. */
function writeSearch({ maxUses, allowedDomains, blockedDomains }: RequestedSearch): string {
  const domains =
    allowedDomains.length > 0
      ? { allowed_domains: allowedDomains }
      : blockedDomains.length > 0
        ? { blocked_domains: blockedDomains }
        : {};
  return JSON.stringify({ type: 'web_search_20250305', name: 'web_search', max_uses: maxUses, ...domains });
}

function writeText(block: TextBlock): string {
  return JSON.stringify({ type: 'text', text: block.text });
}

/** `role` first and `content` last: `markMessage` relies on it. */
function writeMessage(message: MessageParam): string {
  const { role, content } = message;
  if (typeof content === 'string') return JSON.stringify({ role, content });
  return JSON.stringify({ role, content: ownBlocks(message).map(withoutBreakpoint) });
}

/** Without reasoning of another API. What this API signed stays as it is. */
function ownBlocks({ content }: MessageParam): readonly ContentBlock[] {
  const blocks: readonly ContentBlock[] = typeof content === 'string' ? [] : content;
  return blocks.some(isSealed) ? blocks.filter((block) => !isSealed(block)) : blocks;
}

/**
 * With a thinking budget, the turn that goes on must begin with thinking. One that another API's model began does not, once
 * its reasoning is left out.
 */
function mayThink(messages: readonly MessageParam[]): boolean {
  let opening: MessageParam | undefined;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message === undefined || isPrompt(message)) break;
    if (message.role === 'assistant') opening = message;
  }
  // If nothing is left out, the loop has seen to it.
  if (opening === undefined || typeof opening.content === 'string' || !opening.content.some(isSealed)) return true;
  const types = ownBlocks(opening).map(({ type }) => type);
  return types[0] === 'thinking' || types[0] === 'redacted_thinking' || !types.includes('tool_use');
}

/** True for a user message without tool results. */
function isPrompt({ role, content }: MessageParam): boolean {
  if (role !== 'user') return false;
  return typeof content === 'string' || content.every((block) => block.type !== 'tool_result');
}

/** History may carry breakpoints of its writer; those of this request are the only ones the limit has room for. */
function withoutBreakpoint<T extends object>(block: T): T {
  const content = 'content' in block ? block.content : undefined;
  const isNested =
    Array.isArray(content) && content.some((part) => typeof part === 'object' && part && 'cache_control' in part);
  if (!('cache_control' in block) && !isNested) return block;
  const { cache_control: _, ...rest } = block as T & { cache_control?: unknown };
  if (!isNested) return rest as unknown as T;
  return { ...rest, content: (content as ToolResultContent[]).map(withoutBreakpoint) } as unknown as T;
}

/** Puts a breakpoint on the last of some serialised objects. */
function markLast(objects: string[]): void {
  const last = objects.at(-1);
  if (last !== undefined) objects[objects.length - 1] = mark(last);
}

/**
 * The messages from the first that carries a breakpoint on. The last user messages do: the newest, so that this request's
 * prompt is cached, and the one before, so that it is found again. A message without a block that may carry one is passed
 * over.
 */
function markedEnd(
  messages: readonly MessageParam[],
  write: (message: MessageParam) => string,
): { readonly from: number; readonly texts: readonly string[] } {
  const texts: string[] = [];
  let left = MESSAGE_BREAKPOINTS;
  let from = messages.length;
  while (from > 0 && left > 0) {
    from--;
    const message = messages[from] as MessageParam;
    const text = write(message);
    const marked = message.role === 'user' ? markMessage(message.content, text) : null;
    if (marked !== null) left--;
    texts.push(marked ?? text);
  }
  return { from, texts: texts.reverse() };
}

function markMessage(content: string | readonly UserBlock[], text: string): string | null {
  if (typeof content === 'string') {
    if (content === '') return null;
    return `${TEXT_HEAD}[{"type":"text","text":${text.slice(TEXT_HEAD.length, -1)},${CACHE_CONTROL}}]}`;
  }
  const last = content.findLastIndex(isCacheable);
  if (last === -1) return null;
  if (last === content.length - 1) return `${mark(text.slice(0, -2))}]}`;
  const blocks = content.map((block, at) => {
    const plain = JSON.stringify(withoutBreakpoint(block));
    return at === last ? mark(plain) : plain;
  });
  return `${TEXT_HEAD}[${blocks.join(',')}]}`;
}

/** The API refuses a breakpoint on an empty text. */
function isCacheable(block: UserBlock): boolean {
  return block.type !== 'text' || block.text !== '';
}

/** Puts a breakpoint at the end of one serialised object that is not empty. */
function mark(object: string): string {
  return `${object.slice(0, -1)},${CACHE_CONTROL}}`;
}

// The beginning of a conversation, as the bytes that each of its requests holds. One rule: bytes that were given out are
// never changed, as a request may still be on its way with them.

interface Written {
  /** The first `ends.length` of them are written. */
  readonly messages: readonly MessageParam[];
  /** The end of each in `bytes`. */
  readonly ends: number[];
  /** Longer than what is written. */
  readonly bytes: Uint8Array;
}

/** Room for what follows, so that a growing conversation is seldom copied. */
const GROWTH = 1.5;

/**
 * Gives the bytes of the first `count` messages, a comma behind each. To join and to encode them anew in each turn took
 * 4 % of its time at 500 messages, and twice the body in garbage.
 * @param write the JSON of a message; asked once, as long as the conversation goes on
 */
function createMessageBytes(
  write: (message: MessageParam) => string,
): (messages: readonly MessageParam[], count: number) => Uint8Array {
  const encoder = new TextEncoder();
  /** By the first message: the agents of a session take turns, each with a conversation of its own. */
  const conversations = new WeakMap<MessageParam, Written>();

  return (messages, count) => {
    const first = messages[0];
    if (first === undefined || count === 0) return new Uint8Array(0);
    const before = conversations.get(first) ?? { messages, ends: [], bytes: new Uint8Array(0) };
    const alike = sameStart(messages, before.messages, Math.min(count, before.ends.length));
    if (alike === count) return before.bytes.subarray(0, before.ends[count - 1]);
    // What another conversation went on with stands behind the messages that both have, and stays there.
    const goesOn = alike === before.ends.length;
    const ends = goesOn ? before.ends : before.ends.slice(0, alike);
    let end = ends.at(-1) ?? 0;
    let bytes = goesOn ? before.bytes : before.bytes.slice(0, end);
    for (const message of messages.slice(alike, count)) {
      const text = encoder.encode(`${write(message)},`);
      if (end + text.length > bytes.length) bytes = larger(bytes, end, end + text.length);
      bytes.set(text, end);
      end += text.length;
      ends.push(end);
    }
    conversations.set(first, { messages, ends, bytes });
    return bytes.subarray(0, end);
  };
}

function larger(bytes: Uint8Array, used: number, needed: number): Uint8Array {
  const grown = new Uint8Array(Math.ceil(needed * GROWTH));
  grown.set(bytes.subarray(0, used));
  return grown;
}

/** Models of version 4.5 and later, by name. The catalogue says it of some and not of others; a refusal is recovered from. */
const FIRST_VERSION = [4, 5] as const;

/** Larger schemas are refused as too complex. The API counts more than this; what passes here may still be refused. */
const MAX_OPTIONAL = 24;
const MAX_UNIONS = 16;
const MAX_DEPTH = 40;

/** Keywords that say nothing about a value. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples', '$comment']);
/** Those that mean what they mean elsewhere, for a value of one type. */
const KEYWORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['object', new Set(['type', 'properties', 'required', 'additionalProperties'])],
  ['array', new Set(['type', 'items', 'minItems'])],
  ['string', new Set(['type', 'enum', 'const', 'format'])],
  ['number', new Set(['type', 'enum', 'const'])],
  ['integer', new Set(['type', 'enum', 'const'])],
  ['boolean', new Set(['type', 'enum', 'const'])],
  ['null', new Set(['type', 'enum', 'const'])],
]);
const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

/** True for the models that take `output_config.format`. */
export function takesOutputSchema(model: string): boolean {
  const match = /^claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?=$|[-@])/.exec(model.toLowerCase());
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2] ?? 0)];
  return major > FIRST_VERSION[0] || (major === FIRST_VERSION[0] && minor >= FIRST_VERSION[1]);
}

interface Counts {
  optional: number;
  unions: number;
}

/**
 * The schema in the form that the API takes, or null if it uses more of JSON Schema than the API knows.
 * An object that lists its properties and is silent about others is closed: what fits then fits the original too.
 */
export function toOutputSchema(schema: JsonSchema): JsonSchema | null {
  const { $schema: _dialect, $defs, definitions, ...root } = schema as Readonly<Record<string, unknown>>;
  const counts: Counts = { optional: 0, unions: 0 };
  const convert = (value: unknown): JsonSchema | null => convertSchema(value, counts, 0);
  if (root.type !== 'object' || hasCycle(schema)) return null;
  const body = convert(root);
  const defs = convertAll($defs, convert);
  const older = convertAll(definitions, convert);
  if (body === null || defs === null || older === null) return null;
  if (counts.optional > MAX_OPTIONAL || counts.unions > MAX_UNIONS) return null;
  return {
    ...body,
    ...($defs === undefined ? {} : { $defs: defs }),
    ...(definitions === undefined ? {} : { definitions: older }),
  };
}

function convertSchema(value: unknown, counts: Counts, depth: number): JsonSchema | null {
  if (!isRecord(value) || depth > MAX_DEPTH) return null;
  const { $ref: ref, anyOf, type } = value;
  if (ref !== undefined) return isLocal(ref) && hasOnly(value, new Set(['$ref'])) ? value : null;
  if (anyOf !== undefined) return hasOnly(value, new Set(['anyOf'])) ? convertUnion(value, counts, depth) : null;
  const known = KEYWORDS.get(String(type));
  if (known === undefined || !hasOnly(value, known)) return null;
  if (type === 'object') return convertObject(value, counts, depth);
  if (type === 'array') return convertArray(value, counts, depth);
  return isPlainChoice(value) ? value : null;
}

function convertObject(value: Readonly<Record<string, unknown>>, counts: Counts, depth: number): JsonSchema | null {
  const { properties, required, additionalProperties } = value;
  // Without properties it is open to everything, which the API cannot say; with others allowed, too.
  if (!isRecord(properties) || Object.keys(properties).length === 0) return null;
  if (additionalProperties !== undefined && additionalProperties !== false) return null;
  const names: readonly unknown[] = required === undefined ? [] : Array.isArray(required) ? required : [null];
  if (names.some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))) return null;
  counts.optional += Object.keys(properties).filter((name) => !names.includes(name)).length;
  const converted = convertAll(properties, (property) => convertSchema(property, counts, depth + 1));
  return converted === null ? null : { ...value, properties: converted, additionalProperties: false };
}

function convertArray(value: Readonly<Record<string, unknown>>, counts: Counts, depth: number): JsonSchema | null {
  const { items, minItems } = value;
  if (minItems !== undefined && minItems !== 0 && minItems !== 1) return null;
  const converted = convertSchema(items, counts, depth + 1);
  return converted === null ? null : { ...value, items: converted };
}

function convertUnion(value: Readonly<Record<string, unknown>>, counts: Counts, depth: number): JsonSchema | null {
  const { anyOf } = value;
  if (!Array.isArray(anyOf) || anyOf.length === 0) return null;
  counts.unions += 1;
  const converted = anyOf.map((choice) => convertSchema(choice, counts, depth + 1));
  return converted.includes(null) ? null : { ...value, anyOf: converted as JsonSchema[] };
}

/** Choices of single values only, and formats that are known. */
function isPlainChoice(value: Readonly<Record<string, unknown>>): boolean {
  const { enum: choices, const: only, format } = value;
  if (choices !== undefined && !(Array.isArray(choices) && choices.length > 0 && choices.every(isPlainValue)))
    return false;
  return (only === undefined || isPlainValue(only)) && (format === undefined || FORMATS.has(format));
}

/** Null if one of them cannot be converted; nothing becomes nothing. */
function convertAll(
  schemas: unknown,
  convert: (schema: unknown) => JsonSchema | null,
): Record<string, JsonSchema> | null {
  if (schemas === undefined) return {};
  if (!isRecord(schemas)) return null;
  const converted = Object.entries(schemas).map(([name, schema]) => [name, convert(schema)] as const);
  return converted.some(([, schema]) => schema === null)
    ? null
    : (Object.fromEntries(converted) as Record<string, JsonSchema>);
}

/** True if a definition holds itself, or a reference leads nowhere: the API unfolds them all. */
function hasCycle(schema: JsonSchema): boolean {
  const { $defs, definitions } = schema as Readonly<Record<string, unknown>>;
  const all = new Map<string, unknown>();
  for (const [at, defs] of [
    ['$defs', $defs],
    ['definitions', definitions],
  ] as const) {
    if (isRecord(defs)) for (const [name, def] of Object.entries(defs)) all.set(`#/${at}/${name}`, def);
  }
  const done = new Set<string>();
  const open = new Set<string>();
  const leads = (ref: string): boolean => {
    if (open.has(ref) || !all.has(ref)) return true;
    if (done.has(ref)) return false;
    open.add(ref);
    const isCyclic = refsIn(all.get(ref)).some(leads);
    open.delete(ref);
    done.add(ref);
    return isCyclic;
  };
  const { $defs: _defs, definitions: _definitions, ...root } = schema as Readonly<Record<string, unknown>>;
  return refsIn(root).some(leads) || [...all.keys()].some(leads);
}

function refsIn(value: unknown): string[] {
  const refs: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const item = open.pop();
    if (Array.isArray(item)) open.push(...item);
    else if (isRecord(item)) {
      if (typeof item.$ref === 'string') refs.push(item.$ref);
      open.push(...Object.values(item));
    }
  }
  return refs;
}

function isLocal(ref: unknown): boolean {
  return typeof ref === 'string' && /^#\/(?:\$defs|definitions)\/[^/]+$/.test(ref);
}

function hasOnly(value: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): boolean {
  return Object.keys(value).every((key) => known.has(key) || ANNOTATIONS.has(key));
}
