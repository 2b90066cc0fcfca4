// The grammar of requests. A request is parts joined by "then", "and", commas or the ends of sentences; a part is a verb
// with its operands, in one of the forms that the jobs name. A form is written as it is read: `find|list KIND [PLACE]`.
import { type OperandName, type Operands, READERS } from './operands.js';
import { isFiller, isWord, type Token, tokenise } from './tokens.js';

/** What a part can ask for. The words in capitals in a form are operands; `a|b` is a choice, `[…]` may be absent. */
export interface Formed {
  readonly forms: readonly string[];
}

export interface Part<Job> {
  readonly job: Job;
  readonly operands: Operands;
  /** The part as the user put it. */
  readonly source: string;
}

/** `misunderstood` is the first part that is in no form: nothing of such a request is to be done. */
export type Parsed<Job> =
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
export function createParser<Job extends Formed>(jobs: readonly Job[]): (request: string) => Parsed<Job> {
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
