// Model policy, bring-your-own-key and model listing types of spec 004, field by field.
import type { JsonValue } from './json.js';

export type ModelPolicyProvider = (context: ModelPolicyContext) => ModelPolicyResult | Promise<ModelPolicyResult>;

export interface ModelPolicyContext {
  purpose: QoderModelPurpose;
  sessionId: string;
  availableModels: ModelInfo[];
}

export type QoderModelPurpose = 'main' | 'subagent' | 'web_fetch' | 'image_gen' | 'compact';

export interface ModelPolicyResult {
  model: string | (CustomModel & { model: string });
  parameters?: Record<string, unknown>;
}

export interface CustomModel {
  provider: string;
  model: string;
  api_key: string;
  style?: string;
}

export interface SDKControlGetByokConfigResponse {
  providers: BYOKProviderInfo[];
}

export interface BYOKProviderInfo {
  key: string;
  display_name: string;
  api_key_url: string;
  types: BYOKModelTypeInfo[];
}

export interface BYOKModelTypeInfo {
  key?: string;
  display_name: string;
  models: BYOKModelInfo[];
}

export interface BYOKModelInfo {
  key: string;
  display_name: string;
  is_vl: boolean;
  is_reasoning: boolean;
  format: string;
  max_input_tokens: number;
}

export interface ModelInfo {
  value: string;
  displayName: string;
  description: string;
  isEnabled: boolean;
  isNew?: boolean;
  isFree?: boolean;
  priceFactor?: number;
  context_config?: ModelContextConfig;
  thinking_config?: ModelThinkingConfig;
  promotion?: ModelPromotion;
  serverModel?: ServerModelJson;
}

export type ModelContextConfig = Record<string, ModelContextWindowEntry>;

export interface ModelContextWindowEntry {
  token_count: number;
  is_default?: boolean;
}

export interface ModelThinkingConfig {
  disabled?: ModelThinkingDisabled;
  enabled?: ModelThinkingEnabled;
}

export interface ModelThinkingDisabled {
  description?: string;
}

export interface ModelThinkingEnabled {
  description?: string;
  efforts?: Record<string, ModelEffortEntry>;
  is_default?: boolean;
}

export interface ModelEffortEntry {
  description?: string;
  is_default?: boolean;
}

export type LocalizedModelText = {
  en?: string;
  zh?: string;
} & Record<string, string | undefined>;

export interface ModelPromotion {
  active: boolean;
  badge?: LocalizedModelText;
  description?: LocalizedModelText;
  discount_factor?: number;
  before_promotion_price_factor?: number;
  timezone?: string;
  rule_id?: string;
  window_start?: string;
  window_end?: string;
}

export type ServerModelJson = Record<string, JsonValue>;

export interface UsageInfo {
  userId?: string;
  userType?: string;
  totalUsagePercentage?: number;
  isHighestTier?: boolean;
  expiresAt?: number;
  upgradeUrl?: string;
  userQuota?: UsageQuotaBucket;
  addOnQuota?: UsageAddOnQuotaBucket;
  isQuotaExceeded?: boolean;
  isPlanQuotaProrated?: boolean;
  orgResourcePackage?: UsageOrgResourcePackage;
}

export interface UsageQuotaBucket {
  total?: number;
  used?: number;
  remaining?: number;
  percentage?: number;
  unit?: string;
}

export interface UsageAddOnQuotaBucket extends UsageQuotaBucket {
  detailUrl?: string;
}

export interface UsageOrgResourcePackage {
  used?: number;
  cap?: number;
  remaining?: number;
  percentage?: number;
  available?: boolean;
  unit?: string;
}
