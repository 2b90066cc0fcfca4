// How many tokens a text costs, without a vocabulary. One rule: a text is read once, as the pieces that byte-pair
// vocabularies cut it into, and each kind of piece has its price.

/** Longer texts are judged by this many characters, in evenly spread pieces. */
const SAMPLE_CHARACTERS = 64 * 1024;
const SAMPLE_PIECES = 16;

/** Tokens of a text by a vocabulary of 200,000, not rounded; 0 for what is no text. */
export function measureText(text: unknown): number {
  if (typeof text !== 'string' || text === '') return 0;
  if (text.length <= SAMPLE_CHARACTERS) return Math.max(1, countPiece(text, 0, text.length) / ONE);
  const size = SAMPLE_CHARACTERS / SAMPLE_PIECES;
  let counted = 0;
  for (let piece = 0; piece < SAMPLE_PIECES; piece++) {
    const start = Math.floor(((text.length - size) * piece) / (SAMPLE_PIECES - 1));
    counted += countPiece(text, start, start + size);
  }
  return ((counted / ONE) * text.length) / SAMPLE_CHARACTERS;
}

// Tokens per piece, fitted to o200k over 46 texts of prose, source, JSON, logs, paths, hashes, base64 and twelve
// languages (docs/decisions/0020-estimating-tokens.md). In thousandths, for whole numbers cost no memory: a request's tools and
// texts come to tens of thousands of pieces.
const ONE = 1_000;
const PER_WORD = 990;
/** More for a word that is glued to what is before it: part of a path, of a name in camel case. */
const PER_GLUE = 190;
/** Letters of a word beyond the fourth, and beyond the twelfth. */
const PER_LATER_LETTER = 70;
const PER_LATE_LETTER = 470;
const LATER = 4;
const LATE = 12;
/** A letter with an accent. */
const PER_ACCENT = 960;
/** Up to three digits. */
const PER_DIGITS = 1_140;
const PER_MARKS = 830;
const PER_FURTHER_MARK = 300;
const PER_LINES = 1_270;
/** Several blanks, or one before a digit; any other is part of what follows. */
const PER_BLANKS = 880;
/** Of texts that are no words: base64, and hexadecimal. */
const PER_DENSE = 680;
const PER_HEX = 590;
const PER_OTHER_WORD = 980;
const PER_OTHER_LETTER = 97;
const PER_HAN = 740;
const PER_KANA = 640;
const PER_HANGUL = 680;
/** Half a character beyond the first 65,536, an emoji for instance; and any other sign. */
const PER_HALF = 1_010;
const PER_OTHER = 980;

/** Letters and digits in one run are no words if they are at least this many, and change their kind this often. */
const DENSE_RUN = 16;
const DENSE_CHANGES = 0.28;
/** Base64 has capitals. */
const DENSE_CAPITALS = 0.1;

// Kinds of characters; up to DIGIT those of which base64 and names are made.
const SMALL = 1;
const CAPITAL = 2;
const DIGIT = 3;
const BLANK = 4;
const LINE = 5;
const MARK = 6;
const ACCENT = 7;
const OTHER_LETTER = 8;
const HAN = 9;
const KANA = 10;
const HANGUL = 11;
const HALF = 12;
const OTHER = 13;

const ASCII: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return SMALL;
  if (/[A-Z]/.test(character)) return CAPITAL;
  if (/[0-9]/.test(character)) return DIGIT;
  if (code === 10 || code === 13) return LINE;
  return code <= 32 ? BLANK : MARK;
});

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 128) return ASCII[code] ?? MARK;
  if (code < 0x250) return code < 0xc0 ? MARK : ACCENT;
  if (code < 0x2000) return OTHER_LETTER;
  if (code >= 0x3041 && code <= 0x30ff) return KANA;
  if (code >= 0x3400 && code <= 0x9fff) return HAN;
  if (code >= 0xac00 && code <= 0xd7af) return HANGUL;
  return code >= 0xd800 && code <= 0xdfff ? HALF : OTHER;
}

function isLetter(kind: number): boolean {
  return kind === SMALL || kind === CAPITAL || kind === ACCENT;
}

/** Counts `text` from `start` to `end`, run by run. Thousandths of a token, as every price here. */
function countPiece(text: string, start: number, end: number): number {
  let tokens = 0;
  let at = start;
  let denseKnownTo = start;
  while (at < end) {
    const kind = kindAt(text, at);
    if (kind <= DIGIT && at >= denseKnownTo) {
      denseKnownTo = endOfDense(text, at, end);
      const dense = priceDense(text, at, denseKnownTo);
      if (dense > 0) {
        tokens += dense;
        at = denseKnownTo;
        continue;
      }
    }
    const runEnd = isLetter(kind) ? endOfWord(text, at, end, kind) : endOfRun(text, at, end, kind);
    tokens += priceRun(text, at, runEnd, end, kind);
    at = runEnd;
  }
  return tokens;
}

function priceRun(text: string, at: number, runEnd: number, end: number, kind: number): number {
  const length = runEnd - at;
  switch (kind) {
    case SMALL:
    case CAPITAL:
    case ACCENT:
      return priceWord(text, at, runEnd);
    case DIGIT:
      return Math.ceil(length / 3) * PER_DIGITS;
    case LINE:
      return PER_LINES;
    case BLANK:
      return length > 1 || (runEnd < end && kindAt(text, runEnd) === DIGIT) ? PER_BLANKS : 0;
    case MARK: {
      // The mark before a word is part of it.
      const own = runEnd < end && isLetter(kindAt(text, runEnd)) ? length - 1 : length;
      return own === 0 ? 0 : PER_MARKS + (own - 1) * PER_FURTHER_MARK;
    }
    case OTHER_LETTER:
      return PER_OTHER_WORD + length * PER_OTHER_LETTER;
    case HAN:
      return length * PER_HAN;
    case KANA:
      return length * PER_KANA;
    case HANGUL:
      return length * PER_HANGUL;
    case HALF:
      return length * PER_HALF;
    default:
      return length * PER_OTHER;
  }
}

function priceWord(text: string, at: number, wordEnd: number): number {
  const length = wordEnd - at;
  let tokens = isGlued(text, at) ? PER_WORD + PER_GLUE : PER_WORD;
  if (length > LATER) tokens += (Math.min(length, LATE) - LATER) * PER_LATER_LETTER;
  if (length > LATE) tokens += (length - LATE) * PER_LATE_LETTER;
  for (let letter = at; letter < wordEnd; letter++) if (text.charCodeAt(letter) >= 128) tokens += PER_ACCENT;
  return Math.min(tokens, Math.max(PER_WORD, length * ONE));
}

function isGlued(text: string, at: number): boolean {
  if (at === 0) return false;
  const before = kindAt(text, at - 1);
  return isLetter(before) || before === MARK || before === DIGIT;
}

/** A word ends before a capital that follows a small letter. */
function endOfWord(text: string, start: number, end: number, first: number): number {
  let before = first;
  let at = start + 1;
  for (; at < end; at++) {
    const kind = kindAt(text, at);
    if (!isLetter(kind) || (kind === CAPITAL && before !== CAPITAL)) break;
    before = kind;
  }
  return at;
}

/** The first place that is of another kind. Blanks behind a line break belong to it. */
function endOfRun(text: string, start: number, end: number, kind: number): number {
  let at = start + 1;
  for (; at < end; at++) {
    const next = kindAt(text, at);
    if (next !== kind && !(kind === LINE && next === BLANK)) break;
  }
  return at;
}

/** The end of the run of letters, digits and what base64 and paths have between them. */
function endOfDense(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && (kindAt(text, at) <= DIGIT || isJoiner(text.charCodeAt(at)))) at++;
  return at;
}

/** What such a run costs that is base64, a hash, an id; 0 if it is made of words. */
function priceDense(text: string, start: number, end: number): number {
  const length = end - start;
  if (length < DENSE_RUN) return 0;
  let before = 0;
  let changes = 0;
  let capitals = 0;
  for (let at = start; at < end; at++) {
    const kind = kindAt(text, at);
    const isTitle = before === CAPITAL && kind === SMALL;
    if (kind <= DIGIT && before !== 0 && kind !== before && !isTitle) changes++;
    if (kind === CAPITAL) capitals++;
    before = kind <= DIGIT ? kind : 0;
  }
  if (changes < length * DENSE_CHANGES) return 0;
  return length * (capitals > length * DENSE_CAPITALS ? PER_DENSE : PER_HEX);
}

/** One of `+ - / = _`. */
function isJoiner(code: number): boolean {
  return code === 43 || code === 45 || code === 47 || code === 61 || code === 95;
}
