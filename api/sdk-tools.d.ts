// The published surface of `turnwright/sdk-tools`. Written by `npm run api`; a change here is a change for users.

import {
  BashInput,
  BashOutput as BashOutput_1,
  EnterWorktreeInput as EnterWorktreeInput_1,
  ExitWorktreeInput,
  FileEditInput,
  FileReadInput as FileReadInput_1,
  FileWriteInput,
  GlobInput,
  GrepInput as GrepInput_1,
  NotebookEditInput,
  WebFetchInput as WebFetchInput_1,
  WebSearchInput,
} from './protocol.js';

export {
  BashInput,
  ExitWorktreeInput,
  FileEditInput,
  FileWriteInput,
  GlobInput,
  NotebookEditInput,
  WebSearchInput,
} from './protocol.js';

// sdk/dialects/claude/sdk-tools.ts

/** Whatever there is. */
interface Fields {
  [key: string]: unknown;
}

type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

type Status = 'pending' | 'in_progress' | 'completed';

/** A part of a change, as a patch has it. */
export interface StructuredPatchHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

interface GitDiff {
  filename: string;
  status: 'modified' | 'added';
  additions: number;
  deletions: number;
  changes: number;
  patch: string;
  repository?: string | null;
}

export interface AgentInput {
  description: string;
  prompt: string;
  subagent_type?: string;
  model?: 'sonnet' | 'opus' | 'haiku' | 'fable';
  effort?: Effort;
  run_in_background?: boolean;
  name?: string;
  team_name?: string;
  mode?: 'acceptEdits' | 'auto' | 'bypassPermissions' | 'default' | 'dontAsk' | 'plan';
  isolation?: 'worktree' | 'remote';
}

/** `status` tells which: an agent that is done, or one that goes on elsewhere. */
export interface AgentOutput extends Fields {
  status: string;
  prompt: string;
  agentType?: string;
  content?: {
    type: 'text';
    text: string;
  }[];
}

export interface BashOutput {
  stdout: string;
  stderr: string;
  interrupted: boolean;
  isImage?: boolean;
  noOutputExpected?: boolean;
  backgroundTaskId?: string;
  rawOutputPath?: string;
  backgroundedByUser?: boolean;
  timedOutAfterMs?: number;
  dangerouslyDisableSandbox?: boolean;
  returnCodeInterpretation?: string;
  structuredContent?: unknown[];
  persistedOutputPath?: string;
  persistedOutputSize?: number;
  backgroundCwdHint?: string;
  backgroundEndsWithFinalResponse?: true;
  backgroundWakesOwner?: true;
  staleReadFileStateHint?: string;
  ghRateLimitHint?: string;
  gitOperation?: BashOutput_1['gitOperation'];
}

export interface FileReadInput extends FileReadInput_1 {
  allow_large?: boolean;
}

interface TextFile {
  filePath: string;
  content: string;
  numLines: number;
  startLine: number;
  totalLines: number;
}

interface ImageFile {
  base64: string;
  type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
  originalSize: number;
  dimensions?: {
    originalWidth?: number;
    originalHeight?: number;
    displayWidth?: number;
    displayHeight?: number;
  };
}

export type FileReadOutput =
  | {
      type: 'text';
      file: TextFile;
    }
  | {
      type: 'image';
      file: ImageFile;
    }
  | {
      type: 'notebook';
      file: {
        filePath: string;
        cells: unknown[];
      };
    }
  | {
      type: 'pdf';
      file: {
        filePath: string;
        base64: string;
        originalSize: number;
      };
    }
  | {
      type: 'parts';
      file: {
        filePath: string;
        originalSize: number;
        count: number;
        outputDir: string;
      };
    }
  | {
      type: 'file_unchanged';
      file: {
        filePath: string;
      };
    };

export interface FileEditOutput {
  filePath: string;
  oldString: string;
  newString: string;
  originalFile: string | null;
  structuredPatch: StructuredPatchHunk[];
  userModified: boolean;
  replaceAll: boolean;
  gitDiff?: GitDiff;
  staged?: boolean;
}

export interface FileWriteOutput {
  type: 'create' | 'update';
  filePath: string;
  content: string;
  structuredPatch: StructuredPatchHunk[];
  originalFile: string | null;
  userModified?: boolean;
  gitDiff?: GitDiff;
  staged?: boolean;
}

export interface GlobOutput {
  durationMs: number;
  numFiles: number;
  filenames: string[];
  truncated: boolean;
  totalMatches?: number;
  countIsComplete?: boolean;
  timedOut?: boolean;
}

export type GrepInput = GrepInput_1 & {
  '-o'?: boolean;
};

export interface GrepOutput {
  mode?: 'content' | 'files_with_matches' | 'count';
  numFiles: number;
  filenames: string[];
  content?: string;
  numLines?: number;
  numMatches?: number;
  totalFiles?: number;
  totalLines?: number;
  appliedLimit?: number;
  appliedOffset?: number;
  timedOut?: boolean;
}

export interface NotebookEditOutput {
  new_source: string;
  old_source?: string;
  cell_id?: string;
  cell_type: 'code' | 'markdown';
  language: string;
  edit_mode: string;
  error?: string;
  notebook_path: string;
  original_file: string;
  updated_file: string;
}

interface Todo {
  content: string;
  status: Status;
  activeForm: string;
}

export interface TodoWriteInput {
  todos: Todo[];
}

export interface TodoWriteOutput {
  oldTodos: Todo[];
  newTodos: Todo[];
}

export interface WebFetchInput extends WebFetchInput_1 {
  offset?: number;
}

export interface WebFetchOutput {
  bytes: number;
  code: number;
  codeText: string;
  result: string;
  durationMs: number;
  url: string;
}

export interface WebSearchOutput {
  query: string;
  results: (
    | string
    | {
        tool_use_id: string;
        content: {
          title: string;
          url: string;
          snippet?: string;
        }[];
      }
  )[];
  durationSeconds: number;
  searchCount?: number;
}

export interface ExitPlanModeInput extends Fields {
  allowedPrompts?: {
    tool: 'Bash';
    prompt: string;
  }[];
}

export interface ExitPlanModeOutput {
  plan: string | null;
  isAgent: boolean;
  filePath?: string;
  hasTaskTool?: boolean;
  planWasEdited?: boolean;
  awaitingLeaderApproval?: boolean;
  requestId?: string;
}

export type EnterPlanModeInput = Record<never, never>;

export interface EnterPlanModeOutput {
  message: string;
}

export interface EnterWorktreeInput extends EnterWorktreeInput_1 {
  path?: string;
}

export interface EnterWorktreeOutput {
  worktreePath: string;
  worktreeBranch?: string;
  message: string;
}

export interface ExitWorktreeOutput {
  action: 'keep' | 'remove';
  originalCwd: string;
  worktreePath: string;
  worktreeBranch?: string;
  tmuxSessionName?: string;
  discardedFiles?: number;
  discardedCommits?: number;
  message: string;
}

interface Choice {
  label: string;
  description: string;
  preview?: string;
}

interface Question {
  question: string;
  header: string;
  options: [Choice, Choice] | [Choice, Choice, Choice] | [Choice, Choice, Choice, Choice];
  multiSelect: boolean;
}

interface Asked {
  annotations?: {
    [question: string]: {
      preview?: string;
      notes?: string;
    };
  };
}

export interface AskUserQuestionInput extends Asked {
  questions:
    | [Question]
    | [Question, Question]
    | [Question, Question, Question]
    | [Question, Question, Question, Question];
  answers?: {
    [question: string]: string;
  };
  metadata?: {
    source?: string;
  };
}

export interface AskUserQuestionOutput extends Asked {
  questions: Question[];
  answers: {
    [question: string]: string;
  };
}

export interface TaskStopInput {
  task_id?: string;
  shell_id?: string;
}

export interface TaskStopOutput {
  message: string;
  task_id: string;
  task_type: string;
  command?: string;
}

export interface TaskCreateInput {
  subject: string;
  description: string;
  activeForm?: string;
  metadata?: Fields;
}

export interface TaskCreateOutput {
  task: {
    id: string;
    subject: string;
    description?: string;
  };
}

export interface TaskGetInput {
  taskId: string;
}

export interface TaskGetOutput {
  task: {
    id: string;
    subject: string;
    description: string;
    status: Status;
    blocks: string[];
    blockedBy: string[];
  } | null;
}

export interface TaskUpdateInput {
  taskId: string;
  subject?: string;
  description?: string;
  activeForm?: string;
  status?: Status | 'deleted';
  addBlocks?: string[];
  addBlockedBy?: string[];
  owner?: string;
  metadata?: Fields;
}

export interface TaskUpdateOutput {
  success: boolean;
  taskId: string;
  updatedFields: string[];
  error?: string;
  statusChange?: {
    from: string;
    to: string;
  };
}

export type TaskListInput = Record<never, never>;

export interface TaskListOutput {
  tasks: {
    id: string;
    subject: string;
    status: Status;
    owner?: string;
    blockedBy: string[];
  }[];
}

export interface ListMcpResourcesInput {
  server?: string;
}

export type ListMcpResourcesOutput = {
  uri: string;
  name: string;
  mimeType?: string;
  description?: string;
  server: string;
}[];

export interface ReadMcpResourceInput {
  server: string;
  uri: string;
}

export interface ReadMcpResourceOutput {
  contents: {
    uri: string;
    mimeType?: string;
    text?: string;
    blobSavedTo?: string;
  }[];
  error?: string;
}

export interface ReadMcpResourceDirInput {
  server: string;
  uri: string;
}

export interface ReadMcpResourceDirOutput {
  resources: {
    uri: string;
    name: string;
    mimeType?: string;
  }[];
  error?: string;
}

export interface RefreshMcpToolsInput {
  server?: string;
}

export type RefreshMcpToolsOutput = {
  server: string;
  status: 'refreshed' | 'error' | 'not_connected';
  toolCount?: number;
  added?: string[];
  removed?: string[];
  error?: string;
}[];

export type McpInput = Fields;

export type McpOutput =
  | string
  | {
      type: string;
      [key: string]: unknown;
    }[]
  | Fields;

export interface ArtifactInput extends Fields {
  action?: string;
}

export type ArtifactOutput = Fields;

export interface ClaudeDesignInput {
  operation: string;
  arguments: Fields;
}

export interface ClaudeDesignOutput {
  operation: string;
  content: Fields[];
  isError?: boolean;
}

export interface CronCreateInput {
  cron: string;
  prompt: string;
  recurring?: boolean;
  durable?: boolean;
}

export interface CronCreateOutput extends Fields {
  id: string;
  humanSchedule: string;
  recurring: boolean;
}

export interface CronDeleteInput {
  id: string;
}

export interface CronDeleteOutput extends Fields {
  id: string;
}

export type CronListInput = Record<never, never>;

export interface CronListOutput {
  jobs: {
    id: string;
    cron: string;
    humanSchedule: string;
    prompt: string;
    recurring?: boolean;
    durable?: boolean;
  }[];
}

export interface MonitorInput {
  description: string;
  timeout_ms: number;
  command?: string;
  ws?: {
    url: string;
    protocols?: string[];
  };
}

export interface MonitorOutput {
  taskId: string;
  timeoutMs: number;
  persistent?: boolean;
}

export interface OfferChromeSetupInput {
  reason?: string;
}

export interface OfferChromeSetupOutput {
  outcome: 'connected' | 'not_now' | 'no_attempt_yet';
}

export interface ProjectsInput extends Fields {
  method: string;
}

export interface ProjectsOutput extends Fields {
  method: string;
}

export interface ProposeGoalInput {
  condition: string;
  ask_user?: boolean;
}

export interface ProposeGoalOutput {
  condition: string;
  askUser: boolean;
}

export interface ProposeSkillsInput {
  proposals: Fields[];
}

export interface ProposeSkillsOutput {
  proposalCount: number;
}

export interface PushNotificationInput {
  message: string;
  status?: 'proactive';
}

export interface PushNotificationOutput {
  message: string;
  pushSent?: boolean;
  localSent?: boolean;
  disabledReason?: 'config_off' | 'user_present' | 'no_transport';
  sentAt?: string;
}

export type ReadNotificationsInput = Record<never, never>;

export interface ReadNotificationsOutput {
  notifications: {
    notification_id: string;
    origin: string;
    queued_at: string;
    content: string;
    arrived_at?: string;
  }[];
  remaining: number;
  read_at?: string;
}

export interface RemoteTriggerInput {
  action: string;
  trigger_id?: string;
  session_id?: string;
  cursor?: string;
  body?: Fields;
}

export interface RemoteTriggerOutput {
  status: number;
  json: string;
  summary?: string;
}

export interface ReportFindingsInput {
  level?: Effort;
  findings: Finding[];
}

interface Finding {
  file: string;
  line?: number;
  summary: string;
  short_summary?: string;
  failure_scenario: string;
  category?: string;
  severity?: 'important' | 'pre_existing' | 'nit';
  verdict?: 'CONFIRMED' | 'PLAUSIBLE';
  outcome?: 'fixed' | 'skipped' | 'no_change_needed';
}

export interface ReportFindingsOutput {
  count: number;
  level?: Effort;
  findings: Finding[];
}

export interface ScheduleWakeupInput {
  delaySeconds?: number;
  reason?: string;
  prompt?: string;
  stop?: boolean;
  noop?: boolean;
}

export interface ScheduleWakeupOutput {
  scheduledFor: number;
  clampedDelaySeconds: number;
  wasClamped: boolean;
  stopped?: boolean;
  cancelledWakeups?: number;
}

export interface SendFeedbackInput extends Fields {
  type: 'bug' | 'idea' | 'missing_capability';
  title: string;
  details: string;
}

export interface SendFeedbackOutput {
  success: boolean;
  message: string;
}

export type ShowOnboardingRolePickerInput = Record<never, never>;

export interface ShowOnboardingRolePickerOutput {
  role?: string;
  dismissed?: boolean;
}

export interface WorkflowInput {
  script?: string;
  name?: string;
  description?: string;
  title?: string;
  args?: Fields;
  scriptPath?: string;
  resumeFromRunId?: string;
}

export interface WorkflowOutput extends Fields {
  status: 'async_launched' | 'remote_launched';
  taskId: string;
}

export type ToolInputSchemas =
  | AgentInput
  | ArtifactInput
  | AskUserQuestionInput
  | BashInput
  | EnterWorktreeInput
  | ExitPlanModeInput
  | ExitWorktreeInput
  | FileEditInput
  | FileReadInput
  | FileWriteInput
  | GlobInput
  | GrepInput
  | ListMcpResourcesInput
  | McpInput
  | MonitorInput
  | NotebookEditInput
  | ReadMcpResourceInput
  | TaskCreateInput
  | TaskGetInput
  | TaskListInput
  | TaskStopInput
  | TaskUpdateInput
  | TodoWriteInput
  | WebFetchInput
  | WebSearchInput;

export type ToolOutputSchemas =
  | AgentOutput
  | ArtifactOutput
  | AskUserQuestionOutput
  | BashOutput
  | EnterWorktreeOutput
  | ExitPlanModeOutput
  | ExitWorktreeOutput
  | FileEditOutput
  | FileReadOutput
  | FileWriteOutput
  | GlobOutput
  | GrepOutput
  | ListMcpResourcesOutput
  | McpOutput
  | MonitorOutput
  | NotebookEditOutput
  | ReadMcpResourceOutput
  | TaskCreateOutput
  | TaskGetOutput
  | TaskListOutput
  | TaskStopOutput
  | TaskUpdateOutput
  | TodoWriteOutput
  | WebFetchOutput
  | WebSearchOutput;

export {};
