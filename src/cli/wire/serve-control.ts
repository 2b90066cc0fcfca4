// Serves the control requests of a client: each is a method of the query, as the table of the wire says. One rule: every
// request is answered, one that is not known too.
import { isEngineError } from '../../protocol/errors.js';
import type { Query } from '../../sdk/query-controls.js';
import type { Fields } from '../../sdk/wire/index.js';
import { type ControlName, record, text, WIRE_CONTROLS, type WireControl } from '../../sdk/wire/index.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import { VERSION } from '../../util/version.js';
import { failure, success } from './client.js';
import type { ClientServers } from './client-servers.js';

const BY_SUBTYPE: ReadonlyMap<string, WireControl> = new Map(
  (Object.keys(WIRE_CONTROLS) as ControlName[]).flatMap((name) => {
    const control = WIRE_CONTROLS[name] as WireControl;
    return [control.subtype, ...(control.also ?? [])].map((subtype) => [subtype, control] as const);
  }),
);

/** Requests that are no method of the query. */
const OTHERS: ReadonlyMap<
  string,
  (query: Query, fields: Fields, servers: ClientServers) => Promise<object | undefined>
> = new Map(
  Object.entries({
    get_binary_version: async () => ({ version: VERSION }),
    get_session_cost: async (query: Query) => {
      const { session } = await query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET();
      const text = `Total cost: $${session.total_cost_usd.toFixed(4)}`;
      return { text, total_cost_usd: session.total_cost_usd };
    },
    mcp_message: async (_query: Query, fields: Fields, servers: ClientServers) => {
      servers.receive(text(fields, 'server_name'), record(fields, 'message'));
      return {};
    },
    set_has_subscribers: async () => ({}),
  }),
);

/** Requests of published clients that mean nothing here, and why. */
const MEANINGLESS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    set_color: 'a session has no color of its own here',
    channel_enable: 'there are no channels here: messages of others come over this connection',
    enable_remote_projection: 'there is no server here that a session could be shown on',
    disable_remote_projection: 'there is no server here that a session could be shown on',
  }),
);

/** True for requests that wait for a model or a person: what comes behind them need not wait for them. */
export function takesLong(subtype: string): boolean {
  return LONG.has(subtype);
}

const LONG: ReadonlySet<string> = new Set([
  'side_question',
  'generate_session_title',
  'check_byok_config',
  'validate_byok_model',
  'mcp_authenticate',
  'mcp_call',
  'mcp_reconnect',
]);

/** @returns the envelope of the answer */
export async function serveControl(
  query: Query,
  servers: ClientServers,
  requestId: string | number,
  subtype: string,
  fields: Fields,
): Promise<object> {
  try {
    const other = OTHERS.get(subtype);
    if (other !== undefined) return success(requestId, await other(query, fields, servers));
    const why = MEANINGLESS.get(subtype);
    if (why !== undefined) return failure(requestId, `${subtype} is not supported: ${why}.`, 'not_supported');
    const control = BY_SUBTYPE.get(subtype);
    if (control === undefined)
      return failure(requestId, `Unsupported control request subtype: ${subtype}`, 'unknown_subtype');
    const given =
      subtype === WIRE_CONTROLS.setMcpServers.subtype && isRecord(fields['servers'])
        ? { ...fields, servers: servers.withInstances(fields['servers']) }
        : fields;
    const result = await control.call(query, given);
    if (subtype === 'read_file' && result === null)
      return failure(requestId, 'This file may not be read, or cannot be.', 'not_found');
    return success(requestId, control.answer?.(result as never));
  } catch (error) {
    return refused(requestId, error);
  }
}

/** The answer to a request that failed. */
export function refused(requestId: string | number, error: unknown): object {
  return failure(requestId, errorText(error), isEngineError(error) ? error.code : 'internal_error');
}
