// The providers by themselves, bundled for `reader.mjs`: the package does not show them.
import { createAnthropicProvider } from '../../src/providers/anthropic/anthropic.ts';
import { createOpenAIChatProvider } from '../../src/providers/openai-chat/openai-chat.ts';
import { createOpenAIResponsesProvider } from '../../src/providers/openai-responses/openai-responses.ts';
import { withToolCallText } from '../../src/providers/text-calls/tool-call-text.ts';

export const TOOLS = [
  {
    name: 'Read',
    description: 'Reads a file.',
    input_schema: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
  },
];

export function open(api, baseUrl, clock, isWrapped) {
  const config = { id: 'mock', baseUrl, apiKey: 'sk-bench-no-key', clock };
  const provider = create(api, config);
  return isWrapped ? withToolCallText(provider, 'auto') : provider;
}

function create(api, config) {
  if (api === 'anthropic') return createAnthropicProvider(config);
  return api === 'openai-chat' ? createOpenAIChatProvider(config) : createOpenAIResponsesProvider(config);
}
