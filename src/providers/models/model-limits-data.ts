// Written by scripts/refresh-catalogue.mjs together with catalogue-data.ts; do not edit.
// Figures from models.dev (https://github.com/anomalyco/models.dev), MIT licence, Copyright (c) 2025 spin.dev.

/** A line for the models of one provider with the same limits: provider, context window, longest reply, names. */
export const MODEL_LIMITS = `
alibaba 1000000 65536 qwen3-coder-plus
anthropic 200000 8192 claude-3-5-haiku-20241022 claude-3-5-sonnet-20241022
anthropic 200000 64000 claude-3-7-sonnet-20250219 claude-haiku-4-5 claude-opus-4-5 claude-sonnet-4-0 claude-sonnet-4-20250514 claude-sonnet-4-5
anthropic 200000 4096 claude-3-haiku-20240307
anthropic 1000000 128000 claude-fable-5 claude-haiku-5-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-opus-5-5 claude-sonnet-5 claude-sonnet-5-5
anthropic 200000 32000 claude-opus-4-0 claude-opus-4-1 claude-opus-4-20250514
anthropic 1000000 64000 claude-sonnet-4-6
deepseek 1000000 8192 deepseek-chat
deepseek 1000000 128000 deepseek-reasoner
deepseek 1000000 384000 deepseek-v4-flash
deepseek 1048576 384000 deepseek-v4-pro
google 1048576 65536 gemini-2.5-flash gemini-2.5-flash-lite gemini-2.5-pro gemini-3-flash-preview gemini-3.1-flash-lite gemini-3.1-pro-preview gemini-3.5-flash gemini-3.7-flash gemini-3.8-flash
google 1000000 64000 gemini-3-pro-preview
mistral 256000 4096 codestral-latest
mistral 262144 262144 devstral-2512 mistral-large-2512 mistral-large-latest mistral-medium-3.5 mistral-medium-latest
mistral 128000 16384 magistral-medium-latest mistral-small-latest
mistral 1048576 262144 mistral-large-4
moonshotai 262144 262144 kimi-k2-thinking kimi-k2.5 kimi-k2.6
moonshotai 1048576 1048576 kimi-k3
openai 1047576 32768 gpt-4.1 gpt-4.1-mini gpt-4.1-nano
openai 128000 16384 gpt-4o gpt-4o-mini
openai 128000 4096 gpt-4o-2024-05-13
openai 400000 128000 gpt-5 gpt-5-codex gpt-5-mini gpt-5-nano gpt-5.1 gpt-5.1-codex gpt-5.1-codex-max gpt-5.1-codex-mini gpt-5.2 gpt-5.2-codex gpt-5.2-pro gpt-5.3-codex gpt-5.4-mini
openai 400000 272000 gpt-5-pro
openai 1050000 128000 gpt-5.4 gpt-5.4-pro gpt-5.5 gpt-5.5-pro gpt-5.6 gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6-astra gpt-6-luna gpt-6-sol gpt-6.1-sol
openai 200000 100000 o1 o3 o3-mini o3-pro o4-mini
xai 256000 64000 grok-4
xai 2000000 30000 grok-4-1-fast grok-4-fast
xai 1000000 30000 grok-4.3
xai 500000 500000 grok-4.5 grok-4.6 grok-4.7
xai 256000 256000 grok-build-0.1
xai 256000 10000 grok-code-fast-1
zai 204800 131072 glm-4.6 glm-4.7 glm-5.1
`;
