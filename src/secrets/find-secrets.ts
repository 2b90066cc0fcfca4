// Finds secrets in a text: known shapes, and values that are known to be secret. Loaded once some text gives cause.
import { hasLongRun, isHinted, someLongRun } from './hints.js';

// The shapes of known secrets, as their issuers publish them. Data; what tells of each is in `hints.ts`. Each pattern takes linear time: bounded parts, and
// no part that may grow without one that tells it from what stands before.

export interface SecretFamily {
  /** What the placeholder calls it. */
  readonly kind: string;
  /** Global. The first group, if there is one, is what is replaced; else all of it. */
  readonly pattern: RegExp;
}

/**
 * Not within a longer word. What stands for another character is no part of one: an escape sequence of a quoted text, of
 * an address, of a terminal; nor is the mark of a line that a patch takes away.
 */
const ESCAPED = '\\\\(?:[nrtbf]|u00[0-9A-Fa-f]{2}|x[0-9A-Fa-f]{2})|%[0-9A-Fa-f]{2}|\\[[0-9;]{0,12}[mK]|(?:^|\\n)-';
const START = `(?:(?<![A-Za-z0-9_-])|(?<=${ESCAPED}))`;
/** A quote, in a text that may itself be quoted, once or twice. */
const QUOTE = `(?:\\\\{0,3}["'])?`;
/** Between a name and its value: in a file of variables, in YAML, in JSON; a terminal may colour either. */
const COLOUR = '(?:\\x1b\\[[0-9;]{0,12}m){0,2}';
const ASSIGNS = `${QUOTE}${COLOUR}(?:=|:\\s|:(?=\\\\{0,3}["']))${COLOUR}${QUOTE}`;
const END = '(?![A-Za-z0-9_-])';
const WORD = '[A-Za-z0-9_-]';

/** A prefix of word characters, and what follows it. */
function family(kind: string, prefix: string, rest: string): SecretFamily {
  return { kind, pattern: new RegExp(`(?=${prefix})${START}${prefix}${rest}`, 'g') };
}

/** As `family`, and no more of the word follows. */
function exact(kind: string, prefix: string, rest: string): SecretFamily {
  return family(kind, prefix, `${rest}${END}`);
}

const MODELS: readonly SecretFamily[] = [
  family('anthropic-key', 'sk-ant-', `${WORD}{16,}`),
  family('openrouter-key', 'sk-or-', `${WORD}{20,}`),
  // Also DeepSeek, Moonshot, DashScope and others that took the form over.
  family('openai-key', 'sk-', `(?=${WORD}{0,200}[0-9])(?=${WORD}{0,200}[A-Za-z])${WORD}{24,}`),
  exact('groq-key', 'gsk_', '[A-Za-z0-9]{40,64}'),
  exact('perplexity-key', 'pplx-', '[A-Za-z0-9]{40,64}'),
  exact('xai-key', 'xai-', '[A-Za-z0-9]{64,100}'),
  exact('replicate-token', 'r8_', '[A-Za-z0-9]{37,40}'),
  exact('huggingface-token', 'hf_', '[A-Za-z0-9]{30,40}'),
  exact('huggingface-token', 'api_org_', '[A-Za-z]{34}'),
  exact('nvidia-key', 'nvapi-', `${WORD}{60,80}`),
  exact('fireworks-key', 'fw_', '[A-Za-z0-9]{22,32}'),
  exact('elevenlabs-key', 'sk_', '[0-9a-f]{48}'),
];

const CLOUDS: readonly SecretFamily[] = [
  exact('aws-access-key', '(?:AKIA|ASIA|ABIA|ACCA)', '[A-Z2-7]{16}'),
  {
    kind: 'aws-secret-key',
    pattern: new RegExp(
      `secret_?access_?key${QUOTE}\\s{0,4}[:=]\\s{0,4}${QUOTE}((?:[A-Za-z0-9+]|\\\\?/){40})(?![A-Za-z0-9/+=])`,
      'gi',
    ),
  },
  exact('google-key', 'AIza', `${WORD}{35}`),
  exact('google-client-secret', 'GOCSPX-', `${WORD}{28}`),
  family('google-token', 'ya29\\.', '[A-Za-z0-9_.-]{20,}'),
  family('google-refresh-token', '1//', `0${WORD}{38,}`),
  {
    kind: 'azure-storage-key',
    pattern: /AccountKey=((?:[A-Za-z0-9+]|\\?\/){86}==)/g,
  },
  {
    kind: 'azure-client-secret',
    pattern: new RegExp(`${START}[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])`, 'g'),
  },
  exact('digitalocean-token', 'do[opr]_v1_', '[0-9a-f]{64}'),
  exact('heroku-key', 'HRKU-AA', `${WORD}{58}`),
  family('cloudflare-origin-key', 'v1\\.', `0-[0-9a-f]{24}-[0-9a-f]{146}${END}`),
  exact('alibaba-key', 'LTAI', '[A-Za-z0-9]{16,24}'),
  exact('tencent-key', 'AKID', '[A-Za-z0-9]{32,36}'),
  exact('yandex-key', 'AQVN', `${WORD}{35,38}`),
  family('fly-token', 'fo1_', `${WORD}{43}`),
  family('fly-token', 'fm[12][ar]?_', '[A-Za-z0-9+/_-]{40,}={0,3}'),
  exact('netlify-token', 'nfp_', '[A-Za-z0-9]{36,}'),
  exact('supabase-key', 'sbp_', '[0-9a-f]{40}'),
  family('supabase-key', 'sb_secret_', `${WORD}{20,}`),
  family('planetscale-key', 'pscale_(?:tkn|pw|oauth)_', '[A-Za-z0-9_.-]{32,64}'),
  exact('databricks-token', 'dapi', '[0-9a-f]{32}(?:-[0-9])?'),
  {
    kind: 'terraform-token',
    pattern: new RegExp(`${START}[A-Za-z0-9]{14}\\.atlasv1\\.${WORD}{60,70}`, 'g'),
  },
  family('vault-token', 'hv[sbr]\\.', `${WORD}{24,}`),
  family('doppler-token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{1,40}\\.)?', '[A-Za-z0-9]{40,44}'),
  exact('pulumi-token', 'pul-', '[0-9a-f]{40}'),
  family('tailscale-key', 'tskey-', '[a-z]{2,12}-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,40}'),
  exact('docker-token', 'dckr_(?:pat|oat)_', `${WORD}{27,32}`),
];

const CODE: readonly SecretFamily[] = [
  family('github-token', 'gh[pousr]_', '[A-Za-z0-9]{36,255}'),
  family('github-token', 'github_pat_', '[A-Za-z0-9_]{22,255}'),
  family('gitlab-token', 'gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-', `${WORD}{20,}`),
  exact('gitlab-token', 'GR1348941', `${WORD}{20}`),
  family('bitbucket-token', 'ATBB', '[A-Za-z0-9]{32,}'),
  family('atlassian-token', 'AT[AC]TT3', '[A-Za-z0-9_=-]{100,}'),
  exact('npm-token', 'npm_', '[A-Za-z0-9]{36}'),
  family('pypi-token', 'pypi-AgE', `${WORD}{50,}`),
  exact('rubygems-key', 'rubygems_', '[0-9a-f]{48}'),
  exact('crates-token', 'cio', '[A-Za-z0-9]{32}'),
  exact('nuget-key', 'oy2', '[a-z0-9]{43}'),
  exact('clojars-token', 'CLOJARS_', '[a-z0-9]{60}'),
  family('artifactory-key', 'AKCp', '[A-Za-z0-9]{60,80}'),
  exact('sourcegraph-token', 'sgp_', '(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}'),
  family('linear-key', 'lin_(?:api|oauth)_', '[A-Za-z0-9]{32,}'),
  family('sentry-token', 'sntrys_', '[A-Za-z0-9+/=_-]{40,}'),
  exact('sentry-token', 'sntryu_', '[0-9a-f]{64}'),
  exact('newrelic-key', 'NR(?:AK|JS|II|AL)-', '[A-Za-z0-9]{19,40}'),
  exact('grafana-token', 'glsa_', '[A-Za-z0-9]{32}_[0-9a-fA-F]{8}'),
  family('grafana-token', 'glc_', '[A-Za-z0-9+/]{32,}={0,2}'),
  family('dynatrace-token', 'dt0[a-z][0-9]{2}\\.', `[A-Z0-9]{24}\\.[A-Z0-9]{64}${END}`),
  exact('postman-key', 'PMAK-', '[0-9a-f]{24}-[0-9a-f]{34}'),
];

const SERVICES: readonly SecretFamily[] = [
  family('slack-token', 'xox[abeoprs]-', '[A-Za-z0-9-]{15,}'),
  family('slack-token', 'xapp-', '[0-9]-[A-Za-z0-9-]{20,}'),
  {
    kind: 'slack-webhook',
    pattern: /hooks\.slack\.com\/(?:services|workflows)\/([A-Za-z0-9+/_-]{30,80})/g,
  },
  {
    kind: 'discord-webhook',
    pattern: /\/api\/webhooks\/[0-9]{15,22}\/([A-Za-z0-9_-]{60,80})/g,
  },
  {
    kind: 'discord-token',
    pattern: new RegExp(`${START}[MNO][A-Za-z0-9_-]{22,26}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}${END}`, 'g'),
  },
  {
    kind: 'telegram-token',
    pattern: new RegExp(`${START}[0-9]{8,10}:AA${WORD}{32,34}${END}`, 'g'),
  },
  family('stripe-key', '[srp]k_(?:live|test)_', '[A-Za-z0-9]{16,255}'),
  family('webhook-secret', 'whsec_', '[A-Za-z0-9+/=]{24,}'),
  exact('square-token', 'sq0(?:atp|csp|idp)-', `${WORD}{22,43}`),
  exact('square-token', 'EAAA', `${WORD}{60}`),
  family('facebook-token', 'EAACEdEose0cBA', '[A-Za-z0-9]{10,}'),
  exact('shopify-token', 'shp(?:at|ca|pa|ss|tka)_', '[0-9a-fA-F]{32}'),
  exact('twilio-key', 'SK', '[0-9a-f]{32}'),
  family('sendgrid-key', 'SG\\.', `${WORD}{20,24}\\.${WORD}{40,46}${END}`),
  exact('mailgun-key', 'key-', '[0-9a-f]{32}'),
  exact('mailchimp-key', '[0-9a-f]{32}-us', '[0-9]{1,2}'),
  exact('brevo-key', 'xkeysib-', '[0-9a-f]{64}-[A-Za-z0-9]{16}'),
  exact('resend-key', 're_', '[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,30}'),
  exact('notion-token', '(?:secret|ntn)_', '[A-Za-z0-9]{43,50}'),
  exact('figma-token', 'figd_', `${WORD}{36,48}`),
  family('airtable-token', 'pat[A-Za-z0-9]{14}\\.', `[0-9a-f]{64}${END}`),
  exact('contentful-token', 'CFPAT-', `${WORD}{43}`),
  exact('typeform-token', 'tfp_', '[A-Za-z0-9_.=-]{59}'),
  exact('easypost-key', 'EZ[AT]K', '[A-Za-z0-9]{54}'),
  family('dropbox-token', 'sl\\.', `${WORD}{100,}`),
  family('age-key', 'AGE-SECRET-KEY-1', '[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}'),
];

/** Without words that stand for a password in examples. */
const URL_PASSWORD: SecretFamily = {
  kind: 'url-password',
  pattern:
    /:(?:\/\/|\\\/\\\/)[^\s:/@"'`<>]{0,64}:((?!(?:password|passwd|pass|pwd|secret|token|key|x{3,9})@)[^\s/@"'`<>${}*]{3,128})@/gi,
};

const GENERAL: readonly SecretFamily[] = [
  {
    kind: 'putty-key',
    pattern: /Private-Lines: [0-9]{1,4}\s{1,4}((?:[A-Za-z0-9+/=]{1,64}\s{1,4}){1,200})/g,
  },
  URL_PASSWORD,
  family('jwt', 'eyJ', `${WORD}{10,}\\.eyJ${WORD}{10,}(?:\\.${WORD}{10,})?`),
  {
    kind: 'bearer-token',
    pattern: /(?<![A-Za-z])[Bb]earer\s{1,4}((?=[A-Za-z0-9._~+/=-]{0,300}[0-9])[A-Za-z0-9._~+/=-]{24,})/g,
  },
  {
    kind: 'basic-authorization',
    pattern: new RegExp(
      `[Aa]uthorization${QUOTE}\\s{0,4}[:=]\\s{0,4}${QUOTE}Basic\\s{1,4}((?:[A-Za-z0-9+=]|\\\\?/){16,})`,
      'g',
    ),
  },
  // A name that says what it is, with a value that looks like no word: `.env` files, printed environments.
  {
    kind: 'assigned-secret',
    pattern: new RegExp(
      `(?:(?<![A-Za-z0-9_])|(?<=${ESCAPED}))(?:[A-Z0-9]{1,32}_){0,6}(?:API_?KEY|TOKEN|SECRET|SECRET_KEY|PRIVATE_KEY|ACCESS_KEY|PASSWORD|PASSWD)${ASSIGNS}((?=[A-Za-z0-9+/_-]{0,200}[0-9])(?=[A-Za-z0-9+/_-]{0,200}[A-Za-z])(?:[A-Za-z0-9+_-]|\\\\?/){20,200}={0,2})(?![A-Za-z0-9+/_.({[-])`,
      'g',
    ),
  },
];

/** As programs and their settings name one: `access_token`, `clientSecret`, `db-password`. */
const NAMED =
  '(?:[A-Za-z0-9]{1,32}[_-]){0,6}[A-Za-z0-9]{0,32}?' +
  '(?:api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|token|secret|password|passwd|passphrase|credential)';
const NOT_WITHIN = '(?<![A-Za-z0-9_-])';
/** No word and no number alone. */
const MIXED = '(?=[A-Za-z0-9+/=_.~-]{0,200}[0-9])(?=[A-Za-z0-9+/=_.~-]{0,200}[A-Za-z])';

/**
 * Of such a name, what stands in quotes, or is long and one word: source code has the same names, and gives them neither.
 */
const ASSIGNED: readonly SecretFamily[] = [
  {
    kind: 'assigned-secret',
    pattern: new RegExp(
      `${NOT_WITHIN}${NAMED}${QUOTE}\\s{0,8}(?::=|=>|[:=])\\s{0,8}\\\\{0,3}["'\`](${MIXED}(?:[A-Za-z0-9+_=.~-]|\\\\?/){16,400})\\\\{0,3}["'\`]`,
      'gi',
    ),
  },
  {
    kind: 'assigned-secret',
    pattern: new RegExp(
      `${NOT_WITHIN}(?:--)?${NAMED}(?::\\s{1,8}|=|\\s=\\s)(${MIXED}[A-Za-z0-9+/_~-]{20,400}={0,2})(?![A-Za-z0-9+/_.~(\\[{=-])`,
      'gi',
    ),
  },
];

/** From the particular to the general: the first that fits names it. */
export const SECRET_FAMILIES: readonly SecretFamily[] = [
  ...MODELS,
  ...CLOUDS,
  ...CODE,
  ...SERVICES,
  ...GENERAL,
  ...ASSIGNED,
];

// How they are found in a text.

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
