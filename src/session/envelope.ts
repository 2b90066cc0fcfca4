// The only place that stamps ids, session and time on a message.
import type { MessageDraft } from '../engine/loop-state.js';
import type { Host } from '../host/host.js';
import type { SDKMessage } from '../protocol/messages.js';

export type Stamp = (draft: MessageDraft, uuid?: string) => SDKMessage;

/** Stamps the messages of one session. */
export function createStamp(sessionId: string, host: Pick<Host, 'ids' | 'clock'>): Stamp {
  return (draft, uuid = host.ids.uuid()) => {
    switch (draft.type) {
      case 'assistant':
      case 'user':
        return {
          ...draft,
          uuid,
          session_id: sessionId,
          parent_tool_use_id: null,
          timestamp: new Date(host.clock.now()).toISOString(),
        } as SDKMessage;
      case 'stream_event':
        return { type: 'stream_event', event: draft.event, parent_tool_use_id: null, uuid, session_id: sessionId };
      default:
        return { ...draft, uuid, session_id: sessionId } as SDKMessage;
    }
  };
}
