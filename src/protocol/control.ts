// The control envelopes of the stream-json protocol: NDJSON, both directions. Facts from the published SDKs.
import type { JsonObject } from './json.js';

export const WIRE_PROTOCOL_VERSION = '1.4.0';

/** Dispatch on `request.subtype ?? request.type`: one published client sends both, some only one. */
export interface SDKControlRequest {
  readonly type: 'control_request';
  readonly request_id: string;
  readonly request: { readonly subtype?: string; readonly type?: string; readonly [field: string]: unknown };
}

export interface SDKControlSuccess {
  readonly subtype: 'success';
  readonly request_id: string;
  readonly response?: JsonObject;
}

export interface SDKControlError {
  readonly subtype: 'error';
  readonly request_id: string;
  readonly error: string;
}

export interface SDKControlResponse {
  readonly type: 'control_response';
  readonly response: SDKControlSuccess | SDKControlError;
}

export interface SDKControlCancelRequest {
  readonly type: 'control_cancel_request';
  readonly request_id: string;
}

export interface SDKKeepAlive {
  readonly type: 'keep_alive';
}
