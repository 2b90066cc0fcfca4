// What the wrapper loads with its first request.
import type { ModelEvent } from '../../protocol/model-events.js';
import type { ModelRequest } from '../contract/index.js';

export interface ToolCallReader {
  /** The request as the model gets it. */
  ask(request: ModelRequest): ModelRequest;
  /** The events of its reply, calls made of what are calls. */
  read(events: AsyncIterable<ModelEvent>, request: ModelRequest): AsyncIterable<ModelEvent>;
}
