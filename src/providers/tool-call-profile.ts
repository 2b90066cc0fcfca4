// How a model calls tools, as data. Small: it is read with every provider, the rest only where it says so.

export const TOOL_CALL_PROFILES = ['native', 'auto', 'text'] as const;

/**
 * `native`: by the means of its API. `auto`: so too, but what it writes as text, or with arguments in a wrong form, is
 * taken as the call that it is. `text`: its API has no tools; it is told of them in words, and calls them in text.
 */
export type ToolCallProfile = (typeof TOOL_CALL_PROFILES)[number];

/** Models whose own makers serve them, and that keep to the API wherever they are reached. */
const NATIVE_MODELS = /(?:^|\/)(?:claude|gpt-(?!oss)|chatgpt|o\d|gemini|grok)[\w.:-]*$/i;

/** @param ofServer what is known of the server; default `native` */
export function toolCallProfile(model: string, ofServer: ToolCallProfile = 'native'): ToolCallProfile {
  return ofServer === 'auto' && NATIVE_MODELS.test(model) ? 'native' : ofServer;
}
