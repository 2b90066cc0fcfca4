// The loop's state, its endings, and what it needs from outside. The state is replaced each turn, never changed, so
// a test can start from any of them.
import type { GitWatch } from '../../context/git/index.js';
import type { HookResult } from '../../hooks/run-hooks.js';
import type { Host, Located } from '../../host/host.js';
import type { PermissionCall } from '../../permissions/permission-call.js';
import type {
  AssistantMessage,
  MessageParam,
  ToolResultBlock,
  ToolUseBlock,
  Usage,
  UserMessageParam,
} from '../../protocol/content.js';
import type { ModelError, RefusedPart } from '../../protocol/errors.js';
import type { HookEvent } from '../../protocol/hooks.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { SDKDeferredToolUse, SDKMessage, SDKRateLimitInfo, TerminalReason } from '../../protocol/messages.js';
import type { FallbackTrigger } from '../../protocol/model-options.js';
import type { EffortLevel, EngineLimits } from '../../protocol/options.js';
import type { PermissionDecisionClassification } from '../../protocol/permissions.js';
import type { HistoryRepairKind, SDKCompactBoundaryMessage } from '../../protocol/system-messages.js';
import type { LimitState, ModelRequest, Provider } from '../../providers/contract/index.js';
import type { Secrets } from '../../providers/keys/index.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import type { AgentReport, AgentRequest, SkillHooks, ToolContext, ToolSubject, Tools } from '../../tools/tool.js';
import type { ModelQuestion } from '../../tools/web-access.js';
import type { Spending } from './spending.js';

/** Removes keys from each member of a union. */
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A message before `session/messages/envelope.ts` stamped it. */
export type MessageDraft = DistributiveOmit<SDKMessage, 'uuid' | 'session_id' | 'parent_tool_use_id' | 'timestamp'>;

/**
 * The history is another one from here on: compacted, or cut. For the session only; nobody else is shown it. With a
 * boundary, a resumed session starts from here.
 */
export interface HistoryReplaced {
  readonly type: 'history_replaced';
  readonly messages: readonly MessageParam[];
  readonly boundary: {
    readonly summary: string;
    readonly metadata: SDKCompactBoundaryMessage['compact_metadata'];
    /** Called before the loop goes on, if the host puts another conversation in place of `messages`. */
    goOnWith(messages: readonly MessageParam[]): void;
  } | null;
}

/**
 * A whole reply: shown as an assistant message, kept as the very object that the loop goes on with, so that what was
 * derived from it is found again in the next prompt.
 */
export interface WholeReply {
  readonly type: 'reply';
  readonly message: AssistantMessage;
  readonly param: MessageParam;
}

/**
 * What the user said while the prompt ran, delivered between two turns: kept under its own id, and shown only if user
 * messages are replayed.
 */
export interface DeliveredMessage {
  readonly type: 'delivered';
  readonly message: UserMessageParam;
  readonly uuid: string;
  readonly isMeta: boolean;
}

/** A call that another one makes, or its result: kept in a file of its own beside the transcript, and shown below that one. */
export interface NestedMessage {
  readonly type: 'nested';
  /** The id of the call that makes it, and its tool. */
  readonly of: string;
  readonly tool: string;
  /** Null: no more follow. */
  readonly message: Extract<MessageDraft, { type: 'assistant' | 'user' }> | null;
  /** True: on the disk before anything goes on. */
  readonly syncs: boolean;
}

/** A message of a subagent: kept in its own transcript and stamped already, so it is only shown. */
export interface ShownMessage {
  readonly type: 'shown';
  readonly message: SDKMessage;
}

/** What the loop yields. */
export type Draft = MessageDraft | HistoryReplaced | WholeReply | DeliveredMessage | NestedMessage | ShownMessage;

export interface LoopState {
  /** The whole conversation, oldest first. Message objects are never changed. */
  readonly messages: readonly MessageParam[];
  /** The model of the next request; a fallback changes it for the rest of the prompt. */
  readonly model: string;
  /** The model that was named last: `model` is another if that one did not answer, or if the host decides. */
  readonly named: string;
  /** What the host said of the next request; null if it names no models. */
  readonly parameters: RequestParameters | null;
  /** Models of the chain that were tried, or passed over, in this prompt. */
  readonly fallbacks: number;
  /** Model replies so far in this prompt. */
  readonly turns: number;
  /** Model replies so far in the session. */
  readonly sessionTurns: number;
  /** Tokens of all replies so far in this prompt, input and output. */
  readonly tokensUsed: number;
  /** Why the loop goes round once more; tests read it. */
  readonly transition: Transition;
  /** Set once only a last summary may follow; the prompt then ends for this reason. */
  readonly wrapUp: WrapUpReason | null;
  /** Why no more could be spent, a sentence for people; null as long as nothing was refused. */
  readonly shortage: string | null;
  /** True if the budget left the last request a shorter reply than was wanted. */
  readonly isReplyShortened: boolean;
  /** Text of the last reply that had some, with that of the replies that it goes on from. */
  readonly answer: string;
  /** True if the coming reply goes on in the middle of the last one. */
  readonly continues: boolean;
  /** True if the prompt had its answer, and a Stop hook asked for more. */
  readonly isAnswered: boolean;
  /** Times in a row that the API paused the reply. */
  readonly pauses: number;
  /** Times in a row that a reply was cut by the output limit; after the first, the model's own limit is used. */
  readonly cutReplies: number;
  /** Times in a row that the request was too long for the model. */
  readonly overflows: number;
  /** Times in a row that the model's API refused a part of the request. */
  readonly refusals: number;
  /** Times that a Stop hook made the prompt go on. */
  readonly stopBlocks: number;
  /** The last calls, to notice a model that goes round in circles. */
  readonly calls: CallTrace;
  readonly compaction: CompactionState;
  readonly structured: StructuredState | null;
}

export type WrapUpReason = Extract<TerminalReason, 'budget_exhausted' | 'task_budget'>;

export type Transition =
  | 'start'
  | 'tools_ran'
  | 'reply_was_cut'
  | 'reply_was_empty'
  | 'structured_output_wanted'
  | 'turn_paused'
  | 'model_fell_back'
  | 'refused_part_left_out'
  | 'history_compacted'
  | 'history_shrunk'
  | 'loop_nudged'
  | 'text_repeated'
  | 'stop_hook_blocked'
  | 'budget_wrap_up';

export interface StructuredState {
  /** Times a value was refused or missing. */
  readonly failures: number;
  readonly lastError: string | null;
  /** The accepted value, once there is one: as the model gave it, and as the caller gets it. */
  readonly value: { readonly json: unknown; readonly output: unknown } | null;
}

/** How a prompt ended. `error` is there for what went wrong outside the loop's own limits. */
export interface Outcome {
  readonly reason: TerminalReason;
  readonly state: LoopState;
  readonly stopReason: string | null;
  /** Text of the last reply that had some, whole if it came in pieces. */
  readonly text: string;
  readonly error: ModelError | Error | null;
}

export interface BuiltRequest {
  readonly request: ModelRequest;
  readonly repairs: readonly HistoryRepair[];
  /** True if thinking was asked for and the model has none. */
  readonly cannotThink: boolean;
}

export interface HistoryRepair {
  readonly kind: HistoryRepairKind;
  readonly detail: string;
}

/** A call as the gate sees it. */
export interface GateCall extends PermissionCall {
  readonly toolUseId: string;
  readonly input: Record<string, unknown>;
  readonly title: string;
  /** True for a question to the user, which whoever is asked may answer by changing the input. */
  readonly asksUser: boolean;
  /** What a PreToolUse hook said. It may restrict; it may allow only what no rule, mode or safety check asks about. */
  readonly hook: { readonly behavior: 'allow' | 'deny' | 'ask' | 'defer'; readonly reason: string } | null;
  readonly signal: AbortSignal;
}

export type GateAnswer =
  | {
      readonly behavior: 'allow';
      readonly input: Record<string, unknown>;
      /** Set if the input is another than was decided on: who approved that. */
      readonly approvedBy?: 'host' | 'hook';
      /** If the host was asked: what it meant by its answer. */
      readonly classification?: PermissionDecisionClassification;
      /** Why a model that judges calls let it run, if one did. */
      readonly judged?: string;
      /** True: it runs outside the sandbox of the session. */
      readonly unsandboxed?: boolean;
    }
  /** Somebody decides later: the call stays open, and the prompt ends after its neighbours. */
  | { readonly behavior: 'defer'; readonly reason: string }
  | {
      readonly behavior: 'deny';
      /** What the model reads. */
      readonly message: string;
      /** What people read if nobody was asked, if that is something else: how the call would be allowed. */
      readonly told?: string;
      readonly reason: string;
      readonly reasonType: string;
      readonly interrupt: boolean;
      /** If the host was asked: what it meant by its answer. */
      readonly classification?: PermissionDecisionClassification;
      /** False if nobody was asked, so that the caller learns of it by a message. */
      readonly asked: boolean;
    };

/** A call that may change something, allowed and about to start. */
export interface SideEffect {
  readonly toolName: string;
  readonly toolUseId: string;
  /** What it would touch, as its tool says it: absolute, links not resolved. */
  subject(): ToolSubject;
  /** What its path led to when it was decided. Null, or absent, if it names none. */
  readonly located?: Located | null;
}

/** Called once a call has stopped and its hooks were heard. Contract: never throws. */
export type AfterSideEffect = () => Promise<void>;

/** One wire attempt's cost: what the provider reported, and the time it took. */
export interface RequestRecord {
  readonly model: string;
  readonly usage: Usage;
  readonly durationMs: number;
  /** Until the first event of the answer; null if none came. */
  readonly firstEventMs: number | null;
}

/** How a subagent ended. `ends`: what ended it ends the prompt it works for as well. */
export interface AgentOutcome {
  readonly report: AgentReport;
  readonly ends: TerminalReason | null;
}

/** The call that a subagent runs for. */
export interface AgentCall {
  readonly toolUseId: string;
  readonly signal: AbortSignal;
}

/** A round of tools that is over. */
export interface ToolRoundFacts {
  /** The model that made the calls. */
  readonly model: string;
  /** What it said beside them. */
  readonly text: string;
  readonly calls: readonly TracedCall[];
}

/** Hooks as the loop fires them: the session fills in the fields that every input has. */
export interface LoopHooks {
  has(event: HookEvent): boolean;
  /** Contract: never throws. */
  run(event: HookEvent, fields: Readonly<Record<string, unknown>>, toolUseId?: string): Promise<HookResult>;
}

/** Makes room in the context: steps of the loop, given from outside so that a test can do without. */
export interface Compactor {
  /** True if `compactIfNeeded` would do and tell nothing: almost always, so it is asked before. */
  hasRoom(state: LoopState): boolean;
  /** Compacts if the next request would come near the window; else returns the state as it is. */
  compactIfNeeded(state: LoopState, deps: LoopDeps): AsyncGenerator<Draft, LoopState>;
  /** Compacts because the user said so. */
  compactNow(state: LoopState, instructions: string | null, deps: LoopDeps): AsyncGenerator<Draft, LoopState>;
  /** Makes a history shorter that the model refused as too long. Null if nothing more can go. */
  recoverFromOverflow(state: LoopState, deps: LoopDeps): AsyncGenerator<Draft, LoopState | null>;
  /** Learns from what a request really counted. */
  observe(request: ModelRequest, usage: Usage): void;
  /**
   * What the last request was billed, and its input for each token that an estimate without correction gives it (null
   * if that is not known); null before the first.
   */
  readonly counted: { readonly usage: Usage; readonly ratio: number | null } | null;
  /** The size from which a conversation with that model is compacted, tokens; null if that is not done. */
  threshold(model: string): number | null;
  /** Estimate of what a request built from that state will count, tokens. */
  inputTokens(state: LoopState, request: ModelRequest): number;
  /** As `inputTokens` or more, for little work. */
  roughInputTokens(state: LoopState, request: ModelRequest): number;
  /** An upper bound of what a request will count, tokens. */
  inputTokensAtMost(request: ModelRequest): number;
}

/** Contract: never rejects. `problems`: what is wrong with it, for the model. */
export type ParseOutput = (
  value: unknown,
) => Promise<
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problems: readonly string[] }
>;

export interface LoopDeps {
  readonly provider: Provider;
  /** What the model may call now: plugins, servers and plans change it between two turns. */
  readonly currentTools: () => Tools;
  /** True for a tool that the last request did not define: the model guesses what it takes. Absent: none. */
  readonly isUndefined?: ((tool: string) => boolean) | undefined;
  /** Names that the model may call, and the tools that are meant. */
  readonly toolAliases?: Readonly<Record<string, string>> | undefined;
  readonly host: Host;
  readonly limits: EngineLimits;
  /** Of the session: which limits of rate and quota were told. */
  readonly limitWatch: LimitWatch;
  /** True: a limit whose reset the server names is waited for, if no other model is asked. */
  readonly waitsUntilReset: boolean;
  /** Tried in order, for the rest of a prompt, when its model does not answer. Null: it is never left. */
  readonly fallback: ModelChain | null;
  /** Names the model of each request, before it is built. Null: the state's own. */
  readonly decideModel: DecideModel | null;
  /** The model that the user wants by now; null if nobody but `decideModel` names one. Asked before each request. */
  namedModel(): string | null;
  /** Absent means no limit. */
  readonly maxTurns: number | undefined;
  /** Tokens of one prompt, input and output. Absent means no limit. */
  readonly taskBudget: number | undefined;
  /** Tokens that other agents of the same prompt have used of `taskBudget`. */
  tokensBeside(): number;
  readonly spending: Spending;
  readonly compactor: Compactor;
  /** The longest reply the model can give, tokens; null if it is not known. */
  maxOutputTokens(model: string): number | null;
  /** From here on, `maxOutputTokens` of that model is at most this. */
  learnOutputLimit(model: string, tokens: number): void;
  /** What the model takes in one request, tokens. */
  contextWindow(model: string): number;
  readonly hooks: LoopHooks;
  readonly outputSchema: JsonSchema | undefined;
  /** Has the last word on a value that fits `outputSchema`, and makes of it what the caller gets. Absent: it is that. */
  readonly parseOutput?: ParseOutput | undefined;
  readonly includePartialMessages: boolean;
  readonly signal: AbortSignal;
  /** Contract: pure towards the state; the request it returns is valid, and what it repaired is listed. */
  buildRequest(state: LoopState): BuiltRequest;
  /** As `RequestBuilder.asksForValueAsText`, for the model of the state. */
  asksForValueAsText(state: LoopState): boolean;
  /** As `RequestBuilder.leaveOut`. */
  leaveOut(request: ModelRequest, refused: Exclude<RefusedPart, { kind: 'max_tokens' }>): boolean;
  /** Contract: never throws; a failing callback is a denial. */
  decidePermission(call: GateCall): Promise<GateAnswer>;
  /** Decides once more about a call whose input was changed by whoever approved it. */
  decideChanged(call: GateCall, approvedBy: 'host' | 'hook'): Promise<GateAnswer>;
  /**
   * Keeps a call for a decision that comes later. Absent if none can wait: then nothing is deferred.
   * Contract: on the disk when this resolves.
   */
  readonly deferCall?: ((call: SDKDeferredToolUse) => Promise<void>) | undefined;
  /** As `decidePermission`, but a call that would have to be asked for is denied, and no denial is kept. */
  decideWithoutAsking(call: GateCall): Promise<GateAnswer>;
  toolContext(toolUseId: string, signal: AbortSignal): ToolContext;
  /** What the model must be told before a call if its working directory is gone. Null at once if that cannot be. */
  lostPlace?: (() => Promise<string | null> | null) | undefined;
  /** What git's configuration means for a call. Absent if no rules decide. */
  readonly gitWatch?: (() => Promise<GitWatch>) | undefined;
  /** What neither the model nor the caller may read of what a tool gives back, whatever else is hidden. */
  readonly credentials?: Credentials | undefined;
  /** Hides these and all other secrets. Absent, or null: the others are left as they are. */
  readonly vault?: SecretVault | null | undefined;
  /** How long a tool may take to stop after an abort, milliseconds: its processes are terminated, then killed. */
  readonly interruptGraceMs: number;
  /**
   * Runs a subagent, and yields what there is to show of it. Absent if no more agents may be started.
   * Contract: throws `ToolError` if the request cannot be met; ends within its own grace after the signal aborts.
   */
  readonly spawnAgent?: ((request: AgentRequest, call: AgentCall) => AsyncGenerator<Draft, AgentOutcome>) | undefined;
  /** Rules that count from now on, as `ToolContext.approveTools` says. */
  readonly approveTools?: ((rules: readonly string[]) => Promise<void>) | undefined;
  /** Hooks of a skill that run from now on, as `ToolContext.startHooks` says. */
  readonly startHooks?: ((of: SkillHooks) => Promise<void>) | undefined;
  /** A question to a small model, as `ToolContext.askModel` says. */
  readonly askModel?: ((question: ModelQuestion, signal: AbortSignal) => Promise<string | null>) | undefined;
  /**
   * Asked between two turns: after the results of a reply's tools, before the next request. Null if the user said
   * nothing meanwhile, which costs nothing. Else one message, and what is to be told of it; nothing if it must wait.
   * Contract: asked again until it is null or the prompt is aborted.
   */
  takeQueuedMessage(): Promise<readonly Draft[]> | null;
  /**
   * Asked at the same place, before that: takes over settings that changed. What is to be told; null, which costs nothing,
   * if there are none to look at. Contract: never rejects.
   */
  takeSettings?(): Promise<readonly Draft[]> | null;
  /**
   * Called before a call that may change something starts.
   * Contract: its intent is durable when this resolves. What it returns is called when the call is over, on every path.
   */
  beforeSideEffect(call: SideEffect): Promise<AfterSideEffect | null>;
  readonly validateJson: ValidateJson;
  recordRequest(record: RequestRecord): void;
  /** Absent if nobody records what the agent does. */
  readonly activity?: ActivityWatch | undefined;
  /** Told of each round of tools, if somebody wants to know. Contract: returns at once; never throws. */
  readonly toolRoundEnded?: ((round: ToolRoundFacts) => void) | undefined;
  /** Shows a message beside those of the loop. Absent if nobody sees them. Contract: returns at once; never throws. */
  readonly tell?: ((draft: MessageDraft) => void) | undefined;
  /** For faults that nobody else is told of. Contract: never throws. */
  log(event: string, detail: unknown): void;
}

/** What a session must keep to itself. */
export interface Credentials {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: Pick<Secrets, 'values' | 'variables'>;
}

/**
 * What is wrong with a value, one line each; empty if it fits.
 * Contract: never rejects; a schema that cannot be used is one problem, and so is a value that cannot be checked.
 */
export type ValidateJson = (value: unknown, schema: JsonSchema) => Promise<string[]>;

// What the loop tells somebody who records what an agent does: each model request and each tool call, as they begin and end.

/** How one attempt at a model request ended. */
export interface RequestEnd {
  readonly usage: Usage;
  /** Null if no whole reply came. */
  readonly reply: AssistantMessage | null;
  /** Null for a whole reply, and if nobody listens to it any more. */
  readonly error: ModelError | null;
}

/** What permissions say of a call. */
interface CallDecision {
  readonly behavior: 'allow' | 'deny' | 'defer';
  /** Which kind of rule, mode or person said so, if that is known. */
  readonly reasonType?: string;
}

/** How a call ended. */
export interface CallEnd {
  readonly block: ToolResultBlock;
  /** Typed output, if there is some. */
  readonly data: unknown;
  /** `completed`, or what became of it. */
  readonly ending: string;
}

/** Contract: each method returns at once and never throws. */
export interface ActivityWatch {
  /** An attempt begins; the first is 1. What it gives is called once, however the attempt ends. */
  requestBegan(request: ModelRequest, attempt: number): (end: RequestEnd) => void;
  /** May be told again, while the call was not ended: it is the same. @param parent the call that makes this one; absent: the model does */
  callBegan(call: ToolUseBlock, parent?: string): void;
  callDecided(callId: string, decision: CallDecision): void;
  /** Follows each `callBegan`. */
  callEnded(callId: string, end: CallEnd): void;
}

// What the loop remembers of compactions; when there is one, `compaction/compactor.ts` says.

/** What is remembered from one compaction to the next. Replaced, never changed. */

export interface CompactionState {
  /** The turn of the last compaction. */
  readonly lastAtTurn: number | null;
  /** What it freed. Tokens. */
  readonly lastFreed: number;
  /** True if it freed too little. It holds while the context stays near `blockedAt`. */
  readonly blocked: boolean;
  /** The size of the messages it left: the frame is no part of it, as no compaction changes that. Tokens. */
  readonly blockedAt: number;
  /** True once the caller told of the block, so that it is told once. */
  readonly noticed: boolean;
  /** The turn of a summary that failed, if none succeeded since and it may have been in passing. */
  readonly failedAtTurn: number | null;
  /** True once the caller warned that the context fills up, until it is well below that level again. */
  readonly warned: boolean;
}

export const NO_COMPACTION: CompactionState = {
  lastAtTurn: null,
  lastFreed: 0,
  blocked: false,
  blockedAt: 0,
  noticed: false,
  failedAtTurn: null,
  warned: false,
};

// Which limits of rate and quota the host was told of. One rule: a limit that is near is told once, and again only after
// there was room.

interface LimitWatch {
  /** What is to be told of it; null if there is no news. `now`: milliseconds since 1970. */
  see(state: LimitState, now: number): SDKRateLimitInfo | null;
}

/** From this part on a limit is near, and below that one it no longer is. */
const NEAR = 0.9;
const ROOM = 0.8;

/** One per session. */
export function createLimitWatch(): LimitWatch {
  const told = new Set<string>();
  return {
    see({ type, used, resetMs, isWarned }, now) {
      const isNear = isWarned || (used !== null && used >= NEAR);
      if (!isNear) {
        if (used === null || used < ROOM) told.delete(type);
        return null;
      }
      if (told.has(type)) return null;
      told.add(type);
      return {
        status: 'allowed_warning',
        ...(resetMs === null ? {} : { resetsAt: Math.ceil((now + resetMs) / 1_000) }),
        rateLimitType: type,
        ...(used === null ? {} : { utilization: Math.round(used * 1_000) / 1_000 }),
      };
    },
  };
}

// What decides about the model of a request beside the state of the loop: a chain for failures, or the host. Types only.

/** The models after the first, and what leads to them. */
export interface ModelChain {
  /** As the host wrote them. */
  readonly models: readonly string[];
  readonly on: ReadonlySet<FallbackTrigger>;
  /** So many times in a row a model may be overloaded before the next one is asked. */
  readonly overloads?: number;
  /** The model that the prompt is for: the chain does not go back to it. */
  readonly primary: string;
  /** The name that requests use for a model of the chain, or why it is not asked. Contract: never throws. */
  admit(name: string): Promise<{ readonly model: string } | { readonly model: null; readonly reason: string }>;
  /**
   * Asks a person, before a model of the chain is asked after a refusal. Null: it may be; else why not, a sentence. Absent:
   * nobody is asked. Contract: never throws.
   */
  confirmRefusal?(from: string, to: string, signal: AbortSignal): Promise<string | null>;
}

/** What holds for one request. Null: what holds without it. */
export interface RequestParameters {
  /** Tokens. */
  readonly contextWindow: number | null;
  /** `none`: without thinking. */
  readonly effort: EffortLevel | 'none' | null;
}

interface ModelDecision {
  /** As requests name it. */
  readonly model: string;
  readonly parameters: RequestParameters;
  /** Parameters that mean nothing here, told once. */
  readonly ignored: readonly string[];
}

/**
 * `turn`: a request of the agent itself; `web_fetch`: about a page. `model`: what would answer if nobody named one.
 * @throws ModelDecisionFailure
 */
export type DecideModel = (what: 'turn' | 'compact' | 'web_fetch', model?: string) => Promise<ModelDecision>;

// What a conversation remembers of its last calls, for `detect-loop.ts`, which is loaded with the first of them.

export interface CallTrace {
  /** One key a call, oldest first; equal keys mean the same tool, input and result. */
  readonly keys: readonly string[];
  /** How often the model was told. */
  readonly nudges: number;
}

export const NO_CALLS: CallTrace = { keys: [], nudges: 0 };

/** One call of a round, as the search for circles sees it. */
export interface TracedCall {
  readonly call: ToolUseBlock;
  readonly result: ToolResultBlock;
  /** How long it ran, milliseconds. */
  readonly durationMs: number;
  /** The tool says that asking again is what it is for. */
  readonly polls: boolean;
}

// If a value is wanted: what is known of it before there is one, for `structured-output.ts`, which is loaded with the
// first reply.

export const NO_VALUE_YET: StructuredState = { failures: 0, lastError: null, value: null };
