// What a host decides or answers for its user: permission modes, rules and decisions, and questions in the middle of a prompt.
// Spec 004, with the types the published SDKs name.

export const PERMISSION_MODES = [
  'default',
  'acceptEdits',
  'bypassPermissions',
  'yolo',
  'plan',
  'dontAsk',
  'auto',
] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

export type PermissionBehavior = 'allow' | 'deny' | 'ask';

export type PermissionUpdateDestination = 'userSettings' | 'projectSettings' | 'localSettings' | 'session' | 'cliArg';

export interface PermissionRuleValue {
  readonly toolName: string;
  readonly ruleContent?: string;
}

export type PermissionUpdate =
  | RulesUpdate<'addRules'>
  | RulesUpdate<'replaceRules'>
  | RulesUpdate<'removeRules'>
  | { readonly type: 'setMode'; readonly mode: PermissionMode; readonly destination: PermissionUpdateDestination }
  | FoldersUpdate<'addDirectories'>
  | FoldersUpdate<'removeDirectories'>;

interface RulesUpdate<Type extends string> {
  readonly type: Type;
  readonly rules: readonly PermissionRuleValue[];
  readonly behavior: PermissionBehavior;
  readonly destination: PermissionUpdateDestination;
}

interface FoldersUpdate<Type extends string> {
  readonly type: Type;
  readonly directories: readonly string[];
  readonly destination: PermissionUpdateDestination;
}

/** What a person meant: this once, from now on, no. If a host does not say it, it is told from its answer. */
export type PermissionDecisionClassification = 'user_temporary' | 'user_permanent' | 'user_reject';

export type PermissionDecisionReasonType =
  | 'rule'
  | 'mode'
  | 'subcommandResults'
  | 'permissionPromptTool'
  | 'hook'
  | 'asyncAgent'
  | 'sandboxOverride'
  | 'workingDir'
  | 'safetyCheck'
  | 'classifier'
  | 'other';

/** The answer of `canUseTool`. `updatedInput` is validated and decided again before it runs. */
export type PermissionResult =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: Record<string, unknown>;
      readonly updatedPermissions?: PermissionUpdate[];
      readonly toolUseID?: string;
      readonly decisionClassification?: PermissionDecisionClassification;
    }
  | {
      readonly behavior: 'deny';
      readonly message: string;
      /** Ends the prompt after this denial. */
      readonly interrupt?: boolean;
      readonly toolUseID?: string;
      readonly decisionClassification?: PermissionDecisionClassification;
    };

export interface ExitPlanModeApprovalDetails {
  readonly plan?: string;
  readonly planFilePath?: string;
}

export interface CanUseToolOptions {
  /** Aborted when the call is cancelled. */
  readonly signal: AbortSignal;
  readonly suggestions?: PermissionUpdate[];
  /** The path that made the engine ask, if one did. */
  readonly blockedPath?: string;
  readonly decisionReason?: string;
  readonly decisionReasonType?: PermissionDecisionReasonType;
  readonly classifierApprovable?: boolean;
  readonly title?: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly toolUseID: string;
  readonly agentID?: string;
  readonly exitPlanMode?: ExitPlanModeApprovalDetails;
}

/**
 * A decision about a call that was deferred, whenever it comes. It is held against the rules as any other: what they
 * deny by then does not run.
 */
export type DeferredDecision = PermissionResult & {
  /** Of the deferred call. */
  readonly toolUseID: string;
  /** The input that was decided about. If it is given, a call with another input is not run. */
  readonly decidedInput?: Record<string, unknown>;
};

/**
 * The host's answer to "may this call run?".
 * Contract: a throw or a rejected promise counts as a denial, and its text is what the model reads.
 */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
) => Promise<PermissionResult>;

/**
 * What mode `auto` does beside its rules. A model never gets around a rule that denies or asks, a safety check or a hook,
 * and what it is not sure of is asked.
 */
export interface AutoModeOptions {
  /** The model that judges what the rules leave undecided: `PROVIDER/NAME`, a name, or a tier. */
  readonly judge: string;
  /** How long a judgement may take, milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

/** One refused call, in the result's `permission_denials`. */
export interface SDKPermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: Record<string, unknown>;
  readonly reason?: string;
  /** If the host was asked and refused: what it says of that. Absent for rules, modes, hooks and judges. */
  readonly decision_classification?: PermissionDecisionClassification;
}

/** A form to fill in. */
export interface ElicitationRequest {
  /** Who asks: an MCP server, or `turnwright` for the model's own question. */
  readonly serverName: string;
  /** What the user is told. */
  readonly message: string;
  readonly mode?: 'form' | 'url';
  /** The page to open, in the mode `url`. */
  readonly url?: string;
  readonly elicitationId?: string;
  /** A JSON Schema of type object: one property a question, its text in `description`. */
  readonly requestedSchema?: Record<string, unknown>;
  readonly title?: string;
  readonly displayName?: string;
  readonly description?: string;
}

/** `content` of an accepted request: a value for each property of `requestedSchema`. */
export interface ElicitationResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, unknown>;
}

/**
 * Answers in place of the user, or asks one. Null: nobody answered.
 * Contract: a throw or a rejected promise counts as no answer, and the model reads its text; so does an answer that
 * comes after `signal` was aborted.
 */
export type OnElicitation = (
  request: ElicitationRequest,
  options: { readonly signal: AbortSignal; readonly requestId: string },
) => Promise<ElicitationResult | null>;
