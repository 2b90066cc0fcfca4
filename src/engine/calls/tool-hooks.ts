// Hooks around one tool call: what they may say before it runs, and what they may change after.
import type { HookResult } from '../../hooks/run-hooks.js';
import type { ToolResultBlock, ToolResultContent, ToolUseBlock } from '../../protocol/content.js';
import type { TerminalReason } from '../../protocol/messages.js';
import { isRecord } from '../../util/json.js';
import type { GateCall, LoopHooks, TracedCall } from '../state/index.js';
import type { CallDeps } from './call-deps.js';
import type { ToolCallResult } from './tool-call-result.js';

/** What the PreToolUse hooks said. */
export interface ToolHookVerdict {
  readonly permission: GateCall['hook'];
  readonly updatedInput: Record<string, unknown> | null;
  /** Told to the model with the result. */
  readonly context: readonly string[];
  /** Set if a hook ended the prompt; `reason` then says why. */
  readonly ends: TerminalReason | null;
  readonly reason: string;
}

const NOTHING_SAID: ToolHookVerdict = { permission: null, updatedInput: null, context: [], ends: null, reason: '' };

export async function beforeTool(call: ToolUseBlock, deps: CallDeps): Promise<ToolHookVerdict> {
  if (!deps.hooks.has('PreToolUse')) return NOTHING_SAID;
  const fields = { tool_name: call.name, tool_input: call.input, tool_use_id: call.id };
  const said = await deps.hooks.run('PreToolUse', fields, call.id);
  return {
    permission: permissionOf(said),
    updatedInput: said.updatedInput,
    context: said.additionalContext,
    ends: said.continue ? null : 'hook_stopped',
    reason: said.stopReason ?? said.block?.reason ?? 'A hook ended the prompt before this call.',
  };
}

function permissionOf(said: HookResult): GateCall['hook'] {
  const { permission } = said;
  if (permission?.behavior === 'deny') return { behavior: 'deny', reason: permission.reason };
  if (said.block !== null) return { behavior: 'deny', reason: said.block.reason };
  if (permission === null) return null;
  return { behavior: permission.behavior, reason: permission.reason };
}

/** Lets the hooks see the result of a call that ran, and change what the model reads of it. */
export async function afterTool(
  result: ToolCallResult,
  call: ToolUseBlock,
  input: Record<string, unknown>,
  verdict: ToolHookVerdict,
  deps: CallDeps,
): Promise<ToolCallResult> {
  const told = addContext(result, verdict.context);
  const event = result.ending === 'completed' ? 'PostToolUse' : 'PostToolUseFailure';
  if (!deps.hooks.has(event)) return told;
  const outcome =
    event === 'PostToolUse'
      ? { tool_response: result.data ?? result.block.content }
      : { error: textOf(result.block), is_interrupt: result.ending === 'interrupted_after_start' };
  const fields = {
    tool_name: call.name,
    tool_input: input,
    tool_use_id: call.id,
    duration_ms: Math.round(result.durationMs),
    ...outcome,
  };
  const said = await deps.hooks.run(event, fields, call.id);
  const replaced = await withOutput(told, said.updatedToolOutput);
  const objection = said.block === null ? [] : [`objection: ${said.block.reason}`];
  const judged = addContext(replaced, [...objection, ...said.additionalContext]);
  return said.continue ? judged : { ...judged, ends: 'hook_stopped' };
}

/** Few hooks give another result, and fewer one that is no text. */
async function withOutput(result: ToolCallResult, output: unknown): Promise<ToolCallResult> {
  if (output === null) return result;
  if (typeof output === 'string') return withText(result, output);
  return { ...result, data: output, block: { ...result.block, content: contentOf(output) } };
}

/** Once all calls of a reply have ended: what hooks add for the model, and whether they end the prompt. */
export async function afterBatch(
  traced: readonly TracedCall[],
  hooks: LoopHooks,
): Promise<{ readonly note: string | null; readonly isStopped: boolean }> {
  const said = await hooks.run('PostToolBatch', {
    tool_calls: traced.map(({ call, result }) => ({
      tool_name: call.name,
      tool_input: call.input,
      tool_use_id: call.id,
      tool_response: result.content,
    })),
  });
  const objection = said.block === null ? [] : [`objection: ${said.block.reason}`];
  const context = [...objection, ...said.additionalContext];
  return { note: context.length === 0 ? null : hookNote(context), isStopped: !said.continue };
}

function addContext(result: ToolCallResult, context: readonly string[]): ToolCallResult {
  if (context.length === 0) return result;
  const note = hookNote(context);
  const { content } = result.block;
  if (typeof content === 'string') return withText(result, content === '' ? note : `${content}\n\n${note}`);
  return { ...result, block: { ...result.block, content: [...content, { type: 'text', text: note }] } };
}

/** What hooks say, as the model reads it. */
function hookNote(context: readonly string[]): string {
  return context.map((text) => `[From a hook: ${text}]`).join('\n');
}

function withText(result: ToolCallResult, text: string): ToolCallResult {
  return { ...result, block: { ...result.block, content: text } };
}

function textOf(block: ToolResultBlock): string {
  if (typeof block.content === 'string') return block.content;
  return block.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

// What the model reads of an output that a hook gave in place of a tool's own, which is an object of the tool's kind.
// Loaded with the first such answer.

/** Fields that hold the text of an output, over all tools. */
const TEXTS = ['stdout', 'stderr', 'content', 'output', 'result', 'text'] as const;

/** Contract: never throws. Of an output whose text cannot be told, all of it as JSON. */
function contentOf(output: unknown): ToolResultBlock['content'] {
  const blocks = blocksOf(output);
  if (blocks !== null) return blocks;
  const inner = isRecord(output) && isRecord(output['file']) ? output['file'] : output;
  if (isRecord(inner)) {
    const texts = TEXTS.flatMap((name) => (typeof inner[name] === 'string' ? [inner[name]] : []));
    if (texts.length > 0) return texts.filter((text) => text !== '').join('\n');
    if (Array.isArray(inner['filenames'])) return inner['filenames'].join('\n');
  }
  return JSON.stringify(output, null, 2) ?? '';
}

/** Those of a tool of a server, alone or as its field `content`. */
function blocksOf(output: unknown): readonly ToolResultContent[] | null {
  const list: unknown = isRecord(output) ? output['content'] : output;
  if (!Array.isArray(list) || list.length === 0) return null;
  const blocks = list.map((block): ToolResultContent | null => {
    if (!isRecord(block)) return null;
    const { type, text, data, mimeType } = block;
    if (type === 'text' && typeof text === 'string') return { type, text };
    if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string')
      return { type, source: { type: 'base64', media_type: mimeType as 'image/png', data } };
    return null;
  });
  return blocks.every((block) => block !== null) ? blocks : null;
}
