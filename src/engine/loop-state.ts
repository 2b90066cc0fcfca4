// The loop's state, its endings, and what it needs from outside. The state is replaced each turn, never changed, so
// a test can start from any of them.
import type { Host } from '../host/host.js';
import type { PermissionCall } from '../permissions/decide.js';
import type { MessageParam, Usage } from '../protocol/content.js';
import type { ModelError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { SDKMessage, TerminalReason } from '../protocol/messages.js';
import type { EngineLimits } from '../protocol/options.js';
import type { HistoryRepairKind } from '../protocol/system-messages.js';
import type { ModelRequest, Provider } from '../providers/provider.js';
import type { ToolContext, Tools } from '../tools/tool.js';
import type { ValidateJson } from './validate-json.js';

/** Removes keys from each member of a union. */
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A message before `session/envelope.ts` stamped it. */
export type Draft = DistributiveOmit<SDKMessage, 'uuid' | 'session_id' | 'parent_tool_use_id' | 'timestamp'>;

export interface LoopState {
  /** The whole conversation, oldest first. Message objects are never changed. */
  readonly messages: readonly MessageParam[];
  /** Model replies so far in this prompt. */
  readonly turns: number;
  /** Why the loop goes round once more; tests read it. */
  readonly transition: Transition;
  /** Times in a row that a reply was cut by the output limit. */
  readonly cutReplies: number;
  readonly structured: StructuredState | null;
}

export type Transition =
  | 'start'
  | 'tools_ran'
  | 'reply_was_cut'
  | 'reply_was_empty'
  | 'structured_output_wanted'
  | 'turn_paused';

export interface StructuredState {
  /** Times a value was refused or missing. */
  readonly failures: number;
  readonly lastError: string | null;
  /** The accepted value, once there is one. */
  readonly value: { readonly json: unknown } | null;
}

/** How a prompt ended. `error` is there for what went wrong outside the loop's own limits. */
export interface Outcome {
  readonly reason: TerminalReason;
  readonly state: LoopState;
  readonly stopReason: string | null;
  /** Text of the last reply that had some. */
  readonly text: string;
  readonly error: ModelError | Error | null;
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
  readonly signal: AbortSignal;
}

export type GateAnswer =
  | { readonly behavior: 'allow'; readonly input: Record<string, unknown> }
  | {
      readonly behavior: 'deny';
      /** What the model reads. */
      readonly message: string;
      readonly reason: string;
      readonly reasonType: string;
      readonly interrupt: boolean;
      /** False where nobody was asked, so that the caller learns of it by a message. */
      readonly asked: boolean;
    };

/** One wire attempt's cost: what the provider reported, and the time it took. */
export interface RequestRecord {
  readonly model: string;
  readonly usage: Usage;
  readonly durationMs: number;
}

export interface LoopDeps {
  readonly provider: Provider;
  readonly model: string;
  readonly tools: Tools;
  readonly host: Host;
  readonly limits: EngineLimits;
  /** Absent means no limit. */
  readonly maxTurns: number | undefined;
  readonly outputSchema: JsonSchema | undefined;
  readonly includePartialMessages: boolean;
  readonly signal: AbortSignal;
  /** Contract: pure towards the state; the request it returns is valid, and what it repaired is listed. */
  buildRequest(state: LoopState): { readonly request: ModelRequest; readonly repairs: readonly HistoryRepair[] };
  /** Contract: never throws; a failing callback is a denial. */
  decidePermission(call: GateCall): Promise<GateAnswer>;
  toolContext(toolUseId: string, signal: AbortSignal): ToolContext;
  /** Called before a call that may change something starts. Contract: its intent is durable when this resolves. */
  beforeSideEffect(): Promise<void>;
  readonly validateJson: ValidateJson;
  recordRequest(record: RequestRecord): void;
  /** For faults that nobody else is told of. Contract: never throws. */
  log(event: string, detail: unknown): void;
}
