// Changes of settings that a host asks for while a session runs: of those it gave itself, and of files of the user's. One
// rule: a value that is wrong changes nothing. Loaded with the first change.
import { checkSettings, schemaAt } from '../../context/settings/index.js';
import { ConfigError } from '../../protocol/errors.js';
import { editSettings, type SettingsEdit, type WritableScope } from '../../session/settings/index.js';
import { isRecord } from '../../util/is-record.js';
import type { ControlledQuery } from './controlled-query.js';
import { settingsPlace } from './read-settings.js';

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

/** @throws ConfigError for what is not understood, and where the file cannot be changed */
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
