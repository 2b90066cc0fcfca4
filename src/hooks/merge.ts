// One result from the answers of all hooks of a firing, in declared order. The strictest decision wins; of values that
// replace something, the last.

import type { ElicitationResult } from '../protocol/elicitation.js';
import type { HookEvent } from '../protocol/hooks.js';
import type { PermissionResult } from '../protocol/permissions.js';
import type { HookFailure, HookResult } from './hook-result.js';
import { type HookEffect, stricterPermission } from './read-output.js';

/**
 * Merges the effects of a firing's hooks.
 * @param effects   in declared order
 * @param failures  in declared order; they are passed on as they are
 */
export function mergeEffects(
  event: HookEvent,
  effects: readonly HookEffect[],
  failures: readonly HookFailure[],
): HookResult {
  const stops = present(effects.map((effect) => effect.stop));
  const blocks = present(effects.map((effect) => effect.block));
  return {
    continue: stops.length === 0,
    stopReason: joinReasons(stops) || null,
    block:
      blocks.length === 0
        ? null
        : { reason: joinReasons(blocks) || `A ${event} hook blocked this and gave no reason.` },
    permission: mergePermissions(event, present(effects.map((effect) => effect.permission))),
    request: mergeRequests(present(effects.map((effect) => effect.request))),
    updatedInput: present(effects.map((effect) => effect.updatedInput)).at(-1) ?? null,
    additionalContext: texts(effects.map((effect) => effect.additionalContext)),
    updatedToolOutput: effects.findLast((effect) => !isEmpty(effect.updatedToolOutput))?.updatedToolOutput ?? null,
    displayContent: present(effects.map((effect) => effect.displayContent)).at(-1) ?? null,
    sessionTitle: texts(effects.map((effect) => effect.sessionTitle)).at(-1) ?? null,
    initialUserMessage: texts(effects.map((effect) => effect.initialUserMessage)).at(-1) ?? null,
    hidesPrompt: effects.some((effect) => effect.hidesPrompt),
    elicitation: mergeElicitations(present(effects.map((effect) => effect.elicitation))),
    watchPaths: effects.flatMap((effect) => effect.watchPaths ?? []),
    worktreePath: present(effects.map((effect) => effect.worktreePath || null)).at(-1) ?? null,
    systemMessages: texts(effects.map((effect) => effect.systemMessage)),
    failures,
  };
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === '';

function mergePermissions(
  event: HookEvent,
  permissions: readonly NonNullable<HookEffect['permission']>[],
): HookResult['permission'] {
  const strictest = permissions.reduce<HookEffect['permission']>(stricterPermission, null);
  if (strictest === null) return null;
  const { behavior } = strictest;
  const reason = joinReasons(permissions.filter((permission) => permission.behavior === behavior));
  return { behavior, reason: reason || `A ${event} hook said "${behavior}" and gave no reason.` };
}

function mergeRequests(requests: readonly PermissionResult[]): PermissionResult | null {
  const denials = requests.filter((request) => request.behavior === 'deny');
  if (denials.length > 0) {
    const message = joinReasons(denials.map((denial) => ({ reason: denial.message })));
    return {
      behavior: 'deny',
      message: message || 'A PermissionRequest hook denied this and gave no reason.',
      ...(denials.some((denial) => denial.interrupt === true) ? { interrupt: true } : {}),
    };
  }
  const approvals = requests.filter((request) => request.behavior === 'allow');
  if (approvals.length === 0) return null;
  const updatedInput = approvals.findLast((approval) => approval.updatedInput !== undefined)?.updatedInput;
  const updatedPermissions = approvals.flatMap((approval) => approval.updatedPermissions ?? []);
  return {
    behavior: 'allow',
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(updatedPermissions.length === 0 ? {} : { updatedPermissions }),
  };
}

/** A refusal beats an answer; of two alike the last. */
function mergeElicitations(answers: readonly ElicitationResult[]): ElicitationResult | null {
  const last = (action: ElicitationResult['action']) => answers.findLast((answer) => answer.action === action);
  return last('cancel') ?? last('decline') ?? last('accept') ?? null;
}

/** The different reasons, one a line; '' if none is given. */
function joinReasons(items: readonly { readonly reason: string }[]): string {
  return [...new Set(texts(items.map((item) => item.reason)))].join('\n');
}

function texts(values: readonly (string | null)[]): string[] {
  return present(values).filter((value) => value.trim() !== '');
}

function present<T>(values: readonly (T | null)[]): T[] {
  return values.filter((value) => value !== null);
}
