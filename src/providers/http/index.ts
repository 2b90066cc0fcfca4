// Requests and streamed replies over HTTP: ways there, failures, limits of time.
export {
  durationMs,
  type EventVerdict,
  type PlainResponse,
  readLimitState,
  streamEvents,
  sumOfUnits,
} from './event-stream.js';
export {
  describeFailure,
  firstString,
  isErrorBody,
  kindOfStatus,
  MAX_EVIDENCE,
  notAStream,
  type ReportedError,
  readReportedError,
  refineKind,
  retryAfterMs,
} from './failed-response.js';
export { cleanText, MAX_REQUEST_ID, type ReadHeader, requestIdOf } from './http-exchange.js';
export { reasonOf } from './http-failures.js';
export type { NodeHttp } from './http-node.js';
export { builtInAuthorities, checkProxy, chooseProxy, type HttpRoute, openRoute } from './http-tunnel.js';
export { createConnections, createRoutedFetch, type RoutedFetch, type TransportChoice } from './routed-fetch.js';
export { type UnpackedBody, type UnpackFailure, unpackBody } from './unpack-body.js';
export { createWatchdog, silenceError, type Watchdog } from './watchdog.js';
