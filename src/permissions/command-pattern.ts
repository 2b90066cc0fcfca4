// What stands in the brackets of a rule about commands: `npm test`, `npm run:*`, `git * main`. One rule: a pattern
// allows no more than it spells, and restricts all that names the same act.
import { ConfigError } from '../protocol/errors.js';
import { ActPattern } from './act-pattern.js';
import { escapeWord, matchesText, type TextPattern, UNSPELLED } from './command-text.js';
import { equalActs, type ProgramRun, plainName } from './shell/index.js';

/** The content of a rule about commands. */
export interface CommandPattern {
  /** `prefix`: these words and any after them, written `words:*` or `words *`. */
  readonly kind: 'exact' | 'prefix' | 'wildcard';
  /** As written. */
  readonly text: string;
  /** In the form that `ProgramRun.allowText` has. */
  readonly words: TextPattern;
  /** As written, for texts in which quotes were left out. */
  readonly plain: TextPattern;
  /** What a rule that denies or asks is held against texts as: each form that names the same, the two above first. */
  readonly forms: readonly TextPattern[];
  /** Holds a substitution, which can only be compared as written. */
  readonly isRaw: boolean;
  /** How much of a text that matches is spelled out by the pattern, from its start. */
  readonly spelled: string;
  /** For rules that deny or ask, which know the program: what they name, and what is the same by other words. */
  readonly acts: readonly ActPattern[];
}

/**
 * Parses the content of a rule about commands.
 * @throws ConfigError (`rule_invalid`) for what can never match a single program: nothing, a quote without its end,
 * operators between programs, redirections.
 */
export function parseCommandPattern(content: string): CommandPattern {
  // A blank at the end may be a word.
  const text = content.trimStart().replace(/(?<!(?:^|[^\\])(?:\\\\)*\\)\s+$/, '');
  const isPrefix = text.endsWith(':*');
  const body = isPrefix ? text.slice(0, -2).trimEnd() : text;
  if (body === '') throw invalid(content, 'it names no program. Write for example npm test, npm run:* or git log *');
  const scanned = scanPattern(body);
  if (scanned.fault !== null) throw invalid(content, scanned.fault);
  if (IN_QUOTES.test(body)) throw invalid(content, 'quotes around it make it one word; write it without them');
  const stars = scanned.pieces.length - 1;
  const last = scanned.pieces.at(-1) ?? '';
  // `words *` is the same as `words:*` if that is its only wildcard.
  const endsOpen = !isPrefix && stars === 1 && last === '' && (scanned.pieces[0] ?? '').endsWith(' ');
  const pieces = endsOpen ? [(scanned.pieces[0] ?? '').trimEnd()] : scanned.pieces;
  const openEnd = isPrefix || endsOpen;
  const kind = pieces.length > 1 ? 'wildcard' : openEnd ? 'prefix' : 'exact';
  const plainBody = endsOpen ? body.slice(0, -1).trimEnd() : body;
  const words = { pieces, openEnd };
  const plain = { pieces: plainBody.replace(/\s+/g, ' ').split('*'), openEnd };
  return {
    kind,
    text,
    words,
    plain,
    forms: [words, ...(isSame(words, plain) ? [] : [plain]), ...withoutPath(words), ...usuallyNamed(words)],
    isRaw: scanned.isRaw,
    spelled: pieces[0] ?? '',
    acts: scanned.isRaw ? [] : actPatterns(words),
  };
}

/** A whole command between quotes: it would be the name of one program. A path of a program may hold blanks. */
const IN_QUOTES = /^(["'])[^"'/\s]*\s[^"']*\1$/;
/** Stands for a wildcard between words. */
const STAR = '\0';
/** A blank that no quote or backslash makes a part of a word. */
const BETWEEN = /(?<!\\) /;

/** None of a program without words behind it, nor if there is a wildcard in a word. */
function actPatterns({ pieces, openEnd }: TextPattern): readonly ActPattern[] {
  const [program = '', ...rest] = pieces
    .join(STAR)
    .split(BETWEEN)
    .map((word) => (word === "''" ? '' : word.replace(/\\(.)/gs, '$1')));
  if (rest.some((word) => word !== STAR && word.includes(STAR)) || program.includes(STAR)) return [];
  const name = plainName(program.slice(program.lastIndexOf('/') + 1));
  return equalActs([name, ...rest.map((word) => (word === STAR ? null : word))])
    .filter((words) => words.length > 1)
    .map((words) => new ActPattern({ words, openEnd }));
}

/**
 * True if the pattern allows the run: it matches the run, or one that starts it, and spells out what decides which
 * programs run.
 * Contract: pure; false for a run that no rule may allow.
 */
export function allowsRun(pattern: CommandPattern, run: ProgramRun): boolean {
  if (pattern.isRaw) {
    const isSaid = run.allowText !== null && run.spelled === '' && !run.allowText.includes(UNSPELLED);
    return isSaid && matchesText(pattern.plain, run.text.replace(/\s+/g, ' '));
  }
  if (run.allowText !== null && spells(pattern, run.allowText, run.spelled)) return true;
  return run.startedBy.some(({ allowText, spelled }) => spells(pattern, allowText, spelled));
}

function spells(pattern: CommandPattern, text: string, spelled: string): boolean {
  return pattern.spelled.length >= spelled.length && matchesText(pattern.words, text);
}

/**
 * True if the pattern names the run, in whatever form it is written: quotes, the path of the program, options in
 * front of a subcommand, other names of options and subcommands, in any order.
 * Contract: pure. What the run's words are not known to be is not guessed: see `mayRestrictRun`.
 */
export function restrictsRun(pattern: CommandPattern, run: ProgramRun): boolean {
  if (namesRun(pattern, run)) return true;
  const { acts } = pattern;
  for (let at = 0; at < acts.length; at++) if (acts[at]?.speaksOf(run) === 'yes') return true;
  return false;
}

/** True if the pattern names the run by its words as they stand: for what a rule lets out. */
export function namesRun(pattern: CommandPattern, run: ProgramRun): boolean {
  // Each rule is held against each program of a line: loops, because closures cost more than what they do here.
  const { restrictTexts: texts } = run;
  const { forms } = pattern;
  for (let at = 0; at < texts.length; at++)
    for (let form = 0; form < forms.length; form++)
      if (matchesText(forms[form] as TextPattern, texts[at] as string)) return true;
  return false;
}

function isSame(a: TextPattern, b: TextPattern): boolean {
  return a.pieces.length === b.pieces.length && a.pieces.every((piece, at) => piece === b.pieces[at]);
}

/** The pattern with the base name of its program, if it is written with a path. */
function withoutPath(words: TextPattern): TextPattern[] {
  const [first = '', ...rest] = words.pieces;
  const end = first.indexOf(' ');
  const program = end === -1 ? first : first.slice(0, end);
  const slash = program.lastIndexOf('/');
  if (slash === -1 || (end === -1 && rest.length > 0)) return [];
  return [{ ...words, pieces: [first.slice(slash + 1), ...rest] }];
}

/** The pattern with the usual name of its program, if it has another, and with other words that do the same. */
function usuallyNamed(words: TextPattern): TextPattern[] {
  const [first = '', ...rest] = words.pieces;
  const spelled = first.split(BETWEEN);
  // What stands in front of a wildcard may be a part of a word.
  const open = rest.length > 0 ? spelled.splice(-1) : [];
  const [program, ...others] = spelled;
  if (program === undefined) return [];
  return equalActs([plainName(program), ...others])
    .map((act) => ({ ...words, pieces: [[...act, ...open].join(' '), ...rest] }))
    .filter((form) => !isSame(form, words));
}

/**
 * True if the pattern would name the run if the words that are not known were others: `git push $X` may be
 * `git push --force`; or if it started what stands in its words. Who decides asks then.
 */
export function mayRestrictRun(pattern: CommandPattern, run: ProgramRun): boolean {
  if (mayMatchOne(pattern, run.openTexts) || mayMatchOne(pattern, run.mayStart)) return true;
  const { acts } = pattern;
  for (let at = 0; at < acts.length; at++) {
    const act = acts[at] as ActPattern;
    if (act.speaksOf(run) === 'maybe' || act.mayBeStartedBy(run)) return true;
  }
  return false;
}

function mayMatchOne({ plain, words }: CommandPattern, texts: readonly string[]): boolean {
  for (let at = 0; at < texts.length; at++) {
    const text = texts[at] as string;
    if (mayMatch(plain, text) || mayMatch(words, text)) return true;
  }
  return false;
}

/** True if a text with unknown parts (NUL) can be one that matches. */
function mayMatch({ pieces, openEnd }: TextPattern, text: string): boolean {
  const known = text.slice(0, text.indexOf('\0'));
  const [first = ''] = pieces;
  if (!known.startsWith(first) && !first.startsWith(known)) return false;
  const signs: number[] = [];
  pieces.forEach((piece, at) => {
    if (at > 0) signs.push(ANYTHING);
    for (let sign = 0; sign < piece.length; sign++) signs.push(piece.charCodeAt(sign));
  });
  return overlaps(signs, text) || (openEnd && overlaps([...signs, BLANK, ANYTHING], text));
}

const ANYTHING = -1;
const BLANK = 0x20;

/** Whether two patterns have a text in common: signs with ANYTHING, and a text with NUL for anything. */
function overlaps(signs: readonly number[], text: string): boolean {
  const end = signs.length;
  // `reached[at]`: the first `at` signs can be the text up to here. Two lists in turn: texts are long, and many.
  let reached = new Uint8Array(end + 1);
  let next = new Uint8Array(end + 1);
  reached[0] = 1;
  spread(reached, signs, 0);
  for (let place = 0; place < text.length; place++) {
    const sign = text.charCodeAt(place);
    if (sign === 0) {
      reached.fill(1, reached.indexOf(1));
      continue;
    }
    next.fill(0);
    let first = ANYTHING;
    for (let at = 0; at < end; at++) {
      if (reached[at] !== 1) continue;
      const wanted = signs[at];
      if (wanted !== ANYTHING && wanted !== sign) continue;
      const to = wanted === ANYTHING ? at : at + 1;
      next[to] = 1;
      if (first === ANYTHING) first = to;
    }
    if (first === ANYTHING) return false;
    spread(next, signs, first);
    [reached, next] = [next, reached];
  }
  return reached[end] === 1;
}

/** Steps over wildcards. */
function spread(reached: Uint8Array, signs: readonly number[], from: number): void {
  for (let at = from; at < signs.length; at++) if (reached[at] === 1 && signs[at] === ANYTHING) reached[at + 1] = 1;
}

interface ScannedPattern {
  readonly pieces: readonly string[];
  readonly isRaw: boolean;
  readonly fault: string | null;
}

/** Takes the quotes off, as a shell would, and cuts at wildcards. */
function scanPattern(body: string): ScannedPattern {
  const pieces: string[] = [''];
  let quote: '"' | "'" | null = null;
  let isRaw = false;
  const put = (text: string): void => {
    pieces[pieces.length - 1] += text;
  };
  for (let at = 0; at < body.length; at++) {
    const sign = body[at] as string;
    const next = body[at + 1];
    if (quote !== "'" && (sign === '`' || (sign === '$' && next === '('))) {
      // What is substituted cannot be spelled word by word; the text as written can.
      isRaw = true;
    }
    if (isRaw) put(sign);
    else if (sign === '*') pieces.push('');
    else if (sign === '\\' && quote !== "'" && next !== undefined) {
      put(escapeWord(next));
      at++;
    } else if (sign === quote) {
      quote = null;
      // Nothing in quotes is a word too.
      if (
        body[at - 1] === sign &&
        /(?:^|(?<!\\) )$/.test(pieces.at(-1) ?? '') &&
        /^(?:\s|$)/.test(body.slice(at + 1, at + 2))
      )
        put("''");
    } else if (quote !== null) put(sign === '$' && quote === '"' ? sign : escapeWord(sign));
    else if (sign === '"' || sign === "'") quote = sign;
    else if (/\s/.test(sign)) put(pieces.at(-1)?.endsWith(' ') === true ? '' : ' ');
    else if (/[;&|<>]/.test(sign)) return { pieces, isRaw, fault: operatorFault(sign) };
    else put(sign);
  }
  return { pieces, isRaw, fault: quote !== null && !isRaw ? `the quote ${quote} has no end` : null };
}

function operatorFault(sign: string): string {
  if (sign === '<' || sign === '>')
    return `${sign} redirects, and files are not part of what a rule about a command names`;
  return `${sign} stands between programs, and a rule is held against one program at a time. Write a rule for each`;
}

function invalid(content: string, why: string): ConfigError {
  return new ConfigError(`The rule about commands "${content}" can never match: ${why}.`, { code: 'rule_invalid' });
}
