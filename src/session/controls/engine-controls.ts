// The controls of an open session. One rule: none of them waits for a prompt that runs, and none writes to its stream.
import type { PermissionMode } from '../../protocol/permissions.js';
import type { ApiKeySource } from '../../protocol/system-messages.js';
import type { Session, SessionRuntime } from '../core/index.js';

/** What a session is, before its first prompt too. */
export interface SessionFacts {
  readonly permissionMode: PermissionMode;
  readonly apiKeySource: ApiKeySource;
  /** The model of the next request, unless a policy names another. */
  readonly model: string;
}

export interface EngineControls {
  facts(): SessionFacts;
}

export function createEngineControls(session: Session, runtime: SessionRuntime): EngineControls {
  return {
    facts: () => ({
      permissionMode: runtime.gate.mode,
      apiKeySource: runtime.apiKeySource,
      model: session.modelOverride(session.memory.settings?.model ?? runtime.model),
    }),
  };
}
