// How each kind of message looks in the conversation, and what of a run is open, at three widths. The golden screens are files:
// `cat` shows them. After a change that is meant: npm test -- test/tui/conversation/message-screens.test.ts -u
import { expect, it } from 'vitest';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { createConversation } from '../../../src/tui/conversation/conversation.js';
import { initialState, type State } from '../../../src/tui/state.js';
import { activityLines, statusLine } from '../../../src/tui/status/status-line.js';
import { createTheme } from '../../../src/tui/theme.js';
import { ansiOf } from '../../support/terminal/ansi-of.js';
import { screenOf } from '../../support/terminal/screen-reader.js';

type Kind = Exclude<SDKMessage['type'], 'system'> | Extract<SDKMessage, { readonly type: 'system' }>['subtype'];

const theme = createTheme({ env: { TERM: 'xterm-256color' }, theme: 'dark' });
const message = (fields: object) =>
  ({ uuid: 'u', session_id: 's', parent_tool_use_id: null, ...fields }) as unknown as SDKMessage;
const system = (subtype: string, fields: object = {}) => [message({ type: 'system', subtype, ...fields })];
const says = (...content: readonly object[]) => message({ type: 'assistant', message: { id: 'm', content } });
const calls = (name: string, input: unknown, more: object = {}) =>
  message({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name, input }] }, ...more });
const gives = (content: unknown, more: object = {}, isError = false) => {
  const block = { type: 'tool_result', tool_use_id: 't', content, is_error: isError };
  return message({ type: 'user', message: { role: 'user', content: [block] }, ...more });
};
const ends = (fields: object) =>
  message({
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 4_200,
    num_turns: 3,
    result: 'done',
    total_cost_usd: 0.0123,
    usage: { input_tokens: 1_234, output_tokens: 210, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    permission_denials: [],
    terminal_reason: 'completed',
    ...fields,
  });
const delta = (event: object) => message({ type: 'stream_event', event });

const HUNKS = [
  { oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, lines: [' one', '-two', '+2', '+\ttwo and a half 語'] },
  { oldStart: 40, oldLines: 1, newStart: 41, newLines: 1, lines: ['-x\u202ey', '+xy'] },
];
const LONG = Array.from({ length: 30 }, (_, at) => `line ${at + 1} of a result`).join('\n');
const EVIL = 'red \x1b[31m, clipboard \x1b]52;c;aGk=\x07, \u202ereversed, zero\u200bwidth, 👨‍👩‍👧, ｗｉｄｅ';

/** Each kind that there is; what shows nothing has to show nothing. */
const SAMPLES: Readonly<Record<Kind, readonly SDKMessage[]>> = {
  assistant: [
    says({ type: 'text', text: `# A heading\n\nSome **words** with \`code\`, and ${EVIL}.` }),
    says({ type: 'thinking', thinking: 'It might be so.\nOr not.' }),
  ],
  user: [
    calls('Bash', { command: 'npm test -- --reporter=dot test/a-file-with-a-long-name.test.ts && echo ok' }),
    gives(LONG),
    calls('Bash', { command: `printf '${EVIL}'` }),
    gives(EVIL, {}, true),
    calls('Read', { file_path: 'shot.png' }),
    gives([{ type: 'image' }, { type: 'text', text: '12 x 12' }]),
    calls('Bash', { command: 'true' }),
    gives(''),
    calls('Edit', { file_path: 'a.ts' }),
    gives('done', { tool_use_result: { structuredPatch: HUNKS } }),
    calls('Write', { file_path: 'new.ts', content: `${LONG}\n` }),
    gives('done', { tool_use_result: { created: true } }),
    calls('TodoWrite', {
      todos: [
        { content: 'Find it', status: 'completed', activeForm: 'Finding it' },
        { content: 'Mend it', status: 'in_progress', activeForm: 'Mending it' },
        { content: 'Test it', status: 'pending', activeForm: 'Testing it' },
      ],
    }),
    gives('kept'),
    calls('Grep', { pattern: 'x' }, { parent_tool_use_id: 'a' }),
    gives('found', { parent_tool_use_id: 'a' }),
    calls('Bash', { command: 'exit 3' }, { parent_tool_use_id: 'a' }),
    gives('It failed.', { parent_tool_use_id: 'a' }, true),
  ],
  stream_event: [
    delta({ type: 'message_start', message: { id: 'streamed' } }),
    delta({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    delta({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Comes in *pieces*.' } }),
    delta({ type: 'content_block_stop', index: 0 }),
    message({ type: 'assistant', message: { id: 'streamed', content: [{ type: 'text', text: 'Not twice.' }] } }),
  ],
  result: [
    ends({}),
    ends({ subtype: 'error_during_execution', is_error: true, errors: ['The key was refused.', 'Set another one.'] }),
    ends({ subtype: 'error_during_execution', terminal_reason: 'aborted', permission_denials: [{}] }),
    ends({ deferred_tool_uses: [{ id: 'call_1', name: 'Bash', input: { command: 'make release' } }] }),
    ends({ is_error: true, result: 'What failed, in words.', cost_unknown: true }),
  ],
  tool_use_summary: [message({ type: 'tool_use_summary', summary: 'Read three files' })],
  tool_progress: [message({ type: 'tool_progress', tool_use_id: 't', tool_name: 'Bash', elapsed_time_seconds: 3 })],
  auth_status: [message({ type: 'auth_status', isAuthenticating: true, output: [] })],
  conversation_reset: [message({ type: 'conversation_reset', new_conversation_id: 'n' })],
  prompt_suggestion: [message({ type: 'prompt_suggestion', suggestion: 'Run the tests' })],
  rate_limit_event: [
    message({
      type: 'rate_limit_event',
      rate_limit_info: { status: 'allowed_warning', rateLimitType: 'tokens', utilization: 0.93 },
    }),
  ],
  command_lifecycle: [message({ type: 'command_lifecycle', command: 'x', state: 'started' })],
  cloud_agent_event: [message({ type: 'cloud_agent_event', event: {} })],
  init: system('init', { model: 'm', provider: 'p', permissionMode: 'default', cwd: '/w' }),
  notice: [
    ...system('notice', { level: 'warning', message: 'The hook "x" was not read.', remedy: 'Give it a command.' }),
    ...system('notice', { level: 'info', message: `Of a subagent ${EVIL}`, agent_id: 'a' }),
  ],
  api_retry: system('api_retry', { attempt: 1, max_retries: 10, retry_delay_ms: 500, message: 'The server is busy.' }),
  model_changed: system('model_changed', { from: 'large', to: 'small', reason: 'the first one is overloaded' }),
  stream_reset: system('stream_reset', { message_id: 'm', reason: 'stream_cut' }),
  permission_denied: system('permission_denied', { tool_name: 'Bash', message: 'Bash was denied: no rule allows it.' }),
  history_repaired: system('history_repaired', { repairs: [{ kind: 'missing_tool_result', detail: 'call_1' }] }),
  mirror_error: system('mirror_error', { error: 'gone' }),
  compact_boundary: system('compact_boundary'),
  status: system('status', { status: 'compacting' }),
  informational: system('informational', { level: 'info', content: 'Something to know.' }),
  hook_started: system('hook_started', { status_message: 'Looks at the edit' }),
  hook_progress: system('hook_progress'),
  hook_response: [
    ...system('hook_response', { outcome: 'success', hook_name: 'format', hook_event: 'PostToolUse' }),
    ...system('hook_response', { outcome: 'error', hook_name: 'check', hook_event: 'Stop' }),
  ],
  task_started: system('task_started', { task_id: 'a', description: 'Look for callers', is_backgrounded: true }),
  task_progress: system('task_progress', { task_id: 'a' }),
  task_updated: system('task_updated', { task_id: 'a', patch: {} }),
  task_notification: system('task_notification', { task_id: 'a', status: 'completed', summary: 'Nobody calls it.' }),
  background_tasks_changed: system('background_tasks_changed', { tasks: [] }),
  goal_updated: system('goal_updated', { goal: { objective: 'All tests pass', status: 'active', turns_used: 0 } }),
  goal_cleared: system('goal_cleared'),
  local_command_output: system('local_command_output', { content: 'x' }),
  mcp_status_change: system('mcp_status_change'),
  session_state_changed: system('session_state_changed', { state: 'idle' }),
  session_title_changed: system('session_title_changed', { title: 'x' }),
  bridge_state: system('bridge_state'),
  files_persisted: system('files_persisted'),
  elicitation_complete: system('elicitation_complete'),
  plan_mode_changed: system('plan_mode_changed'),
  commands_changed: system('commands_changed', { commands: [] }),
  available_models_update: system('available_models_update'),
  control_request_progress: system('control_request_progress'),
  model_refusal_fallback: system('model_refusal_fallback'),
  model_refusal_no_fallback: system('model_refusal_no_fallback'),
  thinking_tokens: system('thinking_tokens'),
  notification: system('notification', { text: 'x' }),
  session_writes_lost: system('session_writes_lost'),
  worker_shutting_down: system('worker_shutting_down'),
  memory_recall: system('memory_recall'),
};

const STATE: State = {
  ...initialState('/w'),
  run: { since: 0, doing: 'Running', stopping: false, outputTokens: 1_234 },
  queue: [
    { uuid: 'a', text: 'look at the tests too', priority: 'next' },
    { uuid: 'b', text: 'and afterwards\nsomething else', priority: 'later' },
  ],
  todos: [
    { content: 'Find it', status: 'completed' },
    { content: 'Mend it', status: 'in_progress', activeForm: 'Mending it' },
    { content: 'Test it', status: 'pending' },
  ],
  calls: [
    {
      id: '1',
      name: 'Bash',
      input: { command: 'npm test' },
      parent: null,
      since: 8_000,
      output: ['one', 'two \x1b[2J', `three\tand ${'x'.repeat(200)}`, '漢字', ''],
      progress: null,
    },
    { id: '2', name: 'mcp__maps__tiles', input: {}, parent: null, since: 1, output: [], progress: 'tiles, 3 of 12' },
    { id: '3', name: 'Read', input: { file_path: 'a.ts' }, parent: 'a', since: 1, output: [], progress: null },
    ...Array.from({ length: 5 }, (_, at) => {
      const id = `more ${at}`;
      return { id, name: 'Glob', input: { pattern: `**/${at}` }, parent: null, since: 1, output: [], progress: null };
    }),
  ],
  tasks: [
    {
      id: 'a',
      type: 'local_bash',
      description: 'Serves the pages',
      agent: null,
      toolUseId: null,
      background: true,
      since: 0,
      lastTool: null,
    },
  ],
  session: {
    ...initialState('/w').session,
    model: 'claude-sonnet-5-5',
    mode: 'plan',
    branch: 'main',
    contextUsed: 0.423,
    costUsd: 1.2,
    costUnknown: true,
  },
};

const heading = (name: string) => ['', `-- ${name}`];

async function expectScreen(name: string, columns: number, lines: readonly string[]): Promise<void> {
  const screen = await screenOf(`${lines.join('\r\n')}`, { columns, rows: 500 });
  await expect(ansiOf(screen)).toMatchFileSnapshot(`../../fixtures/screens/${name}-${columns}.ansi`);
}

it.each([40, 80, 120])('each kind of message looks so at %i columns', async (columns) => {
  const kinds = Object.entries(SAMPLES).flatMap(([kind, messages]) => {
    const conversation = createConversation(theme, () => columns, false);
    const lines = messages.flatMap((each) => conversation.take(each));
    return lines.length === 0 ? [] : [...heading(kind), ...lines];
  });
  const prompts = createConversation(theme, () => columns, false);
  const asked = [...prompts.prompt(`One line\nand another ${EVIL}`), ...prompts.prompt('line\n'.repeat(44).trimEnd())];
  const conversation = createConversation(theme, () => columns, false);
  const open = conversation.open(STATE, 20_000);
  await expectScreen('messages', columns, [
    ...heading('what was typed'),
    ...asked,
    ...kinds,
    ...heading('what runs'),
    ...open.calls,
    ...heading('above the draft'),
    ...activityLines(STATE, 20_000, columns, theme),
    ...heading('above the draft, while something is asked, and while it stops'),
    ...activityLines({ ...STATE, todos: [], tasks: [] }, 20_000, columns, theme, true),
    ...activityLines({ ...STATE, run: { ...STATE.run, stopping: true } as State['run'] }, 20_000, columns, theme),
    ...heading('below the draft'),
    statusLine(STATE, 'NORMAL 2d', columns, theme),
  ]);
});

it('shows what is left out with --verbose', async () => {
  const lines = Object.entries(SAMPLES).flatMap(([kind, messages]) => {
    const [short, long] = [false, true].map((isVerbose) => {
      const conversation = createConversation(theme, () => 80, isVerbose);
      return messages.flatMap((each) => conversation.take(each));
    }) as [string[], string[]];
    return short.join('\n') === long.join('\n') ? [] : [...heading(kind), ...long];
  });
  await expectScreen('messages-verbose', 80, lines);
});
