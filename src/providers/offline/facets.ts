// "its path and line count": which properties of earlier results are asked for. Every word must be understood.

import type { Phrase } from './phrase.js';
import { leftover } from './slots.js';
import type { Facet } from './step.js';

// In this order: "line count" must be seen before "count".
const FACET_WORDS: readonly (readonly [Facet, RegExp])[] = [
  [
    'lines',
    /\b(?:(?:line|loc)[ -]?counts?|(?:total\s+)?number of lines(?: of code)?|counts? of (?:the )?lines|lines? of code|how many lines(?: (?:of code )?(?:it|they|the file|each) (?:has|have|contains?))?|length|loc)\b/i,
  ],
  ['bytes', /\b(?:(?:file )?sizes?(?: in bytes)?|number of bytes|bytes)\b/i],
  [
    'count',
    /\b(?:(?:total )?(?:number|count) of (?:files|matches|occurrences|results|them)|how many (?:there are|files|matches|results)(?: there are)?|(?:file |match )?count|total(?: number)?|number)\b/i,
  ],
  ['matches', /\b(?:matches|matching lines|occurrences|hits|comments|todos?)\b/i],
  ['summary', /\b(?:summary|summaries|outline)\b/i],
  ['output', /\b(?:(?:command )?output|stdout)\b/i],
  ['text', /\b(?:contents?|text)\b/i],
  ['paths', /\b(?:(?:full|relative|absolute|file)[ -]?)*(?:paths?|names?|filenames?|locations?)\b/i],
  ['all', /\b(?:results|findings|everything|answers|both|table|all of (?:it|that|this|them)|report)\b/i],
  ['it', /\b(?:results?|lists?|answer|it|them|that|this|these|those|file list|files?|lines)\b/i],
];

const FACET_FILLER = new Set(
  'a an the of and its their his with as well also together each for every found short brief simple nice markdown named called containing listing giving showing including about in on one per line both largest biggest file files has have which that this it them these those result report table'.split(
    ' ',
  ),
);

/** The facets a phrase names, in the order of the table, or null where a word in it means something else. */
export function parseFacets(phrase: Phrase): Facet[] | null {
  const rest = phrase.copy();
  const found: Facet[] = [];
  for (const [facet, pattern] of FACET_WORDS) {
    if ((facet === 'all' || facet === 'it') && found.length > 0) break;
    if (rest.take(pattern) !== null) found.push(facet);
  }
  if (found.length === 0) return null;
  return leftover(rest).every((word) => FACET_FILLER.has(word)) ? found : null;
}
