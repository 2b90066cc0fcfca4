// Which hooks a session in a folder would have, and what they do at an event: run by what runs them in a session, with
// the same environment, trust and sandbox. Rule: nothing of their answers acts.

import { createGitWatch } from '../../context/git/index.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import {
  type DeclaredHook,
  type DeclaredHooks,
  type HookAnswer,
  type HookGroup,
  type HookPowers,
  isHookEvent,
} from '../../hooks/declared-hooks.js';
import type { HookResult } from '../../hooks/hook-result.js';
import { hookSubject } from '../../hooks/matcher.js';
import { createHookRunner } from '../../hooks/run-hooks.js';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { HOOK_EVENTS, type HookEvent, type HookInput } from '../../protocol/hooks.js';
import { createSecrets, type Secrets } from '../../providers/keys/index.js';
import type { PendingNotice } from '../../session/config/index.js';
import { openCommandHooks, type RefusedHook } from '../../session/hooks/index.js';
import { openSessionSandbox, type SessionSandbox } from '../../session/sandbox/index.js';
import type { OpenedSettings } from '../../session/settings/index.js';
import { homeFolder } from '../../session/store/index.js';
import { openHookWeb } from '../../session/web/index.js';
import { nearestWord } from '../../util/text.js';
import type { PlainOptions } from '../options/index.js';
import { readSandboxOption } from '../sandbox/index.js';
import { permissionContext, withSettings } from '../settings/index.js';

export interface HooksOptions extends Pick<PlainOptions, 'settings' | 'managedSettings' | 'settingSources'> {
  readonly host: Host;
  /** Absolute. */
  readonly cwd: string;
}

export type ListedHook = Omit<CommandHook, 'changedFiles'>;

export interface HookList {
  /** In the order their answers are merged. */
  readonly hooks: readonly ListedHook[];
  readonly refused: readonly RefusedHook[];
  readonly notices: readonly PendingNotice[];
}

/** One hook that ran. */
export interface TriedHook {
  readonly label: string;
  /** Null if it did not end by itself, or was not started. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  /** Why it failed; null if it did not. */
  readonly error: string | null;
}

export interface HookTrial {
  readonly event: HookEvent;
  readonly input: HookInput;
  readonly ran: readonly TriedHook[];
  /** Of all of them together, as it would act. */
  readonly result: HookResult;
  readonly notices: readonly PendingNotice[];
}

export async function listHooks({ host, ...options }: HooksOptions): Promise<HookList> {
  const { settings, notices } = await withSettings(options, host);
  const hooks = settings?.commandHooks ?? [];
  return { hooks: hooks.map(({ changedFiles: _, ...rest }) => rest), refused: settings?.refusedHooks ?? [], notices };
}

export async function tryHooks(
  { host, ...options }: HooksOptions,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<HookTrial> {
  const input = inputOf(event, fields, options.cwd, host.ids.uuid());
  const applied = await withSettings(options, host);
  const { settings } = applied;
  const notices = [...applied.notices];
  const place = { host, cwd: options.cwd, env: { ...host.env, ...applied.options.env } };
  const sandbox = await openSandboxOf(applied.options, settings, place, (notice) => notices.push(notice));
  notices.push(...(sandbox?.notices ?? []));
  const secrets = createSecrets();
  const commands = openCommandHooks(settings?.commandHooks ?? [], {
    ...place,
    secrets,
    sandbox: sandbox?.commands ?? null,
    powers: powersWithout(applied.options, place, secrets),
  });
  try {
    const ran: TriedHook[] = [];
    const watched = watch(
      commands.declared,
      (label, startedAt, answer) => {
        const { stdout = '', stderr = '', exitCode = null } = answer.printed ?? {};
        const durationMs = Math.round(host.clock.monotonic() - startedAt);
        ran.push({ label, exitCode, stdout, stderr, durationMs, error: answer.error ?? null });
      },
      () => host.clock.monotonic(),
    );
    const result = await createHookRunner({}, host, watched).run(input, undefined, new AbortController().signal);
    // One that ended late is still being ended.
    await commands.close();
    return { event: input.hook_event_name, input, ran: ran.map((each) => withFailure(each, result)), result, notices };
  } finally {
    await commands.close();
    await sandbox?.commands.close();
  }
}

/** Addresses are reached as in a session; there is no model here, and no server. */
function powersWithout(
  { web, sandbox }: PlainOptions,
  { host, env }: Pick<HooksOptions, 'host'> & { readonly env: Host['env'] },
  secrets: Secrets,
): HookPowers {
  const needsSession = (what: string) => async () => {
    throw new ConfigError(`It was not tried: ${what}, which only a session does.`);
  };
  return {
    async openWeb() {
      return openHookWeb(
        { ...(web === undefined ? {} : { web }), ...(sandbox === undefined ? {} : { sandbox }) },
        host,
        env,
        secrets,
      );
    },
    askAgent: needsSession('it asks an agent'),
    askModel: needsSession('it asks a model'),
    callTool: needsSession('it calls a tool of an MCP server'),
  };
}

/** What the runner says of it counts: that it was late, or that its answer cannot be read. */
function withFailure(hook: TriedHook, { failures }: HookResult): TriedHook {
  return { ...hook, error: failures.find((failure) => failure.hook === hook.label)?.error ?? hook.error };
}

function inputOf(event: string, fields: Readonly<Record<string, unknown>>, cwd: string, id: string): HookInput {
  if (!isHookEvent(event)) {
    const near = nearestWord(event.slice(0, 60), HOOK_EVENTS);
    const advice = near === undefined ? `The events are ${HOOK_EVENTS.join(', ')}.` : `Did you mean ${near}?`;
    throw new ConfigError(`There is no hook event ${JSON.stringify(event.slice(0, 60))}. ${advice}`);
  }
  const base = { session_id: id, transcript_path: '', cwd, permission_mode: 'default' };
  const input = { ...base, ...sampleInput(event), ...fields, hook_event_name: event } as unknown as HookInput;
  const subject: unknown = hookSubject(input);
  if (subject !== null && typeof subject !== 'string')
    throw new ConfigError(`What a matcher of ${event} looks at must be a text; it is a ${typeof subject}.`);
  return input;
}

/** All of them waited for, and each told as it ended. */
function watch(
  declared: DeclaredHooks,
  onEnd: (label: string, startedAt: number, answer: HookAnswer) => void,
  now: () => number,
): DeclaredHooks {
  const watched = ({ aside: _, ...hook }: DeclaredHook): DeclaredHook => ({
    ...hook,
    async call(...given) {
      const startedAt = now();
      const answer = await hook.call(...given);
      onEnd(hook.label, startedAt, answer);
      return answer;
    },
  });
  const group = ({ applies, hooks }: HookGroup): HookGroup => ({ applies, hooks: hooks.map(watched) });
  return new Map([...declared].map(([event, groups]) => [event, groups.map(group)]));
}

/** Null if settings switch none on. @throws ConfigError */
async function openSandboxOf(
  { sandbox }: PlainOptions,
  settings: OpenedSettings | null,
  { host, cwd, env }: Pick<HooksOptions, 'host' | 'cwd'> & { readonly env: HooksOptions['host']['env'] },
  onNotice: (notice: PendingNotice) => void,
): Promise<SessionSandbox | null> {
  if (sandbox === undefined) return null;
  const directories = settings?.directories ?? [];
  const { deny } = await permissionContext({}, undefined, { host, cwd, directories }, settings);
  const read = await readSandboxOption(
    sandbox,
    settings?.effective.managed.sandbox,
    { host, env, cwd, directories },
    deny,
  );
  if (read === null) return null;
  const home = homeFolder(host, env);
  return openSessionSandbox({ cwd, additionalDirectories: directories }, read.sandbox, {
    host,
    env,
    gitFacts: async () => createGitWatch({ host, env, cwd, home }),
    onNotice,
  });
}

// What an event's input holds if nobody says otherwise: enough for every matcher and every hook to have its subject.

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

export function sampleInput(event: HookEvent): Readonly<Record<string, unknown>> {
  return SAMPLES[event];
}
