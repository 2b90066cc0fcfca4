// A model that says what a test wrote down.

export { collect, foldEvents, lastResult, textOf } from './collect.js';
export {
  createScriptIds,
  DEFAULT_CHUNK_SIZE,
  planReply,
  type ReplyContext,
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
  streamReply,
  text,
  thinking,
  toolCall,
  watchSigned,
} from './script.js';
export {
  type ScriptedFunction,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStep,
  scriptedModel,
} from './scripted-model.js';
