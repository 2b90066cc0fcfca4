// The constants of the Qoder Agent SDK. Data.

export { WIRE_PROTOCOL_VERSION } from '../../../protocol/control.js';
export { EXIT_REASONS, type ExitReason } from '../../../protocol/messages.js';

/** Events that a hook can be declared for. */
export const HOOK_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'CwdChanged',
  'InstructionsLoaded',
  'FileChanged',
  'PermissionRequest',
  'PermissionDenied',
  'WorktreeCreate',
  'WorktreeRemove',
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Where `accessTokenFromEnv` looks. */
export const DEFAULT_ACCESS_TOKEN_ENV_VAR = 'QODER_PERSONAL_ACCESS_TOKEN';
/** Where `serviceAccountFromEnv` looks. */
export const DEFAULT_SERVICE_ACCOUNT_ENV_VAR = 'QODER_SERVICE_ACCOUNT_KEY';

/** How the published SDK starts its engine. Here it runs in this process. */
export const DEFAULT_RUNTIME_TRANSPORT = 'worker';
export type DefaultRuntimeTransport = 'worker' | 'process';

/** The most sessions that a review of skills may wait for. */
export const MAX_SKILL_EVOLUTION_REVIEW_THRESHOLD = 10;

/** What a model request is for. */
export const QoderModelPurpose = {
  Main: 'main',
  Plan: 'plan',
  Task: 'task',
  Compact: 'compact',
  Title: 'title',
  Suggestion: 'suggestion',
  Generate: 'generate',
  HookPrompt: 'hook_prompt',
  Subagent: 'subagent',
  WebFetch: 'web_fetch',
  ImageGen: 'image_gen',
  Compression: 'compression',
  Utility: 'utility',
} as const;
export type QoderModelPurpose = (typeof QoderModelPurpose)[keyof typeof QoderModelPurpose];
