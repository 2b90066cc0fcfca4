// The settings of a folder, for people and programs that look at them or change them: what counts, and where from.
import path from 'node:path';
import type { FolderTrust } from '../../context/effective-settings.js';
import {
  describe,
  SETTINGS_SCHEMA,
  type SettingLeaf,
  type SettingSchema,
  type SettingScope,
  schemaAt,
  validate,
} from '../../context/settings/index.js';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import type { PendingNotice } from '../../session/config/index.js';
import {
  editSettings,
  findSettings,
  type SettingsOptions,
  settingsTarget,
  type WritableScope,
} from '../../session/settings/index.js';
import { type ConfigScope, createConfigTool } from '../../tools/config.js';
import type { AnyTool } from '../../tools/tool.js';
import { nearestWord } from '../../util/text.js';
import type { Options } from '../options/index.js';

export interface ConfigurationOptions extends SettingsOptions {
  readonly host: Host;
  /** Absolute. */
  readonly cwd: string;
}

/** A value, and where it stands. */
export interface ConfiguredValue {
  readonly key: string;
  readonly value: unknown;
  readonly scope: SettingScope;
  /** Null if it was given as an option. */
  readonly file: string | null;
}

export interface Configuration {
  readonly values: Settings;
  /** Each value that counts; an element of a list by itself. */
  readonly entries: readonly (ConfiguredValue & { readonly overridden: readonly ConfiguredValue[] })[];
  /** Values that do not count, and why. */
  readonly refused: readonly (ConfiguredValue & { readonly why: string })[];
  readonly files: readonly { readonly scope: SettingScope; readonly file: string }[];
  readonly trust: FolderTrust;
  readonly notices: readonly PendingNotice[];
}

/** @throws ConfigError if the options are wrong */
export async function readConfiguration({ host, cwd, ...options }: ConfigurationOptions): Promise<Configuration> {
  const opened = await findSettings(host, host.env, cwd, options).open();
  if (opened === null) return { values: {}, entries: [], refused: [], files: [], trust: 'not_needed', notices: [] };
  const { effective, notices } = opened;
  return {
    values: effective.values,
    entries: effective.entries.map((entry) => ({ ...plain(entry), overridden: entry.overridden.map(plain) })),
    refused: effective.refused.map(({ leaf, why }) => ({ ...plain(leaf), why })),
    files: effective.files,
    trust: effective.trust,
    notices,
  };
}

function plain({ key, value, scope, file }: SettingLeaf): ConfiguredValue {
  return { key, value, scope, file };
}

/** The value of a key with dots, of all that counts; undefined if nothing says it. @throws ConfigError */
export function valueOfKey(values: Settings, key: string): unknown {
  let value: unknown = values;
  for (const name of knownPath(key)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/**
 * Writes a value into our own file of a scope, or with undefined takes it out.
 * @param text JSON, or a text
 * @returns the file
 * @throws ConfigError for a key that is not known, or a value that is wrong
 */
export async function changeConfiguration(
  { host, cwd }: Pick<ConfigurationOptions, 'host' | 'cwd'>,
  scope: WritableScope,
  key: string,
  text: string | undefined,
): Promise<string> {
  const home = { host, env: host.env, cwd: path.resolve(cwd) };
  const keys = knownPath(key);
  if (text === undefined) return editSettings(home, scope, [{ op: 'unset', path: keys }]);
  const schema = schemaAt(keys) ?? {};
  const read = [asJson(text), text].map((value) => validate(value, schema, key));
  const fit = read.find(({ problems }) => problems.length === 0) ?? read[0];
  const problem = fit?.problems[0];
  if (schema.type === 'array' && !Array.isArray(asJson(text)))
    throw new ConfigError(
      `${key} must be ${describe(schema)}. Write ${JSON.stringify([text])}, with all that it should hold.`,
    );
  if (fit === undefined || problem !== undefined)
    throw new ConfigError(`${problem?.key ?? key} ${problem?.message ?? `must be ${describe(schema)}`}.`);
  return editSettings(home, scope, [{ op: 'set', path: keys, value: fit.value }]);
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // a text without quotes
  }
}

/** @throws ConfigError that names the nearest key */
function knownPath(key: string): readonly string[] {
  const keys = key.split('.');
  let schema: SettingSchema = SETTINGS_SCHEMA as SettingSchema;
  for (const [at, name] of keys.entries()) {
    const { properties = {}, additionalProperties } = schema;
    const own = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (own === undefined || name === '' || name === '__proto__') {
      const names = Object.keys(properties);
      const near = nearestWord(name.slice(0, 60), names);
      const begin = keys.slice(0, at).map((each) => `${each}.`);
      const advice = near === undefined ? `Keys: ${names.join(', ')}.` : `Did you mean ${begin.join('')}${near}?`;
      throw new ConfigError(`There is no setting ${JSON.stringify(key.slice(0, 100))}. ${advice}`);
    }
    schema = own;
  }
  return keys;
}

/** A setting that holds one value. */
export interface SettingKey {
  /** With dots. */
  readonly key: string;
  readonly description: string;
  /** The only values there are; null if any text or number does. */
  readonly values: readonly (string | boolean)[] | null;
  readonly isNumber: boolean;
}

/** The settings of one value each, for a face that lists them. Those of managed settings alone are left out. */
export function settingKeys(): readonly SettingKey[] {
  const keys: SettingKey[] = [];
  const add = (path: readonly string[], schema: SettingSchema): void => {
    if (schema['x-managed'] === true || path[0] === '$schema') return;
    if (schema.type === 'object') {
      for (const [name, inner] of Object.entries(schema.properties ?? {})) add([...path, name], inner);
      return;
    }
    const values = schema.enum ?? (schema.type === 'boolean' ? [true, false] : null);
    const isNumber = schema.type === 'integer' || schema.type === 'number';
    if (values === null && !isNumber && schema.type !== 'string') return;
    keys.push({ key: path.join('.'), description: schema.description ?? '', values, isNumber });
  };
  add([], SETTINGS_SCHEMA);
  return keys;
}

// The tool Config over the settings of a session's folder, for sessions that name it in `tools`.

const SCOPES: readonly ConfigScope[] = ['user', 'project', 'local'];

/** @param cwd of the session, absolute */
export async function configTool(options: Options, host: Host, env: Host['env'], cwd: string): Promise<AnyTool> {
  const own = { ...host, env };
  const files = await Promise.all(
    SCOPES.map(async (scope) => [scope, (await settingsTarget({ host: own, env, cwd }, scope)).file] as const),
  );
  const fileOf = new Map<ConfigScope, string>(files);
  const { settings, managedSettings, settingSources, trustFolder } = options;
  const place: ConfigurationOptions = {
    host: own,
    cwd,
    ...(settings === undefined ? {} : { settings }),
    ...(managedSettings === undefined ? {} : { managedSettings }),
    ...(settingSources === undefined ? {} : { settingSources }),
    ...(trustFolder === undefined ? {} : { trustFolder }),
  };
  return createConfigTool({
    fileOf: (scope) => fileOf.get(scope) ?? '',
    read: () => readConfiguration(place),
    valueOf: async (key) => valueOfKey((await readConfiguration(place)).values, key),
    change: (scope, key, text) => changeConfiguration({ host: own, cwd }, scope, key, text),
  });
}
