// The secrets of a session by the ids of their placeholders: found in texts, kept from them, and put back where a call may
// have them. Loaded once some text gives cause.
import { createEncodedFinder, type EncodedFinder } from './encoded-secrets.js';
import { createSecretFinder, type SecretFinder } from './find-secrets.js';
import { createHiddenStream } from './hidden-stream.js';
import { mapTexts, someText } from './map-texts.js';
import { idsOfVariables, placeholderOf, replacePlaceholders, variableOf } from './placeholder.js';
import type { OpenedVault, Restored, SecretOrigin, SecretPlace, VaultOptions, WhyKept } from './secret-vault.js';

interface KeptSecret {
  readonly id: string;
  readonly value: string;
  readonly kind: string;
  readonly origin: SecretOrigin;
}

/** Secrets remembered of a session; of more, those found first are forgotten. */
const MAX_KEPT = 10_000;
const ID_LENGTH = 10;
/** Learnt values that are looked for; of more, those learnt first are not. */
const MAX_LEARNT = 500;
const SHORTEST_LEARNT = 8;
/** What no shell acts on, in quotes or without. */
const INERT = /^[A-Za-z0-9_./:@%+,=-]*$/;

/** @param isMarked as the vault knows it: words that tell of a secret, and known values without a long word */
export function openVault(
  { known, isOwn, key: makeKey, sha256 }: VaultOptions,
  isMarked: (text: string) => boolean,
  onFound: (kind: string) => void,
): OpenedVault {
  let values: ReadonlyMap<string, string> | null = null;
  let finder: SecretFinder;
  let encoded: EncodedFinder;
  const ids = new Map<string, string>();
  const kept = new Map<string, KeptSecret>();
  /** Secrets that only what stood around them told, by value: from then on they are known wherever they stand. */
  const learnt = new Map<string, string>();
  let timesLearnt = 0;
  let key: Promise<string> | null = null;

  const current = () => {
    if (values !== known()) {
      values = known();
      finder = withLearnt(createSecretFinder(values), learnt);
      encoded = createEncodedFinder(finder, new Map([...values, ...learnt]), isMarked);
    }
    return { finder, encoded };
  };
  const learn = (value: string, kind: string): void => {
    const isTelling = value.length >= SHORTEST_LEARNT && /[A-Za-z]/.test(value) && /[^A-Za-z]/.test(value);
    if (!isTelling || learnt.has(value) || current().finder.redact(value, () => '') !== value) return;
    learnt.set(value, kind);
    timesLearnt += 1;
    const [first] = learnt.keys();
    if (learnt.size > MAX_LEARNT && first !== undefined) learnt.delete(first);
    values = null;
  };
  const idOf = async (value: string): Promise<string> => {
    key ??= makeKey();
    const hash = await sha256(new TextEncoder().encode(`${await key}\0${value}`));
    return hash.slice(0, ID_LENGTH);
  };
  const keep = async (value: string, kind: string, origin: SecretOrigin, isNews = true): Promise<void> => {
    const id = ids.get(value) ?? (await idOf(value));
    const before = kept.get(id);
    if (before?.origin === 'typed' || (before !== undefined && origin === 'found')) return;
    if (before === undefined && isNews) onFound(kind);
    ids.set(value, id);
    learn(value, kind);
    kept.set(id, { id, value, kind: before?.kind ?? kind, origin });
    if (kept.size <= MAX_KEPT) return;
    const [oldest] = kept.values();
    if (oldest === undefined) return;
    kept.delete(oldest.id);
    ids.delete(oldest.value);
  };
  /** Two passes: ids are made of what the first one finds. */
  const hide = async (text: string, origin: SecretOrigin): Promise<string> => {
    const found = new Map<string, string>();
    const look = (kind: string, secret: string): string => {
      found.set(plainValue(kind, secret), kind);
      // Nothing that a later pattern could take for a part of its own.
      return '{}';
    };
    const now = current();
    now.encoded.redact(now.finder.redact(text, look), look);
    if (found.size === 0) return text;
    for (const [value, kind] of found) await keep(value, kind, origin);
    const then = current();
    const stand = (kind: string, secret: string): string => {
      const value = plainValue(kind, secret);
      const id = ids.get(value) ?? '';
      return placeholderOf(kept.get(id)?.kind ?? kind, id);
    };
    return then.encoded.redact(then.finder.redact(text, stand), stand);
  };
  const mayHave = ({ value, origin }: KeptSecret, place: SecretPlace): WhyKept | null => {
    if (isOwn(value)) return 'own';
    if (place.kind === 'file') return origin === 'typed' || place.text.includes(value) ? null : 'found';
    return place.kind === 'sandbox' || origin === 'typed' ? null : 'found';
  };
  /** A session that is resumed has placeholders of them, and may not have met them yet. */
  const learnKnown = async (): Promise<void> => {
    for (const [value, kind] of known()) await keep(value, kind, 'found', false);
  };
  const restore = async (text: string, place: SecretPlace, isCommand = false): Promise<Restored> => {
    await learnKnown();
    const left: Restored['kept'][number][] = [];
    const restored = replacePlaceholders(text, (id, placeholder) => {
      const secret = kept.get(id);
      const why = secret === undefined ? 'unknown' : mayHave(secret, place);
      const isUnquotable = why === null && isCommand && !INERT.test(secret?.value ?? '');
      if (why === null && !isUnquotable) return secret?.value;
      left.push({ placeholder, why: why ?? 'shell', variable: variableOf(id) });
      return undefined;
    });
    return { text: restored, kept: left };
  };

  const suspects = (text: string): boolean => {
    const now = current();
    return now.finder.suspects(text) || now.encoded.suspects(text);
  };

  return {
    suspects,
    learnt: () => timesLearnt,
    vault: {
      hide,
      async hideIn(value, origin, isMessage) {
        const texts = new Set<string>();
        someText(value, isMessage, (text) => {
          if (isMarked(text) || suspects(text)) texts.add(text);
          return false;
        });
        const clean = new Map<string, string>();
        for (const text of texts) clean.set(text, await hide(text, origin));
        return mapTexts(value, isMessage, (text) => clean.get(text) ?? text) as typeof value;
      },
      restore: (text, place) => restore(text, place),
      async restoreCommand(command, place) {
        await learnKnown();
        const env: Record<string, string> = {};
        for (const id of idsOfVariables(command)) {
          const secret = kept.get(id);
          if (secret !== undefined && mayHave(secret, place) === null) env[variableOf(id)] = secret.value;
        }
        return { ...(await restore(command, place, true)), env };
      },
      stream: () => createHiddenStream((text) => hide(text, 'found')),
    },
  };
}

/** After the shapes: a learnt value may be a part of a secret that shows what it is. Longest first, for the same reason. */
function withLearnt(finder: SecretFinder, learnt: ReadonlyMap<string, string>): SecretFinder {
  const values = [...learnt].sort(([a], [b]) => b.length - a.length);
  return {
    suspects: (text) => finder.suspects(text) || values.some(([value]) => text.includes(value)),
    redact: (text, stand) =>
      values.reduce(
        (rest, [value, kind]) => (rest.includes(value) ? rest.replaceAll(value, () => stand(kind, value)) : rest),
        finder.redact(text, stand),
      ),
  };
}

/** The key itself, where a tool numbered its lines: the same as in the file. */
function plainValue(kind: string, secret: string): string {
  return kind === 'private-key' ? secret.replace(/(^|\n) {0,8}[0-9]{1,7}\t/g, '$1') : secret;
}
