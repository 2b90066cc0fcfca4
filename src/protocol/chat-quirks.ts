// In what a server of the Chat Completions form differs from OpenAI's own, as data. Rule: an absent field means what
// OpenAI does; nothing here is code.

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
