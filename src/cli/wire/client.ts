// The client at the other end of the wire: what is sent to it, and what it is asked. One rule: each request of ours is
// settled, by an answer, by its signal, or because the client says nothing more.
import { randomUUID } from 'node:crypto';
import type { SDKControlResponse } from '../../protocol/control.js';
import { AbortError, EngineError } from '../../protocol/errors.js';
import type { Fields } from '../../sdk/wire/index.js';
import { isRecord } from '../../util/is-record.js';
import type { Output } from '../output.js';
import { fitLine } from './fit-line.js';

export interface WireClient {
  /** Sends a message or an envelope as one line. Resolves when the client has room for more. */
  send(frame: object): Promise<void>;
  /**
   * Asks the client something.
   * @param subtype what it is asked
   * @returns the fields of its answer
   * @throws EngineError with its words where it refuses; AbortError where `signal` aborts or it says nothing more
   */
  request(subtype: string, fields: Fields, signal?: AbortSignal): Promise<Fields>;
  /** An answer of the client. One that nobody waits for is nothing. */
  settle(response: unknown): void;
  /** The client says nothing more: what waits for an answer, and what is asked from now on, gets none. */
  endInput(): void;
}

interface Waiting {
  resolve(answer: Fields): void;
  reject(error: Error): void;
}

export function createClient(out: Output): WireClient {
  const waiting = new Map<string, Waiting>();
  let isSilent = false;
  const send = (frame: object) => out.write(`${fitLine(frame)}\n`);

  return {
    send,
    request(subtype, fields, signal) {
      if (isSilent) return Promise.reject(noAnswer());
      if (signal?.aborted) return Promise.reject(new AbortError());
      const request_id = randomUUID();
      return new Promise<Fields>((resolve, reject) => {
        const withdraw = () => {
          if (!waiting.delete(request_id)) return;
          void send({ type: 'control_cancel_request', request_id });
          reject(new AbortError());
        };
        const done = () => {
          waiting.delete(request_id);
          signal?.removeEventListener('abort', withdraw);
        };
        signal?.addEventListener('abort', withdraw, { once: true });
        waiting.set(request_id, {
          resolve(answer) {
            done();
            resolve(answer);
          },
          reject(error) {
            done();
            reject(error);
          },
        });
        void send({ type: 'control_request', request_id, request: { subtype, ...fields } });
      });
    },
    settle(response) {
      if (!isRecord(response)) return;
      const asked = waiting.get(String(response['request_id']));
      if (asked === undefined) return;
      if (response['subtype'] === 'success') asked.resolve(isRecord(response['response']) ? response['response'] : {});
      else asked.reject(new EngineError('host_failed', refusal(response['error'])));
    },
    endInput() {
      isSilent = true;
      for (const { reject } of [...waiting.values()]) reject(noAnswer());
    },
  };
}

/** The envelope of an answer of ours. */
export function success(requestId: string | number, response?: object): SDKControlResponse {
  return {
    type: 'control_response',
    response: {
      subtype: 'success',
      request_id: requestId as string,
      ...(response === undefined ? {} : { response: response as never }),
    },
  };
}

export function failure(requestId: string | number, error: string, code: string): SDKControlResponse {
  return { type: 'control_response', response: { subtype: 'error', request_id: requestId as string, error, code } };
}

function refusal(error: unknown): string {
  return typeof error === 'string' && error.trim() !== ''
    ? error
    : 'The client answered with an error that has no text.';
}

function noAnswer(): AbortError {
  return new AbortError('The client has closed its end, so nobody can answer this.');
}
