// ToolSearch: finds tools that requests do not define yet, and how well each fits. It only names them: from the next request on they
// are defined, because its result is in the conversation (`session/tools/defer-tools.ts`).
import { ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { ToolSearchInput, ToolSearchOutput } from '../protocol/tool-io.js';
import { isRecord } from '../util/json.js';
import { count, nearestWords, shorten } from '../util/text.js';
import { type AnyTool, defineTool, type Tool, type Tools } from './tool.js';

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
interface ToolCatalogue {
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

type SearchedTool = Pick<AnyTool, 'name' | 'description' | 'inputSchema' | 'searchHint'>;

interface ToolIndex {
  /** The best first; none that has nothing of the query. */
  search(query: string, most: number): readonly string[];
}

/** How much a word counts by where it stands. */
const WEIGHTS = { name: 4, hint: 3, description: 1.5, argument: 0.8 } as const;
type Field = keyof typeof WEIGHTS;
const FIELDS = Object.keys(WEIGHTS) as Field[];

/** Saturation and length normalisation of BM25. */
const K1 = 1.2;
const B = 0.5;
/** A word that only begins like one of the query, or means the same, counts less than the word itself. */
const BEGINNING = 0.5;
const SAME_MEANING = 0.45;
const SHORTEST_BEGINNING = 5;
/** Of a description: what follows says how to use the tool, not what it is for. Characters. */
const MAX_DESCRIPTION = 1_500;

/** Words of one meaning in what tools do. */
const MEANINGS = [
  'create add new make open insert register start file raise',
  'delete remove drop destroy erase discard trash',
  'get show read fetch view retrieve lookup see look display describe',
  'list all every enumerate which show',
  'update edit change modify set rename patch alter adjust',
  'send post publish write share message notify tell',
  'search find query lookup locate filter',
  'cancel stop abort terminate kill end close',
  'run execute invoke trigger launch start evaluate apply',
  'upload attach import put',
  'download export save',
  'copy duplicate clone fork',
  'move transfer relocate reassign',
  'merge combine join',
  'user member person people account contact',
  'comment reply note remark',
  'repo repository project',
  'pr pull merge request',
  'issue ticket bug task',
  'channel room conversation',
  'message mail email letter dm',
  'document doc page file',
  'folder directory',
  'table sheet spreadsheet',
  'event meeting appointment schedule',
  'payment charge money refund',
  'permission access grant',
  'revision version history',
  'reschedule move postpone shift',
  'free available',
  'give assign grant share',
  'statistic usage',
  'metric statistic stat measure',
  'log logs trace',
  'alert alarm incident',
  'environment env',
  'machine server instance vm host',
  'picture image photo',
  'db database',
].map((line) => line.split(' ').map(stem));

/** Words that say nothing of what is wanted. */
const EMPTY = new Set(
  'a an the of to in on for with by from at as is are be it its this that these those and or not can will i me my we our you your please want need tool tools use using how do does into out up some any one what who when if has have there are back'.split(
    ' ',
  ),
);

export function indexTools(tools: readonly SearchedTool[]): ToolIndex {
  const documents = tools.map(readTool);
  const averages = Object.fromEntries(
    FIELDS.map((field) => [field, mean(documents.map(({ lengths }) => lengths[field])) || 1]),
  ) as Record<Field, number>;
  /** Documents that have the word, by their place, and how much of it. */
  const postings = new Map<string, Map<number, number>>();
  for (const [at, { words, lengths }] of documents.entries())
    for (const [word, counts] of words) {
      const weight = FIELDS.reduce((sum, field) => {
        const length = 1 - B + B * (lengths[field] / averages[field]);
        return sum + (WEIGHTS[field] * (counts[field] ?? 0)) / length;
      }, 0);
      const found = postings.get(word) ?? new Map<number, number>();
      postings.set(word, found.set(at, weight));
    }
  const vocabulary = [...postings.keys()];
  const rarity = (count: number) => Math.log(1 + (documents.length - count + 0.5) / (count + 0.5));

  return {
    search(query, most) {
      const scores = new Map<number, number>();
      const needed = [...query.matchAll(/(?:^|\s)\+(\S+)/g)].flatMap(([, word]) => wordsOf(word ?? ''));
      for (const word of new Set(wordsOf(query)))
        for (const [at, score] of scoresOf(word, postings, vocabulary, rarity))
          scores.set(at, (scores.get(at) ?? 0) + score);
      return [...scores]
        .filter(([at]) => needed.every((word) => documents[at]?.nameWords.has(word)))
        .sort(([a, high], [b, low]) => low - high || a - b)
        .slice(0, most)
        .map(([at]) => tools[at]?.name ?? '');
    },
  };
}

/** What one word of a query gives each document: by the word itself, or the best of those that stand for it. */
function scoresOf(
  word: string,
  postings: ReadonlyMap<string, ReadonlyMap<number, number>>,
  vocabulary: readonly string[],
  rarity: (count: number) => number,
): ReadonlyMap<number, number> {
  const scores = new Map<number, number>();
  for (const [term, share] of termsFor(word, vocabulary)) {
    const found = postings.get(term);
    if (found === undefined) continue;
    for (const [at, weight] of found) {
      const score = (share * rarity(found.size) * weight * (K1 + 1)) / (weight + K1);
      scores.set(at, Math.max(scores.get(at) ?? 0, score));
    }
  }
  return scores;
}

function termsFor(word: string, vocabulary: readonly string[]): ReadonlyMap<string, number> {
  const terms = new Map<string, number>();
  for (const meaning of MEANINGS)
    if (meaning.includes(word)) for (const other of meaning) terms.set(other, SAME_MEANING);
  if (word.length >= SHORTEST_BEGINNING)
    for (const other of vocabulary)
      if (other.startsWith(word) || (other.length >= SHORTEST_BEGINNING && word.startsWith(other)))
        terms.set(other, BEGINNING);
  return terms.set(word, 1);
}

interface ToolWords {
  readonly words: ReadonlyMap<string, Partial<Record<Field, number>>>;
  readonly lengths: Readonly<Record<Field, number>>;
  readonly nameWords: ReadonlySet<string>;
}

function readTool({ name, description, inputSchema, searchHint = '' }: SearchedTool): ToolWords {
  const texts: Readonly<Record<Field, readonly string[]>> = {
    name: wordsOf(name.replace(/^mcp__/, '')),
    hint: wordsOf(searchHint),
    description: wordsOf(description.slice(0, MAX_DESCRIPTION)),
    argument: argumentWords(inputSchema),
  };
  const words = new Map<string, Partial<Record<Field, number>>>();
  for (const field of FIELDS)
    for (const word of texts[field]) {
      const counts = words.get(word) ?? {};
      words.set(word, { ...counts, [field]: (counts[field] ?? 0) + 1 });
    }
  const lengths = Object.fromEntries(FIELDS.map((field) => [field, texts[field].length])) as Record<Field, number>;
  return { words, lengths, nameWords: new Set(texts.name) };
}

/** Names of the arguments at the top, and what is said of them. */
function argumentWords({ properties }: AnyTool['inputSchema']): readonly string[] {
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) => {
    const about = isRecord(schema) ? schema['description'] : '';
    return [...wordsOf(name), ...wordsOf(typeof about === 'string' ? about.slice(0, MAX_DESCRIPTION) : '')];
  });
}

/** Of names in any spelling too: `createIssue`, `create_issue`, `create-issue`. Stemmed, and without empty words. */
function wordsOf(text: string): readonly string[] {
  return text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !EMPTY.has(word))
    .map(stem);
}

/** Takes the endings off that a word has in other forms; English alone, as tools are described. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 5 && word.endsWith('ing')) return withoutDouble(word.slice(0, -3));
  if (word.length > 4 && word.endsWith('ed')) return withoutDouble(word.slice(0, -2));
  if (word.length > 4 && /(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return withoutE(word.slice(0, -1));
  return withoutE(word);
}

function withoutE(word: string): string {
  return word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word;
}

function withoutDouble(word: string): string {
  return /([bdgmnprt])\1$/.test(word) ? word.slice(0, -1) : withoutE(word);
}

function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
