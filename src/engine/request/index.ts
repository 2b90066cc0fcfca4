// What a request holds.
export {
  createRequestBuilder,
  type RequestBuilder,
  type RequestSettings,
} from './build-request.js';
export { limitReply, thinkingReduction, withMaxTokens } from './reply-limit.js';
export { maxThinkingTokens } from './resolve-thinking.js';
