// What a request holds.
export {
  createRequestBuilder,
  limitReply,
  maxThinkingTokens,
  type RequestBuilder,
  type RequestSettings,
  type ToolDeferral,
  thinkingReduction,
  withMaxTokens,
} from './build-request.js';
