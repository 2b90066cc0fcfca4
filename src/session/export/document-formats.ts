// A session as Markdown and as one HTML page. In Markdown nothing quoted can be taken for a part of the document; the page
// runs no scripts and loads nothing.
import { IMAGE_TYPES } from '../../util/media-headers.js';
import { fold, splitCode, visible } from './safe-text.js';
import {
  type CallPart,
  type DocumentItem,
  type DocumentPart,
  headRows,
  ITEM_TITLES,
  itemTime,
  type MediaPart,
  mediaText,
  type SessionDocument,
  titleOf,
} from './session-document.js';

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

interface HtmlOptions {
  /** Characters of an input or a result that are shown. */
  readonly maxChars: number;
  /** Characters of base64 that all images together may take. */
  readonly maxImageChars: number;
}

/** Kinds of images a browser draws and does nothing else with. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
h2, h3 { font-size: 1rem; margin: 2rem 0 .5rem; border-top: 1px solid #8886; padding-top: .5rem; }
h2 small, h3 small { font-weight: normal; opacity: .7; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: .5rem 0; }
.prompt .text { border-left: .25rem solid #48c; padding-left: .75rem; }
.thinking { opacity: .7; font-style: italic; }
pre { overflow: auto; max-height: 30rem; padding: .5rem; background: #8882; border-radius: .25rem; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: .5rem 0; }
.failed > summary { color: #c33; }
img { max-width: 100%; }
`;

export function toHtml(document: SessionDocument, options: HtmlOptions): string {
  const images = imageBudget(options.maxImageChars);
  const write = (items: readonly DocumentItem[], level: 'h2' | 'h3') =>
    items.map((item) => itemHtml(item, level, options.maxChars, images)).join('\n');
  const title = escaped(titleOf(document.head));
  const rows = headRows(document).map(([label, value]) => `<dt>${escaped(label)}</dt><dd>${escaped(value)}</dd>`);
  const agents = document.subagents.map(
    ({ agentId, items }) => `<h2>Subagent ${escaped(agentId)}</h2>\n${write(items, 'h3')}`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<dl>${rows.join('')}</dl>
${write(document.items, 'h2')}
${agents.join('\n')}
</body>
</html>
`;
}

/** `text` as the content of an element, or of an attribute in double quotes. */
function escaped(text: string): string {
  return visible(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}

/** Whether one more image may stand in the page. */
type ImageBudget = (chars: number) => boolean;

function imageBudget(chars: number): ImageBudget {
  let left = chars;
  return (wanted) => {
    if (wanted > left) return false;
    left -= wanted;
    return true;
  };
}

function itemHtml({ kind, at, model, parts }: DocumentItem, level: 'h2' | 'h3', maxChars: number, images: ImageBudget) {
  const details = [itemTime(at), model ?? ''].filter((detail) => detail !== '').map(escaped);
  const small = details.length === 0 ? '' : ` <small>${details.join(', ')}</small>`;
  const body = parts.map((part) => partHtml(part, maxChars, images)).join('\n');
  return `<section class="${kind}">\n<${level}>${ITEM_TITLES[kind]}${small}</${level}>\n${body}\n</section>`;
}

function partHtml(part: DocumentPart, maxChars: number, images: ImageBudget): string {
  switch (part.kind) {
    case 'text':
      return textHtml(part.text);
    case 'thinking':
      return `<details class="thinking"><summary>Thinking</summary>${textHtml(part.text)}</details>`;
    case 'media':
      return mediaHtml(part, images);
    case 'call':
      return callHtml(part, maxChars, images);
    default:
      throw new Error(`unknown part ${JSON.stringify(part satisfies never)}`);
  }
}

function textHtml(text: string): string {
  return splitCode(visible(text))
    .map((segment) =>
      segment.kind === 'code' ? preHtml(segment.text) : `<div class="text">${escaped(segment.text.trim())}</div>`,
    )
    .join('\n');
}

/** A browser drops a line feed that follows the tag, so one is written for it to drop. */
function preHtml(text: string): string {
  return `<pre>\n${escaped(text)}</pre>`;
}

function callHtml({ tool, input, result }: CallPart, maxChars: number, images: ImageBudget): string {
  const first = fold(visible(input).split('\n', 1)[0] ?? '', 120).split('\n', 1)[0] ?? '';
  const summary = `<summary>${escaped(tool)} <code>${escaped(first)}</code></summary>`;
  const parts = (result?.parts ?? []).map((part) =>
    part.kind === 'text' ? preHtml(fold(part.text, maxChars)) : mediaHtml(part, images),
  );
  const answer = result === null ? '<p>No result.</p>' : parts.length === 0 ? '<p>Empty.</p>' : parts.join('\n');
  const failed = result?.isError ? ' class="failed"' : '';
  return `<details${failed}>${summary}\n${preHtml(fold(input, maxChars))}\n${answer}</details>`;
}

function mediaHtml(part: MediaPart, images: ImageBudget): string {
  const { block, base64, mediaType } = part;
  const text = escaped(mediaText(part));
  const isDrawn = block === 'image' && base64 !== null && IMAGE_TYPES.includes(mediaType) && BASE64.test(base64);
  if (!isDrawn || !images(base64.length)) return `<p>${text}</p>`;
  return `<p><img alt="${text}" src="data:${mediaType};base64,${base64}"></p>`;
}
