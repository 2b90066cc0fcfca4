// The first request of a client, as options of a session. One rule: what cannot be used is said, never dropped.
import { ConfigError } from '../../protocol/errors.js';
import type { QueryOptions } from '../../protocol/query-options.generated.js';
import type { Options } from '../../sdk/options/index.js';
import { type Fields, flagIfGiven, given, record, textIfGiven } from '../../sdk/wire/index.js';
import { isRecord } from '../../util/is-record.js';
import { type ClientHooks, clientHooks, dialogFromClient, modelPolicyOf } from './callbacks.js';
import type { WireClient } from './client.js';
import { type ClientServers, isOfClient } from './client-servers.js';

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
