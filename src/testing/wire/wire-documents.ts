// Checks of one document source: a PDF by its beginning, its password and its page tree, or text, or an address.
import { checkBase64 } from './wire-images.js';
import { isRecord, type JsonRecord } from './wire-json.js';
import type { Report } from './wire-violation.js';

/** Pages of all PDFs of a request. */
export const MAX_PAGES = 100;

/**
 * Checks `document.source`.
 * @returns the pages of a PDF, as far as the file says without being unpacked; else 0
 */
export function checkDocumentSource(source: unknown, path: string, report: Report): number {
  const problem = isRecord(source) ? findProblem(source) : 'A document needs a source object';
  if (problem !== null) {
    report('document_invalid', path, problem);
    return 0;
  }
  if (!isRecord(source) || source['type'] !== 'base64') return 0;
  const bytes = Buffer.from(String(source['data']), 'base64').toString('latin1');
  if (!bytes.slice(0, 1024).includes('%PDF-')) {
    report('document_invalid', `${path}.data`, 'The PDF specified was not valid');
    return 0;
  }
  if (/\/Encrypt\s*(\d|<<)/.test(bytes)) report('document_encrypted', `${path}.data`, 'The PDF is password protected');
  return countPages(bytes);
}

function findProblem(source: JsonRecord): string | null {
  const { type, media_type: mediaType, data, url } = source;
  if (type === 'base64') {
    if (mediaType !== 'application/pdf') return 'A base64 document must be application/pdf';
    return checkBase64(data) ? null : 'Not valid base64';
  }
  if (type === 'text') {
    const isText = mediaType === 'text/plain' && typeof data === 'string' && data !== '';
    return isText ? null : 'A text document must be non-empty text/plain';
  }
  if (type === 'url' && typeof url === 'string' && /^https?:\/\//.test(url)) return null;
  return 'A document source must be base64, text or an http(s) URL';
}

/** The largest count that a node of the page tree gives; if none is readable, the pages that are. */
function countPages(bytes: string): number {
  let most = 0;
  for (const dictionary of bytes.split('<<')) {
    const end = dictionary.indexOf('>>');
    const text = end === -1 ? dictionary : dictionary.slice(0, end);
    if (/\/Type\s*\/Pages/.test(text)) most = Math.max(most, Number(/\/Count\s+(\d+)/.exec(text)?.[1] ?? 0));
  }
  return most;
}
