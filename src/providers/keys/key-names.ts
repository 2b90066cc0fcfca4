// Which variables are called like the key of a model provider that is not in the list. Data and a pattern; small, because
// every session has it. Rule: a name that another service could have is no such name.

/** Names of providers, gateways and models that stand in such variables, as their parts are written. */
const NAMES =
  'AI21|ANTHROPIC|ANYSCALE|AZURE_?(OPEN)?AI|BASETEN|BEDROCK|CEREBRAS|CHATGPT|CHUTES|CLAUDE|COHERE|DASHSCOPE|DEEP_?INFRA|DEEP_?SEEK|' +
  'ELEVEN_?LABS|FEATHERLESS|FIREWORKS|GEMINI|GLM|GOOGLE_AI|GPT|GROK|GROQ|HUGGING_?FACE|HYPERBOLIC|KIMI|LITELLM|LLAMA|LLM|LM_?STUDIO|' +
  'MINIMAX|MISTRAL|MODELSCOPE|MOONSHOT|NEBIUS|NOVITA|NVIDIA|NIM|OLLAMA|OPEN_?AI|OPEN_?ROUTER|PERPLEXITY|PORTKEY|QIANFAN|QWEN|REKA|' +
  'REPLICATE|REQUESTY|RUNPOD|SAMBA_?NOVA|SILICON_?FLOW|STABILITY|STEPFUN|TOGETHER|UPSTAGE|VENICE|AI_GATEWAY|VERTEX|VLLM|VOLCENGINE|' +
  'VOYAGE|WATSONX|XIAOMI|X_?AI|Z_?AI|ZHIPU';
/** Whose, which and where for stands around them; then what it is. */
const LIKE_ONE = new RegExp(
  `^([A-Z0-9]+_)*(${NAMES})(_?AI)?_([A-Z0-9]+_){0,3}((API|AUTH|ACCESS|SECRET)_?)?(KEY|TOKEN)(_[A-Z0-9]+)*$`,
);
/** Names that are too much like others but for these very variables. */
const EXACT = /^(ARK|CO|JINA|LAMBDA|SPARK|WRITER|YI)_API_KEY$/;

/** Longer than any; a bound for the pattern. */
const MAX_NAME = 100;

/** True for a variable that holds the key of a model provider by its name, known or not. */
export function looksLikeModelKey(name: string): boolean {
  const upper = name.slice(0, MAX_NAME).toUpperCase();
  return /KEY|TOKEN/.test(upper) && (EXACT.test(upper) || LIKE_ONE.test(upper));
}
