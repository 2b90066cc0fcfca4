// Sessions whose prompts have ended while a tool of the host is in flight, and again while an agent in the background is to
// come back to them. Held against: every tool, hook and question of the host's is still heard.

import type { SDKMessage, SDKUserMessage } from '../../../src/protocol/messages.js';
import { query } from '../../../src/sdk/query.js';
import { createSdkMcpServer, tool } from '../../../src/sdk/tools/tool.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { delegate, modelOfAgents } from '../agents.js';

interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}

function gate(): Gate {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

/** What was heard in one session: the same each time. */
export interface Heard {
  readonly tools: number;
  readonly asked: number;
  readonly hooks: readonly string[];
  readonly results: readonly string[];
}

export const EXPECTED: Heard = {
  tools: 2,
  asked: 2,
  hooks: ['mcp__own__slow', 'Agent', 'Stop', 'mcp__own__slow', 'Stop', 'SessionEnd'],
  results: ['started', 'heard of it'],
};

export async function endInput(cwd: string): Promise<Heard> {
  const [ended, idle] = [gate(), gate()];
  const heard = { tools: 0, asked: 0, hooks: [] as string[], results: [] as string[] };
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    try {
      yield { type: 'user', message: { role: 'user', content: 'go' }, parent_tool_use_id: null };
    } finally {
      ended.open();
    }
  }
  const slow = tool('slow', 'Waits until nobody can say anything any more.', {}, async () => {
    await ended.passed;
    await new Promise((resolve) => setImmediate(resolve));
    heard.tools += 1;
    return { content: [{ type: 'text', text: 'ok' }] };
  });
  const model = modelOfAgents({
    main: [
      toolCall('mcp__own__slow', {}),
      delegate(null, 'look', { run_in_background: true }),
      text('started'),
      toolCall('mcp__own__slow', {}),
      text('heard of it'),
    ],
    general: async () => {
      await idle.passed;
      return text('seen');
    },
  });
  const hear = (name: (input: { readonly tool_name?: string; readonly hook_event_name: string }) => string) => {
    const hook = async (input: unknown) => {
      heard.hooks.push(name(input as Parameters<typeof name>[0]));
      return {};
    };
    return [{ hooks: [hook] }];
  };
  const byEvent = hear(({ hook_event_name: event }) => event);
  const messages: SDKMessage[] = [];
  for await (const message of query({
    prompt: prompts(),
    options: {
      cwd,
      provider: model,
      persistSession: false,
      settingSources: [],
      mcpServers: { own: createSdkMcpServer({ name: 'own', tools: [slow] }) },
      hooks: {
        PreToolUse: hear(({ tool_name: name = '' }) => name),
        Stop: byEvent,
        SessionEnd: byEvent,
      },
      async canUseTool(name, input) {
        if (name === 'mcp__own__slow') heard.asked += 1;
        return { behavior: 'allow', updatedInput: input };
      },
    },
  })) {
    messages.push(message);
    if (message.type !== 'result') continue;
    heard.results.push(message.subtype === 'success' ? message.result : message.subtype);
    idle.open();
  }
  return heard;
}
