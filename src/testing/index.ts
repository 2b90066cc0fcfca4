// The published test kit: a model that follows a script, in process or over HTTP, and the strict checker of requests.
export {
  type CassettePlayer,
  type CassetteRecorder,
  type RecordCassetteOptions,
  type ReplayCassetteOptions,
  recordCassette,
  replayCassette,
} from './cassette.js';
export type { CassetteExchange } from './cassette-exchange.js';
export type { CassetteFolders } from './cassette-file.js';
export { collect, lastResult, textOf } from './collect.js';
export { type FakeHost, type FakeHostOptions, fakeHost } from './fake-host.js';
export { foldEvents } from './fold-events.js';
export type { ExchangeEnd } from './mock-exchange.js';
export { type MockProvider, type MockProviderOptions, type MockRequest, startMockProvider } from './mock-provider.js';
export type {
  Malformation,
  MockAnswer,
  MockFunction,
  MockReply,
  MockStall,
  MockStatus,
  MockStep,
  WireTraits,
} from './mock-steps.js';
export type { MockApi } from './mock-wire.js';
export { type ReplayedTranscript, replayTranscript } from './replay-transcript.js';
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
} from './script-steps.js';
export {
  type ScriptedFunction,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStep,
  scriptedModel,
} from './scripted-model.js';
export { type StoreCase, type StoreConformanceOptions, sessionStoreConformance } from './session-store-conformance.js';
export { validateChatRequest } from './wire-chat.js';
export { ONE_PIXEL_PNG } from './wire-images.js';
export { validateResponsesRequest } from './wire-responses.js';
export {
  createSessionWireValidator,
  type SessionWireValidator,
  type SessionWireValidatorOptions,
} from './wire-session.js';
export { validateModelRequest, validateWireRequest, type WireCheck } from './wire-validator.js';
export {
  formatViolations,
  WIRE_VIOLATION_CODES,
  type WireViolation,
  type WireViolationCode,
  WireViolationError,
} from './wire-violation.js';
