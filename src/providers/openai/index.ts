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
} from './reply-parts.js';
export {
  type CallIds,
  cacheKeyOf,
  createCallIds,
  createKeptTexts,
  createWireNames,
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
  shortHash,
  takesOutputSchema,
  uniqueTools,
  type WireNames,
  wireId,
  withProperties,
  writeSystemText,
} from './request-parts.js';
