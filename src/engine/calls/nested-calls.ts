// Calls that a tool makes of others: each goes the way of any call, under the call that it is made for. Those that only read
// run beside each other, all others alone and in order.
import type { ToolResultBlock, ToolUseBlock } from '../../protocol/content.js';
import type { TerminalReason } from '../../protocol/messages.js';
import { type NestedResult, runsBesideOthers, toolNamed } from '../../tools/tool.js';
import { shareSignal } from '../../util/abort.js';
import type { Draft } from '../state/index.js';
import { type CallDeps, callDeps, type LiveDrafts, MAX_CONCURRENT_CALLS } from './call-deps.js';
import { callFailed, notStarted, type ToolCallResult } from './tool-call-result.js';

export interface NestedCalls {
  /** Contract: never rejects; settles soon after the signal of the outer call aborts. */
  call(name: string, input: unknown): Promise<NestedResult>;
  /** Waits for what is under way. No call is begun afterwards. */
  close(): Promise<void>;
}

/** One call, from its block to its result. */
type Execute = (call: ToolUseBlock, deps: CallDeps) => Promise<ToolCallResult>;

/** @param onEnds told of a call that ends the whole prompt */
export function createNestedCalls(
  parent: ToolUseBlock,
  deps: CallDeps,
  live: LiveDrafts | null,
  execute: Execute,
  onEnds: (reason: TerminalReason) => void,
): NestedCalls {
  const shared = shareSignal(deps.signal);
  const inOrder = createOrder();
  let count = 0;
  let isClosed = false;
  const show = async (draft: Draft): Promise<void> => live?.show(draft);

  const run = async (call: ToolUseBlock): Promise<ToolCallResult> => {
    if (isClosed) return notStarted(call);
    await show({
      type: 'nested',
      of: parent.id,
      tool: parent.name,
      message: callMessage(call),
      syncs: !isReading(call, deps),
    });
    const result = await shared.use((signal) =>
      execute(call, { ...callDeps(deps, deps.tools, signal), deferCall: undefined }),
    );
    for (const draft of result.drafts) await show(draft);
    const ended = result.ending === 'deferred' ? undecided(call) : result;
    await show({ type: 'nested', of: parent.id, tool: parent.name, message: resultMessage(ended), syncs: false });
    if (ended.ends !== null) {
      isClosed = true;
      onEnds(ended.ends);
    }
    return ended;
  };

  return {
    async call(name, input) {
      count += 1;
      const call: ToolUseBlock = {
        type: 'tool_use',
        id: `${parent.id}_${count}`,
        name,
        input: input as ToolUseBlock['input'],
      };
      const refused = whyNot(name, deps);
      if (refused !== null) return toNested(callFailed(call, refused));
      return toNested(await inOrder(isReading(call, deps), () => run(call)));
    },
    async close() {
      isClosed = true;
      await inOrder(false, async () => undefined);
      if (count > 0) await show({ type: 'nested', of: parent.id, tool: parent.name, message: null, syncs: false });
    },
  };
}

function isReading({ name }: ToolUseBlock, { tools }: CallDeps): boolean {
  return runsBesideOthers(tools, name);
}

function whyNot(name: string, { tools }: CallDeps): string | null {
  return toolNamed(tools, name)?.forModelOnly === true
    ? `${name} cannot be called from here: what it does is for you to read. Call it by itself.`
    : null;
}

/** Runs what only reads side by side, and everything else by itself, in the order in which it came. */
function createOrder() {
  let lastChange: Promise<unknown> = Promise.resolve();
  let all: Promise<unknown> = Promise.resolve();
  const slots: Promise<unknown>[] = Array.from({ length: MAX_CONCURRENT_CALLS }, () => Promise.resolve());
  let next = 0;
  return <T>(reads: boolean, work: () => Promise<T>): Promise<T> => {
    const slot = next++ % slots.length;
    const before = reads ? Promise.all([lastChange, slots[slot]]) : all;
    const running = before.then(work);
    // What fails here is told by who waits for it.
    const settled = running.then(
      () => undefined,
      () => undefined,
    );
    all = Promise.all([all, settled]);
    if (reads) slots[slot] = settled;
    else lastChange = settled;
    return running;
  };
}

/** A later decision would answer a call whose caller is gone by then. */
function undecided(call: ToolUseBlock): ToolCallResult {
  const why = `${call.name} did not run: nobody could decide about it now. Make this call by itself, then it waits for a decision.`;
  return { ...callFailed(call, why), ending: 'refused' };
}

function callMessage(call: ToolUseBlock) {
  const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = {
    id: `msg_${call.id}`,
    type: 'message',
    role: 'assistant',
    model: '<synthetic>',
    content: [call],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage,
  } as const;
  return { type: 'assistant', message } as const;
}

function resultMessage({ block, data }: ToolCallResult) {
  const shown = data === undefined ? {} : { tool_use_result: data };
  return { type: 'user', message: { role: 'user', content: [block] }, isSynthetic: true, ...shown } as const;
}

function toNested({ block, data, ending, ends, durationMs }: ToolCallResult): NestedResult {
  const isError = block.is_error === true;
  return { isError, isRefused: ending === 'refused', endsPrompt: ends !== null, text: textOf(block), data, durationMs };
}

function textOf({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}
