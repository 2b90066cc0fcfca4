// Which agents there are in files of the project and of the user, and what such a file says. One rule: every candidate ends in the
// list or among the refused, with the reason; of a folder that nobody vouches for nothing counts.
import path from 'node:path';
import { currentToolName } from '../protocol/tool-names.js';
import { isRecord } from '../util/json.js';
import { mapBounded } from '../util/map-bounded.js';
import {
  type FileTrust,
  type FrontField,
  knownTrust,
  listOf,
  lookAtMarkdown,
  type MarkdownFile,
  type MarkdownHost,
  type Problem,
  type RefusedFile,
  rawOf,
  readFrontMatter,
  readMarkdown,
  readNested,
  textOf,
} from './markdown/index.js';
import type { ExtensionPlace, SettingLeaf } from './settings/index.js';
import { commandsOfHooks, isTrustedItem, serverWords, type TrustedItems, trustItem } from './trust.js';

interface AgentFile extends ReadAgent {
  readonly name: string;
  readonly scope: ExtensionPlace['scope'];
  /** Absolute, as it was found. */
  readonly file: string;
}

interface RefusedAgent extends RefusedFile {
  /** A file that does not claim to be an agent, such as a README beside some. */
  readonly isNote: boolean;
}

export interface FoundAgents {
  /** The stronger first; in a place in the order of their paths. */
  readonly agents: readonly AgentFile[];
  readonly refused: readonly RefusedAgent[];
  /** Tells what was found from what is found later. */
  readonly stamp: string;
}

const UTF8 = new TextDecoder();
const MAX_AGENTS = 1_000;
const READS_AT_ONCE = 16;
const MAX_SHOWN = 300;

/** @param places from the nearest to the farthest: of two agents of one name the first counts */
export async function findAgents(
  host: MarkdownHost,
  places: readonly ExtensionPlace[],
  trust: FileTrust,
): Promise<FoundAgents> {
  const [walked, known] = await Promise.all([
    lookAtMarkdown(host, places, trust.root),
    knownTrust(host, places, trust),
  ]);
  const { candidates, refused: lost, stamp } = walked;
  const looked = candidates.slice(0, MAX_AGENTS);
  const read = await mapBounded(looked, READS_AT_ONCE, (candidate) => lookAt(host, candidate, trust, known));
  const taken = new Map<string, AgentFile>();
  const refused: RefusedAgent[] = lost.map((each) => ({ ...each, isNote: false }));
  for (const each of read) {
    if ('why' in each) {
      refused.push(each);
      continue;
    }
    const other = taken.get(each.name);
    if (other === undefined) taken.set(each.name, each);
    else refused.push(refuse(each, `${other.file} has that name and is nearer`));
  }
  for (const candidate of candidates.slice(MAX_AGENTS))
    refused.push(refuse(candidate, `there are more than ${MAX_AGENTS}`));
  return { agents: [...taken.values()], refused, stamp };
}

async function lookAt(
  host: MarkdownHost,
  candidate: MarkdownFile,
  trust: FileTrust,
  known: TrustedItems,
): Promise<AgentFile | RefusedAgent> {
  const { scope, file, namespace } = candidate;
  const bytes = await readMarkdown(host, candidate, trust.root);
  if ('problem' in bytes) return refuse(candidate, bytes.problem);
  const read = await readAgent(UTF8.decode(bytes), candidate.name);
  if ('problem' in read) return { ...refuse(candidate, read.problem), isNote: read.problem === NO_FRONT_MATTER };
  const name = namespace === undefined ? read.definition.name : `${namespace}:${read.definition.name}`;
  const agent: AgentFile = { ...read, definition: { ...read.definition, name }, name, scope, file };
  if (scope !== 'project' || trust.isGranted) return agent;
  const item = await trustItem(host, trust.root, await leafOf(host, agent, bytes), trust.cwd ?? trust.root);
  if (isTrustedItem(known, item)) return agent;
  return { ...refuse(agent, 'nobody vouches for it as it stands'), item };
}

/** What somebody vouches for: all that the file says, and the programs that it starts. */
async function leafOf(
  host: MarkdownHost,
  { name, file, definition }: AgentFile,
  bytes: Uint8Array,
): Promise<SettingLeaf> {
  const { prompt: _, description, ...fields } = definition;
  const commands = [...commandsOfHooks(fields['hooks']), ...ownServers(fields['mcpServers'])];
  // All of it is in the hash; the value is for people to look at.
  const value = {
    description: String(description).slice(0, MAX_SHOWN),
    ...fields,
    ...(commands.length === 0 ? {} : { commands }),
    sha256: await host.sha256(bytes),
  };
  const key = `agent ${name}`;
  return { path: ['agent', name], key, value, isItem: false, scope: 'project', file, base: path.dirname(file) };
}

function ownServers(servers: unknown): string[] {
  if (!Array.isArray(servers)) return [];
  return servers.flatMap((server: unknown) => (isRecord(server) ? Object.values(server).flatMap(serverWords) : []));
}

function refuse({ name, scope, file }: Pick<MarkdownFile, 'name' | 'scope' | 'file'>, why: string): RefusedAgent {
  return { name, scope, file, why, item: null, isNote: false };
}

// What the file of an agent says: front matter as fields of a definition, the text below it as its prompt. One rule: a field
// that confines and is not understood refuses the file; any other that is not understood is told and does nothing.

interface ReadAgent {
  /** As an option `agents` would say it; its values are checked by whoever reads definitions. */
  readonly definition: Readonly<Record<string, unknown>> & { readonly name: string };
  /** What of it has no effect, each a phrase. */
  readonly idle: readonly string[];
}

/** Characters; a longer description says more than what the agent is for. */
const MAX_DESCRIPTION = 16_000;
const MAX_NAMES = 200;

/** For people and other programs alone. */
const SILENT = new Set([
  'author',
  'category',
  'compatibility',
  'created',
  'keywords',
  'license',
  'metadata',
  'tags',
  'tool_access',
  'updated',
  'version',
]);
const TEXTS = new Set(['model', 'permissionMode', 'memory', 'color', 'isolation', 'initialPrompt', 'effort']);
const LISTS = new Set(['tools', 'disallowedTools', 'skills']);
/** What is told, and left out, if it is not understood. */
const LENIENT = new Set(['model', 'color', 'effort', 'memory']);
const NESTED = new Set(['mcpServers', 'hooks']);
/** Other spellings of the fields. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['disallowed-tools', 'disallowedTools'],
  ['allowed-tools', 'tools'],
  ['permission-mode', 'permissionMode'],
  ['mcp-servers', 'mcpServers'],
  ['initial-prompt', 'initialPrompt'],
  ['max-turns', 'maxTurns'],
]);

/** @param base the name of the file, which names the agent if its front matter does not */
export async function readAgent(text: string, base: string): Promise<ReadAgent | Problem> {
  const read = readFrontMatter(text);
  if ('problem' in read) return read;
  if (read.fields.length === 0) return { problem: NO_FRONT_MATTER };
  const definition: Record<string, unknown> & { name: string } = { name: base };
  const idle: string[] = [];
  for (const field of read.fields) {
    const key = SPELLINGS.get(field.key) ?? field.key;
    if (SILENT.has(key)) continue;
    const value = await readField(key, field, idle);
    if (typeof value === 'object' && value !== null && 'problem' in value) {
      if (!LENIENT.has(key)) return value as Problem;
      idle.push((value as Problem).problem);
    } else if (value !== undefined) definition[key] = value;
  }
  const { description } = definition;
  if (typeof description !== 'string' || description === '')
    return { problem: 'it has no description: write one between --- lines at its beginning' };
  if (description.length > MAX_DESCRIPTION)
    return { problem: `its description has more than ${MAX_DESCRIPTION} characters` };
  const prompt = read.body.trim();
  if (prompt === '') return { problem: 'it has no text below its front matter, which would be its system prompt' };
  return { definition: { ...definition, prompt }, idle };
}

/** So that notes which stand beside agents are told from agents that are broken. */
const NO_FRONT_MATTER = 'it has no front matter, so it is no agent';

/** Undefined for a field that says nothing, or has no effect. */
async function readField(key: string, field: FrontField, idle: string[]): Promise<unknown> {
  if (key === 'name') return nameOf(field);
  // Often long, with colons and quotes that YAML would not have like this; only people and models read it.
  if (key === 'description') return describe(field);
  if (TEXTS.has(key)) return filled(textOf(field));
  if (LISTS.has(key)) return names(key, field, idle);
  if (key === 'maxTurns') return wholeNumber(field);
  if (key === 'background') return flag(field);
  if (NESTED.has(key)) return readNested(field);
  idle.push(`there is no field ${field.key}`);
  return undefined;
}

function nameOf(field: FrontField): string | undefined | Problem {
  return filled(textOf(field));
}

function describe(field: FrontField): string {
  const text = textOf(field);
  return typeof text === 'string' && text !== '' ? text : rawOf(field);
}

function filled(text: string | Problem): string | undefined | Problem {
  return text === '' ? undefined : text;
}

const ALL_TOOLS = /^(?:\*|all(?: tools)?)$/i;

/** `Read, Grep`, a list, or `*` for all. What stands in parentheses is for rules of permission, and limits nothing here. */
function names(key: string, field: FrontField, idle: string[]): readonly string[] | undefined | Problem {
  const list = listOf(field);
  if ('problem' in list) return list;
  const words = list.flatMap((text) => (key === 'skills' ? text.split(',') : splitNames(text)));
  const found = words.map((word) => word.trim()).filter((word) => word !== '');
  if (found.length > MAX_NAMES) return { problem: `line ${field.line} of it: ${key} has more than ${MAX_NAMES} names` };
  if (key === 'skills') return found.length === 0 ? undefined : found;
  // Only a list that is written as one, and empty, means none.
  const isAll = found.length === 0 ? !field.first.startsWith('[') : found.some((word) => ALL_TOOLS.test(word));
  if (key === 'tools' && isAll) return undefined;
  const limited = found.filter((word) => word.includes('('));
  if (limited.length > 0)
    idle.push(`${key} takes names alone, so what stands in parentheses is left out: ${limited.join(', ')}`);
  return [...new Set(found.map((word) => currentToolName(word.replace(/\(.*$/s, '').trim())))];
}

/** At commas that stand in no parentheses. */
function splitNames(text: string): string[] {
  const found: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at] ?? ',';
    if (sign === '(') depth++;
    else if (sign === ')') depth = Math.max(0, depth - 1);
    else if (at === text.length || (depth === 0 && sign === ',')) {
      found.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return found;
}

function wholeNumber(field: FrontField): number | undefined | Problem {
  const text = textOf(field);
  if (typeof text !== 'string') return text;
  if (text === '') return undefined;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  return { problem: `line ${field.line} of it: ${field.key} must be a whole number of at least 1` };
}

function flag(field: FrontField): boolean | undefined | Problem {
  const text = textOf(field);
  if (typeof text !== 'string') return text;
  if (text === '') return undefined;
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return { problem: `line ${field.line} of it: ${field.key} must be true or false` };
}
