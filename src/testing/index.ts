// The published test kit: a model that follows a script, in process or over HTTP, and the strict checker of requests.

export type { CassetteExchange, CassetteFolders } from './cassettes/index.js';
export {
  type CassettePlayer,
  type CassetteRecorder,
  type RecordCassetteOptions,
  type ReplayCassetteOptions,
  type ReplayedTranscript,
  recordCassette,
  replayCassette,
  replayTranscript,
} from './cassettes/index.js';
export { type FakeHost, type FakeHostOptions, fakeHost } from './fake-host.js';
export type {
  ExchangeEnd,
  Malformation,
  MockAnswer,
  MockApi,
  MockFunction,
  MockReply,
  MockStall,
  MockStatus,
  MockStep,
  WireTraits,
} from './mock/index.js';
export { type MockProvider, type MockProviderOptions, type MockRequest, startMockProvider } from './mock/index.js';
export {
  collect,
  foldEvents,
  lastResult,
  type ReplyTraits,
  reply,
  type ScriptedAnswer,
  type ScriptedBlock,
  type ScriptedDeltas,
  type ScriptedFailure,
  type ScriptedFunction,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  type ScriptedStall,
  type ScriptedStep,
  type ScriptedToolUse,
  scriptedModel,
  text,
  textOf,
  thinking,
  toolCall,
} from './model/index.js';
export { type StoreCase, type StoreConformanceOptions, sessionStoreConformance } from './session-store-conformance.js';
export {
  createSessionWireValidator,
  formatViolations,
  ONE_PIXEL_PNG,
  type SessionWireValidator,
  type SessionWireValidatorOptions,
  validateChatRequest,
  validateModelRequest,
  validateResponsesRequest,
  validateWireRequest,
  WIRE_VIOLATION_CODES,
  type WireCheck,
  type WireViolation,
  type WireViolationCode,
  WireViolationError,
} from './wire/index.js';
