// What both APIs of OpenAI share.

export {
  blameWhatWasAsked,
  classifyEvent,
  classifyResponse,
  type FailureContext,
  requestIdOf,
} from './classify-error.js';
export { toStrictSchema } from './output-schema.js';
export {
  type BlockSequencer,
  createBlockSequencer,
  messageStart,
  parseEvent,
  readUsage,
  type StreamedBlock,
  violation,
} from './reply-parts.js';
export {
  cacheKeyOf,
  createKeptTexts,
  documentText,
  type EndpointConfig,
  effortOf,
  endpointHeaders,
  endpointUrl,
  isPdf,
  isReasoningModel,
  leastEffort,
  leftOut,
  pdfName,
  SCHEMA_NAME,
  secretsOf,
  takesOutputSchema,
  uniqueTools,
  withProperties,
  writeSystemText,
} from './request-parts.js';
export { type CallIds, createCallIds, createWireNames, shortHash, type WireNames, wireId } from './wire-names.js';
