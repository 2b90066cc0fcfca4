// The contract of a model provider: one request in, one stream of model events out.
import type { MessageParam, TextBlock } from '../../protocol/content.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import type { EffortLevel, ThinkingConfig, ThinkingDisplay } from '../../protocol/options.js';
import { deepWellFormed, toWellFormed } from '../../util/text.js';

/** One request, already valid: `engine/request/build-request.ts` made it so. */
export interface ModelRequest {
  readonly model: string;
  /** In order; the stable part first. */
  readonly system: readonly TextBlock[];
  readonly tools: readonly ToolDefinition[];
  /**
   * Oldest first. Contract: a message object is never changed after it was sent once, so a provider may keep its
   * serialised form by identity.
   */
  readonly messages: readonly MessageParam[];
  /** `none`: the model may not call a tool, though it is told of them. Default `auto`. */
  readonly toolChoice?: 'auto' | 'none' | undefined;
  /** Limit of the reply, tokens. */
  readonly maxTokens: number;
  readonly thinking?: RequestThinking | undefined;
  readonly effort?: EffortLevel | undefined;
  /** What `Provider.outputSchema` made of the caller's schema: the text of the answer is JSON that fits it. */
  readonly outputSchema?: JsonSchema | undefined;
  /** The server may search the web for the reply. Given to a provider whose `searchesWeb` says yes, and to no other. */
  readonly webSearch?: RequestedSearch | undefined;
}

export interface RequestedSearch {
  /** Searches of one reply. */
  readonly maxUses: number;
  /** Host names. Empty: all. */
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
  /** Told parts of the reply that may hold what was found, as the API sends them. Contract: must not throw. */
  onPart(part: unknown): void;
}

/** What is asked for, once it is known of which model: who asks for a budget says how large it is. */
export type RequestThinking =
  | Exclude<ThinkingConfig, { readonly type: 'enabled' }>
  | { readonly type: 'enabled'; readonly budgetTokens: number; readonly display?: ThinkingDisplay };

/** `adaptive`: it decides by itself. `budget`: it takes a number of tokens. `none`: it does not think. */
export type ThinkingForm = 'adaptive' | 'budget' | 'none';

/** Waits of one attempt, milliseconds. */
export interface AttemptLimits {
  /** Longest wait for the first event, whatever pings come before it. 0: no limit. */
  readonly requestTimeoutMs: number;
  /** Longest silence within a reply; comments and pings are signs of life. 0: no limit. */
  readonly streamIdleMs: number;
  /** Longest time within a reply in which only comments and pings come; at least, and by default, `streamIdleMs`. */
  readonly contentIdleMs?: number;
  /** Told what the head of a successful response says of limits of rate and quota; not if it says nothing. */
  readonly onLimitState?: (state: LimitState) => void;
}

export interface Provider {
  /** `anthropic`, `offline` … shown in `system/init`. */
  readonly id: string;
  /** True where requests cost nothing. Absent: the price comes from the catalogue, and is unknown without one. */
  readonly free?: boolean;
  /**
   * The schema in the form in which the API holds an answer of that model to it, or null where the model or the schema
   * cannot be used so. Absent: the API has no such thing. The loop then asks for the value through a tool.
   * Contract: pure; a value that fits what it returns fits `schema`.
   */
  outputSchema?(model: string, schema: JsonSchema): JsonSchema | null;
  /**
   * How that model is asked to think as much as it sees fit; null if that is not known. Absent: its API has words for
   * that, or none are needed. Contract: pure.
   */
  thinkingForm?(model: string): ThinkingForm | null;
  /** Whether the server searches the web for that model. Absent: it does not. Contract: pure. */
  searchesWeb?(model: string): boolean;
  /**
   * Sends one request once and streams the reply.
   * Contract: throws `ModelError` and nothing else; ends normally only after `message_stop`; a stream that ends
   * without it, or falls silent, throws. After an abort throws `ModelError` of kind `aborted` at once. Never retries.
   */
  stream(request: ModelRequest, limits: AttemptLimits, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** One limit of the account or of the rate of requests, as of now. */
export interface LimitState {
  /** The server's name for it, such as `five_hour` or `input-tokens`. */
  readonly type: string;
  /** Part of it that is used, 0 to 1; null if that is not said. */
  readonly used: number | null;
  /** Until it is reset, milliseconds; null if that is not said. */
  readonly resetMs: number | null;
  /** The server itself warns of it. */
  readonly isWarned: boolean;
}

// A tool as the model is told of it. Its JSON is kilobytes, and the same in every session: it is written once for a tool.

/** A tool as the model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
}

/** What a tool says of itself. */
interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** A definition that keeps its JSON, however many sessions and requests take it. Contract: valid Unicode throughout. */
export class KeptDefinition implements ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
  #json: string | undefined;

  constructor({ name, description, inputSchema }: DescribedTool) {
    this.name = name;
    // Half a character in one of them would fail every request.
    this.description = toWellFormed(description);
    this.input_schema = deepWellFormed(inputSchema) as JsonSchema;
  }

  /** False if the tool was changed since. */
  fits({ name, description, inputSchema }: DescribedTool): boolean {
    return this.name === name && this.description === description && this.input_schema === inputSchema;
  }

  /** `{"name":…,"description":…,"input_schema":…}` */
  get json(): string {
    this.#json ??= JSON.stringify(this);
    return this.#json;
  }
}

/** As `KeptDefinition.json`, for any definition. */
export function definitionJson(tool: ToolDefinition): string {
  if (tool instanceof KeptDefinition) return tool.json;
  const { name, description, input_schema } = tool;
  return JSON.stringify({ name, description, input_schema });
}
