// Images and PDF files as the model sees them. One rule: what its API would refuse is refused here, with a way to see it all
// the same; whether a request still has room for it is decided when that is built.
import type Sharp from 'sharp';
import { runWorkerJob } from '../../host/processes/index.js';
import type { ToolResultContent } from '../../protocol/content.js';
import { ToolError } from '../../protocol/errors.js';
import type { FileReadOutput } from '../../protocol/tool-io.js';
import { toBase64 } from '../../util/bytes.js';
import { isWholeImage, readImageHeader, readPdfFacts } from '../../util/media-headers.js';
import { count, formatBytes, toWellFormed } from '../../util/text.js';
import { decodeBytes } from '../../util/text-file.js';
import { loadSharp } from '../bodies.js';
import { NOTHING_SHOWN } from '../file-state-cache.js';
import { type OpenedFile, readUpTo, requireNotAborted, WHOLE_FILE_BYTES } from '../shared/index.js';
import type { ToolContext, ToolOutcome } from '../tool.js';
import type { PagesFound, PagesWanted } from './pdf-pages.js';

/** Limits of the Messages API for one medium, which are the narrowest. */
const IMAGE_BYTES = 5 * 1_024 * 1_024;
const IMAGE_SIDE = 8_000;
const PDF_BYTES = 20_000_000;
const PDF_PAGES = 100;
/** What is looked at to show a part of it, or a smaller copy. */
const LARGE_BYTES = WHOLE_FILE_BYTES;
/** A JPEG may carry a thumbnail before it says its size. */
const HEAD_BYTES = 192 * 1_024;
const TAIL_BYTES = 48 * 1_024;

const SHRINK =
  'Make a smaller copy with a command in Bash, for example: magick <file> -resize 2000x2000 <copy>. With the npm package sharp installed beside Turnwright, Read makes images smaller itself.';
/** Pages shown by one call: as many as a model looks at with care. */
const PAGES_A_CALL = 20;
const PAGES = `Read some of its pages at a time: pages "1-${PAGES_A_CALL}".`;
const EXTRACT = 'Extract text with a command in Bash, for example: pdftotext -f 1 -l 20 <file> -';

/**
 * It is shown each time it is read: a request may lose the oldest images, and then it must be possible to look again.
 * @param load finds the library that makes images smaller
 * @throws ToolError if it cannot be shown
 */
export async function showImage(
  opened: OpenedFile,
  path: string,
  name: string,
  context: ToolContext,
  load?: LoadSharp,
): Promise<ToolOutcome<FileReadOutput>> {
  const { signal } = context;
  const refuse = (why: string, remedy: string) => new ToolError(`${path} cannot be shown: ${why}. ${remedy}`);
  const { size } = opened.stat;
  const bytes = size > LARGE_BYTES ? null : await readUpTo(opened, LARGE_BYTES, signal);
  if (bytes === null)
    throw refuse(`${name} of ${formatBytes(size)}, and at most ${formatBytes(LARGE_BYTES)} are looked at`, SHRINK);
  const head = characters(bytes.subarray(0, HEAD_BYTES));
  const header = readImageHeader(head);
  const tail = characters(bytes.subarray(-TAIL_BYTES));
  // Only a JPEG may say its size far behind its beginning.
  const isSized = header?.mediaType === 'image/jpeg' || header?.width !== null;
  if (header === null || !isSized || header.width === 0 || header.height === 0)
    throw refuse(`${name} of ${formatBytes(bytes.length)} that cannot be read`, 'Look at it with a command in Bash.');
  const { mediaType, width, height } = header;
  if (!isWholeImage(mediaType, head, tail, bytes.length))
    throw refuse(`${name} whose end is missing`, 'Look at it with a command in Bash.');
  const isTooWide = Math.max(width ?? 0, height ?? 0) > IMAGE_SIDE;
  const limits = isTooWide
    ? `of ${width} x ${height} pixels, and at most ${IMAGE_SIDE} a side are taken`
    : `of ${formatBytes(bytes.length)}, and at most ${formatBytes(IMAGE_BYTES)} are taken`;
  const isTooLarge = isTooWide || bytes.length > IMAGE_BYTES;
  const shrunk = isTooLarge ? await shrinkImage(bytes, load) : null;
  requireNotAborted(signal);
  if (shrunk?.kind === 'no_library') throw refuse(`${name} ${limits}`, SHRINK);
  if (shrunk?.kind === 'failed')
    throw refuse(`${name} ${limits}, and it cannot be made smaller: ${shrunk.why}`, SHRINK);
  await rememberMedium(opened, bytes, context);
  const shown = shrunk ?? { bytes, mediaType };
  const source = { type: 'base64', media_type: shown.mediaType, data: toBase64(shown.bytes) } as const;
  const pixels = width === null || height === null ? '' : `, ${width} x ${height} pixels`;
  const smaller = shrunk === null ? '' : `; shown made smaller, to ${shrunk.width} x ${shrunk.height} pixels`;
  return {
    model: [
      { type: 'text', text: `${path} (${name}${pixels}, ${formatBytes(bytes.length)}${smaller}):` },
      { type: 'image', source },
    ],
    data: { type: 'image', source, file_path: path },
  };
}

/** As `showImage`. Without `pages` the file goes whole, as it is. @throws ToolError */
export async function showPdf(
  opened: OpenedFile,
  path: string,
  pages: string | undefined,
  context: ToolContext,
): Promise<ToolOutcome<FileReadOutput>> {
  const { signal } = context;
  const refuse = (why: string, remedy = EXTRACT) => new ToolError(`${path} cannot be shown: ${why}. ${remedy}`);
  const { size } = opened.stat;
  const most = pages === undefined ? PDF_BYTES : LARGE_BYTES;
  const bytes = size > most ? null : await readUpTo(opened, most, signal);
  if (bytes === null)
    throw refuse(
      `it has ${formatBytes(size)}, and at most ${formatBytes(most)} are taken`,
      pages === undefined ? PAGES : EXTRACT,
    );
  const facts = readPdfFacts(characters(bytes));
  if (!facts.isPdf) throw refuse('it is no PDF that can be read');
  if (pages !== undefined) {
    const shown = await showPages(bytes, pages, PAGES_A_CALL, path, signal);
    await rememberMedium(opened, bytes, context);
    return shown;
  }
  // Some open without a password all the same.
  if (facts.isEncrypted) throw refuse('it is encrypted, so it cannot be shown whole', PAGES);
  if (facts.pages !== null && facts.pages > PDF_PAGES)
    throw refuse(`it has ${facts.pages} pages, and at most ${PDF_PAGES} are taken whole`, PAGES);
  requireNotAborted(signal);
  await rememberMedium(opened, bytes, context);
  const told = facts.pages === null ? '' : `, ${count(facts.pages, 'page')}`;
  return {
    model: [
      { type: 'text', text: `${path} (PDF document${told}, ${formatBytes(bytes.length)}):` },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: toBase64(bytes) } },
    ],
    // Its text is not taken out of it: the model sees the pages themselves.
    data: { type: 'pdf', pages: [], file_path: path, totalPages: facts.pages ?? 0 },
  };
}

/** It was seen, so it may be replaced. */
async function rememberMedium(
  { realPath, stat: { mtimeMs, size } }: OpenedFile,
  bytes: Uint8Array,
  { host, readFileCache }: ToolContext,
): Promise<void> {
  readFileCache.set(realPath, { hash: await host.sha256(bytes), mtimeMs, size, range: NOTHING_SHOWN });
}

/** One character for each byte. */
function characters(bytes: Uint8Array): string {
  return decodeBytes(bytes, 'latin-1');
}

// An image that is too large for models, made smaller with the user's own `sharp`, if there is one.

type Shrunk =
  | {
      readonly kind: 'shrunk';
      readonly bytes: Uint8Array;
      readonly mediaType: 'image/png' | 'image/jpeg';
      readonly width: number;
      readonly height: number;
    }
  | { readonly kind: 'no_library' }
  | { readonly kind: 'failed'; readonly why: string };

/** Pixels of the longer side: what models look at; more is made smaller by the API. */
const SIDE = 1_568;
const TIMEOUT_SECONDS = 20;
/** Bytes up to which a picture stays without loss. */
const PNG_BYTES = 1_500_000;
const JPEG_QUALITY = 80;

/** Null if the user has none. */
type LoadSharp = () => Promise<typeof Sharp | null>;

const sharpIfThere: LoadSharp = async () => {
  try {
    return (await loadSharp()).default;
  } catch {
    // It is optional; whoever needs it says that it is missing.
    return null;
  }
};

/** Contract: never rejects. The pixels are read on threads of the library's own. */
async function shrinkImage(bytes: Uint8Array, load: LoadSharp = sharpIfThere): Promise<Shrunk> {
  const sharp = await load();
  if (sharp === null) return { kind: 'no_library' };
  try {
    const image = sharp(bytes, { failOn: 'error' })
      .timeout({ seconds: TIMEOUT_SECONDS })
      .rotate()
      .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true });
    const png = await image.clone().png().toBuffer({ resolveWithObject: true });
    const isSmall = png.data.length <= PNG_BYTES;
    const { data, info } = isSmall
      ? png
      : await image
          .flatten({ background: '#fff' })
          .jpeg({ quality: JPEG_QUALITY })
          .toBuffer({ resolveWithObject: true });
    const mediaType = isSmall ? 'image/png' : 'image/jpeg';
    return { kind: 'shrunk', bytes: data, mediaType, width: info.width, height: info.height };
  } catch (error) {
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}

// Single pages of a PDF: their text and, if pages can be drawn, how they look. One rule: a file of a stranger is read
// in a thread that may be ended at any time.

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
