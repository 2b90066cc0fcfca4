// The permission decision: one pure function. What asks, who answers and what happens then is elsewhere.
import type { PermissionDecisionReasonType, PermissionMode, PermissionUpdate } from '../protocol/permissions.js';
import { isInside, protectedPart } from './paths.js';
import { type PermissionRule, ruleMatchesTool } from './rule.js';

/** Everything a decision depends on. */
export interface PermissionContext {
  readonly mode: PermissionMode;
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly allow: readonly PermissionRule[];
  /** Workspace folders, absolute, as given and with symbolic links resolved. */
  readonly roots: readonly string[];
}

/** What a call would touch. `realPath` has every symbolic link resolved, as far as the path exists. */
export type CallSubject =
  | { readonly kind: 'none' }
  | { readonly kind: 'external' }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'path'; readonly path: string; readonly realPath: string; readonly access: 'read' | 'write' };

export interface PermissionCall {
  readonly toolName: string;
  readonly readOnly: boolean;
  readonly subject: CallSubject;
}

export interface PermissionDecision {
  /** True for an ask that nobody but a person may answer: a protected path, or a rule that says ask. */
  readonly isFirm?: boolean;
  readonly behavior: 'allow' | 'deny' | 'ask';
  readonly reasonType: PermissionDecisionReasonType;
  readonly reason: string;
  readonly rule?: string;
  readonly blockedPath?: string;
  readonly suggestions?: readonly PermissionUpdate[];
}

/**
 * Decides one tool call. Pure: reads nothing but its arguments. The first that applies wins: deny rules, protected
 * paths, ask rules, plan mode, bypass, accepted edits, allow rules, harmless calls; what is left asks.
 * Contract: deny beats ask beats allow; an allow for a path needs the path as written and its real path inside the
 * workspace; no mode approves a write to a protected path; never throws.
 */
export function decidePermission(context: PermissionContext, call: PermissionCall): PermissionDecision {
  const denied = context.deny.find((rule) => ruleMatchesTool(rule, call.toolName));
  if (denied)
    return {
      behavior: 'deny',
      reasonType: 'rule',
      reason: `${denied.source} is denied by a rule`,
      rule: denied.source,
    };

  const guarded = guardedWrite(context.roots, call.subject);
  if (guarded !== null) {
    const reason = `${guarded} configures what runs later, so a change to it is always asked for`;
    return { ...ask(call, 'safetyCheck', reason), isFirm: true };
  }

  const asked = context.ask.find((rule) => ruleMatchesTool(rule, call.toolName));
  if (asked)
    return { ...ask(call, 'rule', `${asked.source} must be asked for, by a rule`), rule: asked.source, isFirm: true };

  if (context.mode === 'plan' && !call.readOnly) {
    return { behavior: 'deny', reasonType: 'mode', reason: 'plan mode changes nothing; present the plan instead' };
  }
  if (context.mode === 'bypassPermissions' || context.mode === 'yolo') return allow('mode', `mode ${context.mode}`);

  const inside = insideWorkspace(context.roots, call.subject);
  if (context.mode === 'acceptEdits' && isWrite(call.subject) && inside)
    return allow('mode', 'edits in the workspace are accepted');

  const allowed = context.allow.find((rule) => ruleMatchesTool(rule, call.toolName));
  if (allowed) return { ...allow('rule', `${allowed.source} is allowed by a rule`), rule: allowed.source };

  if (call.readOnly && inside) return allow('other', 'reads only, inside the workspace');
  if (call.subject.kind === 'path' && !inside)
    return ask(call, 'workingDir', `${call.subject.path} is outside the workspace`);
  return ask(call, 'other', `${call.toolName} needs approval`);
}

function allow(reasonType: PermissionDecisionReasonType, reason: string): PermissionDecision {
  return { behavior: 'allow', reasonType, reason };
}

function ask(call: PermissionCall, reasonType: PermissionDecisionReasonType, reason: string): PermissionDecision {
  return {
    behavior: 'ask',
    reasonType,
    reason,
    ...(call.subject.kind === 'path' ? { blockedPath: call.subject.path } : {}),
    suggestions: [
      { type: 'addRules', rules: [{ toolName: call.toolName }], behavior: 'allow', destination: 'session' },
    ],
  };
}

function isWrite(subject: CallSubject): boolean {
  return subject.kind === 'path' && subject.access === 'write';
}

function guardedWrite(roots: readonly string[], subject: CallSubject): string | null {
  if (subject.kind !== 'path' || subject.access !== 'write') return null;
  return protectedPart(roots, subject.path) ?? protectedPart(roots, subject.realPath);
}

/** A call without a path is inside: it touches no file. A command or a server may touch any, so it never is. */
function insideWorkspace(roots: readonly string[], subject: CallSubject): boolean {
  if (subject.kind === 'none') return true;
  if (subject.kind === 'command' || subject.kind === 'external') return false;
  return [subject.path, subject.realPath].every((target) => roots.some((root) => isInside(root, target)));
}
