// What a session is made of while it lives: its state, what it tells the caller, its result.
export {
  combine,
  countConversation,
  countReplaced,
  NOTHING_COUNTED,
} from './count-conversation.js';
export {
  checkpointDrafts,
  initDraft,
  modeDrafts,
  noticeDraft,
  notificationDraft,
  replayDraft,
  stateDraft,
} from './prompt-drafts.js';
export { endingOf, type PromptEnding, plainEnding } from './prompt-ending.js';
export { keep, keepShown, publish, showSteps, transcriptNotices } from './publish.js';
export { rememberFiles } from './remember-files.js';
export { replaceHistory, snipResumed } from './replace-history.js';
export {
  explanationOf,
  failureDrafts,
  failureOf,
  hideFoundInResult,
  type ResultDraft,
  resultDraft,
  secretsNotice,
} from './result.js';
export {
  type AgentRun,
  type AskedFor,
  type AttachmentPlace,
  type Attachments,
  commandsOf,
  type FeatureParts,
  type FeatureQuestions,
  type Features,
  MEMORY_INDEX,
  type Moments,
  type News,
  type Prepared,
  pluginsOf,
  type ReadyPrompt,
  type Runtime,
  type Session,
  type SessionRuntime,
  skillsOf,
  syntheticAssistant,
  type TakenSkill,
  type TellingMoment,
  type ToldEnvironment,
} from './session.js';
