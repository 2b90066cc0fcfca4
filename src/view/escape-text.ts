// Makes hidden characters visible, and says on one line what a call is about. Text of a model or a tool reaches a terminal only
// through here: no escape sequence is carried out, nothing is reordered, nothing is invisible. Only line feed and tab pass.
import { count } from '../util/text.js';
import { fitToWidth } from './width.js';

/** Controls, format characters (bidi, zero width, tags), lone surrogates, separators, and letters that show nothing. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/gu;

/** Zero-width joiners shape emoji and several scripts, so an answer keeps them. */
const JOINERS = '\u200c\u200d';

/** `text` with every hidden character written out: `\x1b`, `\u202e`, `\u{e0041}`. Zero-width joiners too. */
export function escapeHidden(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(HIDDEN, writeOut);
}

/** As `escapeHidden`, but keeps zero-width joiners. For running text, never for what a person is asked to approve. */
export function escapeAnswer(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(HIDDEN, (character) => (JOINERS.includes(character) ? character : writeOut(character)));
}

function writeOut(character: string): string {
  if (character === '\n' || character === '\t') return character;
  if (character === '\r') return '\\r';
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

/** Escapes text that comes in pieces. */
export interface TextEscaper {
  /** The part of the text that is certain so far, escaped. */
  push(piece: string): string;
  /** What was held back. */
  end(): string;
}

/**
 * An escaper for one streamed text.
 * Contract: whatever the cuts, the outputs joined are what `escapeAnswer` makes of the whole text.
 */
export function createTextEscaper(): TextEscaper {
  let held = '';
  return {
    push(piece) {
      const text = held + piece;
      // A pair of surrogates or a CRLF may be cut in two by the stream.
      const last = text.charCodeAt(text.length - 1);
      const unsure = last === 0x0d || (last >= 0xd800 && last <= 0xdbff);
      held = unsure ? text.slice(-1) : '';
      return escapeAnswer(unsure ? text.slice(0, -1) : text);
    },
    end() {
      const rest = held;
      held = '';
      return escapeAnswer(rest);
    },
  };
}

/** The input fields that say most, in the order in which they are tried. */
const TELLING_FIELDS = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'path', 'question', 'plan'];
const LESS_TELLING_FIELDS = ['description', 'prompt', 'task_id', 'name', 'code'];

/** Raw text that names what the call does; may hold anything the model wrote. Empty for an empty input. */
export function describeInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return input === undefined ? '' : JSON.stringify(input);
  const fields = input as Record<string, unknown>;
  for (const field of TELLING_FIELDS) {
    const value = fields[field];
    if (typeof value !== 'string' || value === '') continue;
    return field === 'pattern' && typeof fields['path'] === 'string' ? `${value} in ${fields['path']}` : value;
  }
  if (typeof fields['skill'] === 'string') return [fields['skill'], fields['args']].filter(Boolean).join(' ');
  const agent = fields['subagent_type'] ?? fields['agent'];
  const task = fields['description'] ?? fields['prompt'];
  if (typeof agent === 'string' && typeof task === 'string') return `${agent}: ${task}`;
  if (Array.isArray(fields['todos'])) return count(fields['todos'].length, 'item');
  if (Array.isArray(fields['questions'])) return describeQuestions(fields['questions']);
  for (const field of LESS_TELLING_FIELDS) {
    const value = fields[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return Object.keys(fields).length === 0 ? '' : JSON.stringify(fields);
}

function describeQuestions(questions: readonly unknown[]): string {
  const texts = questions.map((given) => (given as { question?: unknown } | null)?.question);
  return texts.filter((text) => typeof text === 'string').join(' / ');
}

/** `text` on one line of at most `columns` columns, escaped: line ends shown as `⏎`, runs of white space as one space. */
export function oneLine(text: string, columns: number): string {
  const head = text.trimStart().slice(0, Math.max(columns, 1) * 8);
  const flat = head
    .trim()
    .replace(/\s*\r?\n\s*/g, ' ⏎ ')
    .replace(/[ \t]+/g, ' ');
  return fitToWidth(escapeHidden(flat), columns);
}
