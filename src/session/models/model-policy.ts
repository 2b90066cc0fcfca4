// Asks the host's callback which model answers the next request, and reads what it says. One rule: no model is a failure
// of the prompt, never another model.

import { ModelDecisionFailure } from '../../engine/reply/index.js';
import type { DecideModel, RequestParameters } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import { ConfigError, ModelPolicyTimeoutError } from '../../protocol/errors.js';
import type {
  CustomModel,
  ModelInfo,
  ModelPolicyContext,
  ModelPolicyProvider,
  ModelPolicyResult,
  QoderModelPurpose,
} from '../../protocol/model.js';
import { EFFORT_LEVELS, type EffortLevel } from '../../protocol/options.js';
import { ABORTED, raceAbort } from '../../util/abort.js';
import { errorText } from '../../util/text.js';
import type { QueryEngineConfig } from '../config/index.js';
import type { SessionModels } from './open-models.js';

export interface PolicyOptions {
  readonly resolveModel: ModelPolicyProvider;
  /** Milliseconds; undefined: 500. */
  readonly timeoutMs: number | undefined;
  readonly sessionId: string;
  readonly clock: Host['clock'];
  /** For the callback's context. */
  listModels(): Promise<ModelInfo[]>;
  /** The name that requests use. @throws ConfigError */
  admit(name: string): Promise<string>;
  admitCustom(model: CustomModel): Promise<string>;
}

/** What a callback is told, beside what the specification says. */
export interface PolicyContext extends ModelPolicyContext {
  /** How many requests were asked about before this one. */
  readonly turnIndex: number;
  /** The model that would answer if nobody named one; absent if there is none. */
  readonly resolvedModel?: string;
  /** The subagent that asks; absent for the session's own agent. */
  readonly agentId?: string;
  readonly agentType?: string;
}

/** A subagent, as the callback is told of it. */
export type PolicyAgent = Required<Pick<PolicyContext, 'agentId' | 'agentType'>>;

export interface ModelPolicy {
  /** The same callback, asked in the name of a subagent. */
  forAgent(agent: PolicyAgent): ModelPolicy;
  /** @param signal ends the wait; the prompt is over then */
  decider(signal: AbortSignal): DecideModel;
}

const DEFAULT_TIMEOUT_MS = 500;
const LATE = Symbol('late');

/** Of a session whose host names the models. @throws ConfigError as `createModelPolicy` */
export function openModelPolicy(
  { resolveModel, resolveModelTimeoutMs: timeoutMs, listModels = async () => [] }: QueryEngineConfig,
  { clock }: Pick<Host, 'clock'>,
  sessionId: string,
  { admit, admitCustom = admitNone }: SessionModels,
): ModelPolicy | null {
  if (resolveModel === undefined) return null;
  return createModelPolicy({ resolveModel, timeoutMs, sessionId, clock, listModels, admit, admitCustom });
}

async function admitNone(): Promise<never> {
  throw new ConfigError('This session takes no models with keys of their own.');
}

/** @throws ConfigError if the callback or its time cannot be used */
export function createModelPolicy(options: PolicyOptions): ModelPolicy {
  const { resolveModel, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  if (typeof resolveModel !== 'function') throw new ConfigError('resolveModel must be a function.');
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0) {
    throw new ConfigError(`resolveModelTimeoutMs is ${timeoutMs}. Give a number of milliseconds above 0.`);
  }
  let models: Promise<ModelInfo[]> | null = null;
  const told = new Set<string>();

  let turnIndex = 0;
  const ask = async (
    purpose: QoderModelPurpose,
    resolvedModel: string | undefined,
    agent: PolicyAgent | null,
    signal: AbortSignal,
  ): Promise<ModelPolicyResult> => {
    models ??= options.listModels();
    const availableModels = [...(await models)];
    let cancel: () => void = () => undefined;
    const late = new Promise<typeof LATE>((resolve) => {
      cancel = options.clock.after(timeoutMs, () => resolve(LATE));
    });
    // What published clients read beside it.
    const context: PolicyContext = {
      ...{ purpose, sessionId: options.sessionId, turnIndex, availableModels },
      ...(resolvedModel === undefined || resolvedModel === '' ? {} : { resolvedModel }),
      ...agent,
    };
    turnIndex += 1;
    const answer = Promise.resolve().then(() => resolveModel(context));
    const first = await raceAbort(Promise.race([answer, late]), signal).finally(() => cancel());
    if (first === ABORTED) throw new ConfigError('The prompt was aborted.');
    if (first === LATE) {
      throw new ModelPolicyTimeoutError(
        `resolveModel did not answer within ${timeoutMs} ms. Answer sooner, or raise resolveModelTimeoutMs.`,
        timeoutMs,
      );
    }
    return first;
  };
  const decide = async (...asked: Parameters<typeof ask>) => {
    const { model, parameters = {} } = checkResult(await ask(...asked));
    const name = typeof model === 'string' ? await options.admit(model) : await options.admitCustom(model);
    const ignored = Object.keys(parameters).filter((key) => !PARAMETERS.includes(key) && !told.has(key));
    for (const key of ignored) told.add(key);
    return { model: name, parameters: readParameters(parameters), ignored };
  };

  const policyOf = (agent: PolicyAgent | null): ModelPolicy => ({
    forAgent: policyOf,
    decider: (signal) => (what, resolved) => {
      const purpose = what === 'turn' ? (agent === null ? 'main' : 'subagent') : what;
      return decide(purpose, resolved, agent, signal).catch((error: unknown) => {
        throw new ModelDecisionFailure(asFailure(error));
      });
    },
  });
  return policyOf(null);
}

/** What the callback threw is told as such. */
function asFailure(error: unknown): Error {
  if (error instanceof ConfigError || error instanceof ModelPolicyTimeoutError) return error;
  return new ConfigError(`resolveModel failed: ${errorText(error)}`, { cause: error });
}

const PARAMETERS = ['contextWindow', 'reasoningEffort'];

/** Anything may come from a program without types. No text shows a key. */
function checkResult(result: ModelPolicyResult): ModelPolicyResult {
  if (typeof result !== 'object' || result === null) {
    throw new ConfigError('resolveModel gave no object. Return { model: "provider/model" }.');
  }
  const { model, parameters } = result;
  if (parameters !== undefined && (typeof parameters !== 'object' || parameters === null)) {
    throw new ConfigError('resolveModel gave parameters that are not an object.');
  }
  if (typeof model === 'string') {
    if (model.trim() !== '') return result;
    throw new ConfigError('resolveModel gave an empty model. There is no other one in its place.');
  }
  if (typeof model !== 'object' || model === null) {
    throw new ConfigError('resolveModel gave no model. Return { model: "provider/model" }, or a CustomModel.');
  }
  for (const field of ['provider', 'model', 'api_key'] as const) {
    if (typeof model[field] !== 'string' || model[field].trim() === '') {
      throw new ConfigError(`resolveModel gave a CustomModel without ${field}.`);
    }
  }
  return result;
}

function readParameters({ contextWindow, reasoningEffort }: Record<string, unknown>): RequestParameters {
  if (contextWindow !== undefined && !(Number.isInteger(contextWindow) && (contextWindow as number) > 0)) {
    throw new ConfigError('resolveModel: contextWindow must be a whole number of tokens above 0.');
  }
  if (reasoningEffort !== undefined && !isEffort(reasoningEffort)) {
    throw new ConfigError(`resolveModel: reasoningEffort must be one of none, ${EFFORT_LEVELS.join(', ')}.`);
  }
  return { contextWindow: (contextWindow as number | undefined) ?? null, effort: reasoningEffort ?? null };
}

function isEffort(value: unknown): value is EffortLevel | 'none' {
  return value === 'none' || (EFFORT_LEVELS as readonly unknown[]).includes(value);
}
