// One reply of a model: asked for, streamed, tried again.
export { createReplyAssembler } from './assemble-reply.js';
export { assistantErrorOf, type Sample, type Sampled, sample, sampleParts } from './sample.js';
