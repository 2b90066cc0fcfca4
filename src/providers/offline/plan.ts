// Decides the next move: runs the jobs of all prompts again from the start over the results that are recorded, and stops
// at the first call that has none. Nothing is kept between two replies.
import type { MessageParam, ToolResultBlock } from '../../protocol/content.js';
import type { ModelRequest } from '../contract/index.js';
import { describe, type Finding } from './finding.js';
import { type Batch, type Call, type CallResult, type Flow, JobFailure, type Situation } from './flow.js';
import { createParser, type Part } from './grammar.js';
import { JOBS, type Job } from './jobs.js';

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
  const exchanges = exchangesOf(request.messages);
  const { prompt = '', results = [] } = exchanges.pop() ?? {};
  const { parts, misunderstood } = parse(prompt);
  if (parts === null) return { type: 'refuse', answer: whatItCan(misunderstood) };
  const given = { cwd: workingDirectory(request), tools: new Set(request.tools.map((tool) => tool.name)) };
  // What the prompts before found, if "it" means that: in "show it" as a prompt of its own.
  const before = exchanges.reduce<readonly Finding[]>((seed, exchange) => {
    const replayed = replay(parse(exchange.prompt).parts ?? [], exchange.results, { ...given, found: seed });
    return replayed.found.length === 0 ? seed : replayed.found;
  }, []);
  const { pending, found, failures } = replay(parts, results, { ...given, found: before });
  if (pending !== null && results.length < MAX_CALLS) return { type: 'call', ...pending };
  if (pending !== null) failures.push(`Stopped after ${results.length} calls, so not all was done.`);
  const text = [...found.map(describe), ...failures].join('\n\n');
  // About three characters a token, so that the reply ends by itself and not at the limit.
  const most = Math.max(200, request.maxTokens * 3);
  const answer = text.length <= most ? text : `${text.slice(0, most)}\n… (the answer was cut here)`;
  return { type: 'done', results, found, failures, answer };
}

/** Does the parts of a prompt, as far as their results are recorded. `pending`: calls that have none yet; null at the end. */
function replay(parts: readonly Part<Job>[], results: readonly CallResult[], given: Omit<Situation, 'operands'>) {
  const left = [...results];
  const found: Finding[] = [];
  const failures: string[] = [];
  let failed: string | null = null;
  for (const { job, operands, source } of parts) {
    if (failed !== null && (operands.it || operands.facets)) {
      failures.push(`"${source}" was not done, because it needs what "${failed}" was to give.`);
      continue;
    }
    try {
      const outcome = advance(job.run({ ...given, operands, found: [...given.found, ...found] }), left);
      if ('calls' in outcome) return { pending: outcome, found, failures };
      found.push(outcome);
    } catch (error) {
      if (!(error instanceof JobFailure)) throw error;
      failed = source;
      failures.push(`"${source}" failed. ${error.message}`);
    }
  }
  return { pending: null, found, failures };
}

/** Runs a job over recorded results, each taken once and in order: its finding, or the calls that have no results yet. */
function advance(flow: Flow<Finding>, left: CallResult[]): Finding | Batch {
  let state = flow.next();
  while (state.done !== true) {
    const keys = state.value.calls.map((call) => JSON.stringify(call));
    const recorded = left.map(({ call }) => JSON.stringify(call));
    const at = recorded.findIndex((_, from) => keys.every((key, index) => recorded[from + index] === key));
    if (at === -1) return state.value;
    state = flow.next(left.splice(0, at + keys.length).slice(at));
  }
  return state.value;
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

/** Blocks that an engine puts beside what the user typed. */
const ADDED_BLOCK =
  /^\s*<((?:system|context|environment|env|memory|project|session|git|instructions|hook|reminder|user-prompt|command|local-command|ide)[\w-]*)(?:\s[^>]*)?>[\s\S]*?<\/\1>\s*/i;
/** Says nothing new: the prompt before counts. The second is what is said if structured output is missing. */
const GOES_ON = /^\s*(?:please\s+)?(?:continue|go on|proceed)[\s.!]*$|\bStructuredOutput\b/i;

/** The prompts, and what was done for each, newest last. */
function exchangesOf(messages: readonly MessageParam[]): { prompt: string; results: CallResult[] }[] {
  const exchanges: { prompt: string; results: CallResult[] }[] = [];
  const places = new Map<string, { text: string; isError: boolean }>();
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    for (const block of blocks) {
      if (block.type === 'tool_use') {
        const call = { name: block.name, input: { ...(block.input as Call['input'] | null) } };
        const result = { call, text: 'No result was recorded for this call.', isError: true };
        exchanges.at(-1)?.results.push(result);
        places.set(block.id, result);
      } else if (block.type === 'tool_result') {
        Object.assign(places.get(block.tool_use_id) ?? {}, { text: textOf(block), isError: block.is_error === true });
      }
    }
    const prompt = role === 'user' ? promptOf(blocks) : null;
    if (prompt !== null && !(exchanges.length > 0 && GOES_ON.test(prompt))) exchanges.push({ prompt, results: [] });
  }
  return exchanges;
}

/** Text beside tool results counts as a prompt only if it is in a form: it may be a word of a hook. */
function promptOf(blocks: readonly { readonly type: string; readonly text?: string }[]): string | null {
  const lastResult = blocks.findLastIndex((block) => block.type === 'tool_result');
  const texts = blocks.slice(lastResult + 1).map((block) => typedText(block.text ?? ''));
  return texts.findLast((text) => text !== '' && (lastResult === -1 || parse(text).parts !== null)) ?? null;
}

function typedText(text: string): string {
  const rest = text.replace(ADDED_BLOCK, '');
  return rest === text ? text.trim() : typedText(rest);
}

function textOf({ content }: ToolResultBlock): string {
  const texts =
    typeof content === 'string' ? [content] : content.map((block) => (block.type === 'text' ? block.text : ''));
  return texts.join('\n');
}

/** The working directory as the system prompt or the first message tells it; null if neither does. */
function workingDirectory({ system, messages }: ModelRequest): string | null {
  const blocks = [...system, ...(typeof messages[0]?.content === 'object' ? messages[0].content : [])];
  const line = /^(?:working directory|cwd): *(.+?)\/?$/im;
  return blocks.flatMap((block) => (block.type === 'text' && line.exec(block.text)?.[1]) || [])[0] ?? null;
}
