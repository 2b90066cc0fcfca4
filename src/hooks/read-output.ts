// What one hook's answer says. The answer is foreign data: each field is checked, and an answer that is wrong in any
// part may still restrict, but never loosens or changes anything.

import type { HookEvent } from '../protocol/hooks.js';
import type { ElicitationResult, PermissionResult, PermissionUpdate } from '../protocol/permissions.js';
import { isRecord, isTextList } from '../util/json.js';
import { errorText } from '../util/text.js';

export type HookPermissionBehavior = 'allow' | 'deny' | 'ask' | 'defer';

/** The effect of one hook. Reasons are '' if the hook gave none. */
export interface HookEffect {
  /** `continue: false` of an event that honours it. */
  readonly stop: { readonly reason: string } | null;
  readonly block: { readonly reason: string } | null;
  readonly permission: { readonly behavior: HookPermissionBehavior; readonly reason: string } | null;
  readonly request: PermissionResult | null;
  readonly updatedInput: Record<string, unknown> | null;
  readonly additionalContext: string | null;
  readonly watchPaths: readonly string[] | null;
  readonly worktreePath: string | null;
  /** PostToolUse: what the model reads in place of the result, a text or the tool's own output. */
  readonly updatedToolOutput: unknown;
  /** MessageDisplay: what is shown in place of the text. */
  readonly displayContent: string | null;
  /** SessionStart and UserPromptSubmit: the title that the session gets. */
  readonly sessionTitle: string | null;
  /** SessionStart: what the user is taken to say first. */
  readonly initialUserMessage: string | null;
  /** UserPromptSubmit and UserPromptExpansion: a refusal does not repeat the prompt. */
  readonly hidesPrompt: boolean;
  readonly elicitation: ElicitationResult | null;
  readonly systemMessage: string | null;
}

export interface ReadOutput {
  readonly effect: HookEffect;
  /** What is wrong with the answer; empty for a good one. */
  readonly problems: readonly string[];
}

const NO_EFFECT: HookEffect = Object.freeze({
  stop: null,
  block: null,
  permission: null,
  request: null,
  updatedInput: null,
  additionalContext: null,
  updatedToolOutput: null,
  displayContent: null,
  sessionTitle: null,
  initialUserMessage: null,
  hidesPrompt: false,
  elicitation: null,
  watchPaths: null,
  worktreePath: null,
  systemMessage: null,
});

/** Events whose `continue: false` ends the prompt. */
const STOPPABLE: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
  'PostToolBatch',
  'UserPromptExpansion',
]);

/**
 * Reads the answer of a hook of `event`.
 * Contract: never throws, whatever `output` is. No answer (null, undefined) and `async: true` have no effect.
 */
export function readHookOutput(event: HookEvent, output: unknown): ReadOutput {
  try {
    return readChecked(event, output);
  } catch (error) {
    // A getter or proxy of the answer threw; nothing of it can be relied on.
    return { effect: NO_EFFECT, problems: [`its answer cannot be read: ${textOfThrown(error)}`] };
  }
}

/** The effect of a refusal with this reason: what `decision: 'block'` means to the event. */
export function refusal(event: HookEvent, reason: string): HookEffect {
  return { ...NO_EFFECT, ...decisionEffect(event, 'block', reason) };
}

/** The text of anything thrown; thrown things may throw again when they are looked at. */
export function textOfThrown(error: unknown): string {
  try {
    return String(errorText(error)) || 'an error without a message';
  } catch {
    // Neither its message nor its text can be had, and there is nothing else to tell.
    return 'an error that cannot be shown';
  }
}

function readChecked(event: HookEvent, output: unknown): ReadOutput {
  if (output === undefined || output === null) return { effect: NO_EFFECT, problems: [] };
  if (!isRecord(output)) return { effect: NO_EFFECT, problems: ['its answer is not an object'] };
  const problems: string[] = [];
  const top = createFieldReader(output, '', problems);
  if (top.flag('async') === true) return { effect: NO_EFFECT, problems };
  const reason = top.text('reason') ?? '';
  const decision = top.oneOf('decision', ['approve', 'block', 'deny']);
  const stopReason = top.text('stopReason') ?? '';
  const stops = top.flag('continue') === false && STOPPABLE.has(event);
  const systemMessage = top.text('systemMessage');
  const specific = top.record('hookSpecificOutput');
  const effect = {
    ...NO_EFFECT,
    ...decisionEffect(event, decision, reason),
    stop: stops ? { reason: stopReason } : null,
    systemMessage,
  };
  const whole = specific === null ? effect : withSpecific(event, effect, specific, reason, problems);
  return { effect: problems.length === 0 ? whole : restrictionsOf(whole), problems };
}

/** What the top-level `decision` means: on the two permission events it is a permission as well. */
function decisionEffect(
  event: HookEvent,
  decision: 'approve' | 'block' | 'deny' | null,
  reason: string,
): Pick<HookEffect, 'block' | 'permission' | 'request' | 'elicitation'> {
  if (decision === null) return { block: null, permission: null, request: null, elicitation: null };
  const blocks = decision !== 'approve';
  const permission = { behavior: blocks ? ('deny' as const) : ('allow' as const), reason };
  const request = blocks ? { behavior: 'deny' as const, message: reason } : { behavior: 'allow' as const };
  return {
    block: blocks ? { reason } : null,
    permission: event === 'PreToolUse' || event === 'PreModelSwitch' ? permission : null,
    request: event === 'PermissionRequest' ? request : null,
    elicitation: blocks && isElicitation(event) ? { action: 'decline' } : null,
  };
}

function withSpecific(
  event: HookEvent,
  effect: HookEffect,
  specific: Record<string, unknown>,
  reason: string,
  problems: string[],
): HookEffect {
  const fields = createFieldReader(specific, 'hookSpecificOutput.', problems);
  const name = fields.text('hookEventName');
  if (name !== event) {
    problems.push(
      `hookSpecificOutput.hookEventName is ${name === null ? 'missing' : JSON.stringify(name.slice(0, 80))}, ` +
        `but the event is "${event}"`,
    );
  }
  const withContext = { ...effect, additionalContext: fields.text('additionalContext') };
  switch (event) {
    case 'PreToolUse': {
      const behavior = fields.oneOf('permissionDecision', ['allow', 'deny', 'ask', 'defer']);
      const why = fields.text('permissionDecisionReason') ?? reason;
      const permission = behavior === null ? null : { behavior, reason: why };
      return {
        ...withContext,
        permission: stricterPermission(effect.permission, permission),
        updatedInput: fields.data('updatedInput'),
      };
    }
    case 'PostToolUse': {
      // An older name for tools of servers.
      const ofServer = fields.any('updatedMCPToolOutput');
      return { ...withContext, updatedToolOutput: fields.any('updatedToolOutput') ?? ofServer };
    }
    case 'PreModelSwitch': {
      const behavior = fields.oneOf('permissionDecision', ['allow', 'deny', 'ask']);
      const permission =
        behavior === null ? null : { behavior, reason: fields.text('permissionDecisionReason') ?? reason };
      return { ...withContext, permission: stricterPermission(effect.permission, permission) };
    }
    case 'MessageDisplay':
      return { ...withContext, displayContent: fields.text('displayContent') };
    case 'SessionStart':
      return {
        ...withContext,
        sessionTitle: fields.text('sessionTitle'),
        initialUserMessage: fields.text('initialUserMessage'),
        watchPaths: fields.texts('watchPaths'),
      };
    case 'UserPromptSubmit':
    case 'UserPromptExpansion':
      return {
        ...withContext,
        sessionTitle: event === 'UserPromptSubmit' ? fields.text('sessionTitle') : null,
        hidesPrompt: fields.flag('suppressOriginalPrompt') === true,
      };
    case 'PermissionRequest': {
      const decision = fields.record('decision');
      const request = decision === null ? null : readRequestDecision(decision, problems);
      return {
        ...withContext,
        request: effect.request?.behavior === 'deny' ? effect.request : (request ?? effect.request),
      };
    }
    case 'Elicitation':
    case 'ElicitationResult': {
      const elicitation = readElicitation(fields);
      return { ...withContext, elicitation: effect.elicitation ?? elicitation };
    }
    case 'CwdChanged':
    case 'FileChanged':
      return { ...withContext, watchPaths: fields.texts('watchPaths') };
    case 'WorktreeCreate':
      return { ...withContext, worktreePath: fields.text('worktreePath') };
    default:
      return withContext;
  }
}

function isElicitation(event: HookEvent): boolean {
  return event === 'Elicitation' || event === 'ElicitationResult';
}

function readElicitation(fields: FieldReader): ElicitationResult | null {
  const action = fields.oneOf('action', ['accept', 'decline', 'cancel']);
  const content = fields.data('content');
  if (action === null) return null;
  return { action, ...(content === null ? {} : { content }) };
}

function readRequestDecision(decision: Record<string, unknown>, problems: string[]): PermissionResult | null {
  const fields = createFieldReader(decision, 'hookSpecificOutput.decision.', problems);
  const behavior = fields.oneOf('behavior', ['allow', 'deny']);
  if (behavior === null) {
    problems.push('hookSpecificOutput.decision.behavior must be "allow" or "deny"');
    return null;
  }
  if (behavior === 'deny') {
    const message = fields.text('message') ?? '';
    return fields.flag('interrupt') === true ? { behavior, message, interrupt: true } : { behavior, message };
  }
  const updatedInput = fields.data('updatedInput');
  const updatedPermissions = fields.permissionUpdates('updatedPermissions');
  return {
    behavior,
    ...(updatedInput === null ? {} : { updatedInput }),
    ...(updatedPermissions === null ? {} : { updatedPermissions }),
  };
}

const STRICTNESS: Readonly<Record<HookPermissionBehavior, number>> = { allow: 0, ask: 1, defer: 2, deny: 3 };

/** Deny beats defer beats ask beats allow; of two alike the first. */
export function stricterPermission(
  first: HookEffect['permission'],
  second: HookEffect['permission'],
): HookEffect['permission'] {
  if (first === null || second === null) return first ?? second;
  return STRICTNESS[second.behavior] > STRICTNESS[first.behavior] ? second : first;
}

function restrictionsOf(effect: HookEffect): HookEffect {
  return {
    ...NO_EFFECT,
    stop: effect.stop,
    block: effect.block,
    hidesPrompt: effect.hidesPrompt,
    permission: effect.permission?.behavior === 'allow' ? null : effect.permission,
    request: effect.request?.behavior === 'deny' ? effect.request : null,
    elicitation: effect.elicitation?.action === 'accept' ? null : effect.elicitation,
  };
}

/** Reads fields of one object and notes those of a wrong type. Null: absent, null, or wrong. */
interface FieldReader {
  text(name: string): string | null;
  texts(name: string): readonly string[] | null;
  flag(name: string): boolean | null;
  oneOf<T extends string>(name: string, values: readonly T[]): T | null;
  record(name: string): Record<string, unknown> | null;
  /** A copy, so that the hook cannot change it afterwards; as is `permissionUpdates`. */
  data(name: string): Record<string, unknown> | null;
  /** As `data`, of any kind. */
  any(name: string): unknown;
  permissionUpdates(name: string): PermissionUpdate[] | null;
}

function createFieldReader(source: Record<string, unknown>, path: string, problems: string[]): FieldReader {
  const read = <T>(name: string, what: string, accept: (value: unknown) => value is T): T | null => {
    const value = source[name];
    if (value === undefined || value === null) return null;
    if (accept(value)) return value;
    problems.push(`${path}${name} must be ${what}`);
    return null;
  };
  const copy = <T>(name: string, what: string, accept: (value: unknown) => value is T): T | null => {
    const value = source[name];
    if (value === undefined || value === null) return null;
    try {
      const copied: unknown = structuredClone(value);
      if (accept(copied)) return copied;
      problems.push(`${path}${name} must be ${what}`);
    } catch (error) {
      problems.push(`${path}${name} must hold only data: ${textOfThrown(error)}`);
    }
    return null;
  };
  return {
    text: (name) => read(name, 'a string', (value) => typeof value === 'string'),
    texts: (name) => copy(name, 'a list of strings', isTextList),
    flag: (name) => read(name, 'true or false', (value) => typeof value === 'boolean'),
    oneOf: <T extends string>(name: string, values: readonly T[]) =>
      read(name, values.map((value) => `"${value}"`).join(' or '), (value): value is T => values.includes(value as T)),
    record: (name) => read(name, 'an object', isRecord),
    data: (name) => copy(name, 'an object', isRecord),
    any: (name) => copy(name, 'data', (value): value is unknown => true),
    permissionUpdates: (name) => copy(name, 'a list of permission updates', isPermissionUpdates),
  };
}

function isPermissionUpdates(value: unknown): value is PermissionUpdate[] {
  return Array.isArray(value) && value.every(isPermissionUpdate);
}

function isPermissionUpdate(value: unknown): value is PermissionUpdate {
  if (!isRecord(value) || typeof value['destination'] !== 'string') return false;
  switch (value['type']) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return (
        ['allow', 'deny', 'ask'].includes(value['behavior'] as string) &&
        Array.isArray(value['rules']) &&
        value['rules'].every((rule) => isRecord(rule) && typeof rule['toolName'] === 'string')
      );
    case 'setMode':
      return typeof value['mode'] === 'string';
    case 'addDirectories':
    case 'removeDirectories':
      return Array.isArray(value['directories']) && value['directories'].every((path) => typeof path === 'string');
    default:
      return false;
  }
}
