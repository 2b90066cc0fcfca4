// The published test kit: a model that follows a script, in process or over HTTP, and the strict checker of requests.
export {
  type CassettePlayer,
  type CassetteRecorder,
  type RecordCassetteOptions,
  type ReplayCassetteOptions,
  recordCassette,
  replayCassette,
} from './cassettes/cassette.js';
export type { CassetteExchange } from './cassettes/cassette-exchange.js';
export type { CassetteFolders } from './cassettes/cassette-file.js';
export { type ReplayedTranscript, replayTranscript } from './cassettes/replay-transcript.js';
export { type FakeHost, type FakeHostOptions, fakeHost } from './fake-host.js';
export type { ExchangeEnd } from './mock/mock-exchange.js';
export {
  type MockProvider,
  type MockProviderOptions,
  type MockRequest,
  startMockProvider,
} from './mock/mock-provider.js';
export type {
  Malformation,
  MockAnswer,
  MockFunction,
  MockReply,
  MockStall,
  MockStatus,
  MockStep,
  WireTraits,
} from './mock/mock-steps.js';
export type { MockApi } from './mock/mock-wire.js';
export { collect, lastResult, textOf } from './model/collect.js';
export { foldEvents } from './model/fold-events.js';
export {
  type ReplyTraits,
  reply,
  type ScriptedAnswer,
  type ScriptedBlock,
  type ScriptedDeltas,
  type ScriptedFailure,
  type ScriptedReply,
  type ScriptedStall,
  type ScriptedToolUse,
  text,
  thinking,
  toolCall,
} from './model/script-steps.js';
export {
  type ScriptedFunction,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStep,
  scriptedModel,
} from './model/scripted-model.js';
export { type StoreCase, type StoreConformanceOptions, sessionStoreConformance } from './session-store-conformance.js';
export { validateChatRequest } from './wire/wire-chat.js';
export { ONE_PIXEL_PNG } from './wire/wire-images.js';
export { validateResponsesRequest } from './wire/wire-responses.js';
export {
  createSessionWireValidator,
  type SessionWireValidator,
  type SessionWireValidatorOptions,
} from './wire/wire-session.js';
export { validateModelRequest, validateWireRequest, type WireCheck } from './wire/wire-validator.js';
export {
  formatViolations,
  WIRE_VIOLATION_CODES,
  type WireViolation,
  type WireViolationCode,
  WireViolationError,
} from './wire/wire-violation.js';
