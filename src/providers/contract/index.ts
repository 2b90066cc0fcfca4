// What a provider is: what it gets and gives, for every API.

export {
  type AttemptLimits,
  definitionJson,
  isSealed,
  KeptDefinition,
  type LimitState,
  later,
  type ModelRequest,
  OWN_LIMITS,
  openReasoning,
  type Provider,
  type ProviderLimits,
  qualitiesOf,
  type RequestedSearch,
  type RequestThinking,
  refusedAtTop,
  refusedName,
  sealReasoning,
  type ThinkingForm,
  type ToolDefinition,
  withOwnLimits,
} from './provider.js';
