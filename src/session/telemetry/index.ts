// What OpenTelemetry is told of a session: spans, metrics, and the trace context that programs and servers are given.
// Loaded for a session that wants it.
export {
  type OpenedTelemetry,
  openTelemetry,
  readTelemetryOptions,
  type SessionTelemetry,
  type TelemetryPlace,
} from './session-telemetry.js';
