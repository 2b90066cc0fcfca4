// The session of a client: it begins with the first thing that is said, after `initialize` if that is what is said, whose fields
// are options. One rule: what cannot be used is said, never dropped.

import { readFile, rm } from 'node:fs/promises';
import { ConfigError } from '../../protocol/errors.js';
import type { FetchToken } from '../../protocol/model-options.js';
import type { QueryOptions } from '../../protocol/query-options.generated.js';
import type { Options } from '../../sdk/options/index.js';
import type { Query } from '../../sdk/query-controls.js';
import { type Fields, flagIfGiven, record, textIfGiven } from '../../sdk/wire/index.js';
import { given, isRecord } from '../../util/json.js';
import {
  type ClientHooks,
  type ClientServers,
  clientHooks,
  dialogFromClient,
  isOfClient,
  modelPolicyOf,
  type WireClient,
} from './client.js';

/** What a client asked for. */
export interface Initialization {
  readonly options: Partial<Options>;
  readonly hooks: ClientHooks;
  /** It wants to hear when commands change, and hears them first that way. */
  readonly wantsCommands: boolean;
  /** Whether it answers forms and questions, if it says so. */
  readonly answersQuestions: boolean | undefined;
  /** What the answer says beside the facts of the session. */
  readonly applied: Fields;
}

/**
 * @param base options of the command line, for what the two give together
 * @throws ConfigError for a field that cannot be used
 */
export function readInitialize(
  fields: Fields,
  base: QueryOptions,
  client: WireClient,
  servers: ClientServers,
): Initialization {
  const hooks = clientHooks(client, fields['hooks']);
  const listed = Array.isArray(fields['sdkMcpServers']) ? fields['sdkMcpServers'].map(String) : [];
  const mcpServers = servers.withInstances({
    ...base.mcpServers,
    ...(isRecord(fields['mcpServers']) ? fields['mcpServers'] : {}),
    ...Object.fromEntries(listed.map((name) => [name, { type: 'sdk', name }])),
  }) as NonNullable<Options['mcpServers']>;
  const options = {
    // A query over a child process sends its options as they are.
    ...(fields['options'] == null ? {} : record(fields, 'options')),
    ...Object.fromEntries(PLAIN_FIELDS.flatMap((name) => (fields[name] == null ? [] : [[name, fields[name]]]))),
    ...given({
      systemPrompt: systemPromptOf(fields, base),
      outputFormat:
        fields['jsonSchema'] == null
          ? undefined
          : ({ type: 'json_schema', schema: record(fields, 'jsonSchema') } as Options['outputFormat']),
      onUserDialog: Array.isArray(fields['supportedDialogKinds']) ? dialogFromClient(client) : undefined,
      resolveModel: flagIfGiven(fields, 'modelPolicyProvider') === true ? modelPolicyOf(client) : undefined,
    }),
    ...(fields['agents'] == null
      ? {}
      : { agents: { ...base.agents, ...(record(fields, 'agents') as Options['agents']) } }),
    ...(Object.keys(mcpServers).length === 0 ? {} : { mcpServers }),
    ...(Object.keys(hooks.options).length === 0 ? {} : { hooks: hooks.options }),
  } as Partial<Options>;
  return {
    options,
    hooks,
    answersQuestions: flagIfGiven(fields, 'answersQuestions'),
    wantsCommands: fields['supportsCommandsChanged'] === true,
    applied: {
      hooks_applied: true,
      end_input_supported: true,
      ...(fields['options'] == null ? {} : { options_applied: true }),
      hook_on_failure_supported: true,
      ...(fields['mcpServers'] == null ? {} : { mcp_servers_applied: true }),
    },
  };
}

/** True if servers of `--mcp-config` run in the client: one published client names them there alone. */
export function hasClientServers(servers: QueryOptions['mcpServers'] = {}): boolean {
  return Object.values(servers).some(isOfClient);
}

/** Fields that are options, by the same names. The session checks their values. */
const PLAIN_FIELDS = [
  'planModeInstructions',
  'toolAliases',
  'title',
  'skills',
  'promptSuggestions',
  'agentProgressSummaries',
  'forwardSubagentText',
  'perTaskStopAffordance',
  'supportedDialogKinds',
  'plugins',
  'model',
  'permissionMode',
  'maxThinkingTokens',
  'enableFileCheckpointing',
  'goalMaxTurns',
  'modelRequestPatches',
  'memory',
  'evolution',
  'allowedTools',
  'disallowedTools',
] as const;

/**
 * A list with an empty text is how one client says that its program gave no prompt; a program that asks for the standard
 * prompt sends nothing.
 */
function systemPromptOf(fields: Fields, base: QueryOptions): Options['systemPrompt'] | undefined {
  const prompt = fields['systemPrompt'];
  const append = textIfGiven(fields, 'appendSystemPrompt');
  const snapshot = flagIfGiven(fields, 'systemPromptSnapshot');
  const isStatic = flagIfGiven(fields, 'excludeDynamicSections');
  if (prompt == null) {
    if (append === undefined && snapshot === undefined && isStatic === undefined) return undefined;
    if (base.systemPrompt !== undefined) return undefined;
    return { type: 'preset', preset: 'turnwright', ...given({ append, snapshot, excludeDynamicSections: isStatic }) };
  }
  const parts = typeof prompt === 'string' ? [prompt] : prompt;
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string'))
    throw new ConfigError('The field "systemPrompt" of initialize must be a text or a list of texts.');
  const texts = [...parts, ...(append === undefined ? [] : [append])].filter((part) => part !== '');
  return snapshot === undefined ? texts : { type: 'custom', prompt: texts, snapshot };
}

interface WireSession {
  /** The session, begun now if it has not begun yet. Rejects if the `initialize` it waits for could not be used. */
  started(): Promise<Query>;
  /** Begins the session as a client asks, or says again what it is. @returns the answer. @throws if it cannot begin */
  initialize(fields: Fields): Promise<object>;
  /** The client says nothing more: a session that has not begun never does. */
  endInput(): void;
  /** The session once it has begun; null if it never does. */
  readonly begun: Promise<Query | null>;
  /** The client wants the commands as a message. True once. */
  takeWish(): boolean;
}

interface WireSessionOptions {
  /** Reads an `initialize`. */
  read(fields: Fields): Initialization;
  open(initialization: Initialization | null): Query;
  /** A client that says no `initialize` has something to be read all the same. */
  readonly readsAlways: boolean;
}

export function createWireSession({ read, open, readsAlways }: WireSessionOptions): WireSession {
  let initialization: Initialization | null = null;
  let starting: Promise<Query> | null = null;
  let wantsCommands = false;
  /** Of the last `initialize`. Without what a client asked for, such as its hooks, its prompts must not run. */
  let failed: { readonly error: unknown } | null = null;
  let begin: (session: Query | null | Promise<never>) => void = () => undefined;
  const begun = new Promise<Query | null>((resolve) => {
    begin = resolve;
  });
  begun.catch(() => undefined); // told by who waits for it
  const start = async (fields: Fields | null): Promise<Query> => {
    initialization = fields === null && !readsAlways ? null : read(fields ?? {});
    wantsCommands = initialization?.wantsCommands ?? false;
    const session = open(initialization);
    begin(session);
    return session;
  };
  return {
    begun,
    async started() {
      if (failed !== null) {
        const never = Promise.reject(failed.error);
        never.catch(() => undefined); // nobody waits for it if the client has already said its last
        begin(never);
        throw failed.error;
      }
      starting ??= start(null);
      return starting;
    },
    async initialize(fields) {
      if (starting === null) {
        failed = null;
        starting = start(fields);
        // A client may try again with other fields.
        starting.catch((error: unknown) => {
          starting = null;
          failed = { error };
        });
        const facts = await (await starting).initializationResult();
        return { ...facts, ...initialization?.applied };
      }
      const session = await starting;
      if (initialization !== null) initialization.hooks.renew(fields['hooks']);
      else if (fields['hooks'] != null)
        throw new ConfigError('This session began before its initialize, so it takes no hooks any more.');
      return { ...(await session.reinitialize()), ...initialization?.applied };
    },
    endInput: () => begin(null),
    takeWish() {
      const wish = wantsCommands;
      wantsCommands = false;
      return wish;
    },
  };
}

// Whose tokens a session of a client uses: one published client hands them over in a file that is read once, or offers to
// fetch them. One rule: the file is gone before anything else starts, and a token stands in no line of ours.

const VARIABLE = 'QODER_SDK_AUTH_PAYLOAD_FILE';

/** Undefined if the client says nothing. @throws ConfigError if the file is not what it should be */
export async function clientAuth(
  env: Readonly<NodeJS.ProcessEnv>,
  client: WireClient,
): Promise<Options['auth'] | undefined> {
  const file = env[VARIABLE];
  if (file === undefined || file === '') return undefined;
  const payload = await readPayload(file);
  switch (payload['type']) {
    case 'qodercli':
      return { type: 'qodercli' };
    case 'accessToken':
      return { type: 'accessToken', accessToken: token(payload['accessToken']) };
    case 'serviceAccount':
      if (payload['serviceAccountTokenProvider'] === 'host') return fetched(client, 'fetch_service_account_token');
      return { type: 'accessToken', accessToken: token(payload['serviceAccountKey']) };
    case 'jobToken':
      return fetched(client, 'fetch_job_token');
    default:
      throw wrong();
  }
}

async function readPayload(file: string): Promise<Readonly<Record<string, unknown>>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`The file that ${VARIABLE} names cannot be read, so it is not known whose tokens count.`, {
      cause: error,
    });
  } finally {
    await rm(file, { force: true }).catch(() => undefined); // its owner removes it too
  }
  try {
    const payload: unknown = JSON.parse(text);
    if (isRecord(payload)) return payload;
  } catch {
    // What the parser says may show a part of a token.
  }
  throw wrong();
}

function fetched(client: WireClient, subtype: 'fetch_job_token' | 'fetch_service_account_token'): Options['auth'] {
  const fetchToken: FetchToken = async ({ reason, sessionId }, { signal }) => {
    const answer = await client.request(subtype, given({ reason, session_id: sessionId }), signal);
    const { token: found, expires_at: expiresAt } = answer;
    if (typeof found !== 'string') return null;
    return { token: found, ...(typeof expiresAt === 'number' ? { expiresAt } : {}) };
  };
  return { type: 'tokenProvider', fetchToken };
}

function token(value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw wrong();
}

function wrong(): ConfigError {
  return new ConfigError(`The file that ${VARIABLE} names does not say whose tokens count.`);
}
