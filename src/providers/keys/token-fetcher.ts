// Tokens that a host fetches from its own service: of a job, of a service account. One rule: a token is asked for before it
// runs out and after it was refused, by one call at a time, and is shown nowhere.
import type { Host } from '../../host/host.js';
import { ModelError } from '../../protocol/errors.js';
import type { FetchToken, FetchTokenReason } from '../../protocol/model-options.js';
import { errorText } from '../../util/text.js';
import type { KeyHelper } from './key-helper.js';

export interface TokenFetcherOptions {
  readonly fetchToken: FetchToken;
  readonly clock: Pick<Host['clock'], 'now' | 'after'>;
  readonly ids: Host['ids'];
  readonly sessionId?: string | undefined;
  /** Told of each token before it is used. */
  readonly onKey: (token: string) => void;
}

/** How long before its end a token counts as run out, milliseconds. */
const EARLY_MS = 60_000;
const DEADLINE_MS = 30_000;
const MAX_TOKEN = 16 * 1024;

/** Contract: as `KeyHelper`. */
export function createTokenFetcher(options: TokenFetcherOptions): KeyHelper {
  const { clock } = options;
  let kept: { readonly token: string; readonly until: number } | null = null;
  let wasRefused = false;
  let running: Promise<string> | null = null;
  const ask = async (): Promise<string> => {
    const reason = wasRefused ? 'unauthorized' : kept === null ? 'initial' : 'expiring';
    const { token, expiresAt } = await fetched(options, reason);
    options.onKey(token);
    wasRefused = false;
    kept = { token, until: expiresAt ?? Number.POSITIVE_INFINITY };
    return token;
  };
  return {
    key() {
      if (running !== null) return running;
      if (kept !== null && !wasRefused && clock.now() < kept.until - EARLY_MS) return Promise.resolve(kept.token);
      running = ask().finally(() => {
        running = null;
      });
      return running;
    },
    forget(token) {
      if (kept?.token === token) wasRefused = true;
    },
  };
}

async function fetched(
  { fetchToken, clock, ids, sessionId }: TokenFetcherOptions,
  reason: FetchTokenReason,
): Promise<{ readonly token: string; readonly expiresAt?: number }> {
  const controller = new AbortController();
  let late: () => void = () => undefined;
  const deadline = new Promise<'late'>((resolve) => {
    late = () => resolve('late');
  });
  const cancel = clock.after(DEADLINE_MS, () => {
    controller.abort();
    late();
  });
  const request = { requestId: ids.uuid(), reason, ...(sessionId === undefined ? {} : { sessionId }) };
  try {
    // A function of the host's may throw at once.
    const asked = (async () => fetchToken(request, { signal: controller.signal }))();
    asked.catch(() => undefined); // heard below, unless it was too late
    const result = await Promise.race([asked, deadline]);
    if (result === 'late') throw failed(`it did not come within ${DEADLINE_MS / 1_000} seconds.`);
    const { token, expiresAt } = result ?? {};
    if (typeof token !== 'string' || token.trim() === '') throw failed('there is none.');
    if (token.length > MAX_TOKEN || /[^\x21-\x7e]/.test(token.trim())) throw failed('what came is not a token.');
    return { token: token.trim(), ...(typeof expiresAt === 'number' ? { expiresAt } : {}) };
  } catch (error) {
    throw error instanceof ModelError ? error : failed(errorText(error));
  } finally {
    cancel();
  }
}

function failed(why: string): ModelError {
  return new ModelError('authentication', `The host that fetches tokens for model requests gave none: ${why}`);
}
