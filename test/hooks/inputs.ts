// One input for each hook event.
import type { HookEvent, HookInput } from '../../src/protocol/hooks.js';

const BASE = { session_id: 'session-1', transcript_path: '', cwd: '/project' };
const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' } };

type InputOf<E extends HookEvent> = Extract<HookInput, { readonly hook_event_name: E }>;
type OwnFields<E extends HookEvent> = Omit<InputOf<E>, keyof typeof BASE | 'hook_event_name'>;

const SWITCH = {
  from_model: 'a',
  to_model: 'b',
  requested_model: 'b',
  source: 'sdk',
  context_tokens: 10,
  prompt_cache_warm: true,
  cache_ttl: '5m',
  estimated_cache_write_usd: 0,
  pricing: 'default',
} as const;

const FIELDS: { readonly [E in HookEvent]: OwnFields<E> } = {
  PreToolUse: { ...CALL, tool_use_id: 'call-1', permission_mode: 'default' },
  PostToolUse: { ...CALL, tool_use_id: 'call-1', tool_response: { stdout: 'a' } },
  PostToolUseFailure: { ...CALL, tool_use_id: 'call-1', error: 'exit 1', is_interrupt: false },
  PermissionRequest: { ...CALL, permission_suggestions: undefined },
  PermissionDenied: { ...CALL, tool_use_id: 'call-1', reason: 'a rule' },
  Notification: { message: 'waiting', notification_type: 'idle_prompt' },
  UserPromptSubmit: { prompt: 'hello' },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'other' },
  Stop: { stop_hook_active: false },
  StopFailure: { error: 'rate_limit' },
  SubagentStart: { agent_id: 'agent-1', agent_type: 'reviewer' },
  SubagentStop: { stop_hook_active: false, agent_type: 'reviewer' },
  PreCompact: { trigger: 'auto', custom_instructions: null },
  PostCompact: { trigger: 'manual', compact_summary: 'short' },
  Setup: { trigger: 'init' },
  TeammateIdle: { teammate_name: 'a', team_name: 'b' },
  TaskCreated: { task_id: '1', task_subject: 'a' },
  TaskCompleted: { task_id: '1', task_subject: 'a' },
  Elicitation: { mcp_server_name: 'memory', message: 'name?' },
  ElicitationResult: { mcp_server_name: 'memory', action: 'accept' },
  ConfigChange: { source: 'user_settings' },
  WorktreeCreate: { name: 'a' },
  WorktreeRemove: { worktree_path: '/project/a' },
  InstructionsLoaded: { load_reason: 'nested_traversal' },
  CwdChanged: { old_cwd: '/project', new_cwd: '/project/a' },
  FileChanged: { file_path: '/project/.envrc', event: 'change' },
  PostToolBatch: { tool_calls: [{ ...CALL, tool_use_id: 'call-1' }] },
  UserPromptExpansion: { expansion_type: 'slash_command', command_name: 'fix', command_args: '', prompt: '/fix' },
  PreModelSwitch: SWITCH,
  PostModelSwitch: SWITCH,
  DirectoryAdded: { directory: '/other', source: 'register_repo_root' },
  MessageDisplay: { turn_id: '1', message_id: '2', index: 0, final: true, delta: 'a' },
};

export function hookInput<E extends HookEvent>(event: E): InputOf<E> {
  return { ...BASE, hook_event_name: event, ...FIELDS[event] } as unknown as InputOf<E>;
}
