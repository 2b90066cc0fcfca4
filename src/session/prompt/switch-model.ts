// A change of the model that the host asks for, as hooks hear of it: before, when they may refuse it, and after. Loaded if
// a hook listens.
import { ConfigError } from '../../protocol/errors.js';
import type { Runtime, Session, SessionRuntime } from '../core/index.js';
import { fromHook } from './hear-message.js';

/** How long providers keep a prompt, as far as nothing else is known. */
const CACHE_MS = 5 * 60_000;
/** Prices are for so many tokens. */
const MILLION = 1_000_000;

/**
 * Contract: `change` is called once, if no hook refuses.
 * @param named by the caller; null: back to the session's first model
 * @param to the same, by the name that requests use
 * @throws ConfigError if a hook refuses
 */
export async function switchModel(
  session: Session,
  runtime: SessionRuntime,
  { named, to }: { readonly named: string | null; readonly to: string | undefined },
  change: () => void,
): Promise<void> {
  const { hooks } = runtime;
  const own = session.memory.settings?.model ?? runtime.model;
  const fields = {
    from_model: session.modelOverride(own),
    to_model: to ?? own,
    requested_model: named,
    source: 'sdk',
    ...(await cacheFacts(session, runtime, to ?? own)),
  };
  const { permission, block } = await hooks.run('PreModelSwitch', fields);
  const isRefused = permission?.behavior === 'deny' || permission?.behavior === 'ask';
  if (block !== null || isRefused)
    throw new ConfigError(
      `A hook keeps the model at ${fields.from_model}: ${(isRefused ? permission.reason : block?.reason) ?? ''}`.trim(),
    );
  change();
  const { additionalContext } = await hooks.run('PostModelSwitch', fields);
  session.memory.toTell = [...(session.memory.toTell ?? []), ...additionalContext.map(fromHook)];
}

/** The engine fell back to another model, or a policy named it: told, not asked. */
export async function hearSwitched(session: Session, runtime: Runtime, from: string, to: string): Promise<void> {
  const facts = await cacheFacts(session, runtime, to);
  const fields = { from_model: from, to_model: to, requested_model: to, source: 'auto', ...facts };
  const { additionalContext } = await runtime.hooks.run('PostModelSwitch', fields);
  session.memory.toTell = [...(session.memory.toTell ?? []), ...additionalContext.map(fromHook)];
}

/** What the switch costs: the new model reads again, and keeps, all that the old one had in its cache. */
async function cacheFacts({ history, host }: Session, { prices }: Runtime, model: string) {
  const last = history.messages.findLast(({ type }) => type === 'assistant');
  const usage = last?.type === 'assistant' ? last.message.usage : undefined;
  const tokens =
    usage === undefined
      ? 0
      : usage.input_tokens + usage.output_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
  const at = last?.timestamp === undefined ? Number.NaN : Date.parse(last.timestamp);
  const price = (await prices.load()).facts(model)?.price ?? null;
  return {
    context_tokens: tokens,
    prompt_cache_warm: host.clock.now() - at < CACHE_MS,
    cache_ttl: '5m',
    estimated_cache_write_usd: price === null ? 0 : (tokens * price.cacheWrite) / MILLION,
    pricing: price === null ? 'default' : 'catalog',
  };
}
