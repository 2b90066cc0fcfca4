// Estimates how many tokens a request costs, without a tokenizer. One rule: work grows with what is new, never with
// what was measured before, and a long text is judged by samples.
import type { ContentBlock, DocumentBlock, MessageParam, ThinkingBlock } from '../../protocol/content.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import { sameStart } from '../../util/lists.js';
import { measureText } from './measure-text.js';

/** Counts are whole tokens, corrected by what was calibrated. Contract: never throws, whatever a history holds. */
export interface TokenEstimator {
  text(text: string): number;
  /** One content block with its frame. Kept by identity. */
  block(block: ContentBlock): number;
  /** One tool as a request tells it, without what stands around all of them. Kept by identity. */
  tool(tool: ModelRequest['tools'][number]): number;
  /** One message with its frame. Kept by identity. */
  message(param: MessageParam): number;
  /** The sum over messages. */
  messages(params: readonly MessageParam[]): number;
  /** A whole request: system, tools, messages, output schema. Not the reply. */
  request(request: ModelRequest): number;
  /** What a request holds beside its messages. */
  frame(request: ModelRequest): number;
  /** As `frame`, but parts that were never measured count by their length: never less, up to four times as much. */
  frameAtMost(request: ModelRequest): number;
  /** A number that the real count rarely exceeds: the estimate and 30 %. For limits that must hold. */
  upperBound(request: ModelRequest): number;
  /**
   * Learns from a real count. The correction stays within 0.5 and 2 and moves half way to each new ratio.
   * @param actualInputTokens all input of that request: uncached, cache reads and cache writes together
   */
  calibrate(request: ModelRequest, actualInputTokens: number): void;
  /** Tokens that the last real count had for each token of its estimate without any correction; null before the first. */
  readonly lastRatio: number | null;
}

/** Until a real count came: vendors' vocabularies differ, and most need more tokens than the one that was measured. */
const BEFORE_CALIBRATION = 1.15;
/** `upperBound` over the estimate. */
const MARGIN = 1.3;
const MIN_FACTOR = 0.5;
const MAX_FACTOR = 2;
/** Below this a request says more about fixed costs than about text. Tokens. */
const MIN_CALIBRATION = 500;

/** No text and no JSON comes to more of its length. */
const MOST_PER_CHARACTER = 1.2;

/** Frames, tokens. */
const MESSAGE_FRAME = 4;
const BLOCK_FRAME = 3;
const CALL_FRAME = 24;
const RESULT_FRAME = 20;
const TOOLS_FRAME = 300;

/** Providers scale images down to about this, whatever their size. Tokens. */
const IMAGE_TOKENS = 1_600;
/** A page costs its text and its picture. Tokens. */
const PAGE_TOKENS = 3_000;
const PAGE_BYTES = 60_000;
const MAX_PAGES = 100;
/** A document behind an address: its size is not known. */
const UNKNOWN_PAGES = 5;

/** Base64 characters per token of the thinking that a signature or redacted block stands for. */
const OPAQUE_CHARACTERS = 5;

/** Characters per token of plain prose. */
const PROSE_CHARACTERS = 4;

/** The first messages of a list, and what they come to. */
interface Summed {
  readonly params: readonly MessageParam[];
  /** The list may have grown since. */
  readonly count: number;
  readonly tokens: number;
}

/**
 * One per session. It holds no message alive but those of the last conversation it was asked about.
 * @param correction what is estimated counts so many times, until the first real count
 */
export function createTokenEstimator(correction: number = BEFORE_CALIBRATION): TokenEstimator {
  const known = new WeakMap<object, number>();
  /** The conversation that was summed up last: the next one mostly goes on from it. */
  let summed: Summed = { params: [], count: 0, tokens: 0 };
  /** What stood beside the messages last: it is the same in each request of a prompt. */
  let framed: (Pick<ModelRequest, 'system' | 'tools' | 'outputSchema'> & { readonly tokens: number }) | null = null;
  let factor = correction;
  let isCalibrated = false;
  let lastRatio: number | null = null;

  const remember = <T extends object>(part: T, measure: (part: T) => number): number => {
    const before = known.get(part);
    if (before !== undefined) return before;
    // Whole, for the sums over a conversation cost no memory then.
    const tokens = Math.ceil(measure(part));
    known.set(part, tokens);
    return tokens;
  };
  const rawBlock = (block: ContentBlock): number => (isObject(block) ? remember(block, measureBlock) : 0);
  const rawMessage = (param: MessageParam): number =>
    remember(param, ({ content }) => {
      if (typeof content === 'string') return MESSAGE_FRAME + BLOCK_FRAME + measureText(content);
      const blocks: readonly ContentBlock[] = Array.isArray(content) ? content : [];
      // A message's blocks are not kept one by one: nobody asks for them again.
      return blocks.reduce((sum, block) => sum + (isObject(block) ? measureBlock(block) : 0), MESSAGE_FRAME);
    });
  const rawMessages = (params: readonly MessageParam[]): number => {
    const goesOn = sameStart(params, summed.params, summed.count) === summed.count;
    let tokens = goesOn ? summed.tokens : 0;
    for (let at = goesOn ? summed.count : 0; at < params.length; at++) tokens += rawMessage(params[at] as MessageParam);
    summed = { params, count: params.length, tokens };
    return tokens;
  };
  const isFramed = ({ system, tools, outputSchema }: ModelRequest): boolean =>
    system === framed?.system && tools === framed.tools && outputSchema === framed.outputSchema;
  const rawFrame = (request: ModelRequest): number => {
    if (framed !== null && isFramed(request)) return framed.tokens;
    const { system, tools, outputSchema } = request;
    let tokens = tools.length === 0 ? 0 : TOOLS_FRAME;
    for (const block of system) tokens += rawBlock(block);
    for (const tool of tools) tokens += remember(tool, measureJson);
    if (outputSchema !== undefined) tokens += measureValue(outputSchema);
    framed = { system, tools, outputSchema, tokens };
    return tokens;
  };
  const atMost = (part: object): number => known.get(part) ?? charactersOf(part) * MOST_PER_CHARACTER;
  const rawFrameAtMost = (request: ModelRequest): number => {
    if (framed !== null && isFramed(request)) return framed.tokens;
    const { system, tools, outputSchema } = request;
    const parts = [...system, ...tools, ...(outputSchema === undefined ? [] : [outputSchema])];
    return parts.reduce((sum, part) => sum + atMost(part), TOOLS_FRAME);
  };
  const rawRequest = (request: ModelRequest): number => rawMessages(request.messages) + rawFrame(request);
  const measureValue = (value: unknown): number => (isObject(value) ? remember(value, measureJson) : 1);
  const corrected = (raw: number): number => Math.ceil(raw * factor);

  return {
    text: (text) => corrected(measureText(text)),
    block: (block) => corrected(rawBlock(block)),
    tool: (tool) => corrected(remember(tool, measureJson)),
    message: (param) => corrected(rawMessage(param)),
    messages: (params) => corrected(rawMessages(params)),
    request: (request) => corrected(rawRequest(request)),
    frame: (request) => corrected(rawFrame(request)),
    frameAtMost: (request) => corrected(rawFrameAtMost(request)),
    upperBound: (request) => Math.ceil(rawRequest(request) * factor * MARGIN),
    calibrate(request, actualInputTokens) {
      const raw = rawRequest(request);
      if (raw > 0 && Number.isFinite(actualInputTokens) && actualInputTokens > 0) lastRatio = actualInputTokens / raw;
      if (raw < MIN_CALIBRATION || !Number.isFinite(actualInputTokens) || actualInputTokens <= 0) return;
      const ratio = Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, actualInputTokens / raw));
      factor = isCalibrated ? (factor + ratio) / 2 : ratio;
      isCalibrated = true;
    },
    get lastRatio() {
      return lastRatio;
    },
  };
}

/**
 * Tokens of a streamed text, or of the thinking that a signature stands for. For a reply whose count never came; it is
 * rather too high than too low.
 */
export function streamedTokens(text: string, signature = ''): number {
  return Math.max(measureText(text), text.length / PROSE_CHARACTERS, signature.length / OPAQUE_CHARACTERS);
}

function measureBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return BLOCK_FRAME + measureText(block.text);
    case 'thinking':
      return BLOCK_FRAME + measureThinking(block);
    case 'redacted_thinking':
      return BLOCK_FRAME + lengthOf(block.data) / OPAQUE_CHARACTERS;
    case 'image':
      return IMAGE_TOKENS;
    case 'document':
      return BLOCK_FRAME + measureDocument(block);
    case 'tool_use':
      return CALL_FRAME + measureText(block.name) + measureJson(block.input);
    case 'tool_result': {
      const { content } = block;
      if (typeof content === 'string') return RESULT_FRAME + measureText(content);
      const parts: readonly ContentBlock[] = Array.isArray(content) ? content : [];
      return parts.reduce((sum, part) => sum + (isObject(part) ? measureBlock(part) : 0), RESULT_FRAME);
    }
    default:
      // A block of an unknown kind, from a damaged history: it is left out of the request.
      block satisfies never;
      return 0;
  }
}

/** If the text is withheld, the signature stands for it. */
function measureThinking({ thinking, signature }: ThinkingBlock): number {
  return Math.max(measureText(thinking), lengthOf(signature) / OPAQUE_CHARACTERS);
}

function measureDocument({ source, title }: DocumentBlock): number {
  const named = measureText(title);
  if (source?.type === 'text') return named + measureText(source.data);
  if (source?.type !== 'base64') return named + UNKNOWN_PAGES * PAGE_TOKENS;
  const bytes = (lengthOf(source.data) * 3) / 4;
  return named + Math.min(MAX_PAGES, Math.max(1, Math.ceil(bytes / PAGE_BYTES))) * PAGE_TOKENS;
}

/** A JSON value as it would be written: strings by their text, the rest by its signs. Not recursive: depth is the sender's. */
function measureJson(value: unknown): number {
  const open: unknown[] = [value];
  let tokens = 0;
  while (open.length > 0) {
    const item = open.pop();
    tokens += 1;
    if (typeof item === 'string') tokens += measureText(item);
    else if (typeof item === 'number') tokens += 1;
    else if (Array.isArray(item)) for (const part of item) open.push(part);
    else if (isObject(item)) {
      for (const key of Object.keys(item)) {
        tokens += 1 + measureText(key);
        open.push((item as Record<string, unknown>)[key]);
      }
    }
  }
  return tokens;
}

/** The characters of a JSON value, and one for each of its signs. As `measureJson`, without a look at the texts. */
function charactersOf(value: unknown): number {
  const open: unknown[] = [value];
  let characters = 0;
  while (open.length > 0) {
    const item = open.pop();
    characters += typeof item === 'string' ? item.length + 2 : 2;
    if (Array.isArray(item)) for (const part of item) open.push(part);
    else if (isObject(item)) {
      for (const key of Object.keys(item)) {
        characters += key.length + 2;
        open.push((item as Record<string, unknown>)[key]);
      }
    }
  }
  return characters;
}

function lengthOf(text: unknown): number {
  return typeof text === 'string' ? text.length : 0;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
