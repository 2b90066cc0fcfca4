// The secrets of a session by the ids of their placeholders: found in texts, kept from them, and put back if a call may
// have them. Loaded once some text gives cause.
import { createEncodedFinder, type EncodedFinder } from './encoded-secrets.js';
import { createSecretFinder, type SecretFinder, type Stand } from './find-secrets.js';
import { mapTexts, someText } from './message-texts.js';
import { idsOfVariables, placeholderOf, replacePlaceholders, variableOf } from './placeholder.js';
import type {
  HiddenStream,
  OpenedVault,
  Restored,
  SecretOrigin,
  SecretPlace,
  VaultOptions,
  WhyKept,
} from './secret-vault.js';

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
/** Rounds in which one text may say what else of it is secret. */
const MOST_ROUNDS = 4;
/** Of what stands for nothing that was kept. */
const NO_ID = '0'.repeat(ID_LENGTH);
/**
 * What no shell acts on, in quotes or without, and no program takes for more than a word: no option, no path from the
 * root or upwards, no assignment, no range.
 */
const INERT = /^[A-Za-z0-9_](?:[A-Za-z0-9_/:@%+-]|\.(?!\.))*$/;

/** @param isMarked as the vault knows it: words that tell of a secret, and known values without a long word */
export function openVault(
  { known, isOwn, key: makeKey, sha256 }: VaultOptions,
  isMarked: (text: string) => boolean,
  onFound: (kind: string) => void,
): OpenedVault {
  let values: ReadonlyMap<string, string> | null = null;
  /** Of shapes and configured values, without what was learnt. */
  let shapes: SecretFinder;
  let finder: SecretFinder;
  let knowsLearnt = false;
  let encoded: EncodedFinder;
  const ids = new Map<string, string>();
  const kept = new Map<string, KeptSecret>();
  /** Secrets that only what stood around them told, by value: from then on they are known wherever they stand. */
  const learnt = new Map<string, string>();
  let timesLearnt = 0;
  let key: Promise<string> | null = null;

  const current = () => {
    const isNew = values !== known();
    if (isNew || !knowsLearnt) {
      values = known();
      if (isNew) shapes = createSecretFinder(values);
      finder = withLearnt(shapes, learnt);
      encoded = createEncodedFinder(finder, new Map([...values, ...learnt]), isMarked);
      knowsLearnt = true;
    }
    return { shapes, finder, encoded };
  };
  const learn = (value: string, kind: string): void => {
    if (values !== known()) current();
    const isTelling = value.length >= SHORTEST_LEARNT && /[A-Za-z]/.test(value) && /[^A-Za-z]/.test(value);
    if (!isTelling || learnt.has(value) || shapes.redact(value, () => '') !== value) return;
    learnt.set(value, kind);
    timesLearnt += 1;
    const [first] = learnt.keys();
    if (learnt.size > MAX_LEARNT && first !== undefined) learnt.delete(first);
    knowsLearnt = false;
  };
  const idOf = async (value: string): Promise<string> => {
    key ??= makeKey();
    const hash = await sha256(new TextEncoder().encode(`${await key}\0${value}`));
    return hash.slice(0, ID_LENGTH);
  };
  /** @returns its placeholder */
  const keep = async (value: string, kind: string, origin: SecretOrigin, isNews = true): Promise<string> => {
    const id = ids.get(value) ?? (await idOf(value));
    const before = kept.get(id);
    const placeholder = placeholderOf(before?.kind ?? kind, id);
    if (before?.origin === 'typed' || (before !== undefined && origin === 'found')) return placeholder;
    if (before === undefined && isNews) onFound(kind);
    ids.set(value, id);
    learn(value, kind);
    kept.set(id, { id, value, kind: before?.kind ?? kind, origin });
    const [oldest] = kept.size > MAX_KEPT ? kept.values() : [];
    if (oldest === undefined) return placeholder;
    kept.delete(oldest.id);
    ids.delete(oldest.value);
    return placeholder;
  };
  const redact = (text: string, stand: Stand): string => {
    const now = current();
    return now.encoded.redact(now.finder.redact(text, stand), stand);
  };
  /** Ids are made of what a first look finds; what was learnt of it may stand elsewhere in the same text. */
  const hide = async (text: string, origin: SecretOrigin): Promise<string> => {
    const words = new Map<string, string>();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const found = new Map<string, string>();
      const clean = redact(text, (kind, secret) => {
        const value = plainValue(kind, secret);
        const word = words.get(value);
        if (word === undefined) found.set(value, kind);
        // Nothing that a later pattern could take for a part of its own.
        return word ?? '{}';
      });
      if (found.size === 0) return clean;
      for (const [value, kind] of found) words.set(value, await keep(value, kind, origin));
    }
    return redact(text, (kind, secret) => words.get(plainValue(kind, secret)) ?? placeholderOf(kind, NO_ID));
  };
  const mayHave = ({ value, origin }: KeptSecret, place: SecretPlace): WhyKept | null => {
    if (isOwn(value)) return 'own';
    if (place.kind === 'file') return origin === 'typed' || holds(place.text, value) ? null : 'found';
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
      // A file about placeholders.
      if (secret === undefined && place.kind === 'file' && place.text.includes(placeholder)) return undefined;
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
  const isSuspect = (text: string): boolean => suspects(text) || isMarked(text);

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
        const missing: Restored['kept'][number][] = [];
        for (const id of idsOfVariables(command)) {
          const [secret, variable] = [kept.get(id), variableOf(id)];
          const why = secret === undefined ? 'unknown' : mayHave(secret, place);
          if (why === null && secret !== undefined) env[variable] = secret.value;
          else missing.push({ placeholder: `$${variable}`, why: why ?? 'unknown', variable });
        }
        const restored = await restore(command, place, true);
        return { ...restored, kept: [...restored.kept, ...missing], env };
      },
      stream: () =>
        createHiddenStream({
          hide: (text) => (isSuspect(text) ? hide(text, 'found') : text),
          mark: (text) => (isSuspect(text) ? redact(text, () => '\0') : text),
          values: () => [...known().keys()].filter((value) => value.includes('\n')),
        }),
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

/** The key itself, if a tool numbered its lines, whatever these end with. */
function plainValue(kind: string, secret: string): string {
  if (kind !== 'private-key') return secret;
  return secret.replaceAll('\r\n', '\n').replace(/(^|\n) {0,8}[0-9]{1,7}\t/g, '$1');
}

function holds(text: string, value: string): boolean {
  return text.includes(value) || (value.includes('\n') && text.replaceAll('\r\n', '\n').includes(value));
}

// Hides secrets in a text that comes in pieces. Rule: what a secret may still continue waits, up to a limit: a line that
// is not ended, a key without its last line, lines of base64; and beyond the limit it is parted at a place without a
// secret.

/** Characters that wait at most. */
const MOST = 64 * 1024;
/** A place to part a text is made sure of by as much before and behind it: longer than any secret but a key. */
const AROUND = 1_024;
/** Places that are tried. */
const TRIES = 24;
const BETWEEN_TRIES = 1_024;
const KEY_BEGIN = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: /g;
const KEY_END = /-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: /g;
const LONGEST_KEY = 16 * 1024;
/** A line of base64 that goes on in the next. */
const BASE64_LINE = /^[A-Za-z0-9+/_-]{60,}\r?$/;
/** At the end of a text: it may be the first part of a secret. */
const BEGUN_WORD = /\S{12,}$/;
/** A place between words. */
const GAP = /[^A-Za-z0-9+/=_.-]/;

interface StreamFinder {
  hide(text: string): Promise<string> | string;
  /** The text with a mark in each secret's place, of which nothing is remembered. */
  mark(text: string): string;
  /** What is known to be secret and goes over several lines. */
  values(): readonly string[];
}

function createHiddenStream({ hide, mark, values }: StreamFinder): HiddenStream {
  const severalLines = values();
  let waiting = '';

  const parts = (text: string, at: number): boolean => {
    const before = text.slice(Math.max(0, at - AROUND), at);
    const behind = text.slice(at, at + AROUND);
    return mark(before + behind) === mark(before) + mark(behind);
  };
  /** Too much waits. */
  const farCut = (text: string): number => {
    const line = safeCut(text, severalLines);
    if (line > text.length / 2 && parts(text, line)) return line;
    let last = text.length;
    for (let turn = 1; turn <= TRIES; turn++) {
      const at = gapBefore(text, text.length - turn * BETWEEN_TRIES);
      if (at < text.length / 4) break;
      if (last === text.length) last = at;
      if (parts(text, at)) return at;
    }
    return last;
  };

  return {
    async push(text) {
      waiting += text;
      const cut = waiting.length > MOST ? farCut(waiting) : safeCut(waiting, severalLines);
      if (cut === 0) return '';
      const ready = waiting.slice(0, cut);
      waiting = waiting.slice(cut);
      return hide(ready);
    },
    line: () => (waiting.includes('\n') || BEGUN_WORD.test(waiting) || mark(waiting) !== waiting ? '' : waiting),
    async end() {
      const rest = waiting;
      waiting = '';
      return rest === '' ? '' : hide(rest);
    },
  };
}

/** The place at which the text can be parted so that no secret is. */
function safeCut(text: string, severalLines: readonly string[]): number {
  let cut = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
  while (cut > 0) {
    const start = text.lastIndexOf('\n', cut - 2) + 1;
    if (!BASE64_LINE.test(text.slice(start, cut - 1))) break;
    cut = start;
  }
  const begun = lastIndexOf(KEY_BEGIN, text.slice(0, cut));
  const isOpen = begun !== -1 && lastIndexOf(KEY_END, text.slice(0, cut)) < begun;
  if (isOpen && cut - begun < LONGEST_KEY) cut = begun;
  for (const value of severalLines) {
    const at = text.lastIndexOf(value.slice(0, value.indexOf('\n') + 1), cut);
    if (at !== -1 && at < cut && cut < at + value.length && value.startsWith(text.slice(at, cut))) cut = at;
  }
  return cut;
}

/** The last place between words before `end`; `end` if there is none near, but in no character. */
function gapBefore(text: string, end: number): number {
  const least = Math.max(0, end - BETWEEN_TRIES);
  let at = end;
  while (at > least && !GAP.test(text[at - 1] ?? '')) at -= 1;
  const place = at === least ? end : at;
  return /[\uD800-\uDBFF]/.test(text[place - 1] ?? '') ? place - 1 : place;
}

function lastIndexOf(pattern: RegExp, text: string): number {
  let last = -1;
  for (const { index } of text.matchAll(pattern)) last = index;
  return last;
}
