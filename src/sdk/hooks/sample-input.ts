// What an event's input holds if nobody says otherwise: enough for every matcher and every hook to have its subject.
import { HOOK_EVENTS, type HookEvent } from '../../protocol/hooks.js';

const CALL = { tool_name: 'Bash', tool_input: { command: 'true' }, tool_use_id: 'toolu_sample' };
const SERVER = { mcp_server_name: 'sample' };

const SWITCH = {
  from_model: 'sample-1',
  to_model: 'sample-2',
  requested_model: 'sample-2',
  source: 'sdk',
  context_tokens: 0,
  prompt_cache_warm: false,
  cache_ttl: '5m',
  estimated_cache_write_usd: 0,
  pricing: 'default',
};

const SAMPLES: Readonly<Record<HookEvent, Readonly<Record<string, unknown>>>> = {
  PreToolUse: CALL,
  PostToolUse: { ...CALL, tool_response: { stdout: '', stderr: '', exitCode: 0 }, duration_ms: 1 },
  PostToolUseFailure: { ...CALL, error: 'Exit code 1', is_interrupt: false, duration_ms: 1 },
  PermissionRequest: { ...CALL, permission_suggestions: [] },
  PermissionDenied: { ...CALL, reason: 'A rule denies it.' },
  Notification: { message: 'A call waits for you.', notification_type: 'permission_prompt' },
  UserPromptSubmit: { prompt: 'Hello' },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'other' },
  Stop: { stop_hook_active: false },
  StopFailure: { error: 'The model cannot be reached.' },
  SubagentStart: { agent_id: 'sample', agent_type: 'general-purpose' },
  SubagentStop: { agent_id: 'sample', agent_type: 'general-purpose', stop_hook_active: false },
  PreCompact: { trigger: 'manual', custom_instructions: null },
  PostCompact: { trigger: 'manual', compact_summary: 'Summary.' },
  Setup: { trigger: 'init' },
  TeammateIdle: { teammate_name: 'sample', team_name: 'sample' },
  TaskCreated: { task_id: '1', task_subject: 'Sample' },
  TaskCompleted: { task_id: '1', task_subject: 'Sample' },
  Elicitation: { ...SERVER, message: 'Which?', mode: 'form' },
  ElicitationResult: { ...SERVER, action: 'accept', content: {} },
  ConfigChange: { source: 'user_settings' },
  WorktreeCreate: { name: 'sample' },
  WorktreeRemove: { worktree_path: '/sample' },
  InstructionsLoaded: { file_path: 'AGENTS.md', memory_type: 'Project', load_reason: 'session_start' },
  CwdChanged: { old_cwd: '/', new_cwd: '/' },
  FileChanged: { file_path: 'sample.txt', event: 'change' },
  PostToolBatch: { tool_calls: [{ ...CALL, tool_response: '' }] },
  UserPromptExpansion: {
    expansion_type: 'slash_command',
    command_name: 'sample',
    command_args: '',
    prompt: '/sample',
  },
  PreModelSwitch: SWITCH,
  PostModelSwitch: SWITCH,
  DirectoryAdded: { directory: '/sample', source: 'register_repo_root' },
  MessageDisplay: { turn_id: 'sample', message_id: 'sample', index: 0, final: true, delta: 'Sample.' },
};

export function isHookEvent(name: string): name is HookEvent {
  return (HOOK_EVENTS as readonly string[]).includes(name);
}

export function sampleInput(event: HookEvent): Readonly<Record<string, unknown>> {
  return SAMPLES[event];
}
