// What can be told of a PDF without reading it as one: its pages, and whether it needs a password. One rule: the work
// is bounded by the file's length, whatever stands in it.

export interface PdfFacts {
  readonly isPdf: boolean;
  readonly isEncrypted: boolean;
  /** Null if the page tree is compressed, and the file does not say elsewhere. */
  readonly pages: number | null;
}

/** A PDF may have this many bytes before its mark. */
const MAX_BEFORE_MARK = 1_024;
/** Page tree nodes looked at, and how far around the name of one its dictionary may reach, characters. */
const MAX_NODES = 200;
const MAX_DICTIONARY = 64 * 1_024;

/** @param bytes one character each */
export function readPdfFacts(bytes: string): PdfFacts {
  const isPdf = bytes.slice(0, MAX_BEFORE_MARK).includes('%PDF-');
  if (!isPdf) return { isPdf, isEncrypted: false, pages: null };
  return { isPdf, isEncrypted: /\/Encrypt\s*(?:\d|<<)/.test(bytes), pages: pagesSaid(bytes) ?? pagesOfTree(bytes) };
}

/** A file made for the web says its number of pages in its first object. */
function pagesSaid(bytes: string): number | null {
  const start = bytes.slice(0, MAX_BEFORE_MARK * 2);
  if (!start.includes('/Linearized')) return null;
  const match = /\/N\s+(\d{1,7})\b/.exec(start);
  return match === null ? null : Number(match[1]);
}

/** The root of the page tree counts all pages; of a file that was saved again, the largest node is the root. */
function pagesOfTree(bytes: string): number | null {
  let most: number | null = null;
  let at = -1;
  for (let node = 0; node < MAX_NODES; node++) {
    at = bytes.indexOf('/Pages', at + 1);
    if (at < 0) break;
    if (!/\/Type\s*$/.test(bytes.slice(Math.max(0, at - 20), at))) continue;
    const match = /\/Count\s+(\d{1,7})\b/.exec(dictionaryAround(bytes, at));
    if (match !== null) most = Math.max(most ?? 0, Number(match[1]));
  }
  return most;
}

function dictionaryAround(bytes: string, at: number): string {
  const before = bytes.slice(Math.max(0, at - MAX_DICTIONARY), at);
  const after = bytes.slice(at, at + MAX_DICTIONARY);
  const end = after.indexOf('>>');
  return before.slice(Math.max(0, before.lastIndexOf('<<'))) + (end < 0 ? after : after.slice(0, end));
}
