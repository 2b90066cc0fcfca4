// Model policy, model lists and account figures have the fields of spec 004. Types only: the type check is the test; `models.test.ts` reads what is given.
import { describe, expectTypeOf, it } from 'vitest';
import type {
  BYOKModelInfo,
  BYOKModelTypeInfo,
  BYOKProviderInfo,
  CustomModel,
  JsonValue,
  LocalizedModelText,
  ModelContextConfig,
  ModelContextWindowEntry,
  ModelEffortEntry,
  ModelInfo,
  ModelPolicyContext,
  ModelPolicyProvider,
  ModelPolicyResult,
  ModelPromotion,
  ModelThinkingConfig,
  ModelThinkingDisabled,
  ModelThinkingEnabled,
  QoderModelPurpose,
  SDKControlGetByokConfigResponse,
  ServerModelJson,
  UsageAddOnQuotaBucket,
  UsageInfo,
  UsageOrgResourcePackage,
  UsageQuotaBucket,
} from '../../src/index.js';
import type { SameShape } from './type-shape.js';

describe('model types', () => {
  it('ModelPolicyProvider', () => {
    expectTypeOf<
      SameShape<ModelPolicyProvider, (context: ModelPolicyContext) => ModelPolicyResult | Promise<ModelPolicyResult>>
    >().toEqualTypeOf<true>();
  });

  it('ModelPolicyContext', () => {
    expectTypeOf<
      SameShape<
        ModelPolicyContext,
        {
          purpose: QoderModelPurpose;
          sessionId: string;
          availableModels: ModelInfo[];
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('QoderModelPurpose', () => {
    expectTypeOf<
      SameShape<QoderModelPurpose, 'main' | 'subagent' | 'web_fetch' | 'image_gen' | 'compact'>
    >().toEqualTypeOf<true>();
  });

  it('ModelPolicyResult', () => {
    expectTypeOf<
      SameShape<
        ModelPolicyResult,
        {
          model: string | (CustomModel & { model: string });
          parameters?: Record<string, unknown>;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('CustomModel', () => {
    expectTypeOf<
      SameShape<
        CustomModel,
        {
          provider: string;
          model: string;
          api_key: string;
          style?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKControlGetByokConfigResponse', () => {
    expectTypeOf<
      SameShape<
        SDKControlGetByokConfigResponse,
        {
          providers: BYOKProviderInfo[];
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('BYOKProviderInfo', () => {
    expectTypeOf<
      SameShape<
        BYOKProviderInfo,
        {
          key: string;
          display_name: string;
          api_key_url: string;
          types: BYOKModelTypeInfo[];
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('BYOKModelTypeInfo', () => {
    expectTypeOf<
      SameShape<
        BYOKModelTypeInfo,
        {
          key?: string;
          display_name: string;
          models: BYOKModelInfo[];
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('BYOKModelInfo', () => {
    expectTypeOf<
      SameShape<
        BYOKModelInfo,
        {
          key: string;
          display_name: string;
          is_vl: boolean;
          is_reasoning: boolean;
          format: string;
          max_input_tokens: number;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ModelInfo', () => {
    expectTypeOf<
      SameShape<
        ModelInfo,
        {
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
      >
    >().toEqualTypeOf<true>();
  });

  it('ModelContextConfig', () => {
    expectTypeOf<SameShape<ModelContextConfig, Record<string, ModelContextWindowEntry>>>().toEqualTypeOf<true>();
  });

  it('ModelContextWindowEntry', () => {
    expectTypeOf<
      SameShape<
        ModelContextWindowEntry,
        {
          token_count: number;
          is_default?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ModelThinkingConfig', () => {
    expectTypeOf<
      SameShape<
        ModelThinkingConfig,
        {
          disabled?: ModelThinkingDisabled;
          enabled?: ModelThinkingEnabled;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ModelThinkingDisabled', () => {
    expectTypeOf<
      SameShape<
        ModelThinkingDisabled,
        {
          description?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ModelThinkingEnabled', () => {
    expectTypeOf<
      SameShape<
        ModelThinkingEnabled,
        {
          description?: string;
          efforts?: Record<string, ModelEffortEntry>;
          is_default?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ModelEffortEntry', () => {
    expectTypeOf<
      SameShape<
        ModelEffortEntry,
        {
          description?: string;
          is_default?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('LocalizedModelText', () => {
    expectTypeOf<
      SameShape<
        LocalizedModelText,
        {
          en?: string;
          zh?: string;
        } & Record<string, string | undefined>
      >
    >().toEqualTypeOf<true>();
  });

  it('ModelPromotion', () => {
    expectTypeOf<
      SameShape<
        ModelPromotion,
        {
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
      >
    >().toEqualTypeOf<true>();
  });

  it('ServerModelJson', () => {
    expectTypeOf<SameShape<ServerModelJson, Record<string, JsonValue>>>().toEqualTypeOf<true>();
  });

  it('UsageInfo', () => {
    expectTypeOf<
      SameShape<
        UsageInfo,
        {
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
      >
    >().toEqualTypeOf<true>();
  });

  it('UsageQuotaBucket', () => {
    expectTypeOf<
      SameShape<
        UsageQuotaBucket,
        {
          total?: number;
          used?: number;
          remaining?: number;
          percentage?: number;
          unit?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('UsageAddOnQuotaBucket', () => {
    expectTypeOf<
      SameShape<
        UsageAddOnQuotaBucket,
        {
          total?: number;
          used?: number;
          remaining?: number;
          percentage?: number;
          unit?: string;
        } & {
          detailUrl?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('UsageOrgResourcePackage', () => {
    expectTypeOf<
      SameShape<
        UsageOrgResourcePackage,
        {
          used?: number;
          cap?: number;
          remaining?: number;
          percentage?: number;
          available?: boolean;
          unit?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });
});
