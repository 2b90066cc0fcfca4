// How a text is known that may hold a secret, without a look at most of it, and before the families are loaded: by the beginnings of
// its long words, and by words that may be base64 of something that can be read. Each family of `find-secrets.ts` has its hint here.

/**
 * The first long word of a secret begins so: by its first character, because to compile all of them at once would cost each start
 * two milliseconds, and most words are looked up in none or one of these.
 */
export const STARTS: Readonly<Record<string, string>> = {
  A: 'AKIA|ASIA|ABIA|ACCA|AWS_SECRET|AIza|AKID|AQVN|ATBB|AT[AC]TT3|AKCp|AGE-SECRET-KEY-1',
  C: 'CLOJARS_|CFPAT-',
  E: 'EAAA|EAACEdEose0cBA|EZ[AT]K',
  G: 'GOCSPX-|GR1348941',
  H: 'HRKU-AA',
  L: 'LTAI',
  N: 'NR(?:AK|JS|II|AL)-',
  P: 'PMAK-|PuTTY-User-Key-File',
  S: 'SK',
  a: 'api_org_',
  c: 'cio',
  d: 'do[opr]_v1_|dapi|dckr_(?:pat|oat)_',
  e: 'eyJ',
  f: 'fw_|fo1_|fm[12][ar]?_|figd_',
  g: 'gsk_|gh[pousr]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-|glsa_|glc_',
  h: 'hf_',
  k: 'key-',
  l: 'lin_(?:api|oauth)_',
  n: 'nvapi-|nfp_|npm_|ntn_',
  o: 'oy2',
  p: 'pplx-|pscale_(?:tkn|pw|oauth)_|pul-|pypi-AgE|pk_(?:live|test)_',
  r: 'r8_|rubygems_|rk_(?:live|test)_|re_',
  s: 'sk-|sk_|sbp_|sb_secret_|sgp_|sntrys_|sntryu_|sq0(?:atp|csp|idp)-|shp(?:at|ca|pa|ss|tka)_|secret_',
  t: 'tskey-|tfp_',
  w: 'whsec_',
  x: 'xai-|xox[abeoprs]-|xapp-|xkeysib-',
};
/** What some begin with, in front of `-us`. */
const HEX = /^[0-9a-f]{32}/;

/** This stands right before that word. */
const STAND_BEFORE = [
  'ya29\\.',
  '1//',
  'Q~',
  'v1\\.',
  '\\.atlasv1\\.',
  'hv[sbr]\\.',
  'dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{1,40}\\.)?',
  'dt0[a-z][0-9]{2}\\.',
  'hooks\\.slack\\.com/.{10,40}/',
  'webhooks/[0-9]{15,22}/',
  '\\.[A-Za-z0-9_-]{6}\\.',
  '[0-9]{8,10}:',
  'SG\\.',
  'pat[A-Za-z0-9]{14}\\.',
  'sl\\.',
  'Basic\\s{1,4}',
];
/** A secret that need not have a long word in it says what it is by one of these: few, as each is looked for in every text. */
const MARKERS =
  /(?:[Kk]ey|KEY|oken|OKEN|ecret|ECRET|ass(?:wo?rd|wd|phrase)|ASS(?:WO?RD|WD|PHRASE)|edential|EDENTIAL)["'`\\]{0,4}\s{0,8}[:=][>=]?\s{0,8}["'`\\]{0,4}[\w+\\/.~=-]{16}|PRIVATE KEY|Private-Lines|hooks\.slack\.com|webhooks\/[0-9]{15}|[0-9]Q~[\w.~-]{31}|whsec_|Basic\s{1,4}[\w+/=\\]{12}|earer\s{1,4}[\w.~+/=-]{20}|(?:KEY|TOKEN|SECRET|PASSW(?:OR)?D)\W[\dm\W]{0,25}[\w+\\/-]{20}|sntrys_|ya29\.|pscale_|tfp_|glc_|fm[12][ar]?_|:\\\/\\\//;
const LOGIN = /:\/\/[^\s:/@]{0,64}:[^\s/@]{3,128}@/;

const START = new Map(Object.entries(STARTS).map(([first, starts]) => [first, new RegExp(`^(?:${starts})`)]));
const BEFORE = new RegExp(`(?:${STAND_BEFORE.join('|')})$`);
/** What stands before a long word may say what it is. Characters. */
const LOOKED_BACK = 64;
/** As much of the word is looked at. */
const HEAD = 64;
/** What may end the text before a secret: a space or line end after a word, a quote, a point. */
const SAYS_SOMETHING = new Set(' \t.=:"\'/~');

/** Text of two or four bytes a character that was read as one of one: not any NUL, as images are full of them. */
const WIDE = /(?:[\t\n\r -~]\0{1,3}){8}/;

/** True if a text has a word that tells of a secret, wherever that stands. */
export function isMarked(text: string): boolean {
  return MARKERS.test(text) || (text.includes('\0') && WIDE.test(text));
}

const begins = (word: string): boolean =>
  START.get(word[0] ?? '')?.test(word) === true || (word.startsWith('-us', 32) && HEX.test(word));

const HEX_PAIR = /^[0-9A-Fa-f]{2}/;

/**
 * True if a word begins as a secret does, be it behind what stands for a character before it: of an escape sequence, or of a
 * line of a patch. That is `-`, one of `nrtbf`, the end of a colour (`31m`), `u0009`, `x09` or `09`.
 */
function startsAsSecret(word: string): boolean {
  if (begins(word)) return true;
  const first = word[0] ?? '';
  if ('-nrtbf'.includes(first) && begins(word.slice(1))) return true;
  for (let digits = 0; digits <= 3; digits++) {
    if ('mK'.includes(word[digits] ?? ' ') && begins(word.slice(digits + 1))) return true;
    if (!/[0-9]/.test(word[digits] ?? '')) break;
  }
  if (first === 'u' && word.startsWith('u00') && HEX_PAIR.test(word.slice(3)) && begins(word.slice(5))) return true;
  if (first === 'x' && HEX_PAIR.test(word.slice(1)) && begins(word.slice(3))) return true;
  return HEX_PAIR.test(word) && begins(word.slice(2));
}

/** True if a long word of a text, or what stands before it, is as in some family. */
export function isHinted(text: string, start: number, end: number): boolean {
  const previous = text[start - 1] ?? '';
  if (startsAsSecret(text.slice(start, Math.min(end, start + HEAD)))) return true;
  return SAYS_SOMETHING.has(previous) && BEFORE.test(text.slice(Math.max(0, start - LOOKED_BACK), start));
}

/** False if the text surely has no secret of a known shape. Not as sure of the others as a finder is. */
export function isSuspect(text: string): boolean {
  return (
    isMarked(text) ||
    (text.includes('://') && LOGIN.test(text)) ||
    someLongRun(text, (start, end) => isHinted(text, start, end))
  );
}

const LONG = 20;
const IS_WORD = charactersOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-');

export function hasLongRun(text: string): boolean {
  return someLongRun(text, () => true);
}

/** A table of characters below 128. */
function charactersOf(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

/**
 * True once `test` is, of the runs of at least 20 characters in order.
 * @param test gets the start of a run, and the place behind its last character
 */
export function someLongRun(text: string, test: (start: number, end: number) => boolean): boolean {
  return someRun(text, IS_WORD, LONG, test);
}

/** As `someLongRun`, of runs of at least `long` characters of a table. */
function someRun(
  text: string,
  table: Uint8Array,
  long: number,
  test: (start: number, end: number) => boolean,
): boolean {
  const { length } = text;
  // Whatever run of that length ends behind this place has a character here: a step of as many misses none.
  let at = long - 1;
  while (at < length) {
    if (table[text.charCodeAt(at)] !== 1) {
      at += long;
      continue;
    }
    let start = at;
    while (start > 0 && table[text.charCodeAt(start - 1)] === 1) start -= 1;
    let end = at + 1;
    while (end < length && table[text.charCodeAt(end)] === 1) end += 1;
    if (end - start >= long && test(start, end)) return true;
    at = end + long;
  }
  return false;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Of 18 bytes: shorter texts are looked for only if they are known. */
const SHORTEST = 24;
/** Nine bytes: wherever a text of 18 bytes begins, one such piece of it is all text. */
const PIECE = 12;

/** The value of each character of base64, in both alphabets, and 1 for each in `IS_BASE64`. */
const VALUES = new Uint8Array(128);
export const IS_BASE64 = new Uint8Array(128);
for (const [value, character] of [...ALPHABET].entries()) set(character, value);
set('-', 62);
set('_', 63);

function set(character: string, value: number): void {
  VALUES[character.charCodeAt(0)] = value;
  IS_BASE64[character.charCodeAt(0)] = 1;
}

/** True once `test` is, of the words of a text that may be such base64. */
export function someEncodedText(text: string, test: (start: number, end: number) => boolean): boolean {
  return someRun(text, IS_BASE64, SHORTEST, (start, end) => readsAsText(text, start, end) && test(start, end));
}

/** Nobody knows with which of four characters the encoded text begins, as words may stand right before it. */
function readsAsText(text: string, start: number, end: number): boolean {
  for (let from = start; from < start + 4; from++) {
    for (let at = from; at + PIECE <= end; at += PIECE) {
      if (isText(text, at)) return true;
    }
  }
  return false;
}

function isText(text: string, start: number): boolean {
  for (let at = start; at < start + PIECE; at += 4) {
    const [a, b, c, d] = [valueAt(text, at), valueAt(text, at + 1), valueAt(text, at + 2), valueAt(text, at + 3)];
    if (!isReadable((a << 2) | (b >> 4)) || !isReadable(((b & 15) << 4) | (c >> 2)) || !isReadable(((c & 3) << 6) | d))
      return false;
  }
  return true;
}

function valueAt(text: string, at: number): number {
  return VALUES[text.charCodeAt(at)] ?? 0;
}

/** ASCII: space to tilde, tab and line ends. */
function isReadable(byte: number): boolean {
  return (byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13;
}
