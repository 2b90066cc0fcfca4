// The session's hooks: fills in what every hook input has, and turns what hooks report into messages.
import type { LoopHooks, MessageDraft } from '../engine/loop-state.js';
import { createHookRunner, EMPTY_HOOK_RESULT, type HookMatchers } from '../hooks/run-hooks.js';
import type { Host } from '../host/host.js';
import type { HookInput } from '../protocol/hooks.js';

export interface SessionHooksOptions {
  readonly matchers: HookMatchers;
  readonly host: Host;
  readonly sessionId: string;
  readonly cwd: string;
  readonly includeEvents: boolean;
  /** Read at each firing. */
  facts(): { readonly transcriptPath: string; readonly permissionMode: string; readonly signal: AbortSignal };
  /** What hooks give rise to, in order. Contract: cheap, never throws. */
  onDraft(draft: MessageDraft): void;
}

/** @throws ConfigError for an unknown event, a matcher that cannot be used, or a hook that is not a function. */
export function createSessionHooks(options: SessionHooksOptions): LoopHooks {
  const { matchers, host, sessionId, cwd, onDraft } = options;
  const runner = createHookRunner(matchers, {
    clock: host.clock,
    ids: host.ids,
    ...(options.includeEvents ? { onReport: (report) => onDraft({ type: 'system', ...report } as MessageDraft) } : {}),
  });
  return {
    has: (event) => runner.has(event),
    async run(event, fields, toolUseId) {
      if (!runner.has(event)) return EMPTY_HOOK_RESULT;
      const { transcriptPath, permissionMode, signal } = options.facts();
      const base = {
        hook_event_name: event,
        session_id: sessionId,
        transcript_path: transcriptPath,
        cwd,
        permission_mode: permissionMode,
      };
      // What is told after an abort is told all the same: the end of a call, of a prompt, of the session.
      const own = signal.aborted ? new AbortController().signal : signal;
      const result = await runner.run({ ...base, ...fields } as HookInput, toolUseId, own);
      for (const failure of result.failures)
        onDraft(notice('hook_failed', 'warning', `The hook ${failure.hook} failed: ${failure.error}`));
      for (const message of result.systemMessages) onDraft(notice('hook_message', 'info', message));
      return result;
    },
  };
}

function notice(code: 'hook_failed' | 'hook_message', level: 'info' | 'warning', message: string): MessageDraft {
  return { type: 'system', subtype: 'notice', code, level, message };
}
