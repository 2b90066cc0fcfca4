// A provider's prompt cache by the rules of the Messages API. One rule: it sees what is on the wire and nothing else; why a
// prefix was not found again is read off two requests, and off what the caller says was done in between.
import { createHash } from 'node:crypto';

/** Why a request did not find all of the one before it. */
export type CacheBreak =
  | 'model'
  | 'tools'
  | 'system'
  | 'output_format'
  | 'effort'
  | 'thinking'
  | 'tool_choice'
  | 'images'
  /** A summary took the place of the conversation. */
  | 'compacted'
  /** Old output was taken out, or the conversation was cut. */
  | 'shrunk'
  /** The conversation went on from an earlier place. */
  | 'rewound'
  /** The API leaves out the thinking of earlier prompts. */
  | 'old_thinking'
  /** Nobody asked for it for longer than the cache keeps it. */
  | 'expired'
  /** More blocks than are looked at lie between a breakpoint and what was kept. */
  | 'look_back'
  /** What was sent has changed, and nothing says why. */
  | 'unexplained';

export interface CacheReading {
  /** Tokens of the request. */
  readonly input: number;
  /** Of them, read from the cache. */
  readonly cached: number;
  /** Of them, sent before within the time the cache keeps: what the best breakpoints could have read. */
  readonly possible: number;
  /** Tokens of the request before it in the same conversation; 0 for the first of one. */
  readonly before: number;
  /** Empty if all of the request before was found. */
  readonly breaks: readonly CacheBreak[];
  /** The first place that differs from the request before, with the first differing character; null if none does. */
  readonly difference: { readonly path: string; readonly at: number } | null;
}

export interface PromptCacheRules {
  readonly now: () => number;
  /** How long an entry lives after it was last used. Default 5 minutes. */
  readonly ttlMs?: number;
  /** Shorter prefixes are not kept. Tokens. Default 1,024. */
  readonly leastTokens?: number;
  /** Places looked at for each breakpoint, its own included. Default 20. */
  readonly lookBack?: number;
  /** As models before generation 4.5: thinking is left out once a later prompt came. Default false. */
  readonly leavesOutOldThinking?: boolean;
}

/** What was done to the conversation since its last request, if the requests themselves cannot tell. */
export type Explanation = Extract<CacheBreak, 'compacted' | 'shrunk' | 'rewound'>;

export interface PromptCache {
  /** Reads the cache for a request. `answered` puts its prefixes into it, as the API does when the reply begins. */
  ask(
    body: Readonly<Record<string, unknown>>,
    explanation: Explanation | null,
  ): { readonly reading: CacheReading; answered(): void };
}

interface Block {
  readonly path: string;
  readonly text: string;
  readonly tokens: number;
  readonly isMarked: boolean;
  /** All before it and itself. */
  readonly key: string;
  readonly upTo: number;
}

interface Rendered {
  readonly model: string;
  readonly parameters: Readonly<Partial<Record<CacheBreak, string>>>;
  readonly blocks: readonly Block[];
  /** Where the messages begin. */
  readonly messagesAt: number;
}

const DEFAULTS = { ttlMs: 300_000, leastTokens: 1_024, lookBack: 20, leavesOutOldThinking: false };
const CHARACTERS_PER_TOKEN = 4;
const MOST_BREAKPOINTS = 4;

export function createPromptCache(given: PromptCacheRules): PromptCache {
  const rules = { ...DEFAULTS, ...given };
  const kept = new Map<string, number>();
  const sent = new Map<string, number>();
  const earlier: Rendered[] = [];

  const isAlive = (entries: Map<string, number>, key: string) => (entries.get(key) ?? 0) > rules.now();

  /** The longest kept prefix that a breakpoint finds. */
  const read = (blocks: readonly Block[]): Block | null => {
    for (let at = blocks.length - 1; at >= 0; at--) {
      if (!blocks[at]?.isMarked) continue;
      for (let back = at; back >= 0 && back > at - rules.lookBack; back--) {
        const block = blocks[back];
        if (block !== undefined && isAlive(kept, block.key)) return block;
      }
    }
    return null;
  };
  const longestSent = (blocks: readonly Block[], alive: boolean): number => {
    for (let at = blocks.length - 1; at >= 0; at--) {
      const block = blocks[at] as Block;
      if (alive ? isAlive(sent, block.key) : sent.has(block.key))
        return block.upTo < rules.leastTokens ? 0 : block.upTo;
    }
    return 0;
  };

  return {
    ask(body, explanation) {
      const request = render(body, rules.leavesOutOldThinking);
      const { blocks } = request;
      if (blocks.filter(({ isMarked }) => isMarked).length > MOST_BREAKPOINTS) throw new Error('Too many breakpoints.');
      const found = read(blocks);
      const cached = found?.upTo ?? 0;
      const possible = longestSent(blocks, true);
      const before = explanation === null ? predecessor(earlier, request) : (earlier.at(-1) ?? null);
      const wanted = before?.blocks.at(-1)?.upTo ?? 0;
      const difference = before === null ? null : firstDifference(before, request);
      const breaks: CacheBreak[] = [];
      if (before !== null && wanted >= rules.leastTokens) {
        breaks.push(...changes(before, request, difference, explanation));
        const everSent = longestSent(blocks, false);
        if (possible < everSent) breaks.push('expired');
        if (breaks.length === 0 && cached < possible) breaks.push('look_back');
      }
      const reading = { input: blocks.at(-1)?.upTo ?? 0, cached, possible, before: wanted, breaks, difference };
      return {
        reading,
        answered() {
          earlier.push(request);
          const until = rules.now() + rules.ttlMs;
          if (found !== null) kept.set(found.key, until);
          for (const block of blocks) {
            sent.set(block.key, until);
            if (block.isMarked && block.upTo >= rules.leastTokens) kept.set(block.key, until);
          }
        },
      };
    },
  };
}

/** What stands for the request in the cache: tools, system, messages, and what of the rest counts from which on. */
function render(body: Readonly<Record<string, unknown>>, leavesOutOldThinking: boolean): Rendered {
  const messages = listOf(body['messages']);
  const output = recordOf(body['output_config']);
  const parameters = {
    output_format: JSON.stringify(output['format'] ?? null),
    effort: JSON.stringify(output['effort'] ?? null),
    thinking: JSON.stringify(body['thinking'] ?? null),
    tool_choice: JSON.stringify(body['tool_choice'] ?? null),
    images: String(JSON.stringify(messages).includes('"type":"image"')),
  };
  const blocks: Block[] = [];
  const add = (path: string, value: unknown, salt = '') => {
    const isMarked = recordOf(value)['cache_control'] !== undefined;
    const text = JSON.stringify(withoutMark(value));
    const tokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
    const previous = blocks.at(-1);
    const key = createHash('sha1')
      .update(`${previous?.key ?? String(body['model'])}\n${salt}\n${text}`)
      .digest('base64');
    blocks.push({ path, text, tokens, isMarked, key, upTo: (previous?.upTo ?? 0) + tokens });
  };
  for (const [at, tool] of listOf(body['tools']).entries()) add(`tools.${at}`, tool);
  const { output_format, effort } = parameters;
  for (const [at, part] of listOf(body['system']).entries()) add(`system.${at}`, part, `${output_format}${effort}`);
  const messagesAt = blocks.length;
  const newest = leavesOutOldThinking ? messages.findLastIndex(isPrompt) : -1;
  const salt = Object.values(parameters).join('');
  for (const [at, message] of messages.entries()) {
    const { role, content } = recordOf(message);
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    for (const [place, part] of parts.entries()) {
      if (at < newest && /^(?:redacted_)?thinking$/.test(String(recordOf(part)['type']))) continue;
      add(`messages.${at}.content.${place}`, part, `${salt}${String(role)}`);
    }
  }
  return { model: String(body['model']), parameters, blocks, messagesAt };
}

/** The newest request whose conversation this one goes on with: the one that shares most of its messages. */
function predecessor(earlier: readonly Rendered[], request: Rendered): Rendered | null {
  let best: Rendered | null = null;
  let most = 0;
  for (const one of earlier) {
    const shared = sharedMessages(one, request);
    if (shared > 0 && shared >= most) [best, most] = [one, shared];
  }
  return best;
}

function sharedMessages(a: Rendered, b: Rendered): number {
  let count = 0;
  while (messageAt(a, count) !== undefined && messageAt(a, count) === messageAt(b, count)) count++;
  return count;
}

function messageAt({ blocks, messagesAt }: Rendered, at: number): string | undefined {
  return blocks[messagesAt + at]?.text;
}

function firstDifference(before: Rendered, request: Rendered): CacheReading['difference'] {
  const length = Math.max(before.blocks.length, request.blocks.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [before.blocks[at], request.blocks[at]];
    if (a === undefined) return null; // only longer
    if (b === undefined) return { path: a.path, at: 0 };
    if (a.text !== b.text) return { path: b.path, at: firstCharacter(a.text, b.text) };
  }
  return null;
}

function firstCharacter(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

function changes(
  before: Rendered,
  request: Rendered,
  difference: CacheReading['difference'],
  explanation: Explanation | null,
): CacheBreak[] {
  const found: CacheBreak[] = [];
  if (before.model !== request.model) found.push('model');
  if (section(before, 'tools') !== section(request, 'tools')) found.push('tools');
  if (section(before, 'system') !== section(request, 'system')) found.push('system');
  for (const name of ['output_format', 'effort', 'thinking', 'tool_choice', 'images'] as const) {
    if (before.parameters[name] !== request.parameters[name]) found.push(name);
  }
  if (sharedMessages(before, request) < before.blocks.length - before.messagesAt) {
    const at = before.blocks[before.messagesAt + sharedMessages(before, request)];
    const isThinking = at !== undefined && /^\{"type":"(?:redacted_)?thinking"/.test(at.text);
    found.push(explanation ?? (isThinking && difference !== null ? 'old_thinking' : 'unexplained'));
  }
  return found;
}

function section({ blocks }: Rendered, name: 'tools' | 'system'): string {
  return blocks
    .filter(({ path }) => path.startsWith(name))
    .map(({ text }) => text)
    .join('\n');
}

function withoutMark(value: unknown): unknown {
  const { cache_control: _, ...rest } = recordOf(value);
  return rest;
}

function isPrompt(message: unknown): boolean {
  const { role, content } = recordOf(message);
  return role === 'user' && !listOf(content).some((part) => recordOf(part)['type'] === 'tool_result');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
