// The client at the other end of the wire: what is sent to it, and what it is asked. One rule: each request of ours is
// settled, by an answer, by its signal, or because the client says nothing more. And one of each line: none is longer than
// clients read.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { SDKControlResponse } from '../../protocol/control.js';
import { AbortError, EngineError } from '../../protocol/errors.js';
import type { SessionStore } from '../../protocol/session-store.js';
import type { Fields } from '../../sdk/wire/index.js';
import { isRecord } from '../../util/json.js';
import { formatBytes } from '../../util/text.js';
import type { Output } from '../output.js';

/** Bytes of a line without its end: of published clients the strictest reads 1 MiB. */
const MAX_LINE = 1_000_000;

/** Texts of this many characters and more may be cut. */
const CUT_FROM = 1_000;

/** Bytes of entries in one line, about; a single entry may be longer. */
const MIRROR_LINE = 500_000;

export interface WireClient {
  /** Sends a message or an envelope as one line. Resolves when the client has room for more. */
  send(frame: object): Promise<void>;
  /**
   * Asks the client something.
   * @param subtype what it is asked
   * @returns the fields of its answer
   * @throws EngineError with its words if it refuses; AbortError if `signal` aborts or it says nothing more
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

/** One frame as one line. Contract: no line break in it, no more than `MAX_LINE` bytes; what is left out of it says so. */
function fitLine(frame: object): string {
  const line = JSON.stringify(frame);
  // Entries of a transcript are copied by the client: one that is cut would be a wrong copy.
  if (line.length * 3 <= MAX_LINE || Buffer.byteLength(line) <= MAX_LINE || isMirror(frame)) return line;
  for (let keep = 100_000; keep >= 100; keep = Math.floor(keep / 4)) {
    const shorter = JSON.stringify(cut(frame, keep));
    if (Buffer.byteLength(shorter) <= MAX_LINE) return shorter;
  }
  return JSON.stringify(cut(frame, 0));
}

function isMirror(frame: object): boolean {
  return 'type' in frame && frame.type === 'transcript_mirror';
}

/** With `keep` characters of each long text; images and documents give way to a text. */
function cut(value: unknown, keep: number): unknown {
  if (typeof value === 'string') return value.length < Math.max(keep, CUT_FROM) ? value : cutText(value, keep);
  if (Array.isArray(value)) return value.map((item) => cut(item, keep));
  if (!isRecord(value)) return value;
  const source = value['source'];
  if (isRecord(source) && typeof source['data'] === 'string' && source['data'].length > keep) {
    return {
      type: 'text',
      text: `[${String(value['type'])} of ${formatBytes(source['data'].length)} left out of this line]`,
    };
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, keep)]));
}

function cutText(text: string, keep: number): string {
  const head = text.slice(0, keep).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}\n[${text.length - head.length} characters left out of this line; the transcript has them]`;
}

/**
 * A store that only sends, for a client that keeps a copy of the transcript; a copy is never waited for. What it says of the place of a transcript is the place that the client looks at: its own
 * folder for sessions.
 */
export function mirrorTo(client: WireClient, env: Readonly<NodeJS.ProcessEnv>): SessionStore {
  const home = env['CLAUDE_CONFIG_DIR'] ?? env['QODER_CONFIG_DIR'] ?? path.join(env['HOME'] ?? '/', '.claude');
  return {
    async append({ projectKey, sessionId, subpath }, entries) {
      const place = subpath === undefined ? `${sessionId}.jsonl` : path.join(sessionId, `${subpath}.jsonl`);
      const filePath = path.join(home, 'projects', projectKey, place);
      let some: typeof entries = [];
      let size = 0;
      for (const entry of entries) {
        const length = JSON.stringify(entry).length;
        if (size + length > MIRROR_LINE && some.length > 0) {
          await client.send({ type: 'transcript_mirror', filePath, entries: some });
          some = [];
          size = 0;
        }
        some.push(entry);
        size += length;
      }
      if (some.length > 0) await client.send({ type: 'transcript_mirror', filePath, entries: some });
    },
    load: async () => null,
  };
}
