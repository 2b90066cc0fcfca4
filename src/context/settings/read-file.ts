// Reads one settings file. One rule: whatever stands there, the answer comes at once and is no crash: values, and what
// was wrong.
import { type FileStat, type Host, isFileError } from '../../host/host.js';
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import { errorText } from '../../util/text.js';
import { DOORS } from '../doors.js';
import type { SettingsLayer, SettingsProblem } from './layer.js';
import type { SettingsPlace } from './places.js';
import { publishedKey, publishedParts, translatePublished } from './published-keys.js';
import { SETTINGS_SCHEMA } from './schema.js';
import type { SettingSchema } from './setting-schema.js';
import { UNKNOWN, validate } from './validate.js';

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
