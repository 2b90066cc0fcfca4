// The text that stands for an image or document that is not sent. One rule: it names what is gone, and why.
import type { DocumentBlock, ImageBlock, TextBlock } from '../../../protocol/content.js';
import { formatBytes } from '../../../util/format-bytes.js';
import { shorten, toWellFormed } from '../../../util/text.js';

export type MediaBlock = ImageBlock | DocumentBlock;

/** @param why what follows the name, as "was left out: it is too large" */
export function mediaStub(media: MediaBlock, why: string): TextBlock {
  const kind = media.type === 'image' ? 'An image' : 'A document';
  const facts = describeMedia(media);
  return { type: 'text', text: `[${facts === '' ? kind : `${kind} (${facts})`} ${why}.]` };
}

/** Title or address, type and size: "plan.pdf, application/pdf, 2.1 MB"; empty if nothing is known. */
export function describeMedia(media: MediaBlock): string {
  const facts: string[] = [];
  if (media.type === 'document' && typeof media.title === 'string') facts.push(oneLine(media.title));
  // The block may come from a damaged file, whatever its type says.
  const source = media.source as unknown as Record<string, unknown> | null | undefined;
  if (typeof source !== 'object' || source === null) return facts.join(', ');
  if (source.type === 'url') return [...facts, oneLine(String(source.url))].join(', ');
  if (typeof source.media_type === 'string') facts.push(oneLine(source.media_type));
  if (typeof source.data === 'string') {
    facts.push(formatBytes(source.type === 'text' ? source.data.length : decodedLength(source.data)));
  }
  return facts.join(', ');
}

/** Bytes that base64 of that form stands for. */
export function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

function oneLine(text: string): string {
  return toWellFormed(shorten(text.slice(0, 1_000), 120));
}
