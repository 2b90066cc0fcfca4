// What is said of a call that was refused without anybody being asked. One rule: people are told how it would be allowed,
// by the narrowest rule and once; the model is told what stood in the way and what it may do instead.
import type { GateCall } from '../../engine/state/index.js';
import type { PermissionContext, PermissionDecision } from '../../permissions/permission-call.js';
import { ruleText } from '../../permissions/rule.js';
import { exactRules } from '../../permissions/suggest.js';
import { shorten } from '../../util/text.js';

export interface RefusalTexts {
  readonly model: string;
  readonly people: string;
}

interface Advising {
  readonly advised: Set<string>;
  rules(): PermissionContext | null;
}

/** Of a call that a rule, a mode, a hook or a judge denied. */
export function deniedTexts(call: GateCall, decision: PermissionDecision): RefusalTexts {
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
export function unaskedTexts(
  source: Advising,
  call: GateCall,
  decision: PermissionDecision,
  why: string,
): RefusalTexts {
  const said = `${call.toolName} was denied: ${decision.reason}, and ${why}.`;
  const advice = adviceOf(source.rules(), call, decision);
  if (advice === null || source.advised.has(advice)) return { model: `${said} ${insteadOf(call)}`, people: said };
  source.advised.add(advice);
  return { model: `${said} ${insteadOf(call)}`, people: `${said} ${advice}` };
}

/** The part that a rule speaks of, where the line has others. */
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

/** How people would allow the call; null where no rule and no mode would. */
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
