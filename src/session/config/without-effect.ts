// What a configuration asks for that does nothing in this version. Said once, at the first prompt: silence would look
// like success.
import type { HookEvent } from '../../protocol/hooks.js';
import type { PendingNotice, QueryEngineConfig } from './config.js';

/** Events that are fired. Hooks for the others are accepted, so that a program written for them runs. */
const FIRED_EVENTS: ReadonlySet<HookEvent> = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PermissionRequest',
  'PermissionDenied',
  'Notification',
  'Elicitation',
  'ElicitationResult',
  'InstructionsLoaded',
  'ConfigChange',
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
  'Setup',
  'CwdChanged',
  'FileChanged',
  'WorktreeCreate',
  'WorktreeRemove',
  'PostToolBatch',
  'UserPromptExpansion',
  'PreModelSwitch',
  'PostModelSwitch',
  'DirectoryAdded',
  'MessageDisplay',
]);

export function isFired(event: HookEvent): boolean {
  return FIRED_EVENTS.has(event);
}

export function withoutEffect(config: QueryEngineConfig): PendingNotice[] {
  const notices: PendingNotice[] = [];
  const tell = (message: string) => notices.push({ code: 'option_without_effect', message });
  for (const [event, matchers] of Object.entries(config.hooks ?? {})) {
    if (!isFired(event as HookEvent) && (matchers?.length ?? 0) > 0)
      tell(`Hooks for ${event} have no effect in this version: it is not fired.`);
  }
  return notices;
}
