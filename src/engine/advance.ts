// What follows a reply: its tools, another request, or the end. Trusts the reply's content more than its stop reason.
import type { ToolUseBlock } from '../protocol/content.js';
import { ConfigError, ModelError } from '../protocol/errors.js';
import type { TerminalReason } from '../protocol/messages.js';
import type { ModelRequest } from '../providers/contract/index.js';
import { shorten } from '../util/text.js';
import {
  afterBatch,
  findRepetition,
  type LoopVerdict,
  type Repetition,
  refuseAll,
  runTools,
  traceCalls,
} from './calls/index.js';
import {
  acceptStructuredOutput,
  acceptStructuredText,
  isStructuredOutputCall,
  MAX_STRUCTURED_FAILURES,
} from './output/index.js';
import { type Sample, schemaNotice } from './reply/index.js';
import {
  addNote,
  appendMessage,
  appendMessages,
  CONTINUE_AFTER_CUT,
  CONTINUE_AFTER_EMPTY,
  type Draft,
  formatCount,
  goOn,
  isOutOfTurns,
  isOverTaskBudget,
  type LoopDeps,
  type LoopState,
  NO_VALUE_YET,
  REPEAT_AFTER_CUT,
  STRUCTURED_OUTPUT_REMINDER,
  shortenedByBudget,
  TEXT_REPEATS,
  textOf,
  VALUE_REFUSED_HEADER,
  WRAP_UP,
  WRAP_UP_WITH_TOOL,
  WRAP_UP_WITH_VALUE,
  type WrapUpReason,
  wantsValueByTool,
} from './state/index.js';

export interface Advance {
  readonly state: LoopState;
  /** Null: the loop goes round. */
  readonly ended: TerminalReason | null;
  /** What went wrong, if the ending alone does not say it. */
  readonly error?: Error;
}

/** Replies in a row that the output limit may cut before the prompt ends. */
const MAX_CUT_REPLIES = 3;
/** Times in a row that the API may pause a reply. */
const MAX_PAUSES = 10;
/** Times in one prompt that Stop hooks may make it go on. */
const MAX_STOP_BLOCKS = 10;
/** Texts that do not fit, though the API should hold them to the schema, before the value is asked for through a tool. */
const FAILURES_BEFORE_TOOL = 2;
const NOT_TAKEN = 'Not taken: the prompt ended before it.';
const NO_MORE_CALLS = 'Not run: the budget of this task is spent.';

/** `request`: what the reply answers. */
export function advance(
  state: LoopState,
  reply: Sample,
  request: ModelRequest,
  deps: LoopDeps,
): AsyncGenerator<Draft, Advance> {
  const calls = reply.message.content.filter((block) => block.type === 'tool_use');
  if (state.wrapUp !== null) return endWithSummary(state, calls, reply, request, state.wrapUp, deps);
  return calls.length > 0
    ? advanceWithTools(state, calls, reply, request, deps)
    : advanceWithoutTools(state, reply, request, deps);
}

async function* advanceWithoutTools(
  state: LoopState,
  reply: Sample,
  request: ModelRequest,
  deps: LoopDeps,
): AsyncGenerator<Draft, Advance> {
  const isValue = request.outputSchema !== undefined;
  const stopReason = reply.message.stop_reason;
  if (stopReason === 'refusal') return { state, ended: 'refusal', ...whyRefused(reply) };
  if (stopReason === 'model_context_window_exceeded') return yield* goOnShorter(state, deps);
  if (stopReason === 'pause_turn') return goOnAfterPause(state);
  if (stopReason === 'max_tokens') {
    const repetition = findRepetition(textOf(reply.message.content));
    if (repetition !== null) return yield* stopRepeating(state, repetition);
    if (state.isReplyShortened) yield cutNotice(request.maxTokens);
    if (state.cutReplies >= MAX_CUT_REPLIES) return { state, ended: 'max_output_tokens', ...tooShort(state, request) };
    const text = isValue ? REPEAT_AFTER_CUT : CONTINUE_AFTER_CUT;
    const cut = { ...state, cutReplies: state.cutReplies + 1, continues: !isValue };
    return goRound(yield* goOn(cut, text, 'reply_was_cut'));
  }
  if (textOf(reply.message.content) === '') {
    if (state.transition === 'reply_was_empty') return { state, ended: 'empty_reply' };
    return goRound(yield* goOn(state, CONTINUE_AFTER_EMPTY, 'reply_was_empty'));
  }
  if (isValue) return yield* takeValueOfText(state, textOf(reply.message.content), request, deps);
  if (state.structured !== null && state.structured.value === null) return yield* remindOfStructuredOutput(state);
  return yield* stopOrGoOn(state, deps);
}

function isCutByBudget(state: LoopState, reply: Sample): boolean {
  return state.isReplyShortened && reply.message.stop_reason === 'max_tokens';
}

/** The calls that did not come whole, with why that is so. */
function withReason(reply: Sample, reason: string): Sample {
  return { ...reply, unusable: new Map([...reply.unusable].map(([id, text]) => [id, `${text} ${reason}`])) };
}

function cutNotice(maxTokens: number, whatElse = ''): Draft {
  const message = `A reply was cut off${whatElse}: the budget leaves room for replies of at most ${formatCount(maxTokens)} tokens.`;
  return {
    type: 'system',
    subtype: 'notice',
    code: 'reply_cut_by_budget',
    level: 'warning',
    message,
    remedy: 'Raise the budget.',
  };
}

/** Why replies were cut again and again, if the model could have given longer ones. */
function tooShort({ isReplyShortened }: LoopState, { maxTokens }: ModelRequest): Pick<Advance, 'error'> {
  return isReplyShortened
    ? {
        error: new ConfigError(
          `Replies were cut off again and again. ${shortenedByBudget(maxTokens)} Raise the budget.`,
        ),
      }
    : {};
}

/** The model of fixed rules that needs no key: no policy stands behind what it turns down. */
const OFFLINE_MODEL = 'offline';

function whyRefused({ message }: Sample): Pick<Advance, 'error'> {
  if (message.model !== OFFLINE_MODEL) return {};
  const words =
    'The offline model did not understand the prompt, so nothing was done. Its answer says what it understands.';
  return { error: new ConfigError(words) };
}

const goRound = (state: LoopState): Advance => ({ state, ended: null });

/** The API paused a long reply of its own will: the same again, and it goes on. */
function goOnAfterPause(state: LoopState): Advance {
  if (state.pauses <= MAX_PAUSES) return goRound({ ...state, continues: true, transition: 'turn_paused' });
  const error = new ModelError(
    'server',
    `The API paused the reply ${state.pauses} times in a row, and gave no end of it.`,
  );
  return { state, ended: 'api_error', error };
}

/** A text that only repeats itself is not continued, and gets no higher limit: it is told once, then ended. */
async function* stopRepeating(state: LoopState, { passage, times }: Repetition): AsyncGenerator<Draft, Advance> {
  if (state.transition === 'text_repeated') return { state, ended: 'loop_detected' };
  const message = `The model said the same ${times} times in a row until the output limit cut it off: ${JSON.stringify(shorten(passage, 80))}.`;
  yield { type: 'system', subtype: 'notice', code: 'loop_suspected', level: 'warning', message };
  return goRound(yield* goOn(state, TEXT_REPEATS, 'text_repeated'));
}

/** The last reply: no tools run. It can be the value if one is wanted, whichever way it is asked for. */
async function* endWithSummary(
  state: LoopState,
  calls: readonly ToolUseBlock[],
  reply: Sample,
  request: ModelRequest,
  reason: TerminalReason,
  deps: LoopDeps,
): AsyncGenerator<Draft, Advance> {
  const last = yield* takeSummary(state, calls, reply, request, deps);
  const isWell = reason === 'task_budget' && (last.structured === null || last.structured.value !== null);
  // What a Stop hook wants more cannot be had any more, but it hears of the end as of any other.
  if (isWell && deps.hooks.has('Stop')) await deps.hooks.run('Stop', stopFields(last));
  return { state: last, ended: deps.signal.aborted ? 'aborted' : reason };
}

/** The last reply, with the value it gives if one is wanted. */
async function* takeSummary(
  state: LoopState,
  calls: readonly ToolUseBlock[],
  reply: Sample,
  request: ModelRequest,
  deps: LoopDeps,
): AsyncGenerator<Draft, LoopState> {
  const { outputSchema: schema } = deps;
  const output = request.toolChoice === 'none' ? undefined : outputCall(calls, deps);
  const refused = calls.filter((call) => call !== output);
  const after = appendMessages(state, yield* refuseAll(refused, NO_MORE_CALLS));
  if (output !== undefined) return yield* takeValueOfCall(after, output, reply, deps);
  if (schema === undefined || request.outputSchema === undefined || calls.length > 0) return after;
  const text = textOf(reply.message.content);
  const taken = await acceptStructuredText(text, schema, state.structured ?? NO_VALUE_YET, deps);
  return { ...after, structured: taken.state };
}

/** The call that gives the value, if one is wanted. */
function outputCall(calls: readonly ToolUseBlock[], deps: LoopDeps): ToolUseBlock | undefined {
  return deps.outputSchema === undefined ? undefined : calls.find(isStructuredOutputCall);
}

/** Answers the call, and takes its value if it fits. */
async function* takeValueOfCall(
  state: LoopState,
  call: ToolUseBlock,
  reply: Sample,
  deps: LoopDeps,
): AsyncGenerator<Draft, LoopState> {
  const { outputSchema: schema } = deps;
  if (schema === undefined) return state;
  const before = state.structured ?? NO_VALUE_YET;
  const problem = reply.unusable.get(call.id);
  const { state: structured, result } = await acceptStructuredOutput(call, problem, schema, before, deps);
  const message = { role: 'user', content: [result] } as const;
  yield { type: 'user', message, isSynthetic: true };
  return { ...appendMessage(state, message), structured };
}

/** The text of the answer is the value. One that does not fit is asked for again, and in the end through a tool. */
async function* takeValueOfText(
  state: LoopState,
  text: string,
  request: ModelRequest,
  deps: LoopDeps,
): AsyncGenerator<Draft, Advance> {
  if (deps.outputSchema === undefined) return { state, ended: 'completed' };
  const before = state.structured ?? NO_VALUE_YET;
  const { state: structured, problem } = await acceptStructuredText(text, deps.outputSchema, before, deps);
  const after = { ...state, structured };
  if (problem === null) return yield* stopOrGoOn(after, deps);
  if (structured.failures >= MAX_STRUCTURED_FAILURES)
    return { state: after, ended: 'structured_output_retry_exhausted' };
  if (structured.failures === FAILURES_BEFORE_TOOL && deps.leaveOut(request, { kind: 'output_schema' })) {
    yield schemaNotice(`${FAILURES_BEFORE_TOOL} answers did not fit it, so the API does not seem to know it.`);
    return goRound(yield* goOn(after, STRUCTURED_OUTPUT_REMINDER, 'structured_output_wanted'));
  }
  const again = `${VALUE_REFUSED_HEADER} ${problem}. Give the whole answer again, as JSON that fits the schema and nothing else.`;
  return goRound(yield* goOn(after, again, 'structured_output_wanted'));
}

async function* advanceWithTools(
  state: LoopState,
  calls: readonly ToolUseBlock[],
  reply: Sample,
  request: ModelRequest,
  deps: LoopDeps,
): AsyncGenerator<Draft, Advance> {
  const output = outputCall(calls, deps);
  const isCut = isCutByBudget(state, reply);
  if (isCut) yield cutNotice(request.maxTokens, ', and the call at its end did not run');
  const round = yield* runTools(
    calls.filter((call) => call !== output),
    isCut ? withReason(reply, shortenedByBudget(request.maxTokens)) : reply,
    deps,
  );
  let after = appendMessages(state, round.messages);
  const ended = deps.signal.aborted ? 'aborted' : round.ended;
  if (ended !== null) {
    const unanswered = yield* refuseAll(output === undefined ? [] : [output], NOT_TAKEN);
    return { state: appendMessages(after, unanswered), ended };
  }

  if (round.traced.length > 0)
    deps.toolRoundEnded?.({ model: request.model, text: textOf(reply.message.content), calls: round.traced });
  if (output !== undefined) after = yield* takeValueOfCall(after, output, reply, deps);
  if (round.traced.length > 0 && deps.hooks.has('PostToolBatch')) {
    const said = await afterBatch(round.traced, deps.hooks);
    if (said.note !== null) {
      const note = { role: 'user', content: said.note } as const;
      yield { type: 'user', message: note, isSynthetic: true };
      after = appendMessage(after, note);
    }
    if (deps.signal.aborted) return { state: after, ended: 'aborted' };
    if (said.isStopped) return { state: after, ended: 'hook_stopped' };
  }
  if (output !== undefined) {
    const { failures, value } = after.structured ?? NO_VALUE_YET;
    if (value !== null) return yield* stopOrGoOn(after, deps);
    if (failures >= MAX_STRUCTURED_FAILURES) return { state: after, ended: 'structured_output_retry_exhausted' };
  }
  const cutReplies = reply.message.stop_reason === 'max_tokens' ? after.cutReplies + 1 : 0;
  if (cutReplies > MAX_CUT_REPLIES) return { state: after, ended: 'max_output_tokens', ...tooShort(after, request) };
  const { trace, verdict } = traceCalls(after.calls, round.traced);
  const traced = { ...after, cutReplies, transition: 'tools_ran', calls: trace } as const;
  return verdict.kind === 'none' ? goRound(traced) : yield* leaveLoop(traced, verdict);
}

/** A model that repeats itself is told once, then stopped. */
async function* leaveLoop(
  state: LoopState,
  { kind, text }: Exclude<LoopVerdict, { kind: 'none' }>,
): AsyncGenerator<Draft, Advance> {
  if (kind === 'stop') return { state, ended: 'loop_detected' };
  yield { type: 'system', subtype: 'notice', code: 'loop_suspected', level: 'warning', message: text };
  return goRound(yield* goOn(state, text, 'loop_nudged'));
}

/** The window was full before the reply was done: room is made, and the reply goes on where it stopped. */
async function* goOnShorter(state: LoopState, deps: LoopDeps): AsyncGenerator<Draft, Advance> {
  if (state.cutReplies >= MAX_CUT_REPLIES) return { state, ended: 'prompt_too_long' };
  const shorter = yield* deps.compactor.recoverFromOverflow({ ...state, overflows: 1 }, deps);
  if (shorter === null) return { state, ended: 'prompt_too_long' };
  const cut = { ...shorter, cutReplies: state.cutReplies + 1, continues: true };
  return goRound(yield* goOn(cut, CONTINUE_AFTER_CUT, 'history_shrunk'));
}

async function* remindOfStructuredOutput(state: LoopState): AsyncGenerator<Draft, Advance> {
  const failures = (state.structured?.failures ?? 0) + 1;
  const structured = { ...(state.structured ?? NO_VALUE_YET), failures, lastError: 'no value was given' };
  if (failures >= MAX_STRUCTURED_FAILURES)
    return { state: { ...state, structured }, ended: 'structured_output_retry_exhausted' };
  return goRound(yield* goOn({ ...state, structured }, STRUCTURED_OUTPUT_REMINDER, 'structured_output_wanted'));
}

function stopFields({ stopBlocks, answer }: LoopState) {
  return { stop_hook_active: stopBlocks > 0, ...(answer === '' ? {} : { last_assistant_message: answer }) };
}

/** The prompt would end well here; a Stop hook may say that it is not done. */
async function* stopOrGoOn(state: LoopState, deps: LoopDeps): AsyncGenerator<Draft, Advance> {
  if (!deps.hooks.has('Stop')) return { state, ended: 'completed' };
  const answer = await deps.hooks.run('Stop', stopFields(state));
  if (deps.signal.aborted) return { state, ended: 'aborted' };
  if (!answer.continue || answer.block === null)
    return { state, ended: answer.continue ? 'completed' : 'hook_stopped' };
  // The answer is there: a hook that wants more does not make a failure of it if nothing more may be asked.
  const isAtLimit = isOutOfTurns(state, deps) || isOverTaskBudget(state, deps);
  if (isAtLimit || state.stopBlocks >= MAX_STOP_BLOCKS) return { state, ended: 'completed' };
  const blocked = { ...state, stopBlocks: state.stopBlocks + 1, isAnswered: true };
  return goRound(yield* goOn(blocked, answer.block.reason, 'stop_hook_blocked'));
}

/** The state of the last request, and what is told of it. */
export function wrapUp(state: LoopState, reason: WrapUpReason, deps: LoopDeps): ReturnType<typeof addNote> {
  const text = wantsValueByTool(state, deps)
    ? WRAP_UP_WITH_TOOL
    : deps.asksForValueAsText(state)
      ? WRAP_UP_WITH_VALUE
      : WRAP_UP;
  return addNote({ ...state, wrapUp: reason }, text, 'budget_wrap_up');
}
