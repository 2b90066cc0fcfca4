// ToolSearch: finds tools that requests do not define yet. It only names them: from the next request on they are defined,
// because its result is in the conversation (`session/tools/defer-tools.ts`).

import { ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { ToolSearchInput, ToolSearchOutput } from '../protocol/tool-io.js';
import { count, nearestWords, shorten } from '../util/text.js';
import { defineTool, type Tool, type Tools } from './tool.js';
import { indexTools } from './tool-search/index.js';

export const TOOL_SEARCH = 'ToolSearch';

const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 20;
const MAX_QUERY = 500;
/** Of a description in the result: its definition follows. Characters. */
const MAX_LINE = 120;

export const toolSearchInputSchema = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      minLength: 1,
      description: 'What the tool should do, in a few words; +word must be in its name. Or select:name,name.',
    },
    max_results: { type: 'integer', minimum: 1, maximum: MAX_RESULTS, description: `Default ${DEFAULT_RESULTS}.` },
  },
  required: ['query'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Loads tools that exist but whose definitions you do not have yet.
- If a task may need one of the tools below, search for it first. You can call what it finds from your next reply on.
- Search by what the tool should do ("create calendar event"), or name tools exactly: select:name,name.
- Search before you say that something cannot be done.`;

/** What is found in. */
export interface ToolCatalogue {
  readonly tools: Tools;
  /** Their names, as compact as they must be. */
  readonly listing: string;
  /** True for one that is defined already. */
  isLoaded(name: string): boolean;
}

/** Contract: the same listing, the same definition. */
export function createToolSearch(catalogue: ToolCatalogue): Tool<ToolSearchInput, ToolSearchOutput> {
  return defineTool<ToolSearchInput, ToolSearchOutput>({
    name: TOOL_SEARCH,
    description: `${DESCRIPTION}\n\n${catalogue.listing}`,
    inputSchema: toolSearchInputSchema,
    forModelOnly: true,
    readOnly: true,
    concurrencySafe: true,
    title: ({ query }) => `Find tools: ${shorten(query, 80)}`,
    subject: () => ({ kind: 'none' }),
    async run({ query, max_results: most = DEFAULT_RESULTS }) {
      const matches = await find(query.slice(0, MAX_QUERY).trim(), most, catalogue);
      const data = { matches: [...matches], query, total_deferred_tools: catalogue.tools.length };
      return { model: describe(matches, query, catalogue), data };
    },
  });
}

async function find(query: string, most: number, { tools }: ToolCatalogue): Promise<readonly string[]> {
  const picked = /^select:(.*)$/is.exec(query)?.[1];
  if (picked !== undefined) return pick(picked, tools);
  return indexTools(tools).search(query, most);
}

/** @throws ToolError if a name names nothing */
function pick(list: string, tools: Tools): readonly string[] {
  const wanted = list
    .split(/[,\s]+/)
    .filter((name) => name !== '')
    .slice(0, MAX_RESULTS);
  const names = tools.map(({ name }) => name);
  const found = wanted.map((name) => names.find((known) => known === name || shortName(known) === name));
  const missing = wanted.filter((_, at) => found[at] === undefined);
  if (missing.length === wanted.length) throw new ToolError(noSuch(missing, names));
  return [...new Set(found.filter((name) => name !== undefined))];
}

/** `server__tool`, `tool`: as the listing shows it. */
function shortName(name: string): string {
  return name.split('__').at(-1) ?? name;
}

function noSuch(missing: readonly string[], names: readonly string[]): string {
  if (missing.length === 0)
    return 'select: names nothing. Write the names of tools behind it, with commas between them.';
  const near = missing.flatMap((name) => nearestWords(name, [...names, ...names.map(shortName)], 3));
  const hint =
    near.length === 0 ? 'Search by what it should do instead.' : `Did you mean: ${[...new Set(near)].join(', ')}?`;
  return `There is no tool ${shorten(missing.join(', '), 200)} to be loaded. ${hint}`;
}

/** Contract: a name stands behind "- " at the beginning of a line: `loadedNames` reads it there. */
function describe(matches: readonly string[], query: string, { tools, isLoaded }: ToolCatalogue): string {
  if (matches.length === 0)
    return `No tool fits "${shorten(query, 80)}". Use other words for what it should do, or select:name. ${count(tools.length, 'tool')} can be searched.`;
  const lines = matches.map((name) => {
    const about = tools.find((tool) => tool.name === name)?.description ?? '';
    return `- ${name}: ${shorten(about.trim().replace(/\s+/g, ' '), MAX_LINE)}`;
  });
  const known = matches.every(isLoaded) ? 'You have these already:' : 'Loaded; call them from your next reply on:';
  return `${known}\n${lines.join('\n')}`;
}

/** The names in a result of this tool, or in what a compaction kept of it. */
export function loadedNames(text: string): readonly string[] {
  return [...text.matchAll(/^- ([a-zA-Z0-9_-]+)(?::|$)/gm)].map(([, name]) => name ?? '');
}
