// The rule that needs no reading: the name of a tool, which means all of its calls. A start
// whose options name tools loads no more than this; what reads more is in `rule.ts`.

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
  const toolName = source.trim();
  if (!TOOL_NAME.test(toolName)) return null;
  return { toolName, content: null, source: toolName, origin, base: base ?? null };
}
