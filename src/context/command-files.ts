// Which commands there are in files of the project, the user and plugins, and what such a file says: its fields, and its text with
// arguments in their places. Every file ends in the list or among the refused, with the reason; of a folder that nobody vouches
// for nothing counts. What the shell is to run stands in the file alone; an argument only fills a place in it.
import path from 'node:path';
import { mapBounded } from '../util/map-bounded.js';
import { quotedWords } from '../util/text.js';
import {
  type FileTrust,
  type FrontField,
  findMarkdown,
  knownTrust,
  listOf,
  type MarkdownFile,
  type MarkdownHost,
  type Problem,
  type RefusedFile,
  rawOf,
  readFrontMatter,
  readMarkdown,
  textOf,
} from './markdown/index.js';
import type { ExtensionPlace } from './settings/index.js';
import { splitRules } from './skills/index.js';
import { isTrustedItem, readTrust, type TrustedItems, trustItem } from './trust.js';

export interface CommandFile extends Pick<MarkdownFile, 'scope' | 'file' | 'real' | 'folder'> {
  /** As it is called, without the slash. */
  readonly name: string;
  readonly definition: CommandDefinition;
}

interface FoundCommands {
  /** In the order of their names. */
  readonly commands: readonly CommandFile[];
  readonly refused: readonly RefusedFile[];
}

const UTF8 = new TextDecoder();
const MAX_COMMANDS = 1_000;
const READS_AT_ONCE = 16;
const MAX_SHOWN = 300;
/** As a prompt names one. */
const NAME = /^\w[\w-]*(?::[\w-]+)*$/;

/**
 * A file is called by its name; by its folders too (`front:build`), if a nearer one has that name.
 * @param places from the nearest to the farthest
 */
export async function findCommands(
  host: MarkdownHost,
  places: readonly ExtensionPlace[],
  trust: FileTrust,
): Promise<FoundCommands> {
  const [{ candidates, refused: lost }, known] = await Promise.all([
    findMarkdown(host, places, trust.root),
    knownTrust(host, places, trust),
  ]);
  const looked = candidates.slice(0, MAX_COMMANDS);
  const read = await mapBounded(looked, READS_AT_ONCE, (candidate) => lookAt(host, candidate, trust, known));
  const refused: RefusedFile[] = [...lost];
  const taken = new Map<string, CommandFile>();
  for (const each of read) {
    if ('why' in each) {
      refused.push(each);
      continue;
    }
    const { short, long, command } = each;
    const name = [short, long].find((one) => !taken.has(one.toLowerCase()));
    if (name !== undefined) taken.set(name.toLowerCase(), { ...command, name });
    else
      refused.push({
        ...plain(command),
        name: short,
        why: `${taken.get(short.toLowerCase())?.file} has that name and is nearer`,
        item: null,
      });
  }
  for (const candidate of candidates.slice(MAX_COMMANDS))
    refused.push({ ...plain(candidate), name: candidate.name, why: `there are more than ${MAX_COMMANDS}`, item: null });
  return { commands: [...taken.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), refused };
}

/** What the file of a command says now. In words that follow "the command was not run:", why it may not be. */
export async function readAgain(
  host: MarkdownHost,
  command: CommandFile,
  trust: FileTrust,
): Promise<ReadCommand | string> {
  const bytes = await readMarkdown(host, { ...command, name: command.name }, trust.root);
  if ('problem' in bytes) return bytes.problem;
  const read = readCommand(UTF8.decode(bytes));
  if ('problem' in read) return read.problem;
  if (command.scope === 'project' && !trust.isGranted) {
    const item = await itemOf(host, command, read, bytes, trust);
    // If trust cannot be read, nobody is trusted.
    const known = await readTrust(host, trust.home, trust.root).catch(() => ({}));
    if (!isTrustedItem(known, item))
      return 'its file is not as somebody vouched for it. Look at it, and trust the folder anew';
  }
  return read;
}

interface Looked {
  readonly short: string;
  readonly long: string;
  readonly command: CommandFile;
}

async function lookAt(
  host: MarkdownHost,
  candidate: MarkdownFile,
  trust: FileTrust,
  known: TrustedItems,
): Promise<Looked | RefusedFile> {
  const refuse = (why: string): RefusedFile => ({ ...plain(candidate), name: candidate.name, why, item: null });
  const { folder, file, namespace } = candidate;
  const parts = path.relative(folder, file).split(path.sep).slice(0, -1);
  const own = namespace === undefined ? [] : [namespace];
  const [short, long] = [[...own, candidate.name].join(':'), [...own, ...parts, candidate.name].join(':')];
  if (!NAME.test(short)) return refuse('its name has other characters than letters, digits, "-" and "_"');
  const bytes = await readMarkdown(host, candidate, trust.root);
  if ('problem' in bytes) return refuse(bytes.problem);
  const read = readCommand(UTF8.decode(bytes));
  if ('problem' in read) return refuse(read.problem);
  const { scope, real } = candidate;
  const command: CommandFile = { scope, file, real, folder, name: short, definition: read.definition };
  if (scope !== 'project' || trust.isGranted) return { short, long: NAME.test(long) ? long : short, command };
  const item = await itemOf(host, command, read, bytes, trust);
  if (isTrustedItem(known, item)) return { short, long: NAME.test(long) ? long : short, command };
  return { ...refuse('nobody vouches for it as it stands'), item };
}

/** What somebody vouches for: all that the file says, and what it has the shell run. */
async function itemOf(
  host: MarkdownHost,
  { file }: CommandFile,
  { definition, body }: ReadCommand,
  bytes: Uint8Array,
  trust: FileTrust,
) {
  const { description, unknown: _, ...fields } = definition;
  const commands = shellLines(body);
  const value = {
    description: description.slice(0, MAX_SHOWN),
    ...fields,
    ...(commands.length === 0 ? {} : { commands }),
    sha256: await host.sha256(bytes),
  };
  const name = path.basename(file, '.md');
  const leaf = {
    path: ['command', name],
    key: `command ${name}`,
    value,
    isItem: false,
    scope: 'project',
    file,
    base: path.dirname(file),
  } as const;
  return trustItem(host, trust.root, leaf, path.dirname(file));
}

function plain({ scope, file }: Pick<MarkdownFile, 'scope' | 'file'>): Pick<RefusedFile, 'scope' | 'file'> {
  return { scope, file };
}

interface CommandDefinition {
  /** What it is for; the first line of its text if it does not say. */
  readonly description: string;
  readonly argumentHint?: string;
  /** Permission rules that count while its prompt runs. */
  readonly allowedTools: readonly string[];
  readonly model?: string;
  /** Fields without effect. */
  readonly unknown: readonly string[];
}

interface ReadCommand {
  readonly definition: CommandDefinition;
  /** Without its front matter. */
  readonly body: string;
}

const MAX_DESCRIPTION = 1_000;
const MAX_HINT = 200;
const MAX_RULES = 100;
const KNOWN = ['description', 'argument-hint', 'allowed-tools', 'model'];
/** For people and other programs: only the user calls commands here, so what keeps the model from one changes nothing. */
const SILENT = [
  'name',
  'title',
  'version',
  'author',
  'license',
  'tags',
  'category',
  'color',
  'disable-model-invocation',
];

export function readCommand(text: string): ReadCommand | Problem {
  const read = readFrontMatter(text);
  if ('problem' in read) return read;
  const body = read.body.trim();
  if (body === '') return { problem: 'it has no text' };
  const fields = new Map(read.fields.map((field) => [field.key, field]));
  const model = textField(fields.get('model'));
  const allowed = rulesOf(fields.get('allowed-tools'));
  for (const each of [model, allowed]) if (typeof each === 'object' && 'problem' in each) return each;
  const described = fields.get('description');
  const hint = fields.get('argument-hint');
  const description = described === undefined ? firstLine(body) : rawOf(described);
  const named = model as string;
  return {
    definition: {
      description: description.slice(0, MAX_DESCRIPTION),
      ...(hint === undefined ? {} : { argumentHint: rawOf(hint).slice(0, MAX_HINT) }),
      allowedTools: allowed as readonly string[],
      ...(named === '' || named === 'inherit' ? {} : { model: named }),
      unknown: [...fields.keys()].filter((key) => !KNOWN.includes(key) && !SILENT.includes(key)),
    },
    body,
  };
}

function textField(field: FrontField | undefined): string | Problem {
  return field === undefined ? '' : textOf(field);
}

function rulesOf(field: FrontField | undefined): readonly string[] | Problem {
  if (field === undefined) return [];
  const list = listOf(field);
  if ('problem' in list) return list;
  const rules = [...new Set(list.flatMap(splitRules))];
  return rules.length <= MAX_RULES
    ? rules
    : { problem: `line ${field.line} of it: allowed-tools has more than ${MAX_RULES} rules` };
}

function firstLine(body: string): string {
  const [line = ''] = body.split('\n', 1);
  return line.replace(/^#+\s*/, '').trim();
}

const PLACES = /\$ARGUMENTS(?:\[(\d{1,3})\])?|\$([1-9])(?!\d)|\$\{(?:CLAUDE|TURNWRIGHT|QODER)_PLUGIN_ROOT\}/g;
/** A line of a shell in a text: `` !`git status` ``. With nothing but spaces between the marks there is none. */
const SHELL = /(^|\s)!`(?![^\S\n]*`)([^`\n]+)`/g;

/** What a text has the shell run, in its order, before arguments stand in it. */
export function shellLines(body: string): readonly string[] {
  return [...body.matchAll(SHELL)].map(([, , line = '']) => line.trim());
}

interface CommandCall {
  /** What was said behind the name. */
  readonly args: string;
  /** Absolute folder of the plugin that the command is from; null if it is from none. */
  readonly pluginRoot: string | null;
  /** What a line of the shell prints. */
  run(line: string): Promise<string>;
}

/**
 * The text with its arguments in their places and what each line of the shell printed in its place. Without a place for
 * them, arguments stand behind it. Contract: the lines run one by one, in their order; no argument adds one.
 */
export async function expandCommand(body: string, { args, pluginRoot, run }: CommandCall): Promise<string> {
  const words = quotedWords(args);
  let isTaken = false;
  const fill = (text: string) =>
    text.replace(PLACES, (place, index: string | undefined, number: string | undefined) => {
      if (place.startsWith('${')) return pluginRoot ?? place;
      isTaken = true;
      if (index !== undefined) return words[Number(index)] ?? '';
      return number === undefined ? args : (words[Number(number) - 1] ?? '');
    });
  const parts: string[] = [];
  let from = 0;
  for (const match of body.matchAll(SHELL)) {
    const [whole, before = '', line = ''] = match;
    parts.push(fill(body.slice(from, match.index)), before, await run(fill(line.trim())));
    from = match.index + whole.length;
  }
  parts.push(fill(body.slice(from)));
  const text = parts.join('');
  return isTaken || args === '' ? text : `${text}\n\nArguments: ${args}`;
}
