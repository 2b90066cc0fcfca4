// Looks at texts for what gives cause to suspect a secret; what does the work is loaded with the first of them.
import { isMarked, isSuspect } from './hints.js';
import { hasLongRun, IS_BASE64, someRun } from './long-runs.js';
import { someText } from './map-texts.js';
import { mayHoldPlaceholder } from './placeholder.js';
import type { OpenVault, SecretVault, VaultOptions } from './secret-vault.js';

/** Of so many characters a text in base64 may hold a secret. */
const SHORTEST_ENCODED = 24;
const READABLE = /[\t\n\r -~]{18}/;
const ALIGNMENTS = [0, 1, 2, 3];

export function createSecretVault(options: VaultOptions): SecretVault {
  let known: ReadonlyMap<string, string> | null = null;
  // The others are looked for only in a text that has a long word.
  let short: readonly string[] = [];
  let opened: { readonly vault: OpenVault; suspects(text: string): boolean } | null = null;
  let opening: Promise<OpenVault> | null = null;
  let found = new Map<string, number>();

  const isKnown = (text: string): boolean => {
    const values = options.known();
    if (values !== known) {
      known = values;
      short = [...values.keys()].filter((value) => !hasLongRun(value));
    }
    return short.some((value) => text.includes(value));
  };
  const suspects = (text: string): boolean => {
    if (opened !== null) return opened.suspects(text) || isMarked(text) || isKnown(text);
    // Few texts come before it is opened, and few values are known.
    return isSuspect(text) || [...options.known().keys()].some((value) => text.includes(value)) || mayBeEncoded(text);
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

/** True where some text seems to stand in base64: what it says is looked at by whoever is loaded for it. */
function mayBeEncoded(text: string): boolean {
  return someRun(text, IS_BASE64, SHORTEST_ENCODED, (start, end) =>
    ALIGNMENTS.some((from) => READABLE.test(Buffer.from(text.slice(start + from, end), 'base64').toString('latin1'))),
  );
}
