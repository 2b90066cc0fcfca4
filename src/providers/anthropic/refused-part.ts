// Which part of a request the API names as its reason to refuse it, read from its message. One rule: what is not named
// is not guessed; such a request fails as it is.
import type { RefusedPart } from '../../protocol/errors.js';

/** `output_config` also holds the effort, which has nothing to do with a schema. */
const SCHEMA = /output_config(?!\.effort)|output_format|output format|compiled grammar|structured output/i;
const EFFORT = /output_config\.effort|\beffort\b.*not support|not support.*\beffort\b/i;
const THINKING_MODE =
  /^thinking[.:]|\bthinking\.(?:type|budget_tokens|adaptive|enabled)|not support.*\bthinking\b|\bthinking\b.*not supported/i;
const THINKING = /\bthinking\b.*(?:signature|cannot be modified)|signature\b.*\bthinking\b/is;
const MEDIA = /\.(?:image|document|pdf)\b|process image|image (?:exceeds|dimensions)|\bPDFs?\b/i;
const PLACE = /messages\.(\d+)\.content\.(\d+)(?:\.tool_result)?(?:\.content\.(\d+))?/;
const OUTPUT_LIMIT = /max_tokens: \d+ > (\d+)/;

/** @param message the API's own text of an `invalid_request_error` */
export function findRefusedPart(message: string): RefusedPart | null {
  const limit = OUTPUT_LIMIT.exec(message);
  if (limit !== null) return { kind: 'max_tokens', limit: Number(limit[1]) };
  if (THINKING.test(message)) return { kind: 'thinking' };
  if (EFFORT.test(message)) return { kind: 'effort' };
  if (THINKING_MODE.test(message)) return { kind: 'thinking_mode' };
  if (SCHEMA.test(message)) return { kind: 'output_schema' };
  return MEDIA.test(message) ? { kind: 'media', place: placeIn(message) } : null;
}

function placeIn(message: string): Extract<RefusedPart, { kind: 'media' }>['place'] {
  const match = PLACE.exec(message);
  if (match === null) return null;
  const [, at, block, part] = match;
  return { message: Number(at), block: Number(block), part: part === undefined ? null : Number(part) };
}
