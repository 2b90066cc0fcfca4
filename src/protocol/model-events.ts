// What a provider streams to the engine: the events of the Messages API stream, because `stream_event` must show
// exactly that shape. Other APIs are translated to it by their provider.
import type { AssistantMessage, StopReason, Usage } from './content.js';

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
