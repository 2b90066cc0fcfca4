// Images and PDF files as the model sees them. One rule: what its API would refuse is refused here, with a way to see it all
// the same; whether a request still has room for it is decided when that is built.
import { ToolError } from '../../protocol/errors.js';
import type { FileReadOutput } from '../../protocol/tool-io.js';
import { toBase64 } from '../../util/base64.js';
import { formatBytes } from '../../util/format-bytes.js';
import { isWholeImage, readImageHeader } from '../../util/image-header.js';
import { readPdfFacts } from '../../util/pdf-facts.js';
import { count } from '../../util/text.js';
import { decodeBytes } from '../../util/text-file.js';
import { NOTHING_SHOWN } from '../file-state-cache.js';
import { type OpenedFile, readUpTo, requireNotAborted } from '../shared/open-file.js';
import type { ToolContext, ToolOutcome } from '../tool.js';

/** Limits of the Messages API for one medium, which are the narrowest. */
const IMAGE_BYTES = 5 * 1_024 * 1_024;
const IMAGE_SIDE = 8_000;
const PDF_BYTES = 20_000_000;
const PDF_PAGES = 100;
/** A JPEG may carry a thumbnail before it says its size. */
const HEAD_BYTES = 192 * 1_024;
const TAIL_BYTES = 48 * 1_024;

const SHRINK = 'Make a smaller copy with a command in Bash, for example: magick <file> -resize 2000x2000 <copy>';
const EXTRACT = 'Extract text with a command in Bash, for example: pdftotext -f 1 -l 20 <file> -';

/**
 * It is shown each time it is read: a request may lose the oldest images, and then it must be possible to look again.
 * @throws ToolError where it cannot be shown
 */
export async function showImage(
  opened: OpenedFile,
  path: string,
  name: string,
  context: ToolContext,
): Promise<ToolOutcome<FileReadOutput>> {
  const { signal } = context;
  const refuse = (why: string, remedy: string) => new ToolError(`${path} cannot be shown: ${why}. ${remedy}`);
  const { size } = opened.stat;
  const bytes = size > IMAGE_BYTES ? null : await readUpTo(opened, IMAGE_BYTES, signal);
  if (bytes === null)
    throw refuse(`${name} of ${formatBytes(size)}, and at most ${formatBytes(IMAGE_BYTES)} are taken`, SHRINK);
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
  if (Math.max(width ?? 0, height ?? 0) > IMAGE_SIDE)
    throw refuse(`${name} of ${width} x ${height} pixels, and at most ${IMAGE_SIDE} a side are taken`, SHRINK);
  requireNotAborted(signal);
  await rememberMedium(opened, bytes, context);
  const source = { type: 'base64', media_type: mediaType, data: toBase64(bytes) } as const;
  const pixels = width === null || height === null ? '' : `, ${width} x ${height} pixels`;
  return {
    model: [
      { type: 'text', text: `${path} (${name}${pixels}, ${formatBytes(bytes.length)}):` },
      { type: 'image', source },
    ],
    data: { type: 'image', source, file_path: path },
  };
}

/** As `showImage`. The file goes whole: pages are not taken out of it. @throws ToolError */
export async function showPdf(
  opened: OpenedFile,
  path: string,
  pages: string | undefined,
  context: ToolContext,
): Promise<ToolOutcome<FileReadOutput>> {
  const { signal } = context;
  const refuse = (why: string) => new ToolError(`${path} cannot be shown: ${why}. ${EXTRACT}`);
  const { size } = opened.stat;
  const bytes = size > PDF_BYTES ? null : await readUpTo(opened, PDF_BYTES, signal);
  if (bytes === null) throw refuse(`it has ${formatBytes(size)}, and at most ${formatBytes(PDF_BYTES)} are taken`);
  const facts = readPdfFacts(characters(bytes));
  if (!facts.isPdf) throw refuse('it is no PDF that can be read');
  if (facts.isEncrypted) throw refuse('it is protected by a password');
  if (facts.pages !== null && facts.pages > PDF_PAGES)
    throw refuse(`it has ${facts.pages} pages, and at most ${PDF_PAGES} are taken`);
  if (pages !== undefined)
    throw refuse(`a part of a PDF cannot be taken out of it here; without pages the whole file is shown`);
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
