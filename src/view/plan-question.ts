// The answers to a plan. One rule: what is approved is what was shown last, and anything but a clear yes means that the
// model plans on.
import type { PermissionResult } from '../protocol/permissions.js';
import { shorten } from '../util/text.js';
import { deny, MAX_NOTE } from './permission-question.js';

export interface PlanShown {
  /** Of the call. */
  readonly input: Record<string, unknown>;
  /** The plan that the model gave. */
  readonly first: string;
  /** The plan that was shown last: a person may have changed it meanwhile. */
  readonly plan: string;
}

/** @param acceptsEdits true: edits are not asked about from here on */
export function approvePlan({ input, first, plan }: PlanShown, acceptsEdits: boolean): PermissionResult {
  return {
    behavior: 'allow',
    ...(plan === first ? {} : { updatedInput: { ...input, plan } }),
    decisionClassification: 'user_temporary',
    ...(acceptsEdits
      ? { updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] as const }
      : {}),
  } as PermissionResult;
}

/** @param note what should be otherwise; empty for nothing said */
export function refusePlan(note: string): PermissionResult {
  const said = shorten(note.trim(), MAX_NOTE);
  return deny(
    said === ''
      ? 'The user wants you to plan on. Ask what to change.'
      : `The user wants you to plan on, and says: ${said}`,
  );
}

export const PLAN_INTERRUPTED = 'The call was interrupted before the plan was approved.';
