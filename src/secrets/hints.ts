// How a text is known that may hold a secret, without a look at most of it, and before the families are loaded. Data: each
// family of `secret-families.ts` has its hint here.
import { someLongRun } from './long-runs.js';

/** The first long word of a secret begins so. */
const STARTS = [
  'sk-|gsk_|pplx-|xai-|r8_|hf_|api_org_|nvapi-|fw_|sk_|(?:AKIA|ASIA|ABIA|ACCA)|AWS_SECRET|AIza|GOCSPX-',
  'do[opr]_v1_|HRKU-AA|LTAI|AKID|AQVN|fo1_|fm[12][ar]?_|nfp_|sbp_|sb_secret_|pscale_(?:tkn|pw|oauth)_|dapi',
  'pul-|tskey-|dckr_(?:pat|oat)_|gh[pousr]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-',
  'GR1348941|ATBB|AT[AC]TT3|npm_|pypi-AgE|rubygems_|cio|oy2|CLOJARS_|AKCp|sgp_|lin_(?:api|oauth)_|sntrys_',
  'sntryu_|NR(?:AK|JS|II|AL)-|glsa_|glc_|PMAK-|xox[abeoprs]-|xapp-|[srp]k_(?:live|test)_|whsec_',
  'sq0(?:atp|csp|idp)-|EAAA|EAACEdEose0cBA|shp(?:at|ca|pa|ss|tka)_|SK|key-|[0-9a-f]{32}-us|xkeysib-|re_',
  '(?:secret|ntn)_|figd_|CFPAT-|tfp_|EZ[AT]K|AGE-SECRET-KEY-1|PuTTY-User-Key-File|eyJ',
];
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
/** What stands for a character before a word seems to be its beginning: of an escape sequence, or of a line of a patch. */
const ESCAPED = '(?:-|[nrtbf]|[0-9]{0,3}[mK]|u00[0-9A-Fa-f]{2}|x?[0-9A-Fa-f]{2})?';
const LOGIN = /:\/\/[^\s:/@]{0,64}:[^\s/@]{3,128}@/;

const START = new RegExp(`^${ESCAPED}(?:${STARTS.join('|')})`);
const BEFORE = new RegExp(`(?:${STAND_BEFORE.join('|')})$`);
/** What stands before a long word may say what it is. Characters. */
const LOOKED_BACK = 64;
/** As much of the word is looked at. */
const HEAD = 64;
/** What may end the text before a secret: a space or line end after a word, a quote, a point. */
const SAYS_SOMETHING = new Set(' \t.=:"\'/~');

/** Text of two or four bytes a character that was read as one of one: not any NUL, as images are full of them. */
const WIDE = /(?:[\t\n\r -~]\0{1,3}){8}/;

/** True where a text has a word that tells of a secret, wherever that stands. */
export function isMarked(text: string): boolean {
  return MARKERS.test(text) || (text.includes('\0') && WIDE.test(text));
}

/** True where a long word of a text, or what stands before it, is as in some family. */
export function isHinted(text: string, start: number, end: number): boolean {
  const previous = text[start - 1] ?? '';
  if (START.test(text.slice(start, Math.min(end, start + HEAD)))) return true;
  return SAYS_SOMETHING.has(previous) && BEFORE.test(text.slice(Math.max(0, start - LOOKED_BACK), start));
}

/** False where the text surely has no secret of a known shape. Not as sure of the others as a finder is. */
export function isSuspect(text: string): boolean {
  return (
    isMarked(text) ||
    (text.includes('://') && LOGIN.test(text)) ||
    someLongRun(text, (start, end) => isHinted(text, start, end))
  );
}
