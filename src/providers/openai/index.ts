// What both APIs of OpenAI share.
export { type BlockSequencer, createBlockSequencer, type StreamedBlock } from './block-sequencer.js';
export { type CallIds, createCallIds } from './call-ids.js';
export {
  blameWhatWasAsked,
  classifyEvent,
  classifyResponse,
  type FailureContext,
  requestIdOf,
} from './classify-error.js';
export { type EndpointConfig, endpointHeaders, endpointUrl, secretsOf } from './endpoint.js';
export { createKeptTexts, writeSystemText } from './kept-texts.js';
export { documentText, isPdf, leftOut, pdfName } from './left-out.js';
export { messageStart } from './message-start.js';
export { effortOf, isReasoningModel, leastEffort, takesOutputSchema } from './model-traits.js';
export { toStrictSchema } from './output-schema.js';
export { parseEvent, violation } from './parse-event.js';
export { cacheKeyOf, SCHEMA_NAME, uniqueTools, withProperties } from './request-parts.js';
export { readUsage } from './usage.js';
export { createWireNames, shortHash, type WireNames, wireId } from './wire-names.js';
