// Which provider serves which model name. The choice is pure; loading a provider is separate, so that a start pays
// only for the one it uses.
import type { Host } from '../host/host.js';
import { ConfigError } from '../protocol/errors.js';
import { createAnthropicProvider } from './anthropic.js';
import { DEFAULT_MODEL, MODEL_ALIASES } from './model-aliases.js';
import type { Provider } from './provider.js';

type Env = Host['env'];

/** Variables that hold credentials of model providers. Contract: no child process ever gets one of them. */
export const PROVIDER_SECRET_VARIABLES: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_CUSTOM_HEADERS',
  'ANTHROPIC_FOUNDRY_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AZURE_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'CEREBRAS_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'COHERE_API_KEY',
  'DASHSCOPE_API_KEY',
  'DEEPSEEK_API_KEY',
  'FIREWORKS_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'MOONSHOT_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'PERPLEXITY_API_KEY',
  'TOGETHER_API_KEY',
  'XAI_API_KEY',
];

export type ModelChoice =
  | {
      readonly provider: 'anthropic';
      readonly model: string;
      readonly apiKey?: string;
      readonly authToken?: string;
      readonly baseUrl?: string;
    }
  /** `no_key`: chosen because no key is configured and no model was named. */
  | { readonly provider: 'offline'; readonly model: string; readonly reason?: 'no_key' };

export interface ResolvedProvider {
  readonly provider: Provider;
  readonly model: string;
  /** Where the key came from: the user's environment, or nowhere. */
  readonly apiKeySource: 'user' | 'none';
  /** Why the offline model answers although nobody asked for it. */
  readonly reason?: 'no_key';
  /** Closes the provider's connections. */
  close(): void;
}

const KNOWN_PROVIDERS = ['anthropic', 'offline'] as const;

/**
 * Decides provider, model and credentials. Pure.
 * `model` is `offline`, `anthropic/NAME`, a bare NAME, a tier, a short name or `default`; absent, the environment's
 * TURNWRIGHT_MODEL or ANTHROPIC_MODEL counts, then the built-in default.
 * Contract: with a key configured the offline model is chosen only by its name; without one it is chosen only where
 * no model was named. Throws `ConfigError`.
 */
export function chooseModel(model: string | undefined, env: Env): ModelChoice {
  const named = model === undefined || model === 'default' ? (model ?? null) : checkName(model);
  const wanted = named === null || named === 'default' ? environmentModel(env) : named;
  const { provider, name } = splitModel(wanted ?? DEFAULT_MODEL);
  if (provider === 'offline') return { provider, model: name };

  const apiKey = setting(env, 'ANTHROPIC_API_KEY');
  const authToken = setting(env, 'ANTHROPIC_AUTH_TOKEN');
  if (apiKey === undefined && authToken === undefined) {
    if (named === null && wanted === null) return { provider: 'offline', model: 'offline', reason: 'no_key' };
    throw new ConfigError(
      `The model "${name}" needs a key and none is set. Set ANTHROPIC_API_KEY, or use --model offline to try without one.`,
    );
  }
  const baseUrl = setting(env, 'ANTHROPIC_BASE_URL');
  return {
    provider,
    model: MODEL_ALIASES.get(name.toLowerCase()) ?? name,
    // One credential is sent, never both: the key where there is one.
    ...(apiKey !== undefined ? { apiKey } : authToken !== undefined ? { authToken } : {}),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

/**
 * Starts loading what a choice needs, while its caller still does other things. Loading is most of a cold start.
 * Contract: never throws; a module that cannot be loaded is told by the load that needs it.
 */
export function preloadProvider(choice: ModelChoice): void {
  if (choice.provider === 'offline') import('./offline.js').catch(() => undefined);
}

/** Loads the provider of a choice. Throws `ConfigError` on a key or base URL that cannot be used. */
async function loadProvider(
  choice: ModelChoice,
  host: Pick<Host, 'clock' | 'ids'>,
): Promise<Provider & { close?(): void }> {
  switch (choice.provider) {
    case 'offline': {
      const { createOfflineProvider } = await import('./offline.js');
      return createOfflineProvider({ clock: host.clock, ids: host.ids });
    }
    case 'anthropic': {
      const { apiKey, authToken, baseUrl } = choice;
      return createAnthropicProvider({ apiKey, authToken, baseUrl, clock: host.clock });
    }
    default:
      return choice satisfies never;
  }
}

/** `chooseModel`, then `loadProvider`. */
export async function resolveProvider(
  model: string | undefined,
  host: Pick<Host, 'env' | 'clock' | 'ids'>,
): Promise<ResolvedProvider> {
  const choice = chooseModel(model, host.env);
  const provider = await loadProvider(choice, host);
  const isOffline = choice.provider === 'offline';
  return {
    provider,
    model: choice.model,
    apiKeySource: isOffline ? 'none' : 'user',
    ...(isOffline && choice.reason !== undefined ? { reason: choice.reason } : {}),
    close: () => provider.close?.(),
  };
}

/** Whose prices a model has that answered in an earlier process. Contract: never throws, whatever the name. */
export function pricedAs(model: string): { readonly id: string; readonly free: boolean } {
  const isOffline = model.toLowerCase() === 'offline';
  return { id: isOffline ? 'offline' : 'anthropic', free: isOffline };
}

function environmentModel(env: Env): string | null {
  const variable = ['TURNWRIGHT_MODEL', 'ANTHROPIC_MODEL'].find((name) => setting(env, name) !== undefined);
  const model = variable === undefined ? undefined : setting(env, variable);
  if (model === undefined || model === 'default') return null;
  return checkName(model);
}

function splitModel(model: string): { provider: 'anthropic' | 'offline'; name: string } {
  if (model.toLowerCase() === 'offline') return { provider: 'offline', name: 'offline' };
  const slash = model.indexOf('/');
  if (slash === -1) return { provider: 'anthropic', name: model };
  const prefix = model.slice(0, slash).toLowerCase();
  const provider = KNOWN_PROVIDERS.find((known) => known === prefix);
  const name = model.slice(slash + 1);
  if (provider === undefined) {
    throw new ConfigError(
      `There is no provider "${model.slice(0, slash)}". Known ones: ${KNOWN_PROVIDERS.join(', ')}.`,
    );
  }
  if (name === '') throw new ConfigError(`"${model}" names no model. Write ${provider}/NAME.`);
  return { provider, name };
}

function checkName(model: string): string {
  const name = model.trim();
  if (name === '') throw new ConfigError('The name of the model is empty. Leave it out to use the default.');
  if (name.length > 256 || /[\s\p{C}]/u.test(name)) {
    throw new ConfigError(
      'The name of the model holds spaces or control characters, or is longer than 256 characters.',
    );
  }
  return name;
}

/** A variable without surrounding spaces; undefined where it is not set or empty. */
function setting(env: Env, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
