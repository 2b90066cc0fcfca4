// A question to the user: hooks may answer it, else the host does; hooks may change what was answered. Every way it can
// end is an answer that says so.
import type { LoopHooks, MessageDraft } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import type { ElicitationRequest, ElicitationResult, OnElicitation } from '../../protocol/permissions.js';
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
  return async ({ message, requestedSchema, url, elicitationId: named }, signal, serverName = ASKER) => {
    // A page has the id that its server knows it by, and hears of its end by that.
    const elicitationId = url === undefined ? host.ids.uuid() : (named ?? host.ids.uuid());
    const request: AskedRequest =
      url === undefined
        ? { serverName, message, mode: 'form', elicitationId, requestedSchema }
        : { serverName, message, mode: 'url', elicitationId, url };
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

type AskedRequest = ElicitationRequest & { readonly elicitationId: string; readonly mode: 'form' | 'url' };

async function askHooks(
  { serverName, message, mode, url, elicitationId, requestedSchema }: AskedRequest,
  hooks: LoopHooks,
): Promise<UserAnswer | null> {
  if (!hooks.has('Elicitation')) return null;
  const { elicitation } = await hooks.run('Elicitation', {
    mcp_server_name: serverName,
    message,
    mode,
    elicitation_id: elicitationId,
    ...(url === undefined ? { requested_schema: requestedSchema } : { url }),
  });
  return elicitation === null ? null : answerOf(elicitation);
}

async function hearResult(
  { serverName, elicitationId, mode }: AskedRequest,
  answer: Exclude<UserAnswer, { action: 'none' }>,
  hooks: LoopHooks,
): Promise<UserAnswer> {
  if (!hooks.has('ElicitationResult')) return answer;
  const { elicitation } = await hooks.run('ElicitationResult', {
    mcp_server_name: serverName,
    elicitation_id: elicitationId,
    mode,
    ...answer,
  });
  return elicitation === null ? answer : answerOf(elicitation, answer);
}

async function askHandler(
  request: AskedRequest,
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
  if (!isUsable) return nobody('the answer cannot be used (its content is not an object)');
  return answerOf(answer as ElicitationResult);
}

/** @param before what holds if the answer says nothing of its own */
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
