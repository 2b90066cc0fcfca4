// Requests to the program at the other end of the wire. One rule: each is settled once, by its answer in whatever order,
// by time, by its signal, or because nothing more will come.
import type { Host } from '../../host/host.js';
import { AbortError, ConfigError, EngineError, SessionError } from '../../protocol/errors.js';
import { isRecord } from '../../util/is-record.js';
import type { Fields } from '../wire/index.js';

export interface WireRequests {
  /**
   * @returns the fields of the answer
   * @throws EngineError with the words of the other end, or of what happened to it
   */
  send(subtype: string, fields: Fields): Promise<Fields>;
  /** An answer that came. One that nobody waits for is nothing. */
  settle(response: unknown): void;
  /** So many wait. */
  readonly waiting: number;
  /** No answer comes any more: what waits, and what is sent from now on, ends with this. */
  end(why: unknown): void;
}

export interface WireRequestsPlace {
  readonly host: Host;
  /** 0: no limit. */
  readonly timeoutMs: number;
  write(frame: object): void;
  /** An answer is waited for, so that the output has to be read. */
  onWait(): void;
}

interface Waiting {
  resolve(answer: Fields): void;
  reject(error: unknown): void;
}

export function createWireRequests({ host, timeoutMs, write, onWait }: WireRequestsPlace): WireRequests {
  const waiting = new Map<string, Waiting>();
  let over: { readonly why: unknown } | null = null;
  return {
    get waiting() {
      return waiting.size;
    },
    send(subtype, fields) {
      if (over !== null) return Promise.reject(over.why);
      const request_id = host.ids.uuid();
      return new Promise<Fields>((resolve, reject) => {
        const late = () => {
          waiting.delete(request_id);
          write({ type: 'control_cancel_request', request_id });
          reject(new EngineError('host_failed', timedOut(subtype, timeoutMs), { retryable: true }));
        };
        const cancel = timeoutMs > 0 ? host.clock.after(timeoutMs, late) : () => undefined;
        waiting.set(request_id, {
          resolve(answer) {
            cancel();
            resolve(answer);
          },
          reject(error) {
            cancel();
            reject(error);
          },
        });
        onWait();
        // Both names: published programs look at one or the other.
        write({ type: 'control_request', request_id, request: { ...fields, type: subtype, subtype } });
      });
    },
    settle(response) {
      if (!isRecord(response)) return;
      const id = String(response['request_id']);
      const asked = waiting.get(id);
      if (asked === undefined) return;
      waiting.delete(id);
      if (response['subtype'] === 'success') asked.resolve(isRecord(response['response']) ? response['response'] : {});
      else asked.reject(refusal(response));
    },
    end(why) {
      over ??= { why };
      for (const { reject } of waiting.values()) reject(over.why);
      waiting.clear();
    },
  };
}

function timedOut(subtype: string, timeoutMs: number): string {
  return `The child process did not answer the request "${subtype}" within ${timeoutMs} ms. See the option controlRequestTimeoutMs.`;
}

/** An error of the other end as the error that it is in this process. */
function refusal({ error, code, retryable }: Fields): Error {
  const words =
    typeof error === 'string' && error.trim() !== '' ? error : 'The child process refused a request without a word.';
  switch (code) {
    case 'config_invalid':
    case 'rule_invalid':
    case 'not_supported':
      return new ConfigError(words, { code });
    case 'unknown_subtype':
      return new ConfigError(`The program in the child process cannot do that: ${words}`, { code: 'not_supported' });
    case 'session_not_found':
    case 'session_invalid':
    case 'session_in_use':
    case 'transcript_unwritable':
      return new SessionError(code, words);
    case 'aborted':
      return new AbortError(words);
    case 'model_failed':
    case 'tool_failed':
      return new EngineError(code, words, { retryable: retryable === true });
    default:
      return new EngineError('host_failed', words, { retryable: retryable === true });
  }
}
