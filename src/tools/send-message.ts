// SendMessage: says something to an agent that was started here, by its id or name. One that has ended goes on with it.
import type { JsonSchema } from '../protocol/json.js';
import type { SendMessageInput, SendMessageOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { loadAgents } from './bodies.js';
import { defineTool } from './tool.js';

const sendMessageInputSchema = {
  type: 'object',
  properties: {
    to: { type: 'string', minLength: 1, description: 'Id or name of the agent.' },
    message: { type: 'string', minLength: 1, description: 'What it should know or do.' },
  },
  required: ['to', 'message'],
  additionalProperties: false,
} as const satisfies JsonSchema;

/** Other SDKs give a line for people beside it. */
const acceptedInput = {
  ...sendMessageInputSchema,
  properties: { ...sendMessageInputSchema.properties, summary: { type: 'string' } },
} as const satisfies JsonSchema;

/** Talks to an agent. Its `tool_use_result` is `SendMessageOutput`. */
export const sendMessageTool = defineTool<SendMessageInput, SendMessageOutput>({
  name: 'SendMessage',
  description:
    'Sends a message to an agent that you started with Agent. A running agent reads it before its next step. An agent that has ended starts again in the background and still knows all it learned.',
  inputSchema: sendMessageInputSchema,
  acceptedInput,
  // As with Agent: what the agent does is decided call by call.
  readOnly: true,
  concurrencySafe: true,
  spawnsAgents: true,
  title: ({ to, message }) => shorten(`Tell ${to}: ${message}`, 120),
  subject: () => ({ kind: 'none' }),
  run: async (input, context) => (await loadAgents()).sendMessage(input, context),
});
