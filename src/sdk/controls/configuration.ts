// What a session is configured with and how a host changes that while it runs: settings, plugins, servers, keys. Loaded with
// the first such call. One rule: a value that is wrong changes nothing.
import { checkSettings, schemaAt } from '../../context/settings/index.js';
import { createNodeHost } from '../../host/node-host.js';
import type { EffectiveConfig, EffectiveOption, SDKControlReloadPluginsResponse } from '../../protocol/control.js';
import { ConfigError } from '../../protocol/errors.js';
import { editSettings, type SettingsEdit, type WritableScope } from '../../session/settings/index.js';
import { isRecord } from '../../util/json.js';
import { plainOptions } from '../options/index.js';
import type { SessionControls } from '../query-controls.js';
import { effectiveOptions } from '../settings/index.js';
import type { ControlledQuery } from './controlled-query.js';
import { settingsPlace } from './read-settings.js';

export * from './byok-configs.js';

type Fields = Readonly<Record<string, unknown>>;

/** What a published SDK calls a key of ours. */
const OTHER_NAMES: Readonly<Record<string, string>> = { effortLevel: 'effort' };

const SCOPES: Readonly<Record<string, WritableScope>> = { localSettings: 'local', userSettings: 'user' };

/** Most that is told of what is wrong. */
const SHOWN = 5;

/** @throws ConfigError for values that are wrong; a key that is not known is told with the next prompt */
export async function applyFlagSettings(query: ControlledQuery, settings: Fields): Promise<void> {
  const fields = checkFields(settings, false);
  (await (await query.open()).controls()).changeFlagSettings(fields);
}

/** @throws ConfigError for what is not understood, and if the file cannot be changed */
export async function updateSettings(query: ControlledQuery, source: string, settings: Fields): Promise<void> {
  const scope = Object.hasOwn(SCOPES, source) ? SCOPES[source] : undefined;
  if (scope === undefined)
    throw new ConfigError(
      `There are no settings ${JSON.stringify(source)} to change. Give ${Object.keys(SCOPES).join(' or ')}.`,
    );
  const fields = checkFields(settings, true);
  await query.open(); // a closed session changes nothing
  const edits = editsOf(fields, []);
  const { host, env, cwd } = settingsPlace(query);
  if (edits.length > 0) await editSettings({ host, env, cwd }, scope, edits);
}

/** @param isStrict a key that is not known is wrong too. @throws ConfigError */
function checkFields(settings: unknown, isStrict: boolean): Fields {
  if (!isRecord(settings)) throw new ConfigError('Settings must be an object of their fields.');
  const fields = Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      value === undefined ? [] : [[Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : name, value]],
    ),
  ) as Fields;
  const { problems } = checkSettings(withoutNulls(fields), { scope: 'flag', file: null, base: '/' });
  const wrong = problems.filter(({ message }) => isStrict || message !== UNKNOWN);
  if (wrong.length === 0) return fields;
  const told = wrong.slice(0, SHOWN).map(({ key, message, nearest }) => {
    const meant = nearest === undefined ? '' : ` (perhaps ${nearest})`;
    return `${key ?? 'the object'} ${message}${meant}`;
  });
  throw new ConfigError(`These settings cannot be used, so nothing was changed: ${told.join('; ')}.`);
}

/** As the check of settings says it. */
const UNKNOWN = 'is not known';

/** Null takes a field away, at any depth. */
function withoutNulls(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (each === null ? [] : [[name, withoutNulls(each)]])),
  );
}

/** Objects are gone into, so that what stands beside a field stays; any other value takes the place of the old one. */
function editsOf(fields: Fields, above: readonly string[]): SettingsEdit[] {
  return Object.entries(fields).flatMap(([name, value]): SettingsEdit[] => {
    const path = [...above, name];
    if (value === null) return [{ op: 'unset', path }];
    const isWhole = !isRecord(value) || schemaAt(path)?.['x-merge'] === 'replace';
    return isWhole ? [{ op: 'set', path, value }] : editsOf(value, path);
  });
}

/** What a session runs with, and where each part comes from. Contract: sends nothing and changes nothing. */
export async function effectiveConfig(query: ControlledQuery): Promise<EffectiveConfig> {
  const engine = await query.open();
  const controls = await engine.controls();
  const { model, permissionMode, effort } = controls.facts();
  const given = plainOptions(query.options);
  const settings = { ...given, ...flagFields(given.settings, controls.flagSettings()) };
  const options = await effectiveOptions(settings, given.host ?? createNodeHost());
  return {
    options: options.map((option) => {
      if (option.name === 'model') return changed(option, model);
      if (option.name === 'permissionMode') return changed(option, permissionMode);
      if (option.name === 'effort' && effort !== undefined) return changed(option, effort);
      return option;
    }),
    ...(await controls.effectiveParts()),
    rules: controls.listPermissionRules(false).state.rules,
  };
}

/** What was changed while the session runs says so. A name that stands for another is still as it was given. */
function changed(option: EffectiveOption, now: string): EffectiveOption {
  const { value, source } = option;
  if (source === 'default') return { ...option, value: now };
  if (value === now || (option.name === 'model' && typeof value === 'string' && now.endsWith(value))) return option;
  return { ...option, inForce: now };
}

/** A field that the host changed while the session runs stands in its settings. */
function flagFields(settings: unknown, changes: Readonly<Record<string, unknown>>) {
  if (Object.keys(changes).length === 0 || typeof settings === 'string') return {};
  const merged = { ...(settings as object | undefined), ...changes };
  return { settings: Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) };
}

/** Looks for plugins again. @throws ConfigError */
export async function reloadPlugins(
  query: ControlledQuery,
  { holdOnCacheImpact, refuseIfBusy, addPlugins = [] }: NonNullable<Parameters<SessionControls['reloadPlugins']>[0]>,
): Promise<SDKControlReloadPluginsResponse> {
  const engine = await query.open();
  if (refuseIfBusy === true && engine.isBusy)
    throw new ConfigError('A prompt runs, and refuseIfBusy was given. Reload the plugins after its result.');
  if (holdOnCacheImpact === true)
    throw new ConfigError(
      'What a reload costs a prompt cache is not known before it is done, so holdOnCacheImpact cannot be honoured. Reload without it: what changes counts from the next prompt on.',
      { code: 'not_supported' },
    );
  const controls = await engine.controls();
  const reloaded = await controls.reloadPlugins(addPlugins);
  return { ...reloaded, commands: [...(await engine.supportedCommands())] };
}
