// What the gate of a session needs with the first call, or the first change of its rules.

export { keptFiles } from '../../permissions/unseen-files.js';
export {
  answerCall,
  answerUnasked,
  applyUpdates,
  confirmChanged,
  followAnswer,
  modesWithoutEffect,
  rulesOfDefinition,
} from './answer-call.js';
