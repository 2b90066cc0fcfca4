// One call at the gate: the rules decide, hooks may restrict, the host is asked if nothing decided, and every refusal
// is kept. Loaded with the first call.
import path from 'node:path';
import type { GateAnswer, GateCall, LoopHooks } from '../../engine/state/index.js';
import { decidePermission } from '../../permissions/decide.js';
import type {
  PermissionCall,
  PermissionContext,
  PermissionDecision,
  TouchedFile,
} from '../../permissions/permission-call.js';
import { type PermissionRule, parseRule, ruleFromValue, ruleText } from '../../permissions/rule.js';
import { exactRules } from '../../permissions/suggest.js';
import { ConfigError } from '../../protocol/errors.js';
import {
  type CanUseTool,
  type ExitPlanModeApprovalDetails,
  PERMISSION_MODES,
  type PermissionDecisionClassification,
  type PermissionMode,
  type PermissionResult,
  type PermissionRuleValue,
  type PermissionUpdate,
  type SDKPermissionDenial,
} from '../../protocol/permissions.js';
import { currentToolName } from '../../protocol/tool-names.js';
import type { PlanAccess } from '../../tools/tool.js';
import { copyJson, isNestedDeeper, isSameJson } from '../../util/json.js';
import { count, errorText, shorten } from '../../util/text.js';
import { readAddress } from '../../util/web-address.js';
import type { PendingNotice } from '../config/index.js';
import type { Provenance } from './provenance.js';

/** What a gate decides by. Read at each call: rules and mode of a session may change while an agent runs. */
export interface GateSource {
  readonly agentId: string | undefined;
  readonly canUseTool: CanUseTool | undefined;
  /** Contract: false for agents: what they were doing cannot be gone on with. */
  readonly defers: boolean;
  readonly hooks: LoopHooks;
  /** The sources of untrusted texts of the conversation; null if no policy asks. */
  readonly provenance: Provenance | null;
  readonly denials: SDKPermissionDenial[];
  /** Modes for the tools of some servers, by what a rule calls such a server. */
  readonly overrides: Map<string, PermissionMode>;
  /** What people were told already of how to allow calls. */
  readonly advised: Set<string>;
  mode(): PermissionMode;
  /** Null: there are none, and `canUseTool` decides. */
  rules(): PermissionContext | null;
  /** The rules of an agent below. */
  inherited(mode: PermissionMode): PermissionContext | null;
  /** The user approved a plan: the mode is the one from before it. */
  leavePlan(): void;
  /** The user said that the model plans first. */
  enterPlan(): void;
  /** Absent: a plan is what the call holds. */
  readonly openPlan?: (() => Promise<PlanAccess>) | undefined;
  /** A person said yes to what `vouches` of a decision names. @throws ConfigError, FileError */
  vouch(seen: readonly string[]): Promise<void>;
  /** Rules that whoever was asked gave for the session. @throws ConfigError */
  update(updates: readonly PermissionUpdate[]): Promise<void>;
}

/** What a model said of a call. `ask`: a person decides. */
export interface Verdict {
  readonly verdict: 'allow' | 'deny' | 'ask';
  /** For people, in one sentence. */
  readonly reason: string;
}

/** Asks about one call. Contract: never throws; what goes wrong is a verdict `ask` that says so. */
export type Judge = (call: GateCall, decision: PermissionDecision) => Promise<Verdict>;

const HOST_DECIDES: PermissionDecision = {
  behavior: 'ask',
  reasonType: 'other',
  reason: 'the host decides',
  isFirm: true,
};

const ASKS_NOBODY = 'settings (permissions.denyInsteadOfPrompting) deny what would be asked about';

/** Firm: an allow of a rule or a hook is no answer to a question. */
const USER_IS_ASKED: PermissionDecision = {
  behavior: 'ask',
  reasonType: 'other',
  reason: 'the user is asked',
  isFirm: true,
};

/** What a command or a skill allows, and what an agent refuses. @throws ConfigError */
export function rulesOfDefinition(rules: readonly string[]): PermissionRule[] {
  return rules.map((rule) => parseRule(rule, { origin: 'command' }));
}

/** Contract: never throws; a failing callback is a denial. */
export async function answerCall(source: GateSource, call: GateCall, judge?: Judge): Promise<GateAnswer> {
  const { agentId } = source;
  const decision = decideByRules(source, call);
  if (decision.behavior === 'allow') return allowed(call, decision);
  if (decision.behavior === 'deny') return refuseByRule(source, call, decision);
  if (call.hook?.behavior === 'defer' && agentId === undefined) return { behavior: 'defer', reason: decision.reason };
  if (source.rules()?.mode === 'dontAsk')
    return refuse(source, call, unaskedTexts(source, call, decision, 'mode dontAsk asks nobody'), decision, false);
  if (judge !== undefined && mayJudge(source, call, decision)) return answerJudged(source, call, decision, judge);
  return askSomebody(source, call, decision);
}

/** Contract: only what no rule, safety check or hook asks about; an ask that is firm is for a person. */
function mayJudge(source: GateSource, { hook }: GateCall, decision: PermissionDecision): boolean {
  const { behavior, isFirm, isAutoApprovable } = decision;
  if (behavior !== 'ask' || isFirm === true || isAutoApprovable !== true) return false;
  const rules = source.rules();
  return rules?.mode === 'auto' && rules.disableAuto !== true && (hook === null || hook.behavior === 'allow');
}

async function answerJudged(
  source: GateSource,
  call: GateCall,
  decision: PermissionDecision,
  judge: Judge,
): Promise<GateAnswer> {
  const { verdict, reason } = await judge(call, decision);
  if (call.signal.aborted)
    return denial('The prompt was interrupted.', { reason: 'interrupted', reasonType: 'other' }, true);
  // Rules and mode may have changed meanwhile.
  const now = decideByRules(source, call);
  if (now.behavior === 'deny') return refuseByRule(source, call, now);
  if (now.behavior === 'allow') return allowed(call, now);
  if (!mayJudge(source, call, now)) return askSomebody(source, call, now);
  if (verdict === 'allow') return { ...allowed(call, now), judged: reason } as GateAnswer;
  const judged = { ...now, reason, reasonType: 'classifier', isAutoApprovable: false } as const;
  if (verdict === 'deny') return refuseByRule(source, call, judged);
  return askSomebody(source, call, judged);
}

/** Hooks, then whoever the host names; if there is nobody, it waits or is denied. */
async function askSomebody(source: GateSource, given: GateCall, decision: PermissionDecision): Promise<GateAnswer> {
  const call = given.exitsPlan === true ? await withPlan(source, given) : given;
  if (typeof call === 'string') return denial(call, { reason: 'there is no plan to show', reasonType: 'other' }, true);
  const { agentId, canUseTool, defers, hooks } = source;
  const fromHook = await askHooks(call, decision, hooks);
  if (fromHook !== null) return follow(source, call, decision, fromHook, 'hook');
  // A question of the model is no question about a call.
  if (source.rules()?.deniesAsks === true && !call.asksUser)
    return refuse(source, call, unaskedTexts(source, call, decision, ASKS_NOBODY), decision, false);
  if (canUseTool === undefined && defers) return { behavior: 'defer', reason: decision.reason };
  if (canUseTool === undefined)
    return refuse(source, call, unaskedTexts(source, call, decision, 'there is nobody to ask'), decision, false);
  return follow(source, call, decision, await askHost(call, decision, canUseTool, agentId), 'host');
}

/**
 * The call with the plan that is shown: its own, which is kept in the file of the plan, or what that file holds.
 * @returns what the model reads if there is no plan
 */
async function withPlan({ openPlan }: GateSource, call: GateCall): Promise<GateCall | string> {
  const plan = await openPlan?.();
  if (plan == null) return call;
  const { plan: own } = call.input;
  const hasOwn = typeof own === 'string' && own.trim() !== '';
  try {
    const shown = hasOwn ? own : await plan.read();
    const where = plan.file === null ? '' : `, or write it to ${plan.file}`;
    if (shown === '')
      return `There is no plan yet, so nobody was asked. Give it in plan${where}, then call this again.`;
    if (hasOwn) await plan.write(own);
    const file = plan.file === null ? {} : { planFilePath: plan.file };
    return { ...call, input: { ...call.input, plan: shown, ...file } };
  } catch (error) {
    if (hasOwn) return call;
    return `The plan cannot be read, so nobody was asked: ${errorText(error)} Give it in plan.`;
  }
}

/** As `answerCall`, if somebody already answered what may be asked. */
export async function followAnswer(source: GateSource, call: GateCall, answer: PermissionResult): Promise<GateAnswer> {
  const decision = decideByRules(source, call);
  if (decision.behavior === 'deny') return refuseByRule(source, call, decision);
  return follow(source, call, decision, answer, 'host', false);
}

/** What was approved is another input than was decided on: a person may approve what a hook may not, and nobody a deny. */
export async function confirmChanged(
  source: GateSource,
  call: GateCall,
  approvedBy: 'host' | 'hook',
): Promise<GateAnswer> {
  const rules = source.rules();
  if (rules === null) return { behavior: 'allow', input: call.input };
  // Whoever changed the plan approved it, and its mode is over.
  if (call.exitsPlan === true || call.entersPlan === true) return { behavior: 'allow', input: call.input };
  const decision = restricted(source, rules, call, decidePermission(rules, call));
  if (decision.behavior === 'deny') return refuseByRule(source, call, decision);
  if (decision.behavior === 'ask' && decision.isFirm === true && approvedBy === 'hook')
    return refuse(source, call, unaskedTexts(source, call, decision, 'a hook may not approve it'), decision, false);
  return allowed(call, decision);
}

/** What would have to be asked is denied, and no denial is kept. */
export async function answerUnasked(source: GateSource, call: GateCall): Promise<GateAnswer> {
  const decision = decideByRules(source, call);
  return decision.behavior === 'allow' ? allowed(call, decision) : denial('', decision, true);
}

function decideByRules(source: GateSource, call: GateCall): PermissionDecision {
  const rules = source.rules();
  if (rules === null) return withHook(restricted(source, null, call, HOST_DECIDES), call.hook);
  const decision = restricted(source, rules, call, decidePermission(rules, call));
  const hostMayAnswer = call.asksUser && source.canUseTool !== undefined && rules.mode !== 'dontAsk';
  return withHook(hostMayAnswer && decision.behavior === 'allow' ? USER_IS_ASKED : decision, call.hook);
}

/** Few sessions have a policy on untrusted content. */
function restricted(
  { provenance }: GateSource,
  rules: PermissionContext | null,
  call: GateCall,
  decision: PermissionDecision,
): PermissionDecision {
  return provenance === null ? decision : provenance.restrict(rules, call, decision);
}

function allowed(call: GateCall, { outsideSandbox }: PermissionDecision): GateAnswer {
  return { behavior: 'allow', input: call.input, ...(outsideSandbox === true ? { unsandboxed: true } : {}) };
}

function refuseByRule(source: GateSource, call: GateCall, decision: PermissionDecision): GateAnswer {
  return refuse(source, call, deniedTexts(call, decision), decision, false);
}

function refuse(
  { denials }: GateSource,
  call: GateCall,
  text: string | RefusalTexts,
  why: Pick<PermissionDecision, 'reason' | 'reasonType'>,
  asked: boolean,
  interrupt = false,
  classification?: PermissionDecisionClassification,
): GateAnswer {
  denials.push({
    tool_name: call.toolName,
    tool_use_id: call.toolUseId,
    tool_input: call.input,
    reason: why.reason,
    ...(classification === undefined ? {} : { decision_classification: classification }),
  });
  const { model, people } = typeof text === 'string' ? { model: text, people: text } : text;
  const answer = denial(model, why, asked, interrupt);
  return {
    ...answer,
    ...(people === model ? {} : { told: people }),
    ...(classification === undefined ? {} : { classification }),
  } as GateAnswer;
}

/** What a person or a hook in their place said. */
async function follow(
  source: GateSource,
  call: GateCall,
  decision: PermissionDecision,
  answer: PermissionResult,
  approvedBy: 'host' | 'hook',
  isFresh = true,
): Promise<GateAnswer> {
  // A question that was withdrawn has nothing to keep: the call did not start.
  if (call.signal.aborted)
    return denial('The prompt was interrupted.', { reason: 'interrupted', reasonType: 'other' }, true);
  if (answer.behavior === 'deny') {
    const message = answer.message === '' ? `${call.toolName} was denied.` : answer.message;
    const why = { reason: message, reasonType: 'other' } as const;
    if (approvedBy === 'hook') return refuse(source, call, message, why, true, answer.interrupt);
    return refuse(source, call, message, why, true, answer.interrupt, classify(answer));
  }
  // While somebody thought about it rules and mode may have changed. Who was asked long ago was decided about just now.
  const now = isFresh ? decideByRules(source, call) : decision;
  if (now.behavior === 'deny' && !isPlanOver(call, now)) return refuseByRule(source, call, now);
  if (approvedBy === 'hook' && now.isFirm === true && !answersQuestion(call, answer))
    return refuse(source, call, unaskedTexts(source, call, now, 'a hook may not approve it'), now, false);
  try {
    if (answer.updatedPermissions !== undefined) {
      if (approvedBy === 'hook') checkHookUpdates(answer.updatedPermissions, source.mode());
      await source.update(answer.updatedPermissions);
    }
    // Who was asked long ago saw what stood there then.
    if (approvedBy === 'host' && isFresh && decision.vouches !== undefined) await source.vouch(decision.vouches);
    // A mode that the answer names is the one after the plan; else it is the one from before.
    if (call.exitsPlan === true && source.mode() === 'plan') source.leavePlan();
    if (call.entersPlan === true) source.enterPlan();
  } catch (error) {
    const message = `The permission update cannot be used, so ${call.toolName} did not run: ${errorText(error)}`;
    return refuse(source, call, message, { reason: message, reasonType: 'other' }, true);
  }
  const isOutside = decision.outsideSandbox === true && now.outsideSandbox === true;
  return {
    ...allowed(call, { ...decision, outsideSandbox: isOutside }),
    ...(answer.updatedInput === undefined ? {} : { input: answer.updatedInput, approvedBy }),
    ...(approvedBy === 'hook' ? {} : { classification: classify(answer) }),
  } as GateAnswer;
}

/** True if a mode denies the plan by now: its person said yes to it all the same, and a mode that ended meanwhile is no objection. */
function isPlanOver({ exitsPlan, entersPlan }: GateCall, { reasonType }: PermissionDecision): boolean {
  return (exitsPlan === true || entersPlan === true) && reasonType === 'mode';
}

/** What the host says it meant; if it says nothing that fits its answer, what the answer does. */
function classify(answer: PermissionResult): PermissionDecisionClassification {
  if (answer.behavior === 'deny') return 'user_reject';
  const { decisionClassification: said, updatedPermissions = [] } = answer;
  if (said === 'user_temporary' || said === 'user_permanent') return said;
  return updatedPermissions.length === 0 ? 'user_temporary' : 'user_permanent';
}

/** A hook may restrict whatever was decided; it may allow only what was left open. */
function withHook(decision: PermissionDecision, hook: GateCall['hook']): PermissionDecision {
  if (hook === null || decision.behavior === 'deny') return decision;
  const said = {
    reasonType: 'hook',
    reason: hook.reason === '' ? 'a hook decided so' : hook.reason,
    ...(decision.outsideSandbox === true ? { outsideSandbox: true } : {}),
  } as const;
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
  return request?.behavior === 'allow' && decision.isFirm && !answersQuestion(call, request) ? null : request;
}

/** True for an answer to a question of the model, given in place of the user. */
function answersQuestion({ asksUser }: GateCall, answer: PermissionResult): boolean {
  return asksUser && answer.behavior === 'allow' && answer.updatedInput !== undefined;
}

function denial(
  message: string,
  why: Pick<PermissionDecision, 'reason' | 'reasonType'>,
  asked: boolean,
  interrupt = false,
): GateAnswer {
  return { behavior: 'deny', message, reason: why.reason, reasonType: why.reasonType, interrupt, asked };
}

// What is said of a call that was refused without anybody being asked. One rule: people are told how it would be allowed,
// by the narrowest rule and once; the model is told what stood in the way and what it may do instead.

interface RefusalTexts {
  readonly model: string;
  readonly people: string;
}

interface Advising {
  readonly advised: Set<string>;
  rules(): PermissionContext | null;
}

/** Of a call that a rule, a mode, a hook or a judge denied. */
function deniedTexts(call: GateCall, decision: PermissionDecision): RefusalTexts {
  const { reason, reasonType } = decision;
  const said = `${call.toolName} was denied: ${reason}${partOf(call, decision)}.`;
  const isByRule = reasonType === 'rule' || reasonType === 'subcommandResults';
  // What hooks, judges and modes say is meant for the model as it is.
  return {
    people: said,
    model: isByRule ? `${said} Nothing of it ran. Do not reach the same in another way; go on without it.` : said,
  };
}

/** Of a call that somebody would have had to approve. `why`: why nobody was asked, to follow "and". */
function unaskedTexts(source: Advising, call: GateCall, decision: PermissionDecision, why: string): RefusalTexts {
  const said = `${call.toolName} was denied: ${decision.reason}, and ${why}.`;
  const advice = adviceOf(source.rules(), call, decision);
  if (advice === null || source.advised.has(advice)) return { model: `${said} ${insteadOf(call)}`, people: said };
  source.advised.add(advice);
  return { model: `${said} ${insteadOf(call)}`, people: `${said} ${advice}` };
}

/** The part that a rule speaks of, if the line has others. */
function partOf({ subject }: GateCall, { subcommand }: PermissionDecision): string {
  if (subject.kind !== 'command' || subcommand === undefined || subcommand === subject.command.trim()) return '';
  return `, and ${shorten(subcommand, 200)} is what it speaks of`;
}

function insteadOf({ exitsPlan, entersPlan, subject }: GateCall): string {
  if (entersPlan === true) return 'Plan by yourself, and go on.';
  if (exitsPlan === true) return 'Show the plan as text; the mode is changed by whoever runs the session.';
  const programs = subject.kind === 'command' ? (subject.reading?.programs.length ?? 0) : 0;
  const parts = programs > 1 ? 'What else the command holds may run without that part. ' : '';
  return `Nothing of it ran. ${parts}Do what you can without it, and say in your answer what was not done and why.`;
}

/** No rule is an answer to it. */
const HOW_TO_VOUCH =
  'A person who is asked may say yes, once for the repository as it stands; --trust vouches for what the repository of the folder itself starts.';

/** How people would allow the call; null if no rule and no mode would. */
function adviceOf(context: PermissionContext | null, call: GateCall, decision: PermissionDecision): string | null {
  if (context === null || call.exitsPlan === true || call.entersPlan === true) return null;
  if (decision.vouches !== undefined) return HOW_TO_VOUCH;
  const rules = exactRules(context, call, decision);
  if (rules === null) return null;
  const flags = rules.map((rule) => `--allowedTools ${quoted(ruleText(rule))}`).join(' ');
  const { subject } = call;
  const isEdit = subject.kind === 'path' && subject.access === 'write' && decision.reasonType !== 'workingDir';
  const others = isEdit
    ? ', or --permission-mode acceptEdits for all files of the workspace'
    : subject.kind === 'path'
      ? ', or --add-dir for its folder'
      : '';
  return `To allow it: ${flags}${others}.`;
}

/** As a shell takes it. */
function quoted(rule: string): string {
  return /^[\w@:./-]+$/.test(rule) ? rule : `'${rule.replaceAll("'", "'\\''")}'`;
}

// Asks the host about one call, and makes a usable answer of whatever comes back.

/** `agentId`: the subagent that made the call. Contract: never throws; a callback that fails or answers nonsense is a denial that says so. */
async function askHost(
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

/** The plan that is to be approved, and its file if the call names one. */
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

/**
 * The callback is the caller's code, maybe untyped: an answer that is not one is a denial that says so. It is read once and
 * copied: what its owner does to it afterwards, and what a getter says the second time, is no answer.
 */
export function checkAnswer(answer: unknown): PermissionResult {
  const given = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const { behavior, message, interrupt, updatedInput, updatedPermissions, toolUseID, decisionClassification } = given;
  const about = {
    ...(toolUseID === undefined ? {} : { toolUseID }),
    ...(decisionClassification === undefined ? {} : { decisionClassification }),
  } as Pick<PermissionResult, 'toolUseID' | 'decisionClassification'>;
  if (behavior === 'deny')
    return {
      ...about,
      behavior,
      message: typeof message === 'string' ? message : '',
      interrupt: interrupt === true,
    };
  const unusable = (why: string): PermissionResult => ({
    behavior: 'deny',
    message: `The permission callback gave ${why}, so nothing ran.`,
  });
  if (behavior !== 'allow') return unusable(`no usable answer (behavior: ${String(behavior)})`);
  if (
    updatedInput !== undefined &&
    (typeof updatedInput !== 'object' || updatedInput === null || Array.isArray(updatedInput))
  )
    return unusable('an updatedInput that is not an object');
  if (isNestedDeeper(updatedInput) || isNestedDeeper(updatedPermissions))
    return unusable('an answer that is nested too deep');
  return {
    ...about,
    behavior,
    ...(updatedInput === undefined ? {} : { updatedInput: copyJson(updatedInput as Record<string, unknown>) }),
    ...(updatedPermissions === undefined
      ? {}
      : { updatedPermissions: copyJson(updatedPermissions as PermissionUpdate[]) }),
  };
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

// Permission updates that an answer brings along: what they change for the rest of the session.

const BEHAVIORS = ['allow', 'deny', 'ask'];

/**
 * A hook may allow more calls, and restrict: it takes back nothing that is denied or asked about, and no plan is over because
 * a hook says so.
 * @throws ConfigError
 */
function checkHookUpdates(updates: readonly PermissionUpdate[], mode: PermissionMode): void {
  for (const update of updates) {
    if ((update.type === 'removeRules' || update.type === 'replaceRules') && update.behavior !== 'allow')
      throw new ConfigError(
        `A hook may add rules, but take back none that ${update.behavior === 'deny' ? 'denies' : 'asks'}.`,
      );
    if (update.type === 'setMode' && mode === 'plan' && update.mode !== 'plan')
      throw new ConfigError('Nobody but the user ends mode plan, so a hook may not change the mode.');
  }
}

/**
 * Updates hold for this session, whatever their destination says; settings files are not written.
 * @throws ConfigError for a rule that is not understood
 */
export function applyUpdates(context: PermissionContext, updates: readonly PermissionUpdate[]): PermissionContext {
  let current = context;
  for (const update of updates) current = applyUpdate(current, update);
  return current;
}

/** An answer that would skip all questions from then on changes nothing: that is allowed at the start, or not at all. */
export function modesWithoutEffect(
  updates: readonly PermissionUpdate[],
  mode: PermissionMode,
): readonly PendingNotice[] {
  const skips = (each: string): boolean => each === 'bypassPermissions' || each === 'yolo';
  if (skips(mode) || !updates.some((update) => update.type === 'setMode' && skips(update.mode))) return [];
  return [
    {
      code: 'option_without_effect',
      message: `An answer about permissions sets mode bypassPermissions, which no answer can: the mode stays ${mode}.`,
      remedy: 'Start the session with permissionMode and allowDangerouslySkipPermissions, or call setPermissionMode.',
    },
  ];
}

function applyUpdate(context: PermissionContext, update: PermissionUpdate): PermissionContext {
  const isAdded = update?.type === 'addRules' || update?.type === 'replaceRules';
  if (isAdded && update.behavior === 'allow' && context.onlyManagedRules === true)
    throw new ConfigError(
      'Managed settings alone say what is allowed here (allowManagedPermissionRulesOnly), so no rule is saved.',
    );
  switch (update?.type) {
    case 'setMode':
      if (!PERMISSION_MODES.includes(update.mode)) throw unusable(`there is no mode ${JSON.stringify(update.mode)}`);
      // Skipping all questions was allowed at the start of the session or not at all.
      return update.mode === 'bypassPermissions' || update.mode === 'yolo'
        ? context
        : { ...context, mode: update.mode };
    case 'addRules':
      return withRules(context, update.behavior, (rules) => [
        ...rules,
        ...update.rules.map((rule) => ruleFromValue(rule)),
      ]);
    case 'replaceRules':
      return withRules(context, update.behavior, (rules) => [
        ...rules.filter((rule) => isKeptAlways(rule, update)),
        ...update.rules.map((rule) => ruleFromValue(rule)),
      ]);
    case 'removeRules': {
      const removed = new Set(update.rules.map(ruleKey));
      return withRules(context, update.behavior, (rules) =>
        rules.filter((rule) => isKeptAlways(rule, update) || !removed.has(sourceKey(rule))),
      );
    }
    case 'addDirectories':
      return { ...context, roots: [...context.roots, ...foldersOf(update)] };
    case 'removeDirectories':
      return { ...context, roots: withoutFolders(context.roots, foldersOf(update)) };
    default:
      update satisfies never;
      throw unusable(`its type is ${JSON.stringify((update as { readonly type?: unknown } | null)?.type)}`);
  }
}

/** What managed settings deny and ask about nobody takes back. */
function isKeptAlways({ origin }: PermissionRule, { behavior }: { readonly behavior: string }): boolean {
  return origin === 'managed' && behavior !== 'allow';
}

/** The answer is the caller's code, maybe untyped: what it means is not guessed, since rules depend on it. */
function unusable(why: string): ConfigError {
  return new ConfigError(`A permission update is not one that is known: ${why}.`);
}

/** A name with a slash behind it, or a way back in it, is the same folder. */
function withoutFolders(roots: readonly string[], folders: readonly string[]): readonly string[] {
  const plain = (folder: string) => path.normalize(`${folder}${path.sep}`);
  const gone = new Set(folders.map(plain));
  return roots.filter((root) => !gone.has(plain(root)));
}

function foldersOf({ directories }: { readonly directories: readonly string[] }): readonly string[] {
  if (Array.isArray(directories) && directories.every((folder) => typeof folder === 'string')) return directories;
  throw unusable('its directories are not a list of paths');
}

function withRules(
  context: PermissionContext,
  behavior: 'allow' | 'deny' | 'ask',
  change: (rules: readonly PermissionRule[]) => readonly PermissionRule[],
): PermissionContext {
  if (!BEHAVIORS.includes(behavior)) throw unusable(`its behavior is ${JSON.stringify(behavior)}`);
  return { ...context, [behavior]: change(context[behavior]) };
}

/** Two ways to write one rule have one key. */
function ruleKey(value: PermissionRuleValue): string {
  return sourceKey(parseRule(ruleText(value)));
}

function sourceKey({ toolName, source }: PermissionRule): string {
  const at = source.indexOf('(');
  return at === -1 ? currentToolName(toolName) : `${currentToolName(toolName)}${source.slice(at)}`;
}
