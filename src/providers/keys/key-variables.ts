// Where the keys of model providers are looked for, and in which order. Data that every session has.

/** The variables with the key of each known provider that needs one; the first that is set counts. */

export const KEY_VARIABLES = {
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
  openai: ['OPENAI_API_KEY'],
  google: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  xai: ['XAI_API_KEY'],
  deepseek: ['DEEPSEEK_API_KEY'],
  mistral: ['MISTRAL_API_KEY'],
  moonshotai: ['MOONSHOT_API_KEY'],
  alibaba: ['DASHSCOPE_API_KEY'],
  zai: ['ZAI_API_KEY'],
  groq: ['GROQ_API_KEY'],
  cerebras: ['CEREBRAS_API_KEY'],
  fireworks: ['FIREWORKS_API_KEY'],
  together: ['TOGETHER_API_KEY'],
  openrouter: ['OPENROUTER_API_KEY'],
} as const;

/** Keys that a server on this machine may ask for. */
export const LOCAL_KEY_VARIABLES = {
  ollama: ['OLLAMA_API_KEY'],
  lmstudio: ['LMSTUDIO_API_KEY'],
  vllm: ['VLLM_API_KEY'],
  llamacpp: ['LLAMA_API_KEY'],
} as const;

export type KeyedProvider = keyof typeof KEY_VARIABLES;

/** If no model is named, the first of them with a key answers. */
export const PROVIDER_ORDER = Object.keys(KEY_VARIABLES) as KeyedProvider[];

/** Other variables with credentials for models, of this program and of the ones beside it. */
const OTHER_SECRETS = [
  // Of those who search the web.
  'BRAVE_API_KEY',
  'BRAVE_SEARCH_API_KEY',
  'EXA_API_KEY',
  'TAVILY_API_KEY',
  'ANTHROPIC_CUSTOM_HEADERS',
  'ANTHROPIC_FOUNDRY_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AZURE_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'COHERE_API_KEY',
  'PERPLEXITY_API_KEY',
  'QODER_PERSONAL_ACCESS_TOKEN',
  'TURNWRIGHT_PROVIDERS',
];

/** Contract: no child process ever gets one of them. */
export const PROVIDER_SECRET_VARIABLES: readonly string[] = [
  ...Object.values(KEY_VARIABLES).flat(),
  ...Object.values(LOCAL_KEY_VARIABLES).flat(),
  ...OTHER_SECRETS,
].sort();

/** Model names without a provider that say whose they are. */
const FAMILIES: readonly (readonly [RegExp, KeyedProvider])[] = [
  [/^(?:claude|(?:opus|sonnet|haiku)$)/, 'anthropic'],
  [/^(?:gpt-|chatgpt-|codex-|o[134](?:$|-))/, 'openai'],
  [/^gemini-/, 'google'],
  [/^grok-/, 'xai'],
  [/^deepseek-/, 'deepseek'],
  [/^(?:mistral|magistral|codestral|devstral|ministral)-/, 'mistral'],
  [/^kimi-/, 'moonshotai'],
  [/^qwen/, 'alibaba'],
  [/^glm-/, 'zai'],
];

/** The provider that made a model, by its name; null if the name does not tell. */
export function familyOf(model: string): KeyedProvider | null {
  const name = model.toLowerCase();
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** Whose prices a model has that answered in an earlier process, by its name alone. Contract: never throws. */
export function pricedAs(name: string): { readonly provider: string; readonly model: string; readonly free: boolean } {
  const slash = name.indexOf('/');
  const isOffline = name.toLowerCase() === 'offline';
  const provider = isOffline ? 'offline' : slash === -1 ? (familyOf(name) ?? 'anthropic') : name.slice(0, slash);
  const id = provider.toLowerCase();
  return {
    provider: id,
    model: name.slice(slash + 1),
    free: id === 'offline' || Object.hasOwn(LOCAL_KEY_VARIABLES, id),
  };
}

// Which variables are called like the key of a model provider that is not in the list. Data and a pattern that
// every session has. Rule: a name that another service could have is no such name.

/** Names of providers, gateways and models that stand in such variables, as their parts are written. */
const NAMES =
  'AI21|AI71|AIML|ALEPH_?ALPHA|ANTHROPIC|ANYSCALE|ARCEE|AZURE_?(OPEN)?AI|BAICHUAN|BASETEN|BEDROCK|CEREBRAS|CHATGLM|' +
  'CHATGPT|CHUTES|CLAUDE|CODESTRAL|COHERE|COPILOT|DASHSCOPE|DEEP_?INFRA|DEEP_?SEEK|DOUBAO|ELEVEN_?LABS|' +
  'ERNIE|FEATHERLESS|FIREWORKS|FRIENDLI|GEMINI|GIGACHAT|GITHUB_MODELS|GLM|GOOGLE_AI|GPT|GROK|GROQ|HELICONE|' +
  'HUGGING_?FACE(_?HUB)?|HUNYUAN|HYPERBOLIC|INCEPTION|INFERENCE|INTERNLM|KIMI|KLUSTER|LEPTON|LITELLM|LLAMA|LLM|' +
  'LM_?STUDIO|MINIMAX|MISTRAL|MODELSCOPE|MOONSHOT|NEBIUS|NOVITA|NVIDIA|NIM|OCTOAI|OLLAMA|OPEN_?AI|OPEN_?ROUTER|' +
  'PARASAIL|PERPLEXITY|PPLX|PORTKEY|PREDIBASE|QIANFAN|QODER|QWEN|REKA|REPLICATE|REQUESTY|RUNPOD|RUNWAY(ML)?|' +
  'SAMBA_?NOVA|SENSENOVA|SILICON_?FLOW|STABILITY|STEPFUN|TOGETHER|UPSTAGE|VENICE|AI_GATEWAY|VERTEX|VLLM|VOLCENGINE|' +
  'VOYAGE|WATSONX|XIAOMI|X_?AI|YANDEX_?GPT|Z_?AI|ZHIPU';
/** Words around a name say whose the key is, which one and what for; the end says what it is. */
const LIKE_ONE = new RegExp(
  `^([A-Z0-9]+_)*(${NAMES})(_?AI)?_([A-Z0-9]+_){0,3}((API|AUTH|ACCESS|SECRET)_?)?(KEY|TOKEN|SECRET)(_[A-Z0-9]+)*$`,
);
/** Names that are too much like others but for these very variables, and providers that are called something with AI. */
const EXACT =
  /^((ARK|CO|CURSOR|FAL|GLHF|JINA|LAMBDA|MODELS?|MORPH|POE|SPARK|V0|WRITER|YI|(GEN)?AI)_API_KEY|[A-Z0-9]*[B-Z0-9]AI_API_KEY)$/;
/** They end so, and are no providers of models. */
const PLACES = /^(BONSAI|CHENNAI|DUBAI|HYUNDAI|MUMBAI|SHANGHAI|THAI)_/;

/** Longer than any; a bound for the pattern. */
const MAX_NAME = 100;

/** True for a variable that holds the key of a model provider by its name, known or not. */
export function looksLikeModelKey(name: string): boolean {
  const upper = name.slice(0, MAX_NAME).toUpperCase();
  return /KEY|TOKEN|SECRET/.test(upper) && ((EXACT.test(upper) && !PLACES.test(upper)) || LIKE_ONE.test(upper));
}

// What a session must keep to itself: the variables that hold credentials, and the credentials themselves, wherever
// they come from. Grows while the session finds out; never forgets.

export interface Secrets {
  /** Names of variables. */
  readonly variables: ReadonlySet<string>;
  /** Each value with the words that name it, for a text that says what stood there. */
  readonly values: ReadonlyMap<string, string>;
  /** Grows with each addition. */
  readonly version: number;
  addVariable(name: string): void;
  /** @param kind for example `key of openai` */
  addValue(value: string, kind: string): void;
}

/** A shorter value could not be told from ordinary text. Characters. */
const SHORTEST = 8;

export function createSecrets(): Secrets {
  const variables = new Set(PROVIDER_SECRET_VARIABLES);
  const values = new Map<string, string>();
  let version = 0;
  return {
    variables,
    values,
    get version() {
      return version;
    },
    addVariable(name) {
      if (!variables.has(name)) version += 1;
      variables.add(name);
    },
    addValue(value, kind) {
      if (value.length < SHORTEST || values.has(value)) return;
      values.set(value, kind);
      version += 1;
    },
  };
}
