// One frame as one line. One rule: no line is longer than clients read, which for the strictest is 1 MiB; what is left
// out of a line says so, and the transcript has it.
import { formatBytes } from '../../util/format-bytes.js';
import { isRecord } from '../../util/is-record.js';

/** Bytes of a line without its end. */
const MAX_LINE = 1_000_000;

/** Texts of this many characters and more may be cut. */
const CUT_FROM = 1_000;

/** Contract: no line break in it, no more than `MAX_LINE` bytes. */
export function fitLine(frame: object): string {
  const line = JSON.stringify(frame);
  // Entries of a transcript are copied by the client: one that is cut would be a wrong copy.
  if (line.length * 3 <= MAX_LINE || Buffer.byteLength(line) <= MAX_LINE || isMirror(frame)) return line;
  for (let keep = 100_000; keep >= 100; keep = Math.floor(keep / 4)) {
    const shorter = JSON.stringify(cut(frame, keep));
    if (Buffer.byteLength(shorter) <= MAX_LINE) return shorter;
  }
  return JSON.stringify(cut(frame, 0));
}

function isMirror(frame: object): boolean {
  return 'type' in frame && frame.type === 'transcript_mirror';
}

/** With `keep` characters of each long text; images and documents give way to a text. */
function cut(value: unknown, keep: number): unknown {
  if (typeof value === 'string') return value.length < Math.max(keep, CUT_FROM) ? value : cutText(value, keep);
  if (Array.isArray(value)) return value.map((item) => cut(item, keep));
  if (!isRecord(value)) return value;
  const source = value['source'];
  if (isRecord(source) && typeof source['data'] === 'string' && source['data'].length > keep) {
    return {
      type: 'text',
      text: `[${String(value['type'])} of ${formatBytes(source['data'].length)} left out of this line]`,
    };
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, keep)]));
}

function cutText(text: string, keep: number): string {
  const head = text.slice(0, keep).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}\n[${text.length - head.length} characters left out of this line; the transcript has them]`;
}
