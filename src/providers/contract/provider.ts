// The contract of a model provider: one request in, one stream of model events out.
import {
  type ContentBlock,
  EMPTY_USAGE,
  type MessageParam,
  type ModelEvent,
  type TextBlock,
  type Usage,
} from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { EffortLevel, ThinkingConfig, ThinkingDisplay } from '../../protocol/options.js';
import { isRecord } from '../../util/json.js';
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
  /** True if requests cost nothing. Absent: the price comes from the catalogue, and is unknown without one. */
  readonly free?: boolean;
  /**
   * The schema in the form in which the API holds an answer of that model to it, or null if the model or the schema
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

/** The fields of a usage that are numbers. */
export const USAGE_COUNTS = Object.keys(EMPTY_USAGE) as readonly Exclude<keyof Usage, 'cache_creation'>[];

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

  /** The one that the tool has, or one of its own if the tool was changed since. */
  static of(tool: DescribedTool & { readonly definition?: ToolDefinition }): KeptDefinition {
    const { definition } = tool;
    return definition instanceof KeptDefinition && definition.#fits(tool) ? definition : new KeptDefinition(tool);
  }

  #fits({ name, description, inputSchema }: DescribedTool): boolean {
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

// A provider with limits of time of its own, in place of those of the session.

/** What a provider may have of its own. Milliseconds; 0: no limit. */
export type ProviderLimits = Partial<Pick<AttemptLimits, (typeof OWN_LIMITS)[number]>>;

export const OWN_LIMITS = ['requestTimeoutMs', 'streamIdleMs', 'contentIdleMs'] as const;

type Closable = Provider & { close?(): void };

/** Contract: the same provider in everything else; if there are no limits, itself. */
export function withOwnLimits(provider: Closable, own: ProviderLimits | undefined): Closable {
  if (own === undefined) return provider;
  return {
    ...qualitiesOf(provider),
    stream: (request, limits, signal) => provider.stream(request, { ...limits, ...own }, signal),
    close: () => provider.close?.(),
  };
}

// What a provider is beside what it sends: for one that stands in front of another.

/** Contract: all but `stream`, as the provider says it when it is asked. */
export function qualitiesOf(provider: Provider): Omit<Provider, 'stream'> {
  return {
    id: provider.id,
    ...(provider.free === undefined ? {} : { free: provider.free }),
    ...(provider.outputSchema === undefined
      ? {}
      : { outputSchema: (model, schema) => provider.outputSchema?.(model, schema) ?? null }),
    ...(provider.searchesWeb === undefined ? {} : { searchesWeb: (model) => provider.searchesWeb?.(model) ?? false }),
    ...(provider.thinkingForm === undefined ? {} : { thinkingForm: (model) => provider.thinkingForm?.(model) ?? null }),
  };
}

// A stream whose source is found later. One rule: once it is found nothing stands between but one call, as a layer costs
// something for each of many thousand deltas.

/** A stream whose source is found with its first value. */
export function later(find: () => Promise<AsyncIterable<ModelEvent>>): AsyncIterable<ModelEvent> {
  return { [Symbol.asyncIterator]: () => new LaterEvents(find) };
}

/** A class, so that every stream runs the same code: it is run for each delta. */
class LaterEvents implements AsyncIterator<ModelEvent> {
  readonly #find: () => Promise<AsyncIterable<ModelEvent>>;
  #inner: AsyncIterator<ModelEvent> | null = null;

  constructor(find: () => Promise<AsyncIterable<ModelEvent>>) {
    this.#find = find;
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    return this.#inner === null ? this.#first() : this.#inner.next();
  }

  async return(): Promise<IteratorResult<ModelEvent>> {
    await this.#inner?.return?.();
    return { value: undefined, done: true };
  }

  async #first(): Promise<IteratorResult<ModelEvent>> {
    this.#inner = (await this.#find())[Symbol.asyncIterator]();
    return this.#inner.next();
  }
}

// What model APIs refuse in the schema of a tool's input. One tool with it would fail every request.

const AT_TOP: readonly string[] = ['oneOf', 'anyOf', 'allOf'];
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Keywords of a schema that model APIs refuse at its top, below which they take them. */
export function refusedAtTop(schema: Readonly<Record<string, unknown>>): readonly string[] {
  return AT_TOP.filter((keyword) => schema[keyword] !== undefined);
}

/** The first name of a property that model APIs refuse; undefined if they take all of them. */
export function refusedName(properties: object): string | undefined {
  return Object.keys(properties).find((name) => !PROPERTY_NAME.test(name));
}

/** Headers that belong to the transport: no provider sends those of an option. */
export const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
]);

/** A reply that breaks the protocol of its API. @param what broke it, in words that follow a colon */
export function violation(what: string): ModelError {
  return new ModelError('malformed', `The reply broke the protocol: ${what}.`);
}

// Reasoning that a model's server wants back with the next request, kept in the signature of a canonical `thinking` block.
// Rule: a signature says which API it belongs to, and no API is sent what belongs to another.

/** The APIs whose reasoning is kept so. The Messages API signs its own. */
type ReasoningApi = 'openai-chat' | 'openai-responses' | 'ai-sdk';

const PREFIX = 'turnwright-reasoning:';

/** @param payload any text; empty if there is nothing to carry and the block is shown only */
export function sealReasoning(api: ReasoningApi, payload: string): string {
  return `${PREFIX}${api}:${payload}`;
}

/** The payload that `sealReasoning` was given; null for a signature of another API, or none. */
export function openReasoning(api: ReasoningApi, signature: string | undefined): string | null {
  const head = `${PREFIX}${api}:`;
  return signature?.startsWith(head) ? signature.slice(head.length) : null;
}

/** True for thinking that was sealed for any API: it is no signature of the Messages API. */
export function isSealed(block: ContentBlock): boolean {
  return block?.type === 'thinking' && typeof block.signature === 'string' && block.signature.startsWith(PREFIX);
}

/** The fields of what a server sent. @throws what `violation` says if it has none */
export function fieldsOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw violation(what);
  return value;
}
