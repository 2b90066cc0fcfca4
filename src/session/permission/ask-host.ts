// Asks the host about one call, and makes a usable answer of whatever comes back.
import type { GateCall } from '../../engine/state/index.js';
import type { PermissionCall, PermissionDecision, TouchedFile } from '../../permissions/permission-call.js';
import type { CanUseTool, ExitPlanModeApprovalDetails, PermissionResult } from '../../protocol/permissions.js';
import { copyJson } from '../../util/copy-json.js';
import { isSameJson } from '../../util/same-json.js';
import { count, errorText, shorten } from '../../util/text.js';
import { readAddress } from '../../util/web-address.js';

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

// What a call would do, in one sentence for whoever is asked about it: what it starts and which files it touches, with
// nothing left out that its input hides.

const MAX_NAMES = 12;
const MAX_LENGTH = 600;

/** @returns '' if its title says all there is */
export function describeCall({ subject, toolName }: Pick<PermissionCall, 'subject' | 'toolName'>): string {
  switch (subject.kind) {
    case 'command': {
      const { reading, files = [] } = subject;
      if (reading === undefined) return '';
      const names = reading.programs.map((run) => run.name ?? 'a program that cannot be told');
      const parts = [
        names.length === 0 ? '' : `Starts ${list(names)}.`,
        ...(['write', 'remove', 'read'] as const).map((access) => filesOf(files, access)),
        reading.unknown === null ? '' : `Not all of it can be told: ${reading.unknown}.`,
      ];
      return shorten(parts.filter((part) => part !== '').join(' '), MAX_LENGTH);
    }
    case 'path': {
      const verb = subject.access === 'read' ? 'Reads' : 'Changes';
      const led = subject.realPath === subject.path ? '' : `, which leads to ${subject.realPath}`;
      return shorten(`${verb} ${subject.path}${led}.`, MAX_LENGTH);
    }
    case 'url': {
      const address = readAddress(subject.url);
      const rule =
        address.kind === 'address' ? ` The rule that allows its host: ${toolName}(domain:${address.host}).` : '';
      return `${shorten(`Connects to ${subject.url}`, MAX_LENGTH)}.${rule}`;
    }
    case 'none':
    case 'external':
    case 'name':
      return '';
    default:
      return subject satisfies never;
  }
}

const VERBS = { read: 'Reads', write: 'Writes', remove: 'Removes' } as const;

function filesOf(files: readonly TouchedFile[], access: TouchedFile['access']): string {
  const paths = files.filter((file) => file.access === access).map((file) => file.path ?? 'a file that cannot be told');
  return paths.length === 0 ? '' : `${VERBS[access]} ${list(paths)}.`;
}

function list(names: readonly string[]): string {
  const all = [...new Set(names)];
  const rest = all.length - MAX_NAMES;
  return rest > 0 ? `${all.slice(0, MAX_NAMES).join(', ')} and ${count(rest, 'other', 'others')}` : all.join(', ');
}
