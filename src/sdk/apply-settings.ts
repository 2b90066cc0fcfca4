// What settings change in the options of a session. One rule: a value that an option gives beats settings, a managed one
// beats the option; what a setting asks for and cannot be done is told, never fatal.

import { loosensSandbox } from '../context/settings/admit.js';
import { attributionOf } from '../context/settings/attribution-setting.js';
import { leavesOf, mergeLeaves, valuesOf } from '../context/settings/merge.js';
import type { Host } from '../host/host.js';
import { ConfigError } from '../protocol/errors.js';
import type { EngineLimits } from '../protocol/options.js';
import type { PermissionMode } from '../protocol/permissions.js';
import type { Settings } from '../protocol/settingsTypes.generated.js';
import type { WebOptions } from '../protocol/web-options.js';
import { isAiSdkModel } from '../providers/ai-sdk/index.js';
import { checkTiers } from '../providers/models/index.js';
import { NO_PLACE } from '../session/checkpoints/index.js';
import { LIMITS, PASSED_VARIABLES, type PendingNotice, type QueryEngineConfig } from '../session/config/index.js';
import { fallbackSettings } from '../session/models/index.js';
import type { OpenedSettings } from '../session/settings/index.js';
import { checkMode } from './check-mode.js';
import type { PlainOptions } from './options.js';

export interface AppliedSettings {
  readonly options: PlainOptions;
  /** Fields of the configuration that no option has. */
  readonly fields: Pick<
    QueryEngineConfig,
    'attribution' | 'commandHooks' | 'language' | 'onlyManagedHooks' | 'settingsFiles'
  >;
  readonly notices: readonly PendingNotice[];
}

type Env = Host['env'];

/** @param env of the session, without the settings' own variables */
export async function applySettings(
  options: PlainOptions,
  { effective, commandHooks, directories, disableBypass, notices: found }: OpenedSettings,
  env: Env,
): Promise<AppliedSettings> {
  const notices: PendingNotice[] = [...found];
  const values = usable(effective.values, notices);
  const managed = usable(effective.managed, []); // told with the values, of which it is a part
  const agent = options.agent === undefined ? undefined : options.agents?.[options.agent];
  const days = managed.cleanupPeriodDays ?? options.cleanupPeriodDays ?? values.cleanupPeriodDays;
  const next: PlainOptions = {
    ...options,
    ...given('effort', managed.effort ?? options.effort ?? agent?.effort ?? values.effort),
    ...given(
      'thinking',
      thinkingOf(managed) ??
        options.thinking ??
        (options.maxThinkingTokens === undefined ? thinkingOf(values) : undefined),
    ),
    ...given('enableFileCheckpointing', checkpointsOf(options, values, managed, notices)),
    ...given('autoCompact', managed.autoCompact ?? options.autoCompact ?? values.autoCompact),
    ...given('autoMode', managed.permissions?.autoMode ?? options.autoMode ?? values.permissions?.autoMode),
    ...given('web', webOf(options, values, managed)),
    ...given('deferredExpiryMs', expiryOf(options, values, managed)),
    ...given('cleanupPeriodDays', days),
    ...given(
      'toolSearch',
      managed.toolSearch ?? options.toolSearch ?? (env['ENABLE_TOOL_SEARCH'] ? undefined : values.toolSearch),
    ),
    ...given('agent', managed.agent ?? options.agent ?? (options.coordinator === true ? undefined : values.agent)),
    ...given('builtInAgents', managed.builtInAgents ?? options.builtInAgents ?? values.builtInAgents),
    ...given('codeMode', managed.codeMode ?? options.codeMode ?? values.codeMode),
    ...given('skills', managed.skills ?? options.skills ?? values.skills),
    ...given('waitUntilReset', managed.retry?.waitUntilReset ?? options.waitUntilReset ?? values.retry?.waitUntilReset),
    ...given('limits', limitsOf(options, values, managed, env)),
    ...given('sandbox', sandboxOf(options, effective)),
    ...budgetsOf(options, values, managed, agent?.maxTurns),
    ...modelsOf(options, values, managed, agent?.model, notices),
    ...environmentOf(options, values, managed),
    ...permissionsOf(options, managed, notices),
    ...given('permissionMode', modeOf(options, values, managed, agent?.permissionMode, disableBypass, notices)),
    ...(directories.length === 0
      ? {}
      : { additionalDirectories: [...(options.additionalDirectories ?? []), ...directories] }),
  };
  refuseBypass(next, disableBypass);
  const attribution = attributionOf(values);
  const fields = {
    ...given('attribution', attribution),
    ...given('commandHooks', commandHooks.length === 0 ? undefined : commandHooks),
    ...given('language', values.language),
    ...given(
      'onlyManagedHooks',
      values.disableAllHooks === true || managed.allowManagedHooksOnly === true ? true : undefined,
    ),
    ...given('settingsFiles', effective.files.length === 0 ? undefined : effective.files),
  };
  return { options: disableBypass ? withoutBypass(next) : next, fields, notices };
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

/** Where a session is not kept there is no place for them: a setting asks for what it may. */
function checkpointsOf(
  options: PlainOptions,
  values: Settings,
  managed: Settings,
  notices: PendingNotice[],
): PlainOptions['enableFileCheckpointing'] {
  const wanted = wantedCheckpoints(options, values, managed);
  if (wanted !== true || options.enableFileCheckpointing === true || options.persistSession !== false) return wanted;
  notices.push({
    code: 'settings_problem',
    message: `The setting enableFileCheckpointing does not count: ${NO_PLACE}`,
  });
  return options.enableFileCheckpointing;
}

function thinkingOf({ thinking }: Settings): QueryEngineConfig['thinkingConfig'] {
  return thinking as QueryEngineConfig['thinkingConfig'];
}

function fallbackOf({ fallback }: Settings): PlainOptions['fallback'] {
  return Array.isArray(fallback) ? { models: fallback } : (fallback as PlainOptions['fallback']);
}

/** A variable was set for this run, so it beats settings that are not managed. */
function limitsOf(options: PlainOptions, values: Settings, managed: Settings, env: Env): PlainOptions['limits'] {
  const limits: { -readonly [K in keyof EngineLimits]?: EngineLimits[K] } = { ...options.limits };
  for (const name of Object.keys(LIMITS) as (keyof EngineLimits)[]) {
    const { setting, variable } = LIMITS[name];
    if (setting === undefined) continue;
    const policy = managed.retry?.[setting];
    const value = values.retry?.[setting];
    if (policy !== undefined) limits[name] = policy;
    else if (value !== undefined && limits[name] === undefined && !env[variable]) limits[name] = value;
  }
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/** A managed budget is a ceiling. */
function budgetsOf(
  { maxBudgetUsd, maxTurns, taskBudget }: PlainOptions,
  { budgets = {} }: Settings,
  { budgets: managed = {} }: Settings,
  agentTurns: number | undefined,
): Pick<PlainOptions, 'maxBudgetUsd' | 'maxTurns' | 'taskBudget'> {
  const turns = maxTurns ?? lower(agentTurns, budgets.maxTurns);
  const tokens = lower(taskBudget?.total ?? budgets.taskTokens, managed.taskTokens);
  return {
    ...given('maxBudgetUsd', lower(maxBudgetUsd ?? budgets.maxBudgetUsd, managed.maxBudgetUsd)),
    ...given('maxTurns', lower(turns, managed.maxTurns)),
    ...(tokens === undefined ? {} : { taskBudget: { total: tokens } }),
  };
}

/** A managed time is a ceiling. */
function expiryOf({ deferredExpiryMs }: PlainOptions, values: Settings, managed: Settings): number | undefined {
  return lower(deferredExpiryMs ?? values.permissions?.deferredExpiryMs, managed.permissions?.deferredExpiryMs);
}

/** Part by part; hosts of all sources together. */
function webOf(
  { web: option }: PlainOptions,
  { web: value }: Settings,
  { web: managed }: Settings,
): WebOptions | undefined {
  if (option === undefined && value === undefined) return undefined;
  const hosts = [...(option?.privateHosts ?? []), ...(value?.privateHosts ?? [])];
  const model = managed?.model ?? option?.model ?? value?.model;
  const search = managed?.search ?? option?.search ?? value?.search;
  return {
    ...(hosts.length === 0 ? {} : { privateHosts: hosts }),
    // True says no more than its absence.
    ...(model === undefined || model === true ? {} : { model }),
    ...given('search', search),
  };
}

function lower(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  // What is no number is refused where the option is checked.
  return typeof a === 'number' && a > b ? b : a;
}

/** @param agentModel what the definition of the session's agent names: it says more than settings for all sessions do */
function modelsOf(
  options: PlainOptions,
  values: Settings,
  managed: Settings,
  agentModel: string | undefined,
  notices: PendingNotice[],
): Pick<PlainOptions, 'model' | 'modelTiers' | 'auth' | 'fallback'> {
  const { provider, resolveModel, fallback, fallbackModel } = options;
  const mayFallBack = resolveModel === undefined && fallback === undefined && fallbackModel === undefined;
  const chain = given('fallback', mayFallBack ? fallbackOf(values) : undefined);
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
  return {
    ...chain,
    ...given(
      'model',
      provider === undefined ? (managed.model ?? options.model ?? agentModel ?? values.model) : options.model,
    ),
    ...given('auth', helper(managed.apiKeyHelper) ?? options.auth ?? helper(values.apiKeyHelper)),
    ...(Object.keys(tiers).length === 0 ? {} : { modelTiers: tiers }),
  };
}

/** Where a model that cannot be had was named in settings, the error says in which. */
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

function environmentOf(
  { env }: PlainOptions,
  { env: values, passVariables = [] }: Settings,
  { env: managed }: Settings,
): Pick<PlainOptions, 'env'> {
  if (values === undefined && passVariables.length === 0) return {};
  const passed = [env?.[PASSED_VARIABLES], ...passVariables].filter((name) => name !== undefined && name !== '');
  const ofSetting = passVariables.length === 0 ? {} : { [PASSED_VARIABLES]: passed.join(',') };
  return { env: { ...values, ...env, ...ofSetting, ...managed } };
}

function permissionsOf(
  { allowedTools = [] }: PlainOptions,
  { allowManagedPermissionRulesOnly: isOnly }: Settings,
  notices: PendingNotice[],
): Pick<PlainOptions, 'allowedTools'> {
  if (isOnly !== true || allowedTools.length === 0) return {};
  notices.push({
    code: 'settings_refused',
    message: `allowedTools (${allowedTools.join(', ').slice(0, 200)}) does not count: only managed settings allow anything.`,
  });
  return { allowedTools: [] };
}

/** A mode that cannot be had is told: nobody asked for it in this session. */
function modeOf(
  { permissionMode, allowDangerouslySkipPermissions: mayBypass = false }: PlainOptions,
  values: Settings,
  managed: Settings,
  agentMode: PermissionMode | undefined,
  disableBypass: boolean,
  notices: PendingNotice[],
): PermissionMode | undefined {
  const policy = managed.permissions?.defaultMode;
  if (policy === undefined && (permissionMode ?? agentMode) !== undefined) return permissionMode;
  const mode = policy ?? values.permissions?.defaultMode;
  if (mode === undefined) return undefined;
  try {
    return checkMode(mode, mayBypass && !disableBypass);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    notices.push({ code: 'settings_problem', message: `permissions.defaultMode does not count: ${error.message}` });
    return permissionMode;
  }
}

function sandboxOf({ sandbox }: PlainOptions, { entries, managed }: OpenedSettings['effective']) {
  const isManaged = managed.sandbox?.enabled === true;
  const ofOption = leavesOf({ scope: 'flag', file: null, base: '/', values: { sandbox: sandbox as never } }).filter(
    (leaf) => !(isManaged && loosensSandbox(leaf)),
  );
  const ofSettings = entries.filter(({ path }) => path[0] === 'sandbox');
  if (ofSettings.length === 0) return sandbox;
  return valuesOf(mergeLeaves([...ofOption, ...ofSettings])).sandbox as PlainOptions['sandbox'];
}

const BYPASS = ['bypassPermissions', 'yolo'];

/** Asked for by name, so it is refused by name. */
function refuseBypass({ permissionMode }: PlainOptions, disableBypass: boolean): void {
  if (!disableBypass || permissionMode === undefined || !BYPASS.includes(permissionMode)) return;
  throw new ConfigError(
    `Permission mode ${permissionMode} is turned off by settings (permissions.disableBypassPermissionsMode). Choose another mode.`,
  );
}

function withoutBypass({ allowDangerouslySkipPermissions: _, ...options }: PlainOptions): PlainOptions {
  return options;
}

type Wanted = PlainOptions['enableFileCheckpointing'];

/** What the option and the settings say together. A setting that cannot be met is told, as every other. */
function wantedCheckpoints(options: PlainOptions, values: Settings, managed: Settings): Wanted {
  const { enableFileCheckpointing: asked } = options;
  if (managed.enableFileCheckpointing !== undefined) return managed.enableFileCheckpointing;
  return typeof asked === 'boolean' ? asked : (values.enableFileCheckpointing ?? asked);
}
