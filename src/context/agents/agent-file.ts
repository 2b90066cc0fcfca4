// What the file of an agent says: front matter as fields of a definition, the text below it as its prompt. One rule: a field
// that confines and is not understood refuses the file; any other that is not understood is told and does nothing.

import { currentToolName } from '../../protocol/tool-names.js';
import {
  type FrontField,
  listOf,
  type Problem,
  rawOf,
  readFrontMatter,
  readNested,
  textOf,
} from '../markdown/index.js';

export interface ReadAgent {
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
export const NO_FRONT_MATTER = 'it has no front matter, so it is no agent';

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
