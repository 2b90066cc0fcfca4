// A call that an earlier session asked about and got no answer to: it is asked about once more, before the first
// prompt goes to the model, and runs if it is allowed.

import { runTools } from '../../engine/calls/index.js';
import type { Draft, LoopDeps } from '../../engine/state/index.js';
import type { MessageParam, ToolUseBlock } from '../../protocol/content.js';
import type { SDKMessage } from '../../protocol/messages.js';
import { isSameJson } from '../../util/same-json.js';
import type { OrphanedPermission } from '../config/index.js';
import { type AgentRun, type PromptEnding, publish } from '../core/index.js';
import { loopDeps, runLoop } from './run-loop.js';

/** The first prompt of a session that has such a call. */
export async function* answerAfterOrphan(
  run: AgentRun,
  orphan: OrphanedPermission,
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding> {
  const { session, runtime } = run;
  session.memory.isOrphanAsked = true;
  const asked = askOrphaned(orphan, session.history.params, loopDeps(run, signal));
  for await (const draft of asked) yield* publish(session, runtime, draft);
  return yield* runLoop(run, signal);
}

/**
 * Asks with the input that the call has in the conversation: the model would read the result of another one as that of
 * its own.
 * Contract: at most once a session; a call that is not open in the history is told and not run.
 */
async function* askOrphaned(
  orphan: OrphanedPermission,
  history: readonly MessageParam[],
  deps: LoopDeps,
): AsyncGenerator<Draft, void> {
  const call = openCall(orphan, history);
  if (call === null) {
    yield {
      type: 'system',
      subtype: 'notice',
      code: 'orphaned_permission_dropped',
      level: 'warning',
      message: `The pending call ${orphan.toolUseID} of ${orphan.toolName} is not open in this conversation, so it was not asked about again.`,
    };
    return;
  }
  if (!isSameJson(orphan.input, call.input)) {
    yield {
      type: 'system',
      subtype: 'notice',
      code: 'option_without_effect',
      level: 'warning',
      message: `orphanedPermission.input is not the input that the call ${orphan.toolUseID} of ${orphan.toolName} has in this conversation. The call is asked about with its own; another is given by canUseTool, as updatedInput.`,
    };
  }
  yield* runTools([call], { unusable: new Map(), started: new Map() }, deps);
}

/** The call as the model made it, if the last reply holds it and nothing answered it. */
function openCall({ toolUseID, toolName }: OrphanedPermission, history: readonly MessageParam[]): ToolUseBlock | null {
  const last = history.findLastIndex((message) => message.role === 'assistant');
  const reply = history[last];
  if (reply?.role !== 'assistant') return null;
  const isAnswered = history
    .slice(last + 1)
    .some(
      ({ content }) =>
        Array.isArray(content) &&
        content.some((block) => block.type === 'tool_result' && block.tool_use_id === toolUseID),
    );
  if (isAnswered) return null;
  return (
    reply.content.find(
      (block): block is ToolUseBlock => block.type === 'tool_use' && block.id === toolUseID && block.name === toolName,
    ) ?? null
  );
}
