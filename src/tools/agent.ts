// Agent: hands one piece of work to a subagent and gives back its report; SendMessage says something to one. Both go through the
// context and know nothing of how an agent runs; what it may do is decided call by call, when it makes the call.
import type { JsonSchema } from '../protocol/json.js';
import type { AgentInfo } from '../protocol/options.js';
import type { AgentInput, AgentOutput, SendMessageInput, SendMessageOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { loadAgents } from './bodies.js';
import { defineTool } from './tool.js';

const OFFERED = {
  description: { type: 'string', description: 'The task in three to five words. The user sees it.' },
  prompt: { type: 'string', minLength: 1, description: 'The task. The agent is told nothing else.' },
  subagent_type: { type: 'string', minLength: 1, description: 'Name of the agent. Default: general-purpose.' },
  model: {
    type: 'string',
    minLength: 1,
    description: 'Another model. Only if the user asked for one.',
  },
  run_in_background: { type: 'boolean', description: 'Do not wait for it. You are told when it ends.' },
  name: { type: 'string', minLength: 1, maxLength: 64, description: 'A name by which SendMessage can reach it.' },
} as const;

export const agentInputSchema = {
  type: 'object',
  properties: OFFERED,
  required: ['description', 'prompt'],
  additionalProperties: false,
} as const satisfies JsonSchema;

/** Other spellings count as well, but the model is told of one. */
export const agentAcceptedInput = {
  type: 'object',
  properties: {
    ...OFFERED,
    effort: {
      type: 'string',
      enum: ['low', 'medium', 'high', 'xhigh', 'max'],
      description: 'How hard the agent thinks. Default: what its definition says.',
    },
    agent: { type: 'string', minLength: 1, description: 'The same as subagent_type.' },
    timeout_ms: { type: 'integer', minimum: 1, description: 'Milliseconds after which the agent is stopped.' },
    isolation: { type: 'string', enum: ['worktree'], description: 'worktree: it works in a checkout of its own.' },
    resume: { type: 'string', minLength: 1, description: 'An agent that ended, by id or name: it goes on.' },
  },
  required: ['prompt'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Gives one task to a subagent, an agent with a context of its own, and returns its report. The subagent sees your prompt and nothing of this conversation; you see its last message and nothing else.
- Use it for work that would fill your own context, such as a search through many files, for tasks that can run side by side, and for what an agent below is made for. For one file or one search, use the other tools.
- Put all it needs into the prompt: the goal, the paths, what was decided, whether it may change files, what to report.
- Calls in one reply run at the same time. Do not let two agents change the same files.
- With run_in_background you go on while it works. You are told when it ends, so do not wait or poll. SendMessage tells it more, even after it has ended.
- The user does not see the report. Check what matters before you rely on it.`;

interface DescribedAgent extends Pick<AgentInfo, 'name' | 'description'> {
  /** Null if it may use all of the session's. */
  readonly tools: readonly string[] | null;
}

/** Of all agents together, characters: about a thousand tokens. */
const MAX_LIST = 3_600;
const MAX_LINE = 1_000;
/** Shorter than that a description says nothing. */
const MIN_LINE = 24;

/** The description of the tool if these agents can be started. */
export function describeAgents(agents: readonly DescribedAgent[]): string {
  return `${DESCRIPTION}\n\nAgents, by subagent_type:\n${agentLines(agents).join('\n')}`;
}

/**
 * One for each agent. If there are many, the long ones are cut until all fit; if even names do not, the last is told
 * as a number.
 */
export function agentLines(agents: readonly DescribedAgent[]): readonly string[] {
  const most = lineLength(agents.map((agent) => lineOf(agent, MAX_LINE).length));
  const lines = agents.map((agent) => lineOf(agent, most));
  const fitting = countFitting(lines);
  const left = lines.length - fitting;
  return left === 0 ? lines : [...lines.slice(0, fitting), `- and ${left} more, which can be called by name`];
}

function lineOf({ name, description, tools }: DescribedAgent, most: number): string {
  const said = description.replace(/\\n|\s+/g, ' ').trim();
  if (most < MAX_LINE) return shorten(`- ${name}: ${said}`, Math.max(most, name.length + MIN_LINE));
  const limit = tools === null ? '' : ` (tools: ${tools.length === 0 ? 'none' : tools.join(', ')})`;
  return `- ${name}: ${shorten(said, MAX_LINE)}${limit}`;
}

/** So long that all lines together fit, if the longer ones are cut to it. */
function lineLength(lengths: readonly number[]): number {
  const sorted = lengths.toSorted((a, b) => a - b);
  let left = MAX_LIST;
  for (const [at, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - at)) - 1;
    if (length > share) return share;
    left -= length + 1;
  }
  return Number.POSITIVE_INFINITY;
}

function countFitting(lines: readonly string[]): number {
  let length = 0;
  const over = lines.findIndex((line) => {
    length += line.length + 1;
    return length > 2 * MAX_LIST;
  });
  return over < 0 ? lines.length : over;
}

export const agentTool = defineTool<AgentInput, AgentOutput>({
  name: 'Agent',
  description: DESCRIPTION,
  inputSchema: agentInputSchema,
  acceptedInput: agentAcceptedInput,
  otherFields: {
    mode: 'an agent has the permissions of this session, so leave it out',
    team_name: 'there are no teams, so leave it out',
    max_turns: 'use timeout_ms, or leave it out',
  },
  // By itself it changes nothing; what the agent does goes through the gate call by call.
  readOnly: true,
  concurrencySafe: true,
  spawnsAgents: true,
  title: ({ subagent_type: type, agent, description, prompt }) =>
    shorten(`${type ?? agent ?? 'agent'}: ${description ?? prompt}`, 120),
  // A rule may name the agent; else it needs no approval.
  subject: ({ subagent_type: type, agent }) => ({
    kind: 'name',
    name: type ?? agent ?? 'general-purpose',
    isText: true,
  }),
  run: async (input, context) => (await loadAgents()).delegate(input, context),
});

// SendMessage: says something to an agent that was started here, by its id or name. One that has ended goes on with it.

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
const acceptedMessage = {
  ...sendMessageInputSchema,
  properties: { ...sendMessageInputSchema.properties, summary: { type: 'string' } },
} as const satisfies JsonSchema;

/** Talks to an agent. Its `tool_use_result` is `SendMessageOutput`. */
export const sendMessageTool = defineTool<SendMessageInput, SendMessageOutput>({
  name: 'SendMessage',
  description:
    'Sends a message to an agent that you started with Agent. A running agent reads it before its next step. An agent that has ended starts again in the background and still knows all it learned.',
  inputSchema: sendMessageInputSchema,
  acceptedInput: acceptedMessage,
  // As with Agent: what the agent does is decided call by call.
  readOnly: true,
  concurrencySafe: true,
  spawnsAgents: true,
  title: ({ to, message }) => shorten(`Tell ${to}: ${message}`, 120),
  subject: () => ({ kind: 'none' }),
  run: async (input, context) => (await loadAgents()).sendMessage(input, context),
});
