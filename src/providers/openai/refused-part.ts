// Which part of a request an OpenAI-shaped API names as its reason to refuse it, read from its message. One rule: what is
// not named is not guessed; such a request fails as it is.
import { ModelError, type RefusedPart } from '../../protocol/errors.js';
import type { ModelRequest } from '../contract/index.js';

/** The most tokens a reply may have, in the words of OpenAI, DeepSeek, Groq and Google. */
const OUTPUT_LIMITS: readonly RegExp[] = [
  /max\w*_tokens.*supports at most (\d+)/is,
  /max\w*_tokens.*valid range[^\]]*?,\s*(\d+)\s*\]/is,
  /max\w*_tokens[`'" ]*must be less than or equal to [`'"]?(\d+)/is,
  /max\w*_tokens.*(?:maximum|max)(?: allowed)?(?: value)? (?:is|of) (\d+)/is,
];
/** Google names the first number that is too large. */
const OUTPUT_LIMIT_EXCLUSIVE = /max\w*_tokens.*to (\d+) \(exclusive\)/is;
/** vLLM: the window less the prompt is what is left for the reply. */
const OUTPUT_ROOM = /max\w*_tokens.*too large.*maximum context length is (\d+).*?(\d+) input tokens/is;
const EFFORT = /reasoning[._]effort|\beffort\b/i;
const THINKING_MODE =
  /reasoning\.summary|reasoning summar|reasoning\.enabled|enable_thinking|thinking_budget|chat_template_kwargs|['"`]thinking['"`]|['"`]reasoning['"`]|\bthinking\.type/i;
const THINKING =
  /encrypted[_ ]content|['"`]?rs_\w+|reasoning item|thought[_ ]signature|reasoning_details|of type ['"`]?reasoning/i;
const SCHEMA = /response_format|json_schema|text\.format|structured outputs?/i;
const MEDIA =
  /image_url|input_image|input_file|file_data|unsupported image|invalid image|process (?:the )?image|image (?:data|format|input|url)|support(?:s|ing)? (?:image|vision|pdf|file)|\bPDFs?\b|multimodal|mmproj/i;

/** @param message the API's own text of a refused request */
export function findRefusedPart(message: string): RefusedPart | null {
  const limit = outputLimit(message);
  if (limit !== null) return { kind: 'max_tokens', limit };
  if (THINKING.test(message)) return { kind: 'thinking' };
  if (EFFORT.test(message)) return { kind: 'effort' };
  if (THINKING_MODE.test(message)) return { kind: 'thinking_mode' };
  if (SCHEMA.test(message)) return { kind: 'output_schema' };
  // Places are those of the wire's own list of messages, which are not those of the conversation.
  return MEDIA.test(message) ? { kind: 'media', place: null } : null;
}

/** The limit of a reply that a text names as too large for it. Also found where the kind says a full window. */
export function outputLimit(message: string): number | null {
  const room = OUTPUT_ROOM.exec(message);
  if (room !== null) {
    const left = Number(room[1]) - Number(room[2]);
    return left > 0 ? left : null;
  }
  const exclusive = OUTPUT_LIMIT_EXCLUSIVE.exec(message);
  if (exclusive !== null) return Number(exclusive[1]) - 1;
  for (const pattern of OUTPUT_LIMITS) {
    const match = pattern.exec(message);
    if (match !== null) return Number(match[1]);
  }
  return null;
}

/** Effort may stand for a thinking budget on the wire; what is refused is then the way thinking was asked for. */
export function blameWhatWasAsked(error: ModelError, { effort, thinking }: ModelRequest): ModelError {
  if (error.refused?.kind !== 'effort' || effort !== undefined || thinking === undefined) return error;
  const { kind, message, status, retryAfterMs, requestId, cause } = error;
  return new ModelError(kind, message, {
    status,
    retryAfterMs,
    requestId,
    cause,
    refused: { kind: 'thinking_mode' },
  });
}
