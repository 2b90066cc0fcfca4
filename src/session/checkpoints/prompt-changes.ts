// What one prompt did to files, and what of it cannot be undone, as the caller is told.
import { isFileError } from '../../host/host.js';
import type { SDKFilesPersistedEvent } from '../../protocol/system-messages.js';
import { mapBounded } from '../../util/map-bounded.js';
import { count } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';
import type { LostReason } from './image.js';
import type { Change } from './journal.js';
import type { KeptContent } from './kept-content.js';
import { describeGap, type Gap } from './not-covered.js';
import type { Difference } from './workspace.js';

export type FilesPersisted = Pick<SDKFilesPersistedEvent, 'files' | 'failed' | 'processed_at'>;

export interface PromptChanges {
  add(changes: readonly Change[]): void;
  /** Something that a rewind will not undo. The same is told once a session. */
  tell(gap: Gap): void;
  takeNotices(): readonly PendingNotice[];
  /** What was added since the last call; null if nothing was. @param now ISO 8601 */
  take(now: string): FilesPersisted | null;
}

/** Notices between two prompts that are told one by one. */
const MAX_NOTICES = 10;

export function createPromptChanges(): PromptChanges {
  const files = new Map<string, string>();
  const failed = new Map<string, string>();
  const told = new Set<string>();
  let pending: Gap[] = [];

  const tell = (gap: Gap): void => {
    const key = `${gap.reason} ${gap.path ?? ''}`;
    if (told.has(key)) return;
    told.add(key);
    pending.push(gap);
  };

  return {
    tell,
    add(changes) {
      for (const { path, before, lost } of changes) {
        if (lost === undefined) {
          // What a rewind restores is what was there before the first change.
          if (!files.has(path)) files.set(path, before.kind === 'file' ? before.hash : before.kind);
          continue;
        }
        tell({ path, reason: lost });
        failed.set(path, describeGap({ path, reason: lost }).message);
      }
    },
    takeNotices() {
      const gaps = pending;
      pending = [];
      const notices = gaps.slice(0, MAX_NOTICES).map((gap) => notice(describeGap(gap).message));
      const rest = gaps.length - notices.length;
      return rest <= 0
        ? notices
        : [...notices, notice(`The same is true of ${count(rest, 'more file or folder', 'more files or folders')}.`)];
    },
    take(now) {
      if (files.size === 0 && failed.size === 0) return null;
      const taken: FilesPersisted = {
        files: [...files].flatMap(([filename, file_id]) => (failed.has(filename) ? [] : [{ filename, file_id }])),
        failed: Array.from(failed, ([filename, error]) => ({ filename, error })),
        processed_at: now,
      };
      files.clear();
      failed.clear();
      return taken;
    },
  };
}

function notice(message: string): PendingNotice {
  return { code: 'checkpoint_incomplete', message: `${message} A rewind does not undo that.` };
}

// From what is different in the workspace to what stands in the journal: the content that would be gone is kept first.

/** Files that are kept at a time; each waits for the disk. */
const KEPT_AT_ONCE = 8;

/**
 * @param withContent paths whose content before the prompt is kept already, or that had none; what is kept here is added
 */
export function toChanges(
  differences: readonly Difference[],
  kept: KeptContent,
  withContent: Set<string>,
): Promise<Change[]> {
  return mapBounded(differences, KEPT_AT_ONCE, async (difference) => {
    const { path, before, after } = difference;
    const lost = isContentGone(difference) && !withContent.has(path) ? await keep(difference, kept) : null;
    if (lost === null && isContentGone(difference)) withContent.add(path);
    return { path, before, after, ...(lost === null ? {} : { lost }) };
  });
}

/** Another mode alone leaves the content where it is. */
function isContentGone({ before, after }: Difference): boolean {
  if (before.kind !== 'file' && before.kind !== 'unread') return false;
  return !(before.kind === 'file' && after.kind === 'file' && before.hash === after.hash);
}

async function keep(difference: Difference, kept: KeptContent): Promise<LostReason | null> {
  if (difference.lost !== null) return difference.lost;
  try {
    const outcome = await kept.keep(await difference.content());
    return outcome === 'new' || outcome === 'known' ? null : outcome;
  } catch (error) {
    if (!isFileError(error)) throw error;
    return 'not_kept';
  }
}
