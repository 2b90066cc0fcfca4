// What of the environment reaches child processes.
import { describe, expect, it } from 'vitest';
import {
  createSecrets,
  looksLikeModelKey,
  PROVIDER_SECRET_VARIABLES,
} from '../../../src/providers/keys/key-variables.js';
import { childEnvironment } from '../../../src/session/config/child-env.js';

const OF_MODELS = (
  'DEEPINFRA_API_KEY NVIDIA_API_KEY NVIDIA_NIM_API_KEY REPLICATE_API_TOKEN HUGGINGFACE_API_KEY SAMBANOVA_API_KEY NOVITA_API_KEY ' +
  'MINIMAX_API_KEY ZHIPUAI_API_KEY VOYAGE_API_KEY AI_GATEWAY_API_KEY OPENAI_API_KEY_2 MY_OPENAI_API_KEY OPENAI_KEY ' +
  'ANTHROPIC_KEY ANTHROPIC_PROD_API_KEY LITELLM_MASTER_KEY AZURE_OPENAI_KEY QWEN_API_KEY KIMI_API_KEY LLM_API_KEY ' +
  'claude_api_key SILICONFLOW_API_TOKEN LAMBDA_API_KEY ARK_API_KEY XIAOMI_API_KEY GROK_API_KEY PPLX_API_KEY AI_API_KEY ' +
  'HUGGINGFACEHUB_API_TOKEN HUNYUAN_API_KEY CODESTRAL_API_KEY RUNWAYML_API_SECRET COPILOT_TOKEN CURSOR_API_KEY SOMENEWAI_API_KEY'
).split(' ');
const OF_OTHERS = (
  'STRIPE_API_KEY DATADOG_API_KEY SENTRY_AUTH_TOKEN GITHUB_TOKEN NPM_TOKEN HF_TOKEN AWS_SECRET_ACCESS_KEY MAPS_API_KEY ' +
  'GOOGLE_MAPS_API_KEY CLOUDFLARE_API_TOKEN SENDGRID_API_KEY ALGOLIA_API_KEY PUBLIC_KEY TOKENIZERS_PARALLELISM ' +
  'OPENAI_BASE_URL OPENAI_MODEL LLM_MODEL KEYCHAIN SPARK_HOME_KEY MAX_TOKENS NEXT_PUBLIC_KEY MONKEY ' +
  'MUMBAI_API_KEY AWS_ACCESS_KEY_ID CLIENT_SECRET DB_CURSOR_TOKEN MAIL_API_KEY LANGSMITH_API_KEY'
).split(' ');

describe('the key of a model provider', () => {
  it.each(OF_MODELS)('is told by the name %s', (name) => {
    expect(looksLikeModelKey(name)).toBe(true);
  });

  it.each(OF_OTHERS)('is not %s', (name) => {
    expect(looksLikeModelKey(name)).toBe(false);
  });
});

describe('child processes', () => {
  const value = (name: string) => `value-of-${name}`;
  const env = Object.fromEntries(
    [...OF_MODELS, ...OF_OTHERS, ...PROVIDER_SECRET_VARIABLES].map((name) => [name, value(name)]),
  );
  const known = createSecrets();

  it('get the keys of other services, and none of a model, also under another name', () => {
    const child = childEnvironment({ ...env, COPY: value('DEEPINFRA_API_KEY') }, known);
    expect(Object.keys(child).sort()).toEqual([...OF_OTHERS].sort());
  });

  it('get those that are named, but never those of the known providers', () => {
    const names = 'NVIDIA_API_KEY, OPENAI_API_KEY,COHERE_API_KEY';
    const child = childEnvironment({ ...env, TURNWRIGHT_PASS_VARIABLES: names }, known);
    expect(child['NVIDIA_API_KEY']).toBe(value('NVIDIA_API_KEY'));
    for (const name of ['OPENAI_API_KEY', 'COHERE_API_KEY', 'DEEPINFRA_API_KEY'])
      expect(child).not.toHaveProperty(name);
  });
});
