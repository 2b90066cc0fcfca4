// What a request holds.
export {
  createRequestBuilder,
  maxThinkingTokens,
  type RequestBuilder,
  type RequestSettings,
  type ToolDeferral,
} from './build-request.js';
export { limitReply, thinkingReduction, withMaxTokens } from './reply-limit.js';
