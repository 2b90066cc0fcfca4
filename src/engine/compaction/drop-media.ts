// Replaces images and documents by a text that names them. One rule: the model is told what it no longer sees.
import type { DocumentBlock, ImageBlock, MessageParam, TextBlock } from '../../protocol/content.js';
import { formatBytes } from '../../util/format-bytes.js';
import { shorten, toWellFormed } from '../../util/text.js';
import { mapBlocks, mapMedia } from '../map-blocks.js';

export interface MediaDropped {
  /** The same array where there was nothing to drop. Untouched messages keep their identity. */
  readonly messages: readonly MessageParam[];
  readonly dropped: number;
}

/** Drops all media of the messages that `mayDrop` chooses, also from tool results. */
export function dropMedia(
  messages: readonly MessageParam[],
  mayDrop: (message: MessageParam, index: number) => boolean,
): MediaDropped {
  let dropped = 0;
  const mapped = mapBlocks(messages, (block, message, index) => {
    if (!mayDrop(message, index)) return block;
    return mapMedia(block, (media) => {
      dropped++;
      return mediaStub(media);
    });
  });
  return { messages: mapped, dropped };
}

function mediaStub(media: ImageBlock | DocumentBlock): TextBlock {
  const kind = media.type === 'image' ? 'An image' : 'A document';
  const facts = factsOf(media).join(', ');
  const named = facts === '' ? kind : `${kind} (${facts})`;
  return { type: 'text', text: `[${named} was removed to save space. Ask for it, or read it, again if needed.]` };
}

function factsOf(media: ImageBlock | DocumentBlock): string[] {
  const facts: string[] = [];
  if (media.type === 'document' && typeof media.title === 'string') facts.push(oneLine(media.title));
  // The block may come from a damaged file, whatever its type says.
  const source = media.source as unknown as Record<string, unknown> | null | undefined;
  if (typeof source !== 'object' || source === null) return facts;
  if (source.type === 'url') return [...facts, oneLine(String(source.url))];
  if (typeof source.media_type === 'string') facts.push(oneLine(source.media_type));
  if (typeof source.data === 'string') {
    facts.push(formatBytes(source.type === 'text' ? source.data.length : Math.floor((source.data.length * 3) / 4)));
  }
  return facts;
}

function oneLine(text: string): string {
  return toWellFormed(shorten(text.slice(0, 1_000), 120));
}
