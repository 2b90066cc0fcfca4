// Finds the tools that a few words ask for: BM25 over what a tool says of itself. One rule: the same words over the same
// tools find the same, in the same order.
import { isRecord } from '../../util/json.js';
import type { AnyTool } from '../tool.js';

type SearchedTool = Pick<AnyTool, 'name' | 'description' | 'inputSchema' | 'searchHint'>;

export interface ToolIndex {
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
