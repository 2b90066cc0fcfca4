// What both APIs of OpenAI share.
export { type BlockSequencer, createBlockSequencer, type StreamedBlock } from './block-sequencer.js';
export {
  blameWhatWasAsked,
  classifyEvent,
  classifyResponse,
  type FailureContext,
  requestIdOf,
} from './classify-error.js';
export { effortOf, isReasoningModel, leastEffort, takesOutputSchema } from './model-traits.js';
export { toStrictSchema } from './output-schema.js';
export { messageStart, parseEvent, readUsage, violation } from './reply-parts.js';
export {
  cacheKeyOf,
  createKeptTexts,
  documentText,
  type EndpointConfig,
  endpointHeaders,
  endpointUrl,
  isPdf,
  leftOut,
  pdfName,
  SCHEMA_NAME,
  secretsOf,
  uniqueTools,
  withProperties,
  writeSystemText,
} from './request-parts.js';
export { type CallIds, createCallIds, createWireNames, shortHash, type WireNames, wireId } from './wire-names.js';
