// Makes a conversation fit a number of tokens, without a model: old tool results become a line that names them, the oldest
// exchanges go, and only then are texts cut, the longest first. One rule: what the user typed last is there at the end, whole
// unless it alone is too large, and every call keeps an answer.
import type { ContentBlock, MessageParam, ToolResultBlock, ToolUseBlock } from '../../protocol/content.js';
import { count, shorten, toWellFormed } from '../../util/text.js';
import {
  blocksOf,
  createHistoryRepairer,
  createMediaInspector,
  type Exchange,
  findKeepers,
  findRunningThinking,
  groupExchanges,
  type Keeper,
  type MediaInspector,
  mapBlocks,
  mapMedia,
  mapTexts,
  mediaStub,
  opensWithThinking,
} from '../history/index.js';
import { droppedCount, droppedNote, formatCount } from '../state/index.js';
import type { TokenEstimator } from '../tokens/index.js';

interface FittedHistory {
  readonly messages: readonly MessageParam[];
  /** Messages that are gone. */
  readonly dropped: number;
  /** True if texts that stay were cut in the middle. */
  readonly cut: boolean;
}

interface FitOptions {
  readonly targetTokens: number;
  readonly estimator: TokenEstimator;
  /** True: a message says how many messages were dropped. */
  readonly note: boolean;
}

/** What is looked up once and used for each place to cut. */
interface Plan extends FitOptions {
  readonly messages: readonly MessageParam[];
  readonly exchanges: readonly Exchange[];
  readonly keepers: readonly Keeper[];
  /** The exchange a cut behind it must keep, its results elided; null if there is none. */
  readonly opening: { readonly exchange: Exchange; readonly messages: readonly MessageParam[] } | null;
  /** Repairing looks into media; each is looked into once for all the places to cut. */
  readonly media: MediaInspector;
}

interface Candidate {
  readonly messages: readonly MessageParam[];
  readonly dropped: number;
}

/**
 * The newest exchanges that fit, after the newest summary and what the user typed last.
 * Contract: deterministic; kept messages keep their identity; calls keep their results; the outcome is within the
 * target once repaired, unless nothing that may be cut is left. The same messages if they fit already.
 */
export function fitHistory(messages: readonly MessageParam[], options: FitOptions): FittedHistory {
  const { targetTokens, estimator } = options;
  const media = createMediaInspector();
  if (messages.length === 0 || repairedTokens(messages, estimator, media) <= targetTokens) {
    return { messages, dropped: 0, cut: false };
  }
  const plan = makePlan(messages, options, media);
  const whole = dropExchanges(plan);
  return whole === null ? squeeze(plan) : { ...whole, cut: false };
}

function makePlan(messages: readonly MessageParam[], options: FitOptions, media: MediaInspector): Plan {
  const exchanges = groupExchanges(messages);
  const exchange = findRunningThinking(exchanges);
  const opening =
    exchange === null
      ? null
      : {
          exchange,
          messages: elideOldToolResults(messages.slice(exchange.start, exchange.end), {
            keepTokens: 0,
            minTokens: 100,
            estimator: options.estimator,
          }).messages,
        };
  return { ...options, messages, exchanges, keepers: findKeepers(messages), opening, media };
}

/** Attempts to make room for what the repair of a damaged history adds. */
const MAX_ATTEMPTS = 4;

/** The cut that drops least; null if even the newest exchange alone does not fit. */
function dropExchanges(plan: Plan): Candidate | null {
  const costs = costsOf(plan);
  let limit = plan.targetTokens;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const from = costs.findIndex((cost, index) => index > 0 && cost <= limit);
    if (from < 0) return null;
    const candidate = cutBefore(plan, from);
    const excess = repairedTokens(candidate.messages, plan.estimator, plan.media) - plan.targetTokens;
    if (excess <= 0) return candidate;
    limit -= excess;
  }
  return null;
}

/** What remains, in tokens, when the history is cut before each exchange. */
function costsOf(plan: Plan): number[] {
  const { messages, exchanges, keepers, estimator } = plan;
  const note = plan.note ? estimator.message(droppedNote(100_000)) : 0;
  const opening = plan.opening === null ? 0 : estimator.messages(plan.opening.messages);
  const costs: number[] = [];
  let rest = 0;
  for (const [index, exchange] of [...exchanges.entries()].reverse()) {
    rest += estimator.messages(messages.slice(exchange.start, exchange.end));
    const kept = keepers
      .filter((keeper) => keeper.index < exchange.start)
      .reduce((sum, keeper) => sum + estimator.message(keeper.message), 0);
    costs[index] = rest + kept + note + (mustKeepOpening(plan, index) ? opening : 0);
  }
  return costs;
}

function mustKeepOpening({ exchanges, opening }: Plan, from: number): boolean {
  const next = exchanges[from];
  return opening !== null && next !== undefined && next.start > opening.exchange.start && !opensWithThinking(next);
}

/** The history without the exchanges before `exchanges[from]`, but with what must outlive them. */
function cutBefore(plan: Plan, from: number): Candidate {
  const { messages, exchanges, keepers } = plan;
  const start = exchanges[from]?.start ?? messages.length;
  const opening = mustKeepOpening(plan, from) ? plan.opening : null;
  const inOpening = (index: number) =>
    opening !== null && index >= opening.exchange.start && index < opening.exchange.end;
  const kept = keepers.filter(({ index }) => index < start && !inOpening(index));
  const keptIndexes = new Set(kept.map(({ index }) => index));

  let dropped = 0;
  for (const [index, message] of messages.slice(0, start).entries()) {
    if (!keptIndexes.has(index) && !inOpening(index)) dropped += droppedCount(message) ?? 1;
  }
  const kind = (wanted: Keeper['kind']) =>
    kept.filter((keeper) => keeper.kind === wanted).map(({ message }) => message);
  return {
    messages: [
      ...kind('summary'),
      ...(plan.note && dropped > 0 ? [droppedNote(dropped)] : []),
      ...kind('prompt'),
      ...(opening?.messages ?? []),
      ...messages.slice(start),
    ],
    dropped,
  };
}

/** Steps for a history whose newest exchange is too large, the gentlest first. */
const SQUEEZES = [
  { keepNewest: true, keepTypedMedia: true, keepTyped: true },
  { keepNewest: true, keepTypedMedia: false, keepTyped: true },
  { keepNewest: false, keepTypedMedia: false, keepTyped: true },
  { keepNewest: false, keepTypedMedia: false, keepTyped: false },
] as const;

function squeeze(plan: Plan): FittedHistory {
  const { exchanges, targetTokens, estimator, media } = plan;
  let last: FittedHistory = { messages: plan.messages, dropped: 0, cut: false };
  for (const { keepNewest, keepTypedMedia, keepTyped } of SQUEEZES) {
    const { messages, dropped } = cutBefore(plan, keepNewest ? exchanges.length - 1 : exchanges.length);
    const slim = keepTypedMedia ? messages : dropMedia(messages, () => true).messages;
    const repairs = Math.max(0, repairedTokens(slim, estimator, media) - estimator.messages(slim));
    const mayCut = keepTyped ? isNotTyped(slim) : () => true;
    const fitted = cutLongestTexts(slim, targetTokens - repairs, estimator, mayCut);
    if (fitted !== null) return { messages: fitted, dropped, cut: fitted !== messages };
    if (!keepNewest) last = { messages: slim, dropped, cut: slim !== messages };
  }
  return last;
}

/** Tells the blocks that are not what the user typed last; tool results may stand beside it. */
function isNotTyped(messages: readonly MessageParam[]): (message: MessageParam, block: ContentBlock) => boolean {
  const prompts = new Set(
    findKeepers(messages)
      .filter(({ kind }) => kind === 'prompt')
      .map(({ index }) => messages[index]),
  );
  return (message, block) => !prompts.has(message) || block.type === 'tool_result';
}

/** What the messages cost once they are made valid: the repair may add an answer or join two messages. */
function repairedTokens(messages: readonly MessageParam[], estimator: TokenEstimator, media: MediaInspector): number {
  return estimator.messages(createHistoryRepairer(media).prepare(messages).messages);
}

interface ElideOptions {
  /** The newest results stay while their sum is within this. Tokens. */
  readonly keepTokens: number;
  /** A result of at most this many tokens stays. */
  readonly minTokens: number;
  readonly estimator: TokenEstimator;
}

interface ElidedHistory {
  /** The same array if nothing was elided. */
  readonly messages: readonly MessageParam[];
  readonly freedTokens: number;
  /** How many results were elided. */
  readonly elided: number;
}

/**
 * Contract: deterministic and idempotent; untouched messages keep their identity; `is_error` stays; the newest result
 * stays unless `keepTokens` is 0. A later call with a longer history elides more, so each call breaks a cached prefix.
 */
export function elideOldToolResults(messages: readonly MessageParam[], options: ElideOptions): ElidedHistory {
  const { estimator } = options;
  const old = findOldResults(messages, options);
  if (old.size === 0) return { messages, freedTokens: 0, elided: 0 };

  const calls = callsById(messages);
  let freedTokens = 0;
  let elided = 0;
  const mapped = mapBlocks(messages, (block) => {
    if (block.type !== 'tool_result' || !old.has(block)) return block;
    const short: ToolResultBlock = { ...block, content: elisionNote(block, calls.get(block.tool_use_id)) };
    const freed = estimator.block(block) - estimator.block(short);
    if (freed <= 0) return block;
    freedTokens += freed;
    elided++;
    return short;
  });
  return { messages: mapped, freedTokens, elided };
}

/** The results that are both older than the kept ones and large. */
function findOldResults(
  messages: readonly MessageParam[],
  { keepTokens, minTokens, estimator }: ElideOptions,
): ReadonlySet<ContentBlock> {
  const old = new Set<ContentBlock>();
  let kept = 0;
  let isFirst = true;
  for (const message of messages.toReversed()) {
    if (message.role !== 'user') continue;
    for (const block of blocksOf(message).toReversed()) {
      if (block.type !== 'tool_result') continue;
      const tokens = estimator.block(block);
      kept += tokens;
      const stays = kept <= keepTokens || (isFirst && keepTokens > 0);
      if (!stays && tokens > minTokens && !isElided(block)) old.add(block);
      isFirst = false;
    }
  }
  return old;
}

function callsById(messages: readonly MessageParam[]): ReadonlyMap<string, ToolUseBlock> {
  const calls = new Map<string, ToolUseBlock>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const block of blocksOf(message)) if (block.type === 'tool_use') calls.set(block.id, block);
  }
  return calls;
}

function elisionNote(block: ToolResultBlock, call: ToolUseBlock | undefined): string {
  const name = call === undefined ? 'a tool' : [call.name, subjectOf(call.input)].join(' ').trim();
  return `[Output of ${name} was removed to save space (${sizeOf(block)}). ${adviceFor(call?.name)}]`;
}

function isElided({ content }: ToolResultBlock): boolean {
  return typeof content === 'string' && /^\[Output of .{1,300} was removed to save space \(/.test(content);
}

/** Input fields that say what a call was about, the most telling first. */
const SUBJECT_FIELDS = ['file_path', 'notebook_path', 'command', 'pattern', 'url', 'query', 'path', 'description'];
const MAX_SUBJECT_LENGTH = 100;

function subjectOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const fields = input as Record<string, unknown>;
  const subject = SUBJECT_FIELDS.map((field) => fields[field]).find((value) => typeof value === 'string');
  return typeof subject === 'string' ? toWellFormed(shorten(subject.slice(0, 1_000), MAX_SUBJECT_LENGTH)) : '';
}

function sizeOf({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return `${formatCount(content.length)} characters`;
  let characters = 0;
  let media = 0;
  for (const part of Array.isArray(content) ? content : []) {
    if (part?.type === 'text') characters += part.text?.length ?? 0;
    else media++;
  }
  const sizes = media === 0 ? [] : [count(media, 'image or document', 'images or documents')];
  if (characters > 0 || media === 0) sizes.unshift(`${formatCount(characters)} characters`);
  return sizes.join(', ');
}

const SAFE_TO_REPEAT = ['Grep', 'Glob', 'LS', 'WebFetch', 'WebSearch'];

function adviceFor(name: string | undefined): string {
  if (name === 'Read') return 'Read it again if needed.';
  if (name !== undefined && SAFE_TO_REPEAT.includes(name)) return 'Call it again if needed.';
  return 'Call it again only if doing so twice is safe.';
}

/** No text is cut to less. Tokens. */
const MIN_LEVEL = 60;
/** Attempts to reach the target: cutting to whole characters and the marks themselves make the first one inexact. */
const MAX_CUTS = 5;

/**
 * `messages` with the longest texts cut, or null if even that does not reach the target.
 * @param mayCut chooses the blocks whose texts may be cut
 */
function cutLongestTexts(
  messages: readonly MessageParam[],
  targetTokens: number,
  estimator: TokenEstimator,
  mayCut: (message: MessageParam, block: ContentBlock) => boolean,
): readonly MessageParam[] | null {
  let excess = estimator.messages(messages) - targetTokens;
  if (excess <= 0) return messages;
  const sizes = collectSizes(messages, estimator, mayCut);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let room = total - excess;
  for (let attempt = 0; attempt < MAX_CUTS; attempt++) {
    const level = levelFor(sizes, room);
    if (level < MIN_LEVEL) return null;
    const cut = mapBlocks(messages, (block, message) =>
      mayCut(message, block) ? mapTexts(block, (text) => cutMiddle(text, level, estimator)) : block,
    );
    excess = estimator.messages(cut) - targetTokens;
    if (excess <= 0) return cut;
    room -= excess + 1;
  }
  return null;
}

function collectSizes(
  messages: readonly MessageParam[],
  estimator: TokenEstimator,
  mayCut: (message: MessageParam, block: ContentBlock) => boolean,
): number[] {
  const sizes: number[] = [];
  mapBlocks(messages, (block, message) => {
    if (!mayCut(message, block)) return block;
    return mapTexts(block, (text) => {
      sizes.push(estimator.text(text));
      return text;
    });
  });
  return sizes.sort((a, b) => a - b);
}

/** The largest level such that all sizes, each at most the level, sum up to the room. `sizes` is sorted. */
function levelFor(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [index, size] of sizes.entries()) {
    const share = left / (sizes.length - index);
    if (size > share) return Math.floor(share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** `text` of at most `maxTokens`, both its ends kept and a mark between them; the same text if it is short enough. */
function cutMiddle(text: string, maxTokens: number, estimator: TokenEstimator): string {
  let tokens = estimator.text(text);
  if (tokens <= maxTokens) return text;
  const room = Math.max(0, maxTokens - estimator.text(markOf(text.length)));
  let kept = text.length;
  let cut = text;
  // The ends may be denser than the whole, so the outcome is measured and the rest cut again.
  for (let attempt = 0; attempt < MAX_CUTS && tokens > maxTokens; attempt++) {
    const ratio = attempt === 0 ? room / tokens : (0.9 * maxTokens) / tokens;
    kept = Math.floor(kept * ratio);
    cut = keepEnds(text, Math.ceil(kept / 2), Math.floor(kept / 2));
    tokens = estimator.text(cut);
  }
  return cut;
}

/** The first `head` and the last `tail` characters, a mark between them; the same text if they are all of it. */
export function keepEnds(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text;
  const headEnd = endOfCharacter(text, head);
  const tailStart = endOfCharacter(text, text.length - tail);
  return text.slice(0, headEnd) + markOf(tailStart - headEnd) + text.slice(tailStart);
}

function markOf(removed: number): string {
  return `\n[... ${formatCount(removed)} characters were removed here to save space ...]\n`;
}

/** `at`, or one less if it would part a surrogate pair. */
function endOfCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

// Replaces images and documents by a text that names them. One rule: the model is told what it no longer sees.

interface MediaDropped {
  /** The same array if there was nothing to drop. Untouched messages keep their identity. */
  readonly messages: readonly MessageParam[];
  readonly dropped: number;
}

/** Drops all media of the messages that `mayDrop` chooses, also from tool results. */
export function dropMedia(
  messages: readonly MessageParam[],
  mayDrop: (message: MessageParam, index: number) => boolean,
): MediaDropped {
  let dropped = 0;
  const mapped = mapBlocks(messages, (block, message, index) => {
    if (!mayDrop(message, index)) return block;
    return mapMedia(block, (media) => {
      dropped++;
      return mediaStub(media, 'was removed to save space. Ask for it, or read it, again if needed');
    });
  });
  return { messages: mapped, dropped };
}
