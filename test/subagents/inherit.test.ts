import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decidePermission } from '../../src/permissions/decide.js';
import type { CallSubject, PermissionContext } from '../../src/permissions/permission-call.js';
import { parseRule } from '../../src/permissions/rule.js';
import { PERMISSION_MODES, type PermissionMode } from '../../src/protocol/permissions.js';
import { inheritMode, inheritRules, inheritTools } from '../../src/subagents/inherit.js';
import { probeTool } from '../support/engine.js';

const names = ['Read', 'Write', 'Bash', 'mcp__math__add', 'mcp__math__sub', 'mcp__files__list'];
const tools = names.map((name) => probeTool({ name }));
const spawning = { ...probeTool({ name: 'Agent' }), spawnsAgents: true };

const inherited = (own: { tools?: string[] | null; disallowedTools?: string[] }, maySpawn = false) =>
  inheritTools([...tools, spawning], { tools: null, disallowedTools: [], ...own }, maySpawn).map((tool) => tool.name);

describe('inheritTools', () => {
  it('gives all the session has, those that are named, less those that are refused', () => {
    expect(inherited({})).toEqual(names);
    expect(inherited({ tools: ['Write', 'Read', 'Unknown'] })).toEqual(['Read', 'Write']);
    expect(inherited({ tools: [] })).toEqual([]);
    expect(inherited({ disallowedTools: ['Bash', 'mcp__math'] })).toEqual(['Read', 'Write', 'mcp__files__list']);
    expect(inherited({ tools: ['mcp__math__*'] })).toEqual(['mcp__math__add', 'mcp__math__sub']);
  });

  it('gives what starts agents only to those that may', () => {
    expect(inherited({ tools: ['Agent', 'Read'] })).toEqual(['Read']);
    expect(inherited({ tools: ['Agent', 'Read'] }, true)).toEqual(['Read', 'Agent']);
  });
});

describe('inheritMode', () => {
  it('is the session’s, or the agent’s own, but never leaves plan mode', () => {
    const own = (mode: PermissionMode | undefined) => ({ mode, mayLoosen: true });
    expect(inheritMode('acceptEdits', own(undefined))).toBe('acceptEdits');
    expect(inheritMode('default', own('acceptEdits'))).toBe('acceptEdits');
    expect(inheritMode('bypassPermissions', own('default'))).toBe('default');
    for (const mode of PERMISSION_MODES) expect(inheritMode('plan', own(mode))).toBe('plan');
  });

  it('of a file never allows more than the session does', () => {
    const ofFile = (mode: PermissionMode) => ({ mode, mayLoosen: false });
    expect(inheritMode('default', ofFile('acceptEdits'))).toBe('default');
    expect(inheritMode('default', ofFile('bypassPermissions'))).toBe('default');
    expect(inheritMode('dontAsk', ofFile('default'))).toBe('dontAsk');
    expect(inheritMode('acceptEdits', ofFile('auto'))).toBe('acceptEdits');
    expect(inheritMode('acceptEdits', ofFile('default'))).toBe('default');
    expect(inheritMode('bypassPermissions', ofFile('acceptEdits'))).toBe('acceptEdits');
    expect(inheritMode('default', ofFile('plan'))).toBe('plan');
    for (const mode of PERMISSION_MODES) expect(inheritMode('plan', ofFile(mode))).toBe('plan');
  });
});

const STRICT = { deny: 0, ask: 1, allow: 2 } as const;

/** Every call that a tree of three agents can make. */
const rule = fc
  .constantFrom('Read', 'Write', 'Bash', 'Task', 'mcp__math', 'mcp__math__add')
  .map((name) => parseRule(name));
const rules = fc.array(rule, { maxLength: 4 });
const mode = fc.constantFrom<PermissionMode>(...PERMISSION_MODES.filter((name) => name !== 'auto'));
const subject = fc.constantFrom<CallSubject>(
  { kind: 'none' },
  { kind: 'command', command: 'ls' },
  { kind: 'path', path: '/project/a', realPath: '/project/a', access: 'write' },
  { kind: 'path', path: '/project/.git/config', realPath: '/project/.git/config', access: 'write' },
  { kind: 'path', path: '/etc/a', realPath: '/etc/a', access: 'read' },
);
const call = fc.record({ toolName: fc.constantFrom(...names, 'Agent'), readOnly: fc.boolean(), subject });
const context = fc.record({ mode, deny: rules, ask: rules, allow: rules, roots: fc.constant(['/project']) });

describe('inheritRules', () => {
  it('never allows more than the session, three agents deep, if no definition names a mode', () => {
    fc.assert(
      fc.property(context, call, (session: PermissionContext, asked) => {
        const child = inheritRules(session, [], session.mode);
        const grandchild = inheritRules(child, [], child.mode);
        const decisions = [session, child, grandchild].map((rulesOf) => decidePermission(rulesOf, asked).behavior);
        expect(STRICT[decisions[1] ?? 'deny']).toBeLessThanOrEqual(STRICT[decisions[0] ?? 'deny']);
        expect(STRICT[decisions[2] ?? 'deny']).toBeLessThanOrEqual(STRICT[decisions[1] ?? 'deny']);
      }),
      { numRuns: 10_000 },
    );
  });

  it('never allows what a deny rule, an ask rule or plan mode holds back, whatever the mode of a definition', () => {
    fc.assert(
      fc.property(context, call, mode, rules, (session: PermissionContext, asked, own, granted) => {
        const inSession = decidePermission({ ...session, allow: [] }, asked);
        const inMode = inheritMode(session.mode, { mode: own, mayLoosen: true });
        const inAgent = decidePermission(inheritRules(session, granted, inMode), asked);
        if (inSession.behavior === 'deny') expect(inAgent.behavior).toBe('deny');
        if (inSession.isFirm === true) expect(inAgent.behavior).not.toBe('allow');
      }),
      { numRuns: 10_000 },
    );
  });

  it('never allows more than the session, three agents deep, whatever modes files name', () => {
    fc.assert(
      fc.property(context, call, mode, mode, (session: PermissionContext, asked, own, below) => {
        const inFile = (above: PermissionContext, named: PermissionMode) =>
          inheritRules(above, [], inheritMode(above.mode, { mode: named, mayLoosen: false }));
        const child = inFile(session, own);
        const grandchild = inFile(child, below);
        const decisions = [session, child, grandchild].map((rulesOf) => decidePermission(rulesOf, asked).behavior);
        expect(STRICT[decisions[1] ?? 'deny']).toBeLessThanOrEqual(STRICT[decisions[0] ?? 'deny']);
        expect(STRICT[decisions[2] ?? 'deny']).toBeLessThanOrEqual(STRICT[decisions[1] ?? 'deny']);
      }),
      { numRuns: 3_000 },
    );
  });
});
