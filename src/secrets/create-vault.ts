// Looks at texts for what gives cause to suspect a secret; what does the work is loaded with the first of them.
import { hasLongRun, isLong } from './long-runs.js';
import { mapTexts, someText } from './map-texts.js';
import { mayHoldPlaceholder } from './placeholder.js';
import type { OpenVault, SecretOrigin, SecretVault, VaultOptions } from './secret-vault.js';

/** A secret without a long word in it says what it is by one of these: few, as each is looked for in every text. */
const MARKERS = /PRIVATE KEY|AccountKey=|ccess_?[Kk]ey|Q~|whsec_|Basic [\w+/]{12}/;

export function createSecretVault(options: VaultOptions): SecretVault {
  let known: ReadonlyMap<string, string> | null = null;
  // The others are looked for only in a text that has a long word.
  let short: readonly string[] = [];
  let opened: { readonly vault: OpenVault; suspects(text: string): boolean } | null = null;
  let opening: Promise<OpenVault> | null = null;
  let found = new Map<string, number>();

  const isMarked = (text: string): boolean => {
    const values = options.known();
    if (values !== known) {
      known = values;
      short = [...values.keys()].filter((value) => !hasLongRun(value));
    }
    return MARKERS.test(text) || short.some((value) => text.includes(value));
  };
  const givesCause = (text: string): boolean =>
    (isLong(text) && hasLongRun(text)) || text.includes('://') || isMarked(text);
  const suspects = (text: string): boolean =>
    opened === null ? givesCause(text) : opened.suspects(text) || isMarked(text);

  const open = (): Promise<OpenVault> => {
    opening ??= import('./open-vault.js').then(({ openVault }) => {
      const onFound = (kind: string): void => void found.set(kind, (found.get(kind) ?? 0) + 1);
      opened = openVault(options, isMarked, onFound);
      return opened.vault;
    });
    return opening;
  };
  const hideTexts = async <T>(value: T, origin: SecretOrigin, isMessage: boolean): Promise<T> => {
    const vault = await open();
    const texts = new Set<string>();
    someText(value, isMessage, (text) => {
      if (suspects(text)) texts.add(text);
      return false;
    });
    const clean = new Map<string, string>();
    for (const text of texts) clean.set(text, await vault.hide(text, origin));
    return mapTexts(value, isMessage, (text) => clean.get(text) ?? text) as T;
  };

  return {
    suspects,
    suspectsIn: (value, isMessage) => someText(value, isMessage, suspects),
    mayHoldPlaceholder,
    hide: (value, origin, isMessage) =>
      someText(value, isMessage, suspects) ? hideTexts(value, origin, isMessage) : value,
    open,
    takeFound() {
      const taken = found;
      found = new Map();
      return taken;
    },
  };
}
