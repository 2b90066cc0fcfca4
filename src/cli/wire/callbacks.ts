// The callbacks of a session that a client of the wire answers: permissions, hooks, questions, its own MCP servers and
// its model policy.

import type { OnElicitation } from '../../protocol/elicitation.js';
import { ConfigError } from '../../protocol/errors.js';
import type { HookCallbackMatcher, HookEvent, HookJSONOutput } from '../../protocol/hooks.js';
import type { ModelPolicyProvider, ModelPolicyResult } from '../../protocol/model.js';
import type { OnUserDialog } from '../../protocol/options.js';
import type { CanUseTool, PermissionResult } from '../../protocol/permissions.js';
import { type Fields, given } from '../../sdk/wire/index.js';
import { isRecord } from '../../util/json.js';
import type { WireClient } from './client.js';

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
