// The options of `query()`: those of the published SDKs, and the two that put the engine on another machine or model.
import type { Budget } from '../engine/state/index.js';
import type { Host } from '../host/host.js';
import type { FallbackPolicy } from '../protocol/fallback.js';
import type { JsonSchema } from '../protocol/json.js';
import type { CatalogueOverrides, ModelTier, ModelTiers } from '../protocol/model-options.js';
import type { QueryOptions } from '../protocol/options.js';
import type { AiSdkLanguageModel } from '../providers/ai-sdk/index.js';
import type { Provider } from '../providers/contract/index.js';
import type { PrefetchedPrompt } from '../session/config/index.js';
import type { OutputFormatOption } from './output-format.js';
import type { ZodLike } from './zod-shape.js';

export interface Options extends Omit<QueryOptions, 'model' | 'fallback' | 'modelTiers' | 'outputFormat'> {
  /**
   * The answer as data that fits a schema, `structured_output` of the result: `{ type: 'json_schema', schema }`, or the
   * schema itself. With one of Zod the value has its type.
   */
  outputFormat?: OutputFormatOption | JsonSchema | ZodLike;
  /** A name, or a model object of the AI SDK (specification v2, v3 or v4). */
  model?: string | AiSdkLanguageModel;
  /** Which other models a prompt may go to, and when: names, and model objects. */
  fallback?: Omit<FallbackPolicy, 'models'> & { readonly models?: readonly (string | AiSdkLanguageModel)[] };
  /** What the tiers stand for: names, and model objects. */
  modelTiers?: Readonly<Partial<Record<ModelTier, string | AiSdkLanguageModel>>>;
  /** Model objects of the AI SDK by names of the host's own, which stand for them wherever a model is named. */
  modelObjects?: Readonly<Record<string, AiSdkLanguageModel>>;
  /** Answers the model requests, instead of the provider that `model` and the environment choose. */
  provider?: Provider | AiSdkLanguageModel;
  /** The machine the session works on. Default: this one. */
  host?: Host;
  /**
   * False: a person follows the session while it runs, as at a terminal. Default true. Told to tools and slash commands in
   * their context; nothing built in reads it.
   */
  isNonInteractiveSession?: boolean;
  /** False: the conversation is compacted only by `/compact` or when the model refuses its length. Default true. */
  autoCompact?: boolean;
  /** A budget shared with other sessions, made by `createBudget`; `maxBudgetUsd` is a part of it. */
  budget?: Budget;
  /** Limits and prices of models, by `PROVIDER/NAME`, over those of the built-in catalogue. */
  catalogueOverrides?: CatalogueOverrides;
  /** Tokens the model takes in one request. Default: what the catalogue knows of the model, else 200,000. */
  contextWindow?: number;
  /** Begun with each prompt for the model: gives texts that go along with it, as `QueryEngineConfig.prefetch`. */
  prefetch?: (prompt: PrefetchedPrompt) => Promise<readonly string[]>;
  /** One line about each round of tools, asked of the session's model or another: small requests. Default false. */
  toolUseSummaries?: boolean | { readonly model?: string };
}

/** Options in which models are names: a model object has become the provider, or has a name of its own. */
export type PlainOptions = Omit<Options, 'model' | 'fallback' | 'modelTiers'> & {
  readonly model?: string;
  readonly fallback?: FallbackPolicy;
  readonly modelTiers?: ModelTiers;
};
