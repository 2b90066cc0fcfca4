// The bytes of the mock server: events as server-sent events, broken streams, and errors as the API words them.

import type { ModelEvent } from '../../protocol/content.js';
import type { ModelError, ModelErrorKind } from '../../protocol/errors.js';
import { createSessionWireValidator } from '../wire/index.js';
import type { Malformation } from './mock-steps.js';
import type { MockWire } from './mock-wire.js';

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
export interface HttpFailure {
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
