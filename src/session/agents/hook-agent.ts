// An agent that checks an event for a hook of settings: it reads the workspace, and says whether something holds. One rule: it
// fires no hooks and starts no agents, so nothing that it does can ask for another of its kind. Loaded with the first.
import type { HookQuestion } from '../../hooks/declared-hooks.js';
import { ToolError } from '../../protocol/errors.js';
import type { AgentType } from '../../subagents/definition.js';
import {
  type AgentRun,
  explanationOf,
  keep,
  type PromptEnding,
  type Session,
  type SessionRuntime,
} from '../core/index.js';
import { NO_HOOKS } from '../hooks/index.js';
import { configureRequests, runLoop } from '../prompt/index.js';
import { assembleAgent } from './assemble-agent.js';

/** Requests that one check may take. */
const MAX_TURNS = 20;

/** It sees what a session may read without a question, and nobody is asked. */
const CHECKER: AgentType = {
  name: 'hook',
  description: 'Checks an event for a hook.',
  prompt: '',
  source: { scope: 'built-in', file: null },
  tools: ['Read', 'Grep', 'Glob'],
  disallowedTools: [],
  model: null,
  size: 'small',
  maxTurns: MAX_TURNS,
  permissionMode: 'dontAsk',
};

/**
 * What it said last. Its requests are paid for beside those of the loop.
 * @throws ToolError with why it said nothing; ConfigError for a model that cannot be used
 */
export async function askHookAgent(
  session: Session,
  runtime: SessionRuntime,
  { instruction, text, model }: HookQuestion,
  signal: AbortSignal,
): Promise<string> {
  const own = session.memory.settings?.model ?? runtime.model;
  const agents = { ...runtime.agents, types: [{ ...CHECKER, prompt: instruction }], maxDepth: 0 };
  const alone = { ...runtime, hooks: NO_HOOKS, agents, telemetry: null };
  const parent: AgentRun = {
    ...{ agentId: null, session, runtime: alone, model: session.modelOverride(own) },
    ...{ isModelNamed: false, tokens: { total: 0 }, answered: [] },
  };
  const request = { agent: CHECKER.name, prompt: text, description: 'hook', ...(model === undefined ? {} : { model }) };
  const child = await assembleAgent(parent, request, { toolUseId: `hook_${session.host.ids.uuid()}`, signal });
  try {
    if (runtime.budget !== null) await runtime.prices.load();
    const timestamp = new Date(session.host.clock.now()).toISOString();
    const message = { role: 'user', content: text } as const;
    const { run } = child;
    await keep(run.session, run.runtime, { type: 'user', uuid: session.host.ids.uuid(), timestamp, message });
    await configureRequests(run.session, run.runtime);
    const ending = await endOf(runLoop(run, signal));
    if (ending.reason !== 'completed') throw new ToolError(`The agent gave no answer: ${explanationOf(ending)}`);
    return ending.text;
  } finally {
    await child.close();
    await child.run.runtime.close();
    session.ledger.priceWith(await runtime.prices.load());
  }
}

/** Its messages are for nobody. */
async function endOf(messages: AsyncGenerator<unknown, PromptEnding>): Promise<PromptEnding> {
  for (;;) {
    const step = await messages.next();
    if (step.done) return step.value;
  }
}
