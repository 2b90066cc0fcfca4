// A session as one HTML page. It runs no scripts and loads nothing: text is escaped, code and results are text, and
// images are in the page itself, of the kinds that cannot hold a script.
import { fold, splitCode, visible } from './safe-text.js';
import type { CallPart, DocumentItem, DocumentPart, MediaPart, SessionDocument } from './session-document.js';
import { headRows, ITEM_TITLES, itemTime, mediaText, titleOf } from './words.js';

export interface HtmlOptions {
  /** Characters of an input or a result that are shown. */
  readonly maxChars: number;
  /** Characters of base64 that all images together may take. */
  readonly maxImageChars: number;
}

/** Kinds of images a browser draws and does nothing else with. */
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
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
  const isDrawn = block === 'image' && base64 !== null && IMAGE_TYPES.has(mediaType) && BASE64.test(base64);
  if (!isDrawn || !images(base64.length)) return `<p>${text}</p>`;
  return `<p><img alt="${text}" src="data:${mediaType};base64,${base64}"></p>`;
}
