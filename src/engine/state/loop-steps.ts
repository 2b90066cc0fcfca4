// Small steps that the parts of the loop share. Each takes a state and gives a new one.
import type { AssistantBlock, MessageParam, Usage } from '../../protocol/content.js';
import { type Draft, type LoopDeps, type LoopState, NO_CALLS, type Transition } from './loop-state.js';

export function appendMessage(state: LoopState, message: MessageParam): LoopState {
  return { ...state, messages: [...state.messages, message] };
}

export function appendMessages(state: LoopState, messages: readonly MessageParam[]): LoopState {
  return messages.length === 0 ? state : { ...state, messages: [...state.messages, ...messages] };
}

/** The state with a message of the engine's own, after which the loop goes round for the reason given. */
export function addNote(
  state: LoopState,
  text: string,
  transition: Transition,
): { readonly state: LoopState; readonly draft: Draft } {
  const message = { role: 'user', content: [{ type: 'text', text }] } as const;
  return {
    state: { ...appendMessage(state, message), transition },
    draft: { type: 'user', message, isSynthetic: true },
  };
}

/** As `addNote`, and tells it. */
export async function* goOn(state: LoopState, text: string, transition: Transition): AsyncGenerator<Draft, LoopState> {
  const noted = addNote(state, text, transition);
  yield noted.draft;
  return noted.state;
}

/** Adds what the user said meanwhile. What looked like a circle before is none any more. */
export async function* deliverQueued(
  first: Promise<readonly Draft[]>,
  initial: LoopState,
  deps: Pick<LoopDeps, 'takeQueuedMessage' | 'signal'>,
): AsyncGenerator<Draft, LoopState> {
  let state = initial;
  for (let taken: Promise<readonly Draft[]> | null = first; taken !== null; ) {
    for (const draft of await taken) {
      yield draft;
      if (draft.type === 'delivered') state = { ...appendMessage(state, draft.message), calls: NO_CALLS };
    }
    taken = deps.signal.aborted ? null : deps.takeQueuedMessage();
  }
  return state;
}

/** True if the tokens of the prompt are used up. */
export function isOverTaskBudget(state: LoopState, deps: Pick<LoopDeps, 'taskBudget' | 'tokensBeside'>): boolean {
  return deps.taskBudget !== undefined && state.tokensUsed + deps.tokensBeside() >= deps.taskBudget;
}

export function isOutOfTurns(state: LoopState, { maxTurns }: Pick<LoopDeps, 'maxTurns'>): boolean {
  return maxTurns !== undefined && state.turns >= maxTurns;
}

/** All text of a reply. */
export function textOf(content: readonly AssistantBlock[]): string {
  return content
    .filter((block) => block.type === 'text')
    .map((block) => block.text)
    .join('');
}

export function totalTokens(usage: Usage): number {
  return usage.input_tokens + usage.output_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}

/** True if the answer is a value that the model gives by calling a tool. */
export function wantsValueByTool(state: LoopState, deps: LoopDeps): boolean {
  return state.structured !== null && !deps.asksForValueAsText(state);
}
