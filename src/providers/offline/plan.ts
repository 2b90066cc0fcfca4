// Decides the next move: runs the jobs of the last prompt again from the start over the results that are recorded, and
// stops at the first call that has none. Nothing is kept between two replies.

import type { MessageParam, ToolResultBlock, UserBlock } from '../../protocol/content.js';
import type { ModelRequest } from '../contract/index.js';
import { type Batch, type Call, type CallResult, type Finding, type Flow, JobFailure } from './flow.js';
import { createParser, type Part } from './grammar.js';
import { JOBS, type Job } from './jobs.js';
import { describe } from './report.js';

/** Calls for one prompt at most, whatever the jobs ask for. */
const MAX_CALLS = 400;

export interface Findings {
  readonly found: readonly Finding[];
  /** For people: what was not done, and why. */
  readonly failures: readonly string[];
  readonly answer: string;
}

export type Move =
  | ({ readonly type: 'call' } & Batch)
  | { readonly type: 'refuse'; readonly answer: string }
  | ({ readonly type: 'done'; readonly results: readonly CallResult[] } & Findings);

const parse = createParser(JOBS);

/** Contract: pure; the same request gives the same move. */
export function decideMove(request: ModelRequest): Move {
  const exchanges = exchangesOf(request.messages, (text) => parse(text).misunderstood === null);
  const { parts, misunderstood } = parse(exchanges.at(-1)?.prompt ?? '');
  if (parts === null) return { type: 'refuse', answer: whatItCan(misunderstood) };
  const results = exchanges.at(-1)?.results ?? [];
  const { pending, found, failures } = replay(parts, exchanges, request);
  if (pending !== null && results.length < MAX_CALLS) return { type: 'call', ...pending };
  const stopped = pending === null ? [] : [`Stopped after ${results.length} calls, so not all was done.`];
  const text = [...found.map(describe), ...failures, ...stopped].join('\n\n');
  // About three characters a token, so that the reply ends by itself and not at the limit.
  const most = Math.max(200, request.maxTokens * 3);
  const answer = text.length <= most ? text : `${text.slice(0, most)}\n… (the answer was cut here)`;
  return { type: 'done', results, found, failures: [...failures, ...stopped], answer };
}

/** What the prompts before found, if "it" means that: in "show it" as a prompt of its own. */
function foundBefore(exchanges: readonly Exchange[], request: ModelRequest): readonly Finding[] {
  const before = exchanges.slice(0, -1);
  if (before.length === 0) return [];
  const { parts } = parse(before.at(-1)?.prompt ?? '');
  const found = parts === null ? [] : replay(parts, before, request).found;
  return found.length > 0 ? found : foundBefore(before, request);
}

interface Replay extends Pick<Findings, 'found' | 'failures'> {
  /** Calls that have no result yet; null at the end. */
  readonly pending: Batch | null;
}

/** Does the parts of the last exchange, as far as their results are recorded. */
function replay(parts: readonly Part<Job>[], exchanges: readonly Exchange[], request: ModelRequest): Replay {
  const cwd = workingDirectory(request);
  const tools = new Set(request.tools.map((tool) => tool.name));
  const record = createRecord(exchanges.at(-1)?.results ?? []);
  const seed = parts[0] !== undefined && refersBack(parts[0]) ? foundBefore(exchanges, request) : [];
  const found = [...seed];
  const failures: string[] = [];
  let failed: string | null = null;
  for (const part of parts) {
    const { job, operands, source } = part;
    if (failed !== null && refersBack(part)) {
      failures.push(`"${source}" was not done, because it needs what "${failed}" was to give.`);
      continue;
    }
    try {
      const outcome = advance(job.run({ operands, found, cwd, tools }), record);
      if ('calls' in outcome) return { pending: outcome, found: found.slice(seed.length), failures };
      found.push(outcome);
    } catch (error) {
      if (!(error instanceof JobFailure)) throw error;
      failed = source;
      failures.push(`"${source}" failed. ${error.message}`);
    }
  }
  return { pending: null, found: found.slice(seed.length), failures };
}

function refersBack({ operands }: Part<Job>): boolean {
  return operands.target === null || operands.facets !== undefined;
}

/** Runs a job over recorded results: its finding, or the calls that are missing. */
function advance(flow: Flow<Finding>, take: (call: Call) => CallResult | null): Finding | Batch {
  let state = flow.next();
  while (state.done !== true) {
    const { say, calls } = state.value;
    const results = calls.map((call) => ({ call, result: take(call) }));
    const missing = results.filter(({ result }) => result === null).map(({ call }) => call);
    if (missing.length > 0) return { say, calls: missing };
    state = flow.next(results.flatMap(({ result }) => result ?? []));
  }
  return state.value;
}

/** Gives out results in the order they were recorded in, each once. */
function createRecord(results: readonly CallResult[]): (call: Call) => CallResult | null {
  const keys = results.map(({ call }) => keyOf(call));
  let next = 0;
  return (call) => {
    const index = keys.indexOf(keyOf(call), next);
    if (index === -1) return null;
    next = index + 1;
    return results[index] ?? null;
  };
}

/** Fields may come back in another order. */
function keyOf({ name, input }: Call): string {
  return JSON.stringify([name, Object.entries(input).toSorted(([left], [right]) => (left < right ? -1 : 1))]);
}

/** The answer to what is in no form. */
function whatItCan(misunderstood: string): string {
  return `I did not understand ${JSON.stringify(misunderstood.slice(0, 200))}, so I did nothing. I am Turnwright's offline model: a planner by fixed rules, not a language model.

What I can do, for example:
${JOBS.map(({ example }) => `- ${example}`).join('\n')}

Parts are joined by "then" or "and". docs/offline-model.md of the package lists all forms.

For anything else a language model is needed: run \`turnwright login\`, or set ANTHROPIC_API_KEY or the key of another provider; --model chooses one.`;
}

// Takes a conversation apart: the prompts with the calls made for each, and where the work happens.

/** A prompt, and what was done for it. */
interface Exchange {
  readonly prompt: string;
  readonly results: readonly CallResult[];
}

/** Blocks that an engine puts beside what the user typed. */
const ADDED_BLOCK =
  /^\s*<((?:system|context|environment|env|memory|project|session|git|instructions|hook|reminder|user-prompt|command|local-command|ide)[\w-]*)(?:\s[^>]*)?>[\s\S]*?<\/\1>\s*/i;
/** Says nothing new: the prompt before counts. The second is what is said if structured output is missing. */
const GOES_ON = /^\s*(?:please\s+)?(?:continue|go on|proceed)[\s.!]*$|\bStructuredOutput\b/i;

/**
 * The exchanges, newest last. Text beside tool results counts as a prompt only if `isRequest` says so: it may be a word
 * of a hook.
 */
function exchangesOf(messages: readonly MessageParam[], isRequest: (text: string) => boolean): Exchange[] {
  const results = new Map(
    messages.flatMap((message) => resultsOf(message).map((result) => [result.tool_use_id, result])),
  );
  const exchanges: { prompt: string; results: CallResult[] }[] = [];
  for (const message of messages) {
    if (message.role === 'user') {
      const prompt = promptOf(message.content, isRequest);
      if (prompt !== null && !(exchanges.length > 0 && GOES_ON.test(prompt))) exchanges.push({ prompt, results: [] });
      continue;
    }
    for (const block of typeof message.content === 'string' ? [] : message.content) {
      if (block.type !== 'tool_use') continue;
      const result = results.get(block.id);
      const input = typeof block.input === 'object' && block.input !== null ? { ...block.input } : {};
      const text = result === undefined ? 'No result was recorded for this call.' : textOf(result);
      const isError = result === undefined || result.is_error === true;
      exchanges.at(-1)?.results.push({ call: { name: block.name, input }, text, isError });
    }
  }
  return exchanges;
}

function promptOf(content: string | readonly UserBlock[], isRequest: (text: string) => boolean): string | null {
  const blocks: readonly UserBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const lastResult = blocks.findLastIndex((block) => block.type === 'tool_result');
  const texts = blocks.slice(lastResult + 1).map((block) => (block.type === 'text' ? typedText(block.text) : ''));
  return texts.findLast((text) => text !== '' && (lastResult === -1 || isRequest(text))) ?? null;
}

function typedText(text: string): string {
  const rest = text.replace(ADDED_BLOCK, '');
  return rest === text ? text.trim() : typedText(rest);
}

function resultsOf({ role, content }: MessageParam): ToolResultBlock[] {
  if (role !== 'user' || typeof content === 'string') return [];
  return content.filter((block) => block.type === 'tool_result');
}

function textOf({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** The working directory as the system prompt or the first message tells it; null if neither does. */
function workingDirectory({ system, messages }: ModelRequest): string | null {
  const first = messages[0]?.content;
  const blocks = typeof first === 'object' ? first : [];
  const texts = [...system, ...blocks].map((block) => (block.type === 'text' ? block.text : ''));
  const line = /^(?:working directory|cwd): *(.+?)\/?$/im;
  return texts.map((text) => line.exec(text)?.[1]).find((path) => path !== undefined) ?? null;
}
