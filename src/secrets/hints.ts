// How a text is known that may hold a secret, without a look at most of it, and before the families are loaded. Data: each
// family of `find-secrets.ts` has its hint here.
import { someLongRun } from './long-runs.js';

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
