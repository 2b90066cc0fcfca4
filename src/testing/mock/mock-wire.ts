// What tells the protocols of the mock server apart: where they listen, how they write a stream, a failure, a ping.
// The scripts are the same for all of them.
import type { AssistantMessage, ModelEvent } from '../../protocol/content.js';
import type { ChatServer, MockCheck } from '../wire/index.js';
import type { Malformation } from './mock-steps.js';

/** The protocols the mock server speaks. */
export type MockApi = 'anthropic' | 'openai-chat' | 'openai-responses';

export interface MockWire {
  /** The path of the API, behind any prefix. */
  readonly path: string;
  readonly requestIdHeader: string;
  /** A sign of life that is not an event of the reply. */
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

// How OpenAI words the failures that a script names in the words of the Messages API.

const CODES: ReadonlyMap<string, readonly [type: string, code: string | null]> = new Map([
  ['overloaded_error', ['server_error', 'server_overloaded']],
  ['rate_limit_error', ['requests', 'rate_limit_exceeded']],
  ['billing_error', ['insufficient_quota', 'insufficient_quota']],
  ['authentication_error', ['invalid_request_error', 'invalid_api_key']],
  ['permission_error', ['permission_error', null]],
  ['not_found_error', ['invalid_request_error', 'model_not_found']],
  ['request_too_large', ['invalid_request_error', 'request_too_large']],
  ['api_error', ['server_error', 'server_error']],
  ['invalid_request_error', ['invalid_request_error', null]],
]);

/** The error document. A status alone decides if OpenAI has no code for it. */
export function openAIErrorBody(_status: number, type: string, message: string): unknown {
  return { error: openAIError(type, message) };
}

export function openAIError(
  type: string,
  message: string,
): { message: string; type: string; param: null; code: string | null } {
  const isOverflow = message.startsWith('prompt is too long');
  const [openAIType, code] = CODES.get(type) ?? ['server_error', null];
  return { message, type: openAIType, param: null, code: isOverflow ? 'context_length_exceeded' : code };
}

// How the mock server breaks a stream of the OpenAI forms: what is the same for both of them.

interface FrameForm {
  /** Half an event, then the end. */
  readonly broken: string;
  /** True for the frame that comes too soon if the order is broken; the first such one does. */
  isMoved(frame: string): boolean;
  /** A writer of one reply: the frames that an event becomes. */
  createWriter(withUsage: boolean): (event: ModelEvent) => readonly string[];
}

/** Contract: whole if `malformed` is about the envelope. */
export function createFrames({ broken, isMoved, createWriter }: FrameForm): MockWire['frames'] {
  /** An event that comes again by identity is not serialised again. */
  function* whole(events: Iterable<ModelEvent>, withUsage: boolean): Generator<string, void, void> {
    const write = createWriter(withUsage);
    let previous: ModelEvent | null = null;
    let frames: readonly string[] = [];
    for (const event of events) {
      if (event !== previous) frames = write(event);
      previous = event;
      yield* frames;
    }
  }
  return function* (events, malformed) {
    if (malformed === 'empty') return;
    if (malformed === 'bad-json') {
      for (const frame of whole(events, true)) {
        yield frame;
        yield broken;
        return;
      }
    }
    if (malformed === 'out-of-order') yield* movedAhead([...whole(events, true)], isMoved);
    else yield* whole(events, malformed !== 'no-usage');
  };
}

/** That frame stands second. */
function movedAhead(frames: string[], isMoved: FrameForm['isMoved']): string[] {
  const at = frames.findIndex(isMoved);
  const [moved] = at === -1 ? [] : frames.splice(at, 1);
  return moved === undefined ? frames : [...frames.slice(0, 1), moved, ...frames.slice(1)];
}
