// Where in a text calls begin, told while it streams, and what they are, told at its end. Rule: calls are the end of a
// message and nothing follows them; what stands in code or in the midst of prose is shown, not made.
import { type CallForm, matchAt } from './call-form.js';
import { ENDS, markedForms, readWhole } from './forms.js';
import { skipSpace } from './loose-json.js';
import { CALL_KEYS, type FoundCall, type OfferedTools } from './offered-tools.js';

// What calls in texts begin with, for the tools of one request.

const THOUGHT_END = '</think>';

interface Marks {
  readonly forms: readonly CallForm[];
  /** Of calls, and of the end of a thought. */
  readonly texts: readonly string[];
  /** Those that count at the beginning of a line only. */
  readonly ofLines: ReadonlySet<string>;
  readonly longest: number;
  readonly firstCharacters: ReadonlySet<string>;
  /** A character that a mark begins with. */
  readonly mayBegin: RegExp;
  /** Any mark; the longest first. Global. */
  readonly any: RegExp;
}

export function createMarks(names: readonly string[]): Marks {
  const forms = markedForms(names);
  const texts = [...forms.map(({ mark }) => mark), THOUGHT_END];
  const firstCharacters = new Set(texts.map((mark) => mark[0] ?? ''));
  const codes = [...firstCharacters].map((first) => `\\u{${first.codePointAt(0)?.toString(16)}}`);
  const longestFirst = [...texts].sort((a, b) => b.length - a.length);
  return {
    forms,
    texts,
    ofLines: new Set(forms.filter(({ atLineStart }) => atLineStart).map(({ mark }) => mark)),
    longest: longestFirst[0]?.length ?? 0,
    firstCharacters,
    mayBegin: new RegExp(`[${codes.join('')}]`, 'u'),
    any: new RegExp(longestFirst.map((mark) => mark.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g'),
  };
}

export interface EndOfText {
  /** What is text of all that was not shown yet. */
  readonly rest: string;
  /** All that was not shown yet, calls and all. */
  readonly raw: string;
  /** The calls behind it; null if it is only a text. */
  readonly calls: readonly FoundCall[] | null;
}

/**
 * One text while it streams. Contract: what comes out, one after the other, is the text without the calls at its end,
 * however it was split.
 */
export interface TextScan {
  /** Takes more of the text. @returns what can be shown by now: no call begins in it */
  push(delta: string): string;
  /** True if something waits that may be calls. */
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
/** Longer texts are cut to that: not for each delta, as it joins what came in pieces. */
const KEPT = 4 * WINDOW;

/** The tools of a request, as texts name them. */
export interface TextTools {
  /** The tools for a text in which no mark says that it is a call. */
  readonly exact: OfferedTools;
  /** The tools for a text in which a mark says so. */
  readonly marked: OfferedTools;
  readonly names: readonly string[];
  readonly marks: Marks;
}

export const createTextScan = (tools: TextTools): TextScan => new ScannedText(tools);

/** Classes here and below, so that all texts run the same code: it is run for each delta of a reply. */
class ScannedText implements TextScan {
  readonly #tools: TextTools;
  readonly #scan: Scan;
  #text = '';
  #shown = 0;

  constructor(tools: TextTools) {
    this.#tools = tools;
    this.#scan = new Scan(tools.names, tools.marks);
  }

  get isHolding(): boolean {
    return this.#shown < this.#text.length;
  }

  push(delta: string): string {
    const isPlain = this.#scan.passes(this.#text, delta);
    const isAllShown = this.#shown === this.#text.length;
    this.#text += delta;
    const safe = isPlain ? this.#text.length : this.#scan.advance(this.#text);
    if (safe <= this.#shown) return '';
    const piece = isPlain && isAllShown ? delta : this.#text.slice(this.#shown, safe);
    this.#shown = safe;
    if (safe > KEPT) this.#forget();
    return piece;
  }

  #forget(): void {
    const dropped = this.#scan.forget(this.#text, this.#shown - WINDOW);
    this.#text = this.#text.slice(dropped);
    this.#shown -= dropped;
  }

  finish(): EndOfText {
    const [text, shown] = [this.#text, this.#shown];
    for (const { at, isStart } of this.#scan.starts(text)) {
      const calls = readRun(text, at, isStart, this.#tools);
      if (calls !== null) return { rest: text.slice(shown, Math.max(shown, at)), raw: text.slice(shown), calls };
    }
    return { rest: text.slice(shown), raw: text.slice(shown), calls: null };
  }
}

/** Calls from there to the end of the text. */
function readRun(text: string, start: number, isStart: boolean, tools: TextTools): readonly FoundCall[] | null {
  const calls: FoundCall[] = [];
  for (let at = start; ; ) {
    at += matchAt(ENDS, text, at)?.[0].length ?? 0;
    if (at === text.length) return calls.length === 0 ? null : calls;
    const from = at;
    const form = tools.marks.forms.find(({ mark }) => text.startsWith(mark, from));
    const read =
      form?.read(text, at, tools.marked) ?? (isStart ? readWhole(text, at, tools.exact, tools.marks.forms) : null);
    if (read === null || read.end <= at) return null;
    calls.push(...read.calls);
    at = read.end;
  }
}

class Scan {
  readonly #names: readonly string[];
  readonly #marks: Marks;
  readonly #fences = new Fences();
  /** Every mark before was looked at. */
  #from = 0;
  /** The place at which a message without a mark would begin. */
  #start = 0;
  #isStartJudged = false;
  #wasThoughtSought = false;
  #held: number | null = null;

  constructor(names: readonly string[], marks: Marks) {
    this.#names = names;
    this.#marks = marks;
  }

  /** True if what comes holds no mark, nor a part of one: then it need not be looked at with what was before. */
  passes(text: string, delta: string): boolean {
    const isOpen = this.#isStartJudged && this.#wasThoughtSought && this.#held === null;
    if (!isOpen || this.#from !== text.length || this.#marks.mayBegin.test(delta)) return false;
    this.#from += delta.length;
    return true;
  }

  /** How much can be shown. */
  advance(text: string): number {
    if (this.#held !== null) return this.#held;
    const found = this.#next(text);
    if (found?.verdict === 'call') this.#held = found.at;
    if (found !== null) return found.at;
    if (!this.#wasThoughtSought && this.#from === text.length) return this.#from;
    const tail = partialMark(text, Math.max(this.#from, text.length - this.#marks.longest), this.#fences, this.#marks);
    this.#from = Math.max(this.#from, tail);
    return tail;
  }

  /** Lets go of the text before that place, if nothing that may begin calls is in it. @returns how much */
  forget(text: string, until: number): number {
    if (this.#held !== null || !this.#wasThoughtSought || !this.#isStartJudged || until > this.#from) return 0;
    this.#fences.forget(text, until);
    this.#from -= until;
    return until;
  }

  /** Every place that may begin calls, from the first that was held back. */
  *starts(text: string): Generator<Candidate> {
    for (let found = this.#next(text); found !== null; found = this.#next(text)) {
      yield found;
      if (found.isStart) this.#isStartJudged = true;
      else this.#from = found.at + 1;
    }
  }

  /** The first place that may begin calls, of all that were not ruled out. */
  #next(text: string): Candidate | null {
    return this.#skipThought(text) ? (this.#judgeStart(text) ?? this.#nextMark(text)) : null;
  }

  /** False while the text is a thought that began with it. */
  #skipThought(text: string): boolean {
    if (this.#wasThoughtSought) return true;
    const first = skipSpace(text, 0);
    if (!text.startsWith(THOUGHT, first)) {
      this.#wasThoughtSought = !THOUGHT.startsWith(text.slice(first));
      return true;
    }
    const end = text.indexOf(THOUGHT_END, Math.max(first, this.#from - THOUGHT_END.length));
    this.#from = end === -1 ? text.length : end;
    this.#wasThoughtSought = end !== -1;
    return end !== -1;
  }

  #judgeStart(text: string): Candidate | null {
    if (this.#isStartJudged) return null;
    const at = skipSpace(text, this.#start);
    const verdict = at === text.length ? 'unsure' : judgeWhole(text, at, this.#names);
    if (verdict !== 'text') return { at: this.#start, verdict, isStart: true };
    this.#isStartJudged = true;
    return null;
  }

  #nextMark(text: string): Candidate | null {
    const { any, ofLines } = this.#marks;
    for (;;) {
      any.lastIndex = this.#from;
      const found = any.exec(text);
      if (found === null) return null;
      const [mark] = found;
      const at = found.index;
      if (mark === THOUGHT_END) {
        this.#from = at + mark.length;
        this.#start = this.#from;
        this.#isStartJudged = false;
        return this.#judgeStart(text) ?? this.#nextMark(text);
      }
      const isPlain = this.#fences.isPlain(text, at) && (!ofLines.has(mark) || this.#fences.isLineStart(text, at));
      const verdict = isPlain ? judgeMark(text, at + mark.length, this.#names) : 'text';
      if (verdict !== 'text') return { at, verdict, isStart: false };
      this.#from = at + 1;
    }
  }
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
  // Behind a mark a name may be in another letter case.
  const isCall = names.some((each) => each.toLowerCase() === name.toLowerCase()) || BEFORE_NAMES.includes(word);
  return areWordsTaken && isCall ? 'call' : 'text';
}

/** The start of a mark that the end of the text may have cut; the end of the text if there is none. */
function partialMark(text: string, from: number, fences: Fences, marks: Marks): number {
  for (let at = from; at < text.length; at++) {
    if (!marks.firstCharacters.has(text[at] ?? '')) continue;
    const tail = text.slice(at);
    const begun = marks.texts.filter((mark) => mark.length > tail.length && mark.startsWith(tail));
    if (begun.some((mark) => !marks.ofLines.has(mark)) || (begun.length > 0 && fences.isLineStart(text, at))) return at;
  }
  return text.length;
}

const FENCE = /^\s*(?:```|~~~)/;

function ticksIn(text: string): number {
  return text.match(/`/g)?.length ?? 0;
}

/** Which places of a text are code. Asked from front to back. */
class Fences {
  /** The start of the line that was reached. */
  #line = 0;
  #isOpen = false;
  /** Of a line whose beginning was let go of, what that was. */
  #gone: { readonly ticks: number; readonly isFence: boolean } | null = null;

  isPlain(text: string, at: number): boolean {
    this.#goTo(text, at);
    return !this.#isOpen && ((this.#gone?.ticks ?? 0) + ticksIn(text.slice(this.#line, at))) % 2 === 0;
  }

  isLineStart(text: string, at: number): boolean {
    const begin = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
    const isCut = this.#gone !== null && begin <= this.#line;
    return !isCut && text.slice(begin, at).trim() === '';
  }

  /** The text goes on without what is before that place. */
  forget(text: string, until: number): void {
    this.#goTo(text, until);
    const head = text.slice(this.#line, until);
    const gone = this.#gone;
    if (head !== '') {
      this.#gone = { ticks: (gone?.ticks ?? 0) + ticksIn(head), isFence: gone?.isFence ?? FENCE.test(head) };
    }
    this.#line = 0;
  }

  #goTo(text: string, at: number): void {
    for (let end = text.indexOf('\n', this.#line); end !== -1 && end < at; end = text.indexOf('\n', this.#line)) {
      if (this.#gone === null ? FENCE.test(text.slice(this.#line, end)) : this.#gone.isFence)
        this.#isOpen = !this.#isOpen;
      this.#gone = null;
      this.#line = end + 1;
    }
  }
}
