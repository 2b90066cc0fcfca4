// What follows a request that failed for good: other models, parts left out.
export { decideModel } from './decide-model.js';
export { schemaNotice } from './leave-out-refused.js';
export { followModel, ModelDecisionFailure, windowOf } from './model-decision.js';
