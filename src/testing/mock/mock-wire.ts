// What tells the protocols of the mock server apart: where they listen, how they write a stream, a failure, a ping.
// The scripts are the same for all of them.
import type { AssistantMessage, MessageParam } from '../../protocol/content.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import type { WireCheck } from '../wire/wire-validator.js';
import type { Malformation } from './mock-steps.js';

/** The protocols the mock server speaks. */
export type MockApi = 'anthropic' | 'openai-chat' | 'openai-responses';

/** Whose Chat Completions: OpenAI's, or those of another maker. */
export type ChatServer = 'openai' | 'compatible';

/** Checks the requests of one server, in order. */
export interface MockCheck {
  checkBody(body: unknown, bytes?: number): WireCheck;
  noteReply(message: Pick<MessageParam, 'content'>): void;
}

export interface MockWire {
  /** Where the API is, behind any prefix. */
  readonly path: string;
  readonly requestIdHeader: string;
  /** A sign of life that is no event of the reply. */
  readonly ping: string;
  /** The frames of a reply; broken as `malformed` says, whole if that is about the envelope. */
  frames(events: Iterable<ModelEvent>, malformed: Malformation | undefined): Iterable<string>;
  /** The error document of a status. `type` is the word of the Messages API for the failure. */
  errorBody(status: number, type: string, message: string): unknown;
  /** A failure inside a stream. */
  errorFrame(type: string, message: string): string;
  /** A reply that is not streamed. */
  document(message: AssistantMessage): unknown;
  /** `server`: whose server is played, if several speak the protocol. */
  createCheck(server?: ChatServer): MockCheck;
}
