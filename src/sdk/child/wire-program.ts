// A program with the wire to it: messages in, requests and answers both ways. One rule: lines that are none, and messages
// that nobody knows, never end the session.
import type { Host } from '../../host/host.js';
import { AbortError, ConfigError, EngineError, SessionError } from '../../protocol/errors.js';
import { isRecord } from '../../util/json.js';
import { createFrameReader, type Fields, type Frame } from '../wire/index.js';
import type { Launch } from './launch.js';
import { adoptProgram, type Program, type ProgramEnd, startProgram } from './program.js';
import { createRequestServer, type RequestServer, type Served } from './serve-requests.js';

/** What is kept of its stderr, from the end. */
const STDERR_CHARACTERS = 8_192;
/** The longest line that is read, bytes. */
const MAX_LINE = 64_000_000;
/** Frames that are held for a slow reader before the program has to wait. */
const MAX_HELD = 2_000;

export interface WireProgram {
  readonly requests: WireRequests;
  readonly addServers: RequestServer['addServers'];
  /** The next message; null once nothing more comes. */
  next(): Promise<Fields | null>;
  send(frame: object): Promise<boolean>;
  endInput(): void;
  readonly ended: Promise<ProgramEnd>;
  /** The end of its stderr. */
  readonly stderr: string;
  stop(): Promise<void>;
}

export interface WireProgramPlace {
  readonly host: Host;
  readonly served: Served;
  /** Gets what the program writes to its stderr. */
  readonly onStderr: ((text: string) => void) | undefined;
  /** The first line that is no message. */
  onJunk(why: string): void;
  onMirror(frame: Fields): void;
}

/** @throws ConfigError if it cannot be started */
export async function openWireProgram(launch: Launch, place: WireProgramPlace): Promise<WireProgram> {
  const { host, onStderr } = place;
  let held: Fields[] = [];
  let isOver = false;
  let wake: () => void = () => undefined;
  let resume: () => void = () => undefined;
  let stderr = '';
  let program: Program | null = null;
  const write = (frame: object): Promise<boolean> => program?.write(`${JSON.stringify(frame)}\n`) ?? NOT_YET;
  const requests = createWireRequests({
    host,
    timeoutMs: launch.requestTimeoutMs,
    write: (frame) => void write(frame),
    onWait: () => resume(),
  });
  const server: RequestServer = createRequestServer(
    place.served,
    (frame) => void write(frame),
    // What its answer would be is nothing that a server waits for.
    (server_name, message) => void requests.send('mcp_message', { server_name, message }).catch(() => undefined),
  );
  const take = (frame: Frame): void => {
    switch (frame['type']) {
      case 'control_response':
        requests.settle(frame['response']);
        return;
      case 'control_request':
        server.serve(String(frame['request_id']), isRecord(frame['request']) ? frame['request'] : {});
        return;
      case 'control_cancel_request':
      case 'control_cancel':
        server.withdraw(String(frame['request_id']));
        return;
      case 'keep_alive':
        return;
      case 'transcript_mirror':
        place.onMirror(frame);
        return;
    }
    if (typeof frame['type'] !== 'string') {
      place.onJunk('an object without a type was passed over');
      return;
    }
    held.push(frame);
    wake();
  };
  const frames = createFrameReader({ onFrame: take, onJunk: place.onJunk, maxBytes: MAX_LINE });
  const decoder = new TextDecoder();
  const listeners = {
    onStdout: (chunk: Uint8Array) => frames.push(chunk),
    onStdoutEnd: () => void closedOutput(),
    onStderr(chunk: Uint8Array) {
      const text = decoder.decode(chunk, { stream: true });
      stderr = (stderr + text).slice(-STDERR_CHARACTERS);
      try {
        onStderr?.(text);
      } catch {
        // A callback of the host's that fails is no fault of the session.
      }
    },
    // Answers come the same way as messages, so nothing is held back while one is waited for.
    pause: () =>
      held.length < MAX_HELD || requests.waiting > 0
        ? null
        : new Promise<void>((resolve) => {
            resume = resolve;
          }),
  };
  program =
    launch.spawn === null
      ? await startProgram(launch.start, host, listeners)
      : adoptProgram(launch.spawn.name, launch.spawn.call, launch.start, host, listeners);
  const started = program;
  /** A program that says nothing more is of no use: it gets the time to end that it has at the end of a session. */
  async function closedOutput(): Promise<void> {
    await started.stop();
  }
  const ended = started.ended.then((end) => {
    frames.end();
    isOver = true;
    server.end();
    wake();
    return end;
  });
  return {
    requests,
    addServers: server.addServers,
    ended,
    get stderr() {
      return stderr;
    },
    async next() {
      for (;;) {
        const first = held[0];
        if (first !== undefined) {
          held = held.slice(1);
          if (held.length === 0) resume();
          return first;
        }
        if (isOver) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    send: write,
    endInput: () => started.endInput(),
    async stop() {
      await started.stop();
      await ended;
    },
  };
}

const NOT_YET = Promise.resolve(false);

// Requests to the program at the other end of the wire. One rule: each is settled once, by its answer in whatever order,
// by time, by its signal, or because nothing more will come.

interface WireRequests {
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

interface WireRequestsPlace {
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

function createWireRequests({ host, timeoutMs, write, onWait }: WireRequestsPlace): WireRequests {
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
