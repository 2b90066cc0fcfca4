// Which variables are called like the key of a model provider that is not in the list. Data and a pattern; small, because
// every session has it. Rule: a name that another service could have is no such name.

/** Names of providers, gateways and models that stand in such variables, as their parts are written. */
const NAMES =
  'AI21 AIML ALEPH_?ALPHA ANTHROPIC ANYSCALE AZURE_?AI AZURE_?OPENAI BAICHUAN BASETEN BEDROCK BIGMODEL BIG_?MODEL CEREBRAS CHATGPT CHUTES CLAUDE ' +
  'COHERE DASHSCOPE DEEP_?INFRA DEEP_?SEEK DOUBAO ELEVEN_?LABS ERNIE FEATHERLESS_?(?:AI)? FIREWORKS_?(?:AI)? FRIENDLI GEMINI GLHF GLM GOOGLE_?AI GPT ' +
  'GROK GROQ HUGGING_?FACE HUNYUAN HYPERBOLIC INCEPTION INFERENCE_?NET INFERMATIC KIMI KLUSTER_?(?:AI)? LAMBDA_?AI LANGDOCK LEPTON LITELLM ' +
  'LLAMA_?(?:API|CLOUD)? LLM LM_?STUDIO MANCER MIMO MINIMAX MISTRAL MODELSCOPE MOONSHOT(?:_?AI)? MORPH(?:_?LLM)? NANO_?GPT NEBIUS NOVITA NSCALE ' +
  'NVIDIA(?:_?NIM)? NIM OCTO_?AI OLLAMA OPEN_?AI OPEN_?ROUTER PARASAIL PERPLEXITY PORTKEY PREDIBASE QIANFAN QWEN REKA REPLICATE REQUESTY RUNPOD ' +
  'SAMBA_?NOVA SILICON_?FLOW STABILITY STEPFUN SYNTHETIC TARGON TOGETHER(?:_?AI)? TONGYI UPSTAGE VENICE(?:_?AI)? VERCEL_AI_GATEWAY AI_GATEWAY ' +
  'VERTEX_?(?:AI)? VLLM VOLCENGINE VOYAGE(?:_?AI)? WATSONX X_?AI XIAOMI ZAI Z_AI ZHIPU(?:_?AI)?';
/** Parts of a name around them: whose, which, where for. */
const PART = '[A-Z0-9]+_';
const KEY = '(?:(?:API|AUTH|ACCESS|SECRET|BEARER|INFERENCE)_?)?(?:KEY|TOKEN)S?';
const LIKE_ONE = new RegExp(
  `^(?:${PART}){0,4}(?:${NAMES.split(' ').join('|')})_(?:${PART}){0,3}${KEY}(?:_[A-Z0-9]+){0,2}$`,
);
/** Names that are too much like others but for these very variables. */
const EXACT: ReadonlySet<string> = new Set([
  'ARK_API_KEY',
  'CO_API_KEY',
  'JINA_API_KEY',
  'LAMBDA_API_KEY',
  'SPARK_API_KEY',
  'WRITER_API_KEY',
  'YI_API_KEY',
]);

/** True for a variable that holds the key of a model provider by its name, known or not. */
export function looksLikeModelKey(name: string): boolean {
  const upper = name.toUpperCase();
  if (!/KEY|TOKEN/.test(upper)) return false;
  return EXACT.has(upper) || LIKE_ONE.test(upper);
}
