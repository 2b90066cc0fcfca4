// Config: shows and changes the settings of the session's folder, by the access that whoever puts a session together gives it. One
// rule: it writes our own settings files only, which are protected, so that each change is asked about, in every mode.
import { isFileError } from '../host/host.js';
import { ConfigError, ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { ConfigInput, ConfigOutput } from '../protocol/tool-io.js';
import { isRecord } from '../util/json.js';
import { cutAtWord, shorten } from '../util/text.js';
import { type AnyTool, defineTool, type ToolOutcome } from './tool.js';

export type ConfigScope = NonNullable<ConfigInput['scope']>;

/** A value of a setting, and where it stands. `file`: null if it was given as an option. */
interface ConfigValue {
  readonly key: string;
  readonly value: unknown;
  readonly scope: string;
  readonly file: string | null;
}

/** The settings of a folder, as the tool uses them. */
interface ConfigAccess {
  /** The file that a change of a scope is written to, absolute. */
  fileOf(scope: ConfigScope): string;
  /** Every value that counts, and those that do not. @throws ConfigError */
  read(): Promise<{
    readonly entries: readonly (ConfigValue & { readonly overridden: readonly ConfigValue[] })[];
    readonly refused: readonly (ConfigValue & { readonly why: string })[];
  }>;
  /** The merged value of a key. @throws ConfigError if there is no such key */
  valueOf(key: string): Promise<unknown>;
  /** @param text JSON or a text; undefined: takes it out. @returns the file. @throws ConfigError, FileError */
  change(scope: ConfigScope, key: string, text: string | undefined): Promise<string>;
}

const configInputSchema = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['get', 'set', 'list'] },
    key: { type: 'string', description: 'Dotted: permissions.defaultMode. For list: only the keys under it.' },
    value: { description: 'For set: the value, as JSON. null removes the setting.' },
    scope: {
      type: 'string',
      enum: ['user', 'project', 'local'],
      description: 'For set: which settings file. Default user, which holds for all projects.',
    },
  },
  required: ['action'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Shows settings, with the file that each comes from, and changes them. The user is asked about each change; it takes effect with the next request.
- Change a setting only if the user asks for it. API keys and tokens can be neither shown nor set here.`;

/** For sessions that name it in `tools`. */
export function createConfigTool(access: ConfigAccess): AnyTool {
  return defineTool<ConfigInput, ConfigOutput>({
    name: 'Config',
    description: DESCRIPTION,
    inputSchema: configInputSchema,
    readOnly: false,
    onlyReads: ({ action }) => action !== 'set',
    confines: ({ action }) => action === 'set',
    concurrencySafe: false,
    deferrable: 'rare',
    title: ({ action, key = '' }) => shorten(`${action === 'set' ? 'Change' : 'Show'} settings ${key}`.trim(), 120),
    subject: ({ action, scope = 'user' }) =>
      action === 'set' ? { kind: 'path', path: access.fileOf(scope), access: 'write' } : { kind: 'none' },
    run: async (input) => useConfig(input, access),
  });
}

// One look at the settings, or one change of them. One rule: no secret is shown, and none is set.

/** Characters shown of one value, and of all. */
const MAX_VALUE = 2_000;
const MAX_SHOWN = 60_000;
const HIDDEN = '[not shown: a secret]';
/** Names of what nobody wants to read in a conversation. */
const SECRET = /key(?!bind)|token|secret|pass(?!variables)|credential|authorization|cookie/i;
/** Below these the names are the user's own, and tell what the values are. */
const NAMED_VALUES = /(?:^|\.)(?:env|headers)\./;

async function useConfig(input: ConfigInput, access: ConfigAccess): Promise<ToolOutcome<ConfigOutput>> {
  try {
    switch (input.action) {
      case 'list':
        return await list(input.key, access);
      case 'get':
        return await get(input.key, access);
      case 'set':
        return await set(input, access);
      default:
        return input.action satisfies never;
    }
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof ToolError || isFileError(error))) throw error;
    const data: ConfigOutput = { success: false, error: error.message };
    throw new ToolError(error.message, data);
  }
}

async function list(below: string | undefined, access: ConfigAccess): Promise<ToolOutcome<ConfigOutput>> {
  const { entries, refused } = await access.read();
  const isMeant = ({ key }: ConfigValue) => below === undefined || key === below || key.startsWith(`${below}.`);
  const lines = [
    ...entries.filter(isMeant).map((entry) => `${entry.key} = ${shown(entry)} (${origin(entry)})`),
    ...refused
      .filter(isMeant)
      .map((each) => `${each.key} = ${shown(each)} (${origin(each)}) does not count: ${each.why}`),
  ];
  const values = Object.fromEntries(
    entries.filter(isMeant).map(({ key, value }) => [key, withoutSecrets(key, value)] as const),
  );
  const text = lines.length === 0 ? 'No file says anything of it, so it is as by default.' : lines.join('\n');
  const cut = text.length <= MAX_SHOWN ? text : `${cutAtWord(text, MAX_SHOWN)}\n[cut: give key to see a part]`;
  return { model: cut, data: { success: true, values } };
}

async function get(key: string | undefined, access: ConfigAccess): Promise<ToolOutcome<ConfigOutput>> {
  const wanted = requireKey(key, 'get');
  const value = withoutSecrets(wanted, await access.valueOf(wanted));
  const { entries, refused } = await access.read();
  const isMeant = (each: ConfigValue) => each.key === wanted || each.key.startsWith(`${wanted}.`);
  const origins = entries
    .filter(isMeant)
    .flatMap((entry) => [
      `${entry.key}: ${origin(entry)}`,
      ...entry.overridden.map((each) => `  overrides ${shown(each)}, ${origin(each)}`),
    ]);
  const lost = refused.filter(isMeant).map((each) => `${shown(each)} of ${origin(each)} does not count: ${each.why}`);
  const head =
    value === undefined ? `${wanted} is not set, so it is as by default.` : `${wanted} = ${JSON.stringify(value)}`;
  return {
    model: cutAtWord([head, ...origins, ...lost].join('\n'), MAX_SHOWN),
    data: { success: true, ...(value === undefined ? {} : { value }) },
  };
}

async function set(
  { key, value, scope = 'user' }: ConfigInput,
  access: ConfigAccess,
): Promise<ToolOutcome<ConfigOutput>> {
  const wanted = requireKey(key, 'set');
  if (value === undefined) throw new ToolError('set needs a value. null takes the setting out.');
  if (holdsSecret(wanted, value))
    throw new ToolError(
      `${wanted} is a secret, which is not set here. Ask the user to do it: "turnwright login" for keys of models, else "turnwright config set".`,
    );
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const file = await access.change(scope, wanted, value === null ? undefined : text);
  const { entries, refused } = await access.read();
  const isMeant = (each: ConfigValue) => each.key === wanted || each.key.startsWith(`${wanted}.`);
  const lost = refused.find((each) => each.file === file && isMeant(each));
  const stronger = entries.find((each) => isMeant(each) && each.overridden.some((one) => one.file === file));
  const without =
    lost !== undefined
      ? ` It does not count: ${lost.why}.`
      : stronger !== undefined
        ? ` It has no effect: what stands in ${origin(stronger)} is stronger.`
        : '';
  const done = value === null ? `Took ${wanted} out of ${file}.` : `Set ${wanted} in ${file}.`;
  return { model: `${done}${without}`, data: { success: true, value } };
}

function requireKey(key: string | undefined, action: string): string {
  if (key === undefined || key === '') throw new ToolError(`${action} needs a key, such as permissions.defaultMode.`);
  return key;
}

function origin({ scope, file }: ConfigValue): string {
  return file === null ? `${scope}, given as an option` : `${scope}, ${file}`;
}

function shown({ key, value }: ConfigValue): string {
  const text = JSON.stringify(withoutSecrets(key, value)) ?? 'null';
  return text.length <= MAX_VALUE ? text : `${cutAtWord(text, MAX_VALUE)}…`;
}

/** The value with what is called like a secret taken out. */
function withoutSecrets(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(key, each));
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, withoutSecrets(`${key}.${name}`, each)]),
    );
  return isSecret(key) && value !== undefined ? HIDDEN : value;
}

function holdsSecret(key: string, value: unknown): boolean {
  if (value === null) return false;
  if (isRecord(value)) return Object.entries(value).some(([name, each]) => holdsSecret(`${key}.${name}`, each));
  return isSecret(key);
}

function isSecret(key: string): boolean {
  const at = NAMED_VALUES.exec(`${key}`);
  return at !== null && SECRET.test(key.slice(at.index));
}
