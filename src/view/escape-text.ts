// Makes hidden characters visible. Text of a model or a tool reaches a terminal only through here: no escape
// sequence is carried out, nothing is reordered, nothing is invisible. Only line feed and tab pass.

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
