// The rule that needs no reading: the name of a tool, which means all of its calls. A start
// whose options name tools loads no more than this; what reads more is in `rule.ts`.
import { currentToolName } from '../protocol/tool-names.js';
import { matchesStars } from '../util/star-text.js';

export type RuleOrigin = 'managed' | 'user' | 'project' | 'local' | 'flag' | 'cliArg' | 'session' | 'command';

/** Where a rule comes from. */
export interface RuleSetting {
  /** Default `session`. */
  readonly origin?: RuleOrigin;
  readonly base?: string;
}

/** A rule about all calls of a tool. */
export interface ToolRule {
  /** `Read`, `mcp__server__tool`, `mcp__server`, or `mcp__` for all servers; with stars for any signs. */
  readonly toolName: string;
  readonly content: null;
  /** The rule as it was written. */
  readonly source: string;
  /** Who said it. */
  readonly origin: RuleOrigin;
  /** Absolute folder that its path patterns start from. Null: the working directory of the session. */
  readonly base: string | null;
}

const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** Null: it is no name alone, so `parseRule` has to say what it means. */
export function toolRule(source: string, { origin = 'session', base }: RuleSetting = {}): ToolRule | null {
  const text = source.trim();
  if (!TOOL_NAME.test(text)) return null;
  return { toolName: currentToolName(text), content: null, source: text, origin, base: base ?? null };
}

/** True if a rule that denies or asks is about all calls of this tool, in whatever case it is written. */
export function restrictsTool(
  { content, toolName: named }: { readonly content: unknown; readonly toolName: string },
  toolName: string,
): boolean {
  if (content !== null) return false;
  if (meansTool(named, toolName)) return true;
  if (named.includes('*')) return meansByStars(named, toolName);
  // Nearly no rule is about a tool whose name is as long.
  if (named.length !== toolName.length && !named.includes('__')) return false;
  return meansTool(named.toLowerCase(), toolName.toLowerCase());
}

/** True if the name of a tool, of a server or of all servers that a rule has means this tool. */
export function meansTool(rule: string, toolName: string): boolean {
  if (currentToolName(rule) === toolName) return true;
  if (!rule.startsWith('mcp__')) return false;
  if (rule.includes('*')) return !isOpenName(rule) && matchesStars(rule, toolName);
  if (rule === 'mcp__') return toolName.startsWith('mcp__');
  if (toolName.includes('-__') && meansAsWritten(rule, toolName)) return true;
  return !rule.slice(5).includes('__') && toolName.startsWith(`${rule}__`);
}

/** A rule that may have the name of an agent or a skill in its brackets. */
interface NamingRule {
  readonly toolName: string;
  readonly content: { readonly kind: string; readonly name?: string; readonly withArguments?: boolean } | null;
}

/** True if a rule that allows means this agent, or this skill with what follows it. */
export function allowsName({ content, toolName }: NamingRule, tool: string, name: string): boolean {
  if (content?.kind !== 'name' || content.name === undefined || toolName !== tool) return false;
  return name === content.name || (content.withArguments === true && name.startsWith(`${content.name} `));
}

/**
 * True if a rule that denies or asks means this agent or skill, whatever follows it: in any case, with stars for any
 * signs; `plugin:*` is all of a plugin, too.
 */
export function restrictsName({ content, toolName }: NamingRule, tool: string, name: string): boolean {
  if (content?.kind !== 'name' || content.name === undefined || toolName !== tool) return false;
  const [pattern, whole] = [content.name.toLowerCase(), name.toLowerCase()];
  const [called = ''] = whole.split(' ', 1);
  if (matchesStars(pattern, called) || matchesStars(pattern, whole)) return true;
  return content.withArguments === true && (whole.startsWith(`${pattern} `) || called.startsWith(`${pattern}:`));
}

/** A name with stars that is more than tools of one server that it spells: it restricts, but allows nothing. */
export function isOpenName(rule: string): boolean {
  return rule.includes('*') && !/^mcp__[^*]+?__/.test(rule);
}

/** In whatever case; what spells no more than a server means all of its tools. */
function meansByStars(rule: string, toolName: string): boolean {
  const pattern = rule.toLowerCase();
  const isServer = pattern.startsWith('mcp__') && !pattern.slice(5).includes('__');
  const fits = (name: string) => matchesStars(pattern, name) || (isServer && matchesStars(`${pattern}__*`, name));
  const name = toolName.toLowerCase();
  return fits(name) || (name.includes('-__') && fits(name.replace('-__', '___')));
}

/** Of a server whose name ends in `_`, which its tools have as `-`: a rule may have it as it is. */
function meansAsWritten(rule: string, toolName: string): boolean {
  const written = toolName.replace('-__', '___');
  return rule === written || (rule.endsWith('_') && !rule.slice(5).includes('__') && written.startsWith(`${rule}__`));
}
