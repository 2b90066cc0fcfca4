// Takes the credentials of the session out of what a tool gives back: the model that reads it may be served by somebody
// else than the one they belong to. Rule: only values that are known; what they look like is not guessed here.
import type { ToolResultBlock } from '../../protocol/content.js';
import type { Credentials } from '../state/index.js';

/** What a call gives back: to the model, and to the caller. */
interface CallOutput {
  readonly block: ToolResultBlock;
  readonly data: unknown;
}

/** A shorter value could not be told from ordinary text. Characters. */
const SHORTEST = 8;

/** The very same result where there is none in it. */
export function withholdKeys<Result extends CallOutput>(result: Result, credentials: Credentials): Result {
  const keys = keysOf(credentials).filter(([value]) => holds(result.block.content, value));
  if (keys.length === 0) return result;
  const clean = (text: string) =>
    keys.reduce((rest, [value, kind]) => rest.replaceAll(value, `[withheld: ${kind}]`), text);
  return {
    ...result,
    block: mapTexts(result.block, clean) as ToolResultBlock,
    data: mapTexts(result.data, clean),
  };
}

/** Each with the words that name it, the longest first: one may be a part of another. */
function keysOf({ env, secrets: { values, variables } }: Credentials): readonly (readonly [string, string])[] {
  const keys = new Map(values);
  for (const name of variables) {
    const value = env[name];
    if (value !== undefined && value.length >= SHORTEST && !keys.has(value)) keys.set(value, `value of ${name}`);
  }
  return [...keys].sort(([a], [b]) => b.length - a.length);
}

function holds(content: ToolResultBlock['content'], value: string): boolean {
  if (typeof content === 'string') return content.includes(value);
  return content?.some((block) => block.type === 'text' && block.text.includes(value)) ?? false;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
