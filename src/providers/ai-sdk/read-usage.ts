// Figures and endings of each version of the specification, in canonical words.
import type { StopReason, Usage } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import { type Fields, isFields, metadataOf, namespaceOf } from './language-model.js';

/** Providers whose `inputTokens` of v2 leave cached tokens out. */
const WITHOUT_CACHED = ['anthropic', 'amazon-bedrock', 'bedrock', 'vertex'];

/** Empty where nothing is said. @param finish the part that ends a stream */
export function readAiSdkUsage(finish: Fields, provider: string): Partial<Usage> {
  const { usage } = finish;
  if (!isFields(usage)) return {};
  const { inputTokens: input, outputTokens: output } = usage;
  if (isFields(input)) {
    const read = count(input['cacheRead']) ?? 0;
    const written = count(input['cacheWrite']) ?? 0;
    const total = count(input['total']);
    const fresh = count(input['noCache']) ?? (total === undefined ? undefined : Math.max(0, total - read - written));
    return figures(fresh, isFields(output) ? count(output['total']) : count(output), read, written);
  }
  const read = count(usage['cachedInputTokens']) ?? 0;
  const total = count(input);
  const name = namespaceOf({ provider });
  const isApart = WITHOUT_CACHED.some((known) => name.startsWith(known));
  const fresh = total === undefined || isApart ? total : Math.max(0, total - read);
  return figures(fresh, count(output), read, writtenToCache(finish));
}

/** Of v2, in the metadata of the one provider that has it. */
function writtenToCache(finish: Fields): number {
  const fields = Object.values(metadataOf(finish) ?? {});
  const counts = fields.map((known) => {
    const { usage } = known;
    return (
      count(known['cacheCreationInputTokens']) ?? (isFields(usage) ? count(usage['cacheWriteInputTokens']) : 0) ?? 0
    );
  });
  return Math.max(0, ...counts);
}

function figures(input: number | undefined, output: number | undefined, read: number, written: number): Partial<Usage> {
  return {
    ...(input === undefined ? {} : { input_tokens: input }),
    ...(output === undefined ? {} : { output_tokens: output }),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/**
 * Why a reply ended.
 * @throws ModelError where it did not: an error, or no reason at all, which is what a cut stream leaves
 */
export function readFinishReason(
  reason: unknown,
  { hasBegun, hasCalls }: { readonly hasBegun: boolean; readonly hasCalls: boolean },
): StopReason {
  const unified = isFields(reason) ? reason['unified'] : reason;
  const raw = isFields(reason) ? reason['raw'] : unified;
  switch (unified) {
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    case 'error':
      throw new ModelError('server', 'The model broke off its reply with an error. Try again later.');
    case 'stop':
    case 'tool-calls':
      return hasCalls ? 'tool_use' : 'end_turn';
    default:
      // Providers begin with these, and put the server's own in their place when it comes.
      if (unified === 'unknown' || unified === undefined || (unified === 'other' && raw === undefined)) {
        throw hasBegun
          ? new ModelError('stream_cut', 'The reply ended without a reason, so it may not be whole.')
          : new ModelError('malformed', 'The answer was no reply: nothing came before its end.');
      }
      return hasCalls ? 'tool_use' : 'end_turn';
  }
}
