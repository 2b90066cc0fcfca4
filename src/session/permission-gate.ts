// The gate every tool call goes through: the rules decide, hooks may restrict, the host is asked where nothing decided,
// and every refusal is kept. One gate a session; its mode and rules may change between calls.
import type { GateAnswer, GateCall, LoopHooks } from '../engine/loop-state.js';
import type { PermissionContext, PermissionDecision } from '../permissions/permission-call.js';
import type { PermissionRule } from '../permissions/rule.js';
import { ConfigError } from '../protocol/errors.js';
import type {
  CanUseTool,
  PermissionMode,
  PermissionResult,
  PermissionUpdate,
  SDKPermissionDenial,
} from '../protocol/permissions.js';
import { inheritMode, inheritRules } from '../subagents/inherit.js';
import { errorText } from '../util/text.js';

export interface PermissionGate {
  readonly mode: PermissionMode;
  /** Refused calls of the whole session, oldest first. */
  readonly denials: readonly SDKPermissionDenial[];
  /** @throws ConfigError where settings turned the mode off */
  setMode(mode: PermissionMode): void;
  /** Other rules and folders at the base of the session; what was added while it ran stays. */
  replaceBase(base: Pick<PermissionContext, 'deny' | 'ask' | 'allow' | 'roots' | 'disableBypass' | 'isTrusted'>): void;
  /** What is approved until this is called again: tools of the running prompt, or parts of their calls. @throws ConfigError */
  approveForPrompt(rules: readonly string[]): Promise<void>;
  /** Contract: never throws; a failing callback is a denial. */
  decide(call: GateCall): Promise<GateAnswer>;
  /** As `decide`, where somebody already answered what may be asked: what rules deny does not run all the same. */
  decideAs(call: GateCall, answer: PermissionResult): Promise<GateAnswer>;
  /** As `decide`, but what would have to be asked is denied, and no denial is kept. */
  decideWithoutAsking(call: GateCall): Promise<GateAnswer>;
  /** Tells files that a rule keeps from being read. Null where there is no such rule. */
  hiddenFiles(): Promise<((file: string) => boolean) | null>;
  /**
   * The gate of a subagent. What this one denies and asks about holds there too, also what changes later; what it
   * approves does not, but for what a person allowed while the session ran.
   */
  forAgent(agent: GateAgent): AgentGate;
}

/** What a subagent's calls go through. */
export type AgentGate = Pick<
  PermissionGate,
  'mode' | 'denials' | 'decide' | 'decideAs' | 'decideWithoutAsking' | 'forAgent'
>;

export interface GateAgent {
  /** Told to whoever is asked. */
  readonly agentId: string;
  /** The mode that its definition names. */
  readonly mode: PermissionMode | undefined;
  readonly hooks: LoopHooks;
}

export interface PermissionGateOptions {
  /**
   * Rules, mode and workspace. Null: there are none, and `canUseTool` decides every call (the bare `QueryEngine` of
   * spec 000).
   */
  readonly context: PermissionContext | null;
  readonly canUseTool: CanUseTool | undefined;
  /** True: what would have to be asked waits where there is nobody to ask. */
  readonly defers: boolean;
  readonly hooks: LoopHooks;
  /** Keeps updates beyond the session. Default: none is kept. @throws ConfigError */
  readonly saveUpdates?: (updates: readonly PermissionUpdate[]) => Promise<void>;
}

const HOST_DECIDES: PermissionDecision = {
  behavior: 'ask',
  reasonType: 'other',
  reason: 'the host decides',
  isFirm: true,
};

/** Firm: an allow of a rule or a hook is no answer to a question. */
const USER_IS_ASKED: PermissionDecision = {
  behavior: 'ask',
  reasonType: 'other',
  reason: 'the user is asked',
  isFirm: true,
};

export function createPermissionGate(options: PermissionGateOptions): PermissionGate {
  const { canUseTool, defers, hooks } = options;
  let initial = options.context;
  let context = initial;
  let promptRules: readonly PermissionRule[] = [];
  const denials: SDKPermissionDenial[] = [];
  const gate = gateOver({
    agentId: undefined,
    canUseTool,
    defers,
    hooks,
    denials,
    mode: () => context?.mode ?? 'default',
    rules: () =>
      context === null || promptRules.length === 0
        ? context
        : { ...context, allow: [...context.allow, ...promptRules] },
    inherited: (mode) => {
      if (context === null) return null;
      const given = context.allow.filter((rule) => !initial?.allow.includes(rule));
      return inheritRules(context, given, mode);
    },
    async update(updates) {
      if (context === null) return;
      const { applyUpdates } = await import('./permission-updates.js');
      applyUpdates(context, updates); // what cannot be used is not saved either
      await options.saveUpdates?.(updates);
      context = applyUpdates(context, updates);
    },
  });
  return {
    ...gate,
    get mode() {
      return context?.mode ?? 'default';
    },
    setMode(mode) {
      if (context?.disableBypass === true && (mode === 'bypassPermissions' || mode === 'yolo'))
        throw new ConfigError(`Permission mode ${mode} is turned off by settings. Choose another mode.`);
      if (context !== null) context = { ...context, mode };
    },
    replaceBase(base) {
      if (context === null || initial === null) return;
      const before = initial;
      const merge = <T>(now: readonly T[], old: readonly T[], next: readonly T[]) => [
        ...next,
        ...now.filter((each) => !old.includes(each) && !next.includes(each)),
      ];
      context = {
        ...context,
        ...base,
        deny: merge(context.deny, before.deny, base.deny),
        ask: merge(context.ask, before.ask, base.ask),
        allow: merge(context.allow, before.allow, base.allow),
        roots: merge(context.roots, before.roots, base.roots),
      };
      initial = { ...before, ...base };
    },
    async approveForPrompt(rules) {
      if (rules.length === 0) {
        promptRules = [];
        return;
      }
      const { parseRule } = await import('../permissions/rule.js');
      promptRules = rules.map((rule) => parseRule(rule, { origin: 'command' }));
    },
    async hiddenFiles() {
      const rules = context;
      if (rules === null || !rules.deny.some(({ content }) => content?.kind === 'path')) return null;
      const { restrictingRule } = await import('../permissions/match-files.js');
      return (file) => restrictingRule(rules.deny, { path: file, realPath: file, access: 'read' }, rules) !== null;
    },
  };
}

/** What a gate decides by. Read at each call: rules and mode of a session may change while an agent runs. */
interface GateSource {
  readonly agentId: string | undefined;
  readonly canUseTool: CanUseTool | undefined;
  /** Contract: false for agents: what they were doing cannot be gone on with. */
  readonly defers: boolean;
  readonly hooks: LoopHooks;
  readonly denials: SDKPermissionDenial[];
  mode(): PermissionMode;
  /** Null: there are none, and `canUseTool` decides. */
  rules(): PermissionContext | null;
  /** The rules of an agent below. */
  inherited(mode: PermissionMode | undefined): PermissionContext | null;
  /** Rules that whoever was asked gave for the session. @throws ConfigError */
  update(updates: readonly PermissionUpdate[]): Promise<void>;
}

function gateOver(source: GateSource): AgentGate {
  const { agentId, canUseTool, defers, hooks, denials } = source;

  const decideByRules = async (call: GateCall): Promise<PermissionDecision> => {
    const rules = source.rules();
    if (rules === null) return withHook(HOST_DECIDES, call.hook);
    // With the first call: a session starts without.
    const { decidePermission } = await import('../permissions/decide.js');
    const decision = decidePermission(rules, call);
    const hostMayAnswer = call.asksUser && canUseTool !== undefined && rules.mode !== 'dontAsk';
    return withHook(hostMayAnswer && decision.behavior === 'allow' ? USER_IS_ASKED : decision, call.hook);
  };

  const refuse = (
    call: GateCall,
    message: string,
    why: Pick<PermissionDecision, 'reason' | 'reasonType'>,
    asked: boolean,
    interrupt = false,
  ) => {
    denials.push({ tool_name: call.toolName, tool_use_id: call.toolUseId, tool_input: call.input, reason: why.reason });
    return denial(message, why, asked, interrupt);
  };

  /** What a person or a hook in their place said. */
  const follow = async (call: GateCall, answer: PermissionResult): Promise<GateAnswer> => {
    // A question that was withdrawn has nothing to keep: the call did not start.
    if (call.signal.aborted)
      return denial('The prompt was interrupted.', { reason: 'interrupted', reasonType: 'other' }, true);
    if (answer.behavior === 'deny') {
      const message = answer.message === '' ? `${call.toolName} was denied.` : answer.message;
      return refuse(call, message, { reason: message, reasonType: 'other' }, true, answer.interrupt);
    }
    try {
      if (answer.updatedPermissions !== undefined) await source.update(answer.updatedPermissions);
    } catch (error) {
      const message = `The permission update cannot be used, so ${call.toolName} did not run: ${errorText(error)}`;
      return refuse(call, message, { reason: message, reasonType: 'other' }, true);
    }
    return { behavior: 'allow', input: answer.updatedInput ?? call.input };
  };

  return {
    get mode() {
      return source.mode();
    },
    denials,
    async decide(call) {
      const decision = await decideByRules(call);
      if (decision.behavior === 'allow') return { behavior: 'allow', input: call.input };
      if (decision.behavior === 'deny')
        return refuse(call, `${call.toolName} was denied: ${decision.reason}.`, decision, false);
      if (call.hook?.behavior === 'defer' && agentId === undefined)
        return { behavior: 'defer', reason: decision.reason };
      if (source.rules()?.mode === 'dontAsk')
        return refuse(call, unasked(call, decision, 'mode dontAsk asks nobody'), decision, false);
      const fromHook = await askHooks(call, decision, hooks);
      if (fromHook !== null) return follow(call, fromHook);
      if (canUseTool === undefined && defers) return { behavior: 'defer', reason: decision.reason };
      if (canUseTool === undefined)
        return refuse(call, unasked(call, decision, 'there is nobody to ask'), decision, false);
      const { askHost } = await import('./ask-host.js');
      return follow(call, await askHost(call, decision, canUseTool, agentId));
    },
    async decideAs(call, answer) {
      const decision = await decideByRules(call);
      if (decision.behavior === 'deny')
        return refuse(call, `${call.toolName} was denied: ${decision.reason}.`, decision, false);
      return follow(call, answer);
    },
    async decideWithoutAsking(call) {
      const decision = await decideByRules(call);
      if (decision.behavior === 'allow') return { behavior: 'allow', input: call.input };
      return denial('', decision, true);
    },
    forAgent(agent) {
      const mode = () => inheritMode(source.mode(), agent.mode);
      return gateOver({
        agentId: agent.agentId,
        canUseTool,
        defers: false,
        hooks: agent.hooks,
        denials,
        mode,
        rules: () => source.inherited(mode()),
        inherited: (below) => source.inherited(inheritMode(mode(), below)),
        update: source.update,
      });
    },
  };
}

/** A hook may restrict whatever was decided; it may allow only what was left open. */
function withHook(decision: PermissionDecision, hook: GateCall['hook']): PermissionDecision {
  if (hook === null || decision.behavior === 'deny') return decision;
  const said = { reasonType: 'hook', reason: hook.reason === '' ? 'a hook decided so' : hook.reason } as const;
  if (hook.behavior === 'deny') return { behavior: 'deny', ...said };
  if (hook.behavior === 'ask' || hook.behavior === 'defer')
    return decision.behavior === 'ask' ? decision : { behavior: 'ask', ...said, isFirm: true };
  return decision.behavior === 'ask' && !decision.isFirm ? { behavior: 'allow', ...said } : decision;
}

/** PermissionRequest hooks may answer in place of the host, but never approve what only a person may. */
async function askHooks(
  call: GateCall,
  decision: PermissionDecision,
  hooks: LoopHooks,
): Promise<PermissionResult | null> {
  if (!hooks.has('PermissionRequest')) return null;
  const fields = { tool_name: call.toolName, tool_input: call.input, permission_suggestions: decision.suggestions };
  const { request } = await hooks.run('PermissionRequest', fields, call.toolUseId);
  const isAnswer = call.asksUser && request?.behavior === 'allow' && request.updatedInput !== undefined;
  return request?.behavior === 'allow' && decision.isFirm && !isAnswer ? null : request;
}

function denial(
  message: string,
  why: Pick<PermissionDecision, 'reason' | 'reasonType'>,
  asked: boolean,
  interrupt = false,
): GateAnswer {
  return { behavior: 'deny', message, reason: why.reason, reasonType: why.reasonType, interrupt, asked };
}

function unasked(call: GateCall, decision: PermissionDecision, why: string): string {
  return `${call.toolName} was denied: ${decision.reason}, and ${why}.${howToAllow(call)}`;
}

/** Names the flag that would allow the call, where one would. */
function howToAllow(call: GateCall): string {
  const { subject } = call;
  const isEdit = subject.kind === 'path' && subject.access === 'write';
  const edit = isEdit ? ' or --permission-mode acceptEdits (for files in the workspace)' : '';
  const folder = subject.kind === 'path' ? ' A folder outside the workspace is added with --add-dir.' : '';
  return ` To allow it: --allowedTools ${call.toolName}${edit}.${folder}`;
}
