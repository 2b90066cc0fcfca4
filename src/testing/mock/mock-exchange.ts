// One exchange of the mock server: writes one answer to one response, with back-pressure and with the faults the script
// asks for. A client that goes away ends every wait at once.
import type { ServerResponse } from 'node:http';
import type { ModelEvent, Usage } from '../../protocol/content.js';
import type { ModelError } from '../../protocol/errors.js';
import { ABORTED, raceAbort } from '../../util/abort.js';
import {
  foldEvents,
  planReply,
  type ReplyContext,
  type ReplyPlan,
  type ScriptedAnswer,
  streamReply,
  text,
  watchSigned,
} from '../model/index.js';
import {
  errorTypeOf,
  type MockAnswer,
  type MockStatus,
  type MockWire,
  toHttpFailure,
  type WireTraits,
} from './mock-wire.js';

/** How an exchange ended: the answer went out whole, the script broke it off, or the client went away. */
export type ExchangeEnd = 'answered' | 'cut' | 'abandoned';

export interface Exchange {
  readonly wire: MockWire;
  readonly response: ServerResponse;
  /** Aborted when the client goes away or the server closes. */
  readonly gone: AbortSignal;
  readonly requestId: string;
  /** False if the client asked for one JSON document. */
  readonly wantsStream: boolean;
  readonly reply: ReplyContext;
  readonly usage: Partial<Usage>;
  readonly onReply: Parameters<typeof watchSigned>[2];
}

const DEFAULT_TEXT = 'The mock provider answers.';
const DEFAULT_PING_MS = 20;

/** Writes `answer`. Contract: never throws for a client that goes away. */
export async function writeAnswer(answer: MockAnswer, exchange: Exchange): Promise<ExchangeEnd> {
  if ('waitFor' in answer && answer.waitFor !== undefined) {
    if ((await raceAbort(answer.waitFor, exchange.gone)) === ABORTED) return 'abandoned';
  }
  if ('status' in answer) return writeStatus(answer, exchange);
  if ('error' in answer) return await writeFailure(answer.error, exchange);
  if ('stall' in answer) {
    if ('pings' in answer && answer.pings === true) startStream(exchange, {});
    return await holdOpen(answer, exchange);
  }
  const plan = planAnswer(answer, exchange.usage);
  const events = watchSigned(plan, streamReply(plan, exchange.reply), exchange.onReply);
  if (plan.malformed === 'html')
    return writeDocument(exchange, 200, 'text/html', '<html><body>Sign in</body></html>', {});
  if (plan.malformed === 'json' || !exchange.wantsStream) {
    return writeDocument(
      exchange,
      200,
      'application/json',
      JSON.stringify(exchange.wire.document(foldEvents([...events]))),
      plan.headers ?? {},
    );
  }
  startStream(exchange, plan.headers ?? {});
  return await writeEvents(plan, events, exchange);
}

/** A whole JSON error, as the API sends it. */
export function writeError(exchange: Exchange, status: number, type: string, message: string): ExchangeEnd {
  return writeStatus({ status, body: exchange.wire.errorBody(status, type, message) }, exchange);
}

function planAnswer(answer: Exclude<MockAnswer, MockStatus>, usage: Partial<Usage>): ReplyPlan & WireTraits {
  const plan = planReply(answer as ScriptedAnswer) ?? { ...answer, content: { blocks: [text(DEFAULT_TEXT)] } };
  return { ...plan, usage: { ...usage, ...plan.usage } };
}

function writeStatus(answer: MockStatus, exchange: Exchange): ExchangeEnd {
  const { status, headers = {} } = answer;
  const body = answer.body ?? exchange.wire.errorBody(status, errorTypeOf(status), `Scripted status ${status}.`);
  const isText = typeof body === 'string';
  return writeDocument(
    exchange,
    status,
    isText ? 'text/plain' : 'application/json',
    isText ? body : JSON.stringify(body),
    headers,
  );
}

function writeDocument(
  exchange: Exchange,
  status: number,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): ExchangeEnd {
  exchange.response.writeHead(status, {
    'content-type': contentType,
    [exchange.wire.requestIdHeader]: exchange.requestId,
    ...headers,
  });
  exchange.response.end(body);
  return 'answered';
}

async function writeFailure(error: ModelError, exchange: Exchange): Promise<ExchangeEnd> {
  const failure = toHttpFailure(error);
  if (failure !== null) {
    const { status, type, message, headers } = failure;
    return writeStatus({ status, headers, body: exchange.wire.errorBody(status, type, message) }, exchange);
  }
  if (error.kind === 'timeout') return await holdOpen({}, exchange);
  if (error.kind === 'stream_idle') {
    startStream(exchange, {});
    return await holdOpen({}, exchange);
  }
  if (error.kind === 'malformed') return await writeAnswer({ malformed: 'bad-json' }, exchange);
  if (error.kind === 'stream_cut') return await writeAnswer({ cutAfterEvents: 1 }, exchange);
  exchange.response.destroy();
  return 'cut';
}

function startStream(exchange: Exchange, headers: Readonly<Record<string, string>>): void {
  const fixed = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
  exchange.response.writeHead(200, {
    ...fixed,
    [exchange.wire.requestIdHeader]: exchange.requestId,
    ...headers,
  });
  exchange.response.flushHeaders();
}

async function writeEvents(
  plan: ReplyPlan & WireTraits,
  events: Iterable<ModelEvent>,
  exchange: Exchange,
): Promise<ExchangeEnd> {
  const sink = createSink(plan, exchange);
  let sent = 0;
  for (const frame of exchange.wire.frames(events, plan.malformed)) {
    if (sent === plan.stallAfterEvents) return await holdOpen(plan, exchange);
    if (sent === plan.cutAfterEvents) return await breakOff(plan.cutWith, exchange);
    const written = sink(plan.pings === true ? frame + exchange.wire.ping : frame);
    const state = typeof written === 'string' ? written : await written;
    if (state !== 'open') return state === 'full' ? await breakOff(undefined, exchange) : 'abandoned';
    sent++;
  }
  if (plan.cutAfterEvents !== undefined) return await breakOff(plan.cutWith, exchange);
  if (plan.stallAfterEvents !== undefined) return await holdOpen(plan, exchange);
  exchange.response.end();
  return 'answered';
}

/** `full`: the bytes the script allows are spent. */
type SinkState = 'open' | 'full' | 'gone';

/** Writes frames; a promise only if the socket needs time to drain, so a fast client costs no wait per event. */
function createSink(plan: WireTraits, exchange: Exchange): (frame: string) => SinkState | Promise<SinkState> {
  const { response, gone } = exchange;
  const { cutAfterBytes, writeBytes } = plan;
  if (cutAfterBytes === undefined && writeBytes === undefined) {
    return (frame) => {
      if (gone.aborted) return 'gone';
      return response.write(frame) ? 'open' : waitForDrain(exchange);
    };
  }
  let left = cutAfterBytes ?? Number.POSITIVE_INFINITY;
  return async (frame) => {
    const bytes = Buffer.from(frame).subarray(0, left);
    left -= bytes.length;
    const size = Math.max(1, writeBytes ?? bytes.length);
    for (let start = 0; start < bytes.length; start += size) {
      if (gone.aborted) return 'gone';
      await flush(exchange, bytes.subarray(start, start + size));
    }
    return left === 0 ? 'full' : 'open';
  };
}

async function waitForDrain(exchange: Exchange): Promise<SinkState> {
  const drained = new Promise<void>((resolve) => exchange.response.once('drain', resolve));
  return (await raceAbort(drained, exchange.gone)) === ABORTED ? 'gone' : 'open';
}

/** Settles when the bytes were handed to the system, or the client is gone. */
async function flush(exchange: Exchange, bytes: Uint8Array): Promise<void> {
  await raceAbort(new Promise<void>((resolve) => exchange.response.write(bytes, () => resolve())), exchange.gone);
}

/** Breaks a running stream: by an error event if the failure has one, else by destroying the socket. */
async function breakOff(error: ModelError | undefined, exchange: Exchange): Promise<ExchangeEnd> {
  const failure = error === undefined ? null : toHttpFailure(error);
  if (failure !== null) {
    exchange.response.end(exchange.wire.errorFrame(failure.type, failure.message));
    return 'cut';
  }
  if (error?.kind === 'stream_idle' || error?.kind === 'timeout') return await holdOpen({}, exchange);
  await flush(exchange, new Uint8Array(0)); // what was written must arrive before the socket dies
  exchange.response.destroy();
  return 'cut';
}

/** Holds the exchange until the client goes away. */
async function holdOpen(traits: Pick<WireTraits, 'pings' | 'pingEveryMs'>, exchange: Exchange): Promise<ExchangeEnd> {
  const { response, gone } = exchange;
  const ping = () => response.write(exchange.wire.ping);
  const timer = traits.pings === true ? setInterval(ping, traits.pingEveryMs ?? DEFAULT_PING_MS) : undefined;
  await raceAbort(new Promise<never>(() => undefined), gone);
  clearInterval(timer);
  return 'abandoned';
}
