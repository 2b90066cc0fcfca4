// A question of a hook of settings to a model. One rule: a hook must have an answer, so if no small model is known the
// session's own is asked.
import type { HookQuestion } from '../../hooks/hook-action.js';
import { ToolError } from '../../protocol/errors.js';
import type { Session, SessionRuntime } from '../core/index.js';
import { ask, liteModel, requestFor } from './ask-small-model.js';
import { loopDeps } from './run-loop.js';

/**
 * What the model said. It is one request, paid for beside those of the loop.
 * @throws ToolError with why it said nothing; ConfigError for a model that cannot be used
 */
export async function askForHook(
  session: Session,
  runtime: SessionRuntime,
  question: HookQuestion,
  signal: AbortSignal,
): Promise<string> {
  const own = session.memory.settings?.model ?? runtime.model;
  const tokens = { total: 0 };
  const run = { agentId: null, session, runtime, model: own, isModelNamed: false, tokens, answered: [] };
  const deps = loopDeps(run, signal);
  if (runtime.budget !== null) await runtime.prices.load();
  const named = question.model === undefined ? await liteModel(run) : await runtime.models.admit(question.model);
  const model = (await deps.decideModel?.('turn'))?.model ?? named ?? session.modelOverride(own);
  const answer = await ask(requestFor(model, { ...question, question: '' }), deps);
  session.ledger.priceWith(await runtime.prices.load());
  if (typeof answer !== 'string') throw new ToolError(`The model ${model} gave no answer: ${answer.reason}`);
  return answer;
}
