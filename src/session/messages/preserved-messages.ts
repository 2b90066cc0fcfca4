// Which messages a compaction kept word for word, for whoever stores what was streamed. The transcript needs none of it:
// there they are written once more behind the summary, under new ids.
import type { SDKCompactBoundaryMessage } from '../../protocol/system-messages.js';
import type { Message } from './message.js';

type Preserved = Pick<SDKCompactBoundaryMessage['compact_metadata'], 'preserved_segment' | 'preserved_messages'>;

/**
 * @param before the conversation as it was
 * @param kept ids of what is left of it, in order; others mean nothing
 * @param anchor id of the message that they follow
 */
export function preservedMessages(before: readonly Message[], kept: readonly string[], anchor: string): Preserved {
  const places = new Map(before.map(({ uuid }, index) => [uuid, index]));
  const uuids = kept.filter((uuid) => places.has(uuid));
  const tail = uuids.at(-1);
  if (tail === undefined) return {};
  let first = uuids.length - 1;
  const placeOf = (index: number) => places.get(uuids[index] ?? '') ?? Number.NaN;
  while (first > 0 && placeOf(first - 1) === placeOf(first) - 1) first--;
  return {
    preserved_segment: { head_uuid: uuids[first] ?? tail, anchor_uuid: anchor, tail_uuid: tail },
    preserved_messages: { anchor_uuid: anchor, uuids },
  };
}
