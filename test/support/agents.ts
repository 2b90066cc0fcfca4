// A model that answers each agent of a session by itself, told apart by the first text of its system prompt.

import type { SDKMessage } from '../../src/protocol/messages.js';
import type { ModelRequest } from '../../src/providers/contract/provider.js';
import { type ScriptedAnswer, toolCall } from '../../src/testing/model/script.js';
import {
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from '../../src/testing/model/scripted-model.js';

export type AgentStep =
  | ScriptedAnswer
  | ((request: ModelRequest, turn: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** What the session's own agent is called here, and the built-in one. */
const MAIN = 'main';
const GENERAL = 'general';

/**
 * `scripts` by the system prompt of the agent; `main` for the session's own. A list is taken step by step, whatever the
 * order in which the agents ask.
 */
export function modelOfAgents(
  scripts: Readonly<Record<string, readonly AgentStep[] | AgentStep>>,
  options: ScriptedModelOptions = {},
): ScriptedModel & { readonly asked: Readonly<Record<string, ModelRequest[]>> } {
  const asked: Record<string, ModelRequest[]> = {};
  const model = scriptedModel((request) => {
    const who = agentOf(request);
    const script = scripts[who];
    const turn = asked[who]?.length ?? 0;
    asked[who] = [...(asked[who] ?? []), request];
    const step = Array.isArray(script) ? script[turn] : script;
    if (step === undefined) throw new Error(`No step ${turn} for the agent "${who}".`);
    return typeof step === 'function' ? step(request, turn) : step;
  }, options);
  return Object.assign(model, { asked });
}

function agentOf({ system }: ModelRequest): string {
  const first = system[0]?.text ?? '';
  if (first.startsWith('You are a coding agent run by Turnwright.')) return MAIN;
  if (first.startsWith('You are an agent that does one task')) return GENERAL;
  return first;
}

/** A call of the tool Agent. */
export function delegate(
  agent: string | null,
  prompt: string,
  more: Readonly<Record<string, unknown>> = {},
  id?: string,
) {
  const type = agent === null ? {} : { subagent_type: agent };
  return toolCall('Agent', { description: `ask ${agent ?? 'anyone'}`, prompt, ...type, ...more }, id);
}

/** An agent whose system prompt is its name, so that `modelOfAgents` tells it apart. */
export function agent<More extends object>(name: string, more?: More) {
  return { name, description: `Does ${name}.`, prompt: name, ...more };
}

export function systemMessages(messages: readonly SDKMessage[], subtype: string) {
  return messages.filter((message) => message.type === 'system' && message.subtype === subtype);
}

/** The text of the result that answers a call, among the messages of the agent that made it. */
export function resultOf(messages: readonly SDKMessage[], toolUseId: string) {
  for (const message of messages) {
    if (message.type !== 'user' || typeof message.message.content === 'string') continue;
    for (const block of message.message.content)
      if (block.type === 'tool_result' && block.tool_use_id === toolUseId)
        return { text: String(block.content), isError: block.is_error ?? false, data: message.tool_use_result };
  }
  throw new Error(`Nothing answers ${toolUseId}.`);
}
