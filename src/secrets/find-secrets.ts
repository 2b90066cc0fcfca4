// Finds secrets in a text: known shapes, and values that are known to be secret. Loaded once some text gives cause.
import { isHinted } from './hints.js';
import { hasLongRun, someLongRun } from './long-runs.js';
import { SECRET_FAMILIES, URL_PASSWORD } from './secret-families.js';

export interface SecretFinder {
  /** False if the text surely has none of a known shape. */
  suspects(text: string): boolean;
  /** The text with what `stand` gives in each secret's place. */
  redact(text: string, stand: Stand): string;
}

/** What stands in place of a secret. @param kind for example `github-token` */
export type Stand = (kind: string, secret: string) => string;

/** A hint is made sure of in as much text around the word. */
const AROUND = 512;
/** Characters from `://` to the `@` behind a password. */
const LONGEST_LOGIN = 200;
/** Some programs escape each `/` in JSON. */
const SCHEME_ENDS = ['://', ':\\/\\/'];
const PEM_BEGIN = '-----BEGIN ';
const PEM_LAST = '-----END ';
const PEM_HEADER = /^-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const PEM_END = /^-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const LONGEST_HEADER = 80;
/** Lines of base64, with line ends or what stands for them in a quoted text; a tool may have numbered them. */
const PEM_LINES = /^(?:\s|\\[nrt])*(?:(?:[0-9]{1,7}\t)?[A-Za-z0-9+/=]{16,76}(?:(?:\s|\\[nrt])+|$)){1,400}/;
/** The same before the last line of a key whose first is not in the text. */
const PEM_LAST_LINES =
  /(?:(?:^|\s|\\[nrt])(?:[0-9]{1,7}\t)?[A-Za-z0-9+/=]{1,76}(?:\s|\\[nrt])+(?:[0-9]{1,7}\t)?){1,400}$/;
/** Longest private key, characters. */
const MAX_PEM = 16_384;

const SINGLE = SECRET_FAMILIES.map(({ pattern }) => new RegExp(pattern.source, pattern.flags.replace('g', '')));
const STARTS_WITH_LOGIN = new RegExp(`^${URL_PASSWORD.pattern.source}`, 'i');

/** @param values what is known to be secret, each with the kind that its placeholder names */
export function createSecretFinder(values: ReadonlyMap<string, string>): SecretFinder {
  const long = [...values.keys()].filter(hasLongRun);

  return {
    suspects(given) {
      const text = withoutNul(given);
      if (SCHEME_ENDS.some((end) => hasLogin(text, end))) return true;
      let areValuesAsked = false;
      return someLongRun(text, (start, end) => {
        // Every known value that is asked for here has a long word in it.
        if (!areValuesAsked && long.some((value) => text.includes(value))) return true;
        areValuesAsked = true;
        if (!isHinted(text, start, end)) return false;
        const around = text.slice(Math.max(0, start - AROUND), end + AROUND);
        return SINGLE.some((pattern) => pattern.test(around));
      });
    },
    redact(given, stand) {
      const text = withoutNul(given);
      let clean = text;
      for (const [value, kind] of values) {
        if (clean.includes(value)) clean = clean.replaceAll(value, () => stand(kind, value));
      }
      clean = redactKeyEnds(redactPrivateKeys(clean, stand), stand);
      for (const { kind, pattern } of SECRET_FAMILIES) {
        clean = clean.replace(pattern, (all: string, secret: unknown) => {
          if (typeof secret !== 'string') return stand(kind, all);
          // The last of them: a user may have the name of the password.
          const at = all.lastIndexOf(secret);
          return all.slice(0, at) + stand(kind, secret) + all.slice(at + secret.length);
        });
      }
      return clean === text ? given : clean;
    },
  };
}

/** Text of two bytes a character that was read as one of one: it is looked at, and shown, without what stands between. */
function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

function hasLogin(text: string, schemeEnd: string): boolean {
  for (let at = text.indexOf(schemeEnd); at !== -1; at = text.indexOf(schemeEnd, at + 1)) {
    if (STARTS_WITH_LOGIN.test(text.slice(at, at + LONGEST_LOGIN))) return true;
  }
  return false;
}

/** From the first line of a key to its last, or as far as it goes if the last is missing. */
function redactPrivateKeys(text: string, stand: Stand): string {
  let clean = '';
  let copied = 0;
  for (let at = text.indexOf(PEM_BEGIN); at !== -1; at = text.indexOf(PEM_BEGIN, Math.max(at + 1, copied))) {
    const header = PEM_HEADER.exec(text.slice(at, at + LONGEST_HEADER))?.[0];
    const end = header === undefined ? null : endOfKey(text, at + header.length);
    if (end === null) continue;
    clean += text.slice(copied, at) + stand('private-key', text.slice(at, end));
    copied = end;
  }
  return clean + text.slice(copied);
}

/** Null if what follows is no key, as in a text about keys. */
function endOfKey(text: string, body: number): number | null {
  const rest = text.slice(body, body + MAX_PEM);
  const at = rest.indexOf(PEM_LAST);
  const last = at === -1 ? undefined : PEM_END.exec(rest.slice(at, at + LONGEST_HEADER))?.[0];
  if (last !== undefined) return body + at + last.length;
  const lines = PEM_LINES.exec(rest)?.[0];
  return lines === undefined ? null : body + lines.length;
}

/** A key of which only the end is in the text: the part of a file, or the tail of a long output. */
function redactKeyEnds(text: string, stand: Stand): string {
  let clean = '';
  let copied = 0;
  for (let at = text.indexOf(PEM_LAST); at !== -1; at = text.indexOf(PEM_LAST, at + 1)) {
    const last = PEM_END.exec(text.slice(at, at + LONGEST_HEADER))?.[0];
    const lines =
      last === undefined ? undefined : PEM_LAST_LINES.exec(text.slice(Math.max(copied, at - MAX_PEM), at))?.[0];
    if (last === undefined || lines === undefined) continue;
    const start = at - lines.trimStart().length;
    const end = at + last.length;
    clean += text.slice(copied, start) + stand('private-key', text.slice(start, end));
    copied = end;
  }
  return clean + text.slice(copied);
}
