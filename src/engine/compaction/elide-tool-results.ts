// Replaces old, large tool results by a line that names them. Needs no model and is the same every time.
// One rule: the newest results stay, and every call keeps an answer.
import type { ContentBlock, MessageParam, ToolResultBlock, ToolUseBlock } from '../../protocol/content.js';
import { count, shorten, toWellFormed } from '../../util/text.js';
import { blocksOf, mapBlocks } from '../history/index.js';
import { formatCount } from '../state/index.js';
import type { TokenEstimator } from '../tokens/index.js';

export interface ElideOptions {
  /** The newest results stay while their sum is within this. Tokens. */
  readonly keepTokens: number;
  /** A result of at most this many tokens stays. */
  readonly minTokens: number;
  readonly estimator: TokenEstimator;
}

export interface ElidedHistory {
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
