// The contract of a tool. A tool says what it does, what a call would touch, and does it; it never asks for
// permission, emits messages or reads settings: `engine/calls/execute-tool.ts` does, from what is declared here.
import type { Host, Located } from '../host/host.js';
import type { ToolResultContent } from '../protocol/content.js';
import { ConfigError } from '../protocol/errors.js';
import { checkObject, kindOf } from '../protocol/given.js';
import type { JsonSchema } from '../protocol/json.js';
import type { EffortLevel } from '../protocol/options.js';
import type { TaskUsage } from '../protocol/system-messages.js';
import { KeptDefinition, type ToolDefinition } from '../providers/contract/index.js';
import type { CommandSandbox } from '../sandbox/command-sandbox.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import type { BackgroundTasks } from './background-tasks.js';
import type { FileStateCache } from './file-state-cache.js';
import type { ModelQuestion, WebAccess } from './web-access.js';

/** What a permission rule matches on. Paths are absolute but not yet resolved. */
export type ToolSubject =
  | { readonly kind: 'none' }
  /**
   * Something outside that only a server knows: never inside the workspace. `ofServer`: `mcp__<server>__` of a server that is
   * asked without a tool of its own; what denies all its tools denies this.
   */
  | { readonly kind: 'external'; readonly ofServer?: string }
  /** `unsandboxed`: the call asks to run outside the sandbox. `outlives`: the command goes on after its call. */
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly unsandboxed?: boolean;
      readonly outlives?: boolean;
    }
  /** An agent or a skill. `isText`: a call only brings a text, and allows nothing beside it. */
  | { readonly kind: 'name'; readonly name: string; readonly isText?: boolean }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'path'; readonly path: string; readonly access: 'read' | 'write' };

/** True for a file that rules keep from a call. Paths are absolute. */
export interface KeptFiles {
  (file: string): boolean;
  /** False if nothing below the folder can be such a file. */
  mayKeepBelow?(folder: string): boolean;
}

/** What a tool gets for one call. */
export interface ToolContext {
  readonly host: Host;
  /** Absolute working directory of the agent: where commands start and relative paths begin. */
  readonly cwd: string;
  /** The folder that the agent works for, of which `cwd` may be a part. Default `cwd`. */
  readonly folder?: string;
  /** How a command that runs may go on in the background. Absent: it may not. */
  readonly background?: BackgroundMoves;
  /** The worktrees of the session. Absent if the agent cannot move to one. */
  readonly worktrees?: ToolWorktrees;
  /**
   * A command ended in another folder, which is the working directory of the calls that follow. Absent: it stays.
   * Contract: never throws; gives what the model must be told, null if there is nothing.
   */
  moveTo?(folder: string): Promise<string | null>;
  /** Environment for child processes. Provider credentials are not in it. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** For servers that work for the call, if a trace is recorded. Programs have it in `childEnv`. */
  readonly traceContext?: TraceContext;
  /** Aborted when the call must end: by the caller, or at the session's end. */
  readonly signal: AbortSignal;
  readonly toolUseId: string;
  /** Which file versions the model has seen. */
  readonly readFileCache: FileStateCache;
  /** A private folder for output too large to show, or null if nothing may be written. */
  readonly spoolDirectory: string | null;
  /** Milliseconds a call may run that names no timeout of its own. */
  readonly toolTimeoutMs: number;
  readonly todos: TodoStore;
  /** Confines what a tool starts. Absent: commands run as they are. */
  readonly sandbox?: CommandSandbox;
  /** Knows what placeholders in an input stand for. Absent: secrets are not hidden, and there are none. */
  readonly secrets?: SecretVault;
  /**
   * What the path of the call's subject led to when it was decided: the file or folder to work on, and no other. Absent
   * if nobody decided, or the call names no path.
   */
  readonly located?: Located;
  /** True if this call was allowed to run outside the sandbox. */
  readonly runUnsandboxed?: boolean;
  /**
   * Files that rules keep from being read, or with `write` from being changed, `change` by rules about changes alone: a search that starts at `start`
   * leaves them out. What a rule asks about is kept too, unless it was asked about with `start`. Null, or absent, if
   * there is no such rule.
   */
  hiddenFiles?(start: string | null, access?: 'read' | 'write' | 'change'): Promise<KeptFiles | null>;
  /**
   * Asks the user, for tools that say `asksUser`; null if nobody can be asked. Contract: never rejects; settles soon
   * after `signal` aborts.
   */
  readonly elicit: ((question: UserQuestion) => Promise<UserAnswer>) | null;
  /** True if no person follows the session while it runs. */
  readonly isNonInteractiveSession: boolean;
  /**
   * Runs a subagent to its end, for tools that say `spawnsAgents`. Absent if no more agents may be started here.
   * Contract: throws `ToolError` if the request cannot be met; settles soon after `signal` aborts, and nothing of
   * the agent is left then but its background tasks, which are then its caller's.
   */
  spawnAgent?(request: AgentRequest): Promise<AgentReport>;
  /**
   * Makes one call of another tool, for tools that say `callsTools`: it is decided, hooked, recorded and shown like a call
   * of the model. Contract: never rejects; calls that only read run beside each other, all others alone and in order.
   */
  callTool?(name: string, input: unknown): Promise<NestedResult>;
  /** The background tasks of the session, as this agent may see them. Absent if nothing may outlive a call. */
  openTasks?(): Promise<BackgroundTasks>;
  /** The web, as the session may reach it. Absent: not at all. */
  openWeb?(): Promise<WebAccess>;
  /**
   * Asks a small model, for tools that say `asksModel`: one request, without tools, that is paid for as any other. Null
   * if the session has none, or it gave no answer.
   * Contract: never rejects, but with `AbortError`.
   */
  askModel?(question: ModelQuestion): Promise<string | null>;
  /**
   * Permission rules that count from now on, for as long as the prompt or the subagent runs, for tools that say
   * `approvesTools`. What denies or asks stands above them. Contract: `ConfigError` for what is no rule.
   */
  approveTools?(rules: readonly string[]): Promise<void>;
  /**
   * Hooks of a skill that run from now on, as long as it is in use, for tools that say `approvesTools`. What cannot be used of
   * them is told. Contract: never rejects.
   */
  startHooks?(of: SkillHooks): Promise<void>;
  /** The plan of the session, for tools that say `entersPlan` or `exitsPlan`. Absent: it has none. */
  openPlan?(): Promise<PlanAccess>;
  /**
   * Reports output while the tool runs, for display.
   * Contract: cheap, never throws; may be called any number of times.
   */
  onProgress(text: string): void;
  /** Says how far the call is. Contract: as `onProgress`. */
  tellProgress?(progress: CallProgress): void;
}

/** The hooks of a skill as it was loaded. */
export interface SkillHooks {
  readonly name: string;
  readonly scope: 'project' | 'user' | 'plugin';
  /** Its SKILL.md and its folder, absolute. */
  readonly file: string;
  readonly folder: string;
  /** Foreign data, by event. */
  readonly hooks: Readonly<Record<string, unknown>>;
  /** What of it is not as somebody vouched for it; null if nobody has to. */
  readonly changedFiles: (() => Promise<readonly string[]>) | null;
}

/** A span of a trace, as the W3C trace context writes it. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** How far a call is. */
export interface CallProgress {
  readonly progress: number;
  readonly total?: number;
  /** In a few words. */
  readonly message?: string;
}

/** The plan of a session that comes to mode `plan`. */
export interface PlanAccess {
  /** Absolute; null if the session keeps no files. */
  readonly file: string | null;
  /** What the model is told of the mode. */
  readonly workflow: string;
  /** '' if there is none yet. @throws FileError */
  read(): Promise<string>;
  /** Does nothing if there is no file. @throws FileError */
  write(plan: string): Promise<void>;
  /** The user approved what it holds. */
  approved(): void;
}

export interface BackgroundMoves {
  /** Milliseconds after which a command goes on there by itself; null: never. */
  readonly afterMs: number | null;
  /** True: at its timeout a command goes on there, instead of being stopped. */
  readonly atTimeout: boolean;
  /** `move` is called when a person wants the call to go on there. Gives what ends that. */
  listen(move: () => void): () => void;
}

/** How the session moves to a worktree and back. */
export interface ToolWorktrees {
  /**
   * A new one, or the one that was kept if `name` is its name.
   * @returns `note`: what the model must be told of the move
   * @throws ToolError if it cannot be had
   */
  enter(
    name: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly path: string; readonly branch: string | null; readonly note: string; readonly isNew: boolean }>;
  /**
   * `remove` refuses if work would be lost, and says which.
   * @throws ToolError if there is none to leave, or it cannot be removed
   */
  leave(how: 'keep' | 'remove' | 'discard', signal: AbortSignal): Promise<WorktreeLeft>;
}

export type WorktreeLeft =
  | { readonly isLeft: true; readonly note: string }
  | { readonly isLeft: false; readonly uncommitted: readonly string[]; readonly unmerged: readonly string[] };

export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  /** What it is called while it is worked on: "Running the tests". */
  readonly activeForm?: string;
  readonly priority?: 'low' | 'medium' | 'high';
  /** More than its name says; of lists that are kept by TaskCreate and its kin, as is what follows. */
  readonly description?: string;
  readonly owner?: string;
  /** Ids of those that have to be done before. */
  readonly blockedBy?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface TodoStore {
  get(): readonly TodoItem[];
  set(todos: readonly TodoItem[]): void;
}

/** One piece of work for a subagent. */
export interface AgentRequest {
  /** Its name; null for the agent of all trades. */
  readonly agent: string | null;
  /** All that it is told. */
  readonly prompt: string;
  /** What it does, in a few words, for people. */
  readonly description: string;
  /** In place of the model its definition names. */
  readonly model?: string | undefined;
  readonly effort?: EffortLevel | undefined;
  /** Milliseconds after which it is stopped. Absent: never. */
  readonly timeoutMs?: number | undefined;
  /** An agent that there is, by its id or name: `prompt` is said to it, and no other one is started. */
  readonly to?: string | undefined;
  /** By which others may call it while it is known, beside its id. */
  readonly name?: string | undefined;
  /** True: the call does not wait for it. False: it does. Absent: as its definition says. */
  readonly background?: boolean | undefined;
  /** `worktree`: it works in a checkout of its own, whatever its definition says. */
  readonly isolation?: 'worktree' | undefined;
}

/** What became of it. */
export interface AgentReport {
  readonly agentId: string;
  /** The name of the agent that ran. */
  readonly agent: string;
  /** The last text it said; '' if it said nothing. */
  readonly text: string;
  /** Why it did not come to its own end; null if it did. */
  readonly error: string | null;
  readonly usage: TaskUsage;
  /** There if it goes on by itself: nothing else is known of it yet. */
  readonly background?: { readonly taskId: string; readonly outputFile: string | null };
  /** True if it works already and will hear what was said. */
  readonly isHeard?: boolean;
}

/** How a call ended that a tool made. */
export interface NestedResult {
  readonly isError: boolean;
  /** It was not allowed to run. */
  readonly isRefused: boolean;
  /** Whoever refused it wants the whole prompt to end. */
  readonly endsPrompt: boolean;
  /** As a model would read it. */
  readonly text: string;
  /** Typed output, if there is some. */
  readonly data: unknown;
  readonly durationMs: number;
}

/** A form for the user: one property of `requestedSchema` a question. */
export interface UserQuestion {
  readonly message: string;
  readonly requestedSchema: Record<string, unknown>;
  /** A page that the user is to open, in place of a form; the schema has no properties then. */
  readonly url?: string;
  /** What the asker calls the question, if it does. */
  readonly elicitationId?: string;
}

/** `none`: nobody answered, and why. */
export type UserAnswer =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' }
  | { readonly action: 'none'; readonly reason: string };

/** What a call produced: `model` is shown to the model, `data` is typed for the caller (`tool_use_result`). */
export interface ToolOutcome<Output> {
  readonly model: string | readonly ToolResultContent[];
  readonly data: Output;
  /** True if the model should read the result as a failure, for example a command's non-zero exit. */
  readonly isError?: boolean;
}

export interface Tool<Input = never, Output = unknown> {
  readonly name: string;
  /** Told to the model. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** What the model is told, made once by `defineTool`. Absent, or no longer fitting: each session makes its own. */
  readonly definition?: ToolDefinition;
  /** What an input must satisfy, if more is accepted than the model is told of. Default `inputSchema`. */
  readonly acceptedInput?: JsonSchema;
  /**
   * Fields that other tools of its kind have and this one refuses: what to do instead, by their names. Told when a call
   * gives one. Clauses, without a full stop.
   */
  readonly otherFields?: Readonly<Record<string, string>>;
  /** What an input must satisfy that a hook or the host changed. Default: as one from the model. */
  readonly approvedInput?: JsonSchema;
  /** Its calls are questions to the user: the host is asked about each, since it may answer by changing the input. */
  readonly asksUser?: boolean;
  /** Its calls show a plan: each is asked about, in mode `plan` only, and a yes ends the mode. */
  readonly exitsPlan?: boolean;
  /** Its calls ask to plan first: each is asked about, and a yes begins mode `plan`. */
  readonly entersPlan?: boolean;
  /** True for a call that changes what calls are held against: it is asked about in every mode. Contract: pure. */
  confines?(input: Input): boolean;
  /** Why a person has to say yes to the next call, whatever rules allow; null if nobody has to. Contract: cheap. */
  mustAsk?(): string | null;
  /** The call that a call of it means: that one is checked, decided on and run in its place. Contract: pure. */
  standsFor?(input: Input): { readonly name: string; readonly input: Record<string, unknown> };
  /** Changes nothing outside the engine. */
  readonly readOnly: boolean;
  /** The same of one call, if not all of them are alike. Default: `readOnly`. Contract: pure. */
  onlyReads?(input: Input): boolean;
  /** May run beside other calls that say so too. */
  readonly concurrencySafe: boolean;
  /**
   * It may be left out of requests until it was found by ToolSearch, if that saves enough: `server` counts for whether it
   * does, `rare` goes along once it does.
   */
  readonly deferrable?: 'server' | 'rare';
  /** Its calls make calls of other tools, through `ToolContext.callTool`. */
  readonly callsTools?: boolean;
  /** What it gives is for the model that calls it: no other tool may make calls of it. */
  readonly forModelOnly?: boolean;
  /** Words that the search finds it by, beside its name, its description and its arguments. */
  readonly searchHint?: string;
  /** It asks how something else is getting on: the same call with the same answer, again and again, is no circle. */
  readonly polls?: boolean;
  /**
   * Its calls start subagents. They wait until their reply is whole, for what an agent did cannot be taken back; and
   * agents that may start none are not offered the tool.
   */
  readonly spawnsAgents?: boolean;
  /** Its calls may ask a small model. */
  readonly asksModel?: boolean;
  /** Its calls move the session to another folder, so that subagents are not offered it. */
  readonly movesSession?: boolean;
  /** Its calls may allow other calls; a subject that says `isText` is a promise that they do not. */
  readonly approvesTools?: boolean;
  /** One line for people: what this call does. No line breaks. */
  title(input: Input): string;
  /** Contract: pure; `input` satisfies `inputSchema`. */
  subject(input: Input, cwd: string): ToolSubject;
  /**
   * Runs one call. Called once, after the input was validated and the call allowed.
   * Contract: throws `ToolError` for what the model should read; any other throw is a bug. Settles soon after
   * `context.signal` aborts, leaving nothing running but background tasks.
   */
  run(input: Input, context: ToolContext): Promise<ToolOutcome<Output>>;
}

/** Any tool, if its input type does not matter. Its methods take only what `inputSchema` accepted. */
export type AnyTool = Tool<never, unknown>;
export type Tools = readonly AnyTool[];

/** Declares a tool: infers its types, and keeps what the model is told of it for all sessions that have it. @throws ConfigError */
export function defineTool<Input, Output>(tool: Tool<Input, Output>): Tool<Input, Output> {
  checkObject(tool, 'What defineTool() is given');
  for (const field of ['name', 'description'] as const) {
    if (typeof tool[field] !== 'string')
      throw new ConfigError(`The ${field} of a tool must be a text, not ${kindOf(tool[field])}.`);
  }
  if (!Object.isExtensible(tool) || 'definition' in tool) return tool;
  // Not enumerable: a copy of the tool may say something else.
  return Object.defineProperty(tool, 'definition', { value: new KeptDefinition(tool) });
}

/** The tool a call names, by exact name. */
export function toolNamed(tools: Tools, name: string): AnyTool | undefined {
  return tools.find((tool) => tool.name === name);
}

/** The name of the tool that a call means: the host may have given it another. One step, no chain. */
export function calledName(
  { toolAliases }: { readonly toolAliases?: Readonly<Record<string, string>> | undefined },
  name: string,
): string {
  return toolAliases !== undefined && Object.hasOwn(toolAliases, name) ? (toolAliases[name] ?? name) : name;
}

/** True if the tool of that name only reads and says that its calls may run beside others. */
export function runsBesideOthers(tools: Tools, name: string): boolean {
  const tool = toolNamed(tools, name);
  return tool?.readOnly === true && tool.concurrencySafe;
}

/** True if its calls may also start before their reply is whole. */
export function startsEarly(tools: Tools, name: string): boolean {
  return runsBesideOthers(tools, name) && toolNamed(tools, name)?.spawnsAgents !== true;
}
