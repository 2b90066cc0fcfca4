// Instructions that came beside tool results, so that a compaction keeps them. One rule: the conversation alone says which
// they are, so it is the same after a resume.
import type { PinRoom } from '../../engine/compaction/index.js';
import { readInstructionsNote } from '../../engine/state/index.js';
import type { MessageParam, UserBlock } from '../../protocol/content.js';

/** Each text as it was told last. If they are longer than fits, those that were told last stay, and the others are named. */
export function pinnedInstructions(
  conversation: readonly MessageParam[],
  { maxTokens, estimator }: PinRoom,
): readonly string[] {
  const texts = [...instructionNotes(conversation)].reverse();
  const kept: string[] = [];
  const left: string[] = [];
  let room = maxTokens;
  for (const [source, { text }] of texts) {
    const tokens = estimator.text(text);
    if (tokens > room) left.unshift(source);
    else {
      kept.unshift(text);
      room -= tokens;
    }
  }
  if (left.length === 0) return kept;
  return [
    ...kept,
    `Instruction files that hold for folders you worked in, and whose texts are too long to be kept: ${left.join(', ')}. Read them before you go on there.`,
  ];
}

/** By source, in the order they were told: the text, and the message that has it. */
export function instructionNotes(
  conversation: readonly MessageParam[],
): ReadonlyMap<string, { readonly text: string; readonly by: MessageParam }> {
  const found = new Map<string, { readonly text: string; readonly by: MessageParam }>();
  for (const by of conversation) {
    // What a resumed conversation holds may have any shape.
    if (by.role !== 'user' || !Array.isArray(by.content)) continue;
    for (const block of by.content as readonly (UserBlock | null)[]) {
      if (block?.type !== 'text' || typeof block.text !== 'string') continue;
      const source = readInstructionsNote(block.text);
      if (source === null) continue;
      found.delete(source);
      found.set(source, { text: block.text, by });
    }
  }
  return found;
}
