// The gate every tool call goes through: the rules decide, hooks may restrict, the host is asked if nothing decided,
// and every refusal is kept. One gate a session; its mode and rules may change between calls.
import type { GateAnswer, GateCall, LoopHooks } from '../../engine/state/index.js';
import type { Confinement, PermissionContext, PlanFile } from '../../permissions/permission-call.js';
import type { PermissionRule } from '../../permissions/rule.js';
import { ConfigError } from '../../protocol/errors.js';
import {
  type CanUseTool,
  PERMISSION_MODES,
  type PermissionMode,
  type PermissionResult,
  type PermissionUpdate,
  type SDKPermissionDenial,
} from '../../protocol/permissions.js';
import { inheritMode, inheritRules, type OwnMode } from '../../subagents/inherit.js';
import type { KeptFiles, PlanAccess } from '../../tools/tool.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import { DOORS } from '../features.js';
import type { GateSource, Judge } from './answer-call.js';
import type { Provenance } from './provenance.js';

export interface PermissionGate {
  readonly mode: PermissionMode;
  /** Refused calls of the whole session, oldest first. */
  readonly denials: readonly SDKPermissionDenial[];
  /** @throws ConfigError if there is no such mode, or settings turned it off */
  setMode(mode: PermissionMode): void;
  /** The mode that calls of a server's tools are decided in, in place of the session's; null: the session's. */
  overrideMode(server: string, mode: PermissionMode | null): void;
  /** What decides now; null if there are no rules. */
  readonly rules: PermissionContext | null;
  /** Folders of the workspace that came or went since the session began. */
  changedRoots(): { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** To mode plan, or out of it into the mode of before. @throws ConfigError if there are no modes */
  setPlan(active: boolean): void;
  /** What mode plan may write all the same. */
  allowPlanFile(file: PlanFile): void;
  /** Where results that are too large to show are read without a question. */
  allowResults(folder: string): void;
  /** As updates that an answer brings along. @throws ConfigError if they cannot be used, or there are no rules */
  update(updates: readonly PermissionUpdate[]): Promise<void>;
  /** What the definition of the agent denies, to those that it starts too. @throws ConfigError */
  denyToo(rules: readonly string[]): Promise<void>;
  /** How the rules are seen from now on, such as from a worktree; null: as they are. Changes are made to them as they are. */
  setView(view: RulesView | null): void;
  /** Other rules and folders at the base of the session; what was added while it ran stays. */
  replaceBase(
    base: Pick<PermissionContext, 'deny' | 'ask' | 'allow' | 'roots' | 'isTrusted' | keyof Confinement>,
  ): void;
  /**
   * What is approved until this is called again: tools of the running prompt, or parts of their calls; for a subagent
   * until it ends. `beside`: what was approved before stays. @throws ConfigError
   */
  approveForPrompt(rules: readonly string[], beside?: boolean): Promise<void>;
  /** Loads what answers calls, for whoever knows that some will come. */
  preload(): Promise<unknown>;
  /** Contract: never throws; a failing callback is a denial. `judge`: asked in mode `auto` before anybody else. */
  decide(call: GateCall, judge?: Judge): Promise<GateAnswer>;
  /** As `decide`, if somebody already answered what may be asked: what rules deny does not run all the same. */
  decideAs(call: GateCall, answer: PermissionResult): Promise<GateAnswer>;
  /** For a call whose input was changed by whoever approved it: what rules deny, or a hook may not approve, does not run. */
  decideChanged(call: GateCall, approvedBy: 'host' | 'hook'): Promise<GateAnswer>;
  /** As `decide`, but what would have to be asked is denied, and no denial is kept. */
  decideWithoutAsking(call: GateCall): Promise<GateAnswer>;
  /** What a search that was let start at `start` leaves out: see `ToolContext`. Null if no rule speaks of files. */
  hiddenFiles(start: string | null, access?: 'read' | 'write' | 'change'): Promise<KeptFiles | null>;
  /**
   * The gate of a subagent. What this one denies and asks about holds there too, also what changes later; what it
   * approves does not, but for what a person allowed while the session ran.
   */
  forAgent(agent: GateAgent): AgentGate;
}

export type RulesView = (rules: PermissionContext) => PermissionContext;

/** What a subagent's calls go through. */
export type AgentGate = Pick<
  PermissionGate,
  | 'mode'
  | 'rules'
  | 'denials'
  | 'preload'
  | 'approveForPrompt'
  | 'decide'
  | 'decideAs'
  | 'decideChanged'
  | 'decideWithoutAsking'
  | 'hiddenFiles'
  | 'setView'
  | 'denyToo'
  | 'forAgent'
>;

export interface GateAgent extends OwnMode {
  /** Told to whoever is asked. */
  readonly agentId: string;
  readonly hooks: LoopHooks;
}

export interface PermissionGateOptions {
  /**
   * Rules, mode and workspace. Null: there are none, and `canUseTool` decides every call (the bare `QueryEngine` of
   * spec 000).
   */
  readonly context: PermissionContext | null;
  readonly canUseTool: CanUseTool | undefined;
  /** True: what would have to be asked waits if there is nobody to ask. */
  readonly defers: boolean;
  readonly hooks: LoopHooks;
  /** The sources of untrusted texts. Null: no policy asks. */
  readonly provenance?: Provenance | null;
  /** Keeps updates beyond the session. Default: none is kept. @throws ConfigError */
  readonly saveUpdates?: (updates: readonly PermissionUpdate[]) => Promise<void>;
  /** The plan that is shown. Absent: what the call holds. */
  readonly openPlan?: () => Promise<PlanAccess>;
  /** Called with what an answer does not change although it says so. */
  readonly onNotice?: (notice: PendingNotice) => void;
  /** Called when the mode changes. Contract: cheap, never throws. */
  readonly onMode?: (mode: PermissionMode, before: PermissionMode) => void;
  /** A person vouches for what version control starts, see `PermissionDecision.vouches`. Default: for the call alone. */
  readonly vouch?: (seen: readonly string[]) => Promise<void>;
}

/** Rules and mode of a session; null if it has none. */
export function contextOf(config: Pick<QueryEngineConfig, 'permissions' | 'autoMode'>): PermissionContext | null {
  const { permissions, autoMode } = config;
  if (permissions === undefined || autoMode === undefined) return permissions ?? null;
  return { ...permissions, isJudged: true };
}

export function createPermissionGate(options: PermissionGateOptions): PermissionGate {
  const { canUseTool, defers, hooks, provenance = null } = options;
  let initial = options.context;
  let context = initial;
  let view: RulesView | null = null;
  let seen: { readonly of: PermissionContext; readonly as: PermissionContext } | null = null;
  const rulesNow = (): PermissionContext | null => {
    if (context === null || view === null) return context;
    if (seen?.of !== context) seen = { of: context, as: view(context) };
    return seen.as;
  };
  let beforePlan: PermissionMode = context?.beforePlan ?? 'default';
  const changeMode = (mode: PermissionMode): void => {
    if (context === null) return;
    if (mode === 'plan' && context.mode !== 'plan') beforePlan = context.mode;
    const before = context.mode;
    context = { ...context, mode };
    options.onMode?.(mode, before);
  };
  const leavePlan = (): void => {
    const isOff = context?.disableBypass === true && (beforePlan === 'bypassPermissions' || beforePlan === 'yolo');
    changeMode(isOff ? 'default' : beforePlan);
  };
  const update = async (updates: readonly PermissionUpdate[]): Promise<void> => {
    if (context === null) return;
    const { applyUpdates, modesWithoutEffect } = await DOORS.calls();
    applyUpdates(context, updates); // what cannot be used is not saved either
    await options.saveUpdates?.(updates);
    for (const notice of modesWithoutEffect(updates, context.mode)) options.onNotice?.(notice);
    const updated = applyUpdates(context, updates);
    changeMode(updated.mode);
    context = updated;
  };
  const requireRules = (): PermissionContext => {
    if (context === null)
      throw new ConfigError('This session has no permissions, so it has no modes and folders. Give it permissions.');
    return context;
  };
  const denials: SDKPermissionDenial[] = [];
  const overrides = new Map<string, PermissionMode>();
  const gate = gateOver({
    overrides,
    agentId: undefined,
    canUseTool,
    defers,
    hooks,
    provenance,
    denials,
    advised: new Set(),
    mode: () => context?.mode ?? 'default',
    rules: rulesNow,
    inherited: (mode) => {
      if (context === null) return null;
      const given = context.allow.filter((rule) => !initial?.allow.includes(rule));
      const { planFile: _own, ...rules } = context;
      const inherited = inheritRules<PermissionContext>(rules, given, mode);
      return view === null ? inherited : view(inherited);
    },
    leavePlan,
    enterPlan: () => changeMode('plan'),
    openPlan: options.openPlan,
    vouch: async (seen) => options.vouch?.(seen),
    update,
  });
  return {
    ...gate,
    get mode() {
      return context?.mode ?? 'default';
    },
    setMode(mode) {
      if (!PERMISSION_MODES.includes(mode))
        throw new ConfigError(
          `There is no permission mode ${JSON.stringify(mode)}. Modes: ${PERMISSION_MODES.join(', ')}.`,
        );
      if (context?.disableBypass === true && (mode === 'bypassPermissions' || mode === 'yolo'))
        throw new ConfigError(`Permission mode ${mode} is turned off by settings. Choose another mode.`);
      if (context?.disableAuto === true && mode === 'auto')
        throw new ConfigError('Permission mode auto is turned off by settings (disableAutoMode). Choose another mode.');
      changeMode(mode);
    },
    overrideMode(server, mode) {
      if (mode === null) overrides.delete(server);
      else overrides.set(server, mode);
    },
    get rules() {
      return rulesNow();
    },
    setView(next) {
      view = next;
      seen = null;
    },
    changedRoots() {
      const [now, before] = [context?.roots ?? [], options.context?.roots ?? []];
      const lacks = (roots: readonly string[]) => (root: string) => !roots.includes(root);
      return { added: now.filter(lacks(before)), removed: before.filter(lacks(now)) };
    },
    setPlan(active) {
      const isActive = requireRules().mode === 'plan';
      if (active) changeMode('plan');
      else if (isActive) leavePlan();
    },
    async denyToo(rules) {
      const { deny } = requireRules();
      const denied = (await DOORS.calls()).rulesOfDefinition(rules);
      if (context !== null) context = { ...context, deny: [...deny, ...denied] };
    },
    allowPlanFile(planFile) {
      if (context !== null) context = { ...context, planFile };
    },
    allowResults(resultsFolder) {
      if (context !== null) context = { ...context, resultsFolder };
    },
    async update(updates) {
      requireRules();
      await update(updates);
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
  };
}

function gateOver(given: GateSource): AgentGate {
  const { denials } = given;
  let approved: readonly PermissionRule[] = [];
  let denied: readonly PermissionRule[] = [];
  let view: RulesView | null = null;
  /** As this agent sees them, and those that it starts. */
  const asSeen = (rules: PermissionContext | null): PermissionContext | null => {
    if (rules === null) return null;
    const all = denied.length === 0 ? rules : { ...rules, deny: [...rules.deny, ...denied] };
    return view === null ? all : view(all);
  };
  const source: GateSource = {
    ...given,
    rules() {
      const rules = asSeen(given.rules());
      return rules === null || approved.length === 0 ? rules : { ...rules, allow: [...rules.allow, ...approved] };
    },
    inherited: (mode) => asSeen(given.inherited(mode)),
  };
  /** Nothing gets out of plan mode, and if nobody is to be asked nobody is. */
  const sourceFor = ({ toolName }: GateCall): GateSource => {
    if (given.overrides.size === 0) return source;
    const server = [...given.overrides.keys()].find((rule) => toolName.startsWith(`${rule}__`));
    const mode = server === undefined ? undefined : given.overrides.get(server);
    const own = source.rules();
    if (mode === undefined || own === null || own.mode === 'plan' || own.mode === 'dontAsk') return source;
    return { ...source, rules: () => ({ ...(source.rules() ?? own), mode }) };
  };
  /** What a call brings in counts once it may run. */
  const noted = (call: GateCall, answer: GateAnswer): GateAnswer => {
    if (answer.behavior === 'allow') given.provenance?.note(source.rules(), call);
    return answer;
  };
  return {
    get mode() {
      return source.mode();
    },
    get rules() {
      return source.rules();
    },
    denials,
    preload: DOORS.calls,
    async approveForPrompt(rules, beside = false) {
      if (!beside) approved = [];
      if (rules.length > 0) approved = [...approved, ...(await DOORS.calls()).rulesOfDefinition(rules)];
    },
    async denyToo(rules) {
      denied = [...denied, ...(await DOORS.calls()).rulesOfDefinition(rules)];
    },
    setView(next) {
      view = next;
    },
    async hiddenFiles(start, access = 'read') {
      const rules = source.rules();
      if (rules === null) return null;
      if (![...rules.deny, ...rules.ask].some(({ content }) => content?.kind === 'path')) return null;
      return (await DOORS.calls()).keptFiles(rules, start, access);
    },
    decide: async (call, judge) => noted(call, await (await DOORS.calls()).answerCall(sourceFor(call), call, judge)),
    decideAs: async (call, answer) =>
      noted(call, await (await DOORS.calls()).followAnswer(sourceFor(call), call, answer)),
    decideChanged: async (call, approvedBy) =>
      noted(call, await (await DOORS.calls()).confirmChanged(sourceFor(call), call, approvedBy)),
    decideWithoutAsking: async (call) => noted(call, await (await DOORS.calls()).answerUnasked(sourceFor(call), call)),
    forAgent(agent) {
      const mode = () => inheritMode(source.mode(), agent);
      return gateOver({
        ...source,
        agentId: agent.agentId,
        defers: false,
        hooks: agent.hooks,
        mode,
        rules: () => source.inherited(mode()),
      });
    },
  };
}
