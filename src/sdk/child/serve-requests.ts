// What the program at the other end of the wire asks of this one: permissions, hooks, questions, the model of a request, and tools of
// MCP servers that run here. One rule: each request is answered, unless it is taken back.
import type { Host } from '../../host/host.js';
import { createLinkedTransport } from '../../mcp/in-process/index.js';
import type { McpTransport } from '../../mcp/transport.js';
import type { HookCallback, HookInput } from '../../protocol/hooks.js';
import type { ConnectableMcpServer, McpCallExtra, McpSdkServer } from '../../protocol/mcp.js';
import type { ModelInfo, ModelPolicyContext } from '../../protocol/model.js';
import type { FetchToken } from '../../protocol/model-options.js';
import type { CanUseToolOptions } from '../../protocol/permissions.js';
import { ABORTED, linkAbort, raceAbort } from '../../util/abort.js';
import { given, isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import type { Options } from '../options/index.js';
import { type Fields, record, text, textIfGiven } from '../wire/index.js';

/** What can be asked here. */
export interface Served {
  readonly canUseTool: Options['canUseTool'] | undefined;
  readonly onElicitation: Options['onElicitation'] | undefined;
  readonly onUserDialog: Options['onUserDialog'] | undefined;
  readonly resolveModel: Options['resolveModel'] | undefined;
  readonly fetchToken: FetchToken | undefined;
  readonly hooks: ReadonlyMap<string, HookCallback>;
  readonly servers: ReadonlyMap<string, OpenServerRpc>;
  readonly resolveModelTimeoutMs: number;
  readonly host: Host;
  /** `resolveModel` took longer than it may. */
  onLatePolicy(): void;
}

export interface RequestServer {
  /** A request that came. Contract: never throws. */
  serve(id: string, fields: Fields): void;
  /** It is taken back: its answer is not sent, and its work is told. */
  withdraw(id: string): void;
  /** MCP servers that came later; one of a name that is there takes its place. */
  addServers(servers: ReadonlyMap<string, OpenServerRpc>): void;
  /** Nobody waits for an answer any more. */
  end(): void;
}

/** What is asked here, with servers that have a program to tell. */
type Asked = Omit<Served, 'servers'> & { readonly servers: ReadonlyMap<string, AnswerRpc> };

/** @param tell says to the program what the MCP server of that name says by itself */
export function createRequestServer(
  served: Served,
  write: (frame: object) => void,
  tell: (server: string, message: Fields) => void,
): RequestServer {
  const servers = new Map<string, AnswerRpc>();
  const addServers = (added: ReadonlyMap<string, OpenServerRpc>): void => {
    for (const [name, open] of added)
      servers.set(
        name,
        open((message) => tell(name, message)),
      );
  };
  addServers(served.servers);
  const asked: Asked = { ...served, servers };
  const running = new Map<string, AbortController>();
  let isOver = false;
  const answer = async (id: string, fields: Fields): Promise<void> => {
    if (isOver || running.has(id)) return; // the same request twice is one
    const controller = new AbortController();
    running.set(id, controller);
    let response: Fields;
    try {
      const found = await answerOf(asked, id, fields, controller.signal);
      response = { subtype: 'success', request_id: id, ...(found === undefined ? {} : { response: found }) };
      // What cannot be written as JSON is an error of whoever gave it.
      JSON.stringify(response);
    } catch (error) {
      response = { subtype: 'error', request_id: id, error: errorText(error) };
    }
    running.delete(id);
    if (!controller.signal.aborted && !isOver) write({ type: 'control_response', response });
  };
  return {
    serve: (id, fields) => void answer(id, fields),
    addServers,
    withdraw: (id) => running.get(id)?.abort(),
    end() {
      isOver = true;
      for (const controller of running.values()) controller.abort();
    },
  };
}

async function answerOf(served: Asked, id: string, fields: Fields, signal: AbortSignal): Promise<object | undefined> {
  const subtype = String(fields['subtype'] ?? fields['type']);
  switch (subtype) {
    case 'can_use_tool':
      return permission(served, fields, signal);
    case 'hook_callback': {
      const hook = served.hooks.get(text(fields, 'callback_id'));
      if (hook === undefined) throw new Error(`There is no hook ${JSON.stringify(fields['callback_id'])}.`);
      const input = record(fields, 'input') as unknown as HookInput;
      return hook(input, textIfGiven(fields, 'tool_use_id'), { signal });
    }
    case 'mcp_message': {
      const name = text(fields, 'server_name');
      const server = served.servers.get(name);
      if (server === undefined) throw new Error(`There is no MCP server ${JSON.stringify(name)} here.`);
      return { mcp_response: await server(record(fields, 'message'), signal) };
    }
    case 'elicitation':
      return elicitation(served, id, fields, signal);
    case 'request_user_dialog': {
      if (served.onUserDialog === undefined) return { behavior: 'cancelled' };
      const request = given({
        dialogKind: text(fields, 'dialog_kind'),
        payload: record(fields, 'payload'),
        toolUseID: textIfGiven(fields, 'tool_use_id'),
      });
      const shown = await served.onUserDialog(request as never, { signal, requestId: id });
      return shown ?? { behavior: 'cancelled' };
    }
    case 'fetch_service_account_token':
    case 'fetch_job_token': {
      if (served.fetchToken === undefined) throw new Error('There is nobody here who fetches tokens.');
      const request = given({
        requestId: id,
        reason: text(fields, 'reason'),
        sessionId: textIfGiven(fields, 'session_id'),
      });
      const found = await served.fetchToken(request as Parameters<FetchToken>[0], { signal });
      return given({ token: found?.token, expires_at: found?.expiresAt });
    }
    case 'get_model_policy':
      return modelPolicy(served, fields);
    default:
      throw new Error(`Unsupported control request subtype: ${subtype}`);
  }
}

async function permission({ canUseTool }: Asked, fields: Fields, signal: AbortSignal): Promise<object | undefined> {
  if (canUseTool === undefined) throw new Error('canUseTool callback is not provided');
  const input = record(fields, 'input');
  const toolUseID = text(fields, 'tool_use_id');
  const options = given({
    signal,
    toolUseID,
    suggestions: fields['permission_suggestions'],
    blockedPath: fields['blocked_path'],
    decisionReason: fields['decision_reason'],
    decisionReasonType: fields['decision_reason_type'],
    classifierApprovable: fields['classifier_approvable'],
    title: fields['title'],
    displayName: fields['display_name'],
    description: fields['description'],
    agentID: fields['agent_id'],
    exitPlanMode: fields['exit_plan_mode'],
  }) as unknown as CanUseToolOptions;
  const result = await canUseTool(text(fields, 'tool_name'), input, options);
  // What is no answer is judged at the other end, as everywhere.
  if (!isRecord(result)) return result ?? undefined;
  // Published programs want the input of a call that may run, even if it is as it was.
  const allowed = result.behavior === 'allow' ? { updatedInput: result.updatedInput ?? input } : {};
  return { ...result, ...allowed, toolUseID: result.toolUseID ?? toolUseID };
}

async function elicitation({ onElicitation }: Asked, requestId: string, fields: Fields, signal: AbortSignal) {
  if (onElicitation === undefined) return { action: 'cancel' };
  const request = given({
    serverName: text(fields, 'mcp_server_name'),
    message: text(fields, 'message'),
    mode: fields['mode'],
    url: fields['url'],
    elicitationId: fields['elicitation_id'],
    requestedSchema: fields['requested_schema'],
    title: fields['title'],
    displayName: fields['display_name'],
    description: fields['description'],
  });
  return (await onElicitation(request as Parameters<typeof onElicitation>[0], { signal, requestId })) ?? undefined;
}

async function modelPolicy(served: Asked, fields: Fields): Promise<object> {
  const { resolveModel, resolveModelTimeoutMs, host, onLatePolicy } = served;
  if (resolveModel === undefined) throw new Error('resolveModel is not provided');
  const { subtype: _, type: __, models, ...rest } = fields;
  const context = { ...rest, availableModels: (Array.isArray(models) ? models : []) as ModelInfo[] };
  const cancel = host.clock.after(resolveModelTimeoutMs, onLatePolicy);
  try {
    const { model, parameters } = await resolveModel(context as unknown as ModelPolicyContext);
    const named = typeof model === 'object' ? { model: model.model, custom_model: model } : { model };
    return { type: 'get_model_policy', ...given({ ...named, parameters }) };
  } finally {
    cancel();
  }
}

const PROTOCOL_VERSION = '2025-06-18';
const NO_METHOD = -32_601;
const FAILED = -32_603;

/** Answers one message of the program. Contract: never rejects. */
type AnswerRpc = (message: Fields, signal: AbortSignal) => Promise<object>;

/** Says to the program what a server says by itself: a notification, or a request of its own. */
type TellProgram = (message: Fields) => void;

/** A server of this process, once there is a program to tell. */
export type OpenServerRpc = (tell: TellProgram) => AnswerRpc;

/** A notification has no answer, but the request that carried it has. */
const HEARD = { jsonrpc: '2.0', result: {}, id: 0 };

/** A server that `createSdkMcpServer()` made. */
export function ownServerRpc(server: McpSdkServer): OpenServerRpc {
  return (tell) => {
    /** What calls asked of the session. */
    const asked = new Map<unknown, (answer: Fields) => void>();
    /** Calls that are under way. */
    const calls = new Map<unknown, AbortController>();
    let lastId = 0;
    const extraOf = (id: unknown, params: Fields, signal: AbortSignal): McpCallExtra => ({
      signal,
      requestId: id as string | number,
      ...(isRecord(params['_meta']) ? { _meta: params['_meta'] } : {}),
      async sendNotification({ method, params: fields }) {
        if (!signal.aborted) tell({ jsonrpc: '2.0', method, ...(fields === undefined ? {} : { params: fields }) });
      },
      async sendRequest({ method, params: fields = {} }) {
        lastId += 1;
        const own = `own-${lastId}`;
        const answered = new Promise<Fields>((resolve) => asked.set(own, resolve));
        tell({ jsonrpc: '2.0', id: own, method, params: fields });
        const answer = await raceAbort(answered, signal);
        asked.delete(own);
        if (answer === ABORTED) throw new Error('The call was taken back.');
        const { error, result } = answer;
        if (isRecord(error)) throw new Error(String(error['message'] ?? `${method} was refused.`));
        return result;
      },
    });
    return async (message, signal) => {
      const { id, method } = message;
      const params = isRecord(message['params']) ? message['params'] : {};
      if (method === 'notifications/cancelled') calls.get(params['requestId'])?.abort();
      if (method === undefined) asked.get(id)?.(message);
      if (id === undefined || id === null || method === undefined) return HEARD;
      const { controller, release } = linkAbort(signal);
      calls.set(id, controller);
      try {
        return await answerRpc(server, message, params, extraOf(id, params, controller.signal));
      } finally {
        calls.delete(id);
        release();
      }
    };
  };
}

/** A server of the published libraries: it hears the messages themselves, and each handshake begins anew. */
export function linkedServerRpc(server: ConnectableMcpServer): OpenServerRpc {
  return (tell) => {
    const waiting = new Map<unknown, (answer: object) => void>();
    let link: McpTransport | null = null;
    const connect = async (signal: AbortSignal): Promise<McpTransport> => {
      await link?.close();
      const made = createLinkedTransport(server);
      const listeners = {
        onMessage(message: unknown) {
          const { id, method } = isRecord(message) ? message : {};
          if (typeof method === 'string') tell(message as Fields);
          else waiting.get(id)?.(message as object);
        },
        onGarbage: () => undefined,
        onLost(head: string, error: Error) {
          const { id } = JSON.parse(head) as { id?: unknown };
          waiting.get(id)?.(failure(id, FAILED, error.message));
        },
      };
      await made.start(listeners, signal);
      link = made;
      return made;
    };
    return async (message, signal) => {
      const { id, method } = message;
      try {
        const to = link === null || method === 'initialize' ? await connect(signal) : link;
        // What has no answer: a notification, or the answer to a request of the server's.
        if (id === undefined || id === null || method === undefined) {
          to.send(message);
          return HEARD;
        }
        const answered = new Promise<object>((resolve) => waiting.set(id, resolve));
        to.send(message);
        const answer = await raceAbort(answered, signal);
        return answer === ABORTED ? failure(id, FAILED, 'The request was taken back.') : answer;
      } catch (error) {
        return failure(id, FAILED, errorText(error));
      } finally {
        waiting.delete(id);
      }
    };
  };
}

async function answerRpc(
  server: McpSdkServer,
  { id, method }: Fields,
  params: Fields,
  extra: McpCallExtra,
): Promise<object> {
  try {
    const result = await resultOf(server, String(method), params, extra);
    if (result === null) return failure(id, NO_METHOD, `Method not found: ${String(method)}`);
    return { jsonrpc: '2.0', id, result };
  } catch (error) {
    return failure(id, FAILED, errorText(error));
  }
}

async function resultOf(server: McpSdkServer, method: string, params: Fields, extra: McpCallExtra) {
  switch (method) {
    case 'initialize': {
      const asked = params['protocolVersion'];
      return {
        protocolVersion: typeof asked === 'string' ? asked : PROTOCOL_VERSION,
        capabilities: { tools: {} },
        serverInfo: { name: server.name, version: server.version },
      };
    }
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: server.listTools() };
    case 'tools/call':
      return server.callTool(String(params['name']), params['arguments'] ?? {}, extra);
    default:
      return null;
  }
}

function failure(id: unknown, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
