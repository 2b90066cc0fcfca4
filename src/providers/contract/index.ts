// What a provider is: what it gets and gives, for every API.
export { isSealed, openReasoning, sealReasoning } from './carried-reasoning.js';
export { later } from './later-stream.js';
export { OWN_LIMITS, type ProviderLimits, qualitiesOf, withOwnLimits } from './limited-provider.js';
export type {
  AttemptLimits,
  LimitState,
  ModelRequest,
  Provider,
  RequestedSearch,
  RequestThinking,
  ThinkingForm,
} from './provider.js';
export { definitionJson, KeptDefinition, type ToolDefinition } from './provider.js';
export { refusedAtTop, refusedName } from './tool-schema.js';
