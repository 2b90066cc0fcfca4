// A provider whose key may change: it is asked for before each request, and asked for anew where it was refused.
import { ModelError } from '../../protocol/errors.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import { type AttemptLimits, type ModelRequest, type Provider, qualitiesOf } from '../contract/index.js';
import type { KeyHelper } from './key-helper.js';

type Closable = Provider & { close?(): void };

/**
 * Contract: as `Provider`. A refused key is a failure that may be tried again, once in a row: whoever owns the retries
 * announces it, and the next attempt has a new key.
 */
export function createKeyedProvider(helper: KeyHelper, create: (key: string) => Closable): Closable {
  // Made without a key for what needs none; never sends anything.
  const plain = create('');
  let current: { readonly key: string; readonly provider: Closable } | null = null;
  let refusals = 0;

  const providerNow = async (): Promise<{ readonly key: string; readonly provider: Closable }> => {
    const key = await helper.key();
    if (current?.key === key) return current;
    current?.provider.close?.();
    current = { key, provider: create(key) };
    return current;
  };
  const onFailure = (error: unknown, key: string): unknown => {
    if (!(error instanceof ModelError) || error.kind !== 'authentication') return error;
    helper.forget(key);
    refusals += 1;
    if (refusals > 1) return error;
    const { status, requestId, message } = error;
    return new ModelError('authentication', message, { status, requestId, cause: error, retryable: true });
  };

  return {
    ...qualitiesOf(plain),
    stream(request, limits, signal) {
      return streamWithKey(providerNow, request, limits, signal, {
        onFirst: () => {
          refusals = 0;
        },
        onFailure,
      });
    },
    close() {
      plain.close?.();
      current?.provider.close?.();
      current = null;
    },
  };
}

interface Outcome {
  onFirst(): void;
  onFailure(error: unknown, key: string): unknown;
}

/** Only the first value is looked at: a layer around each of many thousand would cost something. */
function streamWithKey(
  providerNow: () => Promise<{ readonly key: string; readonly provider: Provider }>,
  request: ModelRequest,
  limits: AttemptLimits,
  signal: AbortSignal,
  { onFirst, onFailure }: Outcome,
): AsyncIterable<ModelEvent> {
  return {
    [Symbol.asyncIterator]() {
      let inner: AsyncIterator<ModelEvent> | null = null;
      const first = async (): Promise<IteratorResult<ModelEvent>> => {
        const { key, provider } = await providerNow();
        if (signal.aborted) throw new ModelError('aborted', 'The request was aborted.');
        inner = provider.stream(request, limits, signal)[Symbol.asyncIterator]();
        try {
          const result = await inner.next();
          onFirst();
          return result;
        } catch (error) {
          throw onFailure(error, key);
        }
      };
      return {
        next: () => (inner === null ? first() : inner.next()),
        return: async () => {
          await inner?.return?.();
          return { value: undefined, done: true as const };
        },
      };
    },
  };
}
