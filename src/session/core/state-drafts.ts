// What is told of the state of a session: whether it works or waits, and its permission mode.
import type { MessageDraft } from '../../engine/state/index.js';
import type { PermissionMode } from '../../protocol/permissions.js';
import type { SDKSessionStateChangedMessage } from '../../protocol/system-messages.js';

export function stateDraft(state: SDKSessionStateChangedMessage['state']): MessageDraft {
  return { type: 'system', subtype: 'session_state_changed', state };
}

/** A person should look: what is waited for. */
export function notificationDraft({
  type,
  message,
}: {
  readonly type: string;
  readonly message: string;
}): MessageDraft {
  return { type: 'system', subtype: 'notification', key: type, text: message, priority: 'high' };
}

/** The mode is another from here on. */
export function modeDrafts(mode: PermissionMode, before: PermissionMode): readonly MessageDraft[] {
  if (mode === before) return [];
  const status = { type: 'system', subtype: 'status', status: null, permissionMode: mode } as const;
  if ((mode === 'plan') === (before === 'plan')) return [status];
  return [status, { type: 'system', subtype: 'plan_mode_changed', plan_mode: { active: mode === 'plan' } }];
}
