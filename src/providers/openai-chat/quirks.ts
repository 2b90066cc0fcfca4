// The servers of the Chat Completions form whose differences are known, as data.
import type { ChatQuirks } from '../../protocol/model-options.js';

export type { ChatQuirks } from '../../protocol/model-options.js';

/** For a server of which nothing is known but that it is compatible: only what nearly all take. */
const COMPATIBLE: ChatQuirks = {
  toolCalls: 'auto',
  maxTokensField: 'max_tokens',
  files: false,
  promptCacheKey: false,
  outputSchema: 'none',
};

/** The servers whose differences are known, by the name their users know. */
export const CHAT_QUIRKS = {
  openai: {},
  compatible: COMPATIBLE,
  ollama: { ...COMPATIBLE, imageUrls: false },
  vllm: { ...COMPATIBLE, thinking: 'chat_template', outputSchema: 'all' },
  lmstudio: { ...COMPATIBLE, imageUrls: false },
  llamacpp: { ...COMPATIBLE, thinking: 'chat_template', imageUrls: false },
  openrouter: {
    ...COMPATIBLE,
    files: true,
    thinking: 'openrouter',
    reasoningDetails: true,
    cacheControl: true,
    outputSchema: 'known',
  },
  deepseek: { ...COMPATIBLE, thinking: 'thinking_type', reasoningBack: 'reasoning_content', images: false },
  gemini: {
    ...COMPATIBLE,
    toolCalls: 'native',
    imageUrls: false,
    outputSchema: 'none',
    reasoningTokensApart: true,
    efforts: { xhigh: 'high', max: 'high' },
    // Google's own word for a call that another model made.
    foreignCallExtra: { google: { thought_signature: 'skip_thought_signature_validator' } },
  },
  mistral: {
    ...COMPATIBLE,
    toolCalls: 'native',
    thinking: 'none',
    streamUsage: false,
    assistantAfterTools: true,
    nineCharacterIds: true,
    outputSchema: 'all',
  },
  xai: { ...COMPATIBLE, toolCalls: 'native', reasoningTokensApart: true, outputSchema: 'all' },
  groq: { ...COMPATIBLE, maxTokensField: 'max_completion_tokens' },
  qwen: { ...COMPATIBLE, thinking: 'enable_thinking' },
  moonshot: { ...COMPATIBLE, thinking: 'thinking_type', reasoningBack: 'reasoning_content' },
  zai: { ...COMPATIBLE, thinking: 'thinking_type', reasoningBack: 'reasoning_content', imageUrls: true },
} as const satisfies Readonly<Record<string, ChatQuirks>>;
