// One reply of a model: asked for, streamed, tried again; and what follows a request that failed for good.
export { createReplyAssembler } from './assemble-reply.js';
export {
  decideModel,
  followModel,
  isTooLong,
  leaveRefusal,
  ModelDecisionFailure,
  mayFallBack,
  recoverState,
  schemaNotice,
  triggerOf,
  windowOf,
} from './recover-state.js';
export { assistantErrorOf, type Sample, type Sampled, sample, sampleParts } from './sample.js';
