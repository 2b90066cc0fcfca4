// How a program says which models it may reach, with which keys, and on which way. Types and constants only.
import type { ChatQuirks } from './chat-quirks.js';

/** Names for models that are not models: each stands for one that fits. */
export const MODEL_TIERS = ['auto', 'ultimate', 'performance', 'efficient', 'lite'] as const;
export type ModelTier = (typeof MODEL_TIERS)[number];

/** The model of each tier: a name as the option `model` takes it, but no tier. */
export type ModelTiers = Readonly<Partial<Record<ModelTier, string>>>;

/** What the API of a provider speaks. */
export const PROVIDER_APIS = ['anthropic', 'openai-responses', 'openai-chat'] as const;
export type ProviderApi = (typeof PROVIDER_APIS)[number];

/** A value, or the name of the variable that holds it. */
export type SecretInput = string | { readonly envVar: string };

/** The `auth` of the published SDKs. */
export type AuthOptions =
  /**
   * A bearer token for a server of your own: it is sent only if the address of the provider was set by a variable or
   * an option, never to a provider's own address.
   */
  | { readonly type: 'accessToken'; readonly accessToken: SecretInput }
  /** Keys of the environment and of `turnwright login`: what happens without `auth`. */
  | { readonly type: 'qodercli' };

export type FetchTokenReason = 'initial' | 'expiring' | 'unauthorized';

/** Fetches a token of a job or a service account. `expiresAt`: milliseconds since 1970; null: there is none. */
export type FetchToken = (
  request: { readonly requestId: string; readonly reason: FetchTokenReason; readonly sessionId?: string },
  options: { readonly signal: AbortSignal },
) => Promise<{ readonly token: string; readonly expiresAt?: number } | null>;

/** Keys of providers. Without `provider`, they are for the one of the session's model, or for Anthropic. */
export type ProviderKeyOptions =
  | { readonly type: 'apiKey'; readonly apiKey: SecretInput; readonly provider?: string }
  /**
   * Bearer tokens that the host fetches: before the first request, a minute before one runs out, and once after one was
   * refused. Sent as `accessToken` is.
   */
  | { readonly type: 'tokenProvider'; readonly fetchToken: FetchToken; readonly provider?: string }
  /**
   * A command that prints a key. It runs before the first request, again when `ttlMs` have passed (default 5 minutes),
   * and again if its key was refused. It gets 30 seconds.
   */
  | { readonly type: 'apiKeyHelper'; readonly command: string; readonly ttlMs?: number; readonly provider?: string };

/** A provider of your own, or what is different about a known one. */
export type ProviderOptions = {
  readonly displayName?: string;
  /** Default: `openai-chat`, or what the known provider speaks. */
  readonly api?: ProviderApi;
  /** The address up to what all requests have in common, for example `https://host/v1`. */
  readonly baseUrl?: string;
  /** The variable with the key. */
  readonly apiKeyVariable?: string;
  readonly apiKey?: string;
  /** True: no request goes out without a key. Default: true if `apiKey` or `apiKeyVariable` is given. */
  readonly needsKey?: boolean;
  /** Sent with each request. They do not replace the key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Ways in which its API differs from OpenAI's, for `openai-chat`. */
  readonly quirks?: ChatQuirks;
  readonly tiers?: ModelTiers;
  /** Address of its list of models, with what the server says of each: absolute, or a path behind `baseUrl`. */
  readonly modelsUrl?: string;
  /** Address at which it tells what the account has used; as `modelsUrl`. */
  readonly usageUrl?: string;
  /** True: requests cost nothing. Default false. */
  readonly free?: boolean;
  /** Longest wait for the first event of a reply, in place of `limits.requestTimeoutMs`. Milliseconds; 0: no limit. */
  readonly requestTimeoutMs?: number;
  /** Longest silence within a reply, in place of `limits.streamIdleMs`. Milliseconds; 0: no limit. */
  readonly streamIdleMs?: number;
  /** Longest time within a reply without content, in place of `limits.contentIdleMs`. Milliseconds; 0: no limit. */
  readonly contentIdleMs?: number;
};

/** Prices in USD per million tokens: from 0 to 100,000, with at most six decimals. */
export type PriceOverride = {
  readonly input: number;
  readonly output: number;
  /** Default: `input`. */
  readonly cacheRead?: number;
  /** A write that is kept for five minutes. Default: `input`. */
  readonly cacheWrite?: number;
  /** A write that is kept for an hour. Default: twice `input`. */
  readonly cacheWrite1h?: number;
};

/** What is to be known of a model in place of what the built-in catalogue says of it. */
export type ModelOverride = {
  /** Tokens of prompt and reply together. */
  readonly contextWindow?: number;
  /** Longest reply, tokens. */
  readonly maxOutputTokens?: number;
  /** Null: the price counts as unknown. */
  readonly price?: PriceOverride | null;
};

/** By `PROVIDER/NAME`, such as `anthropic/claude-sonnet-4-5`. */
export type CatalogueOverrides = Readonly<Record<string, ModelOverride>>;
