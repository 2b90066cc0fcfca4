// Single pages of a PDF: their text and, if pages can be drawn, how they look. One rule: a file of a stranger is read
// in a thread that may be ended at any time.
import { runWorkerJob } from '../../host/processes/index.js';
import type { ToolResultContent } from '../../protocol/content.js';
import { ToolError } from '../../protocol/errors.js';
import type { FileReadOutput } from '../../protocol/tool-io.js';
import { toBase64 } from '../../util/base64.js';
import { count, toWellFormed } from '../../util/text.js';
import type { ToolOutcome } from '../tool.js';
import type { PagesFound, PagesWanted } from './pdf-pages.js';

const MAX_PAGE_NUMBER = 1_000_000;
const PAGE_CHARACTERS = 50_000;
const ALL_CHARACTERS = 262_144;
/** What models look at; more is made smaller by the API. */
const PICTURE_SIDE = 1_568;
const PICTURE_BYTES = 10_000_000;
const TIMEOUT_MS = 30_000;
const MEMORY_MB = 512;
/** Beside this file when it is installed, and in the repository. */
const MODULES = ['../pdf-pages.js', '../../../dist/pdf-pages.js'];
const EXTRACT = 'Extract text with a command in Bash, for example: pdftotext -f 1 -l 20 <file> -';

type Ranges = PagesWanted['ranges'];

/** @throws ToolError if `pages` names none */
export function parsePages(pages: string): Ranges {
  const parts = pages.split(',').map((part) => /^\s*(\d{1,7})\s*(?:-\s*(\d{1,7})?\s*)?$/.exec(part));
  const ranges = parts.map((match) => {
    if (match === null) return null;
    const first = Number(match[1]);
    const isOpen = match[0].includes('-') && match[2] === undefined;
    const last = isOpen ? MAX_PAGE_NUMBER : Number(match[2] ?? match[1]);
    return first >= 1 && last >= first ? ([first, last] as const) : null;
  });
  const known = ranges.filter((range) => range !== null);
  if (known.length < ranges.length)
    throw new ToolError(
      `pages is ${JSON.stringify(pages.slice(0, 60))}, which names no pages. Write "3", "1-5" or "1,4-6".`,
    );
  return known;
}

/** @throws ToolError if no such page can be shown */
export async function showPages(
  bytes: Uint8Array,
  pages: string,
  maxPages: number,
  path: string,
  signal: AbortSignal,
): Promise<ToolOutcome<FileReadOutput>> {
  const ranges = parsePages(pages);
  const found = await findPages(bytes, ranges, maxPages, path, signal);
  const { total } = found;
  const [first] = found.pages;
  if (first === undefined)
    throw new ToolError(`${path} has only ${count(total, 'page')}; pages ${pages} names none of them.`);
  const shown = withinLimit(found);
  const texts = shown.map(textBlock);
  const head = `${path} (PDF document, ${count(total, 'page')}):`;
  const notes = notesOf(found, shown, ranges, maxPages);
  const images = shown.map(({ picture }) =>
    picture === undefined ? null : ({ type: 'base64', media_type: 'image/png', data: toBase64(picture) } as const),
  );
  const model: ToolResultContent[] = [
    { type: 'text', text: head },
    ...shown.flatMap((_, at): ToolResultContent[] => {
      const source = images[at];
      const text = { type: 'text', text: texts[at] ?? '' } as const;
      return source == null ? [text] : [text, { type: 'image', source }];
    }),
    ...(notes === '' ? [] : [{ type: 'text', text: notes } as const]),
  ];
  if (images.every((image) => image === null)) {
    const content = shown.map(({ number, text }) => ({ page_number: number, content: text }));
    const plain = [head, ...texts, ...(notes === '' ? [] : [notes])].join('\n');
    return { model: plain, data: { type: 'pdf', pages: content, file_path: path, totalPages: total } };
  }
  const parts = model.flatMap((block) =>
    block.type === 'text' || (block.type === 'image' && block.source.type === 'base64') ? [block] : [],
  ) as Extract<FileReadOutput, { type: 'parts' }>['parts'];
  return { model, data: { type: 'parts', parts, file_path: path } };
}

async function findPages(
  bytes: Uint8Array,
  ranges: Ranges,
  maxPages: number,
  path: string,
  signal: AbortSignal,
): Promise<PagesFound> {
  const input: PagesWanted = {
    bytes,
    ranges,
    maxPages,
    maxCharacters: PAGE_CHARACTERS,
    side: PICTURE_SIDE,
    maxPictureBytes: PICTURE_BYTES,
  };
  const refuse = (why: string) => new ToolError(`The pages of ${path} cannot be shown: ${why}. ${EXTRACT}`);
  const end = await runWorkerJob({
    modules: MODULES.map((module) => new URL(module, import.meta.url).href),
    name: 'readPages',
    input,
    timeoutMs: TIMEOUT_MS,
    memoryMb: MEMORY_MB,
    signal,
  });
  // The texts, if only the drawing of them did not end.
  if ('told' in end) return end.told as PagesFound;
  switch (end.kind) {
    case 'done':
      return end.value as PagesFound;
    case 'aborted':
      throw new ToolError('The call was aborted before it was done; nothing was changed.');
    case 'timed_out':
      throw refuse(`they took longer than ${TIMEOUT_MS / 1_000} s. Ask for fewer pages`);
    case 'out_of_memory':
      throw refuse(`they need more than ${MEMORY_MB} MB of memory. Ask for fewer pages`);
    case 'no_module':
      throw refuse(
        'the part of Turnwright that reads them is not there, as when it was put into one file with a program',
      );
    case 'failed':
      if (end.name === 'PasswordException') throw refuse('it is protected by a password');
      throw refuse(`it is damaged, or no PDF (${end.message.slice(0, 200)})`);
    default:
      return end satisfies never;
  }
}

type Page = PagesFound['pages'][number];

/** Of what is too much in all, the last pages go. */
function withinLimit({ pages }: PagesFound): Page[] {
  let characters = 0;
  return pages.filter(({ text }, at) => {
    characters += text.length;
    return at === 0 || characters <= ALL_CHARACTERS;
  });
}

function textBlock({ number, text, isCut }: Page): string {
  // A NUL is not welcome in every request.
  const safe = toWellFormed(text).replaceAll('\0', '\ufffd');
  if (safe === '') return `[Page ${number}: no text]`;
  return `[Page ${number}]\n${safe}${isCut ? `\n[page cut: more than ${PAGE_CHARACTERS} characters]` : ''}`;
}

/** What is not there, and how to come by it. */
function notesOf(
  { total, drawn, pages }: PagesFound,
  shown: readonly Page[],
  ranges: Ranges,
  maxPages: number,
): string {
  const last = shown.at(-1)?.number ?? 0;
  const wanted = Math.min(total, Math.max(...ranges.map(([, end]) => end)));
  const notes: string[] = [];
  if (wanted > last)
    notes.push(
      shown.length === maxPages
        ? `A call shows at most ${maxPages} pages: read on with pages "${last + 1}-${Math.min(wanted, last + maxPages)}".`
        : `The result is full: read on with pages "${last + 1}-${Math.min(wanted, last + maxPages)}".`,
    );
  const isEmpty = shown.some(({ text }) => text === '');
  if (drawn === 'no_library' && isEmpty)
    notes.push(
      'A page without text may be a scan or a drawing. Pages are shown as images too if the npm package @napi-rs/canvas is installed beside Turnwright; without pages, a file of up to 100 pages is shown whole.',
    );
  if (drawn === 'failed') notes.push('Not every page could be drawn, so some are shown as text only.');
  else if (drawn === true && pages.some(({ picture }) => picture === undefined))
    notes.push('The images of some pages are too large for one call: ask for these pages alone.');
  return notes.length === 0 ? '' : `[${notes.join(' ')}]`;
}
