// How a model calls tools, as data. Small: it is read with every provider, the rest only if it says so.
import type { ToolCallProfile } from '../../protocol/chat-quirks.js';

export type { ToolCallProfile } from '../../protocol/chat-quirks.js';

export const TOOL_CALL_PROFILES = ['native', 'auto', 'text'] as const satisfies readonly ToolCallProfile[];

/** Models whose own makers serve them, and that keep to the API wherever they are reached. */
const NATIVE_MODELS = /(?:^|\/)(?:claude|gpt-(?!oss)|chatgpt|o\d|gemini|grok)[\w.:-]*$/i;

/** @param ofServer what is known of the server; default `native` */
export function toolCallProfile(model: string, ofServer: ToolCallProfile = 'native'): ToolCallProfile {
  return ofServer === 'auto' && NATIVE_MODELS.test(model) ? 'native' : ofServer;
}
