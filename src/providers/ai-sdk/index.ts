// Model objects of the AI SDK.
export { thinkingOptions } from './call-options.js';
export {
  type AiSdkLanguageModel,
  type AiSdkVersion,
  checkAiSdkModel,
  isAiSdkModel,
  namespaceOf,
} from './language-model.js';
