// Decides the next move: runs the jobs of the last prompt again from the start over the results that are recorded, and
// stops at the first call that has none. Nothing is kept between two replies.
import type { MessageParam, ToolResultBlock, UserBlock } from '../../protocol/content.js';
import type { ModelRequest } from '../contract/index.js';
import { type Batch, type Call, type CallResult, type Finding, type Flow, JobFailure } from './flow.js';
import { describe, JOBS, type Job } from './jobs.js';
import { isFiller, isWord, type OperandName, type Operands, READERS, type Token, tokenise } from './operands.js';

// The grammar of requests. A request is parts joined by "then", "and", commas or the ends of sentences; a part is a verb
// with its operands, in one of the forms that the jobs name. A form is written as it is read: `find|list KIND [PLACE]`.

/** What a part can ask for. The words in capitals in a form are operands; `a|b` is a choice, `[…]` may be absent. */
interface Formed {
  readonly forms: readonly string[];
}

interface Part<Job> {
  readonly job: Job;
  readonly operands: Operands;
  /** The part as the user put it. */
  readonly source: string;
}

/** `misunderstood` is the first part that is in no form: nothing of such a request is to be done. */
type Parsed<Job> =
  | { readonly parts: readonly Part<Job>[]; readonly misunderstood: null }
  | { readonly parts: null; readonly misunderstood: string };

type Element =
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'operand'; readonly name: OperandName }
  | { readonly type: 'optional'; readonly elements: readonly Element[] };

/** Longer requests are not looked at, so that reading one takes a bounded time. Characters. */
const MAX_LENGTH = 20_000;
/** An "and" may stand inside a part, as in "its path and line count"; so many are tried. */
const MAX_JOINS_INSIDE = 6;
const OPENINGS = new Set('please can could would you now first also finally next just kindly'.split(' '));

/** One parser for all jobs. */
function createParser<Job extends Formed>(jobs: readonly Job[]): (request: string) => Parsed<Job> {
  const forms = jobs.flatMap((job) => job.forms.map((form) => ({ job, elements: readForm(form) })));
  const verbs = new Set(forms.flatMap(({ elements: [verb] }) => (verb?.type === 'words' ? verb.words : [])));

  const parsePart = (tokens: readonly Token[], text: string): Part<Job> | null => {
    for (const { job, elements } of forms) {
      const operands = match(elements, { tokens, text }, 0, {});
      if (operands !== null) return { job, operands, source: sourceOf(tokens, text) };
    }
    return null;
  };

  /** The parts of a sentence. The shortest beginning that is in a form is the first part. */
  const parseSentence = (sentence: readonly Token[], text: string): Parsed<Job> => {
    const parts: Part<Job>[] = [];
    let rest = withoutOpening(sentence);
    while (rest.length > 0) {
      const ends = [...joinsOf(rest, verbs).slice(0, MAX_JOINS_INSIDE), { end: rest.length, next: rest.length }];
      const part = firstOf(ends, ({ end, next }) => {
        const parsed = parsePart(rest.slice(0, end), text);
        return parsed === null ? null : { parsed, next };
      });
      if (part === null) return { parts: null, misunderstood: sourceOf(rest.slice(0, ends[0]?.end), text) };
      parts.push(part.parsed);
      rest = withoutOpening(rest.slice(part.next));
    }
    return { parts, misunderstood: null };
  };

  return (request) => {
    if (request.length > MAX_LENGTH) return { parts: null, misunderstood: request };
    const parts: Part<Job>[] = [];
    for (const sentence of sentencesOf(tokenise(request))) {
      const parsed = parseSentence(sentence, request);
      if (parsed.parts === null) return parsed;
      parts.push(...parsed.parts);
    }
    return parts.length === 0 ? { parts: null, misunderstood: request } : { parts, misunderstood: null };
  };
}

function readForm(form: string): Element[] {
  const stack: Element[][] = [[]];
  for (const [symbol] of form.matchAll(/[[\]]|[^\s[\]]+/g)) {
    if (symbol === '[') stack.push([]);
    else if (symbol === ']') {
      const elements = stack.pop() ?? [];
      stack.at(-1)?.push({ type: 'optional', elements });
    } else if (Object.hasOwn(READERS, symbol)) stack.at(-1)?.push({ type: 'operand', name: symbol as OperandName });
    else stack.at(-1)?.push({ type: 'words', words: symbol.split('|') });
  }
  return stack[0] ?? [];
}

interface Sentence {
  readonly tokens: readonly Token[];
  readonly text: string;
}

function match(form: readonly Element[], sentence: Sentence, from: number, found: Operands): Operands | null {
  const { tokens, text } = sentence;
  const [element, ...rest] = form;
  // "the", "all" and the like say nothing; only a command is taken word for word.
  const said = tokens.findIndex((token, index) => index >= from && !isFiller(token));
  const at = said === -1 ? tokens.length : said;
  if (element === undefined)
    return tokens.slice(from).every((token) => isFiller(token) || isJoin(token)) ? found : null;
  switch (element.type) {
    case 'optional':
      return match([...element.elements, ...rest], sentence, from, found) ?? match(rest, sentence, from, found);
    case 'words':
      return isWord(tokens[at], element.words) ? match(rest, sentence, at + 1, found) : null;
    case 'operand': {
      const readings = READERS[element.name](tokens, element.name === 'COMMAND' ? from : at, text);
      return firstOf(readings, ({ value, next }) => match(rest, sentence, next, { ...found, ...value }));
    }
    default: {
      const never: never = element;
      return never;
    }
  }
}

/** What "then", line breaks and the ends of sentences part. */
function sentencesOf(tokens: readonly Token[]): Token[][] {
  const sentences: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'stop' || isWord(token, ['then'])) sentences.push([]);
    else sentences.at(-1)?.push(token);
  }
  return sentences.map(withoutJoinAtEnd).filter((sentence) => sentence.length > 0);
}

/** Where an "and" or a comma stands in front of a verb: there a part may end and the next begin. */
function joinsOf(tokens: readonly Token[], verbs: ReadonlySet<string>): { end: number; next: number }[] {
  return tokens.flatMap((_, end) => {
    let next = end;
    while (isJoin(tokens[next])) next += 1;
    const after = tokens[next];
    const verb = after !== undefined && OPENINGS.has(after.word) ? tokens[next + 1] : after;
    const begins = end > 0 && next > end && !isJoin(tokens[end - 1]) && verb !== undefined && verbs.has(verb.word);
    return begins ? [{ end, next }] : [];
  });
}

function isJoin(token: Token | undefined): boolean {
  return token?.kind === 'comma' || isWord(token, ['and']);
}

function withoutJoinAtEnd(tokens: readonly Token[]): Token[] {
  const last = tokens.findLastIndex((token) => !isJoin(token));
  return tokens.slice(0, last + 1);
}

function withoutOpening(tokens: readonly Token[]): readonly Token[] {
  const first = tokens.findIndex((token) => !isJoin(token) && !OPENINGS.has(token.word));
  return first === -1 ? [] : tokens.slice(first);
}

function sourceOf(tokens: readonly Token[], text: string): string {
  return text.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? text.length);
}

function firstOf<Item, Result>(items: Iterable<Item>, read: (item: Item) => Result | null): Result | null {
  for (const item of items) {
    const result = read(item);
    if (result !== null) return result;
  }
  return null;
}

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
