// THE LOOP. Sample a reply, run its tools, go round; until the model is done or a limit is reached. Stateless: it gets
// a state and what it needs, yields draft messages, and returns how it ended. Endings are data; a throw is a bug.
import type { AssistantBlock, MessageParam, ToolUseBlock } from '../protocol/content.js';
import type { TerminalReason } from '../protocol/messages.js';
import type { Reply } from './assemble-reply.js';
import type { Draft, LoopDeps, LoopState, Outcome, Transition } from './loop-state.js';
import { runTools } from './run-tools.js';
import { sample } from './sample.js';
import {
  acceptStructuredOutput,
  isStructuredOutputCall,
  MAX_STRUCTURED_FAILURES,
  NO_VALUE_YET,
  STRUCTURED_OUTPUT_REMINDER,
} from './structured-output.js';

/** Replies in a row that the output limit may cut before the prompt ends. */
const MAX_CUT_REPLIES = 3;
const CONTINUE_AFTER_CUT =
  'Your reply was cut off by the output limit. Continue exactly where it stopped, without repeating.';
const CONTINUE_AFTER_EMPTY = 'Your last reply was empty. Continue with the task, or say that it is done.';

/** The state a prompt starts from. */
export function initialState(messages: readonly MessageParam[], wantsValue: boolean): LoopState {
  return { messages, turns: 0, transition: 'start', cutReplies: 0, structured: wantsValue ? NO_VALUE_YET : null };
}

/**
 * Runs one prompt to its end.
 * Contract: yields whole messages in order; each tool_use of a yielded reply is answered by a yielded result, whatever
 * happens; never throws for what a model, a tool or the caller does.
 */
export async function* queryLoop(initial: LoopState, deps: LoopDeps): AsyncGenerator<Draft, Outcome> {
  let state = initial;
  let text = '';
  let stopReason: string | null = null;
  const end = (reason: TerminalReason, error: Error | null = null): Outcome => ({
    reason,
    state,
    stopReason,
    text,
    error,
  });

  for (;;) {
    if (deps.signal.aborted) return end('aborted');
    if (deps.maxTurns !== undefined && state.turns >= deps.maxTurns) {
      stopReason = 'max_turns';
      return end('max_turns');
    }
    const { request, repairs } = deps.buildRequest(state);
    if (repairs.length > 0) yield { type: 'system', subtype: 'history_repaired', repairs };

    const sampled = yield* sample(request, deps);
    if (sampled.kind === 'failed')
      return end(sampled.error.kind === 'context_overflow' ? 'prompt_too_long' : 'api_error', sampled.error);
    if (sampled.kind === 'aborted') {
      if (sampled.partial !== null) {
        yield { type: 'assistant', message: sampled.partial, aborted: true };
        state = append(state, { role: 'assistant', content: sampled.partial.content }, 'start');
      }
      return end('aborted');
    }

    const { reply } = sampled;
    yield { type: 'assistant', message: reply.message };
    stopReason = reply.message.stop_reason;
    text = textOf(reply.message.content) || text;
    state = {
      ...append(state, { role: 'assistant', content: reply.message.content }, state.transition),
      turns: state.turns + 1,
    };

    const next = yield* advance(state, reply, deps);
    state = next.state;
    if (next.ended !== null) return end(next.ended);
  }
}

interface Advance {
  readonly state: LoopState;
  readonly ended: TerminalReason | null;
}

/** What follows a reply: its tools, another request, or the end. Trusts the reply's content more than its stop reason. */
async function* advance(state: LoopState, reply: Reply, deps: LoopDeps): AsyncGenerator<Draft, Advance> {
  const calls = reply.message.content.filter((block) => block.type === 'tool_use');
  if (calls.length > 0) return yield* advanceWithTools(state, calls, reply, deps);

  const stopReason = reply.message.stop_reason;
  if (stopReason === 'refusal') return { state, ended: 'refusal' };
  if (stopReason === 'model_context_window_exceeded') return { state, ended: 'prompt_too_long' };
  if (stopReason === 'pause_turn') return { state: { ...state, transition: 'turn_paused' }, ended: null };
  if (stopReason === 'max_tokens') {
    if (state.cutReplies >= MAX_CUT_REPLIES) return { state, ended: 'max_output_tokens' };
    return yield* goOn({ ...state, cutReplies: state.cutReplies + 1 }, CONTINUE_AFTER_CUT, 'reply_was_cut');
  }
  if (textOf(reply.message.content) === '') {
    if (state.transition === 'reply_was_empty') return { state, ended: 'empty_reply' };
    return yield* goOn(state, CONTINUE_AFTER_EMPTY, 'reply_was_empty');
  }
  if (state.structured !== null && state.structured.value === null) return yield* remindOfStructuredOutput(state);
  return { state, ended: 'completed' };
}

async function* advanceWithTools(
  state: LoopState,
  calls: readonly ToolUseBlock[],
  reply: Reply,
  deps: LoopDeps,
): AsyncGenerator<Draft, Advance> {
  const output = deps.outputSchema === undefined ? undefined : calls.find(isStructuredOutputCall);
  const round = yield* runTools(
    calls.filter((call) => call !== output),
    reply.unusable,
    deps,
  );
  let after = appendAll(state, round.messages);
  if (deps.signal.aborted) return { state: after, ended: 'aborted' };
  if (round.interrupted) return { state: after, ended: 'permission_interrupt' };

  if (output !== undefined && deps.outputSchema !== undefined) {
    const { state: structured, result } = await acceptStructuredOutput(
      output,
      reply.unusable.get(output.id),
      deps.outputSchema,
      after.structured ?? NO_VALUE_YET,
      deps.validateJson,
    );
    const message: MessageParam = { role: 'user', content: [result] };
    yield { type: 'user', message, isSynthetic: true };
    after = { ...appendAll(after, [message]), structured };
    if (structured.value !== null) return { state: after, ended: 'completed' };
    if (structured.failures >= MAX_STRUCTURED_FAILURES)
      return { state: after, ended: 'structured_output_retry_exhausted' };
  }
  const cutReplies = reply.message.stop_reason === 'max_tokens' ? after.cutReplies + 1 : 0;
  if (cutReplies > MAX_CUT_REPLIES) return { state: after, ended: 'max_output_tokens' };
  return { state: { ...after, cutReplies, transition: 'tools_ran' }, ended: null };
}

async function* remindOfStructuredOutput(state: LoopState): AsyncGenerator<Draft, Advance> {
  const structured = {
    ...(state.structured ?? NO_VALUE_YET),
    failures: (state.structured?.failures ?? 0) + 1,
    lastError: 'no value was given',
  };
  if (structured.failures >= MAX_STRUCTURED_FAILURES) {
    return { state: { ...state, structured }, ended: 'structured_output_retry_exhausted' };
  }
  return yield* goOn({ ...state, structured }, STRUCTURED_OUTPUT_REMINDER, 'structured_output_wanted');
}

/** Adds a message of the engine's own and goes round. */
async function* goOn(state: LoopState, text: string, transition: Transition): AsyncGenerator<Draft, Advance> {
  const message: MessageParam = { role: 'user', content: [{ type: 'text', text }] };
  yield { type: 'user', message, isSynthetic: true };
  return { state: append(state, message, transition), ended: null };
}

function append(state: LoopState, message: MessageParam, transition: Transition): LoopState {
  return { ...state, messages: [...state.messages, message], transition };
}

function appendAll(state: LoopState, messages: readonly MessageParam[]): LoopState {
  return { ...state, messages: [...state.messages, ...messages] };
}

function textOf(content: readonly AssistantBlock[]): string {
  return content
    .filter((block) => block.type === 'text')
    .map((block) => block.text)
    .join('');
}
