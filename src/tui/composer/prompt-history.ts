// The prompts of earlier: those of this session as they were typed, those of others as the home folder has them. One rule: a
// history that cannot be read or written costs nobody a prompt.
import type { PersonalFiles } from '../../sdk/faces/index.js';
import { isRecord } from '../../util/json.js';

/** Prompts that are kept on the disk for a folder. */
const KEPT = 1_000;
/** Longer prompts are there for the rest of the session only, characters. */
const LONGEST_KEPT = 50_000;
/** Characters of a file from which on it is made shorter. */
const LONG_FILE = 4_000_000;

export interface PromptHistory {
  /** Reads what earlier sessions wrote. May be called late: prompts that were added meanwhile stay the newest. */
  load(): Promise<void>;
  /** Puts a prompt on top. Contract: never rejects; resolves once it is on the disk, or cannot be. */
  add(text: string): Promise<void>;
  /** The newest first, each once. */
  entries(): readonly string[];
  /** Why it is not kept, if it is not; null else. */
  readonly problem: string | null;
}

export function createPromptHistory(files: PersonalFiles, now: () => number): PromptHistory {
  const name = `prompts/${files.project}.jsonl`;
  let earlier: readonly string[] = [];
  let own: readonly string[] = [];
  let problem: string | null = null;
  let joined: readonly string[] | null = null;
  let writing: Promise<void> = Promise.resolve();
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      problem = `Earlier prompts are not kept: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
  return {
    load: () =>
      guarded(async () => {
        const text = (await files.read(name)) ?? '';
        const lines = text.split('\n').filter((line) => line !== '');
        earlier = lines.slice(-KEPT).flatMap(promptOfLine).reverse();
        joined = null;
        if (text.length > LONG_FILE || lines.length > KEPT * 2)
          await files.replace(name, `${lines.slice(-KEPT).join('\n')}\n`);
      }),
    add(text) {
      if (text.trim() === '') return writing;
      own = [text, ...own.filter((each) => each !== text)];
      joined = null;
      if (text.length > LONGEST_KEPT) return writing;
      // One behind the other, as they were sent.
      writing = writing.then(() =>
        guarded(async () => {
          const line = JSON.stringify({ text: await files.redact(text), at: now() });
          await files.append(name, `${line}\n`);
        }),
      );
      return writing;
    },
    entries() {
      joined ??= [...new Set([...own, ...earlier])];
      return joined;
    },
    get problem() {
      return problem;
    },
  };
}

/** A line that a crash cut, or that somebody else wrote, is none. */
function promptOfLine(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && typeof value['text'] === 'string' ? [value['text']] : [];
  } catch {
    return []; // the others are read all the same
  }
}

/** Walks back through the prompts, and forward to the draft that was there before. */
export interface HistoryWalk {
  readonly isWalking: boolean;
  /** The prompt before; null if there is none. @param draft what stands in the composer now */
  older(draft: string): string | null;
  /** The prompt after, at last the draft; null outside of a walk. */
  newer(): string | null;
  /** Something was typed or sent: the next walk begins at the newest. */
  stop(): void;
}

export function createHistoryWalk(history: Pick<PromptHistory, 'entries'>): HistoryWalk {
  let at = -1;
  let draft = '';
  /** As they were when the walk began. */
  let entries: readonly string[] = [];
  return {
    get isWalking() {
      return at !== -1;
    },
    older(text) {
      if (at === -1) [entries, draft] = [history.entries(), text];
      // The draft itself would look as if nothing had happened.
      const next = entries.findIndex((entry, place) => place > at && (at !== -1 || entry !== draft));
      if (next === -1) return null;
      at = next;
      return entries[at] ?? null;
    },
    newer() {
      if (at === -1) return null;
      at -= 1;
      return at === -1 ? draft : (entries[at] ?? draft);
    },
    stop() {
      at = -1;
    },
  };
}

/** The prompts that hold all words, the newest first. Capital letters count only if some were typed. */
export function searchPrompts(entries: readonly string[], query: string): readonly string[] {
  const exact = query !== query.toLowerCase();
  const words = query.split(/\s+/).filter((word) => word !== '');
  return entries.filter((entry) => {
    const text = exact ? entry : entry.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
