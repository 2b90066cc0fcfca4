// The query whose controls are called.
import type { ModelInfo } from '../../protocol/model.js';
import type { AgentInfo } from '../../protocol/options.js';
import type { MessageQueue } from '../../session/input/index.js';
import type { QueryEngine } from '../../session/query-engine.js';
import type { Options } from '../options/index.js';

export interface ControlledQuery {
  /** As they were given to `query()`. */
  readonly options: Options;
  /** Opens the session if it is not open yet. */
  open(): Promise<QueryEngine>;
  /** Messages that wait. */
  readonly queue: MessageQueue;
  listModels(): Promise<ModelInfo[]>;
  listAgents(): Promise<AgentInfo[]>;
}
