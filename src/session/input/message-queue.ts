// Messages of the user that wait while a prompt runs: for the place between two turns, or to be a prompt of their own.
// One rule: what is pushed is taken once, or still here.
import type { MessagePriority, SDKMessageOrigin } from '../../protocol/messages.js';
import type { PendingNotice } from '../config/index.js';
import type { PromptInput } from './process-user-input.js';

export interface QueuedMessage {
  readonly prompt: PromptInput;
  /** Id of the message in the transcript. */
  readonly uuid?: string;
  /** True: not typed by the user. */
  readonly isMeta?: boolean;
  /**
   * `next`: may go to the model inside the running prompt, after the results of its tools. `now`: before all others.
   * `later`: after all others. Absent: a prompt of its own, in its turn.
   */
  readonly priority?: MessagePriority;
  /** False: it asks the model nothing. */
  readonly shouldQuery?: boolean;
  readonly isVerbatim?: boolean;
  readonly origin?: SDKMessageOrigin;
  readonly notices?: readonly PendingNotice[];
}

export interface MessageQueue {
  /** What waits, in the order in which it would be taken. */
  readonly waiting: readonly QueuedMessage[];
  push(message: QueuedMessage): void;
  /** The next message, to be a prompt of its own; null if none waits. */
  take(): QueuedMessage | null;
  /** Lets who waits for a message look whether there is something else to do. */
  nudge(): void;
  /** True as soon as a message waits, or once it is nudged; false once the queue has ended and is empty. @throws what `fail` was given */
  ready(): Promise<boolean>;
  /**
   * The first message with `next`, if the running prompt can take it. It stays until it is removed. One that cannot be
   * taken holds back those behind it: they may build on it.
   */
  firstBetweenTurns(canTake: (message: QueuedMessage) => boolean): QueuedMessage | null;
  /** False if it is no longer here. */
  remove(message: QueuedMessage): boolean;
  /** No more messages; what waits is still given. */
  end(): void;
  /** As `end`, but who waits for more gets this error. */
  fail(error: unknown): void;
}

export function createMessageQueue(): MessageQueue {
  let waiting: readonly QueuedMessage[] = [];
  let ended: { readonly error?: unknown } | null = null;
  let isNudged = false;
  let wake: () => void = () => undefined;

  const remove = (message: QueuedMessage): boolean => {
    const rest = waiting.filter((other) => other !== message);
    const isHere = rest.length < waiting.length;
    waiting = rest;
    return isHere;
  };
  return {
    get waiting() {
      return waiting;
    },
    push(message) {
      const rank = rankOf(message);
      const place = waiting.findIndex((other) => rankOf(other) > rank);
      waiting = place === -1 ? [...waiting, message] : [...waiting.slice(0, place), message, ...waiting.slice(place)];
      wake();
    },
    take() {
      const first = waiting[0] ?? null;
      waiting = waiting.slice(1);
      return first;
    },
    async ready() {
      for (;;) {
        if (waiting.length > 0 || isNudged) {
          isNudged = false;
          return true;
        }
        if (ended !== null) {
          if ('error' in ended) throw ended.error;
          return false;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    firstBetweenTurns(canTake) {
      if (waiting.length === 0) return null;
      const first = waiting.find((message) => message.priority === 'next');
      return first !== undefined && canTake(first) ? first : null;
    },
    remove,
    nudge() {
      isNudged = true;
      wake();
    },
    end() {
      ended ??= {};
      wake();
    },
    fail(error) {
      ended ??= { error };
      wake();
    },
  };
}

function rankOf({ priority }: QueuedMessage): number {
  if (priority === 'now') return 0;
  return priority === 'later' ? 2 : 1;
}
