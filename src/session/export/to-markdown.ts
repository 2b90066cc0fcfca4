// A session as Markdown. Prompts and replies stand in quotes, inputs and results in code blocks, so nothing in them can
// be taken for a part of the document.
import { fold, splitCode, visible } from './safe-text.js';
import type { CallPart, DocumentItem, DocumentPart, SessionDocument } from './session-document.js';
import { headRows, ITEM_TITLES, itemTime, mediaText, titleOf } from './words.js';

/** @param maxChars characters of an input or a result that are shown */
export function toMarkdown(document: SessionDocument, maxChars: number): string {
  const sections = [
    `# ${plainInline(titleOf(document.head))}`,
    headRows(document)
      .map(([label, value]) => `- ${plainInline(label)}: ${codeInline(value)}`)
      .join('\n'),
    ...document.items.map((item) => itemText(item, '##', maxChars)),
  ];
  for (const { agentId, items } of document.subagents) {
    sections.push(`## Subagent ${codeInline(agentId)}`, ...items.map((item) => itemText(item, '###', maxChars)));
  }
  return `${sections.join('\n\n')}\n`;
}

function itemText({ kind, at, model, parts }: DocumentItem, level: string, maxChars: number): string {
  const details = [itemTime(at), model ?? ''].filter((detail) => detail !== '').map(plainInline);
  const heading = `${level} ${ITEM_TITLES[kind]}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
  return [heading, ...parts.map((part) => partText(part, maxChars))].join('\n\n');
}

function partText(part: DocumentPart, maxChars: number): string {
  switch (part.kind) {
    case 'text':
      return quoted(part.text);
    case 'thinking':
      return `Thinking:\n\n${quoted(part.text)}`;
    case 'media':
      return plainInline(mediaText(part));
    case 'call':
      return callText(part, maxChars);
    default:
      throw new Error(`unknown part ${JSON.stringify(part satisfies never)}`);
  }
}

function callText({ tool, input, result }: CallPart, maxChars: number): string {
  const lines = [`**Call: ${plainInline(tool)}**`, codeBlock(shown(input, maxChars))];
  if (result === null) return [...lines, 'No result.'].join('\n\n');
  lines.push(result.isError ? '**Failed**' : '**Result**');
  for (const part of result.parts) {
    lines.push(part.kind === 'text' ? codeBlock(shown(part.text, maxChars)) : plainInline(mediaText(part)));
  }
  return (result.parts.length === 0 ? [...lines, 'Empty.'] : lines).join('\n\n');
}

function shown(text: string, maxChars: number): string {
  return visible(fold(text, maxChars));
}

// Markdown of a model or a person, made safe to stand in a document: it keeps its look, but no HTML, no image, no link
// to anything but a web page comes through, and it cannot leave the quote it stands in.

/** `text` as Markdown, every line of it in a quote. */
export function quoted(text: string): string {
  return safeMarkdown(text)
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** Contract: rendered, it has no HTML, no image, and no link that is not http, https or mailto. */
export function safeMarkdown(text: string): string {
  return splitCode(visible(text))
    .map((segment) =>
      segment.kind === 'code'
        ? codeBlock(segment.text, segment.language)
        : segment.text.split('\n').map(safeLine).join('\n'),
    )
    .join('\n')
    .trim();
}

/** A fence that nothing in the text can close. @param text hidden characters written out */
export function codeBlock(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

/** Text on one line in which no character means anything. For headings and the like. */
export function plainInline(text: string): string {
  const line = visible(text).replace(/\s+/g, ' ').trim();
  return line.replace(/[\\`*_[\](){}<>&#!|~$]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A code span that nothing in the text can end. Not for cells of a table, which are split before code is looked for. */
export function codeInline(text: string): string {
  const line = visible(text).replace(/\s+/g, ' ').trim();
  if (line === '') return '';
  const mark = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${mark}${pad}${line}${pad}${mark}`;
}

/**
 * One line of running text. Code spans are kept if a reader must see them as such; every backtick that is not part
 * of one, and every `<`, is written as an entity, so nothing else can be taken for code or for HTML.
 */
function safeLine(line: string): string {
  const out: string[] = [];
  let from = 0;
  for (const span of codeSpans(line)) {
    out.push(safeWords(line.slice(from, span.from)), line.slice(span.from, span.to));
    from = span.to;
  }
  out.push(safeWords(line.slice(from)));
  return out.join('');
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '`': '&#96;', '!': '&#33;', ']': '&#93;' };

/** HTML, code, images, definitions of links, and links to anything but the web, each with the backslashes before it. */
function safeWords(text: string): string {
  return text
    .replace(/(\\*)([<`]|!(?=\[)|\](?=:))/g, (_all, slashes: string, character: string) => {
      // An entity needs no backslash, and must not be taken for text because of one.
      const kept = slashes.length % 2 === 1 ? slashes.slice(1) : slashes;
      return `${kept}${ENTITIES[character] ?? ''}`;
    })
    .replace(/\]\((?!https?:\/\/|mailto:)/gi, ']&#40;');
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Runs of backticks that open and close on this line, as a reader pairs them. */
function codeSpans(line: string): readonly Span[] {
  const runs = [...line.matchAll(/`+/g)].map(({ 0: run, index }) => ({ from: index, length: run.length }));
  const spans: Span[] = [];
  for (let at = 0; at < runs.length; at++) {
    const open = runs[at];
    if (open === undefined || isEscaped(line, open.from)) continue;
    const end = runs.findIndex((run, index) => index > at && run.length === open.length);
    const close = runs[end];
    if (close === undefined) continue;
    const span = { from: open.from, to: close.from + close.length };
    at = end;
    const code = line.slice(span.from, span.to);
    // A table would split the span in two, and its halves would be no code.
    if (!(code.includes('|') && code.includes('<'))) spans.push(span);
  }
  return spans;
}

/** A backslash takes the meaning of what follows it, unless it is itself taken. */
function isEscaped(line: string, at: number): boolean {
  let slashes = 0;
  while (line[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}
