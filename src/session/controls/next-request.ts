// The request that the session would send next, for a look at it and for questions beside the conversation. One rule: it
// is made without a trace, so a prompt that runs or comes finds everything as it was.
import type { SystemPromptSection } from '../../context/system-prompt.js';
import { createRequestBuilder } from '../../engine/request/index.js';
import type { LoopState } from '../../engine/state/index.js';
import type { MessageParam } from '../../protocol/content.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import type { AgentRun, Session, SessionRuntime } from '../core/index.js';
import { instructionsNow, requestSettings, stateOf, systemPrompt } from '../prompt/index.js';

export interface NextRequest {
  readonly request: ModelRequest;
  readonly sections: readonly SystemPromptSection[];
  readonly state: LoopState;
}

/** The session's own agent, as a prompt of it would run. */
export function ownRun(session: Session, runtime: SessionRuntime): AgentRun {
  const model = session.memory.settings?.model ?? runtime.model;
  return { agentId: null, session, runtime, model, isModelNamed: false, tokens: { total: 0 }, answered: [] };
}

/** @param more what goes behind the conversation */
export async function nextRequest(
  session: Session,
  runtime: SessionRuntime,
  more: readonly MessageParam[] = [],
): Promise<NextRequest> {
  const { sections } = await systemPrompt(session, runtime, instructionsNow);
  const settings = await requestSettings(session, runtime, sections);
  const state = stateOf(ownRun(session, runtime), session.config.jsonSchema !== undefined);
  const extended = { ...state, messages: [...state.messages, ...more] };
  if (runtime.requests.isConfigured) return { request: runtime.requests.peek(extended), sections, state };
  const builder = createRequestBuilder();
  builder.configure(settings);
  return { request: builder.peek(extended), sections, state };
}
