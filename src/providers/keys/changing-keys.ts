// Keys that change while a session lasts: a command of the user's prints them, or the host fetches them; and the provider that
// uses them. One rule: none is shown anywhere, and a command never comes from a project.
import type { Host, HostClock, HostExec } from '../../host/host.js';
import type { ModelEvent } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import type { FetchToken, FetchTokenReason } from '../../protocol/model-options.js';
import { errorText, shorten } from '../../util/text.js';
import { type AttemptLimits, type ModelRequest, type Provider, qualitiesOf } from '../contract/index.js';

export interface KeyHelperOptions {
  /** A line for the shell. */
  readonly command: string;
  /** How long a key is used before the command runs again, milliseconds. Default 5 minutes; 0 asks before each request. */
  readonly ttlMs?: number | undefined;
  readonly exec: HostExec;
  readonly clock: Pick<HostClock, 'monotonic'>;
  /** Absolute; the command is not the project's, so it does not run there. */
  readonly cwd: string;
  /** Without the credentials of providers. */
  readonly env: Readonly<Record<string, string>>;
  /** Told of each key before it is used. */
  readonly onKey: (key: string) => void;
}

export interface KeyHelper {
  /** The key, kept or new. Contract: callers at the same time wait for one run. @throws ModelError */
  key(): Promise<string>;
  /** That key was refused: the next call runs the command again. */
  forget(key: string): void;
}

const DEFAULT_TTL_MS = 5 * 60_000;
const DEADLINE_MS = 30_000;
/** Keys are shorter, and some are signed tokens. Bytes. */
const MAX_KEY = 16 * 1024;
const MAX_SHOWN = 200;

export function createKeyHelper(options: KeyHelperOptions): KeyHelper {
  const { ttlMs = DEFAULT_TTL_MS, clock } = options;
  let kept: { readonly key: string; readonly until: number } | null = null;
  let running: Promise<string> | null = null;
  const ask = async (): Promise<string> => {
    const key = await runHelper(options);
    options.onKey(key);
    kept = { key, until: clock.monotonic() + ttlMs };
    return key;
  };
  return {
    key() {
      if (running !== null) return running;
      if (kept !== null && clock.monotonic() < kept.until) return Promise.resolve(kept.key);
      running = ask().finally(() => {
        running = null;
      });
      return running;
    },
    forget(key) {
      if (kept?.key === key) kept = null;
    },
  };
}

async function runHelper({ command, exec, cwd, env }: KeyHelperOptions): Promise<string> {
  const out: Uint8Array[] = [];
  const complaints: Uint8Array[] = [];
  let size = 0;
  const controller = new AbortController();
  const outcome = await exec
    .run({
      command: ['/bin/sh', '-c', command],
      cwd,
      env,
      signal: controller.signal,
      timeoutMs: DEADLINE_MS,
      onStdout(chunk) {
        size += chunk.length;
        if (size > MAX_KEY) controller.abort();
        else out.push(chunk.slice());
      },
      onStderr(chunk) {
        if (complaints.length < 16) complaints.push(chunk.slice());
      },
    })
    .catch((error: unknown) => {
      throw refused(`could not be started: ${errorText(error)}`);
    });
  if (size > MAX_KEY) throw refused(`printed more than ${MAX_KEY} bytes, which is no key`);
  if (outcome.ended === 'timed_out') throw refused(`gave no key within ${DEADLINE_MS / 1_000} s`);
  if (outcome.exitCode !== 0) {
    const said = shorten(textOf(complaints).replace(/[^\P{C}\s]/gu, ''), MAX_SHOWN);
    throw refused(`failed with exit code ${outcome.exitCode ?? outcome.signal}${said === '' ? '' : `: ${said}`}`);
  }
  const key = textOf(out).trim();
  if (key === '') throw refused('printed nothing');
  if (/[^\x21-\x7e]/.test(key))
    throw refused('printed something that is no key: it has spaces, line breaks or other characters');
  return key;
}

function refused(what: string): ModelError {
  return new ModelError('authentication', `The command for the key (apiKeyHelper) ${what}. Run it by hand to see why.`);
}

function textOf(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
}

// Tokens that a host fetches from its own service: of a job, of a service account. One rule: a token is asked for before it
// runs out and after it was refused, by one call at a time, and is shown nowhere.

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

// A provider whose key may change: it is asked for before each request, and asked for anew if it was refused.

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
