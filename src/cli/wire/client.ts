// The client at the other end of the wire: what is sent to it, and what it is asked: permissions, hooks, questions, its model
// policy, and the MCP servers that run in it. One rule: each request of ours is settled, by an answer, by its signal, or
// because the client says nothing more. And one of each line: none is longer than clients read.

import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { SDKControlResponse } from '../../protocol/control.js';
import { AbortError, ConfigError, EngineError } from '../../protocol/errors.js';
import type { HookCallbackMatcher, HookEvent, HookJSONOutput } from '../../protocol/hooks.js';
import type { ConnectableMcpServer, McpSdkServerConfigWithInstance } from '../../protocol/mcp.js';
import type { ModelPolicyProvider, ModelPolicyResult } from '../../protocol/model.js';
import type { OnUserDialog } from '../../protocol/options.js';
import type { CanUseTool, OnElicitation, PermissionResult } from '../../protocol/permissions.js';
import type { SessionStore } from '../../protocol/session-store.js';
import type { Fields } from '../../sdk/wire/index.js';
import { given, isRecord } from '../../util/json.js';
import { errorText, formatBytes } from '../../util/text.js';
import type { Output } from '../cli-io.js';

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

/** Asks the client about a call. What is no answer is a denial, whose words the model reads. */
export function askClient(client: WireClient): CanUseTool {
  return async (toolName, input, options) => {
    const answer = await client.request(
      'can_use_tool',
      given({
        tool_name: toolName,
        input,
        tool_use_id: options.toolUseID,
        permission_suggestions: options.suggestions,
        blocked_path: options.blockedPath,
        decision_reason: options.decisionReason,
        decision_reason_type: options.decisionReasonType,
        classifier_approvable: options.classifierApprovable,
        title: options.title,
        display_name: options.displayName,
        description: options.description,
        agent_id: options.agentID,
      }),
      options.signal,
    );
    // The engine checks the rest of it, as that of every host.
    return answer as unknown as PermissionResult;
  };
}

/** Where the hooks of a client stand: an event, a matcher, a place in it. Their ids change when it says them again. */
export interface ClientHooks {
  readonly options: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  /** Takes the ids of the same hooks, said again. @throws ConfigError if they are others */
  renew(hooks: unknown): void;
}

interface DeclaredHook {
  readonly event: string;
  readonly matcher: string | undefined;
  readonly timeout: number | undefined;
  readonly onFailure: HookCallbackMatcher['onFailure'] | undefined;
  readonly ids: readonly string[];
}

/** @throws ConfigError */
export function clientHooks(client: WireClient, declared: unknown): ClientHooks {
  let current = readHooks(declared);
  const options: Record<string, HookCallbackMatcher[]> = {};
  for (const [at, { event, matcher, timeout, onFailure, ids }] of current.entries()) {
    const hooks = ids.map((_, place) => async (...[input, toolUseID, { signal }]: HookArguments) => {
      const callback_id = current[at]?.ids[place] ?? '';
      const fields = given({ callback_id, input, tool_use_id: toolUseID });
      return (await client.request('hook_callback', fields, signal)) as HookJSONOutput;
    });
    options[event] ??= [];
    options[event].push({ ...given({ matcher, timeout, onFailure }), hooks });
  }
  return {
    options,
    renew(again) {
      const next = readHooks(again);
      const shape = (hooks: readonly DeclaredHook[]) =>
        JSON.stringify(hooks.map(({ event, matcher, ids }) => [event, matcher, ids.length]));
      if (shape(next) !== shape(current))
        throw new ConfigError(
          'The hooks of a session cannot change once it runs. Give them with the first initialize.',
        );
      current = next;
    },
  };
}

type HookArguments = Parameters<HookCallbackMatcher['hooks'][number]>;

function readHooks(declared: unknown): DeclaredHook[] {
  if (declared === undefined || declared === null) return [];
  if (!isRecord(declared)) throw wrongHooks();
  return Object.entries(declared).flatMap(([event, matchers]) => {
    if (!Array.isArray(matchers)) throw wrongHooks();
    return matchers.map((one: unknown) => {
      if (!isRecord(one) || !Array.isArray(one['hookCallbackIds'])) throw wrongHooks();
      return {
        event,
        matcher: typeof one['matcher'] === 'string' ? one['matcher'] : undefined,
        timeout: typeof one['timeout'] === 'number' ? one['timeout'] : undefined,
        onFailure: one['onFailure'] === 'block' || one['onFailure'] === 'continue' ? one['onFailure'] : undefined,
        ids: one['hookCallbackIds'].map(String),
      };
    });
  });
}

function wrongHooks(): ConfigError {
  return new ConfigError('"hooks" of initialize must be { Event: [{ matcher?, hookCallbackIds: [id], timeout? }] }.');
}

/** Asks the client to have a form filled in. */
export function elicitFromClient(client: WireClient): OnElicitation {
  return async (request, { signal }) => {
    const fields = given({
      mcp_server_name: request.serverName,
      message: request.message,
      mode: request.mode,
      url: request.url,
      elicitation_id: request.elicitationId,
      requested_schema: request.requestedSchema,
      title: request.title,
      display_name: request.displayName,
      description: request.description,
    });
    const { action, content } = await client.request('elicitation', fields, signal);
    if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return null;
    return { action, ...(isRecord(content) ? { content } : {}) };
  };
}

/** Asks the client to show a dialog; the session asks for those only that the client named. */
export function dialogFromClient(client: WireClient): OnUserDialog {
  return async ({ dialogKind, payload, toolUseID }, { signal }) => {
    const fields = given({ dialog_kind: dialogKind, payload, tool_use_id: toolUseID });
    const { behavior, result } = await client.request('request_user_dialog', fields, signal);
    return behavior === 'completed' ? { behavior, result } : { behavior: 'cancelled' };
  };
}

/** Has the client name the model of each request. */
export function modelPolicyOf(client: WireClient): ModelPolicyProvider {
  return async (context) => {
    const { availableModels: models, ...rest } = context;
    const answer: Fields = await client.request('get_model_policy', { ...rest, models });
    const { model, custom_model: custom, parameters } = answer;
    // Absent: the one that the session has.
    const named = isRecord(custom) ? custom : (model ?? (context as { readonly resolvedModel?: string }).resolvedModel);
    return given({ model: named, parameters }) as unknown as ModelPolicyResult;
  };
}

/** The first message of a session waits so long for one: an answer has to come over the wire. Milliseconds. */
const FIRST_WAIT_MS = 1_000;
const INTERNAL_ERROR = -32_603;

export interface ClientServers {
  /** A server of the client by its name there, as one that runs here. */
  server(name: string): McpSdkServerConfigWithInstance;
  /** The same servers, those of the client among them as such: it names them without the instance that it keeps. */
  withInstances(servers: Fields): Fields;
  /** What a server of the client says by itself. @throws Error if there is none of that name */
  receive(name: string, message: Fields): void;
}

/** The end of a connection that the session holds. */
interface Link {
  onmessage?: (message: Fields) => void;
  send(message: object): Promise<void>;
}

/** @param onProblem told why a server cannot be used, in words for people */
export function createClientServers(client: WireClient, onProblem: (why: string) => void): ClientServers {
  const links = new Map<string, Link>();
  const server = (name: string): McpSdkServerConfigWithInstance => ({
    type: 'sdk',
    name,
    instance: clientServer(client, name, { links, onProblem }),
  });
  return {
    server,
    withInstances: (servers) =>
      Object.fromEntries(
        Object.entries(servers).map(([name, config]) => [name, isOfClient(config) ? server(name) : config]),
      ),
    receive(name, message) {
      const link = links.get(name);
      if (link === undefined) throw new Error(`There is no MCP server ${JSON.stringify(name)} of the client here.`);
      void link.send(message).catch(() => undefined); // the session is over
    },
  };
}

/** True for a definition of a server that the client keeps. */
export function isOfClient(config: unknown): boolean {
  return isRecord(config) && config['type'] === 'sdk' && config['instance'] === undefined;
}

function clientServer(
  client: WireClient,
  server_name: string,
  { links, onProblem }: { readonly links: Map<string, Link>; onProblem(why: string): void },
): ConnectableMcpServer & { readonly transport: Link | undefined; readonly firstWaitMs: number } {
  /** Requests of ours that are under way there, by their ids. */
  const asked = new Map<unknown, AbortController>();
  const post = (message: Fields, signal?: AbortSignal) =>
    client.request('mcp_message', { server_name, message }, signal);
  const ask = async (link: Link, { id, method, ...rest }: Fields): Promise<void> => {
    const controller = new AbortController();
    asked.set(id, controller);
    let answer: unknown;
    try {
      answer = (await post({ ...rest, id, method }, controller.signal))['mcp_response'];
      if (!isRecord(answer)) throw new Error(`it gave no answer to ${String(method)}.`);
    } catch (error) {
      if (controller.signal.aborted) return;
      const why = errorText(error);
      if (method === 'initialize') onProblem(`the MCP server ${server_name} of the client cannot be used: ${why}`);
      answer = { jsonrpc: '2.0', error: { code: INTERNAL_ERROR, message: why } };
    } finally {
      asked.delete(id);
    }
    // One client answers with an id of its own.
    await link.send({ ...(answer as object), id }).catch(() => undefined); // the session is over
  };
  const forward = (link: Link, message: Fields): void => {
    const { id, method, params } = message;
    if (id !== undefined && typeof method === 'string') return void ask(link, message);
    // A client answers what needs no answer too, or does not: nobody waits for it.
    void post(message).catch(() => undefined);
    if (method !== 'notifications/cancelled' || !isRecord(params)) return;
    asked.get(params['requestId'])?.abort();
  };
  return {
    firstWaitMs: FIRST_WAIT_MS,
    get transport() {
      return links.get(server_name);
    },
    async connect(given: never) {
      const link = given as Link;
      link.onmessage = (message) => forward(link, message);
      links.set(server_name, link);
    },
    async close() {
      links.delete(server_name);
      for (const controller of asked.values()) controller.abort();
    },
  };
}
