// A question of a tool to a small model, about a text that nobody vouches for. One rule: one request without tools, paid
// for beside those of the loop, to the provider of the session's own model unless the user names another.
import { sample } from '../../engine/reply/index.js';
import { type LoopDeps, textOf } from '../../engine/state/index.js';
import type { HookQuestion } from '../../hooks/declared-hooks.js';
import { AbortError, ToolError } from '../../protocol/errors.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import type { ModelQuestion } from '../../tools/web-access.js';
import { errorText, toWellFormed } from '../../util/text.js';
import type { AgentRun, Session, SessionRuntime } from '../core/index.js';
import { loopDeps } from './run-loop.js';

/**
 * Null if the session has no small model, or none answered: that is logged.
 * @param deps what the agent's requests need, until the call ends
 * @throws AbortError
 */
export async function askSmallModel(run: AgentRun, question: ModelQuestion, deps: LoopDeps): Promise<string | null> {
  const { log, signal } = deps;
  try {
    const own = question.webSearch === undefined ? smallModel : searchingModel;
    const model = (await deps.decideModel?.('web_fetch'))?.model ?? (await own(run));
    if (model === null) return null;
    if (question.webSearch !== undefined && deps.provider.searchesWeb?.(model) !== true) return null;
    const answer = await ask(requestFor(model, question), deps);
    if (typeof answer === 'string') return answer;
    log('small_model_failed', answer);
  } catch (error) {
    log('small_model_failed', { reason: errorText(error) });
  }
  if (signal.aborted) throw new AbortError('The question was aborted.');
  return null;
}

/** Null if none is set and the provider of the session's model is not known to have one. */
async function smallModel(run: AgentRun): Promise<string | null> {
  const { web } = run.session.config;
  if (web?.model === false) return null;
  return web?.model === undefined ? liteModel(run) : run.runtime.models.admit(web.model);
}

/** The same without the option `web`. */
async function liteModel({ session, runtime, model }: AgentRun): Promise<string | null> {
  const { provider, models } = session.config;
  const { admit, locate } = runtime.models;
  if (provider !== undefined) return null;
  if (models?.modelTiers?.lite !== undefined) return admit('lite');
  const own = locate(session.modelOverride(model)).provider;
  if (own === 'offline' || own === 'none') return null;
  // A provider without tiers has no small model that is known.
  return admit(`${own}/lite`).catch(() => null);
}

async function searchingModel({ session, model }: AgentRun): Promise<string> {
  return session.modelOverride(model);
}

function requestFor(model: string, { instruction, question, text, maxTokens, webSearch }: ModelQuestion): ModelRequest {
  return {
    model,
    system: [{ type: 'text', text: instruction }],
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: toWellFormed(`${text}\n\n${question}`.trim()) }] }],
    maxTokens,
    ...(webSearch === undefined ? {} : { webSearch }),
  };
}

/** Contract: nothing of it is in the conversation. */
async function ask(request: ModelRequest, deps: LoopDeps): Promise<string | { readonly reason: string }> {
  const steps = sample(request, {
    ...deps,
    // What it calls does not run.
    currentTools: () => [],
    includePartialMessages: false,
    waitsUntilReset: false,
    limits: { ...deps.limits, maxRetries: Math.min(1, deps.limits.maxRetries) },
    spending: { ...deps.spending, reserve: (wanted) => deps.spending.reserveBeside(wanted) },
  });
  let step = await steps.next();
  while (!step.done) step = await steps.next(); // nobody is shown how the answer comes about
  const sampled = step.value;
  if (sampled.kind !== 'reply') return { reason: sampled.kind === 'failed' ? sampled.error.message : sampled.kind };
  const answer = textOf(sampled.reply.message.content).trim();
  return answer === '' ? { reason: 'it said nothing' } : answer;
}

// A question of a hook of settings to a model. One rule: a hook must have an answer, so if no small model is known the
// session's own is asked.

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
