import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInside } from '../../src/host/is-inside.js';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { decidePermission } from '../../src/permissions/decide.js';
import { protectedPart } from '../../src/permissions/paths.js';
import type { CallSubject, PermissionCall, PermissionContext } from '../../src/permissions/permission-call.js';
import { parseRule } from '../../src/permissions/rule.js';
import { PERMISSION_MODES, type PermissionMode } from '../../src/protocol/permissions.js';
import { checkPermission } from '../../src/sdk/permissions/permissions.js';

const context = (overrides: Partial<PermissionContext> = {}): PermissionContext => ({
  mode: 'default',
  deny: [],
  ask: [],
  allow: [],
  roots: ['/w/app'],
  ...overrides,
});
const command = (text = 'ls'): PermissionCall => ({
  toolName: 'Bash',
  readOnly: false,
  subject: { kind: 'command', command: text },
});
const file = (access: 'read' | 'write', path: string, realPath = path): PermissionCall => ({
  toolName: access === 'read' ? 'Read' : 'Edit',
  readOnly: access === 'read',
  subject: { kind: 'path', path, realPath, access },
});

describe('decidePermission', () => {
  it.each([
    ['reads inside the workspace', context(), file('read', '/w/app/a.ts'), 'allow'],
    ['reads outside', context(), file('read', '/etc/passwd'), 'ask'],
    ['a neighbour whose name starts like the workspace', context(), file('read', '/w/app-evil/a'), 'ask'],
    ['a link that leads out', context(), file('read', '/w/app/link', '/etc/passwd'), 'ask'],
    ['a path that only resolves to the inside', context(), file('read', '/elsewhere/link', '/w/app/a'), 'ask'],
    ['writes by default', context(), file('write', '/w/app/a.ts'), 'ask'],
    ['writes with edits accepted', context({ mode: 'acceptEdits' }), file('write', '/w/app/a.ts'), 'allow'],
    ['writes outside with edits accepted', context({ mode: 'acceptEdits' }), file('write', '/tmp/a'), 'ask'],
    ['commands by default', context(), command(), 'ask'],
    ['commands with edits accepted', context({ mode: 'acceptEdits' }), command(), 'ask'],
    ['commands allowed by a rule', context({ allow: [parseRule('Bash')] }), command(), 'allow'],
    ['commands in bypass', context({ mode: 'bypassPermissions' }), command(), 'allow'],
    ['writes in plan mode', context({ mode: 'plan' }), file('write', '/w/app/a'), 'deny'],
    ['commands in plan mode, though allowed', context({ mode: 'plan', allow: [parseRule('Bash')] }), command(), 'deny'],
    ['reads in plan mode', context({ mode: 'plan' }), file('read', '/w/app/a'), 'allow'],
    [
      'an ask rule over an allow rule',
      context({ ask: [parseRule('Bash')], allow: [parseRule('Bash')] }),
      command(),
      'ask',
    ],
    ['an ask rule over bypass', context({ mode: 'bypassPermissions', ask: [parseRule('Bash')] }), command(), 'ask'],
    [
      'a git hook with edits accepted',
      context({ mode: 'acceptEdits' }),
      file('write', '/w/app/.git/hooks/pre-commit'),
      'ask',
    ],
    ['a git hook in bypass', context({ mode: 'bypassPermissions' }), file('write', '/w/app/.git/config'), 'ask'],
    [
      'a git hook behind a link',
      context({ mode: 'acceptEdits' }),
      file('write', '/w/app/x', '/w/app/.git/hooks/x'),
      'ask',
    ],
    [
      'settings of an agent, any case',
      context({ mode: 'acceptEdits' }),
      file('write', '/w/app/.CLAUDE/settings.json'),
      'ask',
    ],
    [
      'a workspace that lies in such a folder',
      context({ mode: 'acceptEdits', roots: ['/w/.claude/worktrees/x'] }),
      file('write', '/w/.claude/worktrees/x/a.ts'),
      'allow',
    ],
  ])('%s', (_name, given, call, behavior) => {
    expect(decidePermission(given, call).behavior).toBe(behavior);
  });

  it('denies by rule in every mode and whatever else allows', () => {
    for (const mode of PERMISSION_MODES) {
      const decision = decidePermission(
        context({ mode, deny: [parseRule('Bash')], allow: [parseRule('Bash')] }),
        command(),
      );
      expect(decision).toMatchObject({ behavior: 'deny', reasonType: 'rule', rule: 'Bash' });
    }
  });

  it('gives a reason with every answer', () => {
    const subjects: CallSubject[] = [{ kind: 'none' }, { kind: 'command', command: 'x' }, file('write', '/a').subject];
    for (const mode of PERMISSION_MODES) {
      for (const subject of subjects) {
        const decision = decidePermission(context({ mode }), { toolName: 'Tool', readOnly: false, subject });
        expect(decision.reason).not.toBe('');
      }
    }
  });

  it('never becomes more permissive by a further deny rule', () => {
    const rank = { allow: 2, ask: 1, deny: 0 };
    const pathOf = fc.constantFrom('/w/app/a', '/w/app/../b', '/etc/x', '/w/app/.git/x', '/w/app');
    fc.assert(
      fc.property(
        fc.constantFrom(...PERMISSION_MODES),
        fc.constantFrom('Bash', 'Edit', 'Read'),
        pathOf,
        fc.boolean(),
        (mode, rule, path, write) => {
          const call = file(write ? 'write' : 'read', path);
          const before = decidePermission(context({ mode, allow: [parseRule('Edit')] }), call);
          const after = decidePermission(context({ mode, allow: [parseRule('Edit')], deny: [parseRule(rule)] }), call);
          expect(rank[after.behavior]).toBeLessThanOrEqual(rank[before.behavior]);
        },
      ),
      { seed: 42, numRuns: 500 },
    );
  });
});

describe('paths', () => {
  it.each([
    ['/w', '/w', true],
    ['/w', '/w/a', true],
    ['/w', '/w2', false],
    ['/w', '/w/..', false],
    ['/w', '/w/../x', false],
    ['/w', '/w/..a', true],
    ['/', '/x', true],
    ['/w/a', '/w', false],
  ])('%s holds %s: %s', (root, target, inside) => expect(isInside(root, target)).toBe(inside));

  it('names the protected part', () => {
    expect(protectedPart(['/w'], '/w/.git/hooks/x')).toBe('.git');
    expect(protectedPart(['/w'], '/w/sub/.mcp.json')).toBe('.mcp.json');
    expect(protectedPart(['/w'], '/w/src/git/x')).toBeNull();
    expect(protectedPart([], '/home/u/.bashrc')).toBe('.bashrc');
  });
});

describe('a background task', () => {
  it.each([
    ['TaskOutput', { task_id: 'b1' }, 'allow', 'allow', 'allow'],
    ['TaskOutput', { task_id: 'b1', output: 'rm -rf x\n' }, 'ask', 'deny', 'ask'],
    ['TaskStop', { task_id: 'b1' }, 'allow', 'allow', 'allow'],
    ['KillShell', { shell_id: 'b1' }, 'allow', 'allow', 'allow'],
  ] as const)('%s %j', async (tool, input, asUsual, inPlan, inEdits) => {
    const decided = async (mode: PermissionMode) => (await checkPermission({ tool, input, mode })).behavior;
    expect([await decided('default'), await decided('plan'), await decided('acceptEdits')]).toEqual([
      asUsual,
      inPlan,
      inEdits,
    ]);
    const deny = [tool];
    expect((await checkPermission({ tool, input, mode: 'bypassPermissions', rules: { deny } })).behavior).toBe('deny');
  });
});

describe('a plan', () => {
  const shown = { tool: 'ExitPlanMode', input: { plan: 'x' } };
  it.each<[PermissionMode, object, string, string]>([
    ['plan', { allow: ['ExitPlanMode'] }, 'ask', 'the user approves the plan'],
    ['plan', { deny: ['ExitPlanMode'] }, 'deny', 'denied by a rule'],
    ['bypassPermissions', {}, 'deny', 'not in plan mode'],
    ['default', {}, 'deny', 'not in plan mode'],
  ])('in %s with %j: %s', async (mode, rules, behavior, reason) => {
    const decision = await checkPermission({ ...shown, mode, rules }, createMemoryHost());
    expect(decision).toMatchObject({ behavior, reason: expect.stringContaining(reason) });
    expect(decision.behavior === 'ask' ? decision.isFirm : true).toBe(true);
  });
});
