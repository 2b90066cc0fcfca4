// The providers that are known by name: addresses, variables, defaults, and in what servers of the Chat Completions form differ.
// Data; add one here. Loaded if a name other than Anthropic's is asked for. An id is the catalogue's name of the provider, so
// that prices are found.
import type { ChatQuirks, ModelTiers } from '../../protocol/model-options.js';
import { KEY_VARIABLES, LOCAL_KEY_VARIABLES } from '../keys/index.js';
import { ANTHROPIC, type KnownProvider } from './provider-access.js';

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

/** One model for all tiers. */
function only(model: string): ModelTiers {
  return { auto: model, ultimate: model, performance: model, efficient: model, lite: model };
}

const GPT_OSS = { auto: 'openai/gpt-oss-120b', ultimate: 'openai/gpt-oss-120b', performance: 'openai/gpt-oss-120b' };

/** With a key, in the order of `PROVIDER_ORDER`; then those on this machine. */
export const KNOWN_PROVIDERS: readonly KnownProvider[] = [
  ANTHROPIC,
  {
    id: 'openai',
    displayName: 'OpenAI',
    api: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariable: 'OPENAI_BASE_URL',
    keyVariables: KEY_VARIABLES.openai,
    needsKey: true,
    keyUrl: 'https://platform.openai.com/api-keys',
    tiers: {
      auto: 'gpt-6.1-sol',
      ultimate: 'gpt-6-astra',
      performance: 'gpt-6.1-sol',
      efficient: 'gpt-6-luna',
      lite: 'gpt-6-luna',
    },
  },
  {
    id: 'google',
    aliases: ['gemini'],
    displayName: 'Google Gemini',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.gemini,
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    baseUrlVariable: 'GEMINI_BASE_URL',
    keyVariables: KEY_VARIABLES.google,
    needsKey: true,
    keyUrl: 'https://aistudio.google.com/apikey',
    tiers: {
      auto: 'gemini-3.8-flash',
      ultimate: 'gemini-3.1-pro-preview',
      performance: 'gemini-3.8-flash',
      efficient: 'gemini-3.8-flash',
      lite: 'gemini-3.1-flash-lite',
    },
  },
  {
    id: 'xai',
    aliases: ['grok'],
    displayName: 'xAI',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.xai,
    baseUrl: 'https://api.x.ai/v1',
    baseUrlVariable: 'XAI_BASE_URL',
    keyVariables: KEY_VARIABLES.xai,
    needsKey: true,
    keyUrl: 'https://console.x.ai',
    tiers: {
      auto: 'grok-4.7',
      ultimate: 'grok-4.7',
      performance: 'grok-4.7',
      efficient: 'grok-4-1-fast',
      lite: 'grok-4-1-fast',
    },
  },
  {
    id: 'deepseek',
    displayName: 'DeepSeek',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.deepseek,
    baseUrl: 'https://api.deepseek.com/v1',
    baseUrlVariable: 'DEEPSEEK_BASE_URL',
    keyVariables: KEY_VARIABLES.deepseek,
    needsKey: true,
    keyUrl: 'https://platform.deepseek.com/api_keys',
    tiers: {
      auto: 'deepseek-v4-pro',
      ultimate: 'deepseek-v4-pro',
      performance: 'deepseek-v4-pro',
      efficient: 'deepseek-v4-flash',
      lite: 'deepseek-v4-flash',
    },
  },
  {
    id: 'mistral',
    displayName: 'Mistral',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.mistral,
    baseUrl: 'https://api.mistral.ai/v1',
    baseUrlVariable: 'MISTRAL_BASE_URL',
    keyVariables: KEY_VARIABLES.mistral,
    needsKey: true,
    keyUrl: 'https://console.mistral.ai/api-keys',
    tiers: {
      auto: 'mistral-medium-latest',
      ultimate: 'mistral-large-4',
      performance: 'mistral-medium-latest',
      efficient: 'devstral-2512',
      lite: 'mistral-small-latest',
    },
  },
  {
    id: 'moonshotai',
    aliases: ['moonshot', 'kimi'],
    displayName: 'Moonshot AI',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.moonshot,
    baseUrl: 'https://api.moonshot.ai/v1',
    baseUrlVariable: 'MOONSHOT_BASE_URL',
    keyVariables: KEY_VARIABLES.moonshotai,
    needsKey: true,
    keyUrl: 'https://platform.moonshot.ai/console/api-keys',
    tiers: {
      auto: 'kimi-k2.6',
      ultimate: 'kimi-k3',
      performance: 'kimi-k2.6',
      efficient: 'kimi-k2.5',
      lite: 'kimi-k2.5',
    },
  },
  {
    id: 'alibaba',
    aliases: ['dashscope', 'qwen'],
    displayName: 'Alibaba DashScope',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.qwen,
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    baseUrlVariable: 'DASHSCOPE_BASE_URL',
    keyVariables: KEY_VARIABLES.alibaba,
    needsKey: true,
    keyUrl: 'https://modelstudio.console.alibabacloud.com',
    tiers: only('qwen3-coder-plus'),
  },
  {
    id: 'zai',
    aliases: ['zhipu', 'glm'],
    displayName: 'Z.ai',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.zai,
    baseUrl: 'https://api.z.ai/api/paas/v4',
    baseUrlVariable: 'ZAI_BASE_URL',
    keyVariables: KEY_VARIABLES.zai,
    needsKey: true,
    keyUrl: 'https://z.ai/manage-apikey/apikey-list',
    tiers: { auto: 'glm-5.1', ultimate: 'glm-5.1', performance: 'glm-5.1', efficient: 'glm-4.7', lite: 'glm-4.7' },
  },
  {
    id: 'groq',
    displayName: 'Groq',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.groq,
    baseUrl: 'https://api.groq.com/openai/v1',
    baseUrlVariable: 'GROQ_BASE_URL',
    keyVariables: KEY_VARIABLES.groq,
    needsKey: true,
    keyUrl: 'https://console.groq.com/keys',
    tiers: { ...GPT_OSS, efficient: 'openai/gpt-oss-20b', lite: 'openai/gpt-oss-20b' },
  },
  {
    id: 'cerebras',
    displayName: 'Cerebras',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.compatible,
    baseUrl: 'https://api.cerebras.ai/v1',
    baseUrlVariable: 'CEREBRAS_BASE_URL',
    keyVariables: KEY_VARIABLES.cerebras,
    needsKey: true,
    keyUrl: 'https://cloud.cerebras.ai',
    tiers: only('gpt-oss-120b'),
  },
  {
    id: 'fireworks',
    displayName: 'Fireworks',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.compatible,
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    baseUrlVariable: 'FIREWORKS_BASE_URL',
    keyVariables: KEY_VARIABLES.fireworks,
    needsKey: true,
    keyUrl: 'https://app.fireworks.ai/settings/users/api-keys',
    tiers: only('accounts/fireworks/models/gpt-oss-120b'),
  },
  {
    id: 'together',
    displayName: 'Together AI',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.compatible,
    baseUrl: 'https://api.together.xyz/v1',
    baseUrlVariable: 'TOGETHER_BASE_URL',
    keyVariables: KEY_VARIABLES.together,
    needsKey: true,
    keyUrl: 'https://api.together.ai/settings/api-keys',
    tiers: { ...GPT_OSS, efficient: 'openai/gpt-oss-20b', lite: 'openai/gpt-oss-20b' },
  },
  {
    id: 'openrouter',
    displayName: 'OpenRouter',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.openrouter,
    baseUrl: 'https://openrouter.ai/api/v1',
    baseUrlVariable: 'OPENROUTER_BASE_URL',
    keyVariables: KEY_VARIABLES.openrouter,
    needsKey: true,
    keyUrl: 'https://openrouter.ai/settings/keys',
    tiers: {
      auto: 'anthropic/claude-sonnet-4.5',
      ultimate: 'anthropic/claude-opus-4.5',
      performance: 'anthropic/claude-sonnet-4.5',
      efficient: 'anthropic/claude-haiku-4.5',
      lite: 'anthropic/claude-haiku-4.5',
    },
  },
  {
    id: 'ollama',
    displayName: 'Ollama',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.ollama,
    baseUrl: 'http://127.0.0.1:11434/v1',
    baseUrlVariable: 'OLLAMA_BASE_URL',
    addressOf: ({ OLLAMA_HOST: host }) => ollamaAddress(host?.trim() ?? ''),
    keyVariables: LOCAL_KEY_VARIABLES.ollama,
    needsKey: false,
    free: true,
  },
  {
    id: 'lmstudio',
    displayName: 'LM Studio',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.lmstudio,
    baseUrl: 'http://127.0.0.1:1234/v1',
    baseUrlVariable: 'LMSTUDIO_BASE_URL',
    keyVariables: LOCAL_KEY_VARIABLES.lmstudio,
    needsKey: false,
    free: true,
  },
  {
    id: 'vllm',
    displayName: 'vLLM',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.vllm,
    baseUrl: 'http://127.0.0.1:8000/v1',
    baseUrlVariable: 'VLLM_BASE_URL',
    keyVariables: LOCAL_KEY_VARIABLES.vllm,
    needsKey: false,
    free: true,
  },
  {
    id: 'llamacpp',
    displayName: 'llama.cpp',
    api: 'openai-chat',
    quirks: CHAT_QUIRKS.llamacpp,
    baseUrl: 'http://127.0.0.1:8080/v1',
    baseUrlVariable: 'LLAMACPP_BASE_URL',
    keyVariables: LOCAL_KEY_VARIABLES.llamacpp,
    needsKey: false,
    free: true,
  },
];

/** By id or alias; letter case does not count. */
export function findProvider<T extends KnownProvider>(name: string, providers: readonly T[]): T | null {
  const wanted = name.toLowerCase();
  return providers.find(({ id, aliases = [] }) => id.toLowerCase() === wanted || aliases.includes(wanted)) ?? null;
}

const OLLAMA_PORT = '11434';

/**
 * The address that Ollama's own variable stands for: `host`, `host:port`, `:port`, or a URL. The address of all interfaces,
 * on which a server listens, is this machine's.
 */
function ollamaAddress(host: string): string | undefined {
  if (host === '') return undefined;
  const text = /^https?:\/\//i.test(host) ? host : `http://${host.startsWith(':') ? '127.0.0.1' : ''}${host}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.port === '' && !/^https:/i.test(host) && !/:80(?:\/|$)/.test(host)) url.port = OLLAMA_PORT;
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}/v1`;
}
