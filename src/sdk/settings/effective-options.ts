// What each option of a session comes to, and whose value it is. For people and programs that look; nothing of a session
// that runs reads it, and no key or token is in it.
import type { SettingEntry } from '../../context/settings/index.js';
import type { Host } from '../../host/host.js';
import type { EffectiveOption, EffectiveSource } from '../../protocol/control.js';
import { LIMITS } from '../../session/config/index.js';
import { isRecord } from '../../util/json.js';
import { createLogRedactor } from '../logs/index.js';
import { DECLARED, type OptionDeclaration, type PlainOptions } from '../options/index.js';
import type { ValueSource } from './origins.js';
import { type OptionsWithSettings, withSettings } from './with-settings.js';

/** Options whose values are keys, or fetch them. */
const HIDDEN: ReadonlySet<string> = new Set(['auth', 'mcpTokenStore']);

/** Of variables. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASS|CREDENTIAL/i;

const DEPTH = 8;

/** Variables that speak if no option and no setting does. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  model: ['TURNWRIGHT_MODEL', 'ANTHROPIC_MODEL'],
  toolSearch: ['ENABLE_TOOL_SEARCH'],
  modelsFile: ['TURNWRIGHT_MODELS_FILE'],
  cleanupPeriodDays: ['TURNWRIGHT_CLEANUP_PERIOD_DAYS'],
  telemetry: ['TURNWRIGHT_TELEMETRY', 'CLAUDE_CODE_ENABLE_TELEMETRY'],
};

/**
 * Every declared option, by name: those with parts of more than one source part by part.
 * @param given as they were given to `query()`
 * @throws ConfigError if the options or the settings cannot be used
 */
export async function effectiveOptions(given: PlainOptions, host: Host): Promise<EffectiveOption[]> {
  const found = await withSettings(given, host);
  const env = { ...host.env, ...found.options.env };
  const redact = createLogRedactor(env);
  const declared = Object.values(DECLARED).flatMap((topic) =>
    Object.entries(topic as Record<string, OptionDeclaration>),
  );
  const rows = declared.flatMap(([name, declaration]) => rowsOf(name, declaration, found, env));
  return rows
    .map((row) => ({ ...row, value: shown(row.name, row.value, redact) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function rowsOf(
  name: string,
  declaration: OptionDeclaration,
  found: OptionsWithSettings,
  env: Host['env'],
): EffectiveOption[] {
  const { options, origins } = found;
  const value = options[name as keyof PlainOptions] as unknown;
  const parts = [...origins.keys()].filter((noted) => noted.startsWith(`${name}.`));
  if (name === 'limits') return limitRows(found, env);
  if (value === undefined) return [fromOutside(name, declaration, env)];
  if (parts.length === 0) {
    const source = origins.get(name) ?? 'option';
    return [{ name, value, ...originOf(source, declaration.setting, found) }];
  }
  const known = new Set(parts);
  const own = isRecord(value) ? Object.keys(value).map((key) => `${name}.${key}`) : [];
  const rest = own.filter((part) => !known.has(part) && !parts.some((noted) => noted.startsWith(`${part}.`)));
  return [...parts, ...rest].map((part) => {
    const at = part.slice(name.length + 1).split('.');
    const setting = declaration.setting === undefined ? undefined : `${declaration.setting}.${at.join('.')}`;
    return { name: part, value: at.reduce(fieldOf, value), ...originOf(origins.get(part) ?? 'option', setting, found) };
  });
}

function fieldOf(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

function limitRows(found: OptionsWithSettings, env: Host['env']): EffectiveOption[] {
  return (Object.keys(LIMITS) as (keyof typeof LIMITS)[]).map((limit): EffectiveOption => {
    const { default: usual, variable, setting } = LIMITS[limit];
    const name = `limits.${limit}`;
    const value = found.options.limits?.[limit];
    if (value !== undefined)
      return { name, value, ...originOf(found.origins.get(name) ?? 'option', `retry.${setting}`, found) };
    const named = env[variable];
    if (named) return { name, value: Number(named), source: 'variable', variable };
    return { name, value: usual, source: 'default' };
  });
}

/** Nobody gave it. */
function fromOutside(name: string, { default: usual, idle }: OptionDeclaration, env: Host['env']): EffectiveOption {
  const variable = VARIABLES[name]?.find((each) => env[each]?.trim());
  if (variable !== undefined) return { name, value: env[variable], source: 'variable', variable };
  return {
    name,
    value: null,
    source: 'default',
    ...(usual === undefined ? {} : { default: usual }),
    ...(idle === 'always' ? { hasNoEffect: true } : {}),
  };
}

/** Sources as published clients call them. */
export const PUBLISHED_SOURCES: Readonly<Record<SettingEntry['scope'], EffectiveSource>> = {
  managed: 'policySettings',
  flag: 'flagSettings',
  local: 'localSettings',
  project: 'projectSettings',
  user: 'userSettings',
};

/** The file, if settings say it. */
function originOf(
  source: ValueSource,
  setting: string | undefined,
  { settings }: OptionsWithSettings,
): Omit<EffectiveOption, 'name' | 'value'> {
  if (source === 'option' || source === 'agent' || source === 'variable') return { source };
  const entries = (settings?.effective.entries ?? []).filter(
    ({ key, scope }) =>
      (key === setting || key.startsWith(`${setting}.`)) && (source !== 'managed' || scope === 'managed'),
  );
  const [first] = entries;
  if (first === undefined || setting === undefined)
    return { source: source === 'managed' ? 'policySettings' : 'flagSettings', ...(setting ? { setting } : {}) };
  const files = [...new Set(entries.flatMap(({ file }) => (file === null ? [] : [file])))];
  const overridden = first.overridden.map(({ value, scope, file }) => ({
    value,
    source: PUBLISHED_SOURCES[scope],
    ...(file === null ? {} : { file }),
  }));
  return {
    source: PUBLISHED_SOURCES[first.scope],
    setting,
    ...(files.length === 0 ? {} : { file: files[0] as string }),
    ...(files.length > 1 ? { otherFiles: files.slice(1) } : {}),
    ...(overridden.length === 0 ? {} : { overridden }),
  };
}

/** As JSON can say it, without secrets. */
function shown(name: string, value: unknown, redact: (text: string) => string): unknown {
  const [option = '', part = ''] = name.split('.');
  if (value === null || value === undefined) return null;
  if (HIDDEN.has(option)) return isRecord(value) && typeof value['type'] === 'string' ? { type: value['type'] } : '…';
  if (option === 'env') return hideVariables(part === '' ? value : { [part]: value }, part, redact);
  return plainValue(value, redact, 0);
}

function hideVariables(values: unknown, only: string, redact: (text: string) => string): unknown {
  const hidden = Object.fromEntries(
    Object.entries(values as Record<string, unknown>).map(([name, value]) => [
      name,
      SECRET_NAME.test(name) ? '…' : value === undefined ? null : redact(String(value)),
    ]),
  );
  return only === '' ? hidden : hidden[only];
}

function plainValue(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'function') return '(function)';
  if (depth === DEPTH) return '(…)';
  if (Array.isArray(value)) return value.map((each) => plainValue(each, redact, depth + 1));
  if (!isRecord(value)) return '(nothing that can be shown)';
  const { prototype } = Object;
  const isPlain = Object.getPrototypeOf(value) === prototype || Object.getPrototypeOf(value) === null;
  if (!isPlain) return `(${value.constructor?.name || 'object'})`;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      SECRET_NAME.test(key) && typeof each === 'string' ? '…' : plainValue(each, redact, depth + 1),
    ]),
  );
}
