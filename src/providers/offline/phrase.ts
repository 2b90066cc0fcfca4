// A request as text to take apart: quoted parts are set aside first, so no rule ever looks inside what was quoted.

import { NOUN_VERBS, POLITE_PREFIX, VERB_PATTERN } from './vocabulary.js';

// Private-use characters around an index stand for a quoted part.
const OPEN = '\uE000';
const CLOSE = '\uE001';

/** One stand-in, as a regular expression source. */
export const LITERAL = `${OPEN}\\d+${CLOSE}`;

/** Longest request, quoted parts aside, that is read as instructions, characters. */
const MAX_INSTRUCTION_CHARS = 4_000;

/** A quoted part. `code`: in backticks or a fence. */
export interface Literal {
  readonly text: string;
  readonly quote: 'fence' | 'code' | 'double' | 'single';
}

/** A piece of a request. Taking a slot out of it leaves a space. Local to one recogniser: copy before taking. */
export class Phrase {
  text: string;
  readonly literals: readonly Literal[];

  constructor(text: string, literals: readonly Literal[]) {
    this.text = text.trim();
    this.literals = literals;
  }

  copy(text: string = this.text): Phrase {
    return new Phrase(text, this.literals);
  }

  /** Removes the first match and returns it, or returns null. */
  take(pattern: RegExp): RegExpExecArray | null {
    const match = pattern.exec(this.text);
    if (match !== null) {
      const rest = `${this.text.slice(0, match.index)} ${this.text.slice(match.index + match[0].length)}`;
      this.text = rest.replace(/[ \t]+/g, ' ').trim();
    }
    return match;
  }

  /** The literal a token stands for, or null. */
  literalOf(token: string): Literal | null {
    const match = new RegExp(`^${OPEN}(\\d+)${CLOSE}$`).exec(token);
    return match === null ? null : (this.literals[Number(match[1])] ?? null);
  }

  /** Text with every stand-in replaced by what was quoted, without quotes. */
  reveal(text: string = this.text): string {
    return text.replace(
      new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g'),
      (_, index) => this.literals[Number(index)]?.text ?? '',
    );
  }

  /** As the user typed it, near enough to show. */
  original(): string {
    return this.text.replace(new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g'), (_, index) => {
      const literal = this.literals[Number(index)];
      const text = (literal?.text ?? '').replace(/\s+/g, ' ');
      const shown = text.length > 60 ? `${text.slice(0, 57)}...` : text;
      return literal?.quote === 'code' ? `\`${shown}\`` : `"${shown}"`;
    });
  }
}

/** A request with its quoted parts set aside, or null where it is too long to be instructions. */
export function readPhrase(request: string): Phrase | null {
  const literals: Literal[] = [];
  const plain = request.replace(/[\uE000\uE001]/g, '').replace(/\r\n?/g, '\n');
  const masked = maskMultilineContent(maskQuotes(plain, literals), literals)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
  return masked.length > MAX_INSTRUCTION_CHARS ? null : new Phrase(masked, literals);
}

/** Splits a request into its parts, in order, without their courtesies. */
export function splitRequest(request: Phrase): Phrase[] {
  const clauses = splitClauses(request.text);
  // "in src/a.ts, replace ..." says the place first: it goes to the end of the part it belongs to.
  const joined = clauses.flatMap((clause, index) => {
    const before = clauses[index - 1];
    if (isPlace(clause) && clauses[index + 1] !== undefined) return [];
    return [before !== undefined && isPlace(before) ? `${stripPoliteness(clause)} ${before}` : clause];
  });
  return joined
    .map((clause) => request.copy(stripPoliteness(clause)))
    .filter((phrase) => /[\p{L}\p{N}\uE000$]/u.test(phrase.text));
}

function isPlace(clause: string): boolean {
  return /^(?:in|inside|under) (?:the (?:file |folder )?)?[^\s,]+$/i.test(clause);
}

function maskQuotes(text: string, literals: Literal[]): string {
  const keep = (content: string, quote: Literal['quote']): string => {
    literals.push({ text: content, quote });
    return `${OPEN}${literals.length - 1}${CLOSE}`;
  };
  return maskFences(text, (content) => keep(content, 'fence'))
    .replace(/`([^`\n]+)`/g, (_, content: string) => keep(content, 'code'))
    .replace(/"((?:[^"\\]|\\[\s\S])*)"/g, (_, content: string) => keep(content.replace(/\\"/g, '"'), 'double'))
    .replace(/[“„«]([^“”„«»]*)[”“»]/g, (_, content: string) => keep(content, 'double'))
    .replace(/(?<![\p{L}\p{N}])'([^'\n]+)'(?![\p{L}\p{N}])/gu, (_, content: string) => keep(content, 'single'))
    .replace(/(?<![\p{L}\p{N}])‘([^‘’\n]+)’(?![\p{L}\p{N}])/gu, (_, content: string) => keep(content, 'single'));
}

/** Line by line, so that fences never closed cost no more than reading them once. An open fence stays as typed. */
function maskFences(text: string, keep: (content: string) => string): string {
  const lines = text.split('\n');
  const out: string[] = [];
  let opened = -1;
  for (const [index, line] of lines.entries()) {
    if (!/^\s*```[^`]*$/.test(line)) {
      if (opened < 0) out.push(line);
    } else if (opened < 0) {
      opened = index;
    } else {
      out.push(
        keep(
          lines
            .slice(opened + 1, index)
            .map((kept) => `${kept}\n`)
            .join(''),
        ),
      );
      opened = -1;
    }
  }
  return opened < 0 ? out.join('\n') : [...out, ...lines.slice(opened)].join('\n');
}

/** "create notes.md with:" and lines below it: the lines are content, not instructions. */
function maskMultilineContent(text: string, literals: Literal[]): string {
  const head = /^[^\n]*\b(?:create|write|make|save|put|append|add)\b[^\n]*:[ \t]*\n/im.exec(text);
  if (head === null || !new RegExp(`[\\w-]\\.\\w|${OPEN}`).test(head[0])) return text;
  const start = head.index + head[0].length;
  const before = text.slice(0, start).replace(/:[ \t]*\n$/, ': ');
  const body = text.slice(start);
  if (body.trimStart().startsWith(OPEN)) return before + body.trimStart();
  if (body.trim() === '') return text;
  // Quotes inside the content belong to it: put them back as they were.
  const restored = new Phrase(body, literals);
  const content = `${body.replace(new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g'), (token) => requote(restored, token)).trimEnd()}\n`;
  literals.push({ text: content, quote: 'fence' });
  return `${before}${OPEN}${literals.length - 1}${CLOSE}`;
}

function requote(phrase: Phrase, token: string): string {
  const literal = phrase.literalOf(token);
  if (literal === null) return '';
  const mark = { fence: '', code: '`', double: '"', single: "'" }[literal.quote];
  return literal.quote === 'fence' ? `\`\`\`\n${literal.text}\`\`\`` : `${mark}${literal.text}${mark}`;
}

const NOUN_VERB_GUARD = `(?!(?:${NOUN_VERBS.join('|')})(?:\\s+(?:to|into|as|in|of|for|on|with|and|files?|folders?)\\b|\\s*[.,;!?]?\\s*(?:$|\\n)))`;
const NEXT_VERB = `(?=(?:(?:please|also|finally|lastly|just)\\s+)?${NOUN_VERB_GUARD}(?:${VERB_PATTERN})\\b)`;
const BOUNDARY = new RegExp(
  [
    '\\s*\\n\\s*(?:[-*•]\\s+|\\d+[.)]\\s+)?',
    '\\s*[,;.:]*\\s*\\b(?:and\\s+)?(?:then|afterwards?,|after that,?|next,|finally,)\\s+(?!is\\b|was\\b)',
    '[.!?]+\\s+(?=[\\p{L}\\p{N}\\uE000])',
    `\\s*;\\s*${NEXT_VERB}`,
    `\\s*,?\\s+(?:and|&)\\s+(?:also\\s+)?${NEXT_VERB}`,
    `\\s*,\\s+${NEXT_VERB}`,
  ].join('|'),
  'giu',
);

function splitClauses(text: string): string[] {
  return text
    .replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '')
    .split(BOUNDARY)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
    .flatMap(splitPairs);
}

const PATH_TOKEN = `(?:${LITERAL}|[^\\s,${OPEN}]+)`;
const NEXT_WITH = new RegExp(
  `(?<=${CLOSE})\\s*(?:,\\s*and|,|and)\\s+(?=${PATH_TOKEN}\\s+(?:with|containing)\\s+${LITERAL})`,
  'u',
);
const NEXT_TO = new RegExp(`\\s*(?:,\\s*and|,|and)\\s+(?=${LITERAL}\\s+(?:to|into|in)\\s+${PATH_TOKEN})`, 'u');

/** "create a.txt with "1" and b.txt with "2"" is two parts with one verb. */
function splitPairs(clause: string): string[] {
  const verb = /^(?:please\s+)?(?:create|write|make|save|put|append|add)\b/i.exec(clause)?.[0];
  if (verb === undefined) return [clause];
  const parts = clause.split(NEXT_WITH).flatMap((part) => part.split(NEXT_TO));
  return parts.map((part, index) => (index === 0 ? part : `${verb} ${part}`));
}

function stripPoliteness(clause: string): string {
  let text = clause;
  for (;;) {
    const next = text.replace(POLITE_PREFIX, '');
    if (next === text || (next === '' && text === '')) break;
    text = next;
  }
  return text
    .replace(/(?:[\s,]+(?:please|for me|thanks|thank you|as well|too|now|if you can|if possible))+\s*[.!?]*$/i, '')
    .replace(/[\s.!?;,:]+$/, '')
    .trim();
}
