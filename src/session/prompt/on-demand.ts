// What only some prompts do: loaded with the first that does.

/** A conversation is compacted, cut, or was there before. */
export { rememberFiles, replaceHistory, snipResumed } from '../core/index.js';
/** Mode plan. */
export { openPlan } from '../plan/index.js';
/** Folders that the agent comes to bring instructions along. */
export { parts as laterInstructions } from './added-instructions.js';
/** A prompt names files. */
export { readAttachments } from './attachments.js';
/** The user says something while a prompt runs, or for the next one. */
export { appendMessage, parts as queuedMessages } from './join-prompt.js';
/** A command that no model answers, and a hook that ends a prompt. */
export { answerWithoutModel, clearConversation, runCommandShell } from './local-commands.js';
/** Calls wait for a decision, or waited when an earlier session ended. */
export {
  answerAfterOrphan,
  answerDecisions,
  deferCall,
  prepareDecisions,
  waitingCalls,
  withdrawCalls,
} from './open-calls.js';
export {
  hearSwitched,
  planTool,
  switchModel,
  takeAgentsChange,
  takeSettingsChange,
  takeSkills,
} from './take-changes.js';
/** A hook hears which model answers. */
/** Settings, files of agents, or skills are others than before. */
/** Something works in the background, or did so when the session ended. */
export { parts as tasks, taskEnded } from './tell-tasks.js';
