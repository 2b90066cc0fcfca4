// The control envelopes of the stream-json protocol: NDJSON, both directions. Facts from the published SDKs.
import type { JsonObject } from './json.js';

export const WIRE_PROTOCOL_VERSION = '1.4.0';

/** Dispatch on `request.subtype ?? request.type`: one published client sends both, some only one. */
export interface SDKControlRequest {
  readonly type: 'control_request';
  /** Opaque, unique for its sender. */
  readonly request_id: string;
  readonly request: { readonly subtype?: string; readonly type?: string; readonly [field: string]: unknown };
}

export interface SDKControlSuccess {
  readonly subtype: 'success';
  readonly request_id: string;
  readonly response?: JsonObject;
  /** Permission requests that nobody has answered yet: for a client that was attached again. */
  readonly pending_permission_requests?: readonly SDKControlRequest[];
}

export interface SDKControlError {
  readonly subtype: 'error';
  readonly request_id: string;
  readonly error: string;
  /** What kind of error: an `EngineErrorCode`, or `unknown_subtype`. */
  readonly code?: string;
  readonly retryable?: boolean;
}

export interface SDKControlResponse {
  readonly type: 'control_response';
  readonly response: SDKControlSuccess | SDKControlError;
}

/** The sender of a request takes it back. Nobody answers it. */
export interface SDKControlCancelRequest {
  readonly type: 'control_cancel_request';
  readonly request_id: string;
}

/** Sent while nothing else is, so that what stands between the two ends does not close the connection. */
export interface SDKKeepAlive {
  readonly type: 'keep_alive';
}

/** Entries of a transcript as they are written, for a client that keeps a copy. */
export interface SDKTranscriptMirror {
  readonly type: 'transcript_mirror';
  /** Absolute path of the transcript. */
  readonly filePath: string;
  readonly entries: readonly JsonObject[];
}
