// The options of `query()`, as the host gives them and as everything behind them knows them. Declared in `options/declared/`.
import type { FallbackPolicy, ModelTiers } from '../../protocol/model-options.js';
import type { Options } from './sdk-options.generated.js';

export type { Options } from './sdk-options.generated.js';

/** Options in which models are names: a model object has become the provider, or has a name of its own. */
export type PlainOptions = Omit<Options, 'model' | 'fallback' | 'modelTiers'> & {
  readonly model?: string;
  readonly fallback?: FallbackPolicy;
  readonly modelTiers?: ModelTiers;
};
