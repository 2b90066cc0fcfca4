// Parts of a request that change something: create, write, append, replace, run, to-do lists. The text to write is
// what was quoted, or what earlier parts found; nothing is made up.
import { parseFacets } from './facets.js';
import { LITERAL, type Phrase } from './phrase.js';
import {
  leftover,
  makeQuery,
  pathOf,
  TOKEN,
  takeFolders,
  takeKinds,
  takePaths,
  takePronoun,
  takeTarget,
} from './slots.js';
import type { Facet, StepAction, Target } from './step.js';
import { DIRECT_PROGRAMS, PROGRAMS, verbs } from './vocabulary.js';

/** Reads another part of the request: "write the line count of a.ts to b.md" holds "the line count of a.ts". */
export type Recognise = (phrase: Phrase) => StepAction[] | null;

const KIND = '(?:(?:a|an|the|new|empty|blank|markdown|text|plain|json|md|short|brief|simple)\\s+)*';
const FILE_WORD =
  '(?:(?:file|document|report|note|notes|doc|page)\\s+)?(?:called\\s+|named\\s+|at\\s+|in\\s+|to\\s+|as\\s+)?';
const CREATE = new RegExp(
  `^${verbs('create', 'write', 'append')}\\s+${KIND}${FILE_WORD}(?<path>${TOKEN})(?:\\s*[:,]?\\s+(?<with>with|containing|that (?:contains?|says?|lists?)|which (?:contains?|lists?)|listing|holding|including|saying|showing|giving|from)\\b|\\s*:)?\\s*(?<body>[\\s\\S]*)$`,
  'iu',
);
const DESTINATION = new RegExp(
  `\\s+(?:out\\s+)?(?<how>to|into|in|as|inside|(?:at|to) the end of|onto)\\s+(?:a\\s+|the\\s+|an\\s+)?(?:new\\s+)?(?:markdown\\s+|text\\s+)?(?:file\\s+|document\\s+)?(?:called\\s+|named\\s+|at\\s+)?(?<path>${TOKEN})(?:\\s+file)?$`,
  'iu',
);
const WRITE_LEAD = new RegExp(`^(?:${verbs('write', 'append')}|print|create|make|copy)\\b(?:\\s+down\\b)?\\s*`, 'i');
const CONTENT_WORDS =
  /^(?:(?:just|only|the|a|an|single|following|this|exact|as|its)\s+)*(?:(?:contents?|text|lines?|words?|string|body|message|sentence)\b(?:\s+(?:of|is|as|being|reading|saying))?)?\s*:?\s*/i;

/** "create a.txt with "x"", "write "x" to a.txt", "write its path to a.md", "save the summary of a.md as b.md". */
export function recogniseWrite(phrase: Phrase, recognise: Recognise): StepAction[] | null {
  return writeTo(phrase, recognise) ?? appendBack(phrase) ?? createFile(phrase, recognise);
}

const APPEND_BACK =
  /^(?:append|add)\s+(.+?)\s+(?:to|at the end of|into)\s+(?:it|(?:that|this|the)(?: same)?(?: new)? file)$/is;

/** "append "x" to it". */
function appendBack(phrase: Phrase): StepAction[] | null {
  const body = APPEND_BACK.exec(phrase.text)?.[1];
  const content = body === undefined ? null : quotedContent(phrase.copy(body));
  return content === null ? null : [{ type: 'append', target: { kind: 'previous' }, content, facets: [] }];
}

function createFile(phrase: Phrase, recognise: Recognise): StepAction[] | null {
  const match = CREATE.exec(phrase.text);
  const path = match?.groups?.['path'] === undefined ? null : namedPath(phrase, match.groups['path'], match[0]);
  if (match === null || path === null) return null;
  const appends = /^(?:append|add)\b/i.test(match[0]);
  const body = phrase.copy(match.groups?.['body'] ?? '');
  if (body.text === '') {
    const empty =
      !appends && match.groups?.['with'] === undefined && /^(?:create|make|touch|generate)\b/i.test(match[0]);
    return empty ? [{ type: 'create', path, content: '' }] : null;
  }
  // "create README.md for this project" says nothing of the content; only a quote can follow a path without a word.
  const introduced =
    match.groups?.['with'] !== undefined || /:\s*$/.test(match[0].slice(0, match[0].length - body.text.length));
  if (!introduced && quotedContent(body) === null) return null;
  return writeBody(path, body, recognise, appends);
}

/** Any name may follow "called" or "named"; elsewhere it must look like a path. */
function namedPath(phrase: Phrase, token: string, match: string): string | null {
  const path = pathOf(phrase, token);
  if (path !== null) return path;
  return new RegExp(`\\b(?:called|named)\\s+${token.replace(/[.*+?^$()[\]{}|\\]/g, '\\$&')}`, 'i').test(match)
    ? phrase.reveal(token).trim() || null
    : null;
}

function writeTo(phrase: Phrase, recognise: Recognise): StepAction[] | null {
  const match = DESTINATION.exec(phrase.text);
  const path = match?.groups?.['path'] === undefined ? null : pathOf(phrase, match.groups['path']);
  if (match === null || path === null) return null;
  const before = phrase.copy(phrase.text.slice(0, match.index));
  const lead = WRITE_LEAD.exec(before.text);
  if (lead === null)
    return /^(?:to|into|as)$/i.test(match.groups?.['how'] ?? '') ? otherStepInto(before, path, recognise) : null;
  const appends = /^(?:append|add)/i.test(lead[0]);
  const body = before.copy(before.text.slice(lead[0].length));
  const copied = /^copy/i.test(lead[0]) ? copiedContent(body, path) : undefined;
  return copied !== undefined ? copied : writeBody(path, body, recognise, appends);
}

/** "copy the output to x.md" is a write; "copy a.txt to b.txt" shows a.txt and writes what was read. */
function copiedContent(body: Phrase, path: string): StepAction[] | null | undefined {
  const rest = body.copy();
  const paths = takePaths(rest);
  const only = paths[0];
  if (only === undefined) return undefined;
  if (paths.length > 1 || leftover(rest).length > 0) return null;
  return [
    { type: 'show', target: { kind: 'paths', paths: [only] }, range: null },
    { type: 'write', path, facets: ['text'] },
  ];
}

/** "summarise README.md into notes/out.md": the step, then a write of what it gave. */
function otherStepInto(before: Phrase, path: string, recognise: Recognise): StepAction[] | null {
  if (new RegExp(`^(?:${verbs('replace', 'run')}|move|copy|convert|translate)\\b`, 'i').test(before.text)) return null;
  const facets = parseFacets(before.copy(before.text.replace(/^(?:show|print|display|list|give me|tell me)\s+/i, '')));
  if (facets !== null) return [{ type: 'write', path, facets }];
  const steps = recognise(before);
  if (steps === null) return null;
  return [...steps, { type: 'write', path, facets: ['it'] }];
}

function writeBody(path: string, body: Phrase, recognise: Recognise, appends: boolean): StepAction[] | null {
  const save = (facets: readonly Facet[]): StepAction =>
    appends
      ? { type: 'append', target: { kind: 'paths', paths: [path] }, content: null, facets }
      : { type: 'write', path, facets };
  const put = (content: string): StepAction =>
    appends
      ? { type: 'append', target: { kind: 'paths', paths: [path] }, content, facets: [] }
      : { type: 'create', path, content };
  const quoted = quotedContent(body);
  if (quoted !== null) return [put(quoted)];
  const facets = parseFacets(body);
  if (facets !== null) return [save(facets)];
  const nested = recognise(body) ?? (isWord(body.text) ? null : recognise(body.copy(`list ${body.text}`)));
  if (nested?.every((step) => step.type !== 'write' && step.type !== 'create'))
    return [...nested, save(nestedFacets(body, nested))];
  const bare = bareContent(body);
  return bare === null ? null : [put(bare)];
}

/** "hello" is what to write: one word names a folder to list only where it looks like a path. */
function isWord(text: string): boolean {
  return /^\p{L}[\p{L}\p{N}_-]*$/u.test(text);
}

function nestedFacets(body: Phrase, nested: readonly StepAction[]): Facet[] {
  const last = nested.at(-1);
  if (last?.type === 'rank' && /\b(?:paths?|names?)\s+(?:and\s+.*)?of\b/i.test(body.text))
    return /\bline/i.test(body.text) ? ['paths', 'lines'] : ['paths'];
  return ['it'];
}

function quotedContent(body: Phrase): string | null {
  const text = body.text.replace(CONTENT_WORDS, '').trim();
  const literal = body.literalOf(text);
  if (literal === null) return null;
  return literal.quote === 'double' ? unescapeContent(literal.text) : literal.text;
}

/** In double quotes \n and \t mean a line break and a tab, as in most languages. */
function unescapeContent(text: string): string {
  return text.replace(/\\([nt\\])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter === 't' ? '\t' : '\\'));
}

/** Content without quotes, where it can be nothing else: after a colon or "the text", or a few plain words. */
function bareContent(body: Phrase): string | null {
  const marked =
    /^(?:(?:the|following)\s+)*(?:contents?|text|lines?(?! count)|words?|string|message)\s*:?\s+(.+)$|^:\s*(.+)$/is.exec(
      body.text,
    );
  const text = (marked?.[1] ?? marked?.[2] ?? body.text).trim();
  if (marked !== null) return new RegExp(LITERAL).test(text) ? null : text;
  // Quotes beside other words: which of them is the content is a guess.
  if (new RegExp(LITERAL).test(text)) return null;
  const vague =
    /^(?:a|an|the|some|my|your|its|their|all|every|it|them|this|that|how|what|which|about|me|tests?|code|documentation|docs)\b/i.test(
      text,
    );
  return vague || text.split(' ').length > 6 || text === '' ? null : body.reveal(text);
}

const PART = `(?:${LITERAL}|[^\\s\\uE000]+(?:\\s+[^\\s\\uE000]+){0,5}?)`;
const REPLACE = new RegExp(
  `^(?:replace|substitute|swap|change|rename|update|turn|edit)\\s+(?<which>(?:(?:all|every|each|the|any|first|only)\\s+)*)(?:(?:occurrences?|instances?|uses?|mentions?)\\s+of\\s+)?(?:the\\s+)?(?:(?:text|word|string|phrase|line|function|variable|name)\\s+)?(?<old>${PART})\\s+(?:with|by|to|into|for|as|->|=>)\\s+(?:the\\s+)?(?:(?:text|word|string|phrase)\\s+)?(?<new>${LITERAL}|nothing|[^\\s\\uE000]+(?:\\s+(?!in\\b|inside\\b|within\\b|across\\b|throughout\\b|under\\b)[^\\s\\uE000]+){0,5}?)(?:\\s*,)?(?:\\s+(?<scope>(?:in|inside|within|across|throughout|under|everywhere|here)\\b.*))?$`,
  'iu',
);
const REPLACE_IN_FIRST = new RegExp(
  `^(?:in|inside)\\s+(?<scope>(?:the\\s+(?:file\\s+)?)?${TOKEN}|it|that file|the file)\\s*,?\\s+(?<rest>(?:replace|change|substitute|swap|rename)\\b.*)$`,
  'iu',
);

/** "replace "foo" with "bar" in src/a.ts", "change X to Y in it", "in a.ts, replace "x" with "y"". */
export function recogniseReplace(phrase: Phrase): StepAction[] | null {
  const turned = REPLACE_IN_FIRST.exec(phrase.text);
  const text = turned === null ? phrase.text : `${turned.groups?.['rest'] ?? ''} in ${turned.groups?.['scope'] ?? ''}`;
  const groups = REPLACE.exec(text)?.groups;
  const oldToken = groups?.['old'];
  const newToken = groups?.['new'];
  if (groups === undefined || oldToken === undefined || newToken === undefined) return null;
  const target = replaceTarget(phrase.copy(groups['scope'] ?? ''));
  if (target === null) return null;
  const pronoun = /^(?:it|them|that|this|these|those)$/i.test(oldToken);
  // "rename a.ts to b.ts" without a scope is about files, which this cannot do.
  if (!pronoun && target.kind === 'previous' && groups['scope'] === undefined && pathOf(phrase, oldToken) !== null)
    return null;
  return [
    {
      type: 'replace',
      target,
      oldText: pronoun ? null : replacementText(phrase, oldToken),
      newText: /^nothing$/i.test(newToken) ? '' : replacementText(phrase, newToken),
      which: /\bfirst\b/i.test(groups['which'] ?? '') ? 'first' : 'all',
    },
  ];
}

function replacementText(phrase: Phrase, token: string): string {
  const literal = phrase.literalOf(token);
  if (literal === null) return phrase.reveal(token);
  return literal.quote === 'fence' ? literal.text.replace(/\n$/, '') : literal.text;
}

function replaceTarget(scope: Phrase): Target | null {
  if (scope.text === '') return { kind: 'previous' };
  const rest = scope.copy();
  const paths = takePaths(rest);
  if (paths.length > 0) return leftover(rest).length === 0 ? { kind: 'paths', paths } : null;
  const query = scope.copy();
  const folders = takeFolders(query);
  const kinds = takeKinds(query);
  if (kinds !== null || folders.length > 0)
    return leftover(query).length === 0 ? { kind: 'query', query: makeQuery(kinds, folders) } : null;
  if (/\b(?:everywhere|here|project|repo|repository|codebase|all files)\b/i.test(scope.text))
    return { kind: 'query', query: makeQuery(null, []) };
  const pronoun = scope.copy();
  return takePronoun(pronoun) && leftover(pronoun).length === 0 ? { kind: 'previous' } : null;
}

const RUN = new RegExp(
  `^(?:${verbs('run')})\\s+(?<named>(?:(?:the|a|this)\\s+)?(?:(?:shell|bash|terminal|following)\\s+)*(?:command|script|program)?s?\\s*:?\\s*)?(?<command>[\\s\\S]+)$`,
  'iu',
);

/** "run `npm test`", "execute ls -la", "run the command git status", "$ ls". */
export function recogniseRun(phrase: Phrase): StepAction[] | null {
  const dollar = /^\$\s+(.+)$/s.exec(phrase.text);
  if (dollar?.[1] !== undefined) return [{ type: 'run', command: phrase.reveal(requoteCommand(phrase, dollar[1])) }];
  const output = /^(?:the output of|show the output of)\s+(.+)$/i.exec(phrase.text);
  const match = RUN.exec(output?.[1] === undefined ? phrase.text : `run ${output[1]}`);
  const command = match?.groups?.['command']?.trim();
  if (command === undefined || command === '') return null;
  const literal = phrase.literalOf(command);
  if (literal !== null) return [{ type: 'run', command: literal.text.trim() }];
  const using = new RegExp(`^(?:the\\s+)?[\\w -]{0,40}\\b(?:with|using|via|by running|by)\\s+(${LITERAL})$`, 'iu').exec(
    command,
  )?.[1];
  const quoted = using === undefined ? null : phrase.literalOf(using);
  if (quoted?.quote === 'code') return [{ type: 'run', command: quoted.text.trim() }];
  const program = command.split(/\s/)[0] ?? '';
  const says = /command|program|script/i.test(match?.groups?.['named'] ?? '');
  if (!says && !PROGRAMS.has(program) && !/^(?:\.{1,2}\/|\/)[\w./-]+$/.test(program)) return null;
  return [{ type: 'run', command: requoteCommand(phrase, command) }];
}

/** "git status" alone. Tried last, so that nothing else can be meant. */
export function recogniseDirectCommand(phrase: Phrase): StepAction[] | null {
  const program = phrase.text.split(' ')[0] ?? '';
  return DIRECT_PROGRAMS.has(program) ? [{ type: 'run', command: requoteCommand(phrase, phrase.text) }] : null;
}

/** Quotes inside a command are part of it. */
function requoteCommand(phrase: Phrase, command: string): string {
  return command.replace(new RegExp(LITERAL, 'g'), (token) => {
    const literal = phrase.literalOf(token);
    const text = literal?.text ?? '';
    return literal?.quote === 'single'
      ? `'${text}'`
      : literal?.quote === 'code'
        ? `\`${text}\``
        : `"${text.replace(/"/g, '\\"')}"`;
  });
}

/** "make a to-do list: read the docs; write tests". Quoted items or items between semicolons, commas or lines. */
export function recogniseTodo(phrase: Phrase): StepAction[] | null {
  const match =
    /^(?:make|create|write|start|add to|set)\s+(?:me\s+)?(?:a|the|my)?\s*(?:to-?do|task)s?(?:\s+list)?\s*(?:with|of|for|:)?\s*:?\s*(.+)$/is.exec(
      phrase.text,
    );
  if (match?.[1] === undefined || takeTarget(phrase.copy(match[1]))?.kind === 'paths') return null;
  const items = phrase
    .reveal(match[1].replace(new RegExp(`(${LITERAL})\\s*(?:,|;|and)?\\s*`, 'g'), '$1\n'))
    .split(/[;\n]|,\s+/)
    .map((item) => item.replace(/^(?:[-*•]|\d+[.)])\s+|^and\s+/, '').trim());
  const kept = items.filter((item) => item !== '');
  return kept.length === 0 || kept.length > 30 ? null : [{ type: 'todo', items: kept }];
}
