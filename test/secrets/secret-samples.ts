// One made-up secret of each family, put together here so that none stands in the repository.
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';

/** `length` characters of `alphabet`, the same for the same seed; with a digit and a letter if it has both. */
function draw(alphabet: string, length: number, seed: number): string {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  let drawn = '';
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    drawn += alphabet[Math.floor((state / 2 ** 32) * alphabet.length)];
  }
  return drawn;
}

const word = (length: number, seed: number) => `a1${draw(`${LETTERS}${DIGITS}`, length - 2, seed)}`;
const hex = (length: number, seed: number) => draw('0123456789abcdef', length, seed);
const upper = (length: number, seed: number) => draw('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', length, seed);
const base64 = (length: number, seed: number) => draw(`${LETTERS}${DIGITS}+/`, length, seed);

export interface SecretSample {
  readonly kind: string;
  /** As it stands in a text. */
  readonly text: string;
  /** The part that must go. */
  readonly secret: string;
}

/** @param seed another seed, other secrets */
export function secretSamples(seed: number): readonly SecretSample[] {
  const plain: readonly [string, string][] = [
    ['anthropic-key', `sk-ant-api03-${word(93, seed)}AA`],
    ['openrouter-key', `sk-or-v1-${hex(64, seed)}`],
    ['openai-key', `sk-proj-${word(48, seed)}_${word(40, seed)}`],
    ['openai-key', `sk-${word(48, seed)}`],
    ['groq-key', `gsk_${word(52, seed)}`],
    ['perplexity-key', `pplx-${word(48, seed)}`],
    ['xai-key', `xai-${word(80, seed)}`],
    ['replicate-token', `r8_${word(37, seed)}`],
    ['huggingface-token', `hf_${word(34, seed)}`],
    ['nvidia-key', `nvapi-${word(64, seed)}`],
    ['fireworks-key', `fw_${word(24, seed)}`],
    ['elevenlabs-key', `sk_${hex(48, seed)}`],
    ['aws-access-key', `AKIA${upper(16, seed)}`],
    ['google-key', `AIza${word(35, seed)}`],
    ['google-client-secret', `GOCSPX-${word(28, seed)}`],
    ['google-token', `ya29.${word(60, seed)}`],
    ['google-refresh-token', `1//0${word(60, seed)}`],
    ['azure-client-secret', `abc8Q~${word(34, seed)}`],
    ['digitalocean-token', `dop_v1_${hex(64, seed)}`],
    ['heroku-key', `HRKU-AA${word(58, seed)}`],
    ['cloudflare-origin-key', `v1.0-${hex(24, seed)}-${hex(146, seed)}`],
    ['alibaba-key', `LTAI${word(20, seed)}`],
    ['tencent-key', `AKID${word(32, seed)}`],
    ['yandex-key', `AQVN${word(36, seed)}`],
    ['fly-token', `fo1_${word(43, seed)}`],
    ['netlify-token', `nfp_${word(36, seed)}`],
    ['supabase-key', `sbp_${hex(40, seed)}`],
    ['planetscale-key', `pscale_tkn_${word(43, seed)}`],
    ['databricks-token', `dapi${hex(32, seed)}`],
    ['terraform-token', `${word(14, seed)}.atlasv1.${word(67, seed)}`],
    ['vault-token', `hvs.${word(90, seed)}`],
    ['doppler-token', `dp.st.dev.${word(43, seed)}`],
    ['pulumi-token', `pul-${hex(40, seed)}`],
    ['tailscale-key', `tskey-auth-${word(12, seed)}-${word(32, seed)}`],
    ['docker-token', `dckr_pat_${word(27, seed)}`],
    ['github-token', `ghp_${word(36, seed)}`],
    ['github-token', `github_pat_${word(22, seed)}_${word(59, seed)}`],
    ['gitlab-token', `glpat-${word(20, seed)}`],
    ['bitbucket-token', `ATBB${word(32, seed)}`],
    ['atlassian-token', `ATATT3xFfGF0${word(180, seed)}`],
    ['npm-token', `npm_${word(36, seed)}`],
    ['pypi-token', `pypi-AgEIcHlwaS5vcmc${word(80, seed)}`],
    ['rubygems-key', `rubygems_${hex(48, seed)}`],
    ['crates-token', `cio${word(32, seed)}`],
    ['nuget-key', `oy2${draw('abcdefghijklmnopqrstuvwxyz0123456789', 43, seed)}`],
    ['clojars-token', `CLOJARS_${draw('abcdefghijklmnopqrstuvwxyz0123456789', 60, seed)}`],
    ['artifactory-key', `AKCp${word(69, seed)}`],
    ['sourcegraph-token', `sgp_${hex(16, seed)}_${hex(40, seed)}`],
    ['linear-key', `lin_api_${word(40, seed)}`],
    ['sentry-token', `sntrys_${word(80, seed)}`],
    ['newrelic-key', `NRAK-${word(27, seed)}`],
    ['grafana-token', `glsa_${word(32, seed)}_${hex(8, seed)}`],
    ['dynatrace-token', `dt0c01.${upper(24, seed)}.${upper(64, seed)}`],
    ['postman-key', `PMAK-${hex(24, seed)}-${hex(34, seed)}`],
    ['slack-token', `xoxb-${draw(DIGITS, 12, seed)}-${draw(DIGITS, 12, seed)}-${word(24, seed)}`],
    ['slack-token', `xapp-1-A0${upper(9, seed)}-${draw(DIGITS, 12, seed)}-${hex(64, seed)}`],
    ['discord-token', `M${word(23, seed)}.${word(6, seed)}.${word(27, seed)}`],
    ['telegram-token', `${draw('123456789', 10, seed)}:AA${word(33, seed)}`],
    ['stripe-key', `sk_live_${word(24, seed)}`],
    ['webhook-secret', `whsec_${word(32, seed)}`],
    ['square-token', `sq0atp-${word(22, seed)}`],
    ['facebook-token', `EAACEdEose0cBA${word(60, seed)}`],
    ['shopify-token', `shpat_${hex(32, seed)}`],
    ['twilio-key', `SK${hex(32, seed)}`],
    ['sendgrid-key', `SG.${word(22, seed)}.${word(43, seed)}`],
    ['mailgun-key', `key-${hex(32, seed)}`],
    ['mailchimp-key', `${hex(32, seed)}-us12`],
    ['brevo-key', `xkeysib-${hex(64, seed)}-${word(16, seed)}`],
    ['resend-key', `re_${word(8, seed)}_${word(24, seed)}`],
    ['notion-token', `ntn_${word(46, seed)}`],
    ['figma-token', `figd_${word(40, seed)}`],
    ['airtable-token', `pat${word(14, seed)}.${hex(64, seed)}`],
    ['contentful-token', `CFPAT-${word(43, seed)}`],
    ['typeform-token', `tfp_${word(59, seed)}`],
    ['easypost-key', `EZAK${word(54, seed)}`],
    ['dropbox-token', `sl.${word(136, seed)}`],
    ['age-key', `AGE-SECRET-KEY-1${draw('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58, seed)}`],
    ['jwt', `eyJhbGciOiJIUzI1NiJ9.eyJ${word(60, seed)}.${word(43, seed)}`],
    [
      'private-key',
      ['-----BEGIN', 'RSA PRIVATE KEY-----\n'].join(' ') +
        `${base64(64, seed)}\n${base64(64, seed + 1)}\n${base64(20, seed)}==\n-----END RSA PRIVATE KEY-----`,
    ],
  ];
  const named: readonly SecretSample[] = [
    within('aws-secret-key', base64(40, seed), (secret) => `aws_secret_access_key = ${secret}`),
    within('azure-storage-key', `${base64(86, seed)}==`, (secret) => `AccountName=x;AccountKey=${secret};Suffix=y`),
    within(
      'slack-webhook',
      `T${upper(8, seed)}/B${upper(8, seed)}/${word(24, seed)}`,
      (secret) => `https://hooks.slack.com/services/${secret}`,
    ),
    within(
      'discord-webhook',
      word(68, seed),
      (secret) => `https://discord.com/api/webhooks/123456789012345678/${secret}`,
    ),
    within('url-password', word(12, seed), (secret) => `postgres://app:${secret}@db.internal:5432/app`),
    within('bearer-token', word(40, seed), (secret) => `Authorization: Bearer ${secret}`),
    within('basic-authorization', base64(32, seed), (secret) => `Authorization: Basic ${secret}`),
    within('assigned-secret', word(32, seed), (secret) => `STRANGE_SERVICE_API_KEY=${secret}`),
    within('assigned-secret', word(32, seed), (secret) => `{"DB_PASSWORD": "${secret}"}`),
    within('assigned-secret', word(32, seed), (secret) => `{"access_token":"${secret}"}`),
    within('assigned-secret', word(20, seed), (secret) => `clientSecret = '${secret}'`),
    within('assigned-secret', word(24, seed), (secret) => `db-password: ${secret}\n`),
  ];
  return [...plain.map(([kind, text]) => ({ kind, text, secret: text })), ...named];
}

function within(kind: string, secret: string, toText: (secret: string) => string): SecretSample {
  return { kind, text: toText(secret), secret };
}
