// The last answers of the model, for copying.
import type { SDKMessage } from '../../protocol/messages.js';

const KEPT = 20;

export interface Answers {
  hear(message: SDKMessage): void;
  /** 1 is the last; null if there is none. */
  nth(n: number): string | null;
  readonly size: number;
}

export function createAnswers(): Answers {
  let answers: { readonly id: string; readonly text: string }[] = [];
  return {
    hear(message) {
      if (message.type !== 'assistant' || message.parent_tool_use_id !== null) return;
      const { id, content } = message.message;
      const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
      if (text.trim() === '') return;
      const last = answers.at(-1);
      // A reply may come as several messages.
      if (last?.id === id) answers = [...answers.slice(0, -1), { id, text: `${last.text}\n${text}` }];
      else answers = [...answers.slice(-KEPT + 1), { id, text }];
    },
    nth: (n) => (Number.isInteger(n) && n >= 1 ? (answers.at(-n)?.text ?? null) : null),
    get size() {
      return answers.length;
    },
  };
}
