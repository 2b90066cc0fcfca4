// The gate every tool call goes through: the rules decide, the host is asked where they do not, and every refusal is
// kept. One gate a session; its mode and rules may change between calls.
import type { GateAnswer, GateCall } from '../engine/loop-state.js';
import { decidePermission, type PermissionContext, type PermissionDecision } from '../permissions/decide.js';
import { type PermissionRule, ruleFromValue } from '../permissions/rule.js';
import type {
  CanUseTool,
  PermissionMode,
  PermissionResult,
  PermissionUpdate,
  SDKPermissionDenial,
} from '../protocol/permissions.js';
import { errorText } from '../util/text.js';

export interface PermissionGate {
  readonly mode: PermissionMode;
  /** Refused calls of the whole session, oldest first. */
  readonly denials: readonly SDKPermissionDenial[];
  setMode(mode: PermissionMode): void;
  /** Contract: never throws; a failing callback is a denial. */
  decide(call: GateCall): Promise<GateAnswer>;
}

export interface PermissionGateOptions {
  /**
   * Rules, mode and workspace. Null: there are none, and `canUseTool` decides every call (the bare `QueryEngine` of
   * spec 000).
   */
  readonly context: PermissionContext | null;
  readonly canUseTool: CanUseTool | undefined;
}

export function createPermissionGate(options: PermissionGateOptions): PermissionGate {
  let context = options.context;
  const denials: SDKPermissionDenial[] = [];

  const refuse = (
    call: GateCall,
    message: string,
    decision: Pick<PermissionDecision, 'reason' | 'reasonType'>,
    asked: boolean,
    interrupt = false,
  ): GateAnswer => {
    denials.push({
      tool_name: call.toolName,
      tool_use_id: call.toolUseId,
      tool_input: call.input,
      reason: decision.reason,
    });
    return { behavior: 'deny', message, reason: decision.reason, reasonType: decision.reasonType, interrupt, asked };
  };

  const askHost = async (call: GateCall, decision: PermissionDecision, canUseTool: CanUseTool): Promise<GateAnswer> => {
    const answer = await callHost(call, decision, canUseTool);
    if (call.signal.aborted) {
      // The question was withdrawn, so there is nothing to keep: the call did not start.
      return {
        behavior: 'deny',
        message: 'The prompt was interrupted.',
        reason: 'interrupted',
        reasonType: 'other',
        interrupt: false,
        asked: true,
      };
    }
    if (answer.behavior === 'deny') {
      const message = answer.message === '' ? `${call.toolName} was denied.` : answer.message;
      return refuse(call, message, { reason: message, reasonType: 'other' }, true, answer.interrupt);
    }
    if (context !== null && answer.updatedPermissions !== undefined) {
      try {
        context = applyUpdates(context, answer.updatedPermissions);
      } catch (error) {
        const message = `The permission update cannot be used, so ${call.toolName} did not run: ${errorText(error)}`;
        return refuse(call, message, { reason: message, reasonType: 'other' }, true);
      }
    }
    return { behavior: 'allow', input: answer.updatedInput ?? call.input };
  };

  return {
    get mode() {
      return context?.mode ?? 'default';
    },
    denials,
    setMode(mode) {
      if (context !== null) context = { ...context, mode };
    },
    async decide(call) {
      const decision: PermissionDecision =
        context === null
          ? { behavior: 'ask', reasonType: 'other', reason: 'the host decides' }
          : decidePermission(context, call);
      if (decision.behavior === 'allow') return { behavior: 'allow', input: call.input };
      if (decision.behavior === 'deny')
        return refuse(call, `${call.toolName} was denied: ${decision.reason}.`, decision, false);
      if (context?.mode === 'dontAsk') {
        return refuse(
          call,
          `${call.toolName} was denied: ${decision.reason}, and mode dontAsk asks nobody.${howToAllow(call)}`,
          decision,
          false,
        );
      }
      if (options.canUseTool === undefined) {
        return refuse(
          call,
          `${call.toolName} was denied: ${decision.reason}, and there is nobody to ask.${howToAllow(call)}`,
          decision,
          false,
        );
      }
      return askHost(call, decision, options.canUseTool);
    },
  };
}

/** Names the flag that would allow the call, where one would. */
function howToAllow(call: GateCall): string {
  const { subject } = call;
  const edit =
    subject.kind === 'path' && subject.access === 'write'
      ? ' or --permission-mode acceptEdits (for files in the workspace)'
      : '';
  const folder = subject.kind === 'path' ? ' A folder outside the workspace is added with --add-dir.' : '';
  return ` To allow it: --allowedTools ${call.toolName}${edit}.${folder}`;
}

async function callHost(
  call: GateCall,
  decision: PermissionDecision,
  canUseTool: CanUseTool,
): Promise<PermissionResult> {
  try {
    const answer: unknown = await canUseTool(call.toolName, call.input, {
      signal: call.signal,
      toolUseID: call.toolUseId,
      title: call.title,
      displayName: call.toolName,
      decisionReason: decision.reason,
      decisionReasonType: decision.reasonType,
      ...(decision.suggestions === undefined ? {} : { suggestions: [...decision.suggestions] }),
      ...(decision.blockedPath === undefined ? {} : { blockedPath: decision.blockedPath }),
    });
    return checkAnswer(answer);
  } catch (error) {
    return {
      behavior: 'deny',
      message: `The permission callback failed, so ${call.toolName} did not run: ${errorText(error)}`,
    };
  }
}

/** The callback is the caller's code, maybe untyped: an answer that is not one is a denial that says so. */
function checkAnswer(answer: unknown): PermissionResult {
  const behavior = (answer as { behavior?: unknown } | null | undefined)?.behavior;
  if (behavior === 'deny') return { message: '', ...(answer as object) } as PermissionResult;
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

/** Updates hold for this session, whatever their destination says; settings files are not written. */
function applyUpdates(context: PermissionContext, updates: readonly PermissionUpdate[]): PermissionContext {
  let current = context;
  for (const update of updates) current = applyUpdate(current, update);
  return current;
}

function applyUpdate(context: PermissionContext, update: PermissionUpdate): PermissionContext {
  switch (update.type) {
    case 'setMode':
      // Skipping all questions was allowed at the start of the session or not at all.
      return update.mode === 'bypassPermissions' || update.mode === 'yolo'
        ? context
        : { ...context, mode: update.mode };
    case 'addRules':
      return withRules(context, update.behavior, (rules) => [...rules, ...update.rules.map(ruleFromValue)]);
    case 'replaceRules':
      return withRules(context, update.behavior, () => update.rules.map(ruleFromValue));
    case 'removeRules': {
      const removed = new Set(update.rules.map((rule) => rule.toolName));
      return withRules(context, update.behavior, (rules) => rules.filter((rule) => !removed.has(rule.toolName)));
    }
    case 'addDirectories':
      return { ...context, roots: [...context.roots, ...update.directories] };
    case 'removeDirectories':
      return { ...context, roots: context.roots.filter((root) => !update.directories.includes(root)) };
    default:
      return update satisfies never;
  }
}

function withRules(
  context: PermissionContext,
  behavior: 'allow' | 'deny' | 'ask',
  change: (rules: readonly PermissionRule[]) => readonly PermissionRule[],
): PermissionContext {
  return { ...context, [behavior]: change(context[behavior]) };
}
