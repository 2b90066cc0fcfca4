// The lines of a file that a call asks for, with their numbers; or why they cannot be shown. The window is cut out of the bytes, and
// only it is held in memory: a line break is the byte 0x0A in UTF-8 and Latin-1 alike.
import { ToolError } from '../../protocol/errors.js';
import type { FileReadInput, FileReadOutput } from '../../protocol/tool-io.js';
import { count, cutAtWord, formatBytes, toWellFormed } from '../../util/text.js';
import {
  type BinaryKind,
  decodeBytes,
  decodeText,
  detectBinary,
  detectEncoding,
  isUtf8,
  type TextEncoding,
} from '../../util/text-file.js';
import { loadMedia, loadNotebook } from '../bodies.js';
import type { FileState, SeenFile } from '../file-state-cache.js';
import {
  type OpenedFile,
  openRegularFile,
  readChunks,
  readUpTo,
  requireNotAborted,
  resolveToolPath,
  WHOLE_FILE_BYTES,
  withFileErrors,
} from '../shared/index.js';
import type { ToolContext, ToolOutcome } from '../tool.js';

const DEFAULT_LIMIT = 2_000;
/** UTF-16 code units shown of one line. */
const LINE_CHARACTERS = 2_000;
/** Bytes kept of one line: enough for LINE_CHARACTERS in any encoding. */
const LINE_BYTES = 8_192;
const SHOWN_BYTES = 262_144;
const SCAN_BYTES = 67_108_864;
const SNIFF_BYTES = 8_192;

/** Not the range of a whole file: one that was written as JSON has not been seen as cells. */
const ALL_CELLS: LineRange = { offset: 1, limit: Number.POSITIVE_INFINITY };

interface LineRange {
  readonly offset: number;
  readonly limit: number;
}

/** A file that is not too large to be held, and compared later. */
interface WholeFile {
  readonly bytes: Uint8Array;
  /** What to remember of it. */
  readonly state: Pick<SeenFile, 'hash' | 'mtimeMs' | 'size'>;
}

/** What was found before anything is said about it. */
interface Contents {
  readonly window: LineWindow;
  readonly encoding: TextEncoding;
  /** Null if the file is too large to be compared later. */
  readonly state: WholeFile['state'] | null;
  /** What to say first. */
  readonly note: string | null;
}

export async function showLines(input: FileReadInput, context: ToolContext): Promise<ToolOutcome<FileReadOutput>> {
  const path = resolveToolPath(input.file_path, context);
  const range = { offset: input.offset ?? 1, limit: input.limit ?? DEFAULT_LIMIT };
  const opened = await openRegularFile(context, path);
  try {
    return await withFileErrors(context, 'read', path, async () => {
      const head = await opened.handle.read(0, SNIFF_BYTES);
      const binary = detectBinary(head);
      requirePagesOfPdf(input, binary, path);
      if (binary !== null) return await showBinary(binary, input, opened, path, context);
      const whole = await readWhole(opened, head, context);
      const notebook = path.endsWith('.ipynb') ? await showCells(whole, range, opened, path, context) : null;
      if (notebook !== null && typeof notebook !== 'string') return notebook;
      const note = notebook === null ? null : `[This notebook is shown as the JSON it is stored as: ${notebook}.]`;
      const contents = { ...(await readContents(opened, whole, head, range, path, context)), note };
      requireNotAborted(context.signal);
      return report(contents, range, opened, path, context);
    });
  } finally {
    await opened.handle.close();
  }
}

function requirePagesOfPdf({ pages }: FileReadInput, binary: BinaryKind | null, path: string): void {
  if (pages === undefined || binary?.kind === 'pdf') return;
  throw new ToolError(`pages is for PDF files, and ${path} is not one. Leave pages out; use offset and limit.`);
}

/** @throws ToolError if it can be shown neither as text nor as what it is */
async function showBinary(
  binary: BinaryKind,
  { pages }: FileReadInput,
  opened: OpenedFile,
  path: string,
  context: ToolContext,
): Promise<ToolOutcome<FileReadOutput>> {
  const { showImage, showPdf } = await loadMedia();
  switch (binary.kind) {
    case 'image':
      return showImage(opened, path, binary.name, context);
    case 'pdf':
      return showPdf(opened, path, pages, context);
    case 'other':
      throw new ToolError(
        `${path} is not text: ${binary.name}, ${formatBytes(opened.stat.size)}. Read shows text, images and PDF files. Inspect it with a command in Bash, for example file, strings or xxd.`,
      );
    default:
      return binary.kind satisfies never;
  }
}

/** Null if it is too large to be held. */
async function readWhole(
  opened: OpenedFile,
  head: Uint8Array,
  { host, signal }: ToolContext,
): Promise<WholeFile | null> {
  // A small file is whole already: its head was asked for more than there is.
  const isWhole = head.length > 0 && head.length < SNIFF_BYTES;
  const bytes = isWhole ? head : await readUpTo(opened, WHOLE_FILE_BYTES, signal);
  if (bytes === null) return null;
  const { mtimeMs, size } = opened.stat;
  return { bytes, state: { hash: await host.sha256(bytes), mtimeMs, size } };
}

async function readContents(
  opened: OpenedFile,
  whole: WholeFile | null,
  head: Uint8Array,
  range: LineRange,
  path: string,
  { signal }: ToolContext,
): Promise<Omit<Contents, 'note'>> {
  const kept = { ...range, lineBytes: LINE_BYTES, totalBytes: SHOWN_BYTES };
  if (whole === null) {
    requireNarrow(head, path);
    const chunks = readChunks(opened.handle, signal);
    const window = await readLineWindow(chunks, { ...kept, countAll: false, scanBytes: SCAN_BYTES });
    return { window, encoding: guessEncoding(window), state: null };
  }
  const { encoding } = detectEncoding(whole.bytes);
  const isWide = encoding === 'utf-16le' || encoding === 'utf-16be';
  const bytes = isWide ? new TextEncoder().encode(decodeText(whole.bytes).text) : whole.bytes;
  const window = await readLineWindow([bytes], { ...kept, countAll: true, scanBytes: Number.POSITIVE_INFINITY });
  return { window, encoding: isWide ? 'utf-8' : encoding, state: whole.state };
}

/** The cells of a notebook, or why it cannot be shown so. Here `range` counts cells. */
async function showCells(
  whole: WholeFile | null,
  range: LineRange,
  opened: OpenedFile,
  path: string,
  { readFileCache, signal }: ToolContext,
): Promise<ToolOutcome<FileReadOutput> | string> {
  if (whole === null) return 'it is too large to be shown by its cells';
  const { parseNotebook } = await loadNotebook();
  const { text, encoding } = decodeText(whole.bytes);
  const notebook = encoding === 'latin-1' ? 'it is not UTF-8' : parseNotebook(text);
  if (typeof notebook === 'string') return notebook;
  requireNotAborted(signal);
  const total = notebook.cells.length;
  if (range.offset > Math.max(total, 1))
    throw new ToolError(`${path} has only ${count(total, 'cell')}; offset ${range.offset} is past its end.`);
  const { showNotebook } = await loadNotebook();
  const { cells, model, isWhole } = showNotebook(notebook, range);
  const shownRange = isWhole ? ALL_CELLS : range;
  if (isUnchanged(readFileCache.get(opened.realPath), whole.state.hash, shownRange)) return unchanged(path);
  readFileCache.set(opened.realPath, { ...whole.state, range: shownRange });
  return { model, data: { type: 'notebook', cells: [...cells], file_path: path } };
}

function requireNarrow(head: Uint8Array, path: string): void {
  if (!detectEncoding(head.subarray(0, 2)).encoding.startsWith('utf-16')) return;
  throw new ToolError(
    `${path} is UTF-16 text too large to show. Convert it with a command in Bash, for example iconv.`,
  );
}

/** The encoding of a file too large to look at whole, by what is shown of it. */
function guessEncoding({ lines }: LineWindow): TextEncoding {
  return lines.every(({ bytes, length }) => isUtf8(bytes, bytes.length < length)) ? 'utf-8' : 'latin-1';
}

function report(
  { window, encoding, state, note }: Contents,
  range: LineRange,
  opened: OpenedFile,
  path: string,
  context: ToolContext,
): ToolOutcome<FileReadOutput> {
  const { lines, totalLines } = window;
  const last = range.offset + lines.length - 1;
  const isWhole = range.offset === 1 && totalLines !== null && last >= totalLines;
  const shownRange = isWhole ? null : range;
  if (state === null) context.readFileCache.delete(opened.realPath);
  else if (isUnchanged(context.readFileCache.get(opened.realPath), state.hash, shownRange)) return unchanged(path);
  if (totalLines !== null && totalLines > 0 && range.offset > totalLines) {
    throw new ToolError(`${path} has only ${count(totalLines, 'line')}; offset ${range.offset} is past its end.`);
  }
  if (state !== null) context.readFileCache.set(opened.realPath, { ...state, range: shownRange });
  const shown = lines.map((line, index) => showLine(line, encoding, range.offset + index === 1));
  const known = totalLines === null ? {} : { totalLines };
  const data: FileReadOutput = { type: 'text', text: shown.join('\n'), file_path: path, ...known };
  if (totalLines === 0) return { model: `${path} exists and is empty.`, data };
  return {
    model: [...(note === null ? [] : [note]), ...number(shown, range.offset), ...notesAfter(range, last, window)].join(
      '\n',
    ),
    data,
  };
}

function isUnchanged(seen: FileState | undefined, hash: string, range: LineRange | null): boolean {
  if (seen === undefined || seen.hash === null || seen.hash !== hash) return false;
  if (seen.range === null || range === null) return seen.range === range;
  return seen.range.offset === range.offset && seen.range.limit === range.limit;
}

function unchanged(path: string): ToolOutcome<FileReadOutput> {
  const message = `${path} is unchanged since you last read or wrote it; what you have of it is still right.`;
  return { model: message, data: { type: 'file_unchanged', file_path: path, message } };
}

function showLine({ bytes, length, isOpen }: WindowLine, encoding: TextEncoding, isFirst: boolean): string {
  const decoded = decodeBytes(bytes, encoding).replaceAll('\0', '\ufffd'); // a NUL is not welcome in every request
  const text = isFirst && decoded.startsWith('\ufeff') ? decoded.slice(1) : decoded;
  const isKept = bytes.length === length && !isOpen;
  if (isKept && text.length <= LINE_CHARACTERS) return text;
  const cut = toWellFormed(cutAtWord(text, LINE_CHARACTERS)).replace(/\ufffd$/, ''); // no half of a pair at the cut
  return `${cut}… [line cut: it has ${isOpen ? 'more than ' : ''}${length} bytes]`;
}

function number(lines: readonly string[], first: number): string[] {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`);
}

function notesAfter(range: LineRange, last: number, { lines, totalLines }: LineWindow): string[] {
  if (totalLines !== null && last >= totalLines) return [];
  const of = totalLines === null ? '' : ` of ${totalLines}`;
  if (lines.at(-1)?.isOpen) return [`[Lines ${range.offset}-${last} shown; line ${last} goes on too far to be read.]`];
  const reason = lines.length < range.limit ? `; the result is full at ${formatBytes(SHOWN_BYTES)}` : '';
  return [`[Lines ${range.offset}-${last}${of} shown${reason}. The file goes on: read on with offset ${last + 1}.]`];
}

export interface WindowRequest {
  /** First line, counted from 1. */
  readonly offset: number;
  /** Number of lines. */
  readonly limit: number;
  /** Bytes kept of one line; the rest of it is counted only. */
  readonly lineBytes: number;
  /** Bytes kept in all; the window ends with the line that reaches this. */
  readonly totalBytes: number;
  /** Goes on to the end behind the window to learn the number of lines. */
  readonly countAll: boolean;
  /** Bytes looked at for one window before giving up on finding its end; bounds the time a line of gigabytes takes. */
  readonly scanBytes: number;
}

interface WindowLine {
  /** Without the line break, and without a carriage return before it. */
  readonly bytes: Uint8Array;
  /** Bytes of the whole line; `isOpen` lines have more. */
  readonly length: number;
  /** True if the scan ended inside this line. */
  readonly isOpen: boolean;
}

interface LineWindow {
  readonly lines: readonly WindowLine[];
  /** Lines of the whole file, or null if its end was not reached. */
  readonly totalLines: number | null;
}

interface Scan {
  readonly lines: WindowLine[];
  /** Number of the line being read. */
  line: number;
  parts: Uint8Array[];
  kept: number;
  length: number;
  keptInAll: number;
  scanned: number;
  isFull: boolean;
}

const LINE_BREAK = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Reads chunks until the window is complete, or to the end with `countAll` or if the window lies past the end. */
export async function readLineWindow(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  request: WindowRequest,
): Promise<LineWindow> {
  const scan: Scan = {
    lines: [],
    line: 1,
    parts: [],
    kept: 0,
    length: 0,
    keptInAll: 0,
    scanned: 0,
    isFull: false,
  };
  for await (const chunk of chunks) {
    if (!scanChunk(scan, chunk, request)) return { lines: closeOpenLine(scan, request), totalLines: null };
  }
  const endsInLine = scan.length > 0;
  if (endsInLine) endLine(scan, request);
  return { lines: scan.lines, totalLines: scan.line - 1 };
}

/** False if the rest of the stream is not needed. */
function scanChunk(scan: Scan, chunk: Uint8Array, request: WindowRequest): boolean {
  let position = 0;
  while (position < chunk.length) {
    if (scan.isFull && !request.countAll) return false;
    const found = chunk.indexOf(LINE_BREAK, position);
    const end = found === -1 ? chunk.length : found;
    keepPart(scan, chunk.subarray(position, end), request);
    if (found === -1) break;
    endLine(scan, request);
    position = found + 1;
  }
  const isInside = scan.line >= request.offset && !scan.isFull;
  if (isInside) scan.scanned += chunk.length;
  return scan.scanned <= request.scanBytes;
}

function keepPart(scan: Scan, part: Uint8Array, request: WindowRequest): void {
  scan.length += part.length;
  if (scan.isFull || scan.line < request.offset || scan.kept >= request.lineBytes || part.length === 0) return;
  const kept = part.slice(0, request.lineBytes - scan.kept);
  scan.parts.push(kept);
  scan.kept += kept.length;
}

function endLine(scan: Scan, request: WindowRequest): void {
  if (scan.line >= request.offset && !scan.isFull) {
    scan.lines.push({ ...takeLine(scan), isOpen: false });
    scan.keptInAll += scan.kept;
    scan.isFull = scan.lines.length >= request.limit || scan.keptInAll >= request.totalBytes;
  }
  scan.line += 1;
  scan.parts = [];
  scan.kept = 0;
  scan.length = 0;
}

/** The scan was given up inside a line: what was kept of it is shown as open. */
function closeOpenLine(scan: Scan, request: WindowRequest): readonly WindowLine[] {
  if (scan.isFull || scan.line < request.offset || scan.length === 0) return scan.lines;
  return [...scan.lines, { ...takeLine(scan), isOpen: true }];
}

function takeLine(scan: Scan): { bytes: Uint8Array; length: number } {
  const bytes = new Uint8Array(scan.kept);
  let position = 0;
  for (const part of scan.parts) {
    bytes.set(part, position);
    position += part.length;
  }
  const isWhole = scan.kept === scan.length;
  return isWhole && bytes.at(-1) === CARRIAGE_RETURN
    ? { bytes: bytes.subarray(0, -1), length: scan.length - 1 }
    : { bytes, length: scan.length };
}
