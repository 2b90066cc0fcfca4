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

/** A name of tools that has stars in it. */
const OPEN_NAME = /^[A-Za-z0-9_-]*\*[A-Za-z0-9_*-]*$/;
/** What begins as another rule behind the first. */
const ANOTHER_RULE = /\)[\s,;|]+(?:Agent|Bash|Edit|Glob|Grep|NotebookEdit|Read|Skill|Task|WebFetch|WebSearch|Write)\b/;
const WITH_CONTENT = /^([A-Za-z][A-Za-z0-9_-]*)\((.*)\)$/s;
const MAX_LENGTH = 10_000;

/** Tools that read files, and those that change them: a rule for the first name of a row speaks for all of it. */
const READERS = ['Read', 'Grep', 'Glob', 'LS', 'NotebookRead'];
const WRITERS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'];
/** Tools of whose calls a rule may name a part. */
const HAVE_PARTS = [...READERS, ...WRITERS, 'Bash', 'WebFetch', 'Agent', 'Task', 'Skill'];

/**
 * The rule with the name of its tool as it is called, if that was written in another case and a part of the calls is named: what
 * restricts means a tool in whatever case. Null: it needs no change.
 */
export function inToolCase(source: string): string | null {
  const [, tool, content] = WITH_CONTENT.exec(source.trim()) ?? [];
  if (tool === undefined || content === undefined) return null;
  const name = HAVE_PARTS.find((each) => each.toLowerCase() === tool.toLowerCase());
  return name === undefined || name === tool ? null : `${name}(${content})`;
}

/** True for the name of a tool of whose calls a rule may name a part. */
export function mayHaveParts(tool: string): boolean {
  return HAVE_PARTS.includes(currentToolName(tool));
}

/** Why a path probably means another file than whoever wrote it thought of: it lists several. Null: it does not look like that. */
export function listsPaths({ content, toolName }: PermissionRule): string | null {
  if (content?.kind !== 'path') return null;
  const paths = content.pattern.source.split(/,(?![^{]*\}|[^[]*\])\s*/);
  if (paths.length < 2 || paths.some((each) => each === '')) return null;
  const rules = paths.slice(0, 3).map((each) => `${toolName}(${each})`);
  return `a comma is part of a name; write ${rules.join(', ')}${paths.length > 3 ? ' and so on' : ''}`;
}

/** The rule about all that a tool of this name, in whatever case, could do to any file; null: it is about no files. */
export function anyFile(tool: string): string | null {
  const name = [...READERS, ...WRITERS].find((each) => each.toLowerCase() === tool.toLowerCase());
  return name === undefined ? null : `${name}(//**)`;
}

/**
 * Parses `Read`, `Bash(npm run test *)`, `Edit(/src/**)`, `WebFetch(domain:example.com)`, `Agent(name)`, `Skill(name)`,
 * `mcp__server__tool`, `mcp__server`, `mcp__server__*`, `mcp__server__get_*`; for rules that restrict any name with stars (`*`).
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
  const [, server] = /^(mcp__(?:[A-Za-z0-9-]|_(?!_))*)__\*$/.exec(text) ?? [];
  if (server !== undefined || text === 'mcp__*') return { toolName: server ?? 'mcp__', content: null, ...rest };
  if (OPEN_NAME.test(text)) return { toolName: text, content: null, ...rest };
  const [, tool, content] = WITH_CONTENT.exec(text) ?? [];
  if (tool === undefined || content === undefined)
    throw invalid(text, 'it is neither the name of a tool, such as Bash or mcp__server__tool, nor Tool(content)');
  if (ANOTHER_RULE.test(content)) throw invalid(text, 'it holds several rules; write each by itself');
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
  if (tool === 'Agent' || tool === 'Skill') return parseName(trimmed, source);
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

function parseName(content: string, source: string): RuleContent | null {
  if (content === '*') return null;
  if (/^["'`]|["'`]$/.test(content)) throw invalid(source, 'write the name without quotes');
  const name = content.replace(/(?::|\s)\*$/, '').replace(/^\//, '');
  if (name === '') throw invalid(source, 'it names nothing');
  return { kind: 'name', name, withArguments: /(?::|\s)\*$/.test(content) };
}

/** Folders that lie right below the root of a machine, and hardly ever in a project. */
const TOP_FOLDER = /^\/(?:etc|usr|home|Users|root|proc|opt|Library|private|mnt|Volumes)(?:\/|$)/;

/**
 * Why a path probably means another file than whoever wrote it thought of: one of the machine is written with two slashes, and with one it
 * starts at the folder of the rule. Null: it does not look like that.
 * @param folders absolute; a path that begins with one of them is of the machine
 */
export function startsElsewhere({ content, base }: PermissionRule, folders: readonly string[] = []): string | null {
  if (content?.kind !== 'path' || content.pattern.anchor !== 'base' || base === '/') return null;
  const { source } = content.pattern;
  const isOfMachine = TOP_FOLDER.test(source) || folders.some((folder) => folder !== '/' && source.startsWith(folder));
  return isOfMachine ? `${source} starts at the folder of the rule; write /${source} for that of the machine` : null;
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
