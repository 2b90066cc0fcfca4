// Permission rules: what one names, and whether a call matches it. A rule that is not understood is an error and
// never widened: `Bash(git *)` must not become `Bash`.
import { ConfigError } from '../protocol/errors.js';
import { checkObject, kindOf } from '../protocol/given.js';
import type { PermissionRuleValue } from '../protocol/permissions.js';
import { currentToolName } from '../protocol/tool-names.js';
import { errorText } from '../util/text.js';
import { type CommandPattern, parseCommandPattern } from './command-pattern.js';
import { type DomainPattern, parseDomainPattern } from './domain-pattern.js';
import { type PathPattern, parsePathPattern } from './path-pattern.js';
import { meansTool, type RuleSetting, type ToolRule, toolRule } from './tool-rule.js';

/** A parsed rule: a tool, or those of its calls that its content means. */
export interface PermissionRule extends Omit<ToolRule, 'content'> {
  /** Null: every call of the tool. */
  readonly content: RuleContent | null;
}

export type RuleContent =
  | { readonly kind: 'command'; readonly pattern: CommandPattern }
  | { readonly kind: 'path'; readonly pattern: PathPattern }
  | { readonly kind: 'domain'; readonly pattern: DomainPattern }
  /** Of an agent or a skill. `withArguments`: even if something follows the name. */
  | { readonly kind: 'name'; readonly name: string; readonly withArguments: boolean };

const WITH_CONTENT = /^([A-Za-z][A-Za-z0-9_-]*)\((.*)\)$/s;
const MAX_LENGTH = 10_000;

/** Tools that read files, and those that change them: a rule for the first name of a row speaks for all of it. */
const READERS = ['Read', 'Grep', 'Glob', 'LS', 'NotebookRead'];
const WRITERS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'];

/**
 * Parses `Read`, `Bash(npm run test *)`, `Edit(/src/**)`, `WebFetch(domain:example.com)`, `Agent(name)`, `Skill(name)`,
 * `mcp__server__tool`, `mcp__server`, `mcp__server__*`.
 * @throws ConfigError (`rule_invalid`) for anything else, and for a rule that could never match
 */
export function parseRule(source: string, setting: RuleSetting = {}): PermissionRule {
  if (typeof source !== 'string') throw invalid(kindOf(source), 'a rule is a text');
  checkObject(setting, 'The setting of a rule');
  const text = source.trim();
  if (text.length > MAX_LENGTH) throw invalid(text.slice(0, 60), `it has ${text.length} characters`);
  return toolRule(text, setting) ?? parsePart(text, setting);
}

/** Why `parseRule` does not take it; null if it does. */
export function ruleProblem(source: string, setting: RuleSetting): string | null {
  try {
    parseRule(source, setting);
    return null;
  } catch (error) {
    return errorText(error);
  }
}

/** A rule about a part of the calls of a tool, or about many tools. */
function parsePart(text: string, { origin = 'session', base }: RuleSetting): PermissionRule {
  const rest = { source: text, origin, base: base ?? null };
  const servers = /^(mcp__(?:[A-Za-z0-9_-]*?)?)(?:__)?\*$/.exec(text);
  if (servers !== null) return { toolName: servers[1] ?? 'mcp__', content: null, ...rest };
  const [, tool, content] = WITH_CONTENT.exec(text) ?? [];
  if (tool === undefined || content === undefined)
    throw invalid(text, 'it is neither the name of a tool, such as Bash or mcp__server__tool, nor Tool(content)');
  const toolName = currentToolName(tool);
  return { toolName, content: parseContent(toolName, content.replace(/\\([()\\])/g, '$1'), text), ...rest };
}

/** As `parseRule`, from the structured form of a permission update. */
export function ruleFromValue(value: PermissionRuleValue, setting: RuleSetting = {}): PermissionRule {
  return parseRule(ruleText(value), setting);
}

/** The rule as it is written in settings. */
export function ruleText({ toolName, ruleContent }: PermissionRuleValue): string {
  if (ruleContent === undefined) return toolName;
  return `${toolName}(${ruleContent.replace(/[\\()]/g, '\\$&')})`;
}

/** True if the rule is about all calls of this tool, or of the MCP server the tool belongs to. */
export function ruleMatchesTool({ content, toolName: named }: PermissionRule, toolName: string): boolean {
  return content === null && meansTool(named, toolName);
}

/**
 * True if a rule about files that denies or asks speaks of such an access, whichever tool makes it. What may not be
 * read is not changed either: the result of a change shows the file, and what takes its place is read as it.
 */
export function restrictsAccess(rule: PermissionRule, access: 'read' | 'write' | 'remove'): boolean {
  return READERS.includes(rule.toolName) || (access !== 'read' && WRITERS.includes(rule.toolName));
}

/** True if a rule about files that allows speaks of such an access by this tool. Commands count as their first. */
export function allowsAccess(rule: PermissionRule, access: 'read' | 'write' | 'remove', toolName: string): boolean {
  const [general = '', ...others] = access === 'read' ? READERS : WRITERS;
  const tool = others.includes(toolName) ? toolName : general;
  return rule.toolName === general || rule.toolName === tool;
}

function parseContent(tool: string, content: string, source: string): RuleContent | null {
  const trimmed = content.trim();
  if (trimmed === '') throw invalid(source, 'its parentheses are empty. Leave them out if all calls are meant');
  if (tool === 'Bash')
    return trimmed === '*' ? null : { kind: 'command', pattern: named(source, () => parseCommandPattern(content)) };
  if (READERS.includes(tool) || WRITERS.includes(tool))
    return { kind: 'path', pattern: named(source, () => parsePathPattern(trimmed)) };
  if (tool === 'WebFetch') return parseDomain(trimmed, source);
  if (tool === 'Agent' || tool === 'Skill') return parseName(trimmed);
  if (tool.startsWith('mcp__'))
    throw invalid(source, 'rules for tools of MCP servers name the tool only; decide by its input in canUseTool');
  throw invalid(source, `calls of ${tool} are told apart by nothing a rule could name; write ${tool} alone`);
}

function parseDomain(content: string, source: string): RuleContent | null {
  const [, domain] = /^domain:\s*(.*)$/s.exec(content) ?? [];
  if (domain === undefined) throw invalid(source, 'write WebFetch(domain:example.com)');
  if (domain === '*') return null;
  const pattern = parseDomainPattern(domain);
  if (pattern === null)
    throw invalid(source, `"${domain}" is not a host name; write it without protocol, port and path`);
  return { kind: 'domain', pattern };
}

function parseName(content: string): RuleContent | null {
  if (content === '*') return null;
  const name = content.replace(/(?::|\s)\*$/, '');
  return { kind: 'name', name, withArguments: name !== content };
}

/** A pattern that cannot be used is told with the rule it stands in. */
function named<T>(source: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw invalid(source, error instanceof Error ? error.message : 'its content cannot be read');
  }
}

function invalid(source: string, why: string): ConfigError {
  return new ConfigError(
    `The permission rule "${source}" cannot be used: ${why.replace(/\.$/, '')}. It was not widened to the whole tool.`,
    { code: 'rule_invalid' },
  );
}
