// Parts of a request that look at the tree: list, find, count, the largest files, lines. Each recogniser accounts for
// every word of its part or does not take it.
import type { Phrase } from './phrase.js';
import {
  leftover,
  makeQuery,
  NUMBER,
  numberOf,
  takeFolders,
  takeKinds,
  takePaths,
  takePronoun,
  takeQuery,
  takeTarget,
} from './slots.js';
import type { StepAction, Target } from './step.js';
import { FILE_NOUN, verbs } from './vocabulary.js';

const LARGE = '(?:largest|biggest|longest|greatest|heaviest)';
const SMALL = '(?:smallest|shortest|tiniest)';
const SUPERLATIVE = new RegExp(
  `\\b(?:top\\s+)?(?:(${NUMBER})\\s+)?(?:(${LARGE})|(${SMALL}))(?:\\s+(${NUMBER})(?=\\s))?\\b` +
    `|\\b(?:with|has|have|having|contains?)\\s+the\\s+(?:(most|largest number of|highest number of)|(fewest|least|smallest number of))\\s+(?:lines(?:\\s+of\\s+code)?|code|loc)\\b`,
  'i',
);
const TOP = new RegExp(`\\btop\\s+(${NUMBER})\\b`, 'i');
const BY_BYTES =
  /\b(?:(?:measured\s+)?(?:by|in)\s+(?:file\s+)?(?:size|bytes)(?:\s+(?:in|on)\s+(?:bytes|disk))?|on disk|byte size)\b/i;
const BY_LINES =
  /\b(?:(?:measured\s+|ranked\s+)?(?:by|in)\s+(?:the\s+)?(?:number of lines|line[ -]?counts?|lines(?:\s+of\s+code)?|loc|length))\b/i;
const WITH_LINES =
  /\b(?:(?:and|with|along with|including|plus)\s+)?(?:(?:its|their|the)\s+)?(?:line[ -]?counts?|number of lines|how many lines (?:it|they|each) (?:has|have|contains?)|number of lines (?:it|they) (?:has|have))(?:\s+(?:for\s+)?each)?\b/i;
const WITH_SIZES = /\b(?:and|with|along with|including|plus)\s+(?:its|their|the)\s+sizes?\b/i;
const LEAD = new RegExp(
  `^(?:${verbs('list', 'find', 'search', 'tell', 'ask', 'count')}|show|display|see|print|report|name)\\b(?:\\s+me\\b)?(?:\\s+(?:for|out|up|is|are|'s|at|if)\\b)*|^what's\\b|^the\\b`,
  'i',
);

// "the largest files", but not "the largest of the files".
const PLURAL = /est\s+(?!of\b|among\b)(?:[\w.#+,-]+\s+){0,4}?(?:files|documents|modules|scripts|components)\b/i;
/** How many "the largest files" are. */
const MANY = 10;

/** Something like "the 3 largest TypeScript files under src", wherever it stands in the phrase. */
export function takeRank(phrase: Phrase): StepAction | null {
  const phraseText = phrase.text;
  const amongFound =
    /(?:est|most|fewest)\s+(?:files?\s+|ones?\s+)?(?:of|among|from)\s+(?:them|these|those|the (?:files|results|list)\b(?!\s+(?:in|under)\b))/i.test(
      phrase.text,
    );
  const superlative = phrase.take(SUPERLATIVE);
  if (superlative === null) return null;
  const top = phrase.take(TOP);
  const bytes = phrase.take(BY_BYTES) !== null;
  if (!bytes) phrase.take(BY_LINES);
  phrase.take(WITH_LINES);
  if (phrase.take(WITH_SIZES) !== null && !bytes) return null;
  const several = !amongFound && PLURAL.test(phraseText) ? MANY : 1;
  const counted = numberOf(superlative[1]) ?? numberOf(superlative[4]) ?? numberOf(top?.[1]);
  const target = takeRankTarget(phrase, amongFound);
  if (target === null) return null;
  return {
    type: 'rank',
    target,
    order: superlative[3] !== undefined || superlative[6] !== undefined ? 'smallest' : 'largest',
    count: counted ?? several,
    measure: bytes ? 'bytes' : 'lines',
  };
}

function takeRankTarget(phrase: Phrase, amongFound: boolean): Target | null {
  if (amongFound) {
    phrase.take(/\b(?:of|among|from)\s+(?:them|these|those|the (?:files|results|list))(?:\s+files)?\b/i);
    phrase.take(/\bfiles?\b/i);
    return { kind: 'previous' };
  }
  const folders = takeFolders(phrase);
  const kinds = takeKinds(phrase);
  const noun = phrase.take(new RegExp(`\\b${FILE_NOUN}\\b`, 'i')) !== null;
  if (kinds !== null || folders.length > 0 || noun) return { kind: 'query', query: makeQuery(kinds, folders) };
  return phrase.take(/\bones?\b|^(?:the\s*)?$/i) !== null ? { kind: 'previous' } : null;
}

export function recogniseRank(phrase: Phrase): StepAction[] | null {
  // "show the contents of the largest file" is about its text.
  if (/\bcontents?\b/i.test(phrase.text)) return null;
  const rest = phrase.copy();
  rest.take(LEAD);
  const rank = takeRank(rest);
  return rank !== null && leftover(rest).length === 0 ? [rank] : null;
}

const LINES_QUESTION =
  /^(?:count|how many|calculate|compute|get|find|show|give|tell|what is|what's|report|determine|print|display|the)?\b\s*(?:me\s+)?(?:(?:the|its|their|all)\s+)*(?:total\s+)?(?:number of\s+)?(?:the\s+)?(?:line[ -]?counts?|lines?(?:\s+of\s+(?:code|text))?|loc)\b(?:\s+(?:(?:are|is)\s+there|are|is|does|do|has|have))?/i;
const LENGTH_QUESTION = /^how (?:long|big) (?:is|are)\b/i;

/** "count the lines in src/a.ts", "how many lines does it have", "the line count of README.md". */
export function recogniseCountLines(phrase: Phrase): StepAction[] | null {
  const rest = phrase.copy();
  if (rest.take(LINES_QUESTION) === null && rest.take(LENGTH_QUESTION) === null) return null;
  const ranked = rest.copy();
  const rank = takeRank(ranked);
  if (rank !== null) return leftover(ranked).length === 0 ? [rank] : null;
  const target = takeTarget(rest);
  if (target === null)
    return leftover(rest).length === 0 ? [{ type: 'count_lines', target: { kind: 'previous' } }] : null;
  const folders = target.kind === 'paths' ? takeFolders(rest) : [];
  if (leftover(rest).length > 0) return null;
  return [{ type: 'count_lines', target: inFolder(target, folders) }];
}

/** "index.ts in src" is src/index.ts. */
export function inFolder(target: Target, folders: readonly string[]): Target {
  const folder = folders[0];
  if (target.kind !== 'paths' || folder === undefined) return target;
  return { kind: 'paths', paths: target.paths.map((path) => (path.includes('/') ? path : `${folder}/${path}`)) };
}

const COUNT_LEAD =
  /^(?:how many|count the (?:total )?number of|count|the (?:number|count|total)(?: number)? of|(?:what is|what's|get|find|give me|show me|compute|determine) the (?:number|count) of|number of)\b/i;

export function recogniseCountFiles(phrase: Phrase): StepAction[] | null {
  const rest = phrase.copy();
  if (rest.take(COUNT_LEAD) === null) return null;
  rest.take(/\b(?:are there|there are|does .{0,40}? (?:have|contain)|do (?:we|i) have|exist)\b/i);
  if (/^(?:the\s+)?(?:them|these|those|results?)$/i.test(rest.text)) return [{ type: 'tell', facets: ['count'] }];
  const query = takeQuery(rest);
  if (query === null || leftover(rest).length > 0) return null;
  return [{ type: 'count_files', query }];
}

const FOLDERS_NOUN = /\b(?:sub)?(?:folders|directories|dirs)\b/i;
const LIST_LEAD = new RegExp(
  `^(?:${verbs('list', 'find', 'show')}|look for|search for|search|give|which|where(?:'s| is| are)|name|tell|the (?:list|names?|paths?) of|a list of|what(?:'s| is| are)|what)\\b`,
  'i',
);

/** "list the files in src", "find package.json", "which Markdown files are there", "what is in this folder". */
export function recogniseList(phrase: Phrase): StepAction[] | null {
  const rest = phrase.copy();
  const lead = rest.take(LIST_LEAD);
  if (lead === null) return null;
  rest.take(/^(?:me\s+)?(?:is|are)?\s*(?:the )?(?:list|names?|paths?) of\b/i);
  const withLines = rest.take(WITH_LINES) !== null;
  const limited =
    rest.take(new RegExp(`\\b(?:the\\s+)?first\\s+(${NUMBER})\\b`, 'i')) ??
    rest.take(new RegExp(`^(${NUMBER})\\b`, 'i'));
  const step = takeFolderListing(rest) ?? takeFileListing(rest, lead[0], numberOf(limited?.[1]));
  if (step === null || leftover(rest).length > 0) return null;
  return withLines ? [step, { type: 'count_lines', target: { kind: 'previous' } }] : [step];
}

function takeFolderListing(phrase: Phrase): StepAction | null {
  if (phrase.take(FOLDERS_NOUN) === null) return null;
  if (phrase.take(/\bfiles and\b|\band files\b/i) !== null) return null;
  const folders = takeFolders(phrase);
  const where = folders.length === 0 ? '' : ` under ${folders.join(' and ')}`;
  return {
    type: 'list',
    query: { label: `folders${where}`, globs: [], folders },
    what: 'folders',
    limit: null,
  };
}

function takeFileListing(phrase: Phrase, lead: string, limit: number | null): StepAction | null {
  const finds = /find|locate|where|look|search|get|fetch|identify|discover/i.test(lead);
  const copy = phrase.copy();
  const paths = takePaths(copy);
  const path = paths[0];
  if (finds && path !== undefined && paths.length === 1) {
    const folders = takeFolders(copy);
    phrase.text = copy.text;
    phrase.take(new RegExp(`\\b${FILE_NOUN}\\b|\\bnamed\\b|\\bcalled\\b`, 'i'));
    const label = `files named ${path}${folders.length === 0 ? '' : ` under ${folders.join(' and ')}`}`;
    return { type: 'list', query: { label, globs: [path], folders }, what: 'files', limit };
  }
  const bare =
    /^(?:in\s+)?(?:the\s+)?(?:contents?\s+of\s+)?(?:the\s+)?([\w@.~+/-]+)\/?(?:\s+(?:folder|directory|dir))?$/i.exec(
      phrase.text,
    );
  const says =
    /\b(?:folder|directory|dir)$/i.test(phrase.text) || /\/$/.test(phrase.text) || /^(?:list|ls)$/i.test(lead);
  if (says && bare?.[1] !== undefined && pathsLikeFolder(bare[1])) {
    phrase.text = '';
    const folder = bare[1].replace(/\/$/, '');
    return { type: 'list', query: makeQuery(null, [folder]), what: 'files', limit };
  }
  const query = takeQuery(phrase);
  if (query === null) return isHere(phrase) ? { type: 'list', query: makeQuery(null, []), what: 'files', limit } : null;
  takePronounNoise(phrase);
  return { type: 'list', query, what: 'files', limit };
}

function pathsLikeFolder(text: string): boolean {
  return (
    !/^-|^(?:files?|it|them|this|that|these|those|all|everything|here|the|results?|project|folder|directory|repo|tests?|todos?|typescript|javascript|python|markdown)$/i.test(
      text,
    ) && !/\.\w+$/.test(text)
  );
}

function takePronounNoise(phrase: Phrase): void {
  if (/\bthat\b|\bthis\b/i.test(phrase.text)) takePronoun(phrase);
}

function isHere(phrase: Phrase): boolean {
  return phrase.take(/^(?:in\s+)?(?:this|the)?\s*(?:folder|directory|project|repo|repository)?$/i) !== null;
}
