// Looks at texts for what gives cause to suspect a secret; what does the work is loaded with the first of them.
import { hasLongRun, isMarked, isSuspect, someEncodedText } from './hints.js';
import { someText } from './message-texts.js';
import { mayHoldPlaceholder } from './placeholder.js';
import type { OpenedVault, OpenVault, SecretVault, VaultOptions } from './secret-vault.js';

/** A text of a result is looked at by several: for the model, the caller, the request, the disk. */
const MAX_CLEARED = 8;
const SHORTEST_CLEARED = 512;
const LONGEST_CLEARED = 64 * 1024;
/** Names of fields, of models and of modes come in every record. */
const LONGEST_WORD = 40;
const MAX_WORDS = 1_024;

export function createSecretVault(options: VaultOptions): SecretVault {
  let known: ReadonlyMap<string, string> | null = null;
  /** All that is known. Kept as a list, for each text is looked at. */
  let words: readonly string[] = [];
  // The others are looked for only in a text that has a long word.
  let short: readonly string[] = [];
  let opened: OpenedVault | null = null;
  let opening: Promise<OpenVault> | null = null;
  let found = new Map<string, number>();

  const readKnown = (): void => {
    const values = options.known();
    if (values === known) return;
    known = values;
    words = [...values.keys()];
    short = words.filter((value) => !hasLongRun(value));
  };
  const isKnown = (text: string): boolean => {
    readKnown();
    return holdsOne(text, short);
  };
  const look = (text: string): boolean => {
    if (opened !== null) return opened.suspects(text) || isMarked(text) || isKnown(text);
    // Few texts come before it is opened, and few values are known.
    readKnown();
    return isSuspect(text) || holdsOne(text, words) || someEncodedText(text, ALWAYS);
  };

  // Texts without a secret, as far as was known when they were looked at.
  const cleared = { texts: new Set<string>(), words: new Set<string>(), values: known, learnt: -1 };
  const suspects = (text: string): boolean => {
    const isWord = text.length <= LONGEST_WORD;
    if ((!isWord && text.length < SHORTEST_CLEARED) || text.length > LONGEST_CLEARED) return look(text);
    const [values, learnt] = [options.known(), opened?.learnt() ?? -1];
    if (cleared.values !== values || cleared.learnt !== learnt) {
      cleared.texts.clear();
      cleared.words.clear();
      Object.assign(cleared, { values, learnt });
    }
    if ((isWord ? cleared.words : cleared.texts).has(text)) return false;
    if (look(text)) return true;
    if (isWord) {
      if (cleared.words.size >= MAX_WORDS) cleared.words.clear();
      cleared.words.add(text);
      return false;
    }
    cleared.texts.add(text);
    const [oldest] = cleared.texts;
    if (cleared.texts.size > MAX_CLEARED && oldest !== undefined) cleared.texts.delete(oldest);
    return false;
  };

  const open = (): Promise<OpenVault> => {
    opening ??= import('./open-vault.js').then(({ openVault }) => {
      const onFound = (kind: string): void => void found.set(kind, (found.get(kind) ?? 0) + 1);
      opened = openVault(options, (text) => isMarked(text) || isKnown(text), onFound);
      return opened.vault;
    });
    return opening;
  };
  return {
    suspects,
    suspectsIn: (value, isMessage) => someText(value, isMessage, suspects),
    mayHoldPlaceholder,
    hide: (value, origin, isMessage) =>
      someText(value, isMessage, suspects) ? open().then((vault) => vault.hideIn(value, origin, isMessage)) : value,
    open,
    takeFound() {
      const taken = found;
      found = new Map();
      return taken;
    },
  };
}

const ALWAYS = () => true;

/** Without a function for each text. */
function holdsOne(text: string, values: readonly string[]): boolean {
  for (const value of values) if (text.includes(value)) return true;
  return false;
}
