// The check of every request that a model gets in a test.

export { ONE_PIXEL_PNG } from './wire-blocks.js';
export { createChatCheck, validateChatRequest } from './wire-chat.js';
export { createResponsesCheck, validateResponsesRequest } from './wire-responses.js';
export {
  createSessionWireValidator,
  type SessionWireValidator,
  type SessionWireValidatorOptions,
} from './wire-session.js';
export {
  type ChatServer,
  MAX_BODY_BYTES,
  type MockCheck,
  validateModelRequest,
  validateWireRequest,
  type WireCheck,
} from './wire-validator.js';
export {
  formatViolations,
  isRecord,
  WIRE_VIOLATION_CODES,
  type WireViolation,
  type WireViolationCode,
  WireViolationError,
} from './wire-violation.js';
