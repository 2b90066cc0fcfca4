// The words of a script for the mock server: everything a scripted model can say, and the faults only a wire can have.
import type { ReplyTraits, ScriptedAnswer, ScriptedBlock, ScriptedStall } from '../model/index.js';

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
