// Each control of a query as it crosses the wire: the request that stands for a call, and the answer that stands for
// what it returned. Both ends read this one table: the command line serves it, a query over a child process calls it.
import { ConfigError } from '../../protocol/errors.js';
import { GOAL_STATUSES } from '../../protocol/goals.js';
import type { PermissionMode } from '../../protocol/permissions.js';
import type { RewindScope } from '../../protocol/rewind.js';
import { given } from '../../util/json.js';
import type { Query } from '../query-controls.js';
import {
  type Fields,
  flag,
  flagIfGiven,
  number,
  numberIfGiven,
  oneOf,
  record,
  text,
  textIfGiven,
  texts,
} from './frames.js';

/** What the stream and its ends are for, and what a client has in the answer to `initialize`. */
type NotAControl =
  | keyof AsyncGenerator
  | typeof Symbol.asyncDispose
  | 'close'
  | 'streamInput'
  | 'initializationResult'
  | 'reinitialize'
  | 'supportedModels'
  | 'supportedCommands'
  | 'supportedAgents';

export type ControlName = Exclude<keyof Query, NotAControl>;

type Args<Name extends ControlName> = Parameters<Query[Name]>;
type Result<Name extends ControlName> = Awaited<ReturnType<Query[Name]>>;

/** One control. `Name` is the method of the query. */
export interface WireControl<Name extends ControlName = ControlName> {
  readonly subtype: string;
  /** What other clients call it. */
  readonly also?: readonly string[];
  /** The fields of the request that stands for a call. */
  request(...args: Args<Name>): Fields;
  /** Calls the method as a request says. @throws ConfigError for a field that cannot be used */
  call(query: Query, fields: Fields): Promise<Result<Name>>;
  /** The answer that stands for a result; absent: one without fields. */
  answer?(result: Result<Name>): Fields;
  /** What the method gives for an answer; absent: nothing. */
  result?(answer: Fields): Result<Name>;
}

type WireControls = { readonly [Name in ControlName]: WireControl<Name> };

const noFields = () => ({});

/** An answer that is the result as it is. */
const asItIs = {
  answer: (result: object) => result as Fields,
  result: (answer: Fields) => answer as never,
};

/** A result that is one field of the answer. */
function field<T>(name: string): { answer(result: T): Fields; result(answer: Fields): T } {
  return { answer: (result) => ({ [name]: result }), result: (answer) => answer[name] as T };
}

const SETTINGS_FILES = ['localSettings', 'userSettings'] as const;

export const WIRE_CONTROLS: WireControls = {
  interrupt: {
    subtype: 'interrupt',
    request: (options) => given({ cancel_queued: options?.cancelQueued }),
    call: (query, fields) => query.interrupt(given({ cancelQueued: flagIfGiven(fields, 'cancel_queued') })),
    ...asItIs,
  },
  setPermissionMode: {
    subtype: 'set_permission_mode',
    request: (mode) => ({ mode }),
    // The session says which modes there are.
    call: (query, fields) => query.setPermissionMode(text(fields, 'mode') as PermissionMode),
  },
  setModel: {
    subtype: 'set_model',
    request: (model) => given({ model }),
    // One client leaves the field out to go back to the first model, one sends null, one an empty text.
    call: (query, fields) => query.setModel(textIfGiven(fields, 'model') || undefined),
  },
  setMaxThinkingTokens: {
    subtype: 'set_max_thinking_tokens',
    request: (max_thinking_tokens, thinking_display) => given({ max_thinking_tokens, thinking_display }),
    call: (query, fields) =>
      query.setMaxThinkingTokens(
        numberIfGiven(fields, 'max_thinking_tokens') ?? null,
        fields['thinking_display'] == null
          ? null
          : oneOf(fields, 'thinking_display', ['summarized', 'omitted', 'highlights']),
      ),
  },
  mcpServerStatus: {
    subtype: 'mcp_status',
    request: noFields,
    call: (query) => query.mcpServerStatus(),
    // Two names for one list: published clients differ.
    answer: (servers) => ({ mcpServers: servers, servers }),
    result: ({ mcpServers }) => mcpServers as Result<'mcpServerStatus'>,
  },
  getContextUsage: {
    subtype: 'get_context_usage',
    request: (options) => given({ detail: options?.detail }),
    call: (query, fields) =>
      query.getContextUsage(fields['detail'] == null ? {} : { detail: oneOf(fields, 'detail', ['summary', 'full']) }),
    ...asItIs,
  },
  rewindFiles: {
    subtype: 'rewind_files',
    request: (user_message_id, options) => given({ user_message_id, dry_run: options?.dryRun }),
    call: (query, fields) => query.rewindFiles(text(fields, 'user_message_id'), dryRun(fields)),
    ...asItIs,
  },
  rewind: {
    subtype: 'rewind',
    request: (user_message_id, options) => given({ user_message_id, scope: options?.scope, dry_run: options?.dryRun }),
    call: (query, fields) =>
      query.rewind(text(fields, 'user_message_id'), {
        ...dryRun(fields),
        ...given({ scope: textIfGiven(fields, 'scope') as RewindScope | undefined }),
      }),
    ...asItIs,
  },
  cancelAsyncMessage: {
    subtype: 'cancel_async_message',
    request: (message_uuid) => ({ message_uuid }),
    call: (query, fields) => query.cancelAsyncMessage(text(fields, 'message_uuid')),
    ...field('cancelled'),
  },
  seedReadState: {
    subtype: 'seed_read_state',
    request: (path, mtime) => ({ path, mtime }),
    call: (query, fields) => query.seedReadState(text(fields, 'path'), number(fields, 'mtime')),
  },
  applyFlagSettings: {
    subtype: 'apply_flag_settings',
    request: (settings) => ({ settings }),
    call: (query, fields) => query.applyFlagSettings(record(fields, 'settings')),
  },
  updateSettings: {
    subtype: 'update_settings',
    request: (source, settings) => ({ source, settings }),
    call: (query, fields) => query.updateSettings(oneOf(fields, 'source', SETTINGS_FILES), record(fields, 'settings')),
  },
  getSettings: { subtype: 'get_settings', request: noFields, call: (query) => query.getSettings(), ...asItIs },
  describeEffectiveConfig: {
    subtype: 'describe_effective_config',
    request: noFields,
    call: (query) => query.describeEffectiveConfig(),
    ...asItIs,
  },
  listPermissionRules: {
    subtype: 'list_permission_rules',
    request: noFields,
    call: (query) => query.listPermissionRules(),
    ...asItIs,
  },
  addDirectories: {
    subtype: 'add_directories',
    request: (directories) => ({ directories }),
    call: (query, fields) => query.addDirectories(texts(fields, 'directories')),
    ...asItIs,
  },
  readFile: {
    subtype: 'read_file',
    request: (path, options) => given({ path, max_bytes: options?.maxBytes, encoding: options?.encoding }),
    async call(query, fields) {
      const encoding = fields['encoding'] == null ? undefined : oneOf(fields, 'encoding', ['utf-8', 'base64']);
      return query.readFile(text(fields, 'path'), given({ maxBytes: numberIfGiven(fields, 'max_bytes'), encoding }));
    },
    // An answer without contents stands for null: the command line makes an error of it, which clients read as null.
    answer: (file) => file ?? {},
    result: (answer) => ('contents' in answer ? (answer as unknown as Result<'readFile'>) : null),
  },
  generateSessionTitle: {
    subtype: 'generate_session_title',
    request: (description, options) => given({ description, persist: options?.persist }),
    call: (query, fields) =>
      query.generateSessionTitle(text(fields, 'description'), given({ persist: flagIfGiven(fields, 'persist') })),
    ...field('title'),
  },
  renameSession: {
    subtype: 'rename_session',
    request: (title) => ({ title }),
    call: (query, fields) => query.renameSession(text(fields, 'title')),
  },
  askSideQuestion: {
    subtype: 'side_question',
    request: (question, options) => given({ question, history: options?.history }),
    call: (query, fields) =>
      query.askSideQuestion(
        text(fields, 'question'),
        Array.isArray(fields['history']) ? { history: fields['history'] } : {},
      ),
    answer: (result) => (result === null ? { response: null } : { ...result }),
    result: (answer) =>
      typeof answer['response'] === 'string'
        ? { response: answer['response'], synthetic: answer['synthetic'] === true }
        : null,
  },
  stopTask: {
    subtype: 'stop_task',
    request: (task_id) => ({ task_id }),
    call: (query, fields) => query.stopTask(text(fields, 'task_id')),
  },
  backgroundTasks: {
    subtype: 'background_tasks',
    request: (tool_use_id) => given({ tool_use_id }),
    call: (query, fields) => query.backgroundTasks(textIfGiven(fields, 'tool_use_id')),
    ...field('backgrounded'),
  },
  getTaskOutput: {
    subtype: 'get_task_output',
    request: (task_id) => ({ task_id }),
    call: (query, fields) => query.getTaskOutput(text(fields, 'task_id')),
    ...asItIs,
  },
  setMcpServers: {
    subtype: 'mcp_set_servers',
    request: (servers) => ({ servers }),
    call: (query, fields) => query.setMcpServers(record(fields, 'servers') as Args<'setMcpServers'>[0]),
    ...asItIs,
  },
  reconnectMcpServer: {
    subtype: 'mcp_reconnect',
    request: (serverName) => ({ serverName }),
    call: (query, fields) => query.reconnectMcpServer(text(fields, 'serverName')),
  },
  toggleMcpServer: {
    subtype: 'mcp_toggle',
    request: (serverName, enabled) => ({ serverName, enabled }),
    call: (query, fields) => query.toggleMcpServer(text(fields, 'serverName'), flag(fields, 'enabled')),
  },
  readMcpResource: {
    subtype: 'mcp_read_resource',
    request: (serverName, uri) => ({ serverName, uri }),
    call: (query, fields) => query.readMcpResource(text(fields, 'serverName'), text(fields, 'uri')),
    ...asItIs,
  },
  completeMcpArgument: {
    subtype: 'mcp_complete',
    request: (serverName, params) => ({ serverName, ...params }),
    call: (query, fields) => {
      const { ref, argument, context } = fields;
      return query.completeMcpArgument(text(fields, 'serverName'), given({ ref, argument, context }) as never);
    },
    ...asItIs,
  },
  setMcpPermissionModeOverride: {
    subtype: 'set_mcp_permission_mode_override',
    request: (serverName, mode) => ({ serverName, mode }),
    call: (query, fields) =>
      query.setMcpPermissionModeOverride(
        text(fields, 'serverName'),
        fields['mode'] == null ? null : oneOf(fields, 'mode', ['default', 'auto']),
      ),
    ...asItIs,
  },
  mcpAuthenticate: {
    subtype: 'mcp_authenticate',
    request: (serverName, redirectUri) => given({ serverName, redirectUri }),
    call: (query, fields) => query.mcpAuthenticate(text(fields, 'serverName'), textIfGiven(fields, 'redirectUri')),
    ...asItIs,
  },
  mcpSubmitOAuthCallbackUrl: {
    subtype: 'mcp_oauth_callback_url',
    request: (serverName, callbackUrl) => ({ serverName, callbackUrl }),
    call: (query, fields) => query.mcpSubmitOAuthCallbackUrl(text(fields, 'serverName'), text(fields, 'callbackUrl')),
  },
  mcpClearAuth: {
    subtype: 'mcp_clear_auth',
    request: (serverName) => ({ serverName }),
    call: (query, fields) => query.mcpClearAuth(text(fields, 'serverName')),
  },
  callMcpTool: {
    subtype: 'mcp_call',
    request: (tool, input, options) => given({ tool, arguments: input, timeout_ms: options?.timeoutMs }),
    async call(query, fields) {
      for (const field of ['check_permissions', 'input_files', 'output_files'])
        if (![undefined, null, false].includes(fields[field] as null))
          throw new ConfigError(`mcp_call with ${field} is not supported.`, { code: 'not_supported' });
      const input = fields['arguments'] == null ? {} : record(fields, 'arguments');
      return query.callMcpTool(text(fields, 'tool'), input, given({ timeoutMs: numberIfGiven(fields, 'timeout_ms') }));
    },
    ...asItIs,
  },
  injectMcpToken: {
    subtype: 'mcp_inject_token',
    request: (serverName, token) => ({ serverName, token }),
    call: (query, fields) =>
      query.injectMcpToken(text(fields, 'serverName'), record(fields, 'token') as unknown as Args<'injectMcpToken'>[1]),
  },
  getHooksListing: {
    subtype: 'get_hooks_listing',
    request: noFields,
    call: (query) => query.getHooksListing(),
    ...asItIs,
  },
  suggestFiles: {
    subtype: 'file_suggestions',
    request: (typed) => ({ query: typed }),
    call: (query, fields) => query.suggestFiles(text(fields, 'query')),
    ...asItIs,
  },
  registerRepoRoot: {
    subtype: 'register_repo_root',
    request: (directory, options) =>
      given({ directory, reload_skills: options?.reloadSkills, reload_plugins: options?.reloadPlugins }),
    call: (query, fields) =>
      query.registerRepoRoot(
        text(fields, 'directory'),
        given({
          reloadSkills: flagIfGiven(fields, 'reload_skills'),
          reloadPlugins: flagIfGiven(fields, 'reload_plugins'),
        }),
      ),
  },
  reloadSkills: { subtype: 'reload_skills', request: noFields, call: (query) => query.reloadSkills(), ...asItIs },
  reloadPlugins: {
    subtype: 'reload_plugins',
    request: (options) =>
      given({
        hold_on_cache_impact: options?.holdOnCacheImpact,
        add_plugins: options?.addPlugins,
        refuse_if_busy: options?.refuseIfBusy,
      }),
    call: (query, fields) =>
      query.reloadPlugins(
        given({
          holdOnCacheImpact: flagIfGiven(fields, 'hold_on_cache_impact'),
          refuseIfBusy: flagIfGiven(fields, 'refuse_if_busy'),
          addPlugins: Array.isArray(fields['add_plugins']) ? fields['add_plugins'] : undefined,
        }),
      ),
    ...asItIs,
  },
  reloadOutputStyles: {
    subtype: 'reload_output_styles',
    request: noFields,
    call: (query) => query.reloadOutputStyles(),
    ...asItIs,
  },
  listPlugins: {
    subtype: 'list_plugins',
    request: noFields,
    call: (query) => query.listPlugins(),
    ...field('plugins'),
  },
  accountInfo: {
    subtype: 'account_info',
    request: noFields,
    call: (query) => query.accountInfo(),
    ...field('account'),
  },
  getAvailableModels: {
    subtype: 'get_models',
    also: ['list_models'],
    request: noFields,
    call: (query) => query.getAvailableModels(),
    ...field('models'),
  },
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: {
    subtype: 'get_usage',
    request: (options) => given({ skip_behaviors: options?.skipBehaviors }),
    call: (query, fields) =>
      query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(
        given({ skipBehaviors: flagIfGiven(fields, 'skip_behaviors') }),
      ),
    ...asItIs,
  },
  getUsageInfo: {
    subtype: 'get_usage_info',
    request: noFields,
    call: (query) => query.getUsageInfo(),
    ...field('usage'),
  },
  listByokProviders: {
    subtype: 'get_byok_config',
    request: noFields,
    call: (query) => query.listByokProviders(),
    ...field('providers'),
  },
  listByokConfigs: {
    subtype: 'list_byok_configs',
    request: noFields,
    call: (query) => query.listByokConfigs(),
    ...field('configs'),
  },
  createByokConfig: {
    subtype: 'create_byok_config',
    request: (config) => ({ config }),
    call: (query, fields) => query.createByokConfig(record(fields, 'config') as unknown as Args<'createByokConfig'>[0]),
    ...field('config'),
  },
  updateByokConfig: {
    subtype: 'update_byok_config',
    request: (config) => ({ config }),
    call: (query, fields) => query.updateByokConfig(record(fields, 'config') as Args<'updateByokConfig'>[0]),
  },
  deleteByokConfig: {
    subtype: 'delete_byok_config',
    request: (target) => ({ target }),
    call: (query, fields) => query.deleteByokConfig(record(fields, 'target') as Args<'deleteByokConfig'>[0]),
  },
  checkByokConfig: {
    subtype: 'check_byok_config',
    request: (config) => ({ config }),
    call: (query, fields) => query.checkByokConfig(record(fields, 'config') as unknown as Args<'checkByokConfig'>[0]),
    ...asItIs,
  },
  validateByokModel: {
    subtype: 'validate_byok_model',
    request: (input) => ({ ...input }),
    call: (query, fields) =>
      query.validateByokModel({
        provider: text(fields, 'provider'),
        model: text(fields, 'model'),
        api_key: text(fields, 'api_key'),
        ...given({ url: textIfGiven(fields, 'url'), style: textIfGiven(fields, 'style') }),
      }),
    ...field('success'),
  },
  setProxy: {
    subtype: 'set_proxy',
    request: (proxy) => ({ proxy: proxy ?? null }),
    call: (query, fields) => query.setProxy(textIfGiven(fields, 'proxy') ?? null),
  },
  setPlanMode: {
    subtype: 'set_plan_mode',
    request: (active) => ({ active }),
    call: (query, fields) => query.setPlanMode(flag(fields, 'active')),
    ...field('plan_mode'),
  },
  getPlanMode: {
    subtype: 'get_plan_mode',
    request: noFields,
    call: (query) => query.getPlanMode(),
    ...field('plan_mode'),
  },
  setGoal: {
    subtype: 'set_goal',
    request: ({ objective, status, creditsBudget }) => given({ objective, status, credits_budget: creditsBudget }),
    call: (query, fields) =>
      query.setGoal(
        given({
          objective: textIfGiven(fields, 'objective'),
          status: fields['status'] == null ? undefined : oneOf(fields, 'status', GOAL_STATUSES),
          creditsBudget: fields['credits_budget'] === null ? null : numberIfGiven(fields, 'credits_budget'),
        }),
      ),
    ...field('goal'),
  },
  getGoal: { subtype: 'get_goal', request: noFields, call: (query) => query.getGoal(), ...field('goal') },
  clearGoal: { subtype: 'clear_goal', request: noFields, call: (query) => query.clearGoal(), ...field('cleared') },
  setGoalMaxTurns: {
    subtype: 'set_goal_max_turns',
    request: (max_turns) => ({ max_turns }),
    call: (query, fields) => query.setGoalMaxTurns(numberIfGiven(fields, 'max_turns') ?? null),
    ...field('goal_max_turns'),
  },
  flushMemory: { subtype: 'flush_memory', request: noFields, call: (query) => query.flushMemory() },
  refreshMemory: { subtype: 'refresh_memory', request: noFields, call: (query) => query.refreshMemory() },
  flushSkillEvolution: {
    subtype: 'flush_skill_evolution',
    request: noFields,
    call: (query) => query.flushSkillEvolution(),
  },
};

function dryRun(fields: Fields): { readonly dryRun?: boolean } {
  return given({ dryRun: flagIfGiven(fields, 'dry_run') });
}
