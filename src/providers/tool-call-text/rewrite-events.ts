// Rewrites the events of a reply: text that is calls becomes calls, arguments get the form their tool wants. Rule: what is
// not decided waits; a reply with calls of the API's own has no others.
import type { StopReason } from '../../protocol/content.js';
import type { ContentBlockStart, ModelEvent } from '../../protocol/model-events.js';
import { type CallIds, createCallIds } from '../openai/call-ids.js';
import { shortHash } from '../openai/wire-names.js';
import type { ModelRequest } from '../provider.js';
import type { ToolCallProfile } from '../tool-call-profile.js';
import { createTextScan, type TextScan } from './find-calls.js';
import { isRecord, parseLooseJson } from './loose-json.js';
import { createOfferedTools, type FoundCall, type OfferedTools } from './offered-tools.js';
import { createToolTelling } from './tell-tools.js';
import type { ToolCallReader } from './tool-call-reader.js';

export function createToolCallReader(profile: ToolCallProfile): ToolCallReader {
  const ids = createCallIds();
  const telling = profile === 'text' ? createToolTelling() : null;
  return {
    ask: (request) => telling?.tell(request) ?? request,
    read: (events, request) => (request.tools.length === 0 ? events : rewritten(events, createRewriting(request, ids))),
  };
}

/** By hand and not as a generator, which costs twice as much for each of many thousand deltas. */
function rewritten(
  events: AsyncIterable<ModelEvent>,
  rewriting: ReturnType<typeof createRewriting>,
): AsyncIterable<ModelEvent> {
  return {
    [Symbol.asyncIterator]() {
      const source = events[Symbol.asyncIterator]();
      let ready: readonly ModelEvent[] = NOTHING;
      let at = 0;
      const next = (): Promise<IteratorResult<ModelEvent>> => {
        const event = ready[at++];
        return event === undefined ? source.next().then(step) : Promise.resolve({ value: event, done: false });
      };
      const step = (
        read: IteratorResult<ModelEvent>,
      ): IteratorResult<ModelEvent> | Promise<IteratorResult<ModelEvent>> => {
        if (read.done) return { value: undefined, done: true };
        const goesOn = rewriting.push(read.value);
        const before = rewriting.take();
        if (goesOn && before.length === 0) return read;
        ready = goesOn ? [...before, read.value] : before;
        at = 1;
        const [first] = ready;
        return first === undefined ? source.next().then(step) : { value: first, done: false };
      };
      return {
        next,
        async return() {
          await source.return?.();
          return { value: undefined, done: true as const };
        },
      };
    },
  };
}

type Start = Extract<ModelEvent, { type: 'content_block_start' }>;
type Delta = Extract<ModelEvent, { type: 'content_block_delta' }>;

/** A block of the reply while it comes. */
type OpenBlock =
  | { readonly kind: 'other' }
  | { readonly kind: 'call'; readonly name: string; json: string }
  /** `lead`: white space that is not shown unless more follows. `isOut`: its block was opened. */
  | { readonly kind: 'text'; readonly scan: TextScan; lead: string; isOut: boolean };

function createRewriting(request: ModelRequest, ids: CallIds) {
  const tools = createOfferedTools(request.tools);
  const names = request.tools.map((tool) => tool.name);
  let out: ModelEvent[] = [];
  let index = -1;
  let messageId = '';
  let block: OpenBlock = { kind: 'other' };
  /** A text that may be calls and is over; what came behind it waits in `later` until the reply's end decides. */
  let undecided: Extract<OpenBlock, { kind: 'text' }> | null = null;
  let later: ModelEvent[] = [];
  /** No text becomes a call any more. */
  let isOnlyText = request.toolChoice === 'none';
  let hasFound = false;

  const open = (content: ContentBlockStart) => {
    index++;
    out.push({ type: 'content_block_start', index, content_block: content });
  };
  const close = () => out.push({ type: 'content_block_stop', index });
  const fill = (delta: Delta['delta']) => out.push({ type: 'content_block_delta', index, delta });
  const show = (text: Extract<OpenBlock, { kind: 'text' }>, piece: string) => {
    text.lead += piece;
    if (text.lead === '' || (!text.isOut && text.lead.trim() === '')) return;
    if (!text.isOut) open({ type: 'text', text: '' });
    text.isOut = true;
    fill({ type: 'text_delta', text: text.lead });
    text.lead = '';
  };
  const closeText = (text: Extract<OpenBlock, { kind: 'text' }>, rest: string, isLast: boolean) => {
    show(text, rest);
    if (!text.isOut && isLast) {
      open({ type: 'text', text: '' });
      text.isOut = true;
    }
    if (!text.isOut) return;
    if (text.lead !== '' && isLast) fill({ type: 'text_delta', text: text.lead });
    close();
  };
  const addCalls = (calls: readonly FoundCall[]) => {
    for (const message of request.messages) {
      if (message.role !== 'assistant') continue;
      for (const use of message.content) if (use.type === 'tool_use') ids.note(use.id);
    }
    for (const [at, { name, input }] of calls.entries()) {
      const json = JSON.stringify(input);
      const id = ids.claim(`call_${shortHash(`${messageId} ${request.messages.length} ${at} ${name} ${json}`)}`);
      open({ type: 'tool_use', id, name, input: {} });
      if (json !== '{}') fill({ type: 'input_json_delta', partial_json: json });
      close();
    }
    hasFound = true;
  };
  /** The end of the reply is here, or something that leaves no doubt. */
  const decide = () => {
    const text = undecided;
    if (text === null) return;
    const waiting = later;
    undecided = null;
    later = [];
    const end = text.scan.finish();
    const calls = waiting.some(isMore) ? null : end.calls;
    isOnlyText = true;
    if (calls === null) closeText(text, end.raw, true);
    else closeText(text, end.rest, false);
    for (const event of waiting) if (push(event)) out.push(event);
    if (calls !== null) addCalls(calls);
  };
  const pushStart = (event: Start) => {
    const content = event.content_block;
    if (content.type === 'text' && !isOnlyText) {
      block = { kind: 'text', scan: createTextScan(tools, names), lead: '', isOut: false };
      if (content.text !== '') show(block, block.scan.push(content.text));
      return;
    }
    block = content.type === 'tool_use' ? { kind: 'call', name: content.name, json: '' } : { kind: 'other' };
    if (content.type === 'tool_use') isOnlyText = true;
    open(content);
  };
  /** True where it goes on as it came, which nearly all do. */
  const pushDelta = (event: Delta): boolean => {
    const { delta } = event;
    if (block.kind === 'text' && delta.type === 'text_delta') {
      const piece = block.scan.push(delta.text);
      if (piece === delta.text && block.isOut && block.lead === '' && event.index === index) return true;
      show(block, piece);
    } else if (block.kind === 'call' && delta.type === 'input_json_delta') block.json += delta.partial_json;
    else fill(delta);
    return false;
  };
  const pushStop = () => {
    if (block.kind === 'call') {
      const json = repairJson(block.name, block.json, tools);
      if (json !== '') fill({ type: 'input_json_delta', partial_json: json });
      close();
    } else if (block.kind === 'other') close();
    else if (block.scan.isHolding) undecided = block;
    else closeText(block, '', true);
    block = { kind: 'other' };
  };
  /** True: the event itself goes on, behind what `take` gives. */
  const push = (event: ModelEvent): boolean => {
    if (undecided !== null && event.type.startsWith('content_block')) {
      later.push(event);
      return false;
    }
    switch (event.type) {
      case 'message_start':
        messageId = event.message.id;
        return true;
      case 'content_block_start':
        pushStart(event);
        return false;
      case 'content_block_delta':
        return pushDelta(event);
      case 'content_block_stop':
        pushStop();
        return false;
      case 'message_delta':
        decide();
        out.push(hasFound ? withCalls(event) : event);
        return false;
      case 'message_stop':
        decide();
        return true;
      default:
        event satisfies never;
        return false;
    }
  };
  return {
    push,
    take(): readonly ModelEvent[] {
      if (out.length === 0) return NOTHING;
      const taken = out;
      out = [];
      return taken;
    },
  };
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

/** The arguments of a native call, repaired where they are whole; as they came where nothing is to be done, or nothing can. */
function repairJson(name: string, json: string, tools: OfferedTools): string {
  const value = json.trim() === '' ? undefined : parseLooseJson(json);
  const call = value === undefined ? null : tools.call(name, value);
  if (call === null || call.name !== name) return json;
  const repaired = JSON.stringify(call.input);
  return repaired === strict(json) ? json : repaired;
}

/** The text of a JSON object without its white space; null where it is none. */
function strict(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? JSON.stringify(value) : null;
  } catch {
    return null; // told apart from JSON by being none
  }
}
