// The options of `query()`: those of the published SDKs, and the two that put the engine on another machine or model.
import type { Host } from '../host/host.js';
import type { QueryOptions } from '../protocol/options.js';
import type { Provider } from '../providers/provider.js';

export interface Options extends QueryOptions {
  /** Answers the model requests, instead of the provider that `model` and the environment choose. */
  provider?: Provider;
  /** The machine the session works on. Default: this one. */
  host?: Host;
  /** False: a person follows the session while it runs, as at a terminal. Default true. */
  isNonInteractiveSession?: boolean;
}
