// Prompts that come one by one, as the stream that a query reads.
import type { SDKUserMessage } from '../../protocol/messages.js';

/** Contract: for one reader; what is pushed is read once, in order. */
export interface PromptStream extends AsyncIterable<SDKUserMessage> {
  push(message: SDKUserMessage): void;
  /** Nothing follows; what waits is still read. */
  end(): void;
}

export function createPromptStream(): PromptStream {
  const waiting: SDKUserMessage[] = [];
  let isOver = false;
  let wake: () => void = () => undefined;
  return {
    push(message) {
      waiting.push(message);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (isOver) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
