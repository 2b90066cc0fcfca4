// What untrusted content may lead to: which calls bring such content in, and which could carry something out. Pure. One
// rule: what cannot be proven to stay inside the workspace may leave it, and what cannot be proven to be ours is not.
import type { ContentSource } from '../protocol/options.js';
import { shorten } from '../util/text.js';
import { readAddress } from '../util/web-address.js';
import { decidePermission } from './decide.js';
import { allowedParts, commandSafety, fileSafety, onlyEdits, onlyReadsAnywhere } from './decide-command.js';
import { matchesDomain } from './domain-pattern.js';
import { allowingRule, isInWorkspace, namedFile, restrictingRule } from './match-files.js';
import type { CommandSubject, PermissionCall, PermissionContext, PermissionDecision } from './permission-call.js';
import type { PermissionRule } from './rule.js';

/** The policy with its rules read. */
export interface UntrustedPolicy {
  readonly policy: 'ask' | 'deny' | 'tell';
  readonly files: 'untrusted' | 'outside' | 'all';
  /** True if somebody vouches for the folder as a whole. */
  readonly isVouched: boolean;
  readonly allow: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
  readonly trust: readonly PermissionRule[];
  readonly distrust: readonly PermissionRule[];
}

/** A call as far as its content goes. `input`: for tools whose subject does not say whom they reach. */
export type ContentCall = PermissionCall & {
  readonly input?: Readonly<Record<string, unknown>>;
  readonly asksUser?: boolean;
};

/** Sources that a question names. */
const MAX_NAMED = 3;

/**
 * What becomes of a call under the policy, given what the conversation holds.
 * Contract: pure; never looser than `decision`; what a person may answer nobody else may.
 * @param sources none: the decision stands
 */
export function restrictUntrusted(
  policy: UntrustedPolicy,
  context: PermissionContext,
  call: ContentCall,
  decision: PermissionDecision,
  sources: readonly ContentSource[],
): PermissionDecision {
  if (sources.length === 0 || decision.behavior === 'deny') return decision;
  const carries = carriesOut(policy, context, call);
  if (carries === null) return decision;
  const why = `the conversation holds ${describeSources(sources)}, and ${carries}`;
  if (policy.policy === 'tell')
    return decision.behavior === 'ask' ? { ...decision, reason: `${decision.reason}; ${why}` } : decision;
  const { outsideSandbox, blockedPath } = decision;
  const said = {
    reasonType: 'safetyCheck',
    reason: decision.behavior === 'ask' ? `${why}; besides, ${decision.reason}` : why,
    ...(outsideSandbox === undefined ? {} : { outsideSandbox }),
    ...(blockedPath === undefined ? {} : { blockedPath }),
  } as const;
  if (policy.policy === 'deny' || speaksOf(policy.deny, context, call)) return { behavior: 'deny', ...said };
  const { vouches } = decision;
  // No rule is an answer to it, so none is suggested.
  return { behavior: 'ask', ...said, isFirm: true, ...(vouches === undefined ? {} : { vouches }) };
}

/** For people: the sources of the texts. */
export function describeSources(sources: readonly ContentSource[]): string {
  const named = sources.slice(0, MAX_NAMED).map(describeSource);
  const more = sources.length - named.length;
  return `text that nobody vouches for (${named.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}

function describeSource({ kind, name }: ContentSource): string {
  switch (kind) {
    case 'web':
      return `from ${name}`;
    case 'server':
      return `from the MCP server ${name}`;
    case 'file':
      return `the file ${name}`;
    case 'commits':
      return `the history of ${name}`;
    case 'command':
      return `what ${name} printed`;
    case 'tool':
      return `from the tool ${name}`;
    case 'earlier':
      return name;
    default:
      return kind satisfies never;
  }
}

/** What the call could carry out of the workspace, to follow "and"; null if it stays inside, or the policy allows it. */
function carriesOut(policy: UntrustedPolicy, context: PermissionContext, call: ContentCall): string | null {
  if (call.asksUser === true || call.exitsPlan === true || call.entersPlan === true) return null;
  const carries = reachOf(policy, context, call);
  if (carries === null || decidePermission(bare(context, { allow: policy.allow }), call).behavior === 'allow')
    return null;
  return carries;
}

function reachOf(policy: UntrustedPolicy, context: PermissionContext, call: ContentCall): string | null {
  const { subject, toolName, readOnly } = call;
  if (call.confines === true) return `${toolName} would change the settings that calls are held against`;
  switch (subject.kind) {
    case 'name':
      return null;
    case 'none':
      return readOnly ? null : `${toolName} may change something outside`;
    case 'url':
      return `this would send a request to ${hostOf(subject.url)}`;
    case 'external':
      return `this would send something ${addresseeOf(call)}`;
    case 'path': {
      if (subject.access === 'read' || isPlanFile(context, subject)) return null;
      const guarded = fileSafety(context, subject, subject.path) ?? fileSafety(context, subject, subject.realPath);
      if (guarded !== null) return `this would change ${subject.path}: ${guarded}`;
      return isInWorkspace(context.roots, subject) ? null : `this would write ${subject.path}, outside the workspace`;
    }
    case 'command':
      return commandReach(policy, context, subject);
    default:
      return subject satisfies never;
  }
}

function commandReach(policy: UntrustedPolicy, context: PermissionContext, subject: CommandSubject): string | null {
  if (onlyReadsAnywhere(context, subject)) return null;
  const edits: PermissionContext = { ...context, mode: 'acceptEdits', keepsRemoved: true };
  const isEdit = onlyEdits(edits, subject) && commandSafety(context, subject, false) === null;
  if (isEdit || isHeld(policy, context, subject)) return null;
  const names = [
    ...new Set((subject.reading?.programs ?? []).map(({ name }) => name ?? 'a program that cannot be told')),
  ];
  const what = names.length === 0 ? 'what this command starts' : names.slice(0, MAX_NAMED).join(', ');
  return `${what} may send something, or change what lies outside`;
}

/** True if the sandbox keeps the command from all that the policy is about. */
function isHeld(policy: UntrustedPolicy, context: PermissionContext, subject: CommandSubject): boolean {
  const { sandbox } = context;
  if (sandbox?.reach == null) return false;
  const decision = decidePermission(bare(context, {}, sandbox), { toolName: 'Bash', readOnly: false, subject });
  if (decision.outsideSandbox === true) return false;
  return sandbox.reach.every((domain) => policy.allow.some((rule) => opensDomain(rule, domain)));
}

function opensDomain({ toolName, content, source }: PermissionRule, domain: string): boolean {
  if (toolName !== 'WebFetch') return false;
  if (content === null) return true;
  if (content.kind !== 'domain') return false;
  return domain.includes('*') ? source === `WebFetch(domain:${domain})` : matchesDomain(content.pattern, domain);
}

/** What the call would bring into the conversation that nobody vouches for; null if it brings nothing of that kind. */
export function broughtIn(
  policy: UntrustedPolicy,
  context: PermissionContext,
  call: ContentCall,
): ContentSource | null {
  const source = sourceOf(policy, context, call);
  if (source !== null) return isTrusted(policy, context, call) ? null : source;
  return bringsText(call) && speaksOf(policy.distrust, context, call) ? named(call) : null;
}

/** What a file brings in that a prompt names. */
export function fileSource(policy: UntrustedPolicy, context: PermissionContext, file: string): ContentSource | null {
  const subject = { kind: 'path', path: file, realPath: file, access: 'read' } as const;
  return broughtIn(policy, context, { toolName: 'Read', readOnly: true, subject });
}

function sourceOf(policy: UntrustedPolicy, context: PermissionContext, call: ContentCall): ContentSource | null {
  const { subject } = call;
  switch (subject.kind) {
    case 'none':
    case 'name':
      return null;
    case 'url':
    case 'external':
      return named(call);
    case 'path':
      return isPlanFile(context, subject) || isOurs(policy, context, subject) ? null : named(call);
    case 'command':
      return commandSource(policy, context, subject);
    default:
      return subject satisfies never;
  }
}

function named({ subject, toolName, input }: ContentCall): ContentSource {
  switch (subject.kind) {
    case 'url':
      return { kind: 'web', name: hostOf(subject.url) };
    case 'path':
      return { kind: 'file', name: plainName(subject.path) };
    case 'command':
      return { kind: 'command', name: programsOf(subject) };
    case 'external':
    case 'none':
    case 'name': {
      const server = serverOf(toolName, input);
      if (server !== null) return { kind: 'server', name: plainName(server) };
      if (toolName === 'WebSearch') return { kind: 'web', name: 'a search of the web' };
      return { kind: 'tool', name: plainName(toolName) };
    }
    default:
      return subject satisfies never;
  }
}

function bringsText({ subject }: ContentCall): boolean {
  return subject.kind !== 'none' && subject.kind !== 'name';
}

/** Git that says nothing but names of files and branches. */
const QUIET_GIT = new Set([
  'add',
  'branch',
  'checkout',
  'init',
  'ls-files',
  'mv',
  'restore',
  'rev-parse',
  'rm',
  'status',
  'switch',
]);

function commandSource(
  policy: UntrustedPolicy,
  context: PermissionContext,
  subject: CommandSubject,
): ContentSource | null {
  const loud = (subject.reading?.programs ?? []).find(({ isGit, words }) => isGit && !QUIET_GIT.has(words[1] ?? ''));
  if (loud !== undefined) return { kind: 'commits', name: 'the repository' };
  const edits: PermissionContext = { ...context, mode: 'acceptEdits', keepsRemoved: true, isTrusted: true };
  const isTold = onlyReadsAnywhere({ ...context, isTrusted: true }, subject) || onlyEdits(edits, subject);
  if (!isTold) return { kind: 'command', name: programsOf(subject) };
  for (const file of subject.files ?? []) {
    const place = namedFile(file);
    if (place === null) return { kind: 'command', name: programsOf(subject) };
    if (!isOurs(policy, context, place) && speakable(policy, context, place))
      return { kind: 'file', name: plainName(place.path) };
  }
  // What names no file may read the folder it stands in.
  return areOurs(policy) ? null : { kind: 'command', name: programsOf(subject) };
}

function programsOf({ reading }: CommandSubject): string {
  const names = [...new Set((reading?.programs ?? []).map(({ name }) => name ?? 'a program'))].slice(0, MAX_NAMED);
  return names.length === 0 ? 'a command' : plainName(names.join(', '));
}

/** True unless the rules `trust` speak for the file. */
function speakable(
  { trust, distrust }: UntrustedPolicy,
  context: PermissionContext,
  file: { readonly path: string; readonly realPath: string },
): boolean {
  const read = { ...file, access: 'read' } as const;
  if (restrictingRule(distrust, read, context) !== null) return true;
  return allowingRule(trust, read, 'Read', context) === null;
}

function isOurs(
  policy: UntrustedPolicy,
  { roots }: PermissionContext,
  file: { readonly path: string; readonly realPath: string },
): boolean {
  return areOurs(policy) && isInWorkspace(roots, { ...file, access: 'read' });
}

/** True if files of the workspace count as the user's own. */
function areOurs({ files, isVouched }: UntrustedPolicy): boolean {
  return files === 'outside' || (files === 'untrusted' && isVouched);
}

function isTrusted(policy: UntrustedPolicy, context: PermissionContext, call: ContentCall): boolean {
  if (policy.trust.length === 0 || speaksOf(policy.distrust, context, call)) return false;
  const { subject, toolName } = call;
  const trusting = bare(context, { allow: policy.trust });
  // A rule has to say so: that a call is harmless does not make what it reads ours.
  if (subject.kind === 'path')
    return allowingRule(policy.trust, { ...subject, access: 'read' }, toolName, context) !== null;
  if (subject.kind === 'command') {
    const parts = allowedParts(trusting, subject);
    return parts.isAllowed && parts.rule !== '' && (subject.reading?.unknown ?? null) === null;
  }
  return decidePermission(trusting, call).behavior === 'allow';
}

/** True if one of the rules means the call or a part of it. */
function speaksOf(rules: readonly PermissionRule[], context: PermissionContext, call: ContentCall): boolean {
  if (rules.length === 0) return false;
  const { behavior, rule } = decidePermission(bare(context, { deny: rules }), call);
  return behavior === 'deny' && rule !== undefined;
}

/** The workspace with no other rules than these. */
function bare(
  { roots, home, isTrusted: isVouched, planFile }: PermissionContext,
  { allow = [], deny = [] }: Partial<Pick<PermissionContext, 'allow' | 'deny'>>,
  sandbox?: PermissionContext['sandbox'],
): PermissionContext {
  return {
    mode: 'default',
    deny,
    ask: [],
    allow,
    roots,
    ...(home === undefined ? {} : { home }),
    ...(isVouched === undefined ? {} : { isTrusted: isVouched }),
    ...(planFile === undefined ? {} : { planFile }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

function isPlanFile({ planFile }: PermissionContext, subject: { readonly path: string; readonly realPath: string }) {
  return planFile !== undefined && subject.path === planFile.path && subject.realPath === planFile.realPath;
}

function hostOf(url: string): string {
  const address = readAddress(url);
  return address.kind === 'address' ? plainName(address.host) : 'an address that cannot be read';
}

function addresseeOf(call: ContentCall): string {
  const server = serverOf(call.toolName, call.input);
  if (server !== null) return `to the MCP server ${plainName(server)}`;
  return call.toolName === 'WebSearch' ? 'to a search of the web' : `by the tool ${plainName(call.toolName)}`;
}

/** The MCP server that the call goes to. */
function serverOf(toolName: string, input: Readonly<Record<string, unknown>> | undefined): string | null {
  const [, server] = /^mcp__(.+?)__/.exec(toolName) ?? [];
  if (server !== undefined) return server;
  return /Mcp/.test(toolName) ? (typeof input?.['server_name'] === 'string' ? input['server_name'] : 'any') : null;
}

/** Names come from those who must not be believed. */
function plainName(name: string): string {
  return shorten(name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?'), MAX_NAME);
}

const MAX_NAME = 120;
