// One side of a JSON-RPC 2.0 conversation, without the wire. One rule: whatever the other side sends, every request that
// was made settles once, and nothing is thrown at who hands over its messages.

import { isRecord } from '../../util/json.js';
import { errorText, shorten } from '../../util/text.js';
import { RpcError } from '../transport.js';

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
/** Requests of the other side that are answered at the same time. */
const MAX_ANSWERING = 16;
const MAX_ERROR_TEXT = 2_000;
const MAX_SHOWN_MESSAGE = 500;

/** The other side asked for what it may not ask for in that way. */
export function invalidParams(message: string): RpcError {
  return new RpcError(INVALID_PARAMS, message);
}

/** How far a request is, as `notifications/progress` says it. */
export interface RpcProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface RpcPeerOptions {
  /** @param headers go along if the way has some */
  send(message: object, headers?: Readonly<Record<string, string>>): void;
  /**
   * Null if there is no such method. Its failure becomes the answer.
   * @param signal aborted if the other side takes the request back, which is then not answered
   */
  onRequest(method: string, params: unknown, signal: AbortSignal): Promise<unknown> | null;
  onNotification(method: string, params: unknown): void;
  /** Told of each text that is no message. */
  onGarbage(text: string): void;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** Asks the other side to say how far it is. */
  onProgress?(progress: RpcProgress): void;
  /** Of a way that has some, for this message. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RpcPeer {
  /**
   * Contract: an abort of the signal rejects at once and tells the other side.
   * @throws RpcError for an answer that is an error; the error of `close`
   */
  request(method: string, params: object, options: RequestOptions): Promise<unknown>;
  notify(method: string, params?: object): void;
  /** Takes one message of the other side, as it was parsed. */
  receive(message: unknown): void;
  /** A message did not come through. @param head how it began */
  lose(head: string, error: Error): void;
  /** A text came that is no JSON: if it was to be the answer to a request, that request has failed. */
  spoil(text: string): void;
  /** Rejects what waits, and whatever is asked from then on. */
  close(error: Error): void;
}

interface Waiting extends Pick<RequestOptions, 'onProgress'> {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

type Message = Readonly<Record<string, unknown>>;

export function createRpcPeer(options: RpcPeerOptions): RpcPeer {
  const waiting = new Map<number, Waiting>();
  /** Requests of the other side that are under way. */
  const answering = new Map<unknown, AbortController>();
  let lastId = 0;
  let closed: Error | null = null;
  const send = (message: object, headers?: Readonly<Record<string, string>>) => {
    if (closed === null) options.send({ jsonrpc: '2.0', ...message }, headers);
  };

  const answer = async (id: unknown, method: string, params: unknown): Promise<void> => {
    const taken = new AbortController();
    const isTooMuch = answering.size >= MAX_ANSWERING || answering.has(id);
    const work = isTooMuch ? null : options.onRequest(method, params, taken.signal);
    if (work === null) return send({ id, error: { code: METHOD_NOT_FOUND, message: `There is no ${method} here.` } });
    answering.set(id, taken);
    try {
      const result = await work;
      if (!taken.signal.aborted) send({ id, result });
    } catch (error) {
      const { code, data } = error instanceof RpcError ? error : { code: INTERNAL_ERROR, data: undefined };
      const told = { code, message: errorText(error), ...(data === undefined ? {} : { data }) };
      if (!taken.signal.aborted) send({ id, error: told });
    } finally {
      answering.delete(id);
    }
  };

  const hear = (method: string, params: unknown): void => {
    if (method === 'notifications/progress') {
      const { progressToken, progress, total, message } = isRecord(params) ? params : {};
      const one = waiting.get(ownId(progressToken));
      if (typeof progress !== 'number') return;
      one?.onProgress?.({
        progress,
        ...(typeof total === 'number' ? { total } : {}),
        ...(typeof message === 'string' ? { message: shorten(message, MAX_ERROR_TEXT) } : {}),
      });
    } else if (method === 'notifications/cancelled') {
      answering.get(isRecord(params) ? params['requestId'] : undefined)?.abort();
    } else options.onNotification(method, params);
  };

  const take = (message: unknown): void => {
    const { id, method, params, result, error } = isRecord(message) ? message : {};
    if (typeof method === 'string') {
      if (id === undefined) hear(method, params);
      // `answer` catches whatever goes wrong.
      else if (typeof id === 'string' || typeof id === 'number') void answer(id, method, params);
    } else if (result === undefined && error === undefined) {
      options.onGarbage(shorten(JSON.stringify(message) ?? 'nothing', MAX_SHOWN_MESSAGE));
    } else {
      // None: an answer to what was given up, a second answer, or one to what nobody asked.
      const one = waiting.get(ownId(id));
      if (error === undefined) one?.resolve(result);
      else one?.reject(readError(error));
    }
  };

  return {
    request(method, params, { signal, onProgress, headers }) {
      if (closed !== null) return Promise.reject(closed);
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          // What began a connection is never taken back.
          const reason = 'It is not needed any more.';
          if (method !== 'initialize') send({ method: 'notifications/cancelled', params: { requestId: id, reason } });
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
          ...(onProgress === undefined ? {} : { onProgress }),
        });
        send({ id, method, params: onProgress === undefined ? params : withProgressToken(params, id) }, headers);
      });
    },
    notify(method, params) {
      send({ method, ...(params === undefined ? {} : { params }) });
    },
    receive(message) {
      if (closed !== null) return;
      // Batches are of an older version of the protocol.
      for (const each of Array.isArray(message) ? message : [message]) take(each);
    },
    lose(head, error) {
      const id = Number(/"id"\s*:\s*(\d+)/.exec(head)?.[1]);
      const only = waiting.size === 1 ? [...waiting.values()][0] : undefined;
      (waiting.get(id) ?? only)?.reject(error);
    },
    spoil(text) {
      const id = idOfBroken(text.trim());
      waiting.get(id)?.reject(new Error('its answer is not JSON'));
    },
    close(error) {
      if (closed !== null) return;
      closed = error;
      for (const one of [...waiting.values()]) one.reject(error);
      for (const taken of [...answering.values()]) taken.abort();
    },
  };
}

/** Of a text that is an answer but for some value in it, such as NaN. Its id stands before what it says, or is not known. */
function idOfBroken(text: string): number {
  const body = /"(?:result|error)"/.exec(text)?.index;
  if (body === undefined || !text.startsWith('{') || !text.endsWith('}')) return Number.NaN;
  return Number(/"id"\s*:\s*(\d+)/.exec(text.slice(0, body))?.[1]);
}

function withProgressToken(params: object, id: number): object {
  const { _meta } = params as { readonly _meta?: object };
  return { ...params, _meta: { ..._meta, progressToken: id } };
}

/** An id as it was sent, or as a text of the same digits. NaN for what is none. */
function ownId(id: unknown): number {
  return typeof id === 'number' || (typeof id === 'string' && /^\d+$/.test(id)) ? Number(id) : Number.NaN;
}

function readError(error: unknown): RpcError {
  const { code, message, data } = (isRecord(error) ? error : {}) as Message;
  const text = typeof message === 'string' && message.trim() !== '' ? message : JSON.stringify(error);
  const shown = shorten(text ?? 'an error without a text', MAX_ERROR_TEXT);
  return new RpcError(typeof code === 'number' ? code : 0, shown, data);
}
