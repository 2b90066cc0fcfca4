// Reads one line of ripgrep's output in the form `path NUL rest`. Rule: a file name may hold anything but a NUL.

/** One line of a file: a match, or context around one. */
export interface FoundLine {
  readonly path: string;
  readonly line: number;
  readonly isMatch: boolean;
  readonly text: string;
}

/** A record of `--files-with-matches` (`count` is 1) or `--count`. */
export interface FoundFile {
  readonly path: string;
  readonly count: number;
}

/**
 * Joins what a line break in a file name split: records without a NUL are the first part of the next path.
 * Contract: call with each record in order; returns the whole record, or null while it is not complete.
 */
export function createRecordJoiner(): (record: string) => string | null {
  let waiting = '';
  return (record) => {
    if (!record.includes('\0')) {
      // ripgrep's one record without a NUL that is not a path: its notice of a match in a binary file.
      if (BINARY_NOTICE.test(record)) return record;
      // A name is never this long; what is no name is dropped rather than kept.
      waiting = waiting.length > 4_096 ? '' : `${waiting}${record}\n`;
      return null;
    }
    const whole = waiting + record;
    waiting = '';
    return whole;
  };
}

const BINARY_NOTICE = /^(.*): binary file matches \(found .*\)$/;
const LINE = /^(\d+)([:-])/;

/** A line of a content search, or null if the record is not one. */
export function parseLine(record: string): FoundLine | null {
  const end = record.indexOf('\0');
  if (end < 0) {
    const path = BINARY_NOTICE.exec(record)?.[1];
    return path === undefined ? null : { path, line: 0, isMatch: true, text: '(binary file matches)' };
  }
  const rest = record.slice(end + 1);
  const head = LINE.exec(rest);
  if (head === null) return null;
  const text = rest.slice(head[0].length).replace(/\r$/, '');
  return { path: record.slice(0, end), line: Number(head[1]), isMatch: head[2] === ':', text };
}

/** A file of a count search, or null if the record is not one. */
export function parseCount(record: string): FoundFile | null {
  const end = record.indexOf('\0');
  const count = Number(record.slice(end + 1));
  return end < 0 || !Number.isInteger(count) ? null : { path: record.slice(0, end), count };
}
