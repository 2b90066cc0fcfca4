// Tools for a model whose API has none: told in the system prompt, calls and results written as text. Rule: the same
// request gives the same text, so that what was cached stays so.
import type { MessageParam, ToolResultBlock, ToolUseBlock, UserBlock } from '../../protocol/content.js';
import type { ModelRequest, ToolDefinition } from '../contract/index.js';

const HOW_TO_CALL = `You can use tools. To use one, end your reply with a call in exactly this form, and wait for its result:
<tool_call>
{"name": "NAME", "arguments": {"KEY": "VALUE"}}
</tool_call>
Several calls follow each other, each in its own tags. Results come in <tool_response> tags. The tools, each with the JSON Schema of its arguments:`;

export interface ToolTelling {
  tell(request: ModelRequest): ModelRequest;
}

export function createToolTelling(): ToolTelling {
  const texts = new WeakMap<readonly ToolDefinition[], string>();
  /** By identity: a message object never changes once it was sent. */
  const written = new WeakMap<MessageParam, MessageParam>();
  const write = (message: MessageParam): MessageParam => {
    const known = written.get(message) ?? withoutCalls(message);
    written.set(message, known);
    return known;
  };
  return {
    tell(request) {
      const messages = request.messages.map(write);
      if (request.tools.length === 0) return { ...request, messages };
      const text = texts.get(request.tools) ?? describe(request.tools);
      texts.set(request.tools, text);
      const system = [...request.system, { type: 'text' as const, text }];
      return { ...request, system, messages, tools: [], toolChoice: undefined };
    },
  };
}

function describe(tools: readonly ToolDefinition[]): string {
  const lines = tools.map(({ name, description, input_schema }) =>
    JSON.stringify({ name, description, parameters: input_schema }),
  );
  return [HOW_TO_CALL, ...lines].join('\n');
}

function withoutCalls(message: MessageParam): MessageParam {
  if (message.role === 'assistant') {
    if (!message.content.some(({ type }) => type === 'tool_use')) return message;
    return {
      role: 'assistant',
      content: message.content.map((block) => (block.type === 'tool_use' ? callText(block) : block)),
    };
  }
  if (typeof message.content === 'string' || !message.content.some(({ type }) => type === 'tool_result'))
    return message;
  return {
    role: 'user',
    content: message.content.flatMap((block) => (block.type === 'tool_result' ? resultBlocks(block) : [block])),
  };
}

function callText({ name, input }: ToolUseBlock) {
  return {
    type: 'text' as const,
    text: `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`,
  };
}

/** Images and documents stand between the tags, as blocks of their own. */
function resultBlocks({ content, is_error: isError }: ToolResultBlock): UserBlock[] {
  const open = isError === true ? '<tool_response error="true">' : '<tool_response>';
  if (typeof content === 'string') return [{ type: 'text', text: `${open}\n${content}\n</tool_response>` }];
  const isText = content.every(({ type }) => type === 'text');
  if (isText) {
    const texts = content.map((block) => (block.type === 'text' ? block.text : ''));
    return [{ type: 'text', text: `${open}\n${texts.join('\n')}\n</tool_response>` }];
  }
  return [{ type: 'text', text: open }, ...content, { type: 'text', text: '</tool_response>' }];
}
