import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorLine, exitCodeOf } from '../../src/cli/exit-codes.js';
import { paint, type Style, styleFor, wantsColour } from '../../src/cli/lines/style.js';
import { renderFigures, renderMessage, renderToolResult, renderToolUse } from '../../src/cli/lines/views.js';
import { ConfigError, SessionError } from '../../src/protocol/errors.js';
import type { SDKMessage, SDKResultMessage } from '../../src/protocol/messages.js';
import { createTextEscaper, escapeAnswer, escapeHidden } from '../../src/view/escape-text.js';
import { formatCount, formatDuration, formatMoment, formatTokens, formatZone } from '../../src/view/figures.js';
import { displayWidth, fitToWidth } from '../../src/view/width.js';

const PLAIN: Style = { colour: false, columns: 60, verbose: false };
const VERBOSE: Style = { ...PLAIN, verbose: true };
const STAMP = { uuid: 'u', session_id: 's' };

/** A message as it comes off a stream; each test is about a few of its fields. */
const message = (fields: object) => ({ ...STAMP, parent_tool_use_id: null, ...fields }) as unknown as SDKMessage;
const system = (subtype: string, fields: object) => message({ type: 'system', subtype, ...fields });
const result = (fields: object = {}) =>
  message({
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 4200,
    num_turns: 3,
    result: 'done',
    total_cost_usd: 0.0123,
    usage: { input_tokens: 1234, output_tokens: 210, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    permission_denials: [],
    terminal_reason: 'completed',
    ...fields,
  }) as SDKResultMessage;
const toolUse = (name: string, input: unknown, parent: string | null = null) =>
  message({
    type: 'assistant',
    parent_tool_use_id: parent,
    message: { content: [{ type: 'tool_use', id: 't', name, input }] },
  });
const toolResult = (content: unknown, is_error = false) =>
  message({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content, is_error }] },
  });

describe('renderMessage', () => {
  const cases: [name: string, message: SDKMessage, lines: string[]][] = [
    ['a call', toolUse('Bash', { command: 'ls -la' }), ['● Bash  ls -la']],
    ['a call with a path', toolUse('Read', { offset: 3, file_path: '/a/b.ts' }), ['● Read  /a/b.ts']],
    ['a search', toolUse('Grep', { pattern: 'x+', path: 'src' }), ['● Grep  x+ in src']],
    [
      'todos',
      toolUse('TodoWrite', {
        todos: [
          { content: 'Read', status: 'completed', activeForm: 'Reading' },
          { content: 'Run the tests\u001b', status: 'in_progress', activeForm: 'Running\n the tests\u001b' },
          { content: 'Write', status: 'pending', activeForm: 'Writing' },
        ],
      }),
      ['● TodoWrite  3 items', '  [x] Read', '  [~] Running ⏎ the tests\\x1b', '  [ ] Write'],
    ],
    ['todos that are none', toolUse('TodoWrite', { todos: [1] }), ['● TodoWrite  1 item', '  [ ] ?']],
    ['an unknown tool', toolUse('mcp__a__b', { deep: { x: 1 } }), ['● mcp__a__b  {"deep":{"x":1}}']],
    ['no input', toolUse('ExitPlanMode', {}), ['● ExitPlanMode']],
    ['input that is none', toolUse('Odd', null), ['● Odd  null']],
    ['a command of several lines', toolUse('Bash', { command: 'a\n  b\r\nc' }), ['● Bash  a ⏎ b ⏎ c']],
    ['a call of a subagent', toolUse('Bash', { command: 'ls' }, 'toolu_1'), ['  ● Bash  ls']],
    [
      'a call of Agent',
      toolUse('Agent', { subagent_type: 'r', description: 'look', prompt: 'x' }),
      ['● Agent  r: look'],
    ],
    ['a result', toolResult('one'), ['  ⎿ one']],
    ['a long result', toolResult('one\ntwo\nthree'), ['  ⎿ one … (+2 lines)']],
    ['a result that begins with line ends', toolResult('\n\none\n'), ['  ⎿ one']],
    ['an empty result', toolResult(' \n'), ['  ⎿ (no output)']],
    ['an image', toolResult([{ type: 'image' }, { type: 'text', text: 'x' }]), ['  ⎿ [image] … (+1 line)']],
    [
      'a line about a round',
      message({ type: 'tool_use_summary', summary: 'Read\u001b[2J three\nfiles' }),
      ['Read\\x1b[2J three ⏎ files'],
    ],
    [
      'a limit that was reached',
      message({
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt: 1_000_000_000, rateLimitType: 'five_hour\u001b' },
      }),
      [
        `! a limit of the account is reached (five_hour\\x1b); it is reset at ${formatMoment(1e12)} (${formatZone(1e12)})`,
      ],
    ],
    [
      'a limit that is near',
      message({
        type: 'rate_limit_event',
        rate_limit_info: { status: 'allowed_warning', rateLimitType: 'tokens', utilization: 0.934 },
      }),
      ['! a limit of the account is near (tokens, 93 % is used)'],
    ],
    ['a limit that is over', message({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } }), []],
    ['a prompt', message({ type: 'user', message: { role: 'user', content: 'hi' } }), []],
    ['init', system('init', { model: 'm' }), []],
    [
      'a notice',
      system('notice', { level: 'warning', message: 'Not saved.', remedy: 'Do x.' }),
      ['! Not saved. Do x.'],
    ],
    [
      'a retry',
      system('api_retry', {
        attempt: 1,
        max_retries: 10,
        retry_delay_ms: 500,
        reason: 'overloaded',
        message: 'Busy\nnow',
      }),
      ['retrying in 0.5 s (1/10): Busy now'],
    ],
    [
      'a withdrawn answer',
      system('stream_reset', { message_id: 'm', reason: 'stream_cut' }),
      ['! the partial answer above is withdrawn: stream_cut'],
    ],
    [
      'a denial',
      system('permission_denied', { tool_name: 'Bash', message: 'Add --allowedTools Bash.' }),
      ['✗ Bash denied: Add --allowedTools Bash.'],
    ],
    [
      'a repair',
      system('history_repaired', { repairs: [{ detail: 'a' }, { detail: 'b' }] }),
      ['! history repaired: a; b'],
    ],
    ['compaction', system('status', { status: 'compacting' }), ['! summarising the conversation']],
    ['the end of compaction', system('status', { status: null }), []],
    ['a boundary', system('compact_boundary', {}), ['! the conversation was summarised to make room']],
    [
      'a store that fails',
      system('mirror_error', { error: 'gone', key: { projectKey: 'p', sessionId: 's' } }),
      ['! the session store did not take all of the session: gone'],
    ],
    ['a hook that starts', system('hook_started', {}), []],
    ['a hook that says what it does', system('hook_started', { status_message: 'Looks at it' }), ['▸ Looks at it']],
    ['a hook that went well', system('hook_response', { outcome: 'success' }), []],
    [
      'a hook that failed',
      system('hook_response', { outcome: 'error', hook_name: 'h', hook_event: 'Stop' }),
      ['! hook h (Stop): error'],
    ],
    ['a task', system('task_started', { description: 'look' }), ['▸ look']],
    ['a notice about a subagent', system('notice', { level: 'info', message: 'x', agent_id: 'a1' }), ['  ! x']],
    ['the end of a task', system('task_notification', { status: 'failed', summary: 'x' }), ['▸ failed: x']],
    ['command output, which comes as a message too', system('local_command_output', { content: 'x' }), []],
    ['a message of a newer engine', system('brand_new', { anything: 1 }), []],
    ['a type of a newer engine', message({ type: 'brand_new' }), []],
    ['a stream event', message({ type: 'stream_event', event: { type: 'message_stop' } }), []],
    ['success', result(), []],
    [
      'the end of a task budget',
      result({ terminal_reason: 'task_budget' }),
      ['! the task budget is used up: this is as far as the work came'],
    ],
    [
      'errors',
      result({
        subtype: 'error_during_execution',
        is_error: true,
        errors: ['a\nb', 'c'],
        terminal_reason: 'api_error',
      }),
      ['error: a b', 'error: c'],
    ],
    [
      'an error without a text',
      result({ subtype: 'error_max_turns', is_error: true, errors: [] }),
      ['error: error_max_turns'],
    ],
    [
      'an abort',
      result({ subtype: 'error_during_execution', errors: ['x'], terminal_reason: 'aborted' }),
      ['interrupted'],
    ],
  ];
  it.each(cases)('renders %s', (_name, given, lines) => {
    expect(renderMessage(given, PLAIN)).toEqual(lines);
  });

  it('says more with verbose', () => {
    const init = system('init', { model: 'm', provider: 'p', permissionMode: 'default', cwd: '/w' });
    expect(renderMessage(init, { ...VERBOSE, columns: 100 })).toEqual(['m · p · default · /w · session s']);
    expect(renderMessage(toolResult('a\nb'), VERBOSE)).toEqual(['  ⎿ a', '    b']);
    const thinking = message({ type: 'assistant', message: { content: [{ type: 'thinking', thinking: 'hm\nso' }] } });
    expect(renderMessage(thinking, VERBOSE)).toEqual(['~ hm ⏎ so']);
    expect(renderMessage(thinking, PLAIN)).toEqual([]);
  });

  it('colours results by how they ended', () => {
    const colour = { ...PLAIN, colour: true };
    expect(renderMessage(toolResult('x', true), colour)).toEqual(['\x1b[31m  ⎿ x\x1b[39m']);
    expect(renderMessage(toolResult('x'), colour)).toEqual(['\x1b[2m  ⎿ x\x1b[22m']);
  });

  it('carries out no escape sequence and hides nothing, in any message', () => {
    const evil = 'a\x1b[2J\u202eb\x07\r\u200bc';
    const seen = 'a\\x1b[2J\\u202eb\\x07\\r\\u200bc';
    const carriers: SDKMessage[] = [
      toolUse(evil, { command: evil }),
      toolUse('X', { [evil]: evil }),
      toolResult(evil),
      system('notice', { level: 'warning', message: evil, remedy: evil }),
      system('api_retry', { attempt: 1, max_retries: 2, retry_delay_ms: 1, message: evil }),
      system('stream_reset', { reason: evil }),
      system('permission_denied', { tool_name: evil, message: evil }),
      system('history_repaired', { repairs: [{ detail: evil }] }),
      system('hook_response', { outcome: 'error', hook_name: evil, hook_event: evil }),
      system('hook_started', { status_message: evil }),
      system('task_started', { description: evil }),
      system('task_notification', { status: 'completed', summary: evil }),
      result({ subtype: 'error_during_execution', errors: [evil] }),
    ];
    for (const carrier of carriers) {
      const text = renderMessage(carrier, { ...PLAIN, columns: 400 }).join('\n');
      expect(text).not.toMatch(/[\p{Cf}\r]|(?!\n)\p{Cc}/u);
      if (carrier.type === 'user') expect(text).toContain(seen);
    }
    expect(errorLine(new Error(`a${evil}\n\nb`))).toBe(`turnwright: a${seen.replace('\\r', ' ')} b`);
  });
});

describe('widths', () => {
  it('keeps every line of a call and its result within the columns', () => {
    const text = fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: 'grapheme', maxLength: 120 }));
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 90 }), (content, columns) => {
        const style = { ...PLAIN, columns };
        const lines = [
          renderToolUse('Bash', { command: content }, style),
          ...renderToolResult({ type: 'tool_result', tool_use_id: 't', content }, style),
        ];
        return lines.every((line) => !line.includes('\n') && displayWidth(line) <= columns + 1);
      }),
      { seed: 42, numRuns: 300 },
    );
  });

  it('counts wide and combining characters', () => {
    expect(displayWidth('日本e\u0301👍')).toBe(7);
    expect(fitToWidth('日本語', 5)).toBe('日本…');
    expect(fitToWidth('日本語', 6)).toBe('日本語');
    expect(fitToWidth('abc', 2)).toBe('a…');
  });

  it('looks only at what it can show of a huge result', () => {
    const huge = 'x'.repeat(20_000_000);
    const before = process.cpuUsage();
    const [line] = renderToolResult({ type: 'tool_result', tool_use_id: 't', content: huge }, PLAIN);
    expect(displayWidth(line ?? '')).toBe(60);
    // Of its own work, not of a machine that stands still meanwhile.
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });
});

describe('escaping', () => {
  it('lets line feed, tab and joiners of an answer pass', () => {
    expect(escapeAnswer('a\n\tb 👩\u200d🚀 \u202e')).toBe('a\n\tb 👩\u200d🚀 \\u202e');
    expect(escapeHidden('👩\u200d🚀')).toBe('👩\\u200d🚀');
    expect(escapeHidden('a\r\nb\rc\ud800\u{e0041}\u2028\u{e0100}\x9b')).toBe(
      'a\nb\\rc\\ud800\\u{e0041}\\u2028\\u{e0100}\\x9b',
    );
  });

  it('gives the same whatever the cuts of the stream', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 5 }),
      fc.constantFrom('\r', '\n', '\ud83d', '\udc4d', '\x1b[', '\u202e'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const escaper = createTextEscaper();
        const streamed = pieces.map((part) => escaper.push(part)).join('') + escaper.end();
        expect(streamed).toBe(escapeAnswer(pieces.join('')));
      }),
      { seed: 42, numRuns: 500 },
    );
  });
});

describe('figures', () => {
  it.each([
    ['a priced model', {}, 'anthropic', '3 turns · 1,234 in / 210 out tokens · $0.0123 · 4.2 s'],
    [
      'one turn, dear',
      { num_turns: 1, total_cost_usd: 12.345 },
      'x',
      '1 turn · 1,234 in / 210 out tokens · $12.35 · 4.2 s',
    ],
    ['the offline model', {}, 'offline', '3 turns · 1,234 in / 210 out tokens · no cost · 4.2 s'],
    [
      'no price',
      { total_cost_usd: 0, cost_unknown: true },
      'x',
      '3 turns · 1,234 in / 210 out tokens · cost unknown · 4.2 s',
    ],
    ['partly priced', { cost_unknown: true }, 'x', /\$0\.0123 and more, cost partly unknown/],
    [
      'a prompt and its session',
      {
        prompt_usage: {
          input_tokens: 34,
          output_tokens: 5,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
        },
        prompt_cost_usd: 0.0004,
        permission_denials: [{}],
      },
      'x',
      '3 turns · 34 in / 5 out tokens · $0.0004 · 4.2 s · 1 denied in the session · session: 1,234 in / 210 out tokens, $0.0123',
    ],
    [
      'a prompt that is the session',
      {
        prompt_usage: {
          input_tokens: 1234,
          output_tokens: 210,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
        },
        prompt_cost_usd: 0.0123,
      },
      'x',
      '3 turns · 1,234 in / 210 out tokens · $0.0123 · 4.2 s',
    ],
    ['denials', { permission_denials: [{}, {}] }, 'x', /· 2 denied$/],
  ])('sums up %s', (_name, fields, provider, expected) => {
    expect(renderFigures(result(fields), provider, PLAIN)).toMatch(
      typeof expected === 'string' ? new RegExp(`^${expected.replace(/[$.]/g, '\\$&')}$`) : expected,
    );
  });

  it('writes counts, tokens and times', () => {
    expect([0, 999, 1000, 1234567].map(formatCount)).toEqual(['0', '999', '1,000', '1,234,567']);
    expect([0, 94, 500, 59_900, 60_000, 125_400].map(formatDuration)).toEqual([
      '0.0 s',
      '0.1 s',
      '0.5 s',
      '59.9 s',
      '1 min 0 s',
      '2 min 5 s',
    ]);
    const usage = { input_tokens: 5, output_tokens: 6, cache_read_input_tokens: 1000, cache_creation_input_tokens: 20 };
    expect(formatTokens(usage)).toBe('1,025 in (1,000 cached) / 6 out tokens');
  });
});

describe('colours', () => {
  it.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: false }, {}, false],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { NO_COLOR: '' }, true],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{ isTTY: false }, { FORCE_COLOR: '1' }, true],
    [{ isTTY: false }, { FORCE_COLOR: '', NO_COLOR: '1' }, true],
    [{ isTTY: true }, { FORCE_COLOR: '0' }, false],
  ])('stream %j with %j: %s', (stream, env, expected) => {
    expect(wantsColour(stream, env)).toBe(expected);
  });

  it('falls back to a width if the stream has none', () => {
    expect(styleFor({}, {}, false).columns).toBe(100);
    expect(styleFor({ columns: 3 }, {}, false).columns).toBe(20);
    expect(paint('x', 'red', PLAIN)).toBe('x');
  });
});

describe('exit codes', () => {
  it('tells what the caller can mend from what failed', () => {
    expect(exitCodeOf(new ConfigError('x'))).toBe(2);
    expect(exitCodeOf(new SessionError('session_not_found', 'x'))).toBe(2);
    expect(exitCodeOf(new SessionError('transcript_unwritable', 'x'))).toBe(1);
    expect(exitCodeOf(new Error('x'))).toBe(1);
    expect(exitCodeOf('x')).toBe(1);
    expect(errorLine('')).toBe('turnwright: failed without a message');
  });
});

describe('moments', () => {
  it.each([
    [120, '2001-09-09 03:46', 'UTC+02:00'],
    [-210, '2001-09-08 22:16', 'UTC-03:30'],
    [0, '2001-09-09 01:46', 'UTC'],
  ])('are told by the clock of whoever reads them, %i minutes from UTC', (offset, moment, zone) => {
    expect(formatMoment(1e12, offset)).toBe(moment);
    expect(formatZone(1e12, offset)).toBe(zone);
  });
});

describe('goals', () => {
  const goal = (fields: object) => ({ objective: 'All tests pass.', status: 'active', turns_used: 0, ...fields });
  it.each([
    [system('goal_updated', { goal: goal({}) }), ['▸ Goal active: All tests pass.']],
    [system('goal_updated', { goal: goal({ turns_used: 3 }) }), []],
    [
      system('goal_updated', { goal: goal({ status: 'budget_limited' }), reason: 'budget' }),
      ['▸ Goal budget limited (budget): All tests pass.'],
    ],
    [
      system('goal_updated', {
        goal: goal({ status: 'complete', objective: `x\u001b[2J${'y'.repeat(90)}` }),
        reason: '\u001b[31m',
      }),
      [expect.not.stringContaining('\u001b')],
    ],
    [system('goal_cleared', { goal_id: 'g' }), ['▸ The goal is gone.']],
  ])('show what changed', (told, lines) => {
    expect(renderMessage(told, PLAIN)).toEqual(lines);
  });
});
