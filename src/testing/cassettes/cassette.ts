// Records the exchanges of a session with a model API once, and plays them back offline, byte for byte. Rule: a request
// that was not recorded gets no answer, and the test is told the first place in which it differs.
import { open, rename, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord } from '../wire/index.js';
import {
  type CassetteExchange,
  type CassetteFolders,
  createLineWriter,
  createScrubber,
  endLine,
  headerLine,
  readCassette,
  type Scrubber,
  toBytes,
  toChunks,
  withFolders,
} from './cassette-file.js';

export interface RecordCassetteOptions {
  /**
   * The address that requests are sent on to: `https://api.anthropic.com`. A path of it goes before the path of each
   * request.
   */
  readonly upstream: string;
  /** Values that must not get into the file, beside credentials, values of secret variables, and texts shaped like keys. */
  readonly secrets?: readonly string[];
  /** Folders that may be others when it is played, by names that stand for them in the file. */
  readonly folders?: CassetteFolders;
}

export interface CassetteRecorder {
  /** The base URL for the session that is recorded. */
  readonly url: string;
  /** Exchanges that are whole by now. */
  readonly exchanges: number;
  /**
   * Ends the recording, and puts the file in its place. May be called twice.
   * @throws Error if an exchange could not be recorded; then an earlier file stays as it was
   */
  close(): Promise<void>;
}

/** Headers that belong to a connection, or would make an answer that cannot be read in the file. */
const NOT_SENT_ON = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'keep-alive',
]);

/**
 * Starts a server on loopback that sends each request on and writes down what came.
 * Contract: the client gets the answer as it comes; the file holds no credential; it is there, whole, after `close()`.
 *
 * @example
 * const cassette = await recordCassette('session.jsonl', { upstream: 'https://api.anthropic.com' });
 * // … a session with ANTHROPIC_BASE_URL = cassette.url
 * await cassette.close();
 */
export async function recordCassette(file: string, options: RecordCassetteOptions): Promise<CassetteRecorder> {
  const upstream = new URL(options.upstream);
  const base = `${upstream.origin}${upstream.pathname.replace(/\/$/, '')}`;
  const unfinished = `${file}.recording`;
  const output = await open(unfinished, 'w', 0o600);
  await output.write(headerLine());
  const scrubber = createScrubber(options.secrets, options.folders);
  const lineOf = createLineWriter();
  const problems: string[] = [];
  let arrived = 0;
  let written = 0;
  let last: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | null = null;

  const write = (exchange: CassetteExchange): Promise<unknown> => {
    last = last.then(() => output.write(lineOf(exchange))).then(() => written++);
    return last;
  };
  const server = await startLoopback(
    async (incoming, body, response) => {
      const index = arrived++;
      scrubber.note(incoming.headers);
      const exchanged = await sendOn(base, incoming, body, response, scrubber);
      await write({ index, request: describe(incoming, body, scrubber), response: exchanged });
      response.end();
      if (exchanged.isCut) response.destroy();
    },
    (error) => problems.push(String(error)),
  );
  const finish = async () => {
    await server.close();
    await last.catch((error: unknown) => problems.push(String(error)));
    if (written < arrived) problems.push(`${arrived - written} of ${arrived} exchanges did not end.`);
    if (problems.length === 0) await output.write(endLine(written));
    await output.close();
    if (problems.length === 0) return await rename(unfinished, file);
    await rm(unfinished, { force: true });
    throw new Error(`The cassette ${file} was not recorded.\n${scrubber.text(problems.join('\n'))}`);
  };
  return {
    url: server.url,
    get exchanges() {
      return written;
    },
    close() {
      closing ??= finish();
      return closing;
    },
  };
}

function describe(incoming: IncomingMessage, body: Buffer, scrubber: Scrubber): CassetteExchange['request'] {
  return {
    method: incoming.method ?? 'GET',
    path: scrubber.path(incoming.url ?? '/'),
    body: scrubber.body(body),
  };
}

/** Passes the answer through as it comes, without its end. */
async function sendOn(
  base: string,
  incoming: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  scrubber: Scrubber,
): Promise<CassetteExchange['response']> {
  const headers = new Headers({ 'accept-encoding': 'identity' });
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (!NOT_SENT_ON.has(name)) for (const one of [value].flat()) if (one !== undefined) headers.append(name, one);
  }
  const method = incoming.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const answer = await fetch(`${base}${incoming.url ?? '/'}`, {
    method,
    headers,
    redirect: 'manual',
    ...(hasBody ? { body: new Uint8Array(body) } : {}),
  });
  response.writeHead(answer.status, withoutFraming(answer.headers));
  response.flushHeaders();
  const chunks: Uint8Array[] = [];
  let isCut = false;
  try {
    for await (const chunk of answer.body ?? []) {
      chunks.push(chunk);
      response.write(chunk);
    }
  } catch {
    isCut = true; // the API broke the connection: so does the recording, here and when it is played
  }
  return {
    status: answer.status,
    headers: scrubber.headers(answer.headers.entries()),
    chunks: toChunks(chunks, scrubber),
    ...(isCut ? { isCut } : {}),
  };
}

/** `fetch` has decoded the body already. */
function withoutFraming(headers: Headers): Record<string, string> {
  const kept = [...headers.entries()].filter(
    ([name]) => !['content-encoding', 'content-length', 'transfer-encoding', 'connection'].includes(name),
  );
  return Object.fromEntries(kept);
}

export interface ReplayCassetteOptions {
  /**
   * Places of request bodies that may differ, with all below them: `['system', 'metadata.user_id', 'tools.*.description']`.
   * Default none.
   */
  readonly ignore?: readonly string[];
  /** As when it was recorded: they are taken out of requests before these are compared. */
  readonly secrets?: readonly string[];
  /** The same names as when it was recorded, each with the folder that has its place now. */
  readonly folders?: CassetteFolders;
}

export interface CassettePlayer {
  /** The base URL for the session. */
  readonly url: string;
  readonly exchanges: readonly CassetteExchange[];
  /** Recorded exchanges that were not asked for yet. */
  readonly remaining: number;
  /** Requests that were not recorded, each with where it differs. */
  readonly problems: readonly string[];
  /** Throws if a request was not recorded, or exchanges are left. */
  assertDone(): void;
  close(): Promise<void>;
}

/**
 * Plays a cassette on loopback. A request gets the first answer that is left of an equal one, so requests of parallel
 * agents may come in another order. One that was not recorded is answered with status 400 and the text of its problem.
 * Contract: answers are the recorded bytes, in the recorded writes; no key is looked at, nothing leaves the machine.
 * @throws Error if the file is not a cassette, of another version, or cut
 */
export async function replayCassette(file: string, options: ReplayCassetteOptions = {}): Promise<CassettePlayer> {
  const exchanges = await readCassette(file);
  const left = [...exchanges];
  const { secrets, folders = {}, ignore = [] } = options;
  const scrubber = createScrubber(secrets, folders);
  const drifts = createDriftFinder(ignore);
  const problems: string[] = [];
  let arrived = 0;

  const server = await startLoopback(
    async (incoming, body, response) => {
      const number = ++arrived;
      scrubber.note(incoming.headers);
      const request = describe(incoming, body, scrubber);
      const at = left.findIndex((exchange) => differs(exchange.request, request, drifts) === null);
      const [found] = at === -1 ? [] : left.splice(at, 1);
      if (found !== undefined) return await play(found.response, folders, response);
      const problem = explain(number, left[0], request, drifts);
      problems.push(problem);
      response.writeHead(400, { 'content-type': 'application/json' });
      const error = { type: 'invalid_request_error', message: problem };
      response.end(JSON.stringify({ type: 'error', error }));
    },
    (error) => problems.push(String(error)),
  );
  return {
    url: server.url,
    exchanges,
    get remaining() {
      return left.length;
    },
    problems,
    assertDone() {
      const all = [...problems];
      if (left.length > 0) all.push(`${left.length} of ${exchanges.length} exchanges were not asked for.`);
      if (all.length > 0) throw new Error(`The cassette ${file} does not fit.\n${all.join('\n')}`);
    },
    close: () => server.close(),
  };
}

type Request = CassetteExchange['request'];

/** How a request differs from a recorded one; null if it does not. */
function differs(recorded: Request, sent: Request, drifts: DriftFinder): string | null {
  if (recorded.method !== sent.method || recorded.path !== sent.path) {
    return `recorded ${recorded.method} ${recorded.path}, sent ${sent.method} ${sent.path}`;
  }
  const drift = drifts.find(recorded.body, sent.body);
  return drift === null ? null : driftText(drift);
}

function explain(number: number, next: CassetteExchange | undefined, sent: Request, drifts: DriftFinder): string {
  if (next === undefined) return `request ${number} was not recorded: all exchanges of the cassette were asked for.`;
  const difference = differs(next.request, sent, drifts) ?? 'no difference';
  return `request ${number} was not recorded; against exchange ${next.index + 1}, ${difference}.`;
}

async function play(
  recorded: CassetteExchange['response'],
  folders: CassetteFolders,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(recorded.status, recorded.headers);
  response.flushHeaders();
  for (const chunk of withFolders(recorded.chunks, folders)) {
    // One write each: the client sees the pieces that the API sent.
    await new Promise<void>((resolve) => response.write(toBytes(chunk), () => resolve()));
    if (response.destroyed) return;
  }
  if (recorded.isCut) response.destroy();
  else response.end();
}

// A server on this machine that answers with one function, for the recorder and the player of exchanges.

interface Loopback {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** Destroys every connection and stops listening. May be called twice. */
  close(): Promise<void>;
}

/** @param answer what it rejects with goes to `onFailure`, and the connection is destroyed */
async function startLoopback(
  answer: (incoming: IncomingMessage, body: Buffer, response: ServerResponse) => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<Loopback> {
  const server = createServer((incoming, response) => {
    response.on('error', () => undefined); // a write that lost the race against the client's leaving
    readAll(incoming)
      .then((body) => (body === null ? undefined : answer(incoming, body, response)))
      .catch((error: unknown) => {
        onFailure(error);
        response.destroy();
      });
  });
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Null if the client went away. */
async function readAll(incoming: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    return null; // reset by the client: there is nobody to answer
  }
  return Buffer.concat(chunks);
}

interface Drift {
  /** `messages.2.content.0.text`; empty for the whole body. */
  readonly path: string;
  readonly recorded: unknown;
  readonly sent: unknown;
}

const SHOWN = 80;

interface DriftFinder {
  /** Null if both are the same. The order of keys counts for nothing. */
  find(recorded: unknown, sent: unknown): Drift | null;
}

/** Paths that are not looked at, step by step. */
type Patterns = readonly (readonly string[])[];

/** So deep stand the lists of a body: messages, tools. */
const LIST_DEPTH = 1;
/** So many lists are looked back: agents that work side by side take turns. */
const RECENT = 16;

/** Two lists without a difference. */
interface EqualLists {
  readonly recorded: readonly unknown[];
  readonly sent: readonly unknown[];
}

/** The lists that were found equal last, newest first. */
type Known = EqualLists[];

/**
 * Contract: what lists that were found equal begin with is not looked at again, so comparing a long conversation costs what
 * is new in it.
 * @param ignored paths that are not looked at, with all that is below them; `*` stands for any one step
 */
export function createDriftFinder(ignored: readonly string[]): DriftFinder {
  const known: Known = [];
  const patterns = ignored.map((path) => path.split('.'));
  return { find: (recorded, sent) => walk(recorded, sent, patterns, 0, known) };
}

export function findDrift(recorded: unknown, sent: unknown, ignored: readonly string[]): Drift | null {
  return createDriftFinder(ignored).find(recorded, sent);
}

function walk(recorded: unknown, sent: unknown, patterns: Patterns, depth: number, known: Known): Drift | null {
  if (Object.is(recorded, sent)) return null;
  // What was not looked at may differ, which another path would see.
  const isList = depth === LIST_DEPTH && patterns.length === 0 && Array.isArray(recorded) && Array.isArray(sent);
  if (!isList) return walkParts(recorded, sent, stepsOf(recorded, sent, 0), patterns, depth, known);
  const from = alikeFromStart({ recorded, sent }, known);
  const drift = walkParts(recorded, sent, stepsOf(recorded, sent, from), patterns, depth, known);
  if (drift === null) {
    known.unshift({ recorded, sent });
    if (known.length > RECENT) known.pop();
  }
  return drift;
}

/** How many items both lists begin with that are those of two lists found equal. */
function alikeFromStart({ recorded, sent }: EqualLists, known: Known): number {
  let most = 0;
  for (const before of known) {
    const end = Math.min(recorded.length, sent.length, before.recorded.length);
    let at = 0;
    while (at < end && recorded[at] === before.recorded[at] && sent[at] === before.sent[at]) at++;
    most = Math.max(most, at);
    // Of the same conversation, whose last messages alone are others: none of the lists before it has more.
    if (at > 0) break;
  }
  return most;
}

function walkParts(
  recorded: unknown,
  sent: unknown,
  steps: Iterable<string | number> | null,
  patterns: Patterns,
  depth: number,
  known: Known,
): Drift | null {
  if (steps === null) return { path: '', recorded, sent };
  for (const step of steps) {
    const inner = patterns.length === 0 ? patterns : below(patterns, String(step));
    if (inner.some((rest) => rest.length === 0)) continue;
    const found = walk(part(recorded, step), part(sent, step), inner, depth + 1, known);
    if (found !== null) return { ...found, path: found.path === '' ? String(step) : `${step}.${found.path}` };
  }
  return null;
}

/** The steps down from two lists or two records; null if they are no such two. @param from first item of lists */
function stepsOf(recorded: unknown, sent: unknown, from: number): Iterable<string | number> | null {
  if (Array.isArray(recorded) && Array.isArray(sent)) {
    const length = Math.max(recorded.length, sent.length);
    return Array.from({ length: length - from }, (_, at) => from + at);
  }
  if (!isRecord(recorded) || !isRecord(sent)) return null;
  return new Set([...Object.keys(recorded), ...Object.keys(sent)]);
}

function part(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function below(patterns: Patterns, step: string): Patterns {
  return patterns.filter(([first]) => first === '*' || first === step).map((pattern) => pattern.slice(1));
}

/** A drift in words. */
function driftText({ path, recorded, sent }: Drift): string {
  const [before, now] = aroundDifference(recorded, sent);
  return `first difference at ${path === '' ? 'the body' : path}: recorded ${before}, sent ${now}`;
}

/** Long texts are shown from a little before the place where they part. */
function aroundDifference(recorded: unknown, sent: unknown): readonly [string, string] {
  if (typeof recorded !== 'string' || typeof sent !== 'string') return [shown(recorded), shown(sent)];
  let at = 0;
  while (at < recorded.length && recorded[at] === sent[at]) at++;
  const from = Math.max(0, at - SHOWN / 4);
  const part = (text: string) => `${from > 0 ? '…' : ''}${shown(text.slice(from, from + SHOWN))}`;
  return [part(recorded), part(sent)];
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value) ?? String(value);
  return json.length > SHOWN + 20 ? `${json.slice(0, SHOWN)}…` : json;
}
