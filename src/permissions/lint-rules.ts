// What is wrong with rules that are understood: they never count, count twice, or allow more than they look like. Pure.
import { currentToolName } from '../protocol/tool-names.js';
import { protectedPart } from './paths.js';
import { type PermissionRule, startsElsewhere } from './rule.js';
import { RUNS_ANYTHING } from './suggest.js';

export interface RuleFault {
  readonly behavior: 'allow' | 'deny' | 'ask';
  readonly rule: PermissionRule;
  readonly kind: 'too_wide' | 'never_counts' | 'twice' | 'one_call';
  readonly problem: string;
}

interface Rules {
  readonly allow: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
}

/** Words of a command that nobody types twice. */
const MANY_WORDS = 8;

export function lintRules(rules: Rules): RuleFault[] {
  const faults: RuleFault[] = [];
  for (const behavior of ['deny', 'ask', 'allow'] as const) {
    const seen = new Set<string>();
    for (const rule of rules[behavior]) {
      const add = (kind: RuleFault['kind'], problem: string) => void faults.push({ behavior, rule, kind, problem });
      const key = keyOf(rule);
      if (seen.has(key)) add('twice', 'it stands there twice');
      seen.add(key);
      const stronger = strongerRule(rules, behavior, rule);
      const elsewhere = startsElsewhere(rule);
      if (stronger !== null) add('never_counts', `${stronger.source} beats it wherever it applies`);
      else if (elsewhere !== null) add('never_counts', elsewhere);
      else if (behavior === 'allow' && isGuarded(rule))
        add('never_counts', 'what it names configures what runs later, so a change to it is asked about all the same');
      else if (behavior === 'allow') {
        const wide = whyTooWide(rule);
        if (wide !== null) add('too_wide', wide);
        else if (isOneCall(rule))
          add('one_call', 'it fits one command word for word; a pattern would save more questions');
      }
    }
  }
  return faults;
}

/** A rule of a stronger list that applies wherever this one does. */
function strongerRule(rules: Rules, behavior: RuleFault['behavior'], rule: PermissionRule): PermissionRule | null {
  const lists = behavior === 'allow' ? [rules.deny, rules.ask] : behavior === 'ask' ? [rules.deny] : [];
  for (const list of lists) {
    const found = list.find(
      (other) =>
        keyOf(other) === keyOf(rule) || (other.content === null && currentToolName(other.toolName) === toolOf(rule)),
    );
    if (found !== undefined) return found;
  }
  return null;
}

/** No rule allows a change of a protected file. */
function isGuarded({ content, toolName }: PermissionRule): boolean {
  if (content?.kind !== 'path' || !WRITERS.has(toolName)) return false;
  const { source } = content.pattern;
  return protectedPart([], source.replace(/\/?\*+$/, '')) !== null;
}

const WRITERS: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);

function whyTooWide({ toolName, content }: PermissionRule): string | null {
  if (content === null) {
    if (toolName === 'Bash') return 'it allows every command, whatever it does';
    if (toolName === 'mcp__') return 'it allows every tool of every server';
    return ['Edit', 'Write', 'NotebookEdit'].includes(toolName) ? 'it allows changes anywhere on the machine' : null;
  }
  if (content.kind === 'path') {
    const { anchor, spelled, source } = content.pattern;
    const isAll = spelled === '' && /^(?:\/\/|~\/?)(?:\*\*?(?:\/\*\*?)*)?$/.test(source);
    return isAll && anchor !== 'base'
      ? `it covers ${anchor === 'home' ? 'all of the home folder' : 'the whole machine'}`
      : null;
  }
  if (content.kind !== 'command' || content.pattern.kind === 'exact') return null;
  const [program = '', second = ''] = content.pattern.text.replace(/:\*$/, '').split(/\s+/);
  if (program.includes('*')) return 'it begins with a wildcard, so it covers whatever a command begins with';
  if (RUNS_ANYTHING.has(program)) return `${program} runs whatever it is told, so it allows every program`;
  const isRunner = ['npx', 'npm exec', 'docker run', 'kubectl exec', 'git -c'].includes(`${program} ${second}`.trim());
  return isRunner ? `${program} ${second} runs whatever it is told, so it allows every program` : null;
}

function isOneCall({ content }: PermissionRule): boolean {
  if (content?.kind !== 'command' || content.pattern.kind !== 'exact') return false;
  return content.pattern.text.split(/\s+/).length >= MANY_WORDS || /["'\\]/.test(content.pattern.text);
}

function toolOf(rule: PermissionRule): string {
  return currentToolName(rule.toolName);
}

function keyOf(rule: PermissionRule): string {
  const at = rule.source.indexOf('(');
  return `${toolOf(rule)}${at === -1 ? '' : rule.source.slice(at).replace(/:\*\)$/, ' *)')}`;
}
