// What a client hears beside the messages of the session and the answers: what became of each message it sent, which files
// changed, that other models can be had, that a request takes its time, and that the program is about to end.
import { randomUUID } from 'node:crypto';
import type { SDKMessage } from '../../protocol/messages.js';
import type { Query } from '../../sdk/query-controls.js';
import { createArtifactList } from '../../sdk/wire/index.js';
import type { WireClient } from './client.js';

type State = 'queued' | 'started' | 'completed' | 'cancelled' | 'discarded';

export interface WireNews {
  /** A message of the client waits. */
  queued(uuid: string | undefined): void;
  /** A message of the session went out; files that it changed are told behind it. */
  saw(message: SDKMessage): void;
  /** Waiting messages were taken back. */
  cancelled(uuids: readonly string[]): void;
  /** A request was begun that takes its time. */
  began(requestId: string): void;
  /** A request was done after which other models may answer. */
  modelsChanged(session: Query): Promise<void>;
  /** The program was told to end. */
  ending(reason: string): void;
  /** Nothing more is worked on. */
  ended(): void;
}

/** Requests after which the models, or the one in use, may be others. */
export const CHANGES_MODELS: ReadonlySet<string> = new Set([
  'set_model',
  'apply_flag_settings',
  'create_byok_config',
  'update_byok_config',
  'delete_byok_config',
]);

/**
 * @param wants what the client knows: published ones differ
 */
export function createWireNews(
  client: WireClient,
  wants: { readonly lifecycle: boolean; models(): boolean },
): WireNews {
  let sessionId = '';
  const artifactsAfter = createArtifactList();
  const open = new Map<string, State>();
  /** A message of an id that came before gets another in the session, and no state here. */
  const seen = new Set<string>();
  /** Nothing comes before the first message, which says what the session is. */
  let early: object[] | null = [];
  const send = (fields: object): void => {
    if (early !== null) early.push(fields);
    else void client.send({ ...fields, uuid: randomUUID(), session_id: sessionId });
  };
  const tell = (uuid: string, state: State): void => {
    const isLast = state !== 'queued' && state !== 'started';
    if (isLast) open.delete(uuid);
    else open.set(uuid, state);
    send({ type: 'command_lifecycle', command_uuid: uuid, state });
  };
  const started = (uuid: string): void => {
    if (open.get(uuid) === 'queued') tell(uuid, 'started');
  };
  return {
    queued(uuid) {
      if (!wants.lifecycle || uuid === undefined || seen.has(uuid)) return;
      seen.add(uuid);
      tell(uuid, 'queued');
    },
    saw(message) {
      sessionId = message.session_id ?? sessionId;
      const held = early ?? [];
      early = null;
      for (const fields of held) send(fields);
      const artifacts = wants.lifecycle ? artifactsAfter(message) : null;
      if (artifacts !== null) send({ type: 'system', subtype: 'artifacts_update', artifacts });
      if (open.size === 0) return;
      if (message.type === 'assistant' && message.user_message_uuid !== undefined) started(message.user_message_uuid);
      if (message.type !== 'result') return;
      for (const uuid of message.user_message_uuids ?? []) {
        if (!open.has(uuid)) continue;
        started(uuid);
        tell(uuid, 'completed');
      }
    },
    cancelled(uuids) {
      for (const uuid of uuids) if (open.has(uuid)) tell(uuid, 'cancelled');
    },
    began: (request_id) => send({ type: 'system', subtype: 'control_request_progress', request_id, status: 'started' }),
    async modelsChanged(session) {
      if (!wants.models()) return;
      const [models, { applied }] = await Promise.all([session.getAvailableModels(), session.getSettings()]);
      send({ type: 'system', subtype: 'available_models_update', models, currentModel: applied?.model ?? '' });
    },
    ending: (reason) => send({ type: 'system', subtype: 'worker_shutting_down', reason }),
    ended() {
      for (const uuid of [...open.keys()]) tell(uuid, 'discarded');
    },
  };
}
