// The checkpoint journal of a session: one JSON object a line, appended, never rewritten. What was at a path before a
// call is there before the call runs, what the call made of it after.
import { type AppendHandle, type Host, isFileError } from '../../host/host.js';
import { type JournalRecord, parseRecord } from './journal-record.js';

export interface Journal {
  /**
   * Appends lines. What could not be written is kept and written before the next one.
   * @throws FileError if not everything is in the file now
   */
  append(record: JournalRecord): Promise<void>;
  /** Contract: everything appended is on the disk when this resolves. @throws FileError */
  sync(): Promise<void>;
  /** Everything so far, what could not be written yet included. @throws FileError */
  read(): Promise<ReadJournal>;
  close(): Promise<void>;
}

export interface ReadJournal {
  readonly records: readonly JournalRecord[];
  /** Lines that could not be read. Half a line, as a crash leaves it, does not count. */
  readonly damaged: number;
}

const TORN = '{"type":"torn"}';
/** Ends half a line, and says that it is one: nothing is missing but what a crash kept from being written. */
const TORN_END = `\n${TORN}\n`;

/**
 * Contract: `read` comes before the first `append`.
 * @param file absolute; made with the first line
 */
export function createJournal({ fs }: Pick<Host, 'fs'>, file: string): Journal {
  let handle: AppendHandle | null = null;
  let isDirty = false;
  /** The file ends with half a line. */
  let isTorn = false;
  const backlog: JournalRecord[] = [];

  const flush = async (): Promise<void> => {
    while (backlog.length > 0) {
      handle ??= await fs.openAppend(file);
      const line = JSON.stringify(backlog[0]);
      const lead = isTorn ? TORN_END : '';
      isTorn = true;
      await handle.append(`${lead}${line}\n`);
      isTorn = false;
      isDirty = true;
      backlog.shift();
    }
  };

  return {
    async append(record) {
      backlog.push(record);
      await flush();
    },
    async sync() {
      await flush();
      if (!isDirty) return;
      await handle?.sync();
      isDirty = false;
    },
    async read() {
      const { text, records, damaged } = await readJournal(fs, file);
      isTorn = text !== '' && !text.endsWith('\n');
      return { records: [...records, ...backlog], damaged };
    },
    async close() {
      const open = handle;
      handle = null;
      await open?.close();
    },
  };
}

async function readJournal(fs: Host['fs'], file: string): Promise<ReadJournal & { readonly text: string }> {
  let bytes: Uint8Array;
  try {
    bytes = await fs.readFile(file);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return { text: '', records: [], damaged: 0 };
    throw error;
  }
  const text = new TextDecoder().decode(bytes);
  // What follows the last line end was not written whole.
  const lines = text.split('\n').slice(0, -1);
  const records: JournalRecord[] = [];
  let damaged = 0;
  for (const [index, line] of lines.entries()) {
    if (line === '' || line === TORN || lines[index + 1] === TORN) continue;
    const record = parseRecord(line);
    if (record === null) damaged += 1;
    else records.push(record);
  }
  return { text, records, damaged };
}
