// What answers mean, alone and together: the strictest decision wins, the last replacement wins, and an answer that is
// wrong in part only restricts.
import { describe, expect, it } from 'vitest';
import { EMPTY_HOOK_RESULT, type HookResult } from '../../src/hooks/hook-result.js';
import { readHookOutput, refusal } from '../../src/hooks/read-output.js';
import { mergeEffects } from '../../src/hooks/run-hooks.js';
import { HOOK_EVENTS, type HookEvent } from '../../src/protocol/hooks.js';

/** The merged result of these answers, all of them good. */
function merged(event: HookEvent, ...outputs: readonly unknown[]): HookResult {
  const read = outputs.map((output) => readHookOutput(event, output));
  expect(read.flatMap(({ problems }) => problems)).toEqual([]);
  return mergeEffects(
    event,
    read.map(({ effect }) => effect),
    [],
  );
}

/** The result of one bad answer, and what is wrong with it. */
function broken(event: HookEvent, output: unknown): { result: HookResult; problems: string } {
  const { effect, problems } = readHookOutput(event, output);
  return { result: mergeEffects(event, [effect], []), problems: problems.join('; ') };
}

function pre(fields: Record<string, unknown>): unknown {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } };
}

function request(decision: unknown): unknown {
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
}

const allow = pre({ permissionDecision: 'allow', permissionDecisionReason: 'safe' });
const ask = pre({ permissionDecision: 'ask', permissionDecisionReason: 'unsure' });
const defer = pre({ permissionDecision: 'defer', permissionDecisionReason: 'later' });
const deny = pre({ permissionDecision: 'deny', permissionDecisionReason: 'never' });

describe('answers without an effect', () => {
  it.each([
    [undefined],
    [null],
    [{}],
    [{ continue: true }],
    [{ suppressOutput: true, somethingNew: { a: 1 } }],
    [{ async: true }],
    [{ async: true, asyncTimeout: 5, decision: 'block', continue: false }],
    [{ decision: null, hookSpecificOutput: null, continue: null }],
    [{ reason: 'only a reason' }],
  ])('%j', (output) => {
    for (const event of HOOK_EVENTS) expect(merged(event, output)).toEqual(EMPTY_HOOK_RESULT);
  });

  it('includes no hooks at all', () => {
    expect(merged('Stop')).toEqual(EMPTY_HOOK_RESULT);
  });
});

describe('permission of PreToolUse', () => {
  it.each([
    [[allow], 'allow', 'safe'],
    [[allow, ask], 'ask', 'unsure'],
    [[ask, allow], 'ask', 'unsure'],
    [[ask, defer, allow], 'defer', 'later'],
    [[deny, allow, defer, ask], 'deny', 'never'],
    [[allow, defer, ask, deny], 'deny', 'never'],
    [[allow, { decision: 'block', reason: 'stop' }], 'deny', 'stop'],
    [[{ decision: 'approve', reason: 'fine' }], 'allow', 'fine'],
    [[{ decision: 'approve' }, deny], 'deny', 'never'],
    // Two decisions in one answer: the stricter counts.
    [[{ ...(allow as object), decision: 'block', reason: 'stop' }], 'deny', 'stop'],
    [[{ ...(deny as object), decision: 'approve' }], 'deny', 'never'],
    // The reasons of the winning side, each once.
    [
      [deny, pre({ permissionDecision: 'deny', permissionDecisionReason: 'not here' }), deny],
      'deny',
      'never\nnot here',
    ],
    [[pre({ permissionDecision: 'deny' })], 'deny', 'A PreToolUse hook said "deny" and gave no reason.'],
    [[{ ...(pre({ permissionDecision: 'deny' }) as object), reason: 'from the top' }], 'deny', 'from the top'],
  ])('%j gives %s (%s)', (outputs, behavior, reason) => {
    expect(merged('PreToolUse', ...outputs).permission).toEqual({ behavior, reason });
  });

  it('takes the last updatedInput, as a copy', () => {
    const second = { command: 'b', nested: { list: [1] } };
    const result = merged('PreToolUse', pre({ updatedInput: { command: 'a' } }), pre({ updatedInput: second }), {});
    second.nested.list.push(2);
    expect(result.updatedInput).toEqual({ command: 'b', nested: { list: [1] } });
  });

  it('belongs to PreToolUse alone', () => {
    const output = { decision: 'approve', hookSpecificOutput: { hookEventName: 'Stop', permissionDecision: 'deny' } };
    expect(merged('Stop', output)).toEqual(EMPTY_HOOK_RESULT);
  });
});

describe('decision of PermissionRequest', () => {
  const addRules = { type: 'addRules', rules: [{ toolName: 'Read' }], behavior: 'allow', destination: 'session' };
  const setMode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };

  it.each([
    [[request({ behavior: 'allow' })], { behavior: 'allow' }],
    [
      [request({ behavior: 'allow' }), request({ behavior: 'deny', message: 'no' })],
      { behavior: 'deny', message: 'no' },
    ],
    [
      [request({ behavior: 'deny', message: 'no' }), request({ behavior: 'allow' })],
      { behavior: 'deny', message: 'no' },
    ],
    [
      [request({ behavior: 'deny', message: 'a' }), request({ behavior: 'deny', message: 'b', interrupt: true })],
      { behavior: 'deny', message: 'a\nb', interrupt: true },
    ],
    [
      [request({ behavior: 'deny' })],
      { behavior: 'deny', message: 'A PermissionRequest hook denied this and gave no reason.' },
    ],
    [
      [
        request({ behavior: 'allow', updatedInput: { a: 1 }, updatedPermissions: [addRules] }),
        request({ behavior: 'allow', updatedInput: { a: 2 } }),
        request({ behavior: 'allow', updatedPermissions: [setMode] }),
      ],
      { behavior: 'allow', updatedInput: { a: 2 }, updatedPermissions: [addRules, setMode] },
    ],
    [[{ decision: 'approve' }], { behavior: 'allow' }],
    [
      [{ ...(request({ behavior: 'allow' }) as object), decision: 'block', reason: 'x' }],
      { behavior: 'deny', message: 'x' },
    ],
  ])('%j gives %j', (outputs, expected) => {
    expect(merged('PermissionRequest', ...outputs).request).toEqual(expected);
  });

  it.each([
    ['maybe'],
    [{}],
    [{ behavior: 'ask' }],
    [{ behavior: 'allow', updatedInput: 'ls' }],
    [{ behavior: 'allow', updatedPermissions: [{ type: 'addRules' }] }],
    [{ behavior: 'allow', updatedPermissions: [{ ...addRules, rules: ['Read'] }] }],
    [{ behavior: 'allow', updatedPermissions: [{ type: 'addDirectories', directories: [1], destination: 'session' }] }],
    [{ behavior: 'allow', updatedPermissions: [{ type: 'grantAll', destination: 'session' }] }],
  ])('%j allows nothing', (decision) => {
    const { result, problems } = broken('PermissionRequest', request(decision));
    expect(problems).toContain('decision');
    expect(result.request).toBeNull();
  });
});

describe('blocks', () => {
  it.each(HOOK_EVENTS)('%s carries a block with its reason', (event) => {
    expect(merged(event, {}, { decision: 'block', reason: 'not yet' }).block).toEqual({ reason: 'not yet' });
    expect(merged(event, { decision: 'block', reason: ' ' }).block?.reason).toContain(event);
  });

  it('joins different reasons in order and reads "deny" as "block"', () => {
    const result = merged(
      'Stop',
      { decision: 'block', reason: 'a' },
      { decision: 'deny', reason: 'b' },
      { decision: 'approve' },
    );
    expect(result.block).toEqual({ reason: 'a\nb' });
  });
});

describe('continue: false', () => {
  const STOPPABLE = [
    'PreToolUse',
    'PostToolUse',
    'PostToolUseFailure',
    'PostToolBatch',
    'UserPromptSubmit',
    'UserPromptExpansion',
    'Stop',
    'SubagentStop',
  ];

  it.each(HOOK_EVENTS)('counts for the events that can end the prompt: %s', (event) => {
    const result = merged(event, { continue: false, stopReason: 'enough' }, { continue: true });
    const ends = STOPPABLE.includes(event);
    expect([result.continue, result.stopReason]).toEqual(ends ? [false, 'enough'] : [true, null]);
  });

  it('has no reason if none is given, and a stopReason alone stops nothing', () => {
    expect(merged('Stop', { continue: false })).toMatchObject({ continue: false, stopReason: null });
    expect(merged('Stop', { stopReason: 'x' })).toMatchObject({ continue: true, stopReason: null });
  });
});

describe('texts', () => {
  it('keeps context and messages in hook order and drops empty ones', () => {
    const context = (text: string) => ({
      systemMessage: `note ${text}`.trim(),
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: text },
    });
    const result = merged('UserPromptSubmit', context('first'), context(' '), context('second'));
    expect(result.additionalContext).toEqual(['first', 'second']);
    expect(result.systemMessages).toEqual(['note first', 'note', 'note second']);
  });

  it('takes the last updatedToolOutput that is not empty', () => {
    const output = (text: string) => ({
      hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: text },
    });
    expect(merged('PostToolUse', output('a'), output('b'), output('')).updatedToolOutput).toBe('b');
    expect(merged('PostToolUse', output('')).updatedToolOutput).toBeNull();
  });
});

describe('answers to a question', () => {
  const answer = (event: 'Elicitation' | 'ElicitationResult', fields: Record<string, unknown>) => ({
    hookSpecificOutput: { hookEventName: event, ...fields },
  });

  it.each(['Elicitation', 'ElicitationResult'] as const)('of %s: the last counts, and a refusal beats it', (event) => {
    const accept = (colour: string) => answer(event, { action: 'accept', content: { colour } });
    expect(merged(event, accept('red'), accept('blue')).elicitation).toEqual({
      action: 'accept',
      content: { colour: 'blue' },
    });
    expect(merged(event, answer(event, { action: 'decline' }), accept('blue')).elicitation).toEqual({
      action: 'decline',
    });
    expect(
      merged(event, answer(event, { action: 'decline' }), answer(event, { action: 'cancel' })).elicitation,
    ).toEqual({ action: 'cancel' });
  });

  it('a block declines; content without an action, or of another event, answers nothing', () => {
    expect(merged('Elicitation', { decision: 'block', reason: 'no' }).elicitation).toEqual({ action: 'decline' });
    expect(merged('Elicitation', answer('Elicitation', { content: { a: 1 } })).elicitation).toBeNull();
    expect(merged('Stop', { decision: 'block', reason: 'no' }).elicitation).toBeNull();
  });

  it('of a guard that fails declines', () => {
    expect(refusal('Elicitation', 'it threw').elicitation).toEqual({ action: 'decline' });
  });

  it('that are wrong in any part may refuse, but accept nothing', () => {
    const wrong = (action: string) => broken('Elicitation', answer('Elicitation', { action, content: 'text' })).result;
    expect(wrong('accept').elicitation).toBeNull();
    expect(wrong('cancel').elicitation).toEqual({ action: 'cancel' });
  });
});

describe('answers that are wrong', () => {
  it.each([
    ['text', 'not an object'],
    [[{}], 'not an object'],
    [42, 'not an object'],
    [true, 'not an object'],
    [{ continue: 'false' }, 'continue must be true or false'],
    [{ decision: 'allow' }, 'decision must be "approve" or "block"'],
    [{ reason: 5 }, 'reason must be a string'],
    [{ async: 'yes' }, 'async must be true or false'],
    [{ hookSpecificOutput: [] }, 'hookSpecificOutput must be an object'],
    [{ hookSpecificOutput: {} }, 'hookEventName is missing, but the event is "PreToolUse"'],
    [{ hookSpecificOutput: { hookEventName: 'Stop' } }, 'hookEventName is "Stop", but the event is "PreToolUse"'],
    [pre({ permissionDecision: 'yes' }), 'permissionDecision must be'],
    [pre({ updatedInput: ['a'] }), 'updatedInput must be an object'],
    [pre({ updatedInput: { run: () => 1 } }), 'updatedInput must hold only data'],
    [pre({ additionalContext: 1 }), 'additionalContext must be a string'],
  ])('%j: %s', (output, problem) => {
    const { result, problems } = broken('PreToolUse', output);
    expect(problems).toContain(problem);
    expect(result).toEqual(EMPTY_HOOK_RESULT);
  });

  it('loosen and change nothing', () => {
    const output = {
      decision: 'approve',
      reason: 7,
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: { command: 'x' },
        additionalContext: 'x',
      },
    };
    expect(broken('PreToolUse', output).result).toEqual(EMPTY_HOOK_RESULT);
  });

  it('still restrict', () => {
    const wrongEvent = { hookSpecificOutput: { hookEventName: 'PostToolUse', permissionDecision: 'deny' } };
    expect(broken('PreToolUse', wrongEvent).result.permission?.behavior).toBe('deny');
    expect(broken('Stop', { decision: 'block', reason: 7 }).result.block).not.toBeNull();
    expect(broken('Stop', { continue: false, stopReason: 7 }).result.continue).toBe(false);
    const denied = { reason: 7, ...(request({ behavior: 'deny', message: 'no' }) as object) };
    expect(broken('PermissionRequest', denied).result.request).toEqual({ behavior: 'deny', message: 'no' });
  });

  it('may throw when they are read', () => {
    const trap = {
      get decision(): string {
        throw new Error('boo');
      },
    };
    expect(broken('Stop', trap)).toEqual({ result: EMPTY_HOOK_RESULT, problems: 'its answer cannot be read: boo' });
  });
});
