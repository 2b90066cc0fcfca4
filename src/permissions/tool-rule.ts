// The rule that needs no reading: the name of a tool, which means all of its calls.
import type { PermissionRule, RuleSetting } from './rule.js';

const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** `Read`, `mcp__server__tool`, `mcp__server`. Null: it is no name alone, so `parseRule` has to say what it means. */
export function toolRule(source: string, { origin = 'session', base }: RuleSetting = {}): PermissionRule | null {
  const toolName = source.trim();
  if (!TOOL_NAME.test(toolName)) return null;
  return { toolName, content: null, source: toolName, origin, base: base ?? null };
}
