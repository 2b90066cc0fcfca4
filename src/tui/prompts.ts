// What is sent to the session: a stream of prompts that ends when the person leaves.
import type { SDKUserMessage } from '../protocol/messages.js';

export interface Prompts extends AsyncIterable<SDKUserMessage> {
  send(message: SDKUserMessage): void;
  /** No more come: the session ends once it has done what is there. */
  end(): void;
}

export function createPrompts(): Prompts {
  const waiting: SDKUserMessage[] = [];
  let hasEnded = false;
  let wake = (): void => undefined;
  return {
    send(message) {
      waiting.push(message);
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (hasEnded) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
