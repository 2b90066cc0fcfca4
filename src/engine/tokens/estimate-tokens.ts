// Estimates how many tokens a request costs, without a tokenizer. One rule: work grows with what is new, never with what was
// measured before; a text is read once, as the pieces that byte-pair vocabularies cut it into, a long one by samples.
import type { ContentBlock, DocumentBlock, MessageParam, ThinkingBlock } from '../../protocol/content.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import { sameStart } from '../../util/lists.js';

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

/** Longer texts are judged by this many characters, in evenly spread pieces. */
const SAMPLE_CHARACTERS = 64 * 1024;
const SAMPLE_PIECES = 16;

/** Tokens of a text by a vocabulary of 200,000, not rounded; 0 for what is no text. */
export function measureText(text: unknown): number {
  if (typeof text !== 'string' || text === '') return 0;
  if (text.length <= SAMPLE_CHARACTERS) return Math.max(1, countPiece(text, 0, text.length) / ONE);
  const size = SAMPLE_CHARACTERS / SAMPLE_PIECES;
  let counted = 0;
  for (let piece = 0; piece < SAMPLE_PIECES; piece++) {
    const start = Math.floor(((text.length - size) * piece) / (SAMPLE_PIECES - 1));
    counted += countPiece(text, start, start + size);
  }
  return ((counted / ONE) * text.length) / SAMPLE_CHARACTERS;
}

// Tokens per piece, fitted to o200k over 46 texts of prose, source, JSON, logs, paths, hashes, base64 and twelve
// languages (docs/decisions/0020-estimating-tokens.md). In thousandths, for whole numbers cost no memory: a request's tools and
// texts come to tens of thousands of pieces.
const ONE = 1_000;
const PER_WORD = 990;
/** More for a word that is glued to what is before it: part of a path, of a name in camel case. */
const PER_GLUE = 190;
/** Letters of a word beyond the fourth, and beyond the twelfth. */
const PER_LATER_LETTER = 70;
const PER_LATE_LETTER = 470;
const LATER = 4;
const LATE = 12;
/** A letter with an accent. */
const PER_ACCENT = 960;
/** Up to three digits. */
const PER_DIGITS = 1_140;
const PER_MARKS = 830;
const PER_FURTHER_MARK = 300;
const PER_LINES = 1_270;
/** Several blanks, or one before a digit; any other is part of what follows. */
const PER_BLANKS = 880;
/** Of texts that are no words: base64, and hexadecimal. */
const PER_DENSE = 680;
const PER_HEX = 590;
const PER_OTHER_WORD = 980;
const PER_OTHER_LETTER = 97;
const PER_HAN = 740;
const PER_KANA = 640;
const PER_HANGUL = 680;
/** Half a character beyond the first 65,536, an emoji for instance; and any other sign. */
const PER_HALF = 1_010;
const PER_OTHER = 980;

/** Letters and digits in one run are no words if they are at least this many, and change their kind this often. */
const DENSE_RUN = 16;
const DENSE_CHANGES = 0.28;
/** Base64 has capitals. */
const DENSE_CAPITALS = 0.1;

// Kinds of characters; up to DIGIT those of which base64 and names are made.
const SMALL = 1;
const CAPITAL = 2;
const DIGIT = 3;
const BLANK = 4;
const LINE = 5;
const MARK = 6;
const ACCENT = 7;
const OTHER_LETTER = 8;
const HAN = 9;
const KANA = 10;
const HANGUL = 11;
const HALF = 12;
const OTHER = 13;

const ASCII: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return SMALL;
  if (/[A-Z]/.test(character)) return CAPITAL;
  if (/[0-9]/.test(character)) return DIGIT;
  if (code === 10 || code === 13) return LINE;
  return code <= 32 ? BLANK : MARK;
});

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 128) return ASCII[code] ?? MARK;
  if (code < 0x250) return code < 0xc0 ? MARK : ACCENT;
  if (code < 0x2000) return OTHER_LETTER;
  if (code >= 0x3041 && code <= 0x30ff) return KANA;
  if (code >= 0x3400 && code <= 0x9fff) return HAN;
  if (code >= 0xac00 && code <= 0xd7af) return HANGUL;
  return code >= 0xd800 && code <= 0xdfff ? HALF : OTHER;
}

function isLetter(kind: number): boolean {
  return kind === SMALL || kind === CAPITAL || kind === ACCENT;
}

/** Counts `text` from `start` to `end`, run by run. Thousandths of a token, as every price here. */
function countPiece(text: string, start: number, end: number): number {
  let tokens = 0;
  let at = start;
  let denseKnownTo = start;
  while (at < end) {
    const kind = kindAt(text, at);
    if (kind <= DIGIT && at >= denseKnownTo) {
      denseKnownTo = endOfDense(text, at, end);
      const dense = priceDense(text, at, denseKnownTo);
      if (dense > 0) {
        tokens += dense;
        at = denseKnownTo;
        continue;
      }
    }
    const runEnd = isLetter(kind) ? endOfWord(text, at, end, kind) : endOfRun(text, at, end, kind);
    tokens += priceRun(text, at, runEnd, end, kind);
    at = runEnd;
  }
  return tokens;
}

function priceRun(text: string, at: number, runEnd: number, end: number, kind: number): number {
  const length = runEnd - at;
  switch (kind) {
    case SMALL:
    case CAPITAL:
    case ACCENT:
      return priceWord(text, at, runEnd);
    case DIGIT:
      return Math.ceil(length / 3) * PER_DIGITS;
    case LINE:
      return PER_LINES;
    case BLANK:
      return length > 1 || (runEnd < end && kindAt(text, runEnd) === DIGIT) ? PER_BLANKS : 0;
    case MARK: {
      // The mark before a word is part of it.
      const own = runEnd < end && isLetter(kindAt(text, runEnd)) ? length - 1 : length;
      return own === 0 ? 0 : PER_MARKS + (own - 1) * PER_FURTHER_MARK;
    }
    case OTHER_LETTER:
      return PER_OTHER_WORD + length * PER_OTHER_LETTER;
    case HAN:
      return length * PER_HAN;
    case KANA:
      return length * PER_KANA;
    case HANGUL:
      return length * PER_HANGUL;
    case HALF:
      return length * PER_HALF;
    default:
      return length * PER_OTHER;
  }
}

function priceWord(text: string, at: number, wordEnd: number): number {
  const length = wordEnd - at;
  let tokens = isGlued(text, at) ? PER_WORD + PER_GLUE : PER_WORD;
  if (length > LATER) tokens += (Math.min(length, LATE) - LATER) * PER_LATER_LETTER;
  if (length > LATE) tokens += (length - LATE) * PER_LATE_LETTER;
  for (let letter = at; letter < wordEnd; letter++) if (text.charCodeAt(letter) >= 128) tokens += PER_ACCENT;
  return Math.min(tokens, Math.max(PER_WORD, length * ONE));
}

function isGlued(text: string, at: number): boolean {
  if (at === 0) return false;
  const before = kindAt(text, at - 1);
  return isLetter(before) || before === MARK || before === DIGIT;
}

/** A word ends before a capital that follows a small letter. */
function endOfWord(text: string, start: number, end: number, first: number): number {
  let before = first;
  let at = start + 1;
  for (; at < end; at++) {
    const kind = kindAt(text, at);
    if (!isLetter(kind) || (kind === CAPITAL && before !== CAPITAL)) break;
    before = kind;
  }
  return at;
}

/** The first place that is of another kind. Blanks behind a line break belong to it. */
function endOfRun(text: string, start: number, end: number, kind: number): number {
  let at = start + 1;
  for (; at < end; at++) {
    const next = kindAt(text, at);
    if (next !== kind && !(kind === LINE && next === BLANK)) break;
  }
  return at;
}

/** The end of the run of letters, digits and what base64 and paths have between them. */
function endOfDense(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && (kindAt(text, at) <= DIGIT || isJoiner(text.charCodeAt(at)))) at++;
  return at;
}

/** What such a run costs that is base64, a hash, an id; 0 if it is made of words. */
function priceDense(text: string, start: number, end: number): number {
  const length = end - start;
  if (length < DENSE_RUN) return 0;
  let before = 0;
  let changes = 0;
  let capitals = 0;
  for (let at = start; at < end; at++) {
    const kind = kindAt(text, at);
    const isTitle = before === CAPITAL && kind === SMALL;
    if (kind <= DIGIT && before !== 0 && kind !== before && !isTitle) changes++;
    if (kind === CAPITAL) capitals++;
    before = kind <= DIGIT ? kind : 0;
  }
  if (changes < length * DENSE_CHANGES) return 0;
  return length * (capitals > length * DENSE_CAPITALS ? PER_DENSE : PER_HEX);
}

/** One of `+ - / = _`. */
function isJoiner(code: number): boolean {
  return code === 43 || code === 45 || code === 47 || code === 61 || code === 95;
}
