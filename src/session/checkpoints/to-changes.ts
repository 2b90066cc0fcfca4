// From what is different in the workspace to what stands in the journal: the content that would be gone is kept first.
import { isFileError } from '../../host/host.js';
import { mapBounded } from '../../util/map-bounded.js';
import type { LostReason } from './image.js';
import type { Change } from './journal-record.js';
import type { KeptContent } from './kept-content.js';
import type { Difference } from './workspace.js';

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
