// What a face has to remember of earlier messages: which subagents are at work, as their lines come mixed, and which denials
// were told, as the result of such a call is not shown beside them.
import type { SDKMessage } from '../protocol/messages.js';

interface AgentLabels {
  /** Learns from a message which agents are at work. To be told every message, before it is shown. */
  note(message: SDKMessage): void;
  /** What goes before the lines of a message; null if no other agent worked beside its own. */
  of(message: SDKMessage): string | null;
}

interface Worker {
  readonly label: string;
  /** True if another worked at the same time: then its end has to be told from the others'. */
  isMixed: boolean;
  isRunning: boolean;
}

export function createAgentLabels(): AgentLabels {
  /** By its id, and by the call it works for. */
  const workers = new Map<string, Worker>();

  return {
    note(message) {
      if (message.type !== 'system') return;
      if (message.subtype === 'task_started' && message.is_backgrounded !== true) {
        const running = new Set([...workers.values()].filter((worker) => worker.isRunning));
        const taken = new Set([...running].map((worker) => worker.label));
        const label = freeLabel(message.subagent_type ?? 'agent', taken);
        const worker = { label, isMixed: running.size > 0, isRunning: true };
        for (const other of running) other.isMixed = true;
        workers.set(message.task_id, worker);
        if (message.tool_use_id !== undefined) workers.set(message.tool_use_id, worker);
      }
      const ended = message.subtype === 'task_notification' ? workers.get(message.task_id) : undefined;
      if (ended !== undefined) ended.isRunning = false;
    },
    of(message) {
      const worker = workers.get(agentOf(message) ?? '');
      return worker?.isMixed ? worker.label : null;
    },
  };
}

function agentOf(message: SDKMessage): string | null {
  if (message.type === 'assistant' || message.type === 'user') return message.parent_tool_use_id;
  if (message.type !== 'system') return null;
  if ('task_id' in message) return message.task_id;
  return 'agent_id' in message ? (message.agent_id ?? null) : null;
}

/** `reviewer`, then `reviewer 2`. */
function freeLabel(name: string, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count++) {
    const label = count === 1 ? name : `${name} ${count}`;
    if (!taken.has(label)) return label;
  }
}

interface ToldDenials {
  /** The message without results that were told as denials; itself if there are none. To be given every message. */
  without(message: SDKMessage): SDKMessage;
}

/** @param isVerbose all is shown, as the model reads it */
export function createToldDenials(isVerbose: boolean): ToldDenials {
  const told = new Set<string>();
  return {
    without(message) {
      if (isVerbose) return message;
      if (message.type === 'system' && message.subtype === 'permission_denied') told.add(message.tool_use_id);
      if (message.type !== 'user' || typeof message.message.content === 'string' || told.size === 0) return message;
      const { content } = message.message;
      const left = content.filter((block) => block.type !== 'tool_result' || !told.delete(block.tool_use_id));
      return left.length === content.length ? message : { ...message, message: { ...message.message, content: left } };
    },
  };
}
