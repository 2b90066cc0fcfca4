// Permission rules: what one names, and whether a call matches it. A rule that is not understood is an error and
// never widened: `Bash(git *)` must not become `Bash`.
import { ConfigError } from '../protocol/errors.js';
import type { PermissionRuleValue } from '../protocol/permissions.js';
import { currentToolName } from '../protocol/tool-names.js';

/** A parsed rule. It names a tool; rules about a tool's content are not part of it yet. */
export interface PermissionRule {
  readonly toolName: string;
  /** The rule as it was written. */
  readonly source: string;
}

const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

/**
 * Parses `Read`, `mcp__server__tool` or `mcp__server`.
 * @throws ConfigError (`rule_invalid`) for anything else, and for rules with content such as `Bash(git *)`.
 */
export function parseRule(source: string): PermissionRule {
  const text = source.trim();
  if (TOOL_NAME.test(text)) return { toolName: text, source: text };
  if (/^[^(]+\(.*\)$/s.test(text)) {
    throw new ConfigError(
      `The permission rule "${text}" names part of a tool's input, which this version does not understand. ` +
        `It was not widened to the whole tool. Use the tool's name alone, or decide in canUseTool.`,
      { code: 'rule_invalid' },
    );
  }
  throw new ConfigError(
    `"${text}" is not a permission rule. Write a tool's name, for example Bash or mcp__server__tool.`,
    {
      code: 'rule_invalid',
    },
  );
}

/** As `parseRule`, from the structured form of a permission update. */
export function ruleFromValue(value: PermissionRuleValue): PermissionRule {
  return parseRule(value.ruleContent === undefined ? value.toolName : `${value.toolName}(${value.ruleContent})`);
}

/** True where the rule names this tool, or the MCP server the tool belongs to. */
export function ruleMatchesTool(rule: PermissionRule, toolName: string): boolean {
  if (currentToolName(rule.toolName) === toolName) return true;
  return (
    rule.toolName.startsWith('mcp__') &&
    !rule.toolName.slice(5).includes('__') &&
    toolName.startsWith(`${rule.toolName}__`)
  );
}
