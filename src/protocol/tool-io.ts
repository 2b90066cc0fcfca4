// Inputs and outputs of the built-in tools, as the caller sees them: the input of a `tool_use` block and
// the `tool_use_result` of the user message that answers it. Spec 004, built-in tool types.
import type { EffortLevel } from './options.js';

/** The model is told of the first four; the others are accepted as well. */
export type AgentInput = {
  prompt: string;
  /** What the agent does, in three to five words. */
  description?: string;
  /** The agent's name; `agent` means the same. */
  subagent_type?: string;
  model?: string;
  effort?: EffortLevel;
  agent?: string;
  /** Milliseconds after which the agent is stopped. */
  timeout_ms?: number;
  /** True: the call does not wait for the agent. */
  run_in_background?: boolean;
  /** By which SendMessage finds it, beside its id. */
  name?: string;
  /** `worktree`: it works in a checkout of its own. */
  isolation?: 'worktree';
  /** The id or name of an agent that ended: it goes on with what it knows. */
  resume?: string;
};

export type AgentOutput = {
  /** '' if the call does not wait for the agent. */
  result: string;
  agent?: string;
  error?: string;
  /** There if the call does not wait: TaskOutput and TaskStop take it, SendMessage too. */
  backgroundTaskId?: string;
  /** The file with what it says meanwhile. */
  outputFile?: string;
};

export type SendMessageInput = {
  /** The id or name of an agent. */
  to: string;
  message: string;
};

export type SendMessageOutput = {
  success: boolean;
  to: string;
  /** True if the agent had ended and goes on now. */
  resumed?: boolean;
};

export type BashInput = {
  command: string;
  timeout?: number;
  description?: string;
  run_in_background?: boolean;
  dangerouslyDisableSandbox?: boolean;
};

export type BashOutput = {
  stdout: string;
  stderr: string;
  /** 0 also if the command goes on in the background. */
  exitCode: number;
  interrupted?: boolean;
  /** The task that the command goes on as: its output is there, not here. */
  backgroundTaskId?: string;
  /** True if a person moved it there. */
  backgroundedByUser?: boolean;
  /** Milliseconds after which it was stopped, or moved there. */
  timedOutAfterMs?: number;
  /** The file that holds all of the output, if that was too long to show, and its size in bytes. */
  persistedOutputPath?: string;
  persistedOutputSize?: number;
  /** What its exit code means, if it is no failure: grep found nothing, files differ. */
  returnCodeInterpretation?: string;
  /** True if it printed an image, as a data address, which the model sees as one. */
  isImage?: boolean;
  /** True for a command that says nothing if it succeeds, such as mkdir. */
  noOutputExpected?: boolean;
  /** True if it was to run outside of the sandbox. */
  dangerouslyDisableSandbox?: boolean;
  /** Of one in the background that changes its folder: the session stays in its own. */
  backgroundCwdHint?: string;
  /** Files that the model has read and that are others since it ran, as the model is told. */
  staleReadFileStateHint?: string;
  /** What the model is told if GitHub takes no more requests of gh for now. */
  ghRateLimitHint?: string;
  /** What git or gh say that it did. */
  gitOperation?: {
    commit?: { sha: string; kind: 'committed' | 'amended' | 'cherry-picked'; branch?: string };
    push?: { branch: string };
    branch?: { ref: string; action: 'merged' | 'rebased' };
    pr?: {
      number: number;
      url?: string;
      action:
        | 'created'
        | 'edited'
        | 'merged'
        | 'commented'
        | 'closed'
        | 'reopened'
        | 'ready'
        | 'draft'
        | 'auto-merge-enabled'
        | 'auto-merge-disabled';
    };
  };
};

export type FileReadInput = {
  file_path: string;
  offset?: number;
  limit?: number;
  pages?: string;
};

export type FileReadOutput =
  | {
      type: 'text';
      text: string;
      file_path: string;
      totalLines?: number;
    }
  | {
      type: 'image';
      source: {
        type: 'base64';
        media_type: string;
        data: string;
      };
      file_path: string;
    }
  | {
      type: 'notebook';
      cells: Array<{
        cell_number: number;
        cell_type: 'code' | 'markdown' | 'raw';
        source: string;
        outputs?: string[];
      }>;
      file_path: string;
    }
  | {
      type: 'pdf';
      pages: Array<{
        page_number: number;
        content: string;
      }>;
      file_path: string;
      totalPages: number;
    }
  | {
      type: 'parts';
      parts: Array<
        { type: 'text'; text: string } | { type: 'image'; source: { type: 'base64'; media_type: string; data: string } }
      >;
      file_path: string;
    }
  | {
      type: 'file_unchanged';
      file_path: string;
      message: string;
    };

export type FileEditInput = {
  file_path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
};

/** One piece of a change: the lines of both sides, each with ' ', '-', '+' or '\\' in front. */
export interface StructuredPatchHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

export type FileEditOutput = {
  success: boolean;
  file_path: string;
  diff?: string;
  /** The same change as its hunks. Absent if it is too large to be told. */
  structuredPatch?: StructuredPatchHunk[];
  error?: string;
};

export type FileWriteInput = {
  file_path: string;
  content: string;
};

export type FileWriteOutput = {
  success: boolean;
  file_path: string;
  bytesWritten?: number;
  /** True if there was no such file. */
  created?: boolean;
  /** What a replaced text became, if that is not too large to be told. */
  structuredPatch?: StructuredPatchHunk[];
  error?: string;
};

export type GlobInput = {
  pattern: string;
  path?: string;
};

export type GlobOutput = {
  files: string[];
  totalMatches: number;
  truncated?: boolean;
};

export type GrepInput = {
  pattern: string;
  path?: string;
  glob?: string;
  type?: string;
  output_mode?: 'content' | 'files_with_matches' | 'count';
  head_limit?: number;
  offset?: number;
  context?: number;
  '-A'?: number;
  '-B'?: number;
  '-C'?: number;
  '-i'?: boolean;
  '-n'?: boolean;
  multiline?: boolean;
};

export type GrepOutput = {
  results: string;
  matchCount: number;
  truncated?: boolean;
};

export type WebFetchInput = {
  url: string;
  prompt: string;
};

export type WebFetchOutput = {
  content: string;
  url: string;
  statusCode?: number;
  error?: string;
  redirectUrl?: string;
};

export type WebSearchInput = {
  query: string;
  allowed_domains?: string[];
  blocked_domains?: string[];
};

export type WebSearchOutput = {
  results: Array<{
    title: string;
    url: string;
    snippet: string;
  }>;
  query: string;
};

export type AskUserQuestionInput = {
  question: string;
  options?: string[];
  default?: string;
};

export type AskUserQuestionOutput = {
  answer: string;
};

export type NotebookEditInput = {
  notebook_path: string;
  cell_id?: string;
  cell_type?: 'code' | 'markdown';
  new_source: string;
  edit_mode?: 'replace' | 'insert' | 'delete';
};

export type NotebookEditOutput = {
  success: boolean;
  notebook_path: string;
  error?: string;
};

/** With `output` a text for the task's stdin; without it, what the task printed since it was read last. */
export type TaskOutputInput = {
  task_id: string;
  output?: string;
  /** False: what there is now. Default: waits for the task's end. */
  block?: boolean;
  /** How long it waits, milliseconds. Default 30,000. */
  timeout?: number;
};

export type TaskOutputOutput = {
  task_id: string;
  status: 'running' | 'completed' | 'failed' | 'stopped';
  /** What the task printed since it was read last. Absent if a text was written to it. */
  output?: string;
  /** Of a task that ended by itself. */
  exitCode?: number;
  /** The file with all its output. */
  output_file?: string;
};

export type TaskStopInput = {
  task_id: string;
  reason?: string;
};

export type TaskStopOutput = {
  success: boolean;
  task_id: string;
  error?: string;
};

export type ExitPlanModeInput = {
  confirm?: boolean;
};

export type EnterPlanModeInput = Record<never, never>;

export type EnterPlanModeOutput = {
  success: boolean;
  message: string;
};

export type ExitPlanModeOutput = {
  success: boolean;
  /** What was approved, and where it is kept. */
  plan?: string;
  filePath?: string;
  /** True if whoever approved it changed it. */
  planWasEdited?: boolean;
  error?: string;
};

export type UpdateGoalInput = {
  status: 'complete' | 'blocked';
  /** How it is known, or what is needed. */
  reason: string;
};

export type UpdateGoalOutput = {
  success: boolean;
  message: string;
};

export type ConfigInput = {
  action: 'get' | 'set' | 'list';
  key?: string;
  value?: unknown;
  scope?: 'user' | 'project' | 'local';
};

export type ConfigOutput = {
  success: boolean;
  value?: unknown;
  values?: Record<string, unknown>;
  error?: string;
};

export type EnterWorktreeInput = {
  name?: string;
};

export type EnterWorktreeOutput = {
  worktree_path: string;
  branch_name: string;
  success: boolean;
  error?: string;
};

export type ExitWorktreeInput = {
  action: 'keep' | 'remove';
  discard_changes?: boolean;
};

export type ExitWorktreeOutput = {
  success: boolean;
  error?: string;
  uncommitted_files?: string[];
  unmerged_commits?: string[];
};

export type TodoWriteInput = {
  todos: Array<{
    id?: string;
    content: string;
    status: 'pending' | 'in_progress' | 'completed';
    /** What it is called while it is worked on. */
    activeForm?: string;
    priority?: 'low' | 'medium' | 'high';
  }>;
};

export type TodoWriteOutput = {
  success: boolean;
  todos: Array<{
    id: string;
    content: string;
    status: 'pending' | 'in_progress' | 'completed';
    /** What it is called while it is worked on. */
    activeForm?: string;
    priority?: 'low' | 'medium' | 'high';
  }>;
  error?: string;
};

export type TaskStatus = 'pending' | 'in_progress' | 'completed';

export type TaskCreateInput = {
  subject: string;
  description: string;
  /** What it is called while it is worked on. */
  activeForm?: string;
  metadata?: Record<string, unknown>;
};

export type TaskCreateOutput = {
  task: { id: string; subject: string; description: string };
};

export type TaskGetInput = {
  taskId: string;
};

export type TaskGetOutput = {
  /** Null: there is none with this id. */
  task: {
    id: string;
    subject: string;
    description: string;
    status: TaskStatus;
    /** Ids of those that wait for it, and of those that it waits for. */
    blocks: string[];
    blockedBy: string[];
  } | null;
};

export type TaskUpdateInput = {
  taskId: string;
  subject?: string;
  description?: string;
  activeForm?: string;
  status?: TaskStatus | 'deleted';
  addBlocks?: string[];
  addBlockedBy?: string[];
  owner?: string;
  /** Merged into what there is; null takes a key away. */
  metadata?: Record<string, unknown>;
};

export type TaskUpdateOutput = {
  success: boolean;
  taskId: string;
  updatedFields: string[];
  error?: string;
  statusChange?: { from: string; to: string };
};

export type TaskListInput = Record<never, never>;

export type TaskListOutput = {
  /** `blockedBy`: those that are not done yet. */
  tasks: Array<{ id: string; subject: string; status: TaskStatus; owner?: string; blockedBy: string[] }>;
};

export type ListMcpResourcesInput = {
  server_name: string;
};

export type ListMcpResourcesOutput = {
  resources: Array<{
    uri: string;
    name: string;
    description?: string;
    mimeType?: string;
  }>;
  server_name: string;
};

export type ReadMcpResourceInput = {
  server_name: string;
  uri: string;
};

export type McpInput = {
  server_name: string;
  tool_name: string;
  arguments?: Record<string, unknown>;
};

export type McpOutput = {
  content: unknown;
  isError?: boolean;
};

export type SkillInput = {
  /** Its name. */
  skill: string;
  /** What it is to work on. */
  args?: string;
};

export type SkillOutput = {
  skill: string;
  /** Absolute. */
  folder: string;
};

export type RunScriptInput = {
  /** JavaScript: the body of an async function. */
  code: string;
  /** What it does, for people. */
  description?: string;
};

export type RunScriptOutput = {
  /** What it returned, as JSON. Absent: nothing. */
  value?: string;
  /** What it printed, as far as it is kept. */
  printed: string;
  /** Why it did not come to its end. */
  error?: string;
  /** Its calls by tool: how many, and how many of them failed or were not allowed. */
  calls: Array<{ tool: string; count: number; failed: number; denied: number }>;
  /** Time that its code ran, without waits for calls. */
  run_ms: number;
};

export type ToolSearchInput = {
  /** Words, or `select:` and names. */
  query: string;
  max_results?: number;
};

export type ToolSearchOutput = {
  /** Names of the tools that can be called from the next request on. */
  matches: string[];
  query: string;
  /** Tools that a search can find. */
  total_deferred_tools: number;
};

export type ToolInputSchemas =
  | AgentInput
  | BashInput
  | FileReadInput
  | FileEditInput
  | FileWriteInput
  | GlobInput
  | GrepInput
  | WebFetchInput
  | WebSearchInput
  | AskUserQuestionInput
  | NotebookEditInput
  | TaskOutputInput
  | TaskStopInput
  | EnterPlanModeInput
  | ExitPlanModeInput
  | ConfigInput
  | EnterWorktreeInput
  | ExitWorktreeInput
  | TodoWriteInput
  | ListMcpResourcesInput
  | ReadMcpResourceInput
  | McpInput;

export type ToolOutputSchemas =
  | AgentOutput
  | BashOutput
  | FileReadOutput
  | FileEditOutput
  | FileWriteOutput
  | GlobOutput
  | GrepOutput
  | WebFetchOutput
  | WebSearchOutput
  | AskUserQuestionOutput
  | NotebookEditOutput
  | TaskStopOutput
  | EnterPlanModeOutput
  | ExitPlanModeOutput
  | ConfigOutput
  | EnterWorktreeOutput
  | ExitWorktreeOutput
  | TodoWriteOutput
  | ListMcpResourcesOutput
  | McpOutput;
