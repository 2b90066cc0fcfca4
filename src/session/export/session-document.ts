// A stored session as people read it: prompts, replies, calls with their results. One shape, from which every format is
// written. Pure; whatever stands in a transcript, this does not fail over it.
import type { Message } from '../messages/index.js';

/** What a session was and cost. Times in milliseconds since the epoch. */
export interface DocumentHead {
  readonly sessionId: string;
  readonly title: string;
  readonly cwd?: string;
  readonly gitBranch?: string;
  readonly tag?: string;
  readonly createdAt?: number;
  readonly lastModified?: number;
}

export interface SessionDocument {
  readonly head: DocumentHead;
  readonly items: readonly DocumentItem[];
  readonly costs: readonly ModelCosts[];
  /** Null if the price of a model is not known. */
  readonly totalCostUsd: number | null;
  readonly subagents: readonly { readonly agentId: string; readonly items: readonly DocumentItem[] }[];
}

export interface ModelCosts {
  readonly model: string;
  /** What came from or went to the provider's cache counts as input. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
}

export interface DocumentItem {
  /** `summary`: what a compaction put in place of what was before. */
  readonly kind: 'prompt' | 'reply' | 'note' | 'summary';
  readonly uuid: string;
  /** ISO 8601. */
  readonly at: string | null;
  readonly model: string | null;
  readonly parts: readonly DocumentPart[];
}

export type DocumentPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | CallPart
  | MediaPart;

export interface CallPart {
  readonly kind: 'call';
  readonly id: string;
  readonly tool: string;
  /** JSON, indented; the text itself if the input is only that. */
  readonly input: string;
  /** Null if the call was never answered. */
  readonly result: { readonly isError: boolean; readonly parts: readonly (TextPart | MediaPart)[] } | null;
}

type TextPart = Extract<DocumentPart, { kind: 'text' }>;

export interface MediaPart {
  readonly kind: 'media';
  readonly block: 'image' | 'document';
  readonly mediaType: string;
  /** Null if the content is not there. */
  readonly base64: string | null;
  /** Where it came from, or what it is called. */
  readonly name: string | null;
}

type Block = Readonly<Record<string, unknown>>;

/** @param thinking false: thinking is left out */
export function toDocumentItems(messages: readonly DocumentMessage[], thinking: boolean): DocumentItem[] {
  const results = resultsByCall(messages);
  const items: DocumentItem[] = [];
  for (const message of messages) {
    const parts = blocksOf(message.message.content).flatMap((block) => toParts(block, results, thinking));
    if (parts.length === 0) continue;
    const { uuid } = message;
    const model = message.type === 'assistant' ? message.message.model : null;
    items.push({ kind: kindOf(message), uuid, at: message.timestamp ?? null, model, parts });
  }
  return items;
}

/** A message, and whether a compaction wrote it. */
export type DocumentMessage = Message & { readonly isCompactSummary?: boolean };

function kindOf(message: DocumentMessage): DocumentItem['kind'] {
  if (message.type === 'assistant') return 'reply';
  if (message.isCompactSummary) return 'summary';
  return message.isMeta ? 'note' : 'prompt';
}

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isBlock) : [];
}

function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null;
}

function resultsByCall(messages: readonly DocumentMessage[]): ReadonlyMap<unknown, Block> {
  const results = new Map<unknown, Block>();
  for (const message of messages) {
    if (message.type !== 'user') continue;
    for (const block of blocksOf(message.message.content)) {
      if (block.type === 'tool_result' && !results.has(block.tool_use_id)) results.set(block.tool_use_id, block);
    }
  }
  return results;
}

function toParts(block: Block, results: ReadonlyMap<unknown, Block>, thinking: boolean): DocumentPart[] {
  switch (block.type) {
    case 'thinking':
      return thinking && isFilled(block.thinking) ? [{ kind: 'thinking', text: block.thinking }] : [];
    case 'redacted_thinking':
    case 'tool_result': // stands with its call
      return [];
    case 'tool_use':
      return [toCall(block, results.get(block.id))];
    default:
      return plainPart(block);
  }
}

function toCall(block: Block, result: Block | undefined): CallPart {
  return {
    kind: 'call',
    id: textOr(block.id, ''),
    tool: textOr(block.name, 'unknown'),
    input: inputText(block.input),
    result:
      result === undefined
        ? null
        : { isError: result.is_error === true, parts: blocksOf(result.content).flatMap(plainPart) },
  };
}

/** A command is read more easily as it is than as JSON. */
function inputText(input: unknown): string {
  const entries = isBlock(input) ? Object.entries(input) : [];
  const [only] = entries;
  if (entries.length === 1 && typeof only?.[1] === 'string') return only[1];
  return JSON.stringify(input, null, 2) ?? '';
}

function plainPart(block: Block): (TextPart | MediaPart)[] {
  if (block.type === 'text') return isFilled(block.text) ? [{ kind: 'text', text: block.text }] : [];
  if (block.type !== 'image' && block.type !== 'document') return [];
  const source = isBlock(block.source) ? block.source : {};
  const mediaType = textOr(source.media_type, 'unknown');
  const name = textOr(block.title, textOr(source.url, ''));
  return [
    {
      kind: 'media',
      block: block.type,
      mediaType,
      base64: source.type === 'base64' && isFilled(source.data) ? source.data : null,
      name: name === '' ? null : name,
    },
  ];
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function textOr(value: unknown, other: string): string {
  return isFilled(value) ? value : other;
}
