// What a session has read that nobody vouches for, and what the policy on untrusted content makes of that. One rule: one
// list for the session and all its agents, which only grows until the conversation is cleared. Loaded if there is a policy.
import { isAbsolute } from 'node:path';
import type { GateCall } from '../../engine/state/index.js';
import type { PermissionContext, PermissionDecision } from '../../permissions/permission-call.js';
import { parseRule } from '../../permissions/rule.js';
import {
  broughtIn,
  describeSources,
  fileSource,
  restrictUntrusted,
  type UntrustedPolicy,
} from '../../permissions/untrusted-content.js';
import type { ContentSource, UntrustedContentOptions } from '../../protocol/options.js';
import { isRecord } from '../../util/json.js';
import { type PendingNotice, type QueryEngineConfig, refuse } from '../config/index.js';
import type { Message } from '../messages/index.js';

export interface Provenance {
  /** The sources of untrusted texts of the conversation, the oldest first, each once. */
  readonly sources: readonly ContentSource[];
  /** As `restrictUntrusted`, for what the conversation holds. Null: there are no rules. */
  restrict(rules: PermissionContext | null, call: GateCall, decision: PermissionDecision): PermissionDecision;
  /** A call runs: what it brings in counts from now on. */
  note(rules: PermissionContext | null, call: GateCall): void;
  /** A file that a prompt brings along, absolute, links resolved. */
  noteFile(file: string): void;
  /** True if instruction files of the folder are files of others. */
  readonly isForeign: boolean;
  /** A text of that source is in the conversation, whatever the rules say. */
  add(source: ContentSource): void;
  /** The conversation is empty. */
  clear(): void;
}

interface ProvenanceOptions {
  readonly policy: UntrustedContentOptions;
  readonly cwd: string;
  /** True if somebody vouches for the folder as a whole. */
  readonly isVouched: boolean;
  /** What the conversation of before held; undefined if nobody kept it. */
  readonly kept: readonly ContentSource[] | undefined;
  /** The conversation of before. */
  readonly messages: readonly Message[];
  /** Those of the session's own agent; null if there are none. */
  readonly rules: () => PermissionContext | null;
  /** Told once, with the first of them. */
  readonly tell: (notice: PendingNotice) => void;
}

/** Sources that are kept by name; more are one more. */
const MAX_SOURCES = 200;

/** Of a session with a policy. @throws ConfigError for a rule that is none */
export function openSessionProvenance(
  { untrustedContent: policy, cwd, initialMessages, resumedState, isFolderGranted = false }: QueryEngineConfig,
  place: Pick<ProvenanceOptions, 'rules' | 'tell'>,
): Provenance | null {
  if (policy === undefined) return null;
  const before = { kept: resumedState?.untrusted, messages: initialMessages ?? [] };
  return openProvenance({ policy, cwd, isVouched: isFolderGranted, ...before, ...place });
}

function openProvenance(options: ProvenanceOptions): Provenance {
  const { policy: given, cwd, kept, messages, rules: rulesNow, tell } = options;
  const policy = readPolicy(given, cwd, options.isVouched);
  const known = new Map<string, ContentSource>();
  const noRules: PermissionContext = { mode: 'default', deny: [], ask: [], allow: [], roots: [cwd], isTrusted: false };
  const add = (source: ContentSource): void => {
    const key = `${source.kind} ${source.name}`;
    if (known.has(key) || known.size >= MAX_SOURCES) return;
    known.set(key, source);
    if (known.size === 1) tell(firstNotice(policy, source));
  };
  for (const source of kept ?? earlier(messages)) add(source);
  return {
    get sources() {
      return [...known.values()];
    },
    restrict(rules, call, decision) {
      if (known.size === 0) return decision;
      return restrictUntrusted(policy, rules ?? noRules, call, decision, [...known.values()]);
    },
    note(rules, call) {
      const source = broughtIn(policy, rules ?? noRules, call);
      if (source !== null) add(source);
    },
    noteFile(file) {
      const source = isAbsolute(file) ? fileSource(policy, rulesNow() ?? noRules, file) : null;
      if (source !== null) add(source);
    },
    isForeign: policy.files === 'untrusted' && !policy.isVouched,
    add,
    clear: () => known.clear(),
  };
}

/** @throws ConfigError for what is no policy, and for a rule that is none */
export function readPolicy(options: UntrustedContentOptions, base: string, isVouched: boolean): UntrustedPolicy {
  checkUntrusted(options);
  const { policy, files = 'untrusted', allow, deny, trust, distrust } = options;
  const rules = (list: readonly string[] = []) => list.map((rule) => parseRule(rule, { base }));
  return {
    ...{ policy, files, isVouched },
    allow: rules(allow),
    deny: rules(deny),
    trust: rules(trust),
    distrust: rules(distrust),
  };
}

/** What a caller without types gives. @throws ConfigError */
function checkUntrusted(value: unknown): void {
  if (!isRecord(value))
    refuse('untrustedContent', value, "Give { policy: 'ask' }, with rules if some calls are exempt");
  const { policy, files } = value;
  if (!['ask', 'deny', 'tell'].some((name) => name === policy))
    refuse('untrustedContent.policy', policy, 'It is ask, deny or tell');
  if (files !== undefined && !['untrusted', 'outside', 'all'].some((name) => name === files))
    refuse('untrustedContent.files', files, 'It is untrusted, outside or all');
  for (const [name, rules] of Object.entries(value)) {
    if (name === 'policy' || name === 'files') continue;
    if (!['allow', 'deny', 'trust', 'distrust'].includes(name))
      refuse(`untrustedContent.${name}`, rules, 'There is policy, files, allow, deny, trust and distrust');
    if (!Array.isArray(rules) || rules.some((rule) => typeof rule !== 'string'))
      refuse(`untrustedContent.${name}`, rules, 'Give a list of permission rules');
  }
}

/**
 * One source without a name if tools or a summary are part of the conversation: nobody kept where those texts came
 * from.
 */
function earlier(messages: readonly Message[]): readonly ContentSource[] {
  const isUnclear = messages.some((message) => {
    if (message.type !== 'user') return false;
    if (message.isCompactSummary === true) return true;
    const { content } = message.message;
    return typeof content !== 'string' && content.some((block) => block.type === 'tool_result');
  });
  return isUnclear ? [{ kind: 'earlier', name: 'what was said before the session was resumed' }] : [];
}

function firstNotice({ policy }: UntrustedPolicy, source: ContentSource): PendingNotice {
  const follows =
    policy === 'deny'
      ? 'calls that could carry something out of the workspace are denied'
      : policy === 'ask'
        ? 'a person is asked about each call that could carry something out of the workspace'
        : 'whoever is asked about a call hears of it';
  return {
    code: 'untrusted_content',
    level: 'info',
    message: `The conversation holds ${describeSources([source])}. From here on ${follows}.`,
  };
}
