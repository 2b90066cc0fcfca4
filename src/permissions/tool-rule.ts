// The rule that needs no reading: the name of a tool, which means all of its calls. A start
// whose options name tools loads no more than this; what reads more is in `rule.ts`.
import { currentToolName } from '../protocol/tool-names.js';

export type RuleOrigin = 'managed' | 'user' | 'project' | 'local' | 'flag' | 'cliArg' | 'session' | 'command';

/** Where a rule comes from. */
export interface RuleSetting {
  /** Default `session`. */
  readonly origin?: RuleOrigin;
  readonly base?: string;
}

/** A rule about all calls of a tool. */
export interface ToolRule {
  /** `Read`, `mcp__server__tool`, `mcp__server`, or `mcp__` for all servers. */
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
  // Nearly no rule is about a tool whose name is as long.
  if (named.length !== toolName.length && !named.includes('__')) return false;
  return meansTool(named.toLowerCase(), toolName.toLowerCase());
}

/** True if the name of a tool, of a server or of all servers that a rule has means this tool. */
export function meansTool(rule: string, toolName: string): boolean {
  if (currentToolName(rule) === toolName) return true;
  if (!rule.startsWith('mcp__')) return false;
  if (rule === 'mcp__') return toolName.startsWith('mcp__');
  if (toolName.includes('-__') && meansAsWritten(rule, toolName)) return true;
  return !rule.slice(5).includes('__') && toolName.startsWith(`${rule}__`);
}

/** Of a server whose name ends in `_`, which its tools have as `-`: a rule may have it as it is. */
function meansAsWritten(rule: string, toolName: string): boolean {
  const written = toolName.replace('-__', '___');
  return rule === written || (rule.endsWith('_') && !rule.slice(5).includes('__') && written.startsWith(`${rule}__`));
}
