// The result message: one per prompt, from how the loop ended.
import { assistantErrorOf } from '../../engine/reply/index.js';
import type { MessageDraft } from '../../engine/state/index.js';
import type { SDKAssistantMessageError } from '../../protocol/envelope.js';
import type { SDKDeferredToolUse, SDKResultError, TerminalReason } from '../../protocol/messages.js';
import type { SDKPermissionDenial } from '../../protocol/permissions.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import { count } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';
import type { UsageLedger } from '../spending/index.js';
import type { PromptEnding } from './prompt-ending.js';
import { type AgentRun, syntheticAssistant } from './session.js';

/**
 * @param messages ids of those that the result answers, and how many wait
 * @param deferred calls that wait for a decision
 */
export function resultDraft(
  ending: PromptEnding,
  times: { readonly durationMs: number; readonly apiDurationMs: number },
  ledger: UsageLedger,
  denials: readonly SDKPermissionDenial[],
  messages: { readonly answered: readonly string[]; readonly waiting: number },
  deferred: readonly SDKDeferredToolUse[],
): Extract<MessageDraft, { type: 'result' }> {
  const subtype = subtypeOf(ending);
  const { usage, costUsd, firstEventMs } = ledger.ofPrompt;
  const common = {
    type: 'result',
    duration_ms: Math.round(times.durationMs),
    duration_api_ms: Math.round(times.apiDurationMs),
    ...(firstEventMs === null ? {} : { ttft_ms: Math.round(firstEventMs) }),
    num_turns: ending.turns,
    stop_reason: ending.stopReason,
    total_cost_usd: ledger.totalCostUsd,
    ...(ledger.costUnknown ? { cost_unknown: true } : {}),
    usage: ledger.totals,
    prompt_usage: usage,
    prompt_cost_usd: costUsd,
    modelUsage: ledger.byModel,
    permission_denials: [...denials],
    terminal_reason: ending.reason,
    ...(ending.failure === undefined ? {} : { api_error_status: ending.failure.status }),
    fast_mode_state: 'off',
    ...answeredOf(messages.answered),
    ...(messages.waiting === 0 ? {} : { queued_turn_count: messages.waiting }),
  } as const;
  if (subtype === 'success') {
    const value = ending.structured?.value ?? null;
    return {
      ...common,
      subtype,
      is_error: false,
      result: value === null ? ending.text : JSON.stringify(value.json),
      ...(value === null ? {} : { structured_output: value.output }),
      ...(deferred[0] === undefined ? {} : { deferred_tool_use: deferred[0], deferred_tool_uses: deferred }),
    };
  }
  const explanation = explanationOf(ending);
  const result = ending.reason === 'aborted' ? 'Aborted' : ending.text === '' ? explanation : ending.text;
  return { ...common, subtype, is_error: true, result, errors: [explanation] };
}

function answeredOf(uuids: readonly string[]) {
  const last = uuids.at(-1);
  return last === undefined ? {} : { user_message_uuid: last, user_message_uuids: uuids };
}

export type ResultDraft = ReturnType<typeof resultDraft>;

/** Without secrets in what hooks, hosts and errors said; what the model said stands as it was shown before. */
export async function hideFoundInResult(draft: ResultDraft, vault: SecretVault | null): Promise<ResultDraft> {
  if (vault === null) return draft;
  const { permission_denials, result, ...rest } = draft;
  const isOfModel = !draft.is_error && draft.terminal_reason !== 'hook_stopped';
  const said = {
    permission_denials,
    ...(isOfModel ? {} : { result }),
    ...('errors' in rest ? { errors: rest.errors } : {}),
  };
  return { ...draft, ...(await vault.hide(said, 'found', false)) } as ResultDraft;
}

/** What is told of a prompt that did not end well; null if it did, or if the caller ended it. */
export function failureOf(ending: PromptEnding): string | null {
  return ending.reason === 'aborted' || subtypeOf(ending) === 'success' ? null : explanationOf(ending);
}

/** Never success without a value if one was wanted, however the prompt ended. */
function subtypeOf({ reason, structured }: PromptEnding): 'success' | SDKResultError['subtype'] {
  const subtype = subtypeOfReason(reason);
  // A value may still come: the prompt has only been put off.
  const isMissing = reason !== 'tool_deferred' && structured !== null && structured.value === null;
  return subtype === 'success' && isMissing ? 'error_max_structured_output_retries' : subtype;
}

function subtypeOfReason(reason: TerminalReason): 'success' | SDKResultError['subtype'] {
  switch (reason) {
    case 'completed':
    case 'local_command':
    case 'task_budget':
    case 'hook_stopped':
    case 'tool_deferred':
      return 'success';
    case 'max_turns':
      return 'error_max_turns';
    case 'budget_exhausted':
      return 'error_max_budget_usd';
    case 'structured_output_retry_exhausted':
      return 'error_max_structured_output_retries';
    case 'aborted':
    case 'permission_interrupt':
    case 'loop_detected':
    case 'max_output_tokens':
    case 'prompt_too_long':
    case 'refusal':
    case 'empty_reply':
    case 'api_error':
    case 'turn_setup_failed':
    case 'engine_error':
      return 'error_during_execution';
    default:
      return reason satisfies never;
  }
}

/** What happened, and what to do, for people. */
export function explanationOf(ending: PromptEnding): string {
  switch (ending.reason) {
    case 'aborted':
      return 'Aborted';
    case 'max_turns':
      return `The limit of ${count(ending.turns, 'turn')} was reached before the task was done. Raise maxTurns, or go on with another prompt.`;
    case 'budget_exhausted':
      return ending.error ?? 'The budget was spent before the task was done. Raise it to go on.';
    case 'structured_output_retry_exhausted':
      return `The model gave no value that fits the schema. Last problem: ${ending.structured?.lastError ?? 'none'}.`;
    case 'permission_interrupt':
      return 'A tool call was denied, and the denial ended the prompt.';
    case 'loop_detected':
      return 'The model repeated itself, the same calls with the same results or the same text, also after it was told. Nothing was gained by going on.';
    case 'max_output_tokens':
      return (
        ending.error ?? 'The reply was cut off by the output limit again and again. Ask for the work in smaller parts.'
      );
    case 'prompt_too_long':
      return ending.error ?? 'The conversation does not fit the context window of the model. Start over with /clear.';
    case 'refusal':
      return ending.error ?? 'The model refused to answer, or to do all that was asked.';
    case 'empty_reply':
      return 'The model gave an empty reply twice.';
    case 'task_budget':
    case 'hook_stopped':
      return 'The prompt ended before the model gave the value that was asked for.';
    default:
      return ending.error ?? 'The prompt failed.';
  }
}

// Says what was kept from the model and from the disk. Never anything of it.

/** @param found how many secrets of each kind are new */
export function secretsNotice(found: ReadonlyMap<string, number>): PendingNotice {
  const total = [...found.values()].reduce((sum, each) => sum + each, 0);
  const kinds = [...found].map(([kind, each]) => `${each} ${kind}`).join(', ');
  const isOne = total === 1;
  return {
    code: 'secrets_redacted',
    level: 'info',
    message: `${count(total, 'secret')} ${isOne ? 'is' : 'are'} kept from the model and from the disk: ${kinds}. ${isOne ? 'A placeholder stands in its place' : 'Placeholders stand in their place'}.`,
    data: Object.fromEntries(found),
  };
}

// A request that failed for good, as a message of the stream: it stands in the place of the reply, and is not stored.

export async function failureDrafts(
  { session, runtime }: Pick<AgentRun, 'session' | 'runtime'>,
  ending: PromptEnding,
): Promise<readonly MessageDraft[]> {
  const error = errorOf(ending);
  if (error === null) return [];
  const plain = explanationOf(ending);
  const text = runtime.vault === null ? plain : await runtime.vault.hide(plain, 'found', false);
  const message = syntheticAssistant(session.host.ids.uuid(), [{ type: 'text', text }]);
  const shown: MessageDraft = { type: 'assistant', message, error };
  if (ending.failure?.kind !== 'authentication') return [shown];
  return [{ type: 'auth_status', isAuthenticating: false, output: [], error: text }, shown];
}

/** Why a reply is missing, as the published SDKs name it; null if the prompt ended otherwise. */
function errorOf({ reason, failure }: PromptEnding): SDKAssistantMessageError | null {
  if (failure !== undefined) return assistantErrorOf(failure);
  return reason === 'max_output_tokens' ? 'max_output_tokens' : null;
}
