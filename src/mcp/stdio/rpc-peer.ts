// One side of a JSON-RPC 2.0 conversation, without the wire. One rule: whatever the other side sends, every request that
// was made settles once, and nothing is thrown at who hands over its messages.

import { isRecord } from '../../util/is-record.js';
import { errorText, shorten } from '../../util/text.js';

const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = -32_603;
/** Requests of the other side that are answered at the same time. */
const MAX_ANSWERING = 16;
const MAX_ERROR_TEXT = 2_000;

/** An error that the other side answered with. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
  }
}

export interface RpcPeerOptions {
  /** One message, without a line end. */
  send(message: string): void;
  /** Null where there is no such method. Its failure becomes the answer. */
  onRequest(method: string, params: unknown): Promise<unknown> | null;
  onNotification(method: string): void;
  /** Told of each text that is no message. */
  onGarbage(text: string): void;
}

export interface RpcPeer {
  /**
   * Contract: an abort of the signal rejects at once and tells the other side.
   * @throws RpcError for an answer that is an error; the error of `close`
   */
  request(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  notify(method: string, params?: object): void;
  /** Takes one message of the other side. */
  receive(text: string): void;
  /** A message came that was too long to be read. @param head how it began */
  lose(head: string, error: Error): void;
  /** Rejects what waits, and whatever is asked from then on. */
  close(error: Error): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

type Message = Readonly<Record<string, unknown>>;

export function createRpcPeer(options: RpcPeerOptions): RpcPeer {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let answering = 0;
  let closed: Error | null = null;
  const send = (message: object) => options.send(JSON.stringify({ jsonrpc: '2.0', ...message }));

  const answer = async (id: unknown, method: string, params: unknown): Promise<void> => {
    const work = answering < MAX_ANSWERING ? options.onRequest(method, params) : null;
    if (work === null) return send({ id, error: { code: METHOD_NOT_FOUND, message: `There is no ${method} here.` } });
    answering += 1;
    try {
      const result = await work;
      if (closed === null) send({ id, result });
    } catch (error) {
      if (closed === null) send({ id, error: { code: INTERNAL_ERROR, message: errorText(error) } });
    } finally {
      answering -= 1;
    }
  };

  const take = (message: unknown, text: string): void => {
    const { id, method, params, result, error } = isRecord(message) ? message : {};
    if (typeof method === 'string') {
      if (id === undefined) options.onNotification(method);
      // `answer` catches whatever goes wrong.
      else if (typeof id === 'string' || typeof id === 'number') void answer(id, method, params);
    } else if (result === undefined && error === undefined) {
      options.onGarbage(text);
    } else {
      // None: an answer to what was given up.
      const one = waiting.get(Number(id));
      if (error === undefined) one?.resolve(result);
      else one?.reject(readError(error));
    }
  };

  return {
    request(method, params, signal) {
      if (closed !== null) return Promise.reject(closed);
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'It is not needed any more.' } });
          settle(() => reject(new Error('it was told to stop')));
        };
        const settle = (how: () => void) => {
          waiting.delete(id);
          signal.removeEventListener('abort', onAbort);
          how();
        };
        if (signal.aborted) return reject(new Error('it was told to stop'));
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.set(id, {
          resolve: (result) => settle(() => resolve(result)),
          reject: (error) => settle(() => reject(error)),
        });
        send({ id, method, params });
      });
    },
    notify(method, params) {
      if (closed === null) send({ method, ...(params === undefined ? {} : { params }) });
    },
    receive(text) {
      if (closed !== null) return;
      const message = parse(text);
      // Batches are of an older version of the protocol.
      for (const each of Array.isArray(message) ? message : [message]) take(each, text);
    },
    lose(head, error) {
      const id = Number(/"id"\s*:\s*(\d+)/.exec(head)?.[1]);
      const only = waiting.size === 1 ? [...waiting.values()][0] : undefined;
      (waiting.get(id) ?? only)?.reject(error);
    },
    close(error) {
      if (closed !== null) return;
      closed = error;
      for (const one of [...waiting.values()]) one.reject(error);
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // told as what is no message
  }
}

function readError(error: unknown): RpcError {
  const { code, message } = (isRecord(error) ? error : {}) as Message;
  const text = typeof message === 'string' && message.trim() !== '' ? message : JSON.stringify(error);
  return new RpcError(typeof code === 'number' ? code : 0, shorten(text ?? 'an error without a text', MAX_ERROR_TEXT));
}
