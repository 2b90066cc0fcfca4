// What a request holds.
export {
  createRequestBuilder,
  type RequestBuilder,
  type RequestSettings,
  type ToolDeferral,
} from './build-request.js';
export { limitReply, thinkingReduction, withMaxTokens } from './reply-limit.js';
export { maxThinkingTokens } from './resolve-thinking.js';
