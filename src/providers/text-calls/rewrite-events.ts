// Rewrites the events of a reply: text that is calls becomes calls, arguments get the form their tool wants. Rule: what is
// not decided waits; a reply with calls of the API's own has no others.
import type {
  ContentBlockStart,
  MessageParam,
  ModelEvent,
  StopReason,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from '../../protocol/content.js';
import { isRecord } from '../../util/json.js';
import type { ModelRequest, ToolDefinition } from '../contract/index.js';
import { type CallIds, createCallIds, shortHash } from '../openai/index.js';
import type { ToolCallProfile, ToolCallReader } from './call-form.js';
import { createMarks, createTextScan, type TextScan, type TextTools } from './find-calls.js';
import { parseLooseJson } from './loose-json.js';
import { createOfferedTools, type FoundCall, type OfferedTools } from './offered-tools.js';

export function createToolCallReader(profile: ToolCallProfile): ToolCallReader {
  const ids = createCallIds();
  const telling = profile === 'text' ? createToolTelling() : null;
  let tools: { readonly of: ModelRequest['tools']; readonly texts: TextTools } | null = null;
  const textTools = (of: ModelRequest['tools']): TextTools => {
    if (tools?.of !== of) tools = { of, texts: createTextTools(of) };
    return tools.texts;
  };
  return {
    ask: (request) => telling?.tell(request) ?? request,
    read: (events, request) =>
      request.tools.length === 0
        ? events
        : new RewrittenEvents(events[Symbol.asyncIterator](), new Rewriting(request, textTools(request.tools), ids)),
  };
}

function createTextTools(tools: ModelRequest['tools']): TextTools {
  const names = tools.map((tool) => tool.name);
  return {
    exact: createOfferedTools(tools),
    marked: createOfferedTools(tools, { anyCase: true }),
    names,
    marks: createMarks(names),
  };
}

/** By hand and not as a generator, which costs twice as much for each of many thousand deltas. */
class RewrittenEvents implements AsyncIterable<ModelEvent>, AsyncIterator<ModelEvent> {
  readonly #source: AsyncIterator<ModelEvent>;
  readonly #rewriting: Rewriting;
  readonly #step = (read: IteratorResult<ModelEvent>) => this.#take(read);
  #ready: readonly ModelEvent[] = NOTHING;
  #at = 0;

  constructor(source: AsyncIterator<ModelEvent>, rewriting: Rewriting) {
    this.#source = source;
    this.#rewriting = rewriting;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    const event = this.#ready[this.#at];
    if (event === undefined) return this.#source.next().then(this.#step);
    this.#at++;
    return Promise.resolve({ value: event, done: false });
  }

  async return(): Promise<IteratorResult<ModelEvent>> {
    await this.#source.return?.();
    return { value: undefined, done: true };
  }

  #take(read: IteratorResult<ModelEvent>): IteratorResult<ModelEvent> | Promise<IteratorResult<ModelEvent>> {
    if (read.done) return { value: undefined, done: true };
    const goesOn = this.#rewriting.push(read.value);
    const before = this.#rewriting.take();
    if (goesOn && before === null) return read;
    this.#ready = goesOn ? [...(before ?? NOTHING), read.value] : (before ?? NOTHING);
    this.#at = 1;
    const [first] = this.#ready;
    return first === undefined ? this.#source.next().then(this.#step) : { value: first, done: false };
  }
}

type Start = Extract<ModelEvent, { type: 'content_block_start' }>;
type Delta = Extract<ModelEvent, { type: 'content_block_delta' }>;

/** A block of the reply while it comes. */
type OpenBlock =
  | { readonly kind: 'other' }
  | { readonly kind: 'call'; readonly name: string; json: string }
  /** `lead`: white space that is not shown unless more follows. `isOut`: its block was opened. */
  | { readonly kind: 'text'; readonly scan: TextScan; lead: string; isOut: boolean };

type TextBlock = Extract<OpenBlock, { kind: 'text' }>;

/** A class, so that every reply runs the same code: it is run for each delta. */
class Rewriting {
  readonly #request: ModelRequest;
  readonly #ids: CallIds;
  readonly #tools: TextTools;
  #out: ModelEvent[] = [];
  #index = -1;
  #messageId = '';
  #block: OpenBlock = { kind: 'other' };
  /** A text that may be calls and is over; what came behind it waits in `later` until the reply's end decides. */
  #undecided: TextBlock | null = null;
  #later: ModelEvent[] = [];
  /** No text becomes a call any more. */
  #isOnlyText: boolean;
  #hasFound = false;

  constructor(request: ModelRequest, tools: TextTools, ids: CallIds) {
    this.#request = request;
    this.#ids = ids;
    this.#tools = tools;
    this.#isOnlyText = request.toolChoice === 'none';
  }

  /** True: the event itself goes on, behind what `take` gives. */
  push(event: ModelEvent): boolean {
    if (this.#undecided !== null && event.type.startsWith('content_block')) {
      this.#later.push(event);
      return false;
    }
    switch (event.type) {
      case 'content_block_delta':
        return this.#pushDelta(event);
      case 'message_start':
        this.#messageId = event.message.id;
        return true;
      case 'content_block_start':
        this.#pushStart(event);
        return false;
      case 'content_block_stop':
        this.#pushStop();
        return false;
      case 'message_delta':
        this.#decide();
        this.#out.push(this.#hasFound ? withCalls(event) : event);
        return false;
      case 'message_stop':
        this.#decide();
        return true;
      default:
        event satisfies never;
        return false;
    }
  }

  /** Null if there is nothing. */
  take(): readonly ModelEvent[] | null {
    if (this.#out.length === 0) return null;
    const taken = this.#out;
    this.#out = [];
    return taken;
  }

  #open(content: ContentBlockStart): void {
    this.#index++;
    this.#out.push({ type: 'content_block_start', index: this.#index, content_block: content });
  }

  #close(): void {
    this.#out.push({ type: 'content_block_stop', index: this.#index });
  }

  #fill(delta: Delta['delta']): void {
    this.#out.push({ type: 'content_block_delta', index: this.#index, delta });
  }

  #show(text: TextBlock, piece: string): void {
    text.lead += piece;
    if (text.lead === '' || (!text.isOut && text.lead.trim() === '')) return;
    if (!text.isOut) this.#open({ type: 'text', text: '' });
    text.isOut = true;
    this.#fill({ type: 'text_delta', text: text.lead });
    text.lead = '';
  }

  #closeText(text: TextBlock, rest: string, isLast: boolean): void {
    this.#show(text, rest);
    if (!text.isOut && isLast) {
      this.#open({ type: 'text', text: '' });
      text.isOut = true;
    }
    if (!text.isOut) return;
    if (text.lead !== '' && isLast) this.#fill({ type: 'text_delta', text: text.lead });
    this.#close();
  }

  #addCalls(calls: readonly FoundCall[]): void {
    const { messages } = this.#request;
    for (const message of messages) {
      if (message.role !== 'assistant') continue;
      for (const use of message.content) if (use.type === 'tool_use') this.#ids.note(use.id);
    }
    for (const [at, { name, input }] of calls.entries()) {
      const json = JSON.stringify(input);
      const id = this.#ids.claim(`call_${shortHash(`${this.#messageId} ${messages.length} ${at} ${name} ${json}`)}`);
      this.#open({ type: 'tool_use', id, name, input: {} });
      if (json !== '{}') this.#fill({ type: 'input_json_delta', partial_json: json });
      this.#close();
    }
    this.#hasFound = true;
  }

  /** The end of the reply is here, or something that leaves no doubt. */
  #decide(): void {
    const text = this.#undecided;
    if (text === null) return;
    const waiting = this.#later;
    this.#undecided = null;
    this.#later = [];
    const end = text.scan.finish();
    const calls = waiting.some(isMore) ? null : end.calls;
    this.#isOnlyText = true;
    if (calls === null) this.#closeText(text, end.raw, true);
    else this.#closeText(text, end.rest, false);
    for (const event of waiting) if (this.push(event)) this.#out.push(event);
    if (calls !== null) this.#addCalls(calls);
  }

  #pushStart(event: Start): void {
    const content = event.content_block;
    if (content.type === 'text' && !this.#isOnlyText) {
      const block: TextBlock = { kind: 'text', scan: createTextScan(this.#tools), lead: '', isOut: false };
      this.#block = block;
      if (content.text !== '') this.#show(block, block.scan.push(content.text));
      return;
    }
    this.#block = content.type === 'tool_use' ? { kind: 'call', name: content.name, json: '' } : { kind: 'other' };
    if (content.type === 'tool_use') this.#isOnlyText = true;
    this.#open(content);
  }

  /** True if it goes on as it came, which nearly all do. */
  #pushDelta(event: Delta): boolean {
    const { delta } = event;
    const block = this.#block;
    if (block.kind === 'text' && delta.type === 'text_delta') {
      const piece = block.scan.push(delta.text);
      if (piece === delta.text && block.isOut && block.lead === '' && event.index === this.#index) return true;
      this.#show(block, piece);
    } else if (block.kind === 'call' && delta.type === 'input_json_delta') block.json += delta.partial_json;
    else this.#fill(delta);
    return false;
  }

  #pushStop(): void {
    const block = this.#block;
    if (block.kind === 'call') {
      const json = repairJson(block.name, block.json, this.#tools.exact);
      if (json !== '') this.#fill({ type: 'input_json_delta', partial_json: json });
      this.#close();
    } else if (block.kind === 'other') this.#close();
    else if (block.scan.isHolding) this.#undecided = block;
    else this.#closeText(block, '', true);
    this.#block = { kind: 'other' };
  }
}

const NOTHING: readonly ModelEvent[] = [];

/** A call of the API's own, or text: then what stood before is not the end of the message. */
function isMore(event: ModelEvent): boolean {
  if (event.type === 'content_block_start') {
    const { content_block: content } = event;
    return content.type === 'tool_use' || (content.type === 'text' && content.text.trim() !== '');
  }
  return event.type === 'content_block_delta' && event.delta.type === 'text_delta' && event.delta.text.trim() !== '';
}

const ENDED: ReadonlySet<StopReason | null> = new Set<StopReason | null>(['end_turn', 'stop_sequence', null]);

function withCalls(event: Extract<ModelEvent, { type: 'message_delta' }>): ModelEvent {
  if (!ENDED.has(event.delta.stop_reason)) return event;
  return { ...event, delta: { ...event.delta, stop_reason: 'tool_use' } };
}

/**
 * The arguments of a native call, repaired if they are whole; as they came if nothing is to be done, or nothing can.
 */
function repairJson(name: string, json: string, tools: OfferedTools): string {
  const value = json.trim() === '' ? undefined : parseLooseJson(json);
  const call = value === undefined ? null : tools.call(name, value);
  if (call === null || call.name !== name) return json;
  const repaired = JSON.stringify(call.input);
  return repaired === strict(json) ? json : repaired;
}

/** The text of a JSON object without its white space; null if it is none. */
function strict(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? JSON.stringify(value) : null;
  } catch {
    return null; // told apart from JSON by being none
  }
}

// Tools for a model whose API has none: told in the system prompt, calls and results written as text. Rule: the same
// request gives the same text, so that what was cached stays so.

const HOW_TO_CALL = `You can use tools. To use one, end your reply with a call in exactly this form, and wait for its result:
<tool_call>
{"name": "NAME", "arguments": {"KEY": "VALUE"}}
</tool_call>
Several calls follow each other, each in its own tags. Results come in <tool_response> tags. The tools, each with the JSON Schema of its arguments:`;

interface ToolTelling {
  tell(request: ModelRequest): ModelRequest;
}

function createToolTelling(): ToolTelling {
  const texts = new WeakMap<readonly ToolDefinition[], string>();
  /** By identity: a message object never changes once it was sent. */
  const written = new WeakMap<MessageParam, MessageParam>();
  const write = (message: MessageParam): MessageParam => {
    const known = written.get(message) ?? withoutCalls(message);
    written.set(message, known);
    return known;
  };
  return {
    tell(request) {
      const messages = request.messages.map(write);
      if (request.tools.length === 0) return { ...request, messages };
      const text = texts.get(request.tools) ?? describe(request.tools);
      texts.set(request.tools, text);
      const system = [...request.system, { type: 'text' as const, text }];
      return { ...request, system, messages, tools: [], toolChoice: undefined };
    },
  };
}

function describe(tools: readonly ToolDefinition[]): string {
  const lines = tools.map(({ name, description, input_schema }) =>
    JSON.stringify({ name, description, parameters: input_schema }),
  );
  return [HOW_TO_CALL, ...lines].join('\n');
}

function withoutCalls(message: MessageParam): MessageParam {
  if (message.role === 'assistant') {
    if (!message.content.some(({ type }) => type === 'tool_use')) return message;
    return {
      role: 'assistant',
      content: message.content.map((block) => (block.type === 'tool_use' ? callText(block) : block)),
    };
  }
  if (typeof message.content === 'string' || !message.content.some(({ type }) => type === 'tool_result'))
    return message;
  return {
    role: 'user',
    content: message.content.flatMap((block) => (block.type === 'tool_result' ? resultBlocks(block) : [block])),
  };
}

function callText({ name, input }: ToolUseBlock) {
  return {
    type: 'text' as const,
    text: `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`,
  };
}

/** Images and documents stand between the tags, as blocks of their own. */
function resultBlocks({ content, is_error: isError }: ToolResultBlock): UserBlock[] {
  const open = isError === true ? '<tool_response error="true">' : '<tool_response>';
  if (typeof content === 'string') return [{ type: 'text', text: `${open}\n${content}\n</tool_response>` }];
  const isText = content.every(({ type }) => type === 'text');
  if (isText) {
    const texts = content.map((block) => (block.type === 'text' ? block.text : ''));
    return [{ type: 'text', text: `${open}\n${texts.join('\n')}\n</tool_response>` }];
  }
  return [{ type: 'text', text: open }, ...content, { type: 'text', text: '</tool_response>' }];
}
