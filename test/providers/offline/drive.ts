// A tiny loop around the offline provider: sends requests, answers tool calls, and keeps what happened.

import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import type { AssistantBlock, MessageParam, ModelEvent, Usage } from '../../../src/protocol/content.js';
import type { JsonSchema } from '../../../src/protocol/json.js';
import type { ModelRequest, Provider, ToolDefinition } from '../../../src/providers/contract/index.js';
import { createOfflineProvider } from '../../../src/providers/offline/index.js';

export interface Call {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** A result as text; `error` makes it a failed call. */
export type Answer = string | { readonly error: string };
export type Answerer = (call: Call) => Answer | Promise<Answer>;

export const ALL_TOOLS = ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash'];
export const CWD = '/home/me/project';

// One for all: ids of calls are never the same in one conversation.
const { clock, ids } = createMemoryHost();

export function newProvider(): Provider {
  return createOfflineProvider({ clock, ids });
}

export function toolNamed(name: string, input_schema: JsonSchema = { type: 'object' }): ToolDefinition {
  return { name, description: name, input_schema };
}

export function requestOf(messages: readonly MessageParam[], overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'offline',
    system: [{ type: 'text', text: `You are an agent.\n\n# Environment\nWorking directory: ${CWD}\nPlatform: linux` }],
    tools: ALL_TOOLS.map((name) => toolNamed(name)),
    messages,
    maxTokens: 8_000,
    ...overrides,
  };
}

export const LIMITS = { requestTimeoutMs: 1_000, streamIdleMs: 1_000 };

export interface ReplyBlocks {
  readonly blocks: AssistantBlock[];
  readonly stopReason: string | null;
  readonly usage: Partial<Usage>;
  readonly events: ModelEvent[];
}

/** One reply, put together from its events. Throws where the order of events is not that of the protocol. */
export async function sample(
  provider: Provider,
  request: ModelRequest,
  signal = new AbortController().signal,
): Promise<ReplyBlocks> {
  const events: ModelEvent[] = [];
  const blocks: AssistantBlock[] = [];
  let open: { type: string; id: string; name: string; content: string } | null = null;
  let stopReason: string | null = null;
  let usage: Partial<Usage> = {};
  for await (const event of provider.stream(request, LIMITS, signal)) {
    events.push(event);
    if (event.type === 'content_block_start') {
      if (open !== null || event.index !== blocks.length) throw new Error('block opened out of order');
      const block = event.content_block;
      open = {
        type: block.type,
        id: 'id' in block ? block.id : '',
        name: 'name' in block ? block.name : '',
        content: '',
      };
    } else if (event.type === 'content_block_delta') {
      if (open === null) throw new Error('delta outside of a block');
      if (event.delta.type === 'text_delta') open.content += event.delta.text;
      else if (event.delta.type === 'input_json_delta') open.content += event.delta.partial_json;
    } else if (event.type === 'content_block_stop') {
      if (open === null) throw new Error('block closed twice');
      if (open.type === 'text') blocks.push({ type: 'text', text: open.content });
      else blocks.push({ type: 'tool_use', id: open.id, name: open.name, input: JSON.parse(open.content) });
      open = null;
    } else if (event.type === 'message_delta') {
      stopReason = event.delta.stop_reason;
      usage = event.usage;
    }
  }
  if (events[0]?.type !== 'message_start' || events.at(-1)?.type !== 'message_stop')
    throw new Error('message not whole');
  return { blocks, stopReason, usage, events };
}

export interface Drive {
  readonly calls: Call[];
  /** Calls of each turn. */
  readonly turns: Call[][];
  readonly answer: string;
  /** The reply says that something was not understood, and is no success. */
  readonly refuses: boolean;
  readonly messages: MessageParam[];
}

const MAX_TURNS = 60;

/** Runs one prompt to its end. `history`: messages before it. */
export async function drive(
  prompt: string,
  answerer: Answerer,
  options: {
    tools?: readonly ToolDefinition[];
    history?: readonly MessageParam[];
    outputSchema?: JsonSchema;
    system?: string;
  } = {},
): Promise<Drive> {
  const provider = newProvider();
  const messages: MessageParam[] = [
    ...(options.history ?? []),
    { role: 'user', content: [{ type: 'text', text: prompt }] },
  ];
  const turns: Call[][] = [];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const request = requestOf([...messages], {
      ...(options.tools === undefined ? {} : { tools: options.tools }),
      ...(options.outputSchema === undefined ? {} : { outputSchema: options.outputSchema }),
      ...(options.system === undefined ? {} : { system: [{ type: 'text', text: options.system }] }),
    });
    const { blocks, stopReason } = await sample(provider, request);
    messages.push({ role: 'assistant', content: blocks });
    const uses = blocks.filter((block) => block.type === 'tool_use');
    if (uses.length === 0) {
      const refuses = stopReason === 'refusal';
      if (!refuses && stopReason !== 'end_turn') throw new Error(`ended with ${stopReason}`);
      const answer = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
      return { calls: turns.flat(), turns, answer, refuses, messages };
    }
    if (stopReason !== 'tool_use') throw new Error(`calls tools but stops with ${stopReason}`);
    const calls = uses.map((use) => ({ name: use.name, input: use.input as Record<string, unknown> }));
    turns.push(calls);
    const content = await Promise.all(
      uses.map(async (use, index) => {
        const call = calls[index];
        if (call === undefined) throw new Error('no call');
        const answer = await answerer(call);
        return {
          type: 'tool_result' as const,
          tool_use_id: use.id,
          ...(typeof answer === 'string' ? { content: answer } : { content: answer.error, is_error: true }),
        };
      }),
    );
    messages.push({ role: 'user', content });
  }
  throw new Error(`no end after ${MAX_TURNS} turns`);
}

/** The text of a file as Read shows it. */
export function numbered(text: string, first = 1): string {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, index) => `${String(first + index).padStart(6)}\t${line}`)
    .join('\n');
}

/** The calls of the first reply to a prompt. */
export async function firstCalls(prompt: string): Promise<Call[]> {
  const { blocks } = await sample(newProvider(), requestOf([{ role: 'user', content: prompt }]));
  return blocks.flatMap((block) =>
    block.type === 'tool_use' ? [{ name: block.name, input: block.input as Record<string, unknown> }] : [],
  );
}
