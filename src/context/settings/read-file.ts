// Reads one settings file, and holds its values against the description of the settings. One rule: whatever stands there, the
// answer comes at once and is no crash: what is right stays, what is wrong is left out and told.
import { type FileStat, type Host, isFileError } from '../../host/host.js';
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import { errorText, nearestWord } from '../../util/text.js';
import { DOORS } from '../doors.js';
import type { SettingsLayer, SettingsProblem } from './merge.js';
import type { SettingsPlace } from './places.js';
import { publishedKey, publishedParts, translatePublished } from './published-keys.js';
import { SETTINGS_SCHEMA } from './schema.js';
import type { SettingSchema } from './setting-schema.js';

/** Bytes. Settings that people write stay far below. */
const MAX_BYTES = 1_000_000;
/** Problems of one source that are told one by one; many of one kind are one notice. */
const MAX_PROBLEMS = 200;
/** Characters. */
const MAX_KEY = 200;

export interface ReadSource {
  /** Null if nothing could be read. */
  readonly layer: SettingsLayer | null;
  readonly problems: readonly SettingsProblem[];
  /** Of the file that was read; null if none was opened. */
  readonly stat: FileStat | null;
}

/** Null if there is no file. */
export async function readSettingsFile(host: Pick<Host, 'fs'>, place: SettingsPlace): Promise<ReadSource | null> {
  const { file } = place;
  const failed = (message: string, stat: FileStat | null): ReadSource => ({
    layer: null,
    problems: [{ file, key: null, message }],
    stat,
  });
  const read = await readText(host, file);
  if (read === null) return null;
  if ('problem' in read) return failed(read.problem, read.stat);
  const { text, stat } = read;
  const parsed = await parseSettings(text);
  if ('problem' in parsed) return failed(parsed.problem, stat);
  const checked = readSettings(parsed.value, place);
  return { ...checked, problems: [...twice(text, file), ...checked.problems], stat };
}

type ReadText =
  | { readonly text: string; readonly stat: FileStat }
  | { readonly problem: string; readonly stat: FileStat | null };

/** Null if there is no file. */
async function readText(host: Pick<Host, 'fs'>, file: string): Promise<ReadText | null> {
  try {
    // Opened first and looked at then, so that what is looked at is what is read. A FIFO does not block here.
    const handle = await host.fs.openRead(file);
    try {
      const stat = await handle.stat();
      if (stat.kind !== 'file') return { problem: 'is not a regular file, so it was not read', stat };
      if (stat.size > MAX_BYTES) return { problem: `has ${stat.size} bytes, more than ${MAX_BYTES}: not read`, stat };
      return { text: new TextDecoder().decode(await handle.read(0, stat.size)), stat };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR')) return null;
    if (isFileError(error)) return { problem: `cannot be read: ${error.message.replace(/\.$/, '')}`, stat: null };
    throw error;
  }
}

/** Any file of JSON that people write, such as one of servers. Null if there is none. */
export async function readJsonFile(
  host: Pick<Host, 'fs'>,
  file: string,
): Promise<{ readonly value: unknown } | { readonly problem: string } | null> {
  const read = await readText(host, file);
  return read === null || 'problem' in read ? read : parseSettings(read.text);
}

function twice(text: string, file: string): SettingsProblem[] {
  return duplicateKeys(text).map((key) => ({
    file,
    key: key.slice(0, MAX_KEY),
    message: 'stands twice, and only the last one counts',
    expected: 'each key once',
  }));
}

/** As `checkSettings`, in the words of the published products too. @param file null if it was given as an object */
export function readSettings(
  value: unknown,
  place: Omit<SettingsPlace, 'file'> & { readonly file: string | null },
): Omit<ReadSource, 'stat'> {
  const checked = checkSettings(value, place);
  // Most files hold our keys alone.
  if (!checked.problems.some(({ message }) => message === UNKNOWN || message.startsWith('is a'))) return checked;
  const translated = translatePublished(value).value;
  const { layer, problems } = checkSettings(translated, place);
  return {
    layer,
    problems: problems.flatMap((problem): SettingsProblem[] => {
      if (problem.message !== UNKNOWN || problem.key === null) return [problem];
      const { expected: _, nearest: __, ...rest } = problem;
      const parts = publishedParts(translated, problem.key);
      return parts.slice(0, MAX_PROBLEMS).map((key) => {
        const row = publishedKey(key);
        if (row === null) return key === problem.key ? problem : { ...rest, key };
        const said = row.how === 'acts' ? 'is so in any case' : 'has no effect here';
        return { ...rest, key, message: `${said}: ${row.why}`, isIdle: true };
      });
    }),
  };
}

/** What of an object can be used. @param file null if it was given as an object */
export function checkSettings(
  value: unknown,
  { scope, file, base }: Omit<SettingsPlace, 'file'> & { readonly file: string | null },
): Omit<ReadSource, 'stat'> {
  const { value: kept, problems } = validate(value, SETTINGS_SCHEMA as SettingSchema, '');
  const told = problems
    .slice(0, MAX_PROBLEMS)
    .map((each) => ({ file, ...each, key: each.key === '' ? null : each.key }));
  const more = problems.length - told.length;
  return {
    layer: { scope, file, base, values: (kept ?? {}) as Settings },
    problems: more > 0 ? [...told, { file, key: null, message: `has ${more} more mistakes` }] : told,
  };
}

/** JSON, with comments if it must be. Empty text is an empty object. */
export async function parseSettings(text: string): Promise<{ readonly value: unknown } | { readonly problem: string }> {
  const bare = text.replace(/^\uFEFF/, '');
  if (bare.trim() === '') return { value: {} };
  try {
    return { value: JSON.parse(bare) };
  } catch {
    // Most files are plain, so what reads comments is loaded for those that are not.
  }
  try {
    const { parseWithComments } = await DOORS.jsonc();
    return parseWithComments(bare);
  } catch (error) {
    return { problem: `is not JSON: ${errorText(error)}` }; // nested deeper than a parser goes
  }
}

// Keys that stand twice in one object of a JSON text. A parser takes the last one without a word, and a list of rules
// would be gone with the first. Pure.

const TOKENS = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}[\]:,]/g;
/** Told of one text. */
const MAX_FOUND = 20;

/** @param text JSON that a parser understood, with comments or without. Keys with dots, each once. */
export function duplicateKeys(text: string): readonly string[] {
  const found = new Set<string>();
  /** What is open: the keys of an object, or null for a list; and the key whose value stands there now. */
  const open: { readonly keys: Set<string> | null; key: string }[] = [];
  const tokens = [...text.matchAll(TOKENS)].map(([token]) => token).filter((token) => !token.startsWith('/'));
  for (const [at, token] of tokens.entries()) {
    const top = open.at(-1);
    if (token === '{') open.push({ keys: new Set(), key: '' });
    else if (token === '[') open.push({ keys: null, key: '[]' });
    else if (token === '}' || token === ']') open.pop();
    else if (token.startsWith('"') && tokens[at + 1] === ':' && top?.keys != null) {
      top.key = readString(token);
      if (top.keys.has(top.key) && found.size < MAX_FOUND) found.add(open.map(({ key }) => key).join('.'));
      top.keys.add(top.key);
    }
  }
  return [...found];
}

/** A name may be written in several ways. */
function readString(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token; // a parser of comments takes more than JSON does
  }
}

interface ValueProblem {
  readonly key: string;
  readonly message: string;
  readonly expected?: string;
  readonly nearest?: string;
}

interface Validated {
  /** Undefined if nothing of it can be used. */
  readonly value: unknown;
  readonly problems: readonly ValueProblem[];
}

/** Said of a key that there is not. */
const UNKNOWN = 'is not known';

/** Longest piece of a wrong value that is repeated, characters. */
const SHOWN = 60;

/** @param key the key of the value, '' for the whole */
export function validate(value: unknown, schema: SettingSchema, key: string): Validated {
  if (schema.anyOf !== undefined) return validateAny(value, schema, schema.anyOf, key);
  if (schema.enum !== undefined) {
    return typeof value === 'string' && schema.enum.includes(value) ? right(value) : wrong(value, schema, key);
  }
  if (schema.type === 'object') return validateObject(value, schema, key);
  if (schema.type === 'array') return validateList(value, schema, key);
  if (schema.type === undefined) return right(value);
  return isPlain(value, schema) ? right(value) : wrong(value, schema, key);
}

function right(value: unknown): Validated {
  return { value, problems: [] };
}

function wrong(value: unknown, schema: SettingSchema, key: string): Validated {
  const expected = describe(schema);
  const unclear = schema['x-unclear'];
  const counts = unclear === undefined ? '' : '; it counts as the strictest';
  const message = `is ${shown(value)}; expected ${expected}${counts}`;
  return { value: unclear, problems: [{ key, message, expected }] };
}

function isPlain(value: unknown, { type, ...limits }: SettingSchema): boolean {
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'string') {
    if (typeof value !== 'string' || value.includes('\0')) return false;
    const length = limits.minLength === 1 ? value.trim().length : value.length;
    return length >= (limits.minLength ?? 0) && value.length <= (limits.maxLength ?? Number.POSITIVE_INFINITY);
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (type === 'integer' && !Number.isSafeInteger(value)) return false;
  return value >= (limits.minimum ?? value) && value > (limits.exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
}

function validateObject(value: unknown, schema: SettingSchema, key: string): Validated {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(value, schema, key);
  const out: Record<string, unknown> = {};
  const problems: ValueProblem[] = [];
  for (const [name, each] of Object.entries(value)) {
    const known = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
    const own = known ? schema.properties?.[name] : mayBeKey(name, schema) ? schema.additionalProperties : undefined;
    const at = key === '' ? name : `${key}.${name}`;
    const meant = own === undefined ? misspelt(name, value, schema) : name;
    if (own === undefined) problems.push(unknownKey(at, name, key, schema));
    const kind = own ?? (meant === null ? undefined : schema.properties?.[meant]);
    if (each === undefined || meant === null || kind === undefined) continue;
    const { value: kept, problems: found } = validate(each, kind, at);
    problems.push(...found);
    if (kept !== undefined) out[meant] = kept;
  }
  const lacking = schema.required?.filter((name) => !Object.hasOwn(out, name)) ?? [];
  if (lacking.length === 0) return { value: out, problems };
  const lost = { key, message: `lacks ${lacking.join(' and ')}`, expected: describe(schema) };
  return { value: undefined, problems: [...problems, lost] };
}

/** The key that a name was meant to be, if its value must not be lost. */
function misspelt(name: string, value: object, { properties = {} }: SettingSchema): string | null {
  const near = nearestWord(name.slice(0, SHOWN), Object.keys(properties));
  if (near === undefined || properties[near]?.['x-unclear'] === undefined) return null;
  return Object.hasOwn(value, near) ? null : near;
}

function mayBeKey(name: string, { propertyNames }: SettingSchema): boolean {
  // `__proto__` would not become a key of an object.
  return name !== '__proto__' && (propertyNames === undefined || propertyNames.enum.includes(name));
}

function unknownKey(at: string, name: string, key: string, schema: SettingSchema): ValueProblem {
  const names = [...Object.keys(schema.properties ?? {}), ...(schema.propertyNames?.enum ?? [])];
  const near = nearestWord(name.slice(0, SHOWN), names);
  const expected = `one of ${names.join(', ')}`;
  const nearest = near === undefined ? undefined : key === '' ? near : `${key}.${near}`;
  return { key: at.slice(0, 200), message: UNKNOWN, expected, ...(nearest === undefined ? {} : { nearest }) };
}

/** One text in place of a list of texts means a list of one: a rule must not be lost by its brackets. */
function validateList(value: unknown, schema: SettingSchema, key: string): Validated {
  const { items = {} } = schema;
  if (typeof value === 'string' && items.type === 'string') {
    const { value: kept } = validate(value, items, key);
    const told = { key, message: 'is a text and was taken as a list of one', expected: describe(schema) };
    return kept === undefined ? wrong(value, schema, key) : { value: [kept], problems: [told] };
  }
  if (!Array.isArray(value)) return wrong(value, schema, key);
  const all = value.map((each, at) => validate(each, items, `${key}[${at}]`));
  const kept = all.map((each) => each.value).filter((each) => each !== undefined);
  return { value: kept, problems: all.flatMap(({ problems }) => problems) };
}

/** The first alternative of the value's own kind is what it was meant to be. */
function validateAny(value: unknown, whole: SettingSchema, choices: readonly SettingSchema[], key: string): Validated {
  const all = choices.map((choice) => validate(value, choice, key));
  const fit = all.find((each) => each.problems.length === 0) ?? all.find((each) => each.value !== undefined);
  if (fit === undefined) return wrong(value, whole, key);
  const unclear = whole['x-unclear'];
  return fit.problems.length > 0 && unclear !== undefined ? { ...fit, value: unclear } : fit;
}

/** What a value should be, in words. */
export function describe(schema: SettingSchema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(describe).join(', or ');
  if (schema.enum !== undefined) return schema.enum.length === 1 ? `"${schema.enum[0]}"` : schema.enum.join(' | ');
  switch (schema.type) {
    case 'boolean':
      return 'true or false';
    case 'string':
      return schema.maxLength === undefined ? 'a text' : `a text of at most ${schema.maxLength} characters`;
    case 'integer':
      return `a whole number of at least ${schema.minimum ?? 0}`;
    case 'number':
      return schema.exclusiveMinimum === undefined
        ? `a number of at least ${schema.minimum ?? 0}`
        : `a number above ${schema.exclusiveMinimum}`;
    case 'array':
      return `a list, each ${describe(schema.items ?? {})}`;
    default: {
      const names = Object.keys(schema.properties ?? {});
      return names.length === 0 ? 'an object' : `an object with ${names.join(', ')}`;
    }
  }
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  // It may be a secret at the wrong place.
  if (typeof value === 'string') return value.includes('\0') ? 'a text with a NUL' : 'a text';
  return String(value).slice(0, SHOWN);
}
