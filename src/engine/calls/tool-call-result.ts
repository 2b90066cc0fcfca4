// How a tool call ended, and the result the model reads of it, without secrets.
import type { ToolResultBlock, ToolUseBlock } from '../../protocol/content.js';
import { ToolError } from '../../protocol/errors.js';
import type { TerminalReason } from '../../protocol/messages.js';
import { mapTexts, someText } from '../../secrets/message-texts.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import type { ToolSubject } from '../../tools/tool.js';
import { isNestedDeeper, withoutDeeper } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import type { Draft, GateAnswer } from '../state/index.js';

/** `not_started` had no effect; after `interrupted_after_start` the effects are unknown. */
/** A `deferred` call has no result yet: its block is not shown. */
export type CallEnding = 'completed' | 'failed' | 'refused' | 'not_started' | 'interrupted_after_start' | 'deferred';

export interface ToolCallResult {
  readonly block: ToolResultBlock;
  /** Typed output for the caller, if there is some. */
  readonly data: unknown;
  readonly ending: CallEnding;
  /** True if the tool itself was started. */
  readonly ran: boolean;
  readonly durationMs: number;
  /** Set if the call ends the whole prompt. */
  readonly ends: TerminalReason | null;
  /** Messages about the call, before its result. */
  readonly drafts: readonly Draft[];
}

export function callEnded(
  call: ToolUseBlock,
  content: ToolResultBlock['content'],
  isError: boolean,
  ending: CallEnding,
): ToolCallResult {
  const block: ToolResultBlock = {
    type: 'tool_result',
    tool_use_id: call.id,
    content,
    ...(isError ? { is_error: true } : {}),
  };
  return { block, data: undefined, ending, ran: false, durationMs: 0, ends: null, drafts: [] };
}

export function callFailed(call: ToolUseBlock, text: string, data?: unknown): ToolCallResult {
  return { ...callEnded(call, text, true, 'failed'), data };
}

/** A call that will not run, for the reason given. */
export function notRun(call: ToolUseBlock, text: string): ToolCallResult {
  return callEnded(call, text, true, 'not_started');
}

/** Also for calls that were never looked at because the prompt ended before them. */
export function notStarted(call: ToolUseBlock): ToolCallResult {
  return notRun(call, 'The prompt was interrupted before this call started. It had no effect.');
}

/** What stands for a call that waits for a decision: no result, and a word to the caller. */
export function callDeferred(call: ToolUseBlock, reason: string): ToolCallResult {
  const told: Draft = {
    type: 'system',
    subtype: 'notice',
    code: 'tool_deferred',
    level: 'info',
    message: `The call ${call.id} of ${call.name} waits for a decision: ${reason}.`,
  };
  return { ...callEnded(call, '', false, 'deferred'), drafts: [told] };
}

export function interruptedAfterStart(call: ToolUseBlock, detail: string | undefined, data: unknown): ToolCallResult {
  const text = `Interrupted after it started; its effects are unknown.${detail === undefined ? '' : `\n${detail}`}`;
  return { ...callEnded(call, text, true, 'interrupted_after_start'), data };
}

/** A refused call. If nobody was asked, the caller learns of it by a message of its own. */
export function callRefused(call: ToolUseBlock, answer: Extract<GateAnswer, { behavior: 'deny' }>): ToolCallResult {
  const told: Draft = {
    type: 'system',
    subtype: 'permission_denied',
    tool_name: call.name,
    tool_use_id: call.id,
    decision_reason_type: answer.reasonType,
    decision_reason: answer.reason,
    message: answer.told ?? answer.message,
  };
  return {
    ...callEnded(call, answer.message, true, 'refused'),
    ends: answer.interrupt ? 'permission_interrupt' : null,
    drafts: answer.asked ? [] : [told],
  };
}

// Secrets around a tool call: what it gives back has none, and what the user typed for it is put in.

type Input = Record<string, unknown>;

/** The very same result if there is none in it. Contract: never throws; what cannot be looked through is not shown. */
export async function hideSecrets(
  result: ToolCallResult,
  vault: SecretVault,
  log: (event: string, detail: unknown) => void,
): Promise<ToolCallResult> {
  try {
    const block = await vault.hide(inOnePiece(result.block, vault), 'found', true);
    const data = await hideData(result.data, vault);
    const drafts = await vault.hide(result.drafts, 'found', true);
    const isSame = block === result.block && data === result.data && drafts === result.drafts;
    return isSame ? result : { ...result, block, data, drafts };
  } catch (error) {
    log('secrets_not_hidden', { error });
    const content = `The call ended, but its result could not be looked through for secrets, so it is not shown: ${errorText(error)}`;
    return { ...result, block: { ...result.block, content, is_error: true }, data: undefined, drafts: [] };
  }
}

/** Blocks of text between which a secret is parted become one. */
function inOnePiece(block: ToolResultBlock, vault: SecretVault): ToolResultBlock {
  const { content } = block;
  if (typeof content === 'string' || content.length < 2) return block;
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (texts.length !== content.length || texts.some(vault.suspects)) return block;
  const text = texts.join('');
  return vault.suspects(text) ? { ...block, content: [{ type: 'text', text }] } : block;
}

/** A tool of the host's own may give anything: what cannot be read through is left out. */
async function hideData(data: unknown, vault: SecretVault): Promise<unknown> {
  try {
    if (!isNestedDeeper(data)) return await vault.hide(data, 'found', false);
    const shallow = withoutDeeper(data);
    return vault.suspectsIn(shallow, false) ? await vault.hide(shallow, 'found', false) : data;
  } catch {
    return data; // it throws when it is read, so nobody can
  }
}

/**
 * The input with what the user typed, if the model has placeholders of it. Not for a subagent, whose model would have
 * it, nor for a script, whose own calls get it; a command is put together if it is known how it runs.
 */
export async function giveTyped(
  input: Input,
  tool: {
    readonly spawnsAgents?: boolean;
    readonly callsTools?: boolean;
    subject(input: unknown, cwd: string): ToolSubject;
  },
  cwdOf: () => string,
  vault: SecretVault,
): Promise<Input> {
  if (textsIn(input, vault).size === 0) return input;
  const cwd = cwdOf();
  if (tool.spawnsAgents === true || tool.callsTools === true || tool.subject(input, cwd).kind === 'command')
    return input;
  const opened = await vault.open();
  const restored = new Map<string, string>();
  for (const text of textsIn(input, vault)) restored.set(text, (await opened.restore(text, { kind: 'outside' })).text);
  const given = mapTexts(input, false, (text) => restored.get(text) ?? text) as Input;
  // What was decided holds for the file or server that was named then.
  if (target(tool.subject(given, cwd)) === target(tool.subject(input, cwd))) return given;
  throw new ToolError(
    'Nothing was done: a placeholder of a secret stands in the name of the file or server, and names get no secrets. Give the name without it.',
  );
}

function target(subject: ToolSubject): string {
  if (subject.kind !== 'url') return JSON.stringify(subject);
  return URL.canParse(subject.url) ? new URL(subject.url).host : subject.url;
}

/** Those that may name a secret. */
function textsIn(input: Input, vault: SecretVault): ReadonlySet<string> {
  const texts = new Set<string>();
  someText(input, false, (text) => {
    if (vault.mayHoldPlaceholder(text)) texts.add(text);
    return false;
  });
  return texts;
}
