// A model that says what a test wrote down.

export { collect, lastResult, textOf } from './collect.js';
export { foldEvents } from './fold-events.js';
export { DEFAULT_CHUNK_SIZE, type ReplyContext, streamReply, watchSigned } from './script-events.js';
export {
  createScriptIds,
  planReply,
  type ReplyPlan,
  type ReplyTraits,
  reply,
  type ScriptedAnswer,
  type ScriptedBlock,
  type ScriptedDeltas,
  type ScriptedFailure,
  type ScriptedReply,
  type ScriptedStall,
  type ScriptedToolUse,
  text,
  thinking,
  toolCall,
} from './script-steps.js';
export {
  type ScriptedFunction,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStep,
  scriptedModel,
} from './scripted-model.js';
