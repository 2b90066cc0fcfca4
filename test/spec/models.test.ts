// What sessions say of models has the fields of spec 004, and the host that names a model is told what spec 004 says.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelPolicyContext, ModelPolicyResult } from '../../src/protocol/model.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { temporaryFolder } from '../support/engine.js';
import { missingFields } from './spec-names.js';

async function session(env: Record<string, string> = {}) {
  const none = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: undefined, ANTHROPIC_BASE_URL: undefined };
  const home = await temporaryFolder();
  const options = { cwd: await temporaryFolder(), env: { ...none, TURNWRIGHT_HOME: home, ...env } };
  const opened = query({ prompt: 'go', options });
  onTestFinished(() => void opened.return());
  return opened;
}

describe('lists of models', () => {
  it('getAvailableModels gives the fields that can be known without an account', async () => {
    const models = await (await session({ OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k' })).getAvailableModels();
    // The rest tells of an account at a service: its prices, its promotions, what it is new and free there.
    expect(missingFields('ModelInfo', models)).toEqual(['isNew', 'isFree', 'priceFactor', 'promotion', 'serverModel']);
    const windows = models.flatMap((model) => Object.values(model.context_config ?? {}));
    expect(missingFields('ModelContextWindowEntry', windows)).toEqual([]);
    const thinking = models.map((model) => model.thinking_config);
    expect(missingFields('ModelThinkingConfig', thinking)).toEqual([]);
  });

  it('listByokProviders gives them of providers, types and models', async () => {
    const providers = (await (await session()).listByokProviders()) ?? [];
    expect(missingFields('BYOKProviderInfo', providers)).toEqual([]);
    const types = providers.flatMap((provider) => provider.types);
    // There is one type, which is without a key of its own.
    expect(missingFields('BYOKModelTypeInfo', types)).toEqual(['key']);
    expect(
      missingFields(
        'BYOKModelInfo',
        types.flatMap((type) => type.models),
      ),
    ).toEqual([]);
  });
});

describe('resolveModel', () => {
  it('is told purpose, session and models, and may name a model and its parameters', async () => {
    const asked: ModelPolicyContext[] = [];
    const resolveModel = (context: ModelPolicyContext): ModelPolicyResult => {
      asked.push(context);
      return { model: 'offline', parameters: {} };
    };
    const env = { TURNWRIGHT_HOME: await temporaryFolder(), OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: undefined };
    await collect(query({ prompt: 'hello', options: { cwd: await temporaryFolder(), env, resolveModel } }));
    expect(missingFields('ModelPolicyContext', asked)).toEqual([]);
    expect(asked[0]).toMatchObject({ purpose: 'main', availableModels: expect.arrayContaining([expect.anything()]) });
  });
});
