// The script of the mock server (all that a scripted model can say, and the faults that only a wire can have), what tells its
// protocols apart, and the bytes of the Messages API. The scripts are the same for all protocols.

import type { AssistantMessage, ModelEvent } from '../../protocol/content.js';
import type { ModelError, ModelErrorKind } from '../../protocol/errors.js';
import type { ReplyTraits, ScriptedAnswer, ScriptedBlock, ScriptedStall } from '../model/index.js';
import { type ChatServer, createSessionWireValidator, type MockCheck } from '../wire/index.js';

/** Ways an answer can break the protocol while its status says 200. */
export type Malformation =
  /** A web page, as a captive portal sends it. */
  | 'html'
  /** The whole reply as one JSON document, though a stream was asked for. */
  | 'json'
  /** A stream without a single event. */
  | 'empty'
  /** An event whose data is not JSON, then the end. */
  | 'bad-json'
  /** The first delta before its block is opened. */
  | 'out-of-order'
  /** A whole stream that never mentions usage: odd, but usable. */
  | 'no-usage';

export interface WireTraits extends ReplyTraits {
  /** The socket is destroyed after this many bytes of the event stream. */
  readonly cutAfterBytes?: number;
  /** Bytes of one write; default: one write per event. */
  readonly writeBytes?: number;
  /** A ping after every event, and while the stream is stalled one every `pingEveryMs`. */
  readonly pings?: boolean;
  /** Milliseconds between two pings of a stalled stream. Default 20. */
  readonly pingEveryMs?: number;
  readonly malformed?: Malformation;
  /** Added to the response headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply with wire faults. Without `blocks` and `deltas` it is a short text. */
export interface MockReply extends WireTraits {
  readonly blocks?: readonly ScriptedBlock[];
  readonly deltas?: number;
  readonly delta?: string;
}

/** An answer that is not a stream: an error, a redirect. */
export interface MockStatus {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is if it is a string, else as JSON. Default: the API's error document for the status. */
  readonly body?: unknown;
  readonly waitFor?: Promise<unknown>;
}

/**
 * No answer: nothing at all, or with `pings` the head of a stream and pings until the client gives up.
 */
export interface MockStall {
  readonly stall: true;
  readonly pings?: boolean;
  readonly pingEveryMs?: number;
}

export type MockAnswer = Exclude<ScriptedAnswer, ScriptedStall> | MockReply | MockStatus | MockStall;

/** Answers a request by looking at its parsed body. `index` counts the requests of the server from 0. */
export type MockFunction = (body: unknown, index: number) => MockAnswer | Promise<MockAnswer>;

export type MockStep = MockAnswer | MockFunction;

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

const BROKEN_FRAME = 'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_bl\n\n';

function eventFrame(event: { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Frames of a stream, one per event. An event that comes again by identity is not serialised again. */
function* toFrames(events: Iterable<ModelEvent>): Generator<string, void, void> {
  let previous: ModelEvent | null = null;
  let frame = '';
  for (const event of events) {
    if (event !== previous) frame = eventFrame(event);
    previous = event;
    yield frame;
  }
}

/** The frames of a stream that breaks the protocol in the middle; whole if `malformed` is about the envelope. */
function* toBrokenFrames(
  events: Iterable<ModelEvent>,
  malformed: Malformation | undefined,
): Generator<string, void, void> {
  if (malformed === 'out-of-order') yield* toFrames(swapFirstDelta([...events]));
  else if (malformed === 'no-usage') yield* withoutUsage(events);
  else if (malformed === 'bad-json') {
    for (const frame of toFrames(events)) {
      yield frame;
      yield BROKEN_FRAME;
      return;
    }
  } else if (malformed !== 'empty') yield* toFrames(events);
}

function swapFirstDelta(events: ModelEvent[]): ModelEvent[] {
  const at = events.findIndex((event) => event.type === 'content_block_delta');
  const [delta] = at < 1 ? [] : events.splice(at, 1);
  if (delta !== undefined) events.splice(at - 1, 0, delta);
  return events;
}

function* withoutUsage(events: Iterable<ModelEvent>): Generator<string, void, void> {
  for (const event of events) {
    if (event.type === 'message_start')
      yield eventFrame({ ...event, message: { ...event.message, usage: undefined } } as { type: string });
    else if (event.type === 'message_delta') yield eventFrame({ ...event, usage: undefined } as { type: string });
    else yield eventFrame(event);
  }
}

/** The status and the API's own word for each kind of failure that is an HTTP answer. */
const HTTP_FAILURES: Readonly<Partial<Record<ModelErrorKind, readonly [status: number, type: string]>>> = {
  overloaded: [529, 'overloaded_error'],
  rate_limit: [429, 'rate_limit_error'],
  quota: [402, 'billing_error'],
  authentication: [401, 'authentication_error'],
  permission: [403, 'permission_error'],
  not_found: [404, 'not_found_error'],
  context_overflow: [400, 'invalid_request_error'],
  request_too_large: [413, 'request_too_large'],
  invalid_request: [400, 'invalid_request_error'],
  server: [500, 'api_error'],
};

/** A failure as an HTTP answer, in the words of the Messages API. */
interface HttpFailure {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How the API would say `error`; null for a failure that is not an answer (a cut, a silence). */
export function toHttpFailure(error: ModelError): HttpFailure | null {
  const known = HTTP_FAILURES[error.kind];
  if (known === undefined) return null;
  const [status, type] = known;
  // The API says overflow in words only, and clients know it by these.
  const message = error.kind === 'context_overflow' ? `prompt is too long: ${error.message}` : error.message;
  const headers: Record<string, string> =
    error.retryAfterMs === null ? {} : { 'retry-after': String(Math.ceil(error.retryAfterMs / 1000)) };
  return { status: error.status ?? status, type, message, headers };
}

/** The API's error document. */
function errorBody(type: string, message: string): { type: 'error'; error: { type: string; message: string } } {
  return { type: 'error', error: { type, message } };
}

/** The Messages API. */
export const MESSAGES_WIRE: MockWire = {
  path: '/v1/messages',
  requestIdHeader: 'request-id',
  ping: 'event: ping\ndata: {"type":"ping"}\n\n',
  frames: toBrokenFrames,
  errorBody: (_status, type, message) => errorBody(type, message),
  errorFrame: (type, message) => eventFrame(errorBody(type, message)),
  document: (message) => message,
  createCheck: () => createSessionWireValidator(),
};

/** The API's word for a status that came without a body. */
export function errorTypeOf(status: number): string {
  const match = Object.values(HTTP_FAILURES).find(([known]) => known === status);
  return match?.[1] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}
