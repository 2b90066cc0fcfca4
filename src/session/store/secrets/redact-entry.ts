// Takes secrets out of an entry before it is written. What most entries cost is a look at their strings; signed
// thinking, ids and the bytes of media are never touched.

import type { SecretVault } from '../../../secrets/secret-vault.js';
import { mapFields, someText } from '../../../secrets/some-text.js';
import type { TranscriptEntry } from '../entry.js';

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
