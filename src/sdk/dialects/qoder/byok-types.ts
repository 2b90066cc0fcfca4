// Keys of one's own, as the Qoder Agent SDK takes them. Types only.

export type ByokProtocol = 'openai' | 'openai-responses' | 'anthropic';
export type BYOKLocalizedName = { en_us: string; cn_zh: string };
export type CustomByokProviderThinkingMode = 'enabled' | 'adaptive';
export type CustomByokProviderReasoningEffortLevel = 'low' | 'medium' | 'high' | 'xhigh' | 'max';
export type CustomByokProviderThinkingCapabilitiesInput = {
  modes: CustomByokProviderThinkingMode[];
  preferredMode?: CustomByokProviderThinkingMode;
  requiresBudgetForEnabled?: boolean;
  supportsEffort?: boolean;
  supportedEffortLevels?: CustomByokProviderReasoningEffortLevel[];
  requiredBetasForEffort?: string[];
};
export type CustomByokProviderModelCapabilitiesInput = {
  tools?: boolean;
  vision?: boolean;
  cacheControl?: boolean;
  thinking?: CustomByokProviderThinkingCapabilitiesInput;
};
export type CustomByokProviderModelInput = {
  model: string;
  displayName?: string;
  contextWindow?: number;
  maxOutputTokens?: number;
  capabilities?: CustomByokProviderModelCapabilitiesInput;
};
interface Server {
  type?: 'openai-compatible' | 'alibaba' | 'aliyun-bailian';
  protocol?: ByokProtocol;
  authType?: 'bearer' | 'api-key';
  displayName?: string;
  model?: string;
  models?: CustomByokProviderModelInput[];
}
export type CustomByokProviderConfigInput = Server & { providerId: string; baseUrl: string; apiKey: string };
export type UpdateCustomByokProviderConfigInput = Server & { providerId: string; baseUrl?: string; apiKey?: string };
export type ByokModelConfigInput = {
  provider: string;
  model: string;
  parameters: Record<string, string>;
  displayName?: string;
  baseUrl?: string;
  style?: string;
  reasoningEffort?: string;
  contextWindow?: number;
};
export type UpdateByokModelConfigInput = { key: string } & Omit<Partial<ByokModelConfigInput>, 'provider' | 'model'>;
export type CreateByokConfigInput = ByokModelConfigInput | CustomByokProviderConfigInput;
export type CheckByokConfigInput = CreateByokConfigInput;
export type UpdateByokConfigInput = UpdateByokModelConfigInput | UpdateCustomByokProviderConfigInput;
