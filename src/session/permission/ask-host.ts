// Asks the host about one call, and makes a usable answer of whatever comes back.
import type { GateCall } from '../../engine/state/index.js';
import type { PermissionDecision } from '../../permissions/permission-call.js';
import type { CanUseTool, ExitPlanModeApprovalDetails, PermissionResult } from '../../protocol/permissions.js';
import { copyJson } from '../../util/copy-json.js';
import { isSameJson } from '../../util/same-json.js';
import { errorText } from '../../util/text.js';
import { describeCall } from './describe-call.js';

/** `agentId`: the subagent that made the call. Contract: never throws; a callback that fails or answers nonsense is a denial that says so. */
export async function askHost(
  call: GateCall,
  decision: PermissionDecision,
  canUseTool: CanUseTool,
  agentId?: string,
): Promise<PermissionResult> {
  const description = describeCall(call);
  try {
    // A copy: what the callback does to it is no answer.
    const answer: unknown = await canUseTool(call.toolName, copyJson(call.input), {
      signal: call.signal,
      toolUseID: call.toolUseId,
      title: call.title,
      displayName: call.toolName,
      ...(description === '' ? {} : { description }),
      classifierApprovable: decision.isAutoApprovable ?? false,
      ...(agentId === undefined ? {} : { agentID: agentId }),
      decisionReason: decision.reason,
      decisionReasonType: decision.reasonType,
      ...(decision.suggestions === undefined ? {} : { suggestions: [...decision.suggestions] }),
      ...(call.exitsPlan === true ? { exitPlanMode: planOf(call.input) } : {}),
      ...(decision.blockedPath === undefined ? {} : { blockedPath: decision.blockedPath }),
    });
    return withoutSameInput(forCall(checkAnswer(answer), call), call);
  } catch (error) {
    return {
      behavior: 'deny',
      message: `The permission callback failed, so ${call.toolName} did not run: ${errorText(error)}`,
    };
  }
}

/** The plan that is to be approved, and its file where the call names one. */
function planOf({ plan, planFilePath }: GateCall['input']): ExitPlanModeApprovalDetails {
  return {
    ...(typeof plan === 'string' ? { plan } : {}),
    ...(typeof planFilePath === 'string' ? { planFilePath } : {}),
  };
}

/** An answer that names a call is for that call only: one that got mixed up approves nothing. */
function forCall(answer: PermissionResult, { toolUseId, toolName }: GateCall): PermissionResult {
  const { toolUseID: named } = answer;
  if (named === undefined || named === toolUseId) return answer;
  return {
    behavior: 'deny',
    message: `The permission callback answered about the call ${String(named).slice(0, 100)}, not ${toolUseId}, so ${toolName} did not run.`,
  };
}

/** Many callbacks give back the input they got, which is no other input. */
function withoutSameInput(answer: PermissionResult, { input }: GateCall): PermissionResult {
  if (answer.behavior !== 'allow' || answer.updatedInput === undefined) return answer;
  if (!isSameJson(answer.updatedInput, input)) return answer;
  const { updatedInput: _same, ...rest } = answer;
  return rest;
}

/** The callback is the caller's code, maybe untyped: an answer that is not one is a denial that says so. */
export function checkAnswer(answer: unknown): PermissionResult {
  const behavior = (answer as { behavior?: unknown } | null | undefined)?.behavior;
  if (behavior === 'deny') {
    const { message, interrupt } = answer as { readonly message?: unknown; readonly interrupt?: unknown };
    return {
      ...(answer as object),
      behavior,
      message: typeof message === 'string' ? message : '',
      interrupt: interrupt === true,
    };
  }
  if (behavior !== 'allow') {
    return {
      behavior: 'deny',
      message: `The permission callback gave no usable answer (behavior: ${String(behavior)}), so nothing ran.`,
    };
  }
  const input = (answer as { updatedInput?: unknown }).updatedInput;
  if (input !== undefined && (typeof input !== 'object' || input === null || Array.isArray(input))) {
    return {
      behavior: 'deny',
      message: 'The permission callback gave an updatedInput that is not an object, so nothing ran.',
    };
  }
  return answer as PermissionResult;
}
