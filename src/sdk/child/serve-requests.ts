// What the program at the other end of the wire asks of this one: permissions, hooks, tools of MCP servers that run here,
// questions, the model of a request. One rule: each request is answered, unless it is taken back.
import type { Host } from '../../host/host.js';
import type { HookCallback, HookInput } from '../../protocol/hooks.js';
import type { ModelInfo, ModelPolicyContext } from '../../protocol/model.js';
import type { FetchToken } from '../../protocol/model-options.js';
import type { CanUseToolOptions } from '../../protocol/permissions.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import type { Options } from '../options/index.js';
import { type Fields, given, record, text, textIfGiven } from '../wire/index.js';
import type { AnswerRpc, OpenServerRpc } from './sdk-servers.js';

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
