// What follows a request that failed for good: other models, parts left out.
export { decideModel, followModel, ModelDecisionFailure, windowOf } from './decide-model.js';
export { isTooLong, leaveRefusal, mayFallBack, recoverState, schemaNotice, triggerOf } from './recover-state.js';
