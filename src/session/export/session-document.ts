// A stored session as people read it: prompts, replies, calls with their results, what it cost, and the words for all that. One
// shape, from which every format is written. Whatever stands in a transcript, this does not fail over it.

import type { Usage } from '../../protocol/content.js';
import {
  addUsage,
  type Catalogue,
  costPicoUsd,
  priceForPrompt,
  promptTokensOf,
  usdFromPico,
} from '../../providers/models/index.js';
import { recordOf } from '../../util/json.js';
import { formatBytes, isFilled } from '../../util/text.js';
import type { Message } from '../messages/index.js';
import { type EntryValue, type ReadEntry, toUsage } from '../store/index.js';

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

interface ModelCosts {
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

function textOr(value: unknown, other: string): string {
  return isFilled(value) ? value : other;
}

interface SessionCosts {
  readonly costs: readonly ModelCosts[];
  /** US dollars; null if the price of a model is not known. */
  readonly totalCostUsd: number | null;
}

/** Whose models a name without a provider belongs to. */
const PROVIDERS = ['anthropic', 'openai', 'google'];

/** @param state the last line of state in the transcript, if there is one */
export async function sessionCosts(
  entries: readonly ReadEntry[],
  state: EntryValue | undefined,
  loadCatalogue: () => Promise<Pick<Catalogue, 'find'>>,
): Promise<SessionCosts> {
  const counted = countedCosts(state) ?? (await estimatedCosts(entries, loadCatalogue));
  const isKnown = counted.every(({ costUsd }) => costUsd !== null);
  const total = counted.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  return { costs: counted, totalCostUsd: isKnown ? total : null };
}

function countedCosts(entry: EntryValue | undefined): ModelCosts[] | null {
  const state = recordOf(entry?.state);
  const models = Object.entries(recordOf(recordOf(state.ledger).models));
  if (models.length === 0) return null;
  return models.map(([model, value]) => {
    const line = recordOf(value);
    const isPriced =
      line.isPriceKnown === true && typeof line.costPico === 'string' && /^\d{1,30}$/.test(line.costPico);
    return toCosts(model, toUsage(line.usage), isPriced ? usdFromPico(BigInt(line.costPico as string)) : null);
  });
}

/** A reply may stand in several entries, each with its usage; the last one has all of it. */
async function estimatedCosts(
  entries: readonly ReadEntry[],
  loadCatalogue: () => Promise<Pick<Catalogue, 'find'>>,
): Promise<ModelCosts[]> {
  const replies = new Map<string, { model: string; usage: Usage }>();
  for (const { uuid, role, replyId, value } of entries) {
    if (role !== 'assistant') continue;
    const { model, usage } = recordOf(value.message);
    if (typeof model !== 'string' || model === '<synthetic>') continue;
    replies.set(replyId ?? uuid, { model, usage: toUsage(usage) });
  }
  if (replies.size === 0) return [];
  const catalogue = await loadCatalogue();
  const byModel = new Map<string, { usage: Usage; pico: bigint | null }>();
  for (const { model, usage } of replies.values()) {
    const before = byModel.get(model);
    const pico = priceOf(catalogue, model, usage);
    byModel.set(model, {
      usage: before === undefined ? usage : addUsage(before.usage, usage),
      pico: pico === null || before?.pico === null ? null : pico + (before?.pico ?? 0n),
    });
  }
  return [...byModel].map(([model, { usage, pico }]) =>
    toCosts(model, usage, pico === null ? null : usdFromPico(pico)),
  );
}

function priceOf(catalogue: Pick<Catalogue, 'find'>, model: string, usage: Usage): bigint | null {
  for (const provider of PROVIDERS) {
    const facts = catalogue.find(provider, model);
    const price = facts === null ? null : priceForPrompt(facts, promptTokensOf(usage));
    if (price !== null) return costPicoUsd(usage, price);
  }
  return null;
}

function toCosts(model: string, usage: Usage, costUsd: number | null): ModelCosts {
  return { model, inputTokens: promptTokensOf(usage), outputTokens: usage.output_tokens, costUsd };
}

export const ITEM_TITLES: Readonly<Record<DocumentItem['kind'], string>> = {
  prompt: 'Prompt',
  reply: 'Reply',
  note: 'Note of the engine',
  summary: 'Summary of what was before',
};

/** What was, as label and value. */
export function headRows({ head, costs, totalCostUsd }: SessionDocument): readonly (readonly [string, string])[] {
  const rows: (readonly [string, string | undefined])[] = [
    ['Session', head.sessionId],
    ['Folder', head.cwd],
    ['Branch', head.gitBranch],
    ['Tag', head.tag],
    ['Started', timeText(head.createdAt)],
    ['Last changed', timeText(head.lastModified)],
    ...costs.map(({ model, inputTokens, outputTokens, costUsd }) => {
      const cost = costUsd === null ? 'cost unknown' : costText(costUsd);
      return [`Tokens of ${model}`, `${count(inputTokens)} in, ${count(outputTokens)} out, ${cost}`] as const;
    }),
    ['Cost', costs.length === 0 ? undefined : totalCostUsd === null ? 'unknown' : costText(totalCostUsd)],
  ];
  return rows.filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '');
}

function timeText(at: number | undefined): string | undefined {
  return at === undefined ? undefined : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function costText(usd: number): string {
  return `$${usd.toFixed(4)}`;
}

function count(n: number): string {
  return n.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** When an item was written; empty if that is not known. */
export function itemTime(at: string | null): string {
  return at !== null && Number.isFinite(Date.parse(at)) ? (timeText(Date.parse(at)) ?? '') : '';
}

/** Stands in the place of content that is not shown. */
export function mediaText({ block, mediaType, base64, name }: MediaPart): string {
  const size =
    base64 === null ? 'content not kept here' : formatBytes(Math.floor((base64.replace(/=+$/, '').length * 3) / 4));
  return `[${block}: ${mediaType}, ${size}${name === null ? '' : `, ${name}`}]`;
}

export function titleOf({ title, sessionId }: DocumentHead): string {
  return title.trim() === '' ? `Session ${sessionId}` : title;
}
