// Replaces images and documents by a text that names them. One rule: the model is told what it no longer sees.
import type { MessageParam } from '../../protocol/content.js';
import { mapBlocks, mapMedia, mediaStub } from '../history/index.js';

export interface MediaDropped {
  /** The same array if there was nothing to drop. Untouched messages keep their identity. */
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
      return mediaStub(media, 'was removed to save space. Ask for it, or read it, again if needed');
    });
  });
  return { messages: mapped, dropped };
}
