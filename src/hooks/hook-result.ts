// What the hooks of one firing say together, and what none of them say.
import type { ElicitationResult, PermissionResult } from '../protocol/permissions.js';
import type { HookPermissionBehavior } from './read-output.js';

/** What the hooks of one firing say together. */
export interface HookResult {
  /** False: the prompt ends; `stopReason` says why. */
  readonly continue: boolean;
  /** Null if the prompt goes on, or no hook gave a reason. */
  readonly stopReason: string | null;
  /** A `decision: 'block'`, or null. The reason is never empty. */
  readonly block: { readonly reason: string } | null;
  /** PreToolUse, PreModelSwitch: `permissionDecision`, or `decision` approve/block. Deny beats defer beats ask beats allow. */
  readonly permission: { readonly behavior: HookPermissionBehavior; readonly reason: string } | null;
  /** PermissionRequest: deny beats allow. */
  readonly request: PermissionResult | null;
  /** PreToolUse: the last hook's. Contract: the caller validates and decides it again. */
  readonly updatedInput: Record<string, unknown> | null;
  /** In hook order, none empty. */
  readonly additionalContext: readonly string[];
  /** PostToolUse: the last that is not empty; a text, or the tool's own output. */
  readonly updatedToolOutput: unknown;
  /** MessageDisplay: the last. */
  readonly displayContent: string | null;
  /** SessionStart, UserPromptSubmit: the last that is not empty. */
  readonly sessionTitle: string | null;
  /** SessionStart: the last that is not empty. */
  readonly initialUserMessage: string | null;
  /** True if one of them says so. */
  readonly hidesPrompt: boolean;
  /** Elicitation: the answer in place of the user's. ElicitationResult: in place of what was answered. */
  readonly elicitation: ElicitationResult | null;
  /** SessionStart, CwdChanged, FileChanged: files to watch, as they were given. */
  readonly watchPaths: readonly string[];
  /** WorktreeCreate: the last that is not empty, as it was given. Where the hook made the worktree. */
  readonly worktreePath: string | null;
  /** For the user, in hook order, none empty. */
  readonly systemMessages: readonly string[];
  /** Hooks that threw, timed out or gave no usable answer. `hook` says where it was declared. */
  readonly failures: readonly HookFailure[];
}

export interface HookFailure {
  readonly hook: string;
  readonly error: string;
}

/** The result if no hook ran or none said anything. */
export const EMPTY_HOOK_RESULT: HookResult = Object.freeze({
  continue: true,
  stopReason: null,
  block: null,
  permission: null,
  request: null,
  updatedInput: null,
  additionalContext: Object.freeze([]),
  updatedToolOutput: null,
  displayContent: null,
  sessionTitle: null,
  initialUserMessage: null,
  hidesPrompt: false,
  elicitation: null,
  watchPaths: Object.freeze([]),
  worktreePath: null,
  systemMessages: Object.freeze([]),
  failures: Object.freeze([]),
});
