// A server on loopback that answers as the model APIs do.

export type { ExchangeEnd } from './mock-exchange.js';
export { type MockProvider, type MockProviderOptions, type MockRequest, startMockProvider } from './mock-provider.js';
export type {
  Malformation,
  MockAnswer,
  MockApi,
  MockFunction,
  MockReply,
  MockStall,
  MockStatus,
  MockStep,
  WireTraits,
} from './mock-wire.js';
