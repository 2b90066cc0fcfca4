// Where in a text calls begin, told while it streams, and what they are, told at its end. Rule: calls are the end of a
// message and nothing follows them; what stands in code or in the midst of prose is shown, not made.
import { matchAt } from './call-form.js';
import { ENDS, MARKED_FORMS, readWhole } from './forms.js';
import { skipSpace } from './loose-json.js';
import { CALL_KEYS, type FoundCall, type OfferedTools } from './offered-tools.js';

export interface EndOfText {
  /** What is text of all that was not shown yet. */
  readonly rest: string;
  /** All that was not shown yet, calls and all. */
  readonly raw: string;
  /** The calls behind it; null where it is only a text. */
  readonly calls: readonly FoundCall[] | null;
}

/**
 * One text while it streams. Contract: what comes out, one after the other, is the text without the calls at its end,
 * however it was split.
 */
export interface TextScan {
  /** Takes more of the text. @returns what can be shown by now: no call begins in it */
  push(delta: string): string;
  /** True where something waits that may be calls. */
  readonly isHolding: boolean;
  /** Contract: called once, at the end. */
  finish(): EndOfText;
}

/** `unsure`: what came so far does not tell. */
type Verdict = 'call' | 'unsure' | 'text';

interface Candidate {
  readonly at: number;
  readonly verdict: Verdict;
  /** The beginning of the message. */
  readonly isStart: boolean;
}

const THOUGHT = '<think>';
const THOUGHT_END = '</think>';
const MARKS = [...MARKED_FORMS.map(({ mark }) => mark), THOUGHT_END];
const LINE_MARKS = new Set(MARKED_FORMS.filter(({ atLineStart }) => atLineStart).map(({ mark }) => mark));
const FIRST_CHARACTERS = new Set(MARKS.map((mark) => mark[0] ?? ''));
const LONGEST_MARK = Math.max(...MARKS.map((mark) => mark.length));
/** A character that a mark begins with. */
const MAY_BEGIN = new RegExp(
  `[${[...FIRST_CHARACTERS].map((first) => `\\u{${first.codePointAt(0)?.toString(16)}}`).join('')}]`,
  'u',
);
const ANY_MARK = new RegExp(
  [...MARKS]
    .sort((a, b) => b.length - a.length)
    .map((mark) => mark.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|'),
  'g',
);
/** Longer words are no names. */
const LONGEST_NAME = 200;
const WORD = /[\w.:-]*/y;
const FIRST_KEY = /\{\s*["']?([\w-]*)["']?\s*(:)?/y;
const FENCE_LINE = /```[ \t]*([\w-]*)[ \t]*\r?(\n)?/y;
const FENCED_CALLS = new Set(['', 'json', 'json5', 'xml', 'text', 'python', 'plaintext', 'tool_code', 'tool_call']);
/** Words that may stand between a mark and a name. */
const BEFORE_NAMES = ['function', 'print', 'commentary', 'analysis', 'json', 'to'];

/** Of a text that holds no calls only the newest part is kept, about as many characters. */
const WINDOW = 256;

/** @param names of all tools */
export function createTextScan(tools: OfferedTools, names: readonly string[]): TextScan {
  const scan = createScan(names);
  let text = '';
  let shown = 0;
  return {
    get isHolding() {
      return shown < text.length;
    },
    push(delta) {
      const isPlain = scan.passes(text, delta);
      text += delta;
      const safe = isPlain ? text.length : scan.advance(text);
      if (safe <= shown) return '';
      const piece = text.slice(shown, safe);
      shown = safe;
      const dropped = shown > 2 * WINDOW ? scan.forget(text, shown - WINDOW) : 0;
      text = text.slice(dropped);
      shown -= dropped;
      return piece;
    },
    finish() {
      for (const { at, isStart } of scan.starts(text)) {
        const calls = readRun(text, at, isStart, tools);
        if (calls !== null) return { rest: text.slice(shown, Math.max(shown, at)), raw: text.slice(shown), calls };
      }
      return { rest: text.slice(shown), raw: text.slice(shown), calls: null };
    },
  };
}

/** Calls from there to the end of the text. */
function readRun(text: string, start: number, isStart: boolean, tools: OfferedTools): readonly FoundCall[] | null {
  const calls: FoundCall[] = [];
  for (let at = start; ; ) {
    at += matchAt(ENDS, text, at)?.[0].length ?? 0;
    if (at === text.length) return calls.length === 0 ? null : calls;
    const from = at;
    const form = MARKED_FORMS.find(({ mark }) => text.startsWith(mark, from));
    const read = form?.read(text, at, tools) ?? (isStart ? readWhole(text, at, tools) : null);
    if (read === null || read.end <= at) return null;
    calls.push(...read.calls);
    at = read.end;
  }
}

function createScan(names: readonly string[]) {
  const fences = createFences();
  /** Every mark before was looked at. */
  let from = 0;
  /** Where a message without a mark would begin. */
  let start = 0;
  let isStartJudged = false;
  let wasThoughtSought = false;
  let held: number | null = null;

  /** False while the text is a thought that began with it. */
  const skipThought = (text: string): boolean => {
    if (wasThoughtSought) return true;
    const first = skipSpace(text, 0);
    if (!text.startsWith(THOUGHT, first)) {
      wasThoughtSought = !THOUGHT.startsWith(text.slice(first));
      return true;
    }
    const end = text.indexOf(THOUGHT_END, Math.max(first, from - THOUGHT_END.length));
    if (end === -1) {
      from = text.length;
      return false;
    }
    from = end;
    wasThoughtSought = true;
    return true;
  };
  const judgeStart = (text: string): Candidate | null => {
    if (isStartJudged) return null;
    const at = skipSpace(text, start);
    const verdict = at === text.length ? 'unsure' : judgeWhole(text, at, names);
    if (verdict !== 'text') return { at: start, verdict, isStart: true };
    isStartJudged = true;
    return null;
  };
  const nextMark = (text: string): Candidate | null => {
    for (;;) {
      ANY_MARK.lastIndex = from;
      const found = ANY_MARK.exec(text);
      if (found === null) return null;
      const [mark] = found;
      const at = found.index;
      if (mark === THOUGHT_END) {
        from = at + mark.length;
        start = from;
        isStartJudged = false;
        return judgeStart(text) ?? nextMark(text);
      }
      const isPlain = fences.isPlain(text, at) && (!LINE_MARKS.has(mark) || fences.isLineStart(text, at));
      const verdict = isPlain ? judgeMark(text, at + mark.length, names) : 'text';
      if (verdict !== 'text') return { at, verdict, isStart: false };
      from = at + 1;
    }
  };
  /** The first place that may begin calls, of all that were not ruled out. */
  const next = (text: string): Candidate | null => (skipThought(text) ? (judgeStart(text) ?? nextMark(text)) : null);

  return {
    /** True where what comes holds no mark, nor a part of one: then it need not be looked at with what was before. */
    passes(text: string, delta: string): boolean {
      const isOpen = held === null && wasThoughtSought && isStartJudged && from === text.length;
      if (!isOpen || MAY_BEGIN.test(delta)) return false;
      from += delta.length;
      return true;
    },
    /** How much can be shown. */
    advance(text: string): number {
      if (held !== null) return held;
      const found = next(text);
      if (found?.verdict === 'call') held = found.at;
      if (found !== null) return found.at;
      if (!wasThoughtSought && from === text.length) return from;
      const tail = partialMark(text, Math.max(from, text.length - LONGEST_MARK), fences.isLineStart);
      from = Math.max(from, tail);
      return tail;
    },
    /** Lets go of the text before that place, where nothing that may begin calls is in it. @returns how much */
    forget(text: string, until: number): number {
      if (held !== null || !wasThoughtSought || !isStartJudged || until > from) return 0;
      fences.forget(text, until);
      from -= until;
      return until;
    },
    /** Every place that may begin calls, from the first that was held back. */
    *starts(text: string): Generator<Candidate> {
      for (let found = next(text); found !== null; found = next(text)) {
        yield found;
        if (found.isStart) isStartJudged = true;
        else from = found.at + 1;
      }
    },
  };
}

/** Whether what a message begins with can be calls and nothing else. */
function judgeWhole(text: string, at: number, names: readonly string[]): Verdict {
  if (text[at] === '{') return judgeObject(text, at);
  if (text[at] === '[') {
    const first = skipSpace(text, at + 1);
    if (first === text.length) return 'unsure';
    return text[first] === '{' ? judgeObject(text, first) : judgeName(text, first, names, false);
  }
  if (text[at] !== '`') return 'text';
  const fence = matchAt(FENCE_LINE, text, at);
  if (fence === null) return text.length - at < 3 ? 'unsure' : 'text';
  if (fence[2] === undefined) return at + fence[0].length === text.length ? 'unsure' : 'text';
  if (!FENCED_CALLS.has(fence[1] ?? '')) return 'text';
  const first = skipSpace(text, at + fence[0].length);
  if (first === text.length) return 'unsure';
  if (text[first] === '<') return 'call';
  return text[first] === '`' ? 'text' : judgeInFence(text, first, names);
}

function judgeInFence(text: string, at: number, names: readonly string[]): Verdict {
  if (text[at] === '{' || text[at] === '[') return judgeWhole(text, at, names);
  return judgeName(text, at, names, true);
}

/** By the first key of an object. */
function judgeObject(text: string, at: number): Verdict {
  const key = matchAt(FIRST_KEY, text, at);
  if (key === null) return 'text';
  const isCut = at + key[0].length === text.length;
  if (key[2] === undefined) return isCut && key[0].length < LONGEST_NAME ? 'unsure' : 'text';
  return CALL_KEYS.has(key[1] ?? '') ? 'call' : 'text';
}

/** By what follows a mark: something that opens a value, or a name of a tool. */
function judgeMark(text: string, at: number, names: readonly string[]): Verdict {
  const first = skipSpace(text, at);
  if (first === text.length) return 'unsure';
  return /[\w.-]/.test(text[first] ?? '') ? judgeName(text, first, names, true) : 'call';
}

function judgeName(text: string, at: number, names: readonly string[], areWordsTaken: boolean): Verdict {
  const word = matchAt(WORD, text, at)?.[0] ?? '';
  if (word === '') return 'text';
  if (at + word.length === text.length) return word.length < LONGEST_NAME ? 'unsure' : 'text';
  const name = word.replace(/^(?:functions|default_api|tools)\.|:\d+$/g, '');
  if (names.includes(word) || names.includes(name)) return 'call';
  return areWordsTaken && BEFORE_NAMES.includes(word) ? 'call' : 'text';
}

/** Where the text may end in the midst of a mark; its end where it does not. */
function partialMark(text: string, from: number, isLineStart: (text: string, at: number) => boolean): number {
  for (let at = from; at < text.length; at++) {
    if (!FIRST_CHARACTERS.has(text[at] ?? '')) continue;
    const tail = text.slice(at);
    const begun = MARKS.filter((mark) => mark.length > tail.length && mark.startsWith(tail));
    if (begun.some((mark) => !LINE_MARKS.has(mark)) || (begun.length > 0 && isLineStart(text, at))) return at;
  }
  return text.length;
}

const FENCE = /^\s*(?:```|~~~)/;

function ticksIn(text: string): number {
  return text.match(/`/g)?.length ?? 0;
}

/** Which places of a text are code. Asked from front to back. */
function createFences() {
  /** Where the line begins that was reached. */
  let line = 0;
  let isOpen = false;
  /** Of a line whose beginning was let go of, what that was. */
  let gone: { readonly ticks: number; readonly isFence: boolean } | null = null;
  const goTo = (text: string, at: number) => {
    for (let end = text.indexOf('\n', line); end !== -1 && end < at; end = text.indexOf('\n', line)) {
      if (gone === null ? FENCE.test(text.slice(line, end)) : gone.isFence) isOpen = !isOpen;
      gone = null;
      line = end + 1;
    }
  };
  return {
    isPlain(text: string, at: number): boolean {
      goTo(text, at);
      return !isOpen && ((gone?.ticks ?? 0) + ticksIn(text.slice(line, at))) % 2 === 0;
    },
    isLineStart(text: string, at: number): boolean {
      const begin = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
      const isCut = gone !== null && begin <= line;
      return !isCut && text.slice(begin, at).trim() === '';
    },
    /** The text goes on without what is before that place. */
    forget(text: string, until: number): void {
      goTo(text, until);
      const head = text.slice(line, until);
      if (head !== '') gone = { ticks: (gone?.ticks ?? 0) + ticksIn(head), isFence: gone?.isFence ?? FENCE.test(head) };
      line = 0;
    },
  };
}
