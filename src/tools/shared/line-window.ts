// Cuts a window of lines out of a byte stream, holding only the window in memory. Works on bytes: a line break is the
// byte 0x0A in UTF-8 and Latin-1 alike.

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

export interface WindowLine {
  /** Without the line break, and without a carriage return before it. */
  readonly bytes: Uint8Array;
  /** Bytes of the whole line; `isOpen` lines have more. */
  readonly length: number;
  /** True if the scan ended inside this line. */
  readonly isOpen: boolean;
}

export interface LineWindow {
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
