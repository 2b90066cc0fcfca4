// Types of the Qoder Agent SDK for what is not here: its memory that writes itself, skills that grow, artifacts, daemons, and
// what its server adds. One rule: a program that names them compiles; nothing gives them. Types only.
import type { Usage } from '../../../protocol/content.js';

type Counted = { [Key in keyof Usage as Key extends `${string}tokens` ? Key : never]-?: NonNullable<Usage[Key]> };
/** With what its server counts beside the tokens. */
export type NonNullableUsage = Counted & {
  cache_creation: { ephemeral_1h_input_tokens: number; ephemeral_5m_input_tokens: number };
  server_tool_use: { web_fetch_requests: number; web_search_requests: number };
  inference_geo: string;
  service_tier: string;
  speed: string;
  iterations: unknown[];
  request_id?: string;
  context_usage_ratio?: number;
  credits?: number;
  original_credits?: number;
  billable?: boolean;
};

type Never<Name extends string> = { [Key in Name]?: never };

/** Text that a gate sees of a turn before it says whether to go on. */
interface TurnSeen {
  cwd: string;
  prompt: string;
  response: string;
  sessionId: string;
  turnIndex: number;
  requestId?: string;
  requestSetId?: string;
}
interface GateAnswer {
  run: boolean;
  reason?: string;
}
type Gate<Seen> = (input: Seen, options: { signal: AbortSignal }) => Promise<GateAnswer>;
interface Attempt<Status extends string, Origin extends string> {
  status: Status;
  origin: Origin;
  attemptId: string;
  durationMs: number;
  reason?: string;
  sourceRequestIds?: string[];
  modelRequestIds?: string[];
  usage?: NonNullableUsage;
}
type Told<Result> = (result: Result) => void | Promise<void>;
type OnGateError = 'skip' | 'report_failed';

// Memory that is written from what sessions do.
export type MemoryMode = 'native' | 'custom';
export type MemoryRootAccess = 'read' | 'read-write';
export type MemoryRoot = { id: string; path: string; access?: MemoryRootAccess; indexFile?: string };
export type MemoryConsumptionFile = { id: string; path: string; required?: boolean };
export type MemoryConsumptionResult = {
  status: 'success' | 'partial' | 'failed';
  files: { id: string; path: string; status: 'loaded' | 'missing' | 'failed' | 'truncated'; error?: string }[];
};
export type MemoryConsumptionOptions = {
  enabled?: boolean;
  files?: MemoryConsumptionFile[];
  maxTokens?: number;
  overflow?: 'truncate' | 'fail_query';
  failureMode?: 'best_effort' | 'fail_query';
  onResult?: Told<MemoryConsumptionResult>;
};
export type MemoryGenerationFailedFile = { rootId: string; path: string; error?: string };
export type MemoryGenerationGateInput = TurnSeen;
export type MemoryGenerationGateResult = GateAnswer;
export type MemoryShouldGenerate = Gate<MemoryGenerationGateInput>;
export type MemoryGenerationResult = Attempt<
  'saved' | 'partial' | 'no_change' | 'skipped' | 'failed',
  'main_session' | 'turn_complete' | 'dream'
> & {
  writtenFiles: { rootId: string; path: string }[];
  failedFiles: MemoryGenerationFailedFile[];
  indexUpdated?: boolean;
  contentUpdated?: boolean;
  credits?: number;
};
export type MemoryGenerationOptions = {
  enabled?: boolean;
  roots?: MemoryRoot[];
  prompt?: string;
  turnComplete?: {
    enabled?: boolean;
    shouldGenerate?: MemoryShouldGenerate;
    timeoutMs?: number;
    onGateError?: OnGateError;
  };
  onResult?: Told<MemoryGenerationResult>;
};
interface MemoryScopes {
  projectScope?: boolean;
  userScope?: boolean;
}
export type MemoryOptions =
  | Never<'mode' | 'projectScope' | 'userScope' | 'generation' | 'consumption'>
  | (MemoryScopes & {
      mode: 'native';
      generation?: Pick<MemoryGenerationOptions, 'onResult'>;
      consumption?: Pick<MemoryConsumptionOptions, 'onResult'>;
    })
  | (MemoryScopes & {
      mode: 'custom';
      generation?: MemoryGenerationOptions;
      consumption?: MemoryConsumptionOptions;
    });
interface Effective<Mode> {
  enabled: boolean;
  requester: 'sdk';
  mode: Mode;
  generationEnabled: boolean;
  turnCompleteEnabled: boolean;
}
export type EffectiveMemoryConfig = Omit<Effective<MemoryMode>, 'mode'> & {
  mode?: MemoryMode;
  consumptionEnabled: boolean;
  roots: { id: string; access: MemoryRootAccess }[];
};

// Skills that are written from what sessions do.
export type SkillEvolutionMode = 'native' | 'custom';
export type SkillEvolutionGateInput = TurnSeen;
export type SkillEvolutionGateResult = GateAnswer;
export type SkillEvolutionShouldReview = Gate<SkillEvolutionGateInput>;
export type SkillEvolutionSuggestion = {
  skillName: string;
  action: 'create' | 'update';
  summary: string;
  confidence: number;
  rationale?: string;
};
export type SkillEvolutionResult = Attempt<'suggested' | 'no_change' | 'skipped' | 'failed', 'turn_complete'> & {
  suggestions: SkillEvolutionSuggestion[];
  reviewScore?: number;
};
export type SkillEvolutionGenerationOptions = {
  enabled?: boolean;
  prompt?: string;
  maxSuggestions?: number;
  turnComplete?: {
    enabled?: boolean;
    reviewThreshold?: number;
    shouldReview?: SkillEvolutionShouldReview;
    timeoutMs?: number;
    onGateError?: OnGateError;
  };
  onResult?: Told<SkillEvolutionResult>;
};
export type SkillEvolutionOptions =
  | { mode: 'custom'; generation?: SkillEvolutionGenerationOptions }
  | {
      mode: 'native';
      generation?: Pick<SkillEvolutionGenerationOptions, 'enabled' | 'onResult'> & {
        turnComplete?: { reviewThreshold?: number };
      };
    };
export type EvolutionOptions = { skill?: SkillEvolutionOptions };
export type EffectiveSkillEvolutionConfig = Effective<SkillEvolutionMode> & {
  reviewThreshold: number;
  cooldownMs: number;
  maxSuggestions: number;
};
export type EffectiveEvolutionConfig = { skill?: EffectiveSkillEvolutionConfig };

// Artifacts.
export type ArtifactGroup = { key: string; name: string };
export interface SessionArtifactBase {
  path: string;
  displayPath: string;
  name: string;
  group?: ArtifactGroup;
  relativePath?: string;
  size?: number;
  mime?: string;
  mtime?: number;
}
type Presented = { kind: 'presented' };
export type SessionArtifact = SessionArtifactBase &
  (Presented | { kind: 'changed'; additions: number; deletions: number; isNew: boolean });
export type ResolveSessionArtifactsResult = { artifacts: readonly SessionArtifact[] };
export type ResolveSessionArtifacts = (
  localSessionId: string,
  cwd: string,
) => ResolveSessionArtifactsResult | Promise<ResolveSessionArtifactsResult>;
export type SDKArtifactInfo = {
  path: string;
  display_path: string;
  name: string;
  group?: ArtifactGroup;
  relative_path?: string;
  size?: number;
  mime?: string;
  mtime?: number;
} & (Presented | { kind: 'changed'; additions: number; deletions: number; is_new: boolean });

// Messages that tell of the above, and of places in the queue of a server.
interface Unsent<Subtype extends string> {
  type: 'system';
  subtype: Subtype;
  uuid: `${string}-${string}-${string}-${string}-${string}`;
  session_id: string;
}
export type SDKArtifactUpdateMessage = Unsent<'artifacts_update'> & { artifacts: readonly SDKArtifactInfo[] };
export type SDKMemoryGenerationMessage = Unsent<'memory_generation'> & { result: MemoryGenerationResult };
export type SDKMemoryConsumptionMessage = Unsent<'memory_consumption'> & { result: MemoryConsumptionResult };
export type SDKSkillEvolutionMessage = Unsent<'skill_evolution'> & { result: SkillEvolutionResult };
export type SDKModelQueueStatusMessage = Unsent<'model_queue_status'> & {
  status: 'queued' | 'ready';
  request_id: string;
  request_set_id: string;
  model_key: string;
  queue_type?: string;
  queue_count?: number;
  wait_time_ms?: number;
  queue_wait_elapsed_ms?: number;
  queue_max_wait_ms?: number;
  service_available?: boolean;
};

// Daemons, transports, projections, feedback.
interface DaemonLaunch {
  auth: AnyAuth;
  cwd?: string;
  env?: Record<string, string | undefined>;
  pathToQoderCLIExecutable?: string;
  proxy?: string;
  workerIdleTimeoutMs?: number;
}
/** One of `accessToken()`, `serviceAccount()` and the others. */
type AnyAuth = { type: string; [field: string]: unknown };
export type StartDaemonOptions = DaemonLaunch;
export type InitDaemonOptions = DaemonLaunch;
export type RemoteProjectionEnableOptions = {
  suppressInitialIdleStateEvents?: boolean;
  skipInitialFlush?: boolean;
  fromSequenceNum?: number;
  timeoutMs?: number;
};
export type RemoteProjectionCheckpoint = { remoteSessionId: string; lastSequenceNum: number };
export type IntegrationMode = string;
export type SubmitFeedbackParams = {
  content: string;
  sessionId?: string;
  workdir?: string;
  include?: string[];
  imagePaths?: string[];
  email?: string;
  callerVersion?: string;
};
export type SubmitFeedbackOptions = {
  cliPath?: string;
  env?: Record<string, string | undefined>;
  timeout?: number;
  storageDir?: string;
  integrationMode?: IntegrationMode;
};

// What its server adds to models and results, and a question about calls that repeat themselves.
export type SDKCapabilities = { modelPolicy?: 'pull' };
export type SessionCreditsUsage = { total_credits: number; model_usage: Record<string, { credits: number }> };
export type ModelPromptPatch = { action: 'edit_system_prompt'; content: string };
export type ModelPromptPatches = Record<string, ModelPromptPatch[]>;
export type ModelSource = 'system' | 'user' | 'organization' | 'custom';
export type ModelStrategy = { tag: string; enabled: boolean; disabled_message_key: string };
export type ServerModelJsonValue =
  | null
  | boolean
  | number
  | string
  | ServerModelJsonValue[]
  | { [key: string]: ServerModelJsonValue };
export type SideQuestionRefusalFallback = { originalModel: string; fallbackModel: string; content: string };
export type CanUseToolPermissionKind = 'repeated_tool_call';
export type CanUseToolPermissionOption = {
  outcome: 'proceed_once' | 'proceed_always' | 'proceed_always_and_save' | 'cancel';
  name: string;
  allowed: boolean;
};
export type CanUseToolPermissionDetails =
  | {
      type: CanUseToolPermissionKind;
      title: string;
      toolName: string;
      repeatCount: number;
      threshold: number;
      inputPreview: string;
    }
  | (Record<string, unknown> & { type: string });
