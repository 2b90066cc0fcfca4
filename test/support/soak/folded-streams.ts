// Sessions by chance, in which agents call agents, one after the other and beside each other. Held against: the stream events
// of each agent, told apart by the call it works for, add up to exactly the messages it sends.

import type { ModelEvent } from '../../../src/protocol/content.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { foldEvents } from '../../../src/testing/model/collect.js';
import { reply, type ScriptedAnswer, text, thinking, toolCall } from '../../../src/testing/model/script.js';
import { agentTool } from '../../../src/tools/agent.js';
import { delegate, modelOfAgents } from '../agents.js';
import { probeTool, testEngine } from '../engine.js';
import { createRandom, type Random } from './random.js';

export interface FoldFigures {
  readonly sessions: number;
  readonly events: number;
  /** Replies of agents below the session's own. */
  readonly below: number;
  readonly replies: number;
}

const MAX_DEPTH = 3;

/** @throws Error that names the session */
export async function checkFoldedStreams(count: number, seed: number): Promise<FoldFigures> {
  const sum = { sessions: 0, events: 0, below: 0, replies: 0 };
  for (let at = 0; at < count; at++) {
    try {
      const { events, below, replies } = foldAll(await talk(createRandom(seed * 100_003 + at)));
      sum.sessions += 1;
      sum.events += events;
      sum.below += below;
      sum.replies += replies;
    } catch (error) {
      throw new Error(`Session ${at} of the seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
  return sum;
}

async function talk(random: Random): Promise<readonly SDKMessage[]> {
  let left = 12;
  /** What an agent of that depth says: texts, thoughts, calls, at last a report. */
  const answer = (depth: number, turn: number): ScriptedAnswer => {
    const words = () => random.pick(['So.', 'Ä 😀 — ', 'x'.repeat(random.int(0, 299)), 'one\ntwo\n', ' ']) || ' ';
    const calls = Array.from({ length: random.int(0, 2) }, () => {
      left -= 1;
      const asks = depth < MAX_DEPTH && left > 0 && random.chance(0.5);
      return asks ? delegate(null, `depth ${depth + 1}`) : toolCall('Probe', { value: words() });
    });
    if (turn > 2 || left <= 0 || calls.length === 0) return text(`Done: ${words()}.`);
    return reply(...(random.chance(0.5) ? [thinking(words(), 'sig==')] : []), text(words()), ...calls);
  };
  const depthOf = (said: string) => Number(/depth (\d)/.exec(said)?.[1] ?? 0);
  const script = (request: { readonly messages: readonly { readonly content: unknown }[] }) => {
    const said = JSON.stringify(request.messages[0]?.content ?? '');
    const depth = depthOf(said);
    return answer(depth, request.messages.length >> 1);
  };
  const model = modelOfAgents({ main: script, general: script });
  const tools = [agentTool, probeTool({ concurrencySafe: true })];
  const { engine } = await testEngine(model, { tools, includePartialMessages: true, streamSubagents: true });
  const messages: SDKMessage[] = [];
  for await (const message of engine.submitMessage('depth 0')) messages.push(message);
  await engine.close();
  return messages;
}

/** @throws Error if events and messages differ */
function foldAll(messages: readonly SDKMessage[]): Omit<FoldFigures, 'sessions'> {
  const open = new Map<string | null, ModelEvent[]>();
  const folded = new Map<string | null, string>();
  let [events, below, replies] = [0, 0, 0];
  for (const message of messages) {
    if (message.type === 'stream_event') {
      const { parent_tool_use_id: parent, event } = message;
      events += 1;
      if (event.type === 'message_start') open.set(parent, []);
      open.get(parent)?.push(event as ModelEvent);
      if (event.type === 'message_stop') folded.set(parent, contentOf(foldEvents(open.get(parent) ?? [])));
    } else if (message.type === 'assistant') {
      const { parent_tool_use_id: parent, message: said } = message;
      replies += 1;
      if (parent !== null) below += 1;
      if (folded.get(parent) !== contentOf(said))
        throw new Error(`of the agent of ${parent} came ${folded.get(parent)}, and then ${contentOf(said)}`);
      folded.delete(parent);
    }
  }
  if (folded.size > 0) throw new Error(`events without their message: ${[...folded.values()].join()}`);
  return { events, below, replies };
}

function contentOf({ id, content }: { readonly id: string; readonly content: unknown }): string {
  return JSON.stringify([id, content]);
}
