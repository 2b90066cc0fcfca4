// Parts of a request that look into files: search, show, summarise. Each recogniser accounts for every word of its
// part or does not take it.

import { LITERAL, type Phrase } from './phrase.js';
import { inFolder, takeRank } from './recognise-find.js';
import {
  leftover,
  makeQuery,
  pathOf,
  TOKEN,
  takeFolders,
  takeKinds,
  takePaths,
  takePronoun,
  takeRange,
  takeTarget,
} from './slots.js';
import type { Needle, StepAction, Target } from './step.js';
import { FILE_NOUN, verbs } from './vocabulary.js';

type SearchShow = 'matches' | 'files' | 'count';

const F = `(?:(?:all|any|every|the)\\s+)*(?:of\\s+the\\s+)?([^\\uE000]*?)\\b${FILE_NOUN}`;
const CONTAIN =
  '(?:(?:that|which)\\s+)?(?:contain(?:s|ing)?|mention(?:s|ing)?|include(?:s)?|hav(?:e|ing)|with(?!\\s+(?:their|its|names?|lines?|extension|suffix|more|less|the\\s+(?:most|fewest|largest|smallest|highest|extension|names?|suffix))\\b)|us(?:e|es|ing)|referenc(?:e|es|ing)|refer(?:s|ring)?\\s+to|call(?:s|ing)?|match(?:es|ing)?)';
const IMPORT = '(?:(?:that|which)\\s+)?(?:imports?|importing|requires?|depends?\\s+on)';
const OCCURRENCES =
  '(?:occurrences?|instances?|uses?|usages?|mentions?|references?|appearances?|lines?|places?|matches|hits?|callers?)';

interface SearchForm {
  readonly pattern: RegExp;
  readonly show: SearchShow;
  readonly kind?: 'definition' | 'usage' | 'import';
}

// Group "n" is the needle with its scope, group "k" words about the kind of files.
const SEARCH_FORMS: readonly SearchForm[] = [
  {
    pattern:
      /^(?:find|show(?: me)?|tell me|see|look up|locate)\s+(?:out\s+)?where\s+(?:the\s+(?:function|class|type|interface|method)\s+)?(?<n>\S+)\s+is\s+(?:defined|declared|implemented)\b(?<tail>.*)$/iu,
    show: 'matches',
    kind: 'definition',
  },
  {
    pattern:
      /^(?:find|show(?: me)?|see|look up|locate)\s+(?:out\s+)?where\s+(?<n>\S+)\s+is\s+(?:used|called|referenced|imported)\b(?<tail>.*)$/iu,
    show: 'matches',
    kind: 'usage',
  },
  {
    pattern: /^(?:find|locate|look up)\s+the\s+(?:function|class|type|interface|method)\s+(?<n>\S+)(?<tail>.*)$/iu,
    show: 'matches',
    kind: 'definition',
  },
  {
    pattern: new RegExp(
      `^(?:which|what|find|list|show(?: me)?|get|search(?: for)?|look for|locate)\\s+${F}\\s+${IMPORT}\\s+(?<n>.+)$`,
      'iu',
    ),
    show: 'files',
    kind: 'import',
  },
  {
    pattern: new RegExp(
      `^(?:which|what|find|list|show(?: me)?|get|search(?: for)?|look for|locate)\\s+${F}\\s+(?:(?:in|under)\\s+(?:${TOKEN})\\s+)?${CONTAIN}\\s+(?:the\\s+(?:text|word|string|phrase)\\s+)?(?<n>.+)$`,
      'iu',
    ),
    show: 'files',
  },
  {
    pattern: new RegExp(
      `^how many\\s+${F}\\s+${CONTAIN}\\s+(?:the\\s+(?:text|word|string|phrase)\\s+)?(?<n>.+)$`,
      'iu',
    ),
    show: 'files',
  },
  {
    pattern:
      /^how (?:many times|often) (?:does|do|is|are)\s+(?<n>.+?)\s+(?:occurs?|appears?|used|mentioned|called|referenced|found)\b(?<tail>.*)$/iu,
    show: 'count',
  },
  {
    pattern: new RegExp(
      `^(?:count|how many|the number of)\\s+(?:the\\s+)?(?:all\\s+)?${OCCURRENCES}\\s+of\\s+(?<n>.+)$`,
      'iu',
    ),
    show: 'count',
  },
  {
    pattern:
      /^(?:count|how many)\s+(?:the\s+|all\s+)?(?<n>TODO|FIXME|XXX|HACK)(?:s|'s)?\b(?:\s+comments?)?(?:\s+are(?: there)?)?(?<tail>.*)$/iu,
    show: 'count',
  },
  {
    pattern:
      /^where (?:is|are)\s+(?:the\s+(?:function|class|type|interface|constant|variable|method|component|symbol)\s+)?(?<n>\S+)\s+(?:defined|declared|implemented|created|exported)\b(?<tail>.*)$/iu,
    show: 'matches',
    kind: 'definition',
  },
  {
    pattern:
      /^(?:find|show(?: me)?|get|locate|look up|search for|look for)?\s*(?:the\s+)?(?:definition|declaration|implementation)\s+of\s+(?:the\s+(?:function|class|type|interface|constant|variable|method)\s+)?(?<n>.+)$/iu,
    show: 'matches',
    kind: 'definition',
  },
  {
    pattern:
      /^(?:where (?:is|are|do we use|is the|do we call)|who (?:uses|calls|references))\s+(?:the\s+(?:function|class|type|method)\s+)?(?<n>\S+)(?:\s+(?:used|called|referenced|mentioned|imported|needed))?\b(?<tail>.*)$/iu,
    show: 'matches',
    kind: 'usage',
  },
  {
    pattern: new RegExp(
      `^(?:find|list|show(?: me)?|get|search for|look for|locate|grep(?: for)?)\\s+(?:all\\s+|every\\s+|any\\s+|the\\s+)*(?:of\\s+the\\s+)?${OCCURRENCES}\\s+(?:of|to|containing|matching|with|that\\s+(?:contain|match|mention))\\s+(?:the\\s+(?:text|word|string|phrase)\\s+)?(?<n>.+)$`,
      'iu',
    ),
    show: 'matches',
  },
  {
    pattern:
      /^(?:find|list|show(?: me)?|get|search for|look for|locate|grep(?: for)?)\s+(?:all\s+|every\s+|any\s+|the\s+)*(?:of\s+the\s+)?(?<n>TODO|FIXME|XXX|HACK)(?:s|'s)?\b(?:\s+(?:comments?|notes?|markers?))?(?<tail>.*)$/iu,
    show: 'matches',
  },
  {
    pattern:
      /^(?:search|grep|look|scan|hunt)\s+(?:(?:in|through|inside)\s+)?(?<scope>.+?)\s+for\s+(?:the\s+(?:text|word|string|phrase|pattern|regex)\s+)?(?<n>.+)$/iu,
    show: 'matches',
  },
  { pattern: /^(?:search|grep|look|scan|hunt)(?:\s+for)?\s+(?<n>.+)$/iu, show: 'matches' },
  {
    pattern: new RegExp(
      `^(?:find|locate)\\s+(?:all\\s+)?(?:the\\s+(?:text|word|string|phrase|pattern)\\s+)?(?<n>(?:${LITERAL}).*)$`,
      'iu',
    ),
    show: 'matches',
  },
  { pattern: /^(?:find|locate)\s+(?:the\s+)?(?:text|word|string|phrase|regex|pattern)\s+(?<n>.+)$/iu, show: 'matches' },
];

/** Every way to ask for text in files. */
export function recogniseSearch(phrase: Phrase): StepAction[] | null {
  if (/\b(?:web|internet|online|google|wikipedia)\b/i.test(phrase.text)) return null;
  for (const form of SEARCH_FORMS) {
    const match = form.pattern.exec(phrase.text);
    if (match?.groups?.['n'] === undefined) continue;
    // "where is tsconfig.json" asks for the file, not for its name in other files.
    if (
      form.kind === 'usage' &&
      pathOf(phrase, match.groups['n']) !== null &&
      !/\b(?:used|referenced|mentioned|imported|uses|references)\b/i.test(phrase.text)
    )
      continue;
    const step = readSearch(phrase, form, match.groups, match[1] ?? '');
    if (step !== null) return [step];
  }
  return null;
}

function readSearch(
  phrase: Phrase,
  form: SearchForm,
  groups: Record<string, string | undefined>,
  kindWords: string,
): StepAction | null {
  const rest = phrase.copy(`${groups['n'] ?? ''} ${groups['tail'] ?? ''}`);
  if (form.show === 'files') rest.take(/\bin (?:them|it)\s*$/i);
  const ignoreCase =
    rest.take(/[,(]?\s*\b(?:ignoring (?:the )?case|case[- ]insensitive(?:ly)?|regardless of case)\b\)?/i) !== null;
  const regex =
    rest.take(/\b(?:regex|regexp|regular expression|pattern)\b/i) !== null ||
    /\b(?:regex|regular expression)\b/i.test(phrase.text);
  const literal = rest.take(new RegExp(LITERAL));
  const scope = rest.copy(
    `${scopeWords(groups['scope'])} ${kindScope(phrase, form, kindWords)} ${literal === null ? '' : rest.text}`,
  );
  let wanted: string;
  if (literal !== null) {
    wanted = phrase.reveal(literal[0]);
    const bad = leftoverAfterScope(scope);
    if (bad === null) return null;
    return search(form, needleOf(wanted, form.kind, regex, ignoreCase), bad);
  }
  const split = /^(.*?)(?:\s+((?:in|under|inside|within|across|throughout|below|from)\s+.+|here|everywhere))?$/iu.exec(
    rest.text,
  );
  wanted = (split?.[1] ?? '')
    .replace(/^(?:(?:the|all|any|every|some|lines?|text|word|string|for|of|with|containing)\s+)+/i, '')
    .trim();
  const target = leftoverAfterScope(scope.copy(`${scope.text} ${split?.[2] ?? ''}`));
  if (
    target === null ||
    wanted === '' ||
    wanted.split(' ').length > 6 ||
    /^(?:it|them|that|this|files?)$/i.test(wanted)
  )
    return null;
  if (/\b(?:files?|named|called)\b|\*/i.test(wanted) && !/^\/.+\/\w*$/.test(wanted)) return null;
  return search(form, needleOf(wanted.replace(/\s+comments?$/i, ''), form.kind, regex, ignoreCase), target);
}

function search(form: SearchForm, needle: Needle, target: Target): StepAction {
  return { type: 'search', needle, target, show: form.show };
}

function scopeWords(scope: string | undefined): string {
  if (scope === undefined || /^(?:for|in)$/i.test(scope)) return '';
  return /^(?:in|under|through|inside|the|this|all|every)\b/i.test(scope)
    ? scope.replace(/^(?:through|inside)\b/i, 'in').replace(/^(the|this|all|every)\b/i, 'in $1')
    : `in ${scope}`;
}

function kindScope(phrase: Phrase, form: SearchForm, kindWords: string): string {
  if (form.show !== 'files') return '';
  const folder = new RegExp(`\\b${FILE_NOUN}\\s+((?:in|under)\\s+${TOKEN})\\s`, 'iu').exec(phrase.text)?.[1] ?? '';
  return `${kindWords} files ${folder}`;
}

/** Where to search, or null where words are left that were not understood. */
function leftoverAfterScope(phrase: Phrase): Target | null {
  const paths = takePaths(phrase);
  if (paths.length > 0) return leftover(phrase).length === 0 ? { kind: 'paths', paths } : null;
  const folders = takeFolders(phrase);
  const kinds = takeKinds(phrase);
  if (
    kinds === null &&
    folders.length === 0 &&
    /\b(?:it|them|(?:that|this|those|these|the) files?)\b/i.test(phrase.text) &&
    takePronoun(phrase)
  ) {
    return leftover(phrase).length === 0 ? { kind: 'previous' } : null;
  }
  phrase.take(new RegExp(`\\b${FILE_NOUN}\\b`, 'i'));
  return leftover(phrase).length === 0 ? { kind: 'query', query: makeQuery(kinds, folders) } : null;
}

/** A needle from text. Definitions are found by the keywords that common languages put before a name. */
function needleOf(text: string, kind: SearchForm['kind'], regex: boolean, ignoreCase: boolean): Needle {
  const slashed = /^\/(.+)\/([gimsu]*)$/.exec(text);
  const insensitive = ignoreCase || slashed?.[2]?.includes('i') === true;
  if (slashed?.[1] !== undefined || regex) {
    return {
      label: `the pattern ${slashed?.[1] ?? text}`,
      pattern: slashed?.[1] ?? text,
      literal: null,
      ignoreCase: insensitive,
    };
  }
  const escaped = escapePattern(text);
  const word = /^[\w$]+$/.test(text);
  switch (kind) {
    case 'definition':
      return {
        label: `a definition of ${text}`,
        pattern: `\\b(function\\*?|class|const|let|var|interface|type|enum|namespace|def|fn|func|struct|trait|impl|module|macro_rules!)\\s+${escaped}\\b`,
        literal: text,
        ignoreCase: insensitive,
      };
    case 'import':
      return {
        label: `an import of ${text}`,
        pattern: `\\b(import|require|from|use|include)\\b.*${escaped}`,
        literal: text,
        ignoreCase: insensitive,
      };
    case 'usage':
      return {
        label: JSON.stringify(text),
        pattern: word ? `\\b${escaped}\\b` : escaped,
        literal: text,
        ignoreCase: insensitive,
      };
    default:
      return { label: JSON.stringify(text), pattern: escaped, literal: text, ignoreCase: insensitive };
  }
}

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

const SHOW_LEAD = new RegExp(
  `^(?:${verbs('show')}|give|let me see|look at|what(?:'s| is| are)(?: in| inside)?|what does|the)\\b(?:\\s+me\\b)?(?:\\s+(?:up|out|in|inside|at)\\b)?`,
  'i',
);

/** "show README.md", "show the first 20 lines of src/a.ts", "read it", "what is in package.json". */
export function recogniseShow(phrase: Phrase): StepAction[] | null {
  const rest = phrase.copy();
  if (rest.take(SHOW_LEAD) === null && !/^(?:first|last|lines?)\b/i.test(rest.text)) return null;
  rest.take(/\b(?:say|says|contain|contains|look like)$/i);
  const range = takeRange(rest);
  if (/^(?:(?:all|the|me)\s+)*files?$/i.test(rest.text)) return null;
  return onFiles(rest, (target) => (target.kind === 'query' ? null : { type: 'show', target, range }));
}

const SUMMARY_LEAD = new RegExp(
  `^(?:${verbs('summarise')}|(?:(?:write|make|create|give|show|the|a|an|me|short|brief)\\s+)*(?:summary|outline|overview) (?:of|for)|about|what is .{0,3}about|what does)\\b`,
  'i',
);

/** "summarise README.md", "explain src/a.ts", "what does src/a.ts do". */
export function recogniseSummarise(phrase: Phrase): StepAction[] | null {
  const rest = phrase.copy();
  rest.take(/\bin (?:a few|\w+|\d+) (?:short )?(?:sentences?|lines?|words?|(?:bullet )?points?|paragraphs?)$/i);
  const lead = rest.take(SUMMARY_LEAD);
  // What a project says of itself is in its readme.
  if (lead !== null && /^(?:of |the )?(?:this|the|my|our) (?:project|repo|repository|codebase)$/i.test(rest.text)) {
    return [{ type: 'summarise', target: { kind: 'paths', paths: ['README'] } }];
  }
  if (lead === null) {
    const about = /^what(?:'s| is)\s+(\S+)\s+about$/i.exec(rest.text);
    if (about?.[1] === undefined) return null;
    rest.text = about[1];
  }
  if (/^what does$/i.test(lead?.[0] ?? '') && rest.take(/\bdo$/i) === null) return null;
  return onFiles(rest, (target) => ({ type: 'summarise', target }));
}

/** A step on named files, on the largest ones, on a kind of files, or on what was found before. */
function onFiles(rest: Phrase, step: (target: Target) => StepAction | null): StepAction[] | null {
  const ranked = rest.copy();
  const rank = takeRank(ranked);
  if (rank !== null) return leftover(ranked).length === 0 ? sequence(rank, step({ kind: 'previous' })) : null;
  const target = takeTarget(rest);
  if (target === null) return null;
  const folders = target.kind === 'paths' ? takeFolders(rest) : [];
  if (leftover(rest).length > 0) return null;
  const wanted = step(inFolder(target, folders));
  if (target.kind !== 'query' || wanted === null) return wanted === null ? null : [wanted];
  // Without a kind of files or a folder there is nothing that says which files.
  if (target.query.globs.length === 0 && target.query.folders.length === 0) return null;
  return sequence({ type: 'list', query: target.query, what: 'files', limit: null }, step({ kind: 'previous' }));
}

function sequence(first: StepAction, second: StepAction | null): StepAction[] {
  return second === null ? [first] : [first, second];
}
