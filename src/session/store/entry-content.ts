// What becomes of the content of an entry on its way to the disk: secrets go, large content goes into files. Shared by
// all transcripts of a session. What does the work is loaded with the first entry that needs it.
import type { MessageDraft } from '../../engine/loop-state.js';
import type { Host } from '../../host/host.js';
import { createSecrets, type Secrets } from '../../providers/secrets.js';
import { formatBytes } from '../../util/format-bytes.js';
import { count } from '../../util/text.js';
import type { TranscriptEntry } from './entry.js';
import { knownSecrets } from './secrets/known-values.js';
import { createRedactor, type Redactor } from './secrets/redact-entry.js';

export interface EntryContentOptions {
  readonly host: Host;
  /** Absolute; null where the session keeps no files. */
  readonly blobFolder: string | null;
  /** Bytes that large content of the session may take. */
  readonly maxBlobBytes: number;
  /** False: secrets are written as they are. */
  readonly redactsSecrets: boolean;
  /** Where the values of configured credentials are found. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Credentials that are found elsewhere, some of them later. Default: none. */
  readonly secrets?: Secrets;
}

export interface EntryContent {
  /** The entry without secrets; the very same where it has none. */
  clean(entry: TranscriptEntry): TranscriptEntry | Promise<TranscriptEntry>;
  /** The line of an entry. @param text the entry as JSON */
  render(entry: TranscriptEntry, text: string): string | Promise<string>;
  /** What was taken or left out since the last call. */
  takeDrafts(): readonly MessageDraft[];
}

/** Shorter lines have nothing that goes into a file: 4 KB of media as base64, and what stands around it. */
const MIN_MEDIA_LINE = 5_600;
const MIN_TEXT_LINE = 64 * 1024;

export function createEntryContent(options: EntryContentOptions): EntryContent {
  const { host, blobFolder, maxBlobBytes, secrets = createSecrets() } = options;
  let redactor: Redactor | null = null;
  let knownVersion = 0;
  let counts = new Map<string, number>();
  let spill: ((entry: TranscriptEntry) => Promise<TranscriptEntry>) | null = null;
  let leftOut = { pieces: 0, bytes: 0 };

  const renderLarge = async (folder: string, entry: TranscriptEntry, text: string): Promise<string> => {
    if (spill === null) {
      const { createSpill } = await import('./spill-entry.js');
      const onFull = (bytes: number): void => {
        leftOut = { pieces: leftOut.pieces + 1, bytes: leftOut.bytes + bytes };
      };
      spill ??= createSpill({ host, folder, maxBytes: maxBlobBytes, onFull });
    }
    const spilled = await spill(entry);
    return spilled === entry ? text : JSON.stringify(spilled);
  };

  return {
    clean(entry) {
      if (!options.redactsSecrets) return entry;
      if (redactor === null || knownVersion !== secrets.version) {
        counts = addCounts(counts, redactor);
        redactor = createRedactor(knownSecrets(options.env, secrets));
        knownVersion = secrets.version;
      }
      return redactor.clean(entry);
    },
    render(entry, text) {
      const isLarge = text.length >= MIN_TEXT_LINE || (text.length >= MIN_MEDIA_LINE && hasMedia(entry));
      return isLarge && blobFolder !== null ? renderLarge(blobFolder, entry, text) : text;
    },
    takeDrafts() {
      const drafts = [...redactionDraft(addCounts(counts, redactor)), ...roomDraft(leftOut, maxBlobBytes)];
      counts = new Map();
      leftOut = { pieces: 0, bytes: 0 };
      return drafts;
    },
  };
}

function addCounts(counts: ReadonlyMap<string, number>, redactor: Redactor | null): Map<string, number> {
  const sum = new Map(counts);
  for (const [kind, found] of redactor?.takeCounts() ?? []) sum.set(kind, (sum.get(kind) ?? 0) + found);
  return sum;
}

/** Looks at the blocks alone: a look through the text would take longer than writing it. */
function hasMedia(entry: TranscriptEntry): boolean {
  const content = 'message' in entry ? (entry.message as { content?: unknown } | null)?.content : null;
  return Array.isArray(content) && content.some(isOrHasMedia);
}

function isOrHasMedia(block: unknown): boolean {
  const { type, content } = (block ?? {}) as { type?: unknown; content?: unknown };
  if (type === 'image' || type === 'document') return true;
  return type === 'tool_result' && Array.isArray(content) && content.some(isOrHasMedia);
}

function redactionDraft(counts: ReadonlyMap<string, number>): MessageDraft[] {
  if (counts.size === 0) return [];
  const total = [...counts.values()].reduce((sum, found) => sum + found, 0);
  const kinds = [...counts].map(([kind, found]) => `${found} ${kind}`).join(', ');
  return [
    {
      type: 'system',
      subtype: 'notice',
      code: 'secrets_redacted',
      level: 'info',
      message: `${count(total, 'secret')} ${total === 1 ? 'was' : 'were'} taken out of what the session keeps on disk: ${kinds}. The model has them as they were.`,
      data: Object.fromEntries(counts),
    },
  ];
}

function roomDraft(
  { pieces, bytes }: { readonly pieces: number; readonly bytes: number },
  max: number,
): MessageDraft[] {
  if (pieces === 0) return [];
  return [
    {
      type: 'system',
      subtype: 'notice',
      code: 'blobs_full',
      level: 'warning',
      message: `${count(pieces, 'piece')} of large content (${formatBytes(bytes)}) will be missing where this session is resumed: it keeps at most ${formatBytes(max)} of it.`,
      remedy: 'Raise limits.maxBlobBytes (TURNWRIGHT_MAX_BLOB_BYTES), or start another session.',
      data: { pieces, bytes },
    },
  ];
}
