// How a program says which models it may reach: with which keys, on which way, in what a server differs from its API, and
// which other model a prompt may go to. Types and constants only.

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

/**
 * `native`: by the means of its API. `auto`: so too, but what it writes as text, or with arguments in a wrong form, is
 * taken as the call that it is. `text`: its API has no tools; it is told of them in words, and calls them in text.
 */
export type ToolCallProfile = 'native' | 'auto' | 'text';

/** How a server is told whether, and how much, to think. */
export type ChatThinkingForm =
  /** `reasoning_effort`. */
  | 'reasoning_effort'
  /** `thinking: { type: 'enabled' | 'disabled' }`, as DeepSeek, Z.ai and Moonshot have it. */
  | 'thinking_type'
  /** `enable_thinking`, as Qwen's own API has it. */
  | 'enable_thinking'
  /** `chat_template_kwargs: { enable_thinking }`, as vLLM and SGLang pass it on to the template. */
  | 'chat_template'
  /** `reasoning: { effort | max_tokens | enabled }`, as OpenRouter has it. */
  | 'openrouter'
  /** It cannot be told. */
  | 'none';

export interface ChatQuirks {
  /**
   * How its models call tools. Default `native`. `auto`: also as text, which is taken as the call that it is, for models not
   * known to keep to the API. `text`: the server takes no tools.
   */
  readonly toolCalls?: ToolCallProfile;
  /** The same of single models, by name; it beats what is said of the server. */
  readonly toolCallsOf?: Readonly<Record<string, ToolCallProfile>>;
  /** The field that limits a reply. Default `max_completion_tokens`. */
  readonly maxTokensField?: 'max_completion_tokens' | 'max_tokens' | 'none';
  /** Role of the system prompt. Default `system`. */
  readonly systemRole?: 'system' | 'developer';
  /** Default `reasoning_effort`, sent to models that are known to reason, or if effort is asked for. */
  readonly thinking?: ChatThinkingForm;
  /** Words for effort in place of OpenAI's. */
  readonly efforts?: Readonly<Partial<Record<'low' | 'medium' | 'high' | 'xhigh' | 'max', string>>>;
  /**
   * The field in which the text of reasoning goes back, with messages that call tools. Default: none; a server that shows
   * reasoning but does not want it back refuses it, or bills it.
   */
  readonly reasoningBack?: 'reasoning_content' | 'reasoning';
  /** Reasoning comes and goes back as a list `reasoning_details`. Default false. */
  readonly reasoningDetails?: boolean;
  /** `extra_content` for calls that have none of this server's, if it refuses a call without. */
  readonly foreignCallExtra?: Readonly<Record<string, unknown>>;
  /** Reasoning tokens are not part of `completion_tokens`. Default false. */
  readonly reasoningTokensApart?: boolean;
  /** Images can be sent. Default true. */
  readonly images?: boolean;
  /** The server fetches images by URL. Default true. */
  readonly imageUrls?: boolean;
  /** PDF documents can be sent as `file` parts. Default true. */
  readonly files?: boolean;
  /** An assistant message must stand between results of tools and a user message. Default false. */
  readonly assistantAfterTools?: boolean;
  /** `prompt_cache_key` is sent. Default true. */
  readonly promptCacheKey?: boolean;
  /** `cache_control` marks are put on the system prompt and the newest messages. Default false. */
  readonly cacheControl?: boolean;
  /** `stream_options: { include_usage: true }` is sent. Default true. */
  readonly streamUsage?: boolean;
  /** Models that hold an answer to a schema. Default: those of OpenAI that are known to. */
  readonly outputSchema?: 'known' | 'all' | 'none';
  /** Longest name of a tool. Default 64. */
  readonly maxToolNameLength?: number;
  /** Longest id of a call. Default 40. */
  readonly maxCallIdLength?: number;
  /** Ids of calls are nine letters and digits, as Mistral wants them. Default false. */
  readonly nineCharacterIds?: boolean;
  /** Fields that go into each request as they are. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

/** Why a request goes to the next model of the chain. */
export const FALLBACK_TRIGGERS = [
  'overloaded',
  'rate',
  'quota',
  'auth',
  'model_not_found',
  'server',
  'timeout',
  'connection',
  'refusal',
  'overflow',
] as const;

/**
 * `rate`: a limit of the rate of requests; `quota`: money or an allowance is used up; `auth`: the key was refused, or may
 * not do this; `server`: it failed, or answered nonsense; `timeout`: nothing came in time, or the stream fell silent;
 * `connection`: nobody answered, or the stream was cut; `refusal`: the model declined to answer; `overflow`: the
 * conversation is too long, and the next model is known to take more.
 */
export type FallbackTrigger = (typeof FALLBACK_TRIGGERS)[number];

export interface FallbackPolicy {
  /** Tried in order, each once a prompt, as `model` names them: `provider/model` for another provider. */
  readonly models?: readonly string[];
  /** Default: all but `auth`, `refusal` and `overflow`. */
  readonly on?: readonly FallbackTrigger[];
  /**
   * The most a model of the chain may cost, as a multiple of the price of the model that a prompt starts with: input and
   * output, at every length of prompt. One whose price is not known is left out.
   */
  readonly maxPriceFactor?: number;
  /**
   * So many times in a row a model may be overloaded before the next one is asked, though it could be asked again.
   * Default: as often as `limits.maxRetries` says.
   */
  readonly overloads?: number;
  /** True: a prompt never leaves its model, whatever else is said here or in `fallbackModel`. Default false. */
  readonly pin?: boolean;
}
