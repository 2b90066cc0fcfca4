// What a provider is: what it gets and gives, for every API.

export type {
  AttemptLimits,
  LimitState,
  ModelRequest,
  Provider,
  RequestedSearch,
  RequestThinking,
  ThinkingForm,
} from './provider.js';
export {
  definitionJson,
  isSealed,
  KeptDefinition,
  later,
  OWN_LIMITS,
  openReasoning,
  type ProviderLimits,
  qualitiesOf,
  refusedAtTop,
  refusedName,
  sealReasoning,
  type ToolDefinition,
  withOwnLimits,
} from './provider.js';
