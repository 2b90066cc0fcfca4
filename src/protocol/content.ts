// The one message shape of the engine: content blocks as the Messages API has them, and the events that stream them. Providers
// translate to and from it, the transcript stores it, SDK messages carry it. There is no third message format.

export interface CacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: '5m' | '1h';
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly unknown[] | null;
  /** In a system prompt: caches keep what ends here by itself. */
  readonly cache_control?: { readonly type: 'ephemeral' };
}

export interface Base64Source {
  readonly type: 'base64';
  readonly media_type: string;
  readonly data: string;
}

export interface UrlSource {
  readonly type: 'url';
  readonly url: string;
}

export interface ImageBlock {
  readonly type: 'image';
  readonly source: Base64Source | UrlSource;
}

export interface DocumentBlock {
  readonly type: 'document';
  readonly source:
    | Base64Source
    | UrlSource
    | { readonly type: 'text'; readonly media_type: 'text/plain'; readonly data: string };
  readonly title?: string | null;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Signed by the model's provider. Contract: opaque; passed back byte-identical or not at all. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature?: string;
}

export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

export type ToolResultContent = TextBlock | ImageBlock | DocumentBlock;

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string | readonly ToolResultContent[];
  readonly is_error?: boolean;
}

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;
export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ToolResultBlock;
export type ContentBlock = AssistantBlock | UserBlock;

export interface AssistantMessageParam {
  readonly role: 'assistant';
  readonly content: readonly AssistantBlock[];
}

export interface UserMessageParam {
  readonly role: 'user';
  readonly content: string | readonly UserBlock[];
}

/** One message of a conversation as a provider gets it. */
export type MessageParam = UserMessageParam | AssistantMessageParam;

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

/** What was written to the prompt cache, by how long it is kept. Units: tokens. */
export interface CacheCreation {
  readonly ephemeral_5m_input_tokens: number;
  readonly ephemeral_1h_input_tokens: number;
}

/** Token counts of one reply, or a sum of them. Units: tokens. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  /** The parts of `cache_creation_input_tokens`, if the API tells them. Absent: all of it for five minutes. */
  readonly cache_creation?: CacheCreation;
}

export const EMPTY_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** A whole model reply: the `message` of an assistant message. */
export interface AssistantMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly AssistantBlock[];
  readonly stop_reason: StopReason | null;
  readonly stop_sequence: string | null;
  readonly usage: Usage;
  /** How the provider names the request it came from, if it does. */
  readonly request_id?: string;
}

export type ContentBlockStart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

export type ContentDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'signature_delta'; readonly signature: string };

/** Contract: `message_start` first, each block opened, filled and closed, `message_delta`, `message_stop` last. */
export type ModelEvent =
  | { readonly type: 'message_start'; readonly message: AssistantMessage }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: ContentBlockStart }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: ContentDelta }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | {
      readonly type: 'message_delta';
      readonly delta: { readonly stop_reason: StopReason | null; readonly stop_sequence: string | null };
      readonly usage: Partial<Usage>;
    }
  | { readonly type: 'message_stop' };
