// The only place that stamps ids, session and time on a message.
import type { MessageDraft } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import type { SDKMessage } from '../../protocol/messages.js';

export type Stamp = (draft: MessageDraft, uuid?: string) => SDKMessage;

/** The subagent that says it, and the call it works for. */
export interface StampAgent {
  readonly agentId: string;
  readonly toolUseId: string;
}

/** Stamps the messages of one session, or of one subagent of it. */
export function createStamp(
  sessionId: string,
  host: Pick<Host, 'ids' | 'clock'>,
  agent: StampAgent | null = null,
): Stamp {
  const parent = agent?.toolUseId ?? null;
  return (draft, uuid = host.ids.uuid()) => {
    switch (draft.type) {
      case 'assistant':
      case 'user':
        return {
          ...draft,
          uuid,
          session_id: sessionId,
          parent_tool_use_id: parent,
          timestamp: new Date(host.clock.now()).toISOString(),
        } as SDKMessage;
      case 'stream_event':
        return { type: 'stream_event', event: draft.event, parent_tool_use_id: parent, uuid, session_id: sessionId };
      case 'system':
        if (agent !== null) return { ...draft, agent_id: agent.agentId, uuid, session_id: sessionId } as SDKMessage;
        return { ...draft, uuid, session_id: sessionId } as SDKMessage;
      default:
        return { ...draft, uuid, session_id: sessionId } as SDKMessage;
    }
  };
}
