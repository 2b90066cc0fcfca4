// What follows a request that failed for good: other models, parts left out.
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
