// Which commands there are in files of the project, the user and plugins. One rule: every file ends in the list or among the
// refused, with the reason; of a folder that nobody vouches for nothing counts.

import path from 'node:path';
import { mapBounded } from '../../util/map-bounded.js';
import {
  type FileTrust,
  findMarkdown,
  knownTrust,
  type MarkdownFile,
  type MarkdownHost,
  type RefusedFile,
  readMarkdown,
} from '../markdown/index.js';
import type { ExtensionPlace } from '../settings/index.js';
import { isTrustedItem, readTrust, type TrustedItems, trustItem } from '../trust.js';
import { type CommandDefinition, type ReadCommand, readCommand, shellLines } from './command-file.js';

export interface CommandFile extends Pick<MarkdownFile, 'scope' | 'file' | 'real' | 'folder'> {
  /** As it is called, without the slash. */
  readonly name: string;
  readonly definition: CommandDefinition;
}

export interface FoundCommands {
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
