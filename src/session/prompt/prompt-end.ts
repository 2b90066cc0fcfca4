// What is left at a prompt's end: what stands in the transcript that the conversation does not say, and calls that wait for a
// decision. The transcript says which were deferred; the conversation says which are open. One rule: neither lets anything run.
import type { MessageParam, ToolUseBlock } from '../../protocol/content.js';
import type { SDKDeferredToolUse } from '../../protocol/messages.js';
import type { ContentSource } from '../../protocol/options.js';
import { shorten } from '../../util/text.js';
import type { SessionState } from '../config/index.js';
import type { Prepared, Runtime, Session } from '../core/index.js';
import type { PromptInput } from '../input/index.js';
import { type StateEntry, type Transcript, toStateLine } from '../store/index.js';
import type { PromptOptions } from './prepare-prompt.js';

/** Characters of a prompt that a list of sessions shows. */
export const SHOWN_PROMPT = 200;

/**
 * Cost, todos, turns and what compaction remembers, so that a resumed session goes on with them; and the prompt, so that
 * the end of a long file says what the session is about.
 * @param typed what the user typed; null if nobody did
 */
export async function recordPromptEnd(session: Session, runtime: Runtime, typed: string | null): Promise<void> {
  const { transcript, provenance } = runtime;
  const lastPrompt = typed === null ? '' : shorten(typed, SHOWN_PROMPT);
  if (lastPrompt !== '') await transcript.annotate({ type: 'last-prompt', lastPrompt });
  await transcript.annotate(stateLine(session, transcript, provenance?.sources));
}

/** The state of the session behind the last line of its transcript. */
export function stateLine(
  session: Session,
  { lastUuid }: Transcript,
  untrusted: readonly ContentSource[] | undefined,
): Omit<StateEntry, 'sessionId'> {
  const { ledger, memory, config, host } = session;
  const state = {
    ledger: ledger.state(),
    turns: memory.turns,
    compaction: memory.compaction,
    todos: config.getAppState().todos ?? [],
    ...goalOf(session),
    ...(memory.recordedPrompt === undefined ? {} : { systemPrompt: memory.recordedPrompt }),
    ...(memory.environment === null ? {} : { environment: memory.environment.facts }),
    ...(untrusted === undefined ? {} : { untrusted }),
  };
  return toStateLine(state, lastUuid, new Date(host.clock.now()).toISOString());
}

function goalOf({ memory, config }: Session): Pick<SessionState, 'goal'> {
  const goal = memory.goals === undefined ? config.resumedState?.goal : memory.goals.current;
  return goal == null ? {} : { goal };
}

/** Prompts that are kept for the judge. */
const MAX_TYPED = 20;

export function noteTyped({ typed }: Pick<Runtime, 'typed'>, text: string): void {
  typed.push(text);
  if (typed.length > MAX_TYPED) typed.shift();
}

/** What the user typed for the model; null if nobody did. */
/** @param prepared null: it asks nothing */
export function typedText(prompt: PromptInput, options: PromptOptions, prepared: Prepared | null): string | null {
  if (options.isMeta || (options.origin !== undefined && options.origin.kind !== 'human')) return null;
  if (prepared !== null && (prepared.kind === 'failed' || !prepared.input.shouldQuery)) return null;
  if (typeof prompt === 'string') return prompt;
  return prompt.map((block) => (block.type === 'text' ? block.text : '')).join(' ');
}

/** Those of `waiting` that are still open, in the order of their reply. */
export function openCalls(waiting: ReadonlyMap<string, SDKDeferredToolUse>, history: readonly MessageParam[]) {
  if (waiting.size === 0) return [];
  return unanswered(history).flatMap(({ id }) => waiting.get(id) ?? []);
}

/** The calls of the last reply that nothing answered. */
export function unanswered(history: readonly MessageParam[]): ToolUseBlock[] {
  const last = history.findLastIndex((message) => message.role === 'assistant');
  const reply = history[last];
  if (reply?.role !== 'assistant' || typeof reply.content === 'string') return [];
  const answered = new Set<string>();
  for (const { role, content } of history.slice(last + 1)) {
    if (role !== 'user' || typeof content === 'string') continue;
    for (const block of content) if (block.type === 'tool_result') answered.add(block.tool_use_id);
  }
  return reply.content.filter((block): block is ToolUseBlock => block.type === 'tool_use' && !answered.has(block.id));
}
