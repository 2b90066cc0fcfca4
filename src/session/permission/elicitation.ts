// A question to the user: hooks may answer it, else the host does; hooks may change what was answered. Every way it can
// end is an answer that says so.
import type { LoopHooks, MessageDraft } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import type { ElicitationRequest, ElicitationResult, OnElicitation } from '../../protocol/elicitation.js';
import type { UserAnswer, UserQuestion } from '../../tools/tool.js';
import { ABORTED, linkAbort, raceAbort } from '../../util/abort.js';
import { errorText } from '../../util/text.js';
import type { WaitFor } from './waiting.js';

export interface ElicitorOptions {
  readonly host: Pick<Host, 'ids' | 'clock'>;
  readonly hooks: LoopHooks;
  /** Undefined: only hooks can answer. */
  readonly handler: OnElicitation | undefined;
  /** Milliseconds; 0 for no limit. */
  readonly timeoutMs: number;
  readonly waitFor: WaitFor;
  onDraft(draft: MessageDraft): void;
}

/** Who asks, as hooks and hosts are told: the model's own question is no MCP server's. */
const ASKER = 'turnwright';
const ACTIONS: readonly string[] = ['accept', 'decline', 'cancel'];

/** Contract: never rejects. */
export type Elicit = (question: UserQuestion, signal: AbortSignal, server?: string) => Promise<UserAnswer>;

export function createElicitor(options: ElicitorOptions): Elicit {
  const { host, hooks, onDraft } = options;
  return async ({ message, requestedSchema }, signal, serverName = ASKER) => {
    const elicitationId = host.ids.uuid();
    const request = { serverName, message, mode: 'form', elicitationId, requestedSchema } as const;
    const answer = (await askHooks(request, hooks)) ?? (await askHandler(request, signal, options));
    const final = answer.action === 'none' ? answer : await hearResult(request, answer, hooks);
    onDraft({
      type: 'system',
      subtype: 'elicitation_complete',
      mcp_server_name: serverName,
      elicitation_id: elicitationId,
    });
    return final;
  };
}

async function askHooks(
  { serverName, message, elicitationId, requestedSchema }: ElicitationRequest,
  hooks: LoopHooks,
): Promise<UserAnswer | null> {
  if (!hooks.has('Elicitation')) return null;
  const { elicitation } = await hooks.run('Elicitation', {
    mcp_server_name: serverName,
    message,
    mode: 'form',
    elicitation_id: elicitationId,
    requested_schema: requestedSchema,
  });
  return elicitation === null ? null : answerOf(elicitation);
}

async function hearResult(
  { serverName, elicitationId }: ElicitationRequest,
  answer: Exclude<UserAnswer, { action: 'none' }>,
  hooks: LoopHooks,
): Promise<UserAnswer> {
  if (!hooks.has('ElicitationResult')) return answer;
  const { elicitation } = await hooks.run('ElicitationResult', {
    mcp_server_name: serverName,
    elicitation_id: elicitationId,
    mode: 'form',
    ...answer,
  });
  return elicitation === null ? answer : answerOf(elicitation, answer);
}

async function askHandler(
  request: ElicitationRequest & { readonly elicitationId: string },
  signal: AbortSignal,
  { handler, waitFor, timeoutMs, host }: ElicitorOptions,
): Promise<UserAnswer> {
  if (handler === undefined) return nobody('nobody can be asked in this session');
  const { controller, release } = linkAbort(signal);
  const cancelTimer = timeoutMs === 0 ? () => undefined : host.clock.after(timeoutMs, () => controller.abort());
  const wait = { type: 'elicitation_dialog', title: 'A question', message: request.message } as const;
  const options = { signal: controller.signal, requestId: request.elicitationId };
  try {
    const answer: unknown = await raceAbort(
      waitFor(wait, controller.signal, async () => handler(request, options)),
      controller.signal,
    );
    if (answer !== ABORTED) return readAnswer(answer);
    return nobody(signal.aborted ? 'the prompt was interrupted' : `no answer came within ${timeoutMs} ms`);
  } catch (error) {
    return nobody(`asking failed: ${errorText(error)}`);
  } finally {
    cancelTimer();
    release();
  }
}

/** The handler is the caller's code, maybe untyped. */
function readAnswer(answer: unknown): UserAnswer {
  if (answer === null || answer === undefined) return nobody('nobody answered');
  const { action, content } = answer as { action?: unknown; content?: unknown };
  if (typeof action !== 'string' || !ACTIONS.includes(action))
    return nobody(`the answer cannot be used (action: ${String(action)})`);
  const isUsable =
    content === undefined || (typeof content === 'object' && content !== null && !Array.isArray(content));
  if (!isUsable) return nobody('the answer cannot be used (its content is no object)');
  return answerOf(answer as ElicitationResult);
}

/** @param before what stands where the answer says nothing of its own */
function answerOf(
  { action, content }: ElicitationResult,
  before?: Exclude<UserAnswer, { action: 'none' }>,
): Exclude<UserAnswer, { action: 'none' }> {
  return action === 'accept'
    ? { action, content: content ?? (before?.action === 'accept' ? before.content : {}) }
    : { action };
}

function nobody(reason: string): UserAnswer {
  return { action: 'none', reason };
}
