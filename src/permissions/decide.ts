// The permission decision: one pure function. What asks, who answers and what happens then is elsewhere.
import type { PermissionDecisionReasonType } from '../protocol/permissions.js';
import { matchesHostPattern, parseHostPattern, readAddress, usualHost, type WebAddress } from '../util/web-address.js';
import {
  allowedParts,
  commandSafety,
  fileSafety,
  hiddenFromRules,
  isExcluded,
  onlyEdits,
  onlyReads,
  restrictingMatch,
  untrustedStarts,
} from './decide-command.js';
import { matchesDomain } from './domain-pattern.js';
import { allowingRule, isHarmless, isInWorkspace, restrictingRule } from './match-files.js';
import type {
  CallSubject,
  CommandSubject,
  PermissionCall,
  PermissionContext,
  PermissionDecision,
  TouchedFile,
} from './permission-call.js';
import { type PermissionRule, ruleMatchesTool } from './rule.js';
import { suggestionsFor } from './suggest.js';
import { allowsName, restrictsName, restrictsTool } from './tool-rule.js';

type Ask = Omit<PermissionDecision, 'behavior' | 'suggestions'>;

/**
 * Decides one tool call. Pure: reads nothing but its arguments. The first that applies wins: deny rules, what is always
 * asked for (protected paths, critical removals), ask rules, plan mode, bypass, the sandbox, accepted edits, allow
 * rules, harmless calls; what is left asks.
 * Contract: deny beats ask beats allow, whatever is more specific; an allow for a path needs the path as written and its
 * real path; of a command that is not provably static, a rule must spell out what cannot be told; no mode approves a
 * write to a protected path or a critical removal; never throws.
 * @returns the behaviour with the rule, the part of the command and the reason that decided it
 */
export function decidePermission(given: PermissionContext, call: PermissionCall): PermissionDecision {
  const context: PermissionContext =
    given.mode === 'auto' && given.disableAuto === true ? { ...given, mode: 'default' } : given;
  const isPlan = call.exitsPlan === true || call.entersPlan === true;
  const decision = isPlan ? decidePlan(context, call) : decide(context, call);
  const { subject } = call;
  return subject.kind === 'command' && context.sandbox !== undefined && runsOutside(context, subject)
    ? { ...decision, outsideSandbox: true }
    : decision;
}

/** Nobody but the user approves a plan. */
const PLAN_IS_SHOWN: PermissionDecision = {
  behavior: 'ask',
  reasonType: 'mode',
  reason: 'the user approves the plan',
  isFirm: true,
};

const NO_PLAN_MODE: PermissionDecision = {
  behavior: 'deny',
  reasonType: 'mode',
  reason: 'the session is not in plan mode, so there is nothing to leave; go on with the task',
};

const PLAN_IS_BEGUN: PermissionDecision = {
  behavior: 'ask',
  reasonType: 'mode',
  reason: 'the user says whether to plan first',
  isFirm: true,
};

const PLANS_ALREADY: PermissionDecision = {
  behavior: 'deny',
  reasonType: 'mode',
  reason: 'the session is in plan mode already; go on with the plan',
};

/** What a rule denies is not shown; no rule and no mode approves a plan. */
function decidePlan(context: PermissionContext, call: PermissionCall): PermissionDecision {
  const decision = decide(context, call);
  if (decision.behavior === 'deny') return decision;
  if (call.entersPlan === true) return context.mode === 'plan' ? PLANS_ALREADY : PLAN_IS_BEGUN;
  return context.mode === 'plan' ? PLAN_IS_SHOWN : NO_PLAN_MODE;
}

function decide(context: PermissionContext, given: PermissionCall): PermissionDecision {
  const { mode } = context;
  const call = withoutHeld(context, given);
  const denied = restriction(context.deny, context, call);
  if (denied !== null) return { behavior: 'deny', ...denied, reason: `${denied.rule} is denied by a rule` };

  if (isPlanFile(context, call)) return allow('mode', 'in plan mode the plan may be written');

  const outside = keptInside(context, call);
  if (outside !== null) return outside;

  const guarded = call.confines === true ? { reason: CONFINES } : safety(context, call);
  if (guarded !== null) return ask(context, call, { reasonType: 'safetyCheck', ...guarded, isFirm: true });

  const asked = restriction(context.ask, context, call);
  if (asked !== null)
    return ask(context, call, { ...asked, reason: `${asked.rule} must be asked for, by a rule`, isFirm: true });
  const { subject } = call;
  const reads = isHarmlessRead(context, call);
  if (mode === 'plan' && !reads && !call.readOnly)
    return {
      behavior: 'deny',
      reasonType: 'mode',
      reason: 'plan mode changes nothing but the plan; present the plan instead',
    };
  // What may be what a rule denies or asks about is not run on the strength of a mode or of another rule.
  const hidden = subject.kind === 'command' ? hiddenHere(context, subject) : null;
  if (hidden !== null) return ask(context, call, { reasonType: 'rule', reason: hidden, isFirm: true });
  const untold = subject.kind === 'command' ? untoldOutside(context, subject) : null;
  if (untold !== null) return ask(context, call, { reasonType: 'workingDir', reason: untold, isFirm: true });
  const starts = startsOutside(context, call);
  if (starts !== null) return ask(context, call, { reasonType: 'safetyCheck', ...starts });
  const skipsQuestions = mode === 'bypassPermissions' || mode === 'yolo';
  if (skipsQuestions && context.disableBypass !== true) return allow('mode', `mode ${mode}`);
  if (call.mustAsk !== undefined)
    return ask(context, call, { reasonType: 'safetyCheck', reason: call.mustAsk, isFirm: true });

  if (subject.kind === 'command' && context.sandbox !== undefined) {
    const { autoAllowBash, allowUnsandboxed } = context.sandbox;
    if (subject.unsandboxed === true && allowUnsandboxed)
      return ask(context, call, {
        reasonType: 'sandboxOverride',
        reason: 'it asks to run outside the sandbox',
        isFirm: true,
      });
    if (autoAllowBash && !runsOutside(context, subject)) return allow('other', 'it runs inside the sandbox');
  }

  const acceptsEdits = mode === 'acceptEdits' || (mode === 'auto' && context.hasHardDenials !== true);
  if (acceptsEdits && isEdit(context, call)) return allow('mode', 'edits in the workspace are accepted');
  return byAllowRules(context, call, reads);
}

/** A file that cannot be told, or is behind a link that a command goes through, may lie outside of what settings keep it in. */
function untoldOutside(context: PermissionContext, { files = [] }: CommandSubject): string | null {
  const { blockReadsOutside = false, blockWritesOutside = false } = context;
  if (!blockReadsOutside && !blockWritesOutside) return null;
  for (const { access, path, reach, program } of files) {
    const isRead = access === 'read';
    if (!(isRead ? blockReadsOutside : blockWritesOutside) || (path !== null && reach !== 'through')) continue;
    const setting = `permissions.${isRead ? 'blockReads' : 'blockWrites'}OutsideWorkingDirectories`;
    return `which file ${program ?? 'the shell'} ${isRead ? 'reads' : 'changes'} cannot be told, and settings (${setting}) keep that in the workspace`;
  }
  return null;
}

/** What settings keep in the workspace is denied, by a file tool or by a command that names the file. */
function keptInside(context: PermissionContext, { subject }: PermissionCall): PermissionDecision | null {
  const { blockReadsOutside = false, blockWritesOutside = false, roots } = context;
  if (!blockReadsOutside && !blockWritesOutside) return null;
  const isKept = (access: TouchedFile['access']) => (access === 'read' ? blockReadsOutside : blockWritesOutside);
  const deny = (path: string, access: TouchedFile['access']): PermissionDecision => ({
    behavior: 'deny',
    reasonType: 'workingDir',
    reason: `${path} is outside the workspace, and settings (permissions.${access === 'read' ? 'blockReads' : 'blockWrites'}OutsideWorkingDirectories) keep that in it. The user can add its folder with /add-dir`,
    blockedPath: path,
  });
  if (subject.kind === 'path')
    return isKept(subject.access) && !isInWorkspace(roots, subject) ? deny(subject.path, subject.access) : null;
  if (subject.kind !== 'command') return null;
  for (const file of subject.files ?? []) {
    const { path, realPath, access } = file;
    if (!isKept(access) || isHarmless(file) || path === null) continue;
    if (!isInWorkspace(roots, { path, realPath: realPath ?? path, access })) return deny(path, access);
  }
  return null;
}

/** By what `~` means in a rule to whoever wrote it, and to the command. */
function hiddenHere(context: PermissionContext, subject: CommandSubject): string | null {
  const { home } = subject;
  return (
    hiddenFromRules(context, subject) ?? (home === undefined ? null : hiddenFromRules({ ...context, home }, subject))
  );
}

const CONFINES = 'it changes the settings that calls are held against';

/** By both names: a link that was put in its place later is another file. */
function isPlanFile({ mode, planFile }: PermissionContext, { subject }: PermissionCall): boolean {
  if (mode !== 'plan' || planFile === undefined || subject.kind !== 'path') return false;
  return subject.path === planFile.path && subject.realPath === planFile.realPath;
}

/** In the sandbox what a repository starts is confined as the command is. */
function startsOutside(context: PermissionContext, { subject }: PermissionCall): ReturnType<typeof untrustedStarts> {
  if (subject.kind !== 'command' || !runsOutside(context, subject)) return null;
  return untrustedStarts(subject);
}

/** In the sandbox nothing protected is written, whatever an archive holds. */
function withoutHeld(context: PermissionContext, call: PermissionCall): PermissionCall {
  const { subject } = call;
  if (context.sandbox === undefined || subject.kind !== 'command' || subject.files === undefined) return call;
  if (!subject.files.some(({ isUnpacked }) => isUnpacked === true) || runsOutside(context, subject)) return call;
  return { ...call, subject: { ...subject, files: subject.files.filter(({ isUnpacked }) => isUnpacked !== true) } };
}

/** What the allow rules leave is harmless, or asked about. */
function byAllowRules(context: PermissionContext, call: PermissionCall, reads: boolean): PermissionDecision {
  const { subject, toolName } = call;
  const address = subject.kind === 'url' ? readAddress(subject.url) : null;
  if (address !== null) return byAddress(context, call, address);
  const whole = context.allow.find((rule) => ruleMatchesTool(rule, toolName));
  if (whole !== undefined) return allowedBy(whole.source);
  if (reads) return allow('other', 'reads only, inside the workspace');
  if (subject.kind === 'path') {
    const rule = allowingRule(context.allow, subject, toolName, context);
    if (rule !== null) return allowedBy(rule.source);
    if (!isInWorkspace(context.roots, subject))
      return ask(context, call, { reasonType: 'workingDir', reason: `${subject.path} is outside the workspace` });
  }
  if (subject.kind === 'command') {
    const parts = allowedParts(context, subject);
    if (parts.isAllowed) return allowedBy(parts.rule);
    const { why, subcommand, blockedPath } = parts;
    return ask(context, call, {
      reasonType: blockedPath === undefined ? 'other' : 'workingDir',
      reason: why,
      ...(subcommand === undefined ? {} : { subcommand }),
      ...(blockedPath === undefined ? {} : { blockedPath }),
    });
  }
  if (subject.kind === 'name') {
    const rule = context.allow.find((candidate) => allowsName(candidate, toolName, subject.name));
    if (rule !== undefined) return allowedBy(rule.source);
  }
  return ask(context, call, { reasonType: 'other', reason: `${toolName} needs approval` });
}

/** An address that is not of the public internet is allowed only by a rule that names it. */
function byAddress(context: PermissionContext, call: PermissionCall, address: WebAddress): PermissionDecision {
  if (address.kind === 'unusable')
    return ask(context, call, { reasonType: 'safetyCheck', reason: `the address cannot be trusted: ${address.why}` });
  const { privateHosts } = context;
  // What would be refused all the same is not asked about.
  if (!address.isPublic && privateHosts !== undefined && !privateHosts.some((text) => opensHost(text, address)))
    return {
      behavior: 'deny',
      reasonType: 'safetyCheck',
      reason: `${address.host} is not on the public internet, and only the user can allow that: in the setting web.privateHosts`,
    };
  const named = context.allow.find((rule) => meansHost(rule, call.toolName, address.host));
  if (named !== undefined) return allowedBy(named.source);
  if (!address.isPublic)
    return ask(context, call, {
      reasonType: 'safetyCheck',
      reason: `${address.host} is not on the public internet`,
    });
  const whole = context.allow.find((rule) => ruleMatchesTool(rule, call.toolName));
  if (whole !== undefined) return allowedBy(whole.source);
  return ask(context, call, { reasonType: 'other', reason: `no rule allows ${address.host}` });
}

interface Restriction {
  readonly reasonType: PermissionDecisionReasonType;
  readonly rule: string;
  readonly subcommand?: string;
  readonly blockedPath?: string;
}

/** The first of the rules that speaks of the call or of a part of it. */
function restriction(
  rules: readonly PermissionRule[],
  context: PermissionContext,
  { toolName, subject }: PermissionCall,
): Restriction | null {
  if (rules.length === 0) return null;
  const whole = rules.find((rule) => restrictsTool(rule, toolName));
  if (whole !== undefined) return { reasonType: 'rule', rule: whole.source };
  switch (subject.kind) {
    case 'command': {
      const { home } = subject;
      const match =
        restrictingMatch(rules, subject, context) ??
        (home === undefined ? null : restrictingMatch(rules, subject, { ...context, home }));
      if (match === null) return null;
      const { rule, ...part } = match;
      return { reasonType: isOneCommand(subject) ? 'rule' : 'subcommandResults', rule: rule.source, ...part };
    }
    case 'path': {
      const rule = restrictingRule(rules, subject, context);
      return rule === null ? null : { reasonType: 'rule', rule: rule.source, blockedPath: subject.path };
    }
    case 'url': {
      const address = readAddress(subject.url);
      // A host that cannot be read may be any.
      const speaks = (rule: PermissionRule) =>
        address.kind === 'address'
          ? deniesHost(rule, toolName, address.host)
          : rule.content?.kind === 'domain' && rule.toolName === toolName;
      const rule = rules.find(speaks);
      return rule === undefined ? null : { reasonType: 'rule', rule: rule.source };
    }
    case 'name': {
      const rule = rules.find((each) => restrictsName(each, toolName, subject.name));
      return rule === undefined ? null : { reasonType: 'rule', rule: rule.source };
    }
    case 'external': {
      const { ofServer } = subject;
      const rule = ofServer === undefined ? undefined : rules.find((each) => restrictsTool(each, ofServer));
      return rule === undefined ? null : { reasonType: 'rule', rule: rule.source };
    }
    case 'none':
      return null;
    default:
      return subject satisfies never;
  }
}

function safety(
  context: PermissionContext,
  { subject }: PermissionCall,
): { readonly reason: string; readonly blockedPath?: string } | null {
  if (subject.kind === 'command') return commandSafety(context, subject, !runsOutside(context, subject));
  if (subject.kind !== 'path') return null;
  for (const target of [subject.path, subject.realPath]) {
    const reason = fileSafety(context, subject, target);
    if (reason !== null) return { reason, blockedPath: subject.path };
  }
  return null;
}

/** A call that reads and touches nothing outside. A server may touch anything, so its calls never are. */
function isHarmlessRead(context: PermissionContext, { subject, readOnly }: PermissionCall): boolean {
  if (subject.kind === 'command') return onlyReads(context, subject);
  if (!readOnly) return false;
  if (subject.kind === 'name') return subject.isText === true;
  if (subject.kind !== 'path') return subject.kind === 'none';
  return isInWorkspace(context.roots, subject) || isResult(context, subject);
}

/** What the session kept of its own calls, and told the model to read. */
function isResult({ resultsFolder }: PermissionContext, subject: Extract<CallSubject, { kind: 'path' }>): boolean {
  return resultsFolder !== undefined && subject.access === 'read' && isInWorkspace([resultsFolder], subject);
}

function isEdit(context: PermissionContext, { subject }: PermissionCall): boolean {
  if (subject.kind === 'command') return context.mode === 'acceptEdits' && onlyEdits(context, subject);
  return subject.kind === 'path' && subject.access === 'write' && isInWorkspace(context.roots, subject);
}

function isAutoApprovable(context: PermissionContext, call: PermissionCall, why: Ask): boolean {
  if (why.isFirm === true) return false;
  if (context.mode !== 'auto' && isEdit({ ...context, mode: 'auto' }, call)) return true;
  return context.isJudged === true && why.reasonType !== 'safetyCheck' && isWholeTold(call);
}

/** True if a judge sees all that matters: which programs start, and which files they change. */
function isWholeTold({ subject }: PermissionCall): boolean {
  if (subject.kind !== 'command') return true;
  const { reading, files = [] } = subject;
  if (reading === undefined || reading.programs.some(({ name }) => name === null)) return false;
  return files.every(({ access, path }) => access === 'read' || path !== null);
}

function runsOutside({ sandbox, roots }: PermissionContext, subject: CommandSubject): boolean {
  if (sandbox === undefined) return true;
  return (subject.unsandboxed === true && sandbox.allowUnsandboxed) || isExcluded(sandbox.excluded, subject, roots);
}

function isOneCommand({ reading }: CommandSubject): boolean {
  return (reading?.programs.length ?? 0) <= 1;
}

function meansHost({ content, toolName }: PermissionRule, tool: string, host: string): boolean {
  return content?.kind === 'domain' && toolName === tool && matchesDomain(content.pattern, host);
}

/** Also of an address in another spelling: one of version 4 within version 6 leads to the same machine. */
function deniesHost(rule: PermissionRule, tool: string, host: string): boolean {
  if (meansHost(rule, tool, host)) return true;
  if (rule.content?.kind !== 'domain' || rule.toolName !== tool) return false;
  return !rule.content.pattern.below && usualHost(rule.content.pattern.host) === usualHost(host);
}

function opensHost(text: string, { host, url }: Extract<WebAddress, { kind: 'address' }>): boolean {
  const pattern = parseHostPattern(text);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return pattern !== null && matchesHostPattern(pattern, host, port);
}

function allow(reasonType: PermissionDecisionReasonType, reason: string): PermissionDecision {
  return { behavior: 'allow', reasonType, reason };
}

function allowedBy(rule: string): PermissionDecision {
  return { ...allow('rule', `${rule} is allowed by a rule`), rule };
}

function ask(context: PermissionContext, call: PermissionCall, given: Ask): PermissionDecision {
  const { subject } = call;
  const starts = startsOutside(context, call);
  // Whoever is asked hears all that a yes lets start.
  const reason =
    starts === null || starts.reason === given.reason ? given.reason : `${given.reason}; and ${starts.reason}`;
  const why = starts === null ? given : { ...given, ...starts, reason, isFirm: true };
  const suggested = suggestionsFor(context, call, why);
  const suggestions =
    context.onlyManagedRules === true ? suggested.filter(({ type }) => type !== 'addRules') : suggested;
  return {
    behavior: 'ask',
    ...(subject.kind === 'path' ? { blockedPath: subject.path } : {}),
    ...why,
    ...(isAutoApprovable(context, call, why) ? { isAutoApprovable: true } : {}),
    ...(suggestions.length === 0 ? {} : { suggestions }),
  };
}
