// The models a prompt may go to when its own does not answer: the options `fallbackModel` and `fallback`, checked, and
// what a model of the chain may cost.
import type { ModelChain } from '../../engine/state/index.js';
import type { Host, HostIds } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { FALLBACK_TRIGGERS, type FallbackPolicy, type FallbackTrigger } from '../../protocol/model-options.js';
import { type OnUserDialog, REFUSAL_DIALOG } from '../../protocol/options.js';
import type { ModelRouter } from '../../providers/choice/index.js';
import { type ModelFacts, type ModelPrice, priceForPrompt } from '../../providers/models/index.js';
import { ABORTED, raceAbort } from '../../util/abort.js';
import { errorText } from '../../util/text.js';
import type { QueryEngineConfig } from '../config/index.js';
import type { Prices } from '../spending/index.js';
import type { SessionModels } from './open-models.js';

export interface FallbackSettings {
  readonly models: readonly string[];
  readonly on: ReadonlySet<FallbackTrigger>;
  readonly maxPriceFactor: number | null;
  readonly overloads: number;
}

/** As options give them. */
export interface FallbackOptions {
  readonly fallbackModel?: string | undefined;
  readonly fallback?: FallbackPolicy | undefined;
}

/** What another model may mend without being asked to. */
const DEFAULT_TRIGGERS = FALLBACK_TRIGGERS.filter(
  (trigger) => trigger !== 'auth' && trigger !== 'refusal' && trigger !== 'overflow',
);
const FIELDS = ['models', 'on', 'maxPriceFactor', 'overloads', 'pin'];
const MAX_MODELS = 16;

/** Null if a prompt never leaves its model. @throws ConfigError that names the option */
export function fallbackSettings({ fallbackModel, fallback = {} }: FallbackOptions): FallbackSettings | null {
  if (typeof fallback !== 'object' || fallback === null || Array.isArray(fallback)) {
    throw new ConfigError('fallback must be an object, such as { models: ["provider/model"] }.');
  }
  const stranger = Object.keys(fallback).find((field) => !FIELDS.includes(field));
  if (stranger !== undefined) {
    throw new ConfigError(`fallback has the unknown field "${stranger.slice(0, 64)}". Fields: ${FIELDS.join(', ')}.`);
  }
  const { models, on = DEFAULT_TRIGGERS, maxPriceFactor, overloads = Number.POSITIVE_INFINITY, pin = false } = fallback;
  if (models !== undefined && fallbackModel !== undefined) {
    throw new ConfigError('Name the fallback models once: in fallbackModel, or in fallback.models.');
  }
  const names = models === undefined ? split(fallbackModel) : checkModels(models);
  checkTriggers(on);
  if (maxPriceFactor !== undefined && !(typeof maxPriceFactor === 'number' && maxPriceFactor > 0)) {
    throw new ConfigError(`fallback.maxPriceFactor is ${String(maxPriceFactor)}. Give a number above 0, such as 1.`);
  }
  if (fallback.overloads !== undefined && !(Number.isSafeInteger(overloads) && overloads > 0)) {
    throw new ConfigError(`fallback.overloads is ${String(overloads)}. Give a whole number of at least 1.`);
  }
  if (typeof pin !== 'boolean') throw new ConfigError('fallback.pin must be true or false.');
  if (pin || names.length === 0) return null;
  return { models: names, on: new Set(on), maxPriceFactor: maxPriceFactor ?? null, overloads };
}

/** One name, or several with commas between them. */
function split(list: string | undefined): readonly string[] {
  if (list === undefined) return [];
  if (typeof list !== 'string') throw new ConfigError('fallbackModel must be a text: names with commas between them.');
  return checkModels(
    list.split(',').map((name) => name.trim()),
    'fallbackModel',
  );
}

function checkModels(models: unknown, option = 'fallback.models'): readonly string[] {
  if (!Array.isArray(models)) throw new ConfigError(`${option} must be a list of models.`);
  if (models.length > MAX_MODELS) throw new ConfigError(`${option} names more than ${MAX_MODELS} models.`);
  if (models.some((name) => typeof name !== 'string' || name.trim() === '')) {
    throw new ConfigError(`${option} holds an empty name.`);
  }
  return [...new Set(models as readonly string[])];
}

function checkTriggers(on: readonly string[]): void {
  const stranger = Array.isArray(on) ? on.find((name) => !(FALLBACK_TRIGGERS as readonly string[]).includes(name)) : on;
  if (stranger === undefined) return;
  throw new ConfigError(
    `fallback.on has "${String(stranger)}". Give a list of these: ${FALLBACK_TRIGGERS.join(', ')}.`,
  );
}

/** Who shows dialogs, and which. */
export interface DialogHost {
  readonly onUserDialog?: OnUserDialog | undefined;
  readonly supportedDialogKinds?: readonly string[] | undefined;
}

/**
 * A person is asked after a refusal, if their host can show that, and the chain does not say by itself that it counts.
 * Null: nobody is asked.
 */
function refusalDialog(
  { onUserDialog, supportedDialogKinds = [] }: DialogHost,
  { on }: FallbackSettings,
  ids: Pick<HostIds, 'uuid'>,
): NonNullable<ModelChain['confirmRefusal']> | null {
  if (onUserDialog === undefined || on.has('refusal') || !supportedDialogKinds.includes(REFUSAL_DIALOG)) return null;
  return async (original_model, fallback_model, signal) => {
    const message = `${original_model} declined to answer. Shall ${fallback_model} be asked?`;
    const payload = { message, original_model, fallback_model, choices: ['fallback', 'stop'] };
    try {
      const asked = onUserDialog({ dialogKind: REFUSAL_DIALOG, payload }, { signal, requestId: ids.uuid() });
      const answer = await raceAbort(asked, signal);
      if (answer === ABORTED) return 'the prompt was interrupted.';
      return answer?.behavior === 'completed' && answer.result === 'fallback' ? null : 'the user did not want that.';
    } catch (error) {
      return `the user could not be asked: ${errorText(error)}`;
    }
  };
}

/** The chain for prompts of `primary`, which `setModel` may change meanwhile. */
/** For a session: what may answer in place of its model; null if nothing may. @throws ConfigError */
export function openFallback(config: QueryEngineConfig, { ids }: Pick<Host, 'ids'>) {
  const { fallback, fallbackModel, onUserDialog, supportedDialogKinds } = config;
  const settings = fallbackSettings({ fallback, fallbackModel });
  if (settings === null) return null;
  const confirm = refusalDialog({ onUserDialog, supportedDialogKinds }, settings, ids);
  return {
    models: settings.models,
    chain: (primary: () => string, models: SessionModels, prices: Prices) =>
      createModelChain(settings, primary, models, prices, confirm),
  };
}

export function createModelChain(
  { models, on, maxPriceFactor, overloads }: FallbackSettings,
  primaryNow: () => string,
  router: Pick<ModelRouter, 'admit' | 'locate'>,
  prices: Prices,
  confirmRefusal: ModelChain['confirmRefusal'] | null = null,
): ModelChain {
  return {
    models,
    on: confirmRefusal === null ? on : new Set([...on, 'refusal' as const]),
    ...(confirmRefusal == null ? {} : { confirmRefusal }),
    overloads,
    get primary() {
      return primaryNow();
    },
    async admit(name) {
      const primary = primaryNow();
      try {
        const model = await router.admit(name);
        if (maxPriceFactor === null) return { model };
        const factor = await priceFactor(model, primary, router, prices);
        if (factor === null) return { model: null, reason: `its price, or that of ${primary}, is not known.` };
        if (factor <= maxPriceFactor) return { model };
        const times = Number.isFinite(factor)
          ? `${Math.round(factor * 100) / 100} times what ${primary} does`
          : 'money';
        return { model: null, reason: `it costs ${times}, and maxPriceFactor is ${maxPriceFactor}.` };
      } catch (error) {
        return { model: null, reason: errorText(error) };
      }
    },
  };
}

/**
 * How many times dearer a model is than another, at the length of prompt at which it is most; null if that is not
 * known.
 */
async function priceFactor(
  model: string,
  primary: string,
  { locate }: Pick<ModelRouter, 'locate'>,
  prices: Prices,
): Promise<number | null> {
  if (locate(model).free) return 0;
  const book = await prices.load();
  const facts = book.facts(model);
  if (facts === null || facts.price === null) return null;
  if (locate(primary).free) return Number.POSITIVE_INFINITY;
  const base = book.facts(primary);
  if (base === null || base.price === null) return null;
  const lengths = [0, ...lengthsOf(facts), ...lengthsOf(base)];
  return Math.max(...lengths.map((length) => ratio(priceForPrompt(facts, length), priceForPrompt(base, length))));
}

/** The lengths of prompt at which another price begins. */
function lengthsOf({ tiers }: ModelFacts): number[] {
  return tiers.map(({ above }) => above + 1);
}

function ratio(price: ModelPrice | null, base: ModelPrice | null): number {
  if (price === null || base === null) return Number.POSITIVE_INFINITY;
  const fields = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
  return Math.max(...fields.map((field) => (price[field] === 0 ? 0 : price[field] / base[field])));
}
