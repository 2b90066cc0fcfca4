// What stands in a request for an image or document that its API cannot take. Rule: the model is told what is missing, so
// that it does not answer as if it had seen it.
import type { DocumentBlock, ImageBlock } from '../../protocol/content.js';

/** @param why what the API cannot take, as half a sentence */
export function leftOut(block: ImageBlock | DocumentBlock, why: string): string {
  return `[${describe(block)} is not shown: ${why}]`;
}

/** "The image (image/png, 12 KB)". */
function describe(block: ImageBlock | DocumentBlock): string {
  const { type, source } = block;
  const title = type === 'document' && block.title ? ` "${block.title.slice(0, 200)}"` : '';
  if (source.type === 'url') return `The ${type}${title} at ${source.url.slice(0, 500)}`;
  const size = source.type === 'base64' ? (source.data.length * 3) / 4 : source.data.length;
  return `The ${type}${title} (${source.media_type.slice(0, 60)}, ${Math.ceil(size / 1_024)} KB)`;
}

/** The text of a document that is one; null for any other. */
export function documentText(block: DocumentBlock): string | null {
  if (block.source.type !== 'text') return null;
  return block.title ? `${block.title}\n\n${block.source.data}` : block.source.data;
}

/** A file name for a document; the API wants one with the right ending. */
export function pdfName(block: DocumentBlock): string {
  const title =
    (block.title ?? '')
      .replace(/[^\p{L}\p{N} ._-]/gu, '')
      .trim()
      .slice(0, 100) || 'document';
  return /\.pdf$/i.test(title) ? title : `${title}.pdf`;
}

/** True for a document whose bytes are a PDF. */
export function isPdf(block: DocumentBlock): boolean {
  return block.source.type === 'base64' && block.source.media_type === 'application/pdf';
}
