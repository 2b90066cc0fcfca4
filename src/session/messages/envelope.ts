// The only place that stamps ids, session and time on a message.
import type { MessageDraft, ShownMessage } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import type { SDKMessage } from '../../protocol/messages.js';

export type Stamp = (draft: MessageDraft | ShownMessage, uuid?: string) => SDKMessage;

/** The subagent that says it, and the call it works for. */
export interface StampAgent {
  readonly agentId: string;
  readonly toolUseId: string;
  /** The name of its kind, and what it is to do, for people. */
  readonly type: string;
  readonly description: string;
}

/** Stamps the messages of one session, or of one subagent of it. */
export function createStamp(
  sessionId: string,
  host: Pick<Host, 'ids' | 'clock'>,
  agent: StampAgent | null = null,
  answers: () => string | undefined = () => undefined,
): Stamp {
  const parent = agent?.toolUseId ?? null;
  const ofAgent =
    agent === null ? null : { agent_id: agent.agentId, subagent_type: agent.type, task_description: agent.description };
  return (draft, uuid = host.ids.uuid()) => {
    switch (draft.type) {
      case 'shown':
        return draft.message;
      case 'assistant': {
        const answered = answers();
        return {
          ...draft,
          ...ofAgent,
          ...(answered === undefined ? {} : { user_message_uuid: answered }),
          uuid,
          session_id: sessionId,
          parent_tool_use_id: parent,
          timestamp: new Date(host.clock.now()).toISOString(),
        } as SDKMessage;
      }
      case 'user':
        return {
          ...draft,
          ...ofAgent,
          uuid,
          session_id: sessionId,
          parent_tool_use_id: parent,
          timestamp: new Date(host.clock.now()).toISOString(),
        } as SDKMessage;
      case 'stream_event': {
        const answered = draft.event.type === 'message_start' ? answers() : undefined;
        return {
          type: 'stream_event',
          event: draft.event,
          ...(draft.ttft_ms === undefined ? {} : { ttft_ms: draft.ttft_ms }),
          ...(answered === undefined ? {} : { user_message_uuid: answered }),
          parent_tool_use_id: parent,
          uuid,
          session_id: sessionId,
        };
      }
      case 'conversation_reset':
        return { ...draft, uuid, session_id: sessionId, timestamp: new Date(host.clock.now()).toISOString() };
      case 'tool_progress':
        return { ...draft, parent_tool_use_id: parent, uuid, session_id: sessionId };
      case 'system':
        if (agent !== null) return { ...draft, agent_id: agent.agentId, uuid, session_id: sessionId } as SDKMessage;
        return { ...draft, uuid, session_id: sessionId } as SDKMessage;
      default:
        return { ...draft, uuid, session_id: sessionId } as SDKMessage;
    }
  };
}
