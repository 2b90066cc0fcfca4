// Serialised forms, found again by the identity of what they are of. Rule: nothing is kept alive by being known here.
import type { TextBlock } from '../../protocol/content.js';

export interface KeptTexts {
  /** The text of `item`, written once. Contract: `item` is never changed. */
  keep<T extends object>(item: T, write: (item: T) => string): string;
  /** Forgets all where the texts were written for another model. */
  forModel(model: string): void;
}

export function createKeptTexts(): KeptTexts {
  let kept = new WeakMap<object, string>();
  let keptFor: string | null = null;
  return {
    keep(item, write) {
      const known = kept.get(item);
      if (known !== undefined) return known;
      const text = write(item);
      kept.set(item, text);
      return text;
    },
    forModel(model) {
      if (keptFor !== null && keptFor !== model) kept = new WeakMap();
      keptFor = model;
    },
  };
}

/** The system prompt as one JSON string, its blocks as paragraphs; null if there is none. */
export function writeSystemText(blocks: readonly TextBlock[], kept: KeptTexts): string | null {
  const texts = blocks
    .filter((block) => block.text !== '')
    .map((block) => kept.keep(block, ({ text }) => JSON.stringify(text).slice(1, -1)));
  return texts.length === 0 ? null : `"${texts.join('\\n\\n')}"`;
}
