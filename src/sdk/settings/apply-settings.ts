// What settings change in the options of a session. One rule: a value that an option gives beats settings, a managed one
// beats the option; what a setting asks for and cannot be done is told, never fatal.

import { leavesOf, loosensSandbox, mergeLeaves, valuesOf } from '../../context/settings/index.js';
import { attributionOf } from '../../context/system-prompt.js';
import type { Host } from '../../host/host.js';
import type { Confinement } from '../../permissions/permission-call.js';
import { ConfigError } from '../../protocol/errors.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { PermissionMode } from '../../protocol/permissions.js';
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import type { WebOptions } from '../../protocol/web-options.js';
import { isAiSdkModel } from '../../providers/ai-sdk/index.js';
import { checkTiers } from '../../providers/models/index.js';
import { NO_PLACE } from '../../session/checkpoints/index.js';
import {
  HIDDEN_VARIABLES,
  LIMITS,
  PASSED_VARIABLES,
  type PendingNotice,
  type QueryEngineConfig,
} from '../../session/config/index.js';
import { httpHookRules } from '../../session/hooks/index.js';
import { fallbackSettings } from '../../session/models/index.js';
import type { OpenedSettings } from '../../session/settings/index.js';
import type { PlainOptions } from '../options/index.js';
import { createOrigins, type Origins } from './origins.js';
import { checkMode } from './permission-context.js';
import { settingValues } from './setting-values.generated.js';

export interface AppliedSettings {
  readonly options: PlainOptions;
  /** Fields of the configuration that no option has. */
  readonly fields: Pick<
    QueryEngineConfig,
    | 'allowedModels'
    | 'attribution'
    | 'autoRules'
    | 'commandHooks'
    | 'httpHookRules'
    | 'language'
    | 'onlyManagedHooks'
    | 'settingsFiles'
  >;
  readonly notices: readonly PendingNotice[];
  /** Whose the values are. */
  readonly origins: Origins['noted'];
}

type Env = Host['env'];

/** @param env of the session, without the settings' own variables */
export async function applySettings(
  options: PlainOptions,
  { effective, commandHooks, directories, disableBypass, confinement, notices: found }: OpenedSettings,
  env: Env,
): Promise<AppliedSettings> {
  const notices: PendingNotice[] = [...found];
  const values = usable(effective.values, notices);
  const managed = usable(effective.managed, []); // told with the values, of which it is a part
  refuseSideloads(options, managed);
  const agent = options.agent === undefined ? undefined : options.agents?.[options.agent];
  const origins = createOrigins();
  const next: PlainOptions = {
    ...options,
    ...checkpointsOf(options, values, managed, notices, origins),
    ...settingValues(options, { values, managed }, agent, env, origins),
    ...given('web', webOf(options, values, managed, origins)),
    ...given('limits', limitsOf(options, values, managed, env, origins)),
    ...given('sandbox', sandboxOf(options, effective, origins)),
    ...modelsOf(options, values, managed, agent?.model, notices, origins),
    ...environmentOf(options, values, managed, origins),
    ...permissionsOf(options, managed, notices, origins),
    ...modeOf(options, values, managed, agent?.permissionMode, { disableBypass, ...confinement }, notices, origins),
    ...directoriesOf(options, directories, origins),
  };
  refuseModes(next, { disableBypass, ...confinement });
  const attribution = attributionOf(values);
  const fields = {
    ...given('attribution', attribution),
    ...given('autoRules', values.autoMode),
    ...given('allowedModels', allowedModels(effective)),
    ...given('commandHooks', commandHooks.length === 0 ? undefined : commandHooks),
    ...given('httpHookRules', httpRulesOf(effective)),
    ...given('language', values.language),
    ...given(
      'onlyManagedHooks',
      values.disableAllHooks === true || managed.allowManagedHooksOnly === true ? true : undefined,
    ),
    ...given('settingsFiles', effective.files.length === 0 ? undefined : effective.files),
  };
  return { options: disableBypass ? withoutBypass(next) : next, fields, notices, origins: origins.noted };
}

function given<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}

/** Values whose parts must fit each other are checked as the options are; what does not fit is left out and told. */
function usable(values: Settings, notices: PendingNotice[]): Settings {
  const checks: readonly [keyof Settings & string, () => unknown][] = [
    ['modelTiers', () => checkTiers(values.modelTiers, 'modelTiers')],
    ['fallback', () => fallbackSettings({ fallback: fallbackOf(values) })],
  ];
  const kept: Record<string, unknown> = { ...values };
  for (const [key, check] of checks) {
    if (values[key] === undefined) continue;
    try {
      check();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      delete kept[key];
      notices.push({ code: 'settings_problem', message: `The setting ${key} does not count: ${error.message}` });
    }
  }
  return kept as Settings;
}

/** If a session is not kept there is no place for them: a setting asks for what it may. */
function checkpointsOf(
  options: PlainOptions,
  values: Settings,
  managed: Settings,
  notices: PendingNotice[],
  { first }: Origins,
): Pick<PlainOptions, 'enableFileCheckpointing'> {
  const { enableFileCheckpointing: asked } = options;
  const option = { option: asked };
  const isSaid = typeof asked === 'boolean';
  const wanted = {
    managed: managed.enableFileCheckpointing,
    ...(isSaid ? option : {}),
    settings: values.enableFileCheckpointing,
    ...(isSaid ? {} : option),
  };
  const setting = managed.enableFileCheckpointing ?? (isSaid ? undefined : values.enableFileCheckpointing);
  if (setting !== true || asked === true || options.persistSession !== false)
    return first('enableFileCheckpointing', wanted);
  notices.push({
    code: 'settings_problem',
    message: `The setting enableFileCheckpointing does not count: ${NO_PLACE}`,
  });
  return first('enableFileCheckpointing', option);
}

function fallbackOf({ fallback }: Settings): PlainOptions['fallback'] {
  return Array.isArray(fallback) ? { models: fallback } : (fallback as PlainOptions['fallback']);
}

/** A variable was set for this run, so it beats settings that are not managed. */
function limitsOf(
  options: PlainOptions,
  values: Settings,
  managed: Settings,
  env: Env,
  { note }: Origins,
): PlainOptions['limits'] {
  const limits: { -readonly [K in keyof EngineLimits]?: EngineLimits[K] } = { ...options.limits };
  for (const name of Object.keys(LIMITS) as (keyof EngineLimits)[]) {
    const { setting, variable } = LIMITS[name];
    if (setting === undefined) continue;
    const policy = managed.retry?.[setting];
    const value = values.retry?.[setting];
    const source = policy !== undefined ? 'managed' : limits[name] !== undefined ? 'option' : 'settings';
    if (source === 'option' || (source === 'settings' && env[variable])) continue;
    const chosen = policy ?? value;
    if (chosen === undefined) continue;
    limits[name] = chosen;
    note(`limits.${name}`, source);
  }
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/** Few settings bound what hooks may send to. */
function httpRulesOf(effective: OpenedSettings['effective']): QueryEngineConfig['httpHookRules'] {
  const { values, lists } = effective;
  const isBound = (['allowedHttpHookUrls', 'httpHookAllowedEnvVars'] as const).some(
    (key) => values[key] !== undefined || lists.includes(key),
  );
  if (!isBound) return undefined;
  return httpHookRules(effective);
}

/** Part by part; hosts of all sources together. */
function webOf(
  { web: option }: PlainOptions,
  { web: value }: Settings,
  { web: managed }: Settings,
  { note }: Origins,
): WebOptions | undefined {
  if (option === undefined && value === undefined) return undefined;
  const hosts = [...(option?.privateHosts ?? []), ...(value?.privateHosts ?? [])];
  const model = managed?.model ?? option?.model ?? value?.model;
  const search = managed?.search ?? option?.search ?? value?.search;
  for (const part of ['model', 'search'] as const) {
    const source = managed?.[part] !== undefined ? 'managed' : option?.[part] !== undefined ? 'option' : 'settings';
    if ({ model, search }[part] !== undefined) note(`web.${part}`, source);
  }
  if (hosts.length > 0) note('web.privateHosts', value?.privateHosts === undefined ? 'option' : 'settings');
  return {
    ...(hosts.length === 0 ? {} : { privateHosts: hosts }),
    // True says no more than its absence.
    ...(model === undefined || model === true ? {} : { model }),
    ...given('search', search),
  };
}

/** @param agentModel what the definition of the session's agent names: it says more than settings for all sessions do */
function modelsOf(
  options: PlainOptions,
  values: Settings,
  managed: Settings,
  agentModel: string | undefined,
  notices: PendingNotice[],
  { first, note }: Origins,
): Pick<PlainOptions, 'model' | 'modelTiers' | 'auth' | 'fallback'> {
  const { provider, resolveModel, fallback, fallbackModel } = options;
  const mayFallBack = resolveModel === undefined && fallback === undefined && fallbackModel === undefined;
  const chain = first('fallback', { option: fallback, settings: mayFallBack ? fallbackOf(values) : undefined });
  if (provider !== undefined) {
    // A model object is one model: the names of others still mean what settings say.
    const isOne = isAiSdkModel(provider);
    const unused = isOne ? (['model'] as const) : (['model', 'modelTiers', 'apiKeyHelper'] as const);
    const idle = unused.filter((key) => values[key] !== undefined);
    if (idle.length > 0) notices.push(ownProvider(idle));
    if (!isOne) return chain;
  }
  const helper = (command: string | undefined) =>
    command === undefined ? undefined : ({ type: 'apiKeyHelper', command } as const);
  const tiers = { ...values.modelTiers, ...options.modelTiers, ...managed.modelTiers };
  for (const tier of Object.keys(tiers) as (keyof typeof tiers)[]) {
    const isOptions = options.modelTiers?.[tier] !== undefined;
    note(
      `modelTiers.${tier}`,
      managed.modelTiers?.[tier] !== undefined ? 'managed' : isOptions ? 'option' : 'settings',
    );
  }
  return {
    ...chain,
    ...first(
      'model',
      provider === undefined
        ? { managed: managed.model, option: options.model, agent: agentModel, settings: values.model }
        : { option: options.model },
    ),
    ...first('auth', {
      managed: helper(managed.apiKeyHelper),
      option: options.auth,
      settings: helper(values.apiKeyHelper),
    }),
    ...(Object.keys(tiers).length === 0 ? {} : { modelTiers: tiers }),
  };
}

/** If a model that cannot be had was named in settings, the error says in which. */
export function modelFailure(error: unknown, { effective }: OpenedSettings, model: string | undefined): unknown {
  const entry = effective.entries.find(({ key, value }) => key === 'model' && value === model);
  if (entry === undefined || !(error instanceof ConfigError)) return error;
  return new ConfigError(`The model of ${entry.file ?? 'the option settings'}: ${error.message}`, { cause: error });
}

function ownProvider(keys: readonly string[]): PendingNotice {
  return {
    code: 'option_without_effect',
    message: `Settings without effect (${keys.join(', ')}): the provider of the option provider answers, on its own way.`,
  };
}

/** A list of managed settings counts alone; an empty one is a list too. */
function allowedModels({ values, managed, lists }: OpenedSettings['effective']): QueryEngineConfig['allowedModels'] {
  const names =
    managed.availableModels ?? values.availableModels ?? (lists.includes('availableModels') ? [] : undefined);
  if (names === undefined) return undefined;
  return { names, isForDefault: managed.enforceAvailableModels === true || names.length === 0 };
}

function environmentOf(
  { env }: PlainOptions,
  { env: values, passVariables = [], hideVariables = [] }: Settings,
  { env: managed }: Settings,
  { note }: Origins,
): Pick<PlainOptions, 'env'> {
  if (values === undefined && passVariables.length + hideVariables.length === 0) return {};
  const hidden = [env?.[HIDDEN_VARIABLES], ...hideVariables].filter((name) => name !== undefined && name !== '');
  const passed = [env?.[PASSED_VARIABLES], ...passVariables].filter((name) => name !== undefined && name !== '');
  const ofSetting = {
    ...(passVariables.length === 0 ? {} : { [PASSED_VARIABLES]: passed.join(',') }),
    ...(hidden.length === 0 ? {} : { [HIDDEN_VARIABLES]: hidden.join(',') }),
  };
  for (const name of Object.keys({ ...values, ...managed })) {
    const isOptions = env !== undefined && Object.hasOwn(env, name);
    note(`env.${name}`, managed?.[name] !== undefined ? 'managed' : isOptions ? 'option' : 'settings');
  }
  return { env: { ...values, ...env, ...ofSetting, ...managed } };
}

function permissionsOf(
  { allowedTools = [] }: PlainOptions,
  { allowManagedPermissionRulesOnly: isOnly }: Settings,
  notices: PendingNotice[],
  { note }: Origins,
): Pick<PlainOptions, 'allowedTools'> {
  if (isOnly !== true || allowedTools.length === 0) return {};
  notices.push({
    code: 'settings_refused',
    message: `allowedTools (${allowedTools.join(', ').slice(0, 200)}) does not count: only managed settings allow anything.`,
  });
  note('allowedTools', 'managed');
  return { allowedTools: [] };
}

/** A mode that cannot be had is told: nobody asked for it in this session. */
function modeOf(
  { permissionMode, allowDangerouslySkipPermissions: mayBypass = false }: PlainOptions,
  values: Settings,
  managed: Settings,
  agentMode: PermissionMode | undefined,
  { disableBypass, disableAuto }: Confinement,
  notices: PendingNotice[],
  { first, note }: Origins,
): Pick<PlainOptions, 'permissionMode'> {
  const policy = managed.permissions?.defaultMode;
  const own = () => first('permissionMode', { option: permissionMode });
  if (policy === undefined && (permissionMode ?? agentMode) !== undefined) {
    if (permissionMode === undefined) note('permissionMode', 'agent');
    return own();
  }
  const mode = policy ?? values.permissions?.defaultMode;
  if (mode === undefined) return {};
  try {
    if (mode === 'auto' && disableAuto === true) throw autoIsOff();
    const checked = checkMode(mode, mayBypass && disableBypass !== true);
    return first('permissionMode', policy === undefined ? { settings: checked } : { managed: checked });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    notices.push({ code: 'settings_problem', message: `permissions.defaultMode does not count: ${error.message}` });
    return own();
  }
}

function sandboxOf({ sandbox }: PlainOptions, { entries, managed }: OpenedSettings['effective'], { note }: Origins) {
  const isManaged = managed.sandbox?.enabled === true;
  const ofOption = leavesOf({ scope: 'flag', file: null, base: '/', values: { sandbox: sandbox as never } }).filter(
    (leaf) =>
      !(isManaged && loosensSandbox(leaf)) &&
      !(managed.sandbox?.network?.allowManagedDomainsOnly === true && leaf.key === 'sandbox.network.allowedDomains'),
  );
  const ofSettings = entries.filter(({ path }) => path[0] === 'sandbox');
  if (ofSettings.length === 0) return sandbox;
  for (const { key, scope } of mergeLeaves([...ofOption, ...ofSettings]))
    note(key, scope === 'managed' ? 'managed' : ofSettings.some((entry) => entry.key === key) ? 'settings' : 'option');
  return valuesOf(mergeLeaves([...ofOption, ...ofSettings])).sandbox as PlainOptions['sandbox'];
}

function directoriesOf(
  { additionalDirectories = [] }: PlainOptions,
  directories: readonly string[],
  { note }: Origins,
): Pick<PlainOptions, 'additionalDirectories'> {
  if (directories.length === 0) return {};
  note('additionalDirectories', 'settings');
  return { additionalDirectories: [...additionalDirectories, ...directories] };
}

const BYPASS = ['bypassPermissions', 'yolo'];

function autoIsOff(): ConfigError {
  return new ConfigError('Permission mode auto is turned off by settings (disableAutoMode). Choose another mode.');
}

/** Asked for by name, so it is refused by name. */
function refuseModes({ permissionMode }: PlainOptions, { disableBypass, disableAuto }: Confinement): void {
  if (disableAuto === true && permissionMode === 'auto') throw autoIsOff();
  if (disableBypass !== true || permissionMode === undefined || !BYPASS.includes(permissionMode)) return;
  throw new ConfigError(
    `Permission mode ${permissionMode} is turned off by settings (permissions.disableBypassPermissionsMode). Choose another mode.`,
  );
}

function withoutBypass({ allowDangerouslySkipPermissions: _, ...options }: PlainOptions): PlainOptions {
  return options;
}

/** @throws ConfigError: whoever starts a session by hand does not bring what the administrator did not see */
function refuseSideloads({ agents = {}, mcpServers = {} }: PlainOptions, { disableSideloadFlags }: Settings): void {
  if (disableSideloadFlags !== true) return;
  // What runs in this process is code of the host, and no flag; those of plugins are as their plugins may be.
  const servers = Object.entries(mcpServers).filter(
    ([name, config]) => !name.startsWith('plugin_') && !('instance' in config),
  );
  const given = [
    ...(Object.keys(agents).length === 0 ? [] : ['agents']),
    ...(servers.length === 0 ? [] : ['mcpServers']),
  ];
  if (given.length > 0)
    throw new ConfigError(
      `Managed settings (disableSideloadFlags) let no session bring ${given.join(' and ')} by options or flags.`,
    );
}
