// The prompts of one session, given one by one to the engine that reads them.
import type { SDKUserMessage } from '../../protocol/messages.js';

export interface Inbox extends AsyncIterable<SDKUserMessage> {
  push(message: SDKUserMessage): void;
  /** Nothing follows. */
  end(): void;
}

export function createInbox(): Inbox {
  const messages: SDKUserMessage[] = [];
  let isOver = false;
  let wake: () => void = () => undefined;
  return {
    push(message) {
      messages.push(message);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = messages.shift();
        if (next !== undefined) {
          yield next;
          continue;
        }
        if (isOver) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
