// What becomes of the content of an entry on its way to the disk: secrets go, large content goes into files. Shared by
// all transcripts of a session. One rule: signed thinking, ids and the bytes of media are never touched.
import type { MessageDraft } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { createSecrets } from '../../providers/keys/index.js';
import { createSecretVault } from '../../secrets/create-vault.js';
import { knownSecrets } from '../../secrets/known-values.js';
import { mapFields, someText } from '../../secrets/message-texts.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import { count, formatBytes } from '../../util/text.js';
import { DOORS } from '../features.js';
import type { TranscriptEntry } from './entry.js';
import type { MetadataLine } from './session-metadata.js';

export interface EntryContentOptions {
  readonly host: Host;
  /** Absolute; null if the session keeps no files. */
  readonly blobFolder: string | null;
  /** Bytes that large content of the session may take. */
  readonly maxBlobBytes: number;
  /** Null: secrets are written as they are. */
  readonly vault: SecretVault | null;
}

export interface EntryContent {
  /** The entry without secrets; the very same if it has none. */
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
  const { host, blobFolder, maxBlobBytes, vault } = options;
  let spill: ((entry: TranscriptEntry) => Promise<TranscriptEntry>) | null = null;
  let leftOut = { pieces: 0, bytes: 0 };

  const renderLarge = async (folder: string, entry: TranscriptEntry, text: string): Promise<string> => {
    if (spill === null) {
      const { createSpill } = await DOORS.store();
      const onFull = (bytes: number): void => {
        leftOut = { pieces: leftOut.pieces + 1, bytes: leftOut.bytes + bytes };
      };
      spill ??= createSpill({ host, folder, maxBytes: maxBlobBytes, onFull });
    }
    const spilled = await spill(entry);
    return spilled === entry ? text : JSON.stringify(spilled);
  };

  return {
    clean: (entry) => (vault === null ? entry : redactEntry(entry, vault)),
    render(entry, text) {
      const isLarge = text.length >= MIN_TEXT_LINE || (text.length >= MIN_MEDIA_LINE && hasMedia(entry));
      return isLarge && blobFolder !== null ? renderLarge(blobFolder, entry, text) : text;
    },
    takeDrafts() {
      const drafts = roomDraft(leftOut, maxBlobBytes);
      leftOut = { pieces: 0, bytes: 0 };
      return drafts;
    },
  };
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
      message: `${count(pieces, 'piece')} of large content (${formatBytes(bytes)}) will be missing when this session is resumed: it keeps at most ${formatBytes(max)} of it.`,
      remedy: 'Raise limits.maxBlobBytes (TURNWRIGHT_MAX_BLOB_BYTES), or start another session.',
      data: { pieces, bytes },
    },
  ];
}

/** The keys of an entry that hold what users, models and tools say. */
const SPOKEN = new Set(['message', 'toolUseResult', 'lastPrompt', 'customTitle', 'aiTitle', 'tag', 'state']);

/** The entry without secrets; the very same if there are none. */
export function redactEntry(entry: TranscriptEntry, vault: SecretVault): TranscriptEntry | Promise<TranscriptEntry> {
  for (const [key, value] of Object.entries(entry)) {
    if (SPOKEN.has(key) && someText(value, key === 'message', vault.suspects)) return redact(entry, vault);
  }
  return entry;
}

async function redact(entry: TranscriptEntry, vault: SecretVault): Promise<TranscriptEntry> {
  const clean = new Map<string, unknown>();
  for (const [key, value] of Object.entries(entry)) {
    if (SPOKEN.has(key)) clean.set(key, await vault.hide(value, 'found', key === 'message'));
  }
  const fields = entry as unknown as Readonly<Record<string, unknown>>;
  return mapFields(fields, (value, key) => (clean.has(key) ? clean.get(key) : value)) as unknown as TranscriptEntry;
}

// A name that somebody gives a stored session goes to the disk at once and to every list, so what would be taken out of
// a message is refused in it.

/**
 * @param env the environment with the values of configured credentials
 * @throws ConfigError if the line names a secret, by shape or by value; what it says does not hold it
 */
export async function refuseSecret(
  env: Readonly<Record<string, string | undefined>>,
  line: MetadataLine,
): Promise<void> {
  const known = knownSecrets(env, createSecrets());
  // Nobody sees the placeholders, so any key will do.
  const ids = { isOwn: () => false, key: async () => '', sha256: async () => '' };
  const vault = createSecretVault({ known: () => known, ...ids });
  if ((await redactEntry(line, vault)) === line) return;
  const kinds = [...vault.takeFound().keys()].join(', ');
  const name = line.type === 'tag' ? 'tag' : 'title';
  throw new ConfigError(
    `The ${name} holds a secret (${kinds}), which would stand on the disk as it is. Give one without it.`,
  );
}
