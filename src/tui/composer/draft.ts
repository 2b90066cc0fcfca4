// The draft on the disk, for when the process dies before it is sent. One rule: a draft belongs to the process that wrote it
// until that process is gone, so that two terminals in one folder do not take each other's.
import type { PersonalFiles } from '../../sdk/faces/index.js';
import { isRecord } from '../../util/json.js';
import type { Clock } from '../face.js';

/** After the last key, milliseconds. */
const REST_MS = 400;
/** Longer drafts are not written at each pause, characters. */
const LONGEST = 1_000_000;
const FOLDER = 'drafts';

export interface KeptDraft {
  /** Called at each change. Writes once the keyboard rests; an empty draft takes the file away. */
  changed(): void;
  /** What processes of this folder that are gone left behind, the newest first; their files are taken away. */
  takeLeft(): Promise<readonly string[]>;
  /** Writes or removes what is pending. Contract: never rejects. */
  flush(): Promise<void>;
  /** Orderly end: nothing is left. */
  drop(): Promise<void>;
}

export interface DraftParts {
  readonly files: PersonalFiles;
  readonly clock: Clock;
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  /** The draft as it is; asked when the keyboard rests. */
  readonly read: () => string;
  readonly isEmpty: () => boolean;
}

export function keepDraft({ files, clock, pid, isAlive, read, isEmpty }: DraftParts): KeptDraft {
  const name = `${FOLDER}/${files.project}.${pid}.json`;
  let isOver = false;
  let written = '';
  let cancel: (() => void) | null = null;
  let writing: Promise<void> = Promise.resolve();
  const write = async (text: string): Promise<void> => {
    if (text === written) return;
    try {
      if (text === '') await files.remove(name);
      else await files.replace(name, JSON.stringify({ text: await files.redact(text) }));
      written = text;
    } catch {
      // A draft that cannot be kept is still in the composer; the next change tries again.
    }
  };
  const flush = (): Promise<void> => {
    cancel?.();
    cancel = null;
    const text = isOver || isEmpty() ? '' : read().slice(0, LONGEST);
    writing = writing.then(() => write(text));
    return writing;
  };
  return {
    changed() {
      if (isEmpty() && written !== '') void flush();
      else cancel ??= clock.after(REST_MS, () => void flush());
    },
    async takeLeft() {
      const left: string[] = [];
      for (const file of await files.names(FOLDER).catch(() => [])) {
        const owner = ownerOf(file, files.project);
        if (owner === null || owner === pid || isAlive(owner)) continue;
        const text = textOf(await files.read(`${FOLDER}/${file}`).catch(() => null));
        await files.remove(`${FOLDER}/${file}`).catch(() => undefined); // then it is offered once more
        if (text !== null && text.trim() !== '') left.push(text);
      }
      return left.reverse();
    },
    flush,
    drop() {
      isOver = true;
      return flush();
    },
  };
}

function ownerOf(file: string, project: string): number | null {
  if (!file.startsWith(`${project}.`) || !file.endsWith('.json')) return null;
  const pid = file.slice(project.length + 1, -'.json'.length);
  return /^\d{1,10}$/.test(pid) ? Number(pid) : null;
}

function textOf(json: string | null): string | null {
  try {
    const value: unknown = JSON.parse(json ?? 'null');
    return isRecord(value) && typeof value['text'] === 'string' ? value['text'] : null;
  } catch {
    return null; // half a draft is none: it is replaced in one step, so somebody else wrote this
  }
}
