import { describe, expect, it } from 'vitest';
import { parseRule, ruleFromValue, ruleMatchesTool, ruleText } from '../../src/permissions/rule.js';
import { restrictsTool } from '../../src/permissions/tool-rule.js';

describe('rules', () => {
  it.each(['Bash', ' Read ', 'mcp__server', 'mcp__server__tool', 'Task'])('understands %s as a tool', (source) => {
    const toolName = source === 'Task' ? 'Agent' : source.trim();
    expect(parseRule(source)).toMatchObject({ toolName, content: null, source: source.trim() });
  });

  it.each([
    ['Bash(npm run test *)', 'command'],
    ['Bash(git status)', 'command'],
    ['Read(./x)', 'path'],
    ['Edit(//etc/**)', 'path'],
    ['Grep(~/notes)', 'path'],
    ['WebFetch(domain:example.com)', 'domain'],
    ['WebFetch(domain:*.example.com)', 'domain'],
    ['Agent(reviewer)', 'name'],
    ['Task(reviewer)', 'name'],
    ['Skill(deploy *)', 'name'],
  ])('understands %s as one about a %s', (source, kind) => {
    expect(parseRule(source).content?.kind).toBe(kind);
  });

  it.each(['Bash(*)', 'WebFetch(domain:*)', 'Agent(*)'])('takes %s for the whole tool', (source) => {
    expect(parseRule(source).content).toBeNull();
  });

  it.each([
    'Bash()',
    'Bash( )',
    'Bash(ls && rm)',
    'Bash("x)',
    '',
    'a b',
    'Bash(',
    'Bash)',
    'Read()',
    'Read(!x)',
    'Read(a/../b)',
    'Read(x\u0000y)',
    'Read(".env")',
    "Edit('a b.txt')",
    'Read($HOME/x)',
    `Read($\{HOME}/x)`,
    'Read(%APPDATA%/x)',
    'Read(.env:*)',
    'WebFetch(example.com)',
    'WebFetch(domain:https://example.com)',
    'WebFetch(domain:example.com/path)',
    'WebFetch(domain:)',
    'TodoWrite(x)',
    'mcp__server__tool(x)',
    'Bash("touch *")',
    "Bash('rm -rf x')",
    'Bash(touch *), Read(.env)',
    'Bash(touch *) Read(.env)',
    'Read(file:///etc/x)',
    'Read(C:\\x)',
    'Read(.\\x)',
    'Read(+(a|b))',
    'Agent("x")',
    'Skill(/)',
    `Bash(${'x'.repeat(20_000)})`,
  ])('refuses %j and never widens it', (source) => {
    expect(() => parseRule(source)).toThrow(/rule/);
  });

  it.each(['*', 'B*', 'mcp__*x', 'mcp*', 'mcp__gi*'])('lets %s restrict, and allow nothing', (source) => {
    const rule = parseRule(source);
    for (const tool of ['Bash', 'mcp__ax', 'mcp__github__x', 'mcp__a__bx'])
      expect([tool, ruleMatchesTool(rule, tool)]).toEqual([tool, false]);
    expect(['Bash', 'mcp__ax', 'mcp__github__x'].some((tool) => restrictsTool(rule, tool))).toBe(true);
  });

  it('matches a tool, or every tool of an MCP server', () => {
    expect(ruleMatchesTool(parseRule('mcp__a'), 'mcp__a__b')).toBe(true);
    expect(ruleMatchesTool(parseRule('mcp__a__*'), 'mcp__a__b')).toBe(true);
    expect(ruleMatchesTool(parseRule('mcp__a'), 'mcp__ab__b')).toBe(false);
    expect(ruleMatchesTool(parseRule('mcp__*'), 'mcp__ab__b')).toBe(true);
    expect(ruleMatchesTool(parseRule('mcp__*'), 'Bash')).toBe(false);
    expect(ruleMatchesTool(parseRule('Bash'), 'BashOutput')).toBe(false);
    expect(ruleMatchesTool(parseRule('Task'), 'Agent')).toBe(true);
  });

  it('a rule about a part is none about the tool', () => {
    expect(ruleMatchesTool(parseRule('Read(x)'), 'Read')).toBe(false);
    expect(ruleMatchesTool(parseRule('Bash(ls)'), 'Bash')).toBe(false);
  });

  it('is written and read again with whatever its content holds', () => {
    for (const ruleContent of ['a (copy).txt', 'a/b', '~/x(1)', ')(', '$id.tsx', 'app/$ID/a', '100%', "it's"]) {
      const value = { toolName: 'Read', ruleContent };
      expect(ruleFromValue(value).content).toMatchObject({ pattern: { source: ruleContent } });
      expect(parseRule(ruleText(value)).source).toBe(ruleFromValue(value).source);
    }
  });

  it.each(['echo (a)', 'grep "\\(x\\)" file', 'a\\b'])(
    'is written and read again: a command with %s',
    (ruleContent) => {
      const rule = parseRule(ruleText({ toolName: 'Bash', ruleContent }));
      expect(rule.content).toMatchObject({ pattern: { text: ruleContent } });
    },
  );

  it('keeps who said it, and where its patterns start', () => {
    expect(parseRule('Read(/x)', { origin: 'project', base: '/w' })).toMatchObject({ origin: 'project', base: '/w' });
    expect(parseRule('Read(/x)')).toMatchObject({ origin: 'session', base: null });
  });
});
