// The offline model: not a language model, and it says so. A deterministic planner that reads a request in plain
// English and the tool results so far, and drives the real loop with real tool calls.
import { estimateTokenCount } from 'tokenx';
import type { Host } from '../../host/host.js';
import type { AssistantBlock, ModelEvent, Usage } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import type { JsonSchema, JsonValue } from '../../protocol/json.js';
import { isRecord } from '../../util/json.js';
import type { ModelRequest, Provider } from '../contract/index.js';
import type { Call, FileFact, Finding } from './flow.js';
import { decideMove, type Findings, type Move } from './plan.js';

const FAILED = 'The offline model failed on this request. Rephrase it, or use a language model.';
const STRUCTURED_OUTPUT_TOOL = 'StructuredOutput';
/** Milliseconds of streaming after which other work of the process gets its turn. */
const PAUSE_EVERY_MS = 8;
/** tokenx prices prose well and JSON too low; measured against a real tokenizer. */
const JSON_FACTOR = 1.35;

/**
 * A provider that needs no network and no key. docs/offline-model.md lists what it understands; anything else it refuses,
 * and says what it can do and how to get a language model.
 * Contract: stateless: each `stream` derives its plan from the request's messages alone. It calls only tools that the
 * request offers, and says nothing that is not in a tool result.
 */
export function createOfflineProvider({ clock, ids }: Pick<Host, 'clock' | 'ids'>): Provider {
  return {
    id: 'offline',
    free: true,
    async *stream(request, _limits, signal) {
      requireNotAborted(signal);
      const { text, calls, stopReason } = decideReply(request);
      const newId = () => ids.uuid().replaceAll('-', '');
      const uses = calls.map((call) => ({ type: 'tool_use' as const, id: `toolu_${newId()}`, ...call }));
      const blocks = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...uses];
      const usage: Usage = {
        input_tokens: Math.ceil(estimateTokenCount(JSON.stringify(request)) * JSON_FACTOR),
        output_tokens: estimateTokenCount(text + calls.map((call) => JSON.stringify(call)).join('')),
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      };
      let since = clock.monotonic();
      for (const event of replyEvents(`msg_${newId()}`, blocks, stopReason, usage)) {
        // Now and then timers and input of the process run, so that an abort is seen.
        if (clock.monotonic() - since >= PAUSE_EVERY_MS) {
          await new Promise<void>((resolve) => clock.after(0, resolve));
          since = clock.monotonic();
        }
        requireNotAborted(signal);
        yield event;
      }
    },
  };
}

function requireNotAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('aborted', 'The request was aborted.');
}

interface Reply {
  readonly text: string;
  readonly calls: readonly Call[];
  readonly stopReason: 'tool_use' | 'refusal' | 'end_turn';
}

function decideReply(request: ModelRequest): Reply {
  try {
    const move = decideMove(request);
    if (move.type === 'call') return { text: move.say, calls: move.calls, stopReason: 'tool_use' };
    if (move.type === 'refuse') return { text: move.answer, calls: [], stopReason: 'refusal' };
    return finish(request, move);
  } catch (cause) {
    throw new ModelError('invalid_request', FAILED, { cause });
  }
}

/** The last reply: text, JSON for a schema, or a call of the tool that takes structured output. */
function finish({ tools, outputSchema }: ModelRequest, move: Extract<Move, { type: 'done' }>): Reply {
  const tool = tools.find((offered) => offered.name === STRUCTURED_OUTPUT_TOOL);
  if (tool !== undefined && !move.results.some(({ call }) => call.name === STRUCTURED_OUTPUT_TOOL)) {
    const value = structuredAnswer(move, tool.input_schema);
    const call = { name: STRUCTURED_OUTPUT_TOOL, input: isRecord(value) ? value : { value } };
    return { text: '', calls: [call], stopReason: 'tool_use' };
  }
  const text = outputSchema === undefined ? move.answer : JSON.stringify(structuredAnswer(move, outputSchema));
  return { text, calls: [], stopReason: 'end_turn' };
}

/** Deltas of one block at most; longer text comes in longer pieces. */
const MAX_DELTAS = 800;
const WORDS = /\s*\S+\s?|\s+/g;
const PIECES_OF_JSON = /.{1,48}/gs;

/**
 * A reply as the stream of a model: words of text, then tool calls in fragments of JSON.
 * Contract: a valid sequence of model events; the pieces of a block join to exactly its content.
 */
function* replyEvents(
  id: string,
  blocks: readonly AssistantBlock[],
  stop_reason: Reply['stopReason'],
  usage: Usage,
): Generator<ModelEvent> {
  const head = { id, type: 'message', role: 'assistant', model: 'offline', content: [] } as const;
  const started = { ...usage, output_tokens: 0 };
  yield { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null, usage: started } };
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'text') {
      yield { type: 'content_block_start', index, content_block: { type: 'text', text: '' } };
      for (const text of piecesOf(block.text, WORDS))
        yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text } };
    } else if (block.type === 'tool_use') {
      yield { type: 'content_block_start', index, content_block: { ...block, input: {} } };
      for (const partial_json of piecesOf(JSON.stringify(block.input), PIECES_OF_JSON))
        yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } };
    }
    yield { type: 'content_block_stop', index };
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage };
  yield { type: 'message_stop' };
}

function piecesOf(text: string, pattern: RegExp): readonly string[] {
  const pieces = text.match(pattern) ?? [];
  const size = Math.ceil(pieces.length / MAX_DELTAS);
  return pieces.flatMap((_, index) => (index % size === 0 ? [pieces.slice(index, index + size).join('')] : []));
}

// The answer as data: fills a JSON Schema from the findings. Properties are matched by their names; what no finding tells
// becomes an empty value of its type, never an invented one.

/** Deeper than this only what has to be there is filled, far deeper nothing, so that a schema of itself has an end. */
const MAX_DEPTH = 4;
const MAX_ITEMS = 1_000;

/** What a value is about: all findings, or one file or match of them. */
interface Subject extends Partial<FileFact> {
  readonly findings: Findings;
  readonly root: JsonSchema;
  /** How deep in the schema the value is. */
  readonly depth: number;
}

/** Contract: valid for schemas of types, properties, items, enums, bounds, unions and references. */
function structuredAnswer(findings: Findings, root: JsonSchema): JsonValue {
  const all = { findings, root, depth: 0 };
  const [item] = factFor<Partial<FileFact>[]>('', all, 'array') ?? [];
  const [text, lines] = [newest(findings, 'text'), newest(findings, 'lines')];
  const told = { ...(text === undefined ? {} : { text }), ...(lines === undefined ? {} : { lines }) };
  return fill(root, '', { ...all, ...item, ...told }) ?? null;
}

/** Undefined if the value may be absent and no finding tells it. */
function fill(given: unknown, name: string, subject: Subject, isOptional = false): JsonValue | undefined {
  const schema = resolve(given, subject);
  if ('const' in schema) return schema['const'] as JsonValue;
  if (Array.isArray(schema['enum'])) return chooseFrom(schema['enum'] as JsonValue[], name, subject);
  const type = typeOf(schema);
  if (type === 'object') return isOptional && subject.depth > MAX_DEPTH ? undefined : fillObject(schema, subject);
  if (type === 'array') return fillArray(schema, name, subject);
  if (type === 'null') return null;
  const told = factFor<JsonValue>(name, subject, type === 'integer' ? 'number' : type);
  if (told === undefined && isOptional) return undefined;
  if (type === 'boolean') return told ?? false;
  if (type === 'string') return fitted(String(told ?? (subject.depth === 0 ? subject.findings.answer : '')), schema);
  return bounded(Number(told ?? 0), schema);
}

/** Follows references, and takes the first way of a union; deep down the one that ends. */
function resolve(given: unknown, { root, depth }: Subject): JsonSchema {
  let schema = isRecord(given) ? given : {};
  for (let step = 0; step < 20; step++) {
    const ways = schema['anyOf'] ?? schema['oneOf'];
    if (typeof schema['$ref'] === 'string') {
      const names = schema['$ref'].split('/').filter((name) => name !== '' && name !== '#');
      const found = names.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), root);
      schema = isRecord(found) ? found : {};
    } else if (Array.isArray(ways)) {
      const end = depth > MAX_DEPTH ? ways.find((way) => isRecord(way) && way['type'] === 'null') : undefined;
      const { anyOf: _any, oneOf: _one, ...rest } = schema;
      schema = { ...rest, ...(end ?? ways[0]) };
    } else return schema;
  }
  return {};
}

function typeOf(schema: JsonSchema): unknown {
  const type = schema['type'];
  if (type !== undefined) return Array.isArray(type) ? type[0] : type;
  return 'properties' in schema ? 'object' : 'items' in schema ? 'array' : 'string';
}

function fillObject(schema: JsonSchema, { depth, ...subject }: Subject): JsonValue {
  // A schema that asks for itself without end cannot be filled.
  if (depth > MAX_DEPTH * 4) return {};
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : []);
  const names = [...new Set([...required, ...(depth < MAX_DEPTH ? Object.keys(properties) : [])])];
  const entries = names.map((name) => {
    return [name, fill(properties[name], name, { ...subject, depth: depth + 1 }, !required.has(name))] as const;
  });
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function fillArray(schema: JsonSchema, name: string, { findings, root, depth }: Subject): JsonValue {
  const below = { findings, root, depth: depth + 1 };
  if (depth > MAX_DEPTH * 4) return [];
  const most = numberIn(schema, 'maxItems', MAX_ITEMS);
  const items = (factFor<Partial<FileFact>[]>(name, below, 'array') ?? []).slice(0, most);
  while (items.length < Math.min(numberIn(schema, 'minItems', 0), MAX_ITEMS)) items.push({});
  const inner = resolve(schema['items'], below);
  const type = 'const' in inner || 'enum' in inner ? null : typeOf(inner);
  return items.map((item) => {
    if (type === 'string') return fitted(item.text?.trim() ?? item.path ?? '', inner);
    if (type === 'integer' || type === 'number') return bounded(item.lines ?? 0, inner);
    return fill(inner, name, { ...below, ...item }) ?? null;
  });
}

/** The first fact of the type that has the name. */
function factFor<Value>(name: string, subject: Subject, type: unknown): Value | undefined {
  const facts = factsOf(subject).filter(([names, fact]) => {
    return names.test(name) && (Array.isArray(fact) ? 'array' : typeof fact) === type;
  });
  return facts[0]?.[1] as Value | undefined;
}

/** What is told of a subject, each with the names that ask for it. */
function factsOf({ findings, path, lines, text }: Subject): (readonly [names: RegExp, fact: unknown])[] {
  const { answer, failures } = findings;
  const found = newest(findings, 'files') ?? [];
  const matches = found.flatMap((file) => (file.text === undefined ? [] : [{ ...file, lines: file.line }]));
  const files = found.filter((file, index) => found.findIndex(({ path: other }) => other === file.path) === index);
  const counted = newest(findings, 'count') ?? newest(findings, 'files')?.length;
  return [
    [/match|occurrence|hit/i, matches],
    [/file|path|name/i, files],
    [/^$|result|item|list|entr/i, matches.length > 0 ? matches : files],
    [/^(?:text|contents?|output|stdout|snippet)$/i, text],
    [/^(?:base)?name$/i, path?.split('/').at(-1)],
    [/path|file/i, path],
    [/error|failure|reason/i, failures.join('\n') || undefined],
    [/answer|result|message|description|report|summary|response/i, answer],
    [/exit|status/i, newest(findings, 'exitCode')],
    [/line|loc/i, lines],
    [/error|failure/i, failures.length],
    [/^$|count|total|number|amount|matches|occurrences|files|result|answer|value/i, counted],
    [/error|failed/i, failures.length > 0],
    [/success|^ok$|done|complete/i, failures.length === 0],
    [/found|exist/i, path !== undefined],
  ];
}

function chooseFrom(values: readonly JsonValue[], name: string, subject: Subject): JsonValue {
  const ended = subject.findings.failures.length === 0 ? ['success', 'ok', 'done'] : ['error', 'failure', 'failed'];
  const told: unknown[] = [factFor(name, subject, 'string'), factFor(name, subject, 'number'), ...ended];
  const pick = (among: unknown[]) => values.find((value) => among.includes(value));
  return pick(told) ?? pick(['unknown', 'none', 'other', 'n/a', '', null]) ?? values[0] ?? null;
}

/** The newest value of a kind that a finding tells; of changes none. */
function newest<Key extends keyof Finding>({ found }: Findings, key: Key): Finding[Key] | undefined {
  return found.findLast((finding) => finding[key] !== undefined && finding.isChange !== true)?.[key];
}

/** Lengths are in code points. */
function fitted(text: string, schema: JsonSchema): string {
  const cut = [...text].slice(0, numberIn(schema, 'maxLength', text.length));
  return cut.join('') + ' '.repeat(Math.min(Math.max(0, numberIn(schema, 'minLength', 0) - cut.length), 100_000));
}

function bounded(value: number, schema: JsonSchema): number {
  const above = numberIn(schema, 'exclusiveMinimum', Number.NEGATIVE_INFINITY);
  const below = numberIn(schema, 'exclusiveMaximum', Number.POSITIVE_INFINITY);
  const room = typeOf(schema) === 'integer' ? 1 : Math.min(1, (below - above) / 2);
  const low = Math.max(numberIn(schema, 'minimum', above), above + room);
  const inside = Math.max(low, Math.min(value, numberIn(schema, 'maximum', below), below - room));
  const step = numberIn(schema, 'multipleOf', 0);
  return step > 0 ? Math.ceil(inside / step) * step : inside;
}

function numberIn(schema: JsonSchema, key: string, otherwise: number): number {
  return typeof schema[key] === 'number' ? schema[key] : otherwise;
}
