// Which firings a matcher wants, and which matchers are refused when they are given.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileMatcher, hookSubject, patternCost } from '../../src/hooks/matcher.js';
import { ConfigError } from '../../src/protocol/errors.js';
import { HOOK_EVENTS, type HookEvent, type HookInput } from '../../src/protocol/hooks.js';
import { hookInput } from './inputs.js';

const WHERE = 'hooks.PreToolUse[0].matcher';

function applies(matcher: string | undefined, subject: string | null, event: HookEvent = 'PreToolUse'): boolean {
  return compileMatcher(event, matcher, WHERE)(subject);
}

describe('compileMatcher', () => {
  it.each<[matcher: string | undefined, subject: string | null, expected: boolean]>([
    // All.
    [undefined, 'Bash', true],
    ['', 'Bash', true],
    ['  ', 'Bash', true],
    ['*', 'mcp__server__tool', true],
    ['.*', 'mcp__server__tool', true],
    // Names are whole and case counts.
    ['Bash', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['Bash', 'MyBash', false],
    ['Bash', 'bash', false],
    ['mcp__memory', 'mcp__memory__write', false],
    // Lists.
    ['Edit|Write', 'Write', true],
    ['Edit | Write', 'Write', true],
    ['Edit, Write', 'Edit', true],
    ['Edit|Write', 'NotebookEdit', false],
    ['Edit|Write|', '', false],
    ['Edit|*', 'Bash', true],
    // A star in a name stands for any rest.
    ['mcp__memory__*', 'mcp__memory__write', true],
    ['mcp__memory__*', 'mcp__other__write', false],
    ['Bash|mcp__*', 'mcp__a__b', true],
    ['mcp__**', 'mcp__a__b', true],
    // Patterns are anchored at both ends …
    ['Notebook.*', 'NotebookEdit', true],
    ['.*Edit', 'NotebookEdit', true],
    ['(Multi)?Edit', 'MultiEdit', true],
    ['(Multi)?Edit', 'NotebookEdit', false],
    ['mcp__.*__(read|write)', 'mcp__files__write', true],
    ['mcp__.*__(read|write)', 'mcp__files__write_all', false],
    ['Edit|mcp__.+', 'xEdit', false],
    ['(?!Bash$).+', 'Read', true],
    ['(?!Bash$).+', 'Bash', false],
    // … unless they say so themselves.
    ['^Notebook', 'NotebookEdit', true],
    ['^Notebook', 'MyNotebook', false],
    ['Edit$', 'NotebookEdit', true],
    ['^Bash$', 'Bash', true],
    ['^Bash$', 'BashOutput', false],
    ['Ba\\$', 'Ba$', true],
    ['Ba\\$', 'xBa$', false],
    // An event without a subject ignores the matcher.
    ['Bash', null, true],
  ])('matcher %j on %j is %j', (matcher, subject, expected) => {
    expect(applies(matcher, subject)).toBe(expected);
  });

  it.each([
    ['(', /is not a regular expression/],
    ['[a-', /is not a regular expression/],
    ['+Bash', /is not a regular expression/],
    // Valid only inside the group that anchors it.
    ['a)|(b', /is not a regular expression/],
    ['|', /names nothing/],
    [' , ', /names nothing/],
    ['Bash(rm *)', /no tool name does/],
    ['Edit Write', /no tool name does/],
    ['(a+)+$', /too long/],
    ['(a|a)*b', /too long/],
    ['(a|ab)*c', /too long/],
    ['(a*)*', /too long/],
    ['(?:x?){200}', /too long/],
    [`${'a?'.repeat(40)}`, /too long/],
    ['.*.*.*.*x', /too long/],
    ['a*b*c*d*', /too long/],
    ['.*a.*b.*c$', /too long/],
    ['((a{99}){99}){99}', /too long/],
    ['.{99999}', /too long/],
    ['(?=(a+)+b).', /too long/],
    ['x'.repeat(1001), /1001 characters/],
  ])('refuses %j', (matcher, message) => {
    expect(() => applies(matcher, 'Bash')).toThrow(ConfigError);
    expect(() => applies(matcher, 'Bash')).toThrow(message);
    expect(() => applies(matcher, 'Bash')).toThrow(WHERE);
  });

  it('lets subjects other than tools hold blanks', () => {
    expect(applies('code reviewer', 'code reviewer', 'SubagentStop')).toBe(true);
    expect(applies('code .*', 'code reviewer', 'SubagentStop')).toBe(true);
  });

  it('looks at the first 256 characters of a subject', () => {
    expect(applies('mcp__.*', `mcp__${'x'.repeat(10_000)}`)).toBe(true);
    expect(applies('.*y', `${'x'.repeat(256)}y`)).toBe(false);
  });

  it('gives a test or a ConfigError for any matcher', () => {
    const piece = fc.constantFrom(
      'a',
      'B',
      '_',
      '.',
      '*',
      '+',
      '?',
      '|',
      '(',
      ')',
      '(?:',
      '[',
      ']',
      '{2}',
      '\\',
      '^',
      '$',
    );
    const matcher = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(matcher, fc.string({ maxLength: 40 }), (source, subject) => {
        try {
          expect(typeof applies(source, subject)).toBe('boolean');
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
        }
      }),
      { seed: 42, numRuns: 3000 },
    );
  });
});

describe('patternCost', () => {
  it.each([
    ['abc', 1],
    ['a|b|c', 3],
    ['a?', 2],
    ['a*', 11],
    ['a+b*?', 121],
    ['(?:a|b)c?', 4],
    ['[*+?|()]', 1],
    ['\\*\\(', 1],
    ['a{3}', 1],
    ['a{2,4}', 3],
    ['a{2,}', 11],
    ['a{', 1],
    ['(?<name>a|b)', 2],
    ['(?=a|b)(?<!c|d)', 4],
    ['(a|b)?', 3],
    ['(a|b){2}', 4],
    ['[]a*', 11],
    ['[^]]*', 11],
    ['[\\]|*]', 1],
  ])('bounds the paths of %j on 10 characters by %d', (source, paths) => {
    expect(patternCost(source, 10).paths).toBe(paths);
  });

  it('counts the repeats written out', () => {
    expect(patternCost('(a{50}){50}', 10).size).toBeGreaterThanOrEqual(2500);
    expect(patternCost('abc', 10).size).toBe(4);
  });
});

describe('hookSubject', () => {
  const SUBJECTS: Readonly<Record<HookEvent, string | null>> = {
    PreToolUse: 'Bash',
    PostToolUse: 'Bash',
    PostToolUseFailure: 'Bash',
    PermissionRequest: 'Bash',
    PermissionDenied: 'Bash',
    SessionStart: 'startup',
    SessionEnd: 'other',
    ConfigChange: 'user_settings',
    PreCompact: 'auto',
    PostCompact: 'manual',
    Setup: 'init',
    Notification: 'idle_prompt',
    SubagentStart: 'reviewer',
    SubagentStop: 'reviewer',
    StopFailure: 'rate_limit',
    InstructionsLoaded: 'nested_traversal',
    FileChanged: '.envrc',
    UserPromptExpansion: 'fix',
    PreModelSwitch: 'sdk',
    PostModelSwitch: 'sdk',
    DirectoryAdded: 'register_repo_root',
    PostToolBatch: null,
    MessageDisplay: null,
    Elicitation: 'memory',
    ElicitationResult: 'memory',
    UserPromptSubmit: null,
    Stop: null,
    TeammateIdle: null,
    TaskCreated: null,
    TaskCompleted: null,
    WorktreeCreate: null,
    WorktreeRemove: null,
    CwdChanged: null,
  };

  it.each(HOOK_EVENTS)('%s has its own subject', (event) => {
    expect(hookSubject(hookInput(event))).toBe(SUBJECTS[event]);
  });

  it('is empty if an agent type is left out, so that a name does not match', () => {
    const { agent_type: _, ...input } = hookInput('SubagentStop');
    expect(hookSubject(input as HookInput)).toBe('');
    expect(applies('reviewer', '', 'SubagentStop')).toBe(false);
  });
});
