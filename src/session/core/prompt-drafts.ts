// The messages that frame a prompt: init, notices, replay.
import type { MessageDraft } from '../../engine/state/index.js';
import { CAPABILITIES, CLAUDE_CODE_VERSION, QODERCLI_VERSION } from '../../protocol/capabilities.js';
import type { UserMessageParam } from '../../protocol/content.js';
import { WIRE_PROTOCOL_VERSION } from '../../protocol/control.js';
import type { SDKMessageOrigin } from '../../protocol/messages.js';
import type { PermissionMode } from '../../protocol/permissions.js';
import type { SDKSessionStateChangedMessage } from '../../protocol/system-messages.js';
import { VERSION } from '../../util/version.js';
import type { Checkpoints } from '../checkpoints/index.js';
import type { PendingNotice } from '../config/index.js';
import { commandsOf, pluginsOf, type Runtime, type Session, skillsOf } from './session.js';

/** @param runtime null if the session could not be put together */
export function initDraft(session: Session, runtime: Runtime | null, model: string | null): MessageDraft {
  const { config } = session;
  return {
    type: 'system',
    subtype: 'init',
    turnwright_version: VERSION,
    claude_code_version: CLAUDE_CODE_VERSION,
    qodercli_version: QODERCLI_VERSION,
    protocol_version: WIRE_PROTOCOL_VERSION,
    capabilities: CAPABILITIES,
    apiKeySource: runtime?.apiKeySource ?? 'none',
    cwd: runtime?.workplace.cwd ?? config.cwd,
    model: model ?? config.userSpecifiedModel ?? 'none',
    provider: runtime?.provider.id ?? 'none',
    permissionMode: runtime?.gate.mode ?? 'default',
    tools: namesOf(runtime?.setup.tools ?? config.tools),
    slash_commands: namesOf(commandsOf(session, runtime)),
    output_style: config.outputStyle?.name ?? 'default',
    agents: agentNames(runtime),
    skills: skillsOf(session)?.usableWith(runtime?.setup.tools) ?? [],
    plugins: pluginsOf(session).map(({ name, path, id }) => ({ name, path, source: id })),
    fast_mode_state: 'off',
    ...(runtime?.sandbox == null ? {} : { sandbox: { enabled: true, ...runtime.sandbox.status } }),
    mcp_servers: runtime?.servers.now?.statuses().map(({ name, status }) => ({ name, status })) ?? [],
    ...(config.settingsFiles === undefined ? {} : { settings_files: config.settingsFiles }),
    ...partsOf(session),
  };
}

/** With the instruction files that the model gets, once they were read. */
function partsOf({ config, memory }: Session): Partial<ReturnType<NonNullable<Session['config']['loaded']>>> {
  const found = config.loaded?.();
  const { files = [], leftOut = [] } = memory.loadedInstructions ?? {};
  if (files.length + leftOut.length === 0) return found ?? {};
  return {
    loaded: [
      ...(found?.loaded ?? []),
      ...files.map(({ source, type, file }) => ({
        ...{ kind: 'instructions' as const, name: source, scope: type.toLowerCase(), source: file },
      })),
    ],
    rejected: [
      ...(found?.rejected ?? []),
      ...leftOut.map(({ source, why }) => ({ kind: 'instructions' as const, name: source, source, reason: why })),
    ],
  };
}

/** What the host gave may be no list at all, and then the result says so: nothing here may throw. */
function namesOf(given: readonly { readonly name: string }[]): string[] {
  try {
    return given.map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Those that can be started: none if there is no tool to do it with. */
function agentNames(runtime: Runtime | null): string[] {
  if (runtime === null || !runtime.setup.tools.some((tool) => tool.spawnsAgents === true)) return [];
  return runtime.agents.types.map((agent) => agent.name);
}

export function noticeDraft(notice: PendingNotice): MessageDraft {
  return { type: 'system', subtype: 'notice', level: 'warning', ...notice };
}

/** What a prompt changed in files, and what of it cannot be undone. */
export function checkpointDrafts(checkpoints: Checkpoints | null): readonly MessageDraft[] {
  if (checkpoints === null) return [];
  const changes = checkpoints.takeChanges();
  return [
    ...checkpoints.takeNotices().map(noticeDraft),
    ...(changes === null ? [] : [{ type: 'system', subtype: 'files_persisted', ...changes } as const]),
  ];
}

export function replayDraft(message: UserMessageParam, origin?: SDKMessageOrigin): MessageDraft {
  const draft = { type: 'user', subtype: 'replay', isReplay: true, message } as const;
  return origin === undefined ? draft : { ...draft, origin };
}

// What is told of the state of a session: whether it works or waits, and its permission mode.

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
