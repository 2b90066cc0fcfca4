// The conversation a session keeps. The messages with their ids, and the same conversation as a provider gets it.
import type { MessageParam } from '../protocol/content.js';
import { type Message, toMessageParam } from './message.js';

export interface History {
  readonly messages: readonly Message[];
  /** Contract: an element keeps its identity from prompt to prompt, so what was derived from it can be kept. */
  readonly params: readonly MessageParam[];
  append(message: Message, param?: MessageParam): void;
  clear(): void;
}

export function createHistory(initial: readonly Message[]): History {
  let messages: Message[] = [...initial];
  let params: MessageParam[] = initial.map(toMessageParam);
  return {
    get messages() {
      return messages;
    },
    get params() {
      return params;
    },
    append(message, param = toMessageParam(message)) {
      messages.push(message);
      params.push(param);
    },
    clear() {
      messages = [];
      params = [];
    },
  };
}
