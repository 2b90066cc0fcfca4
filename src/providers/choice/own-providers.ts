// Providers that the user describes: of their own, or known ones with another address, key or header. One rule: what
// cannot be used is refused by name, and no text ever shows a key. Loaded if there are some.
import { ConfigError } from '../../protocol/errors.js';
import {
  type ChatQuirks,
  MODEL_TIERS,
  type ModelTiers,
  PROVIDER_APIS,
  type ProviderOptions,
} from '../../protocol/model-options.js';
import { OWN_LIMITS, type ProviderLimits } from '../contract/index.js';
import { checkTiers } from '../models/index.js';
import { TOOL_CALL_PROFILES } from '../text-calls/index.js';
import { CHAT_QUIRKS, findProvider, KNOWN_PROVIDERS } from './known-providers.js';
import type { ConfiguredProvider, KnownProvider } from './provider-access.js';

const FIELDS: readonly (keyof ProviderOptions)[] = [
  'displayName',
  'api',
  'baseUrl',
  'apiKeyVariable',
  'apiKey',
  'needsKey',
  'headers',
  'quirks',
  'tiers',
  'modelsUrl',
  'usageUrl',
  'free',
  ...OWN_LIMITS,
];
const ID = /^[a-z][a-z0-9_.-]{0,63}$/i;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * All providers: the user's own in the order they are written, then the known ones.
 * @param described by id; of a variable or an option, so anything may stand there
 * @throws ConfigError that names the provider and the field
 */
export function configureProviders(described: unknown, where = 'providers'): readonly ConfiguredProvider[] {
  const entries = Object.entries(record(described ?? {}, where)).map(([id, value]) => readProvider(id, value, where));
  const second = entries.find(({ id }, at) => entries.findIndex((other) => other.id === id) !== at);
  if (second !== undefined) throw new ConfigError(`${where}: two entries are for ${second.id}; make them one.`);
  const taken = new Set(entries.map(({ id }) => id));
  const rest = KNOWN_PROVIDERS.filter(({ id }) => !taken.has(id));
  return [...entries, ...rest.map((known) => ({ ...known, isOwn: false, hasOwnAddress: false }))];
}

function readProvider(name: string, value: unknown, where: string): ConfiguredProvider {
  const at = `${where}.${name.slice(0, 64)}`;
  if (!ID.test(name) || name.toLowerCase() === 'offline') {
    throw new ConfigError(
      `${where}: "${name.slice(0, 64)}" cannot name a provider. Use letters, digits, ".", "_" and "-"; "offline" is taken.`,
    );
  }
  const fields = record(value, at);
  const stranger = Object.keys(fields).find((field) => !(FIELDS as readonly string[]).includes(field));
  if (stranger !== undefined) {
    throw new ConfigError(`${at} has the unknown field "${stranger.slice(0, 64)}". Fields: ${FIELDS.join(', ')}.`);
  }
  const known = findProvider(name, KNOWN_PROVIDERS);
  const baseUrl = text(fields['baseUrl'], `${at}.baseUrl`);
  if (known === null && baseUrl === undefined) {
    throw new ConfigError(
      `${at} needs a baseUrl, for example "https://host/v1": there is no known provider "${name}".`,
    );
  }
  return { ...whatItIs(name, fields, known, at), ...address(baseUrl, known, at), ...access(fields, known, at) };
}

function whatItIs(name: string, fields: Fields, known: KnownProvider | null, at: string) {
  const id = known?.id ?? name.toLowerCase();
  const tiers = checkTiers(fields['tiers'], `${at}.tiers`) ?? known?.tiers;
  // Over what is known of the server; of a new one, that it takes what nearly all take.
  const quirks = { ...(known?.quirks ?? CHAT_QUIRKS.compatible), ...readQuirks(fields['quirks'], `${at}.quirks`) };
  const free = flag(fields['free'], `${at}.free`) ?? known?.free;
  return {
    id,
    isOwn: true,
    displayName: text(fields['displayName'], `${at}.displayName`) ?? known?.displayName ?? name,
    api: oneOfApis(fields['api'], `${at}.api`) ?? known?.api ?? 'openai-chat',
    ...(known?.aliases === undefined ? {} : { aliases: known.aliases }),
    ...(known?.keyUrl === undefined ? {} : { keyUrl: known.keyUrl }),
    ...(tiers === undefined ? {} : { tiers: completeTiers(tiers) }),
    ...pages(fields, known, at),
    quirks,
    ...(free === undefined ? {} : { free }),
    ...readLimits(fields, at),
  };
}

/** Its list of models and what it tells of the account: the key goes there, so only if its address is. */
function pages(fields: Fields, known: KnownProvider | null, at: string) {
  const base = text(fields['baseUrl'], `${at}.baseUrl`) ?? known?.baseUrl ?? '';
  const names = ['modelsUrl', 'usageUrl'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const given = text(fields[name], `${at}.${name}`);
      if (given === undefined) return [];
      const address = given.includes('://') ? given : `${base.replace(/\/+$/, '')}/${given.replace(/^\/+/, '')}`;
      if (!isWebAddress(address) || (isWebAddress(base) && new URL(address).origin !== new URL(base).origin))
        throw new ConfigError(
          `${at}.${name} must be an address on the server of ${at}.baseUrl, since the key is sent there.`,
        );
      return [[name, address] as const];
    }),
  );
}

function readLimits(fields: Fields, at: string): { readonly limits?: ProviderLimits } {
  const names = OWN_LIMITS.filter((name) => fields[name] !== undefined);
  const wrong = names.find((name) => !(Number.isInteger(fields[name]) && Number(fields[name]) >= 0));
  if (wrong !== undefined) throw new ConfigError(`${at}.${wrong} must be a whole number of milliseconds, at least 0.`);
  if (names.length === 0) return {};
  return { limits: Object.fromEntries(names.map((name) => [name, Number(fields[name])])) };
}

function address(baseUrl: string | undefined, known: KnownProvider | null, at: string) {
  if (baseUrl !== undefined && !isWebAddress(baseUrl)) {
    throw new ConfigError(`${at}.baseUrl is not an http or https URL without user and password.`);
  }
  return {
    baseUrl: baseUrl ?? known?.baseUrl ?? '',
    hasOwnAddress: baseUrl !== undefined,
    // What was written down for this provider beats what a variable says.
    ...(baseUrl !== undefined || known?.baseUrlVariable === undefined
      ? {}
      : { baseUrlVariable: known.baseUrlVariable }),
    ...(baseUrl !== undefined || known?.addressOf === undefined ? {} : { addressOf: known.addressOf }),
  };
}

function access(fields: Fields, known: KnownProvider | null, at: string) {
  const variable = text(fields['apiKeyVariable'], `${at}.apiKeyVariable`);
  if (variable !== undefined && !VARIABLE.test(variable)) {
    throw new ConfigError(`${at}.apiKeyVariable must be the name of a variable, such as MY_PROVIDER_API_KEY.`);
  }
  const apiKey = text(fields['apiKey'], `${at}.apiKey`);
  const hasKey = variable !== undefined || apiKey !== undefined;
  const headers = readHeaders(fields['headers'], `${at}.headers`) ?? known?.headers;
  return {
    keyVariables: variable === undefined ? (known?.keyVariables ?? []) : [variable],
    needsKey: flag(fields['needsKey'], `${at}.needsKey`) ?? known?.needsKey ?? hasKey,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** A tier that is not named is what `auto` is, or the first that is named. */
function completeTiers(tiers: ModelTiers): ModelTiers {
  const fallback = tiers.auto ?? MODEL_TIERS.map((tier) => tiers[tier]).find((model) => model !== undefined);
  if (fallback === undefined) return tiers;
  return { ...Object.fromEntries(MODEL_TIERS.map((tier) => [tier, fallback])), ...tiers };
}

type Fields = Readonly<Record<string, unknown>>;

function record(value: unknown, where: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new ConfigError(`${where} must be an object.`);
}

function text(value: unknown, where: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  throw new ConfigError(`${where} must be a text that is not empty.`);
}

function flag(value: unknown, where: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw new ConfigError(`${where} must be true or false.`);
}

function oneOfApis(value: unknown, where: string): KnownProvider['api'] | undefined {
  if (value === undefined) return undefined;
  const found = PROVIDER_APIS.find((api) => api === value);
  if (found !== undefined) return found;
  throw new ConfigError(`${where} must be one of ${PROVIDER_APIS.join(', ')}.`);
}

function readHeaders(value: unknown, where: string): Readonly<Record<string, string>> | undefined {
  if (value === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const [name, header] of Object.entries(record(value, where))) {
    if (typeof header !== 'string') throw new ConfigError(`${where}: "${name.slice(0, 64)}" must be a text.`);
    headers[name] = header;
  }
  return headers;
}

/** What each quirk takes: one of these words, or a value of that kind. */
const QUIRKS: { readonly [Name in keyof ChatQuirks]-?: 'boolean' | 'number' | 'object' | readonly ChatQuirks[Name][] } =
  {
    maxTokensField: ['max_completion_tokens', 'max_tokens', 'none'],
    systemRole: ['system', 'developer'],
    thinking: ['reasoning_effort', 'thinking_type', 'enable_thinking', 'chat_template', 'openrouter', 'none'],
    efforts: 'object',
    reasoningBack: ['reasoning_content', 'reasoning'],
    reasoningDetails: 'boolean',
    foreignCallExtra: 'object',
    reasoningTokensApart: 'boolean',
    images: 'boolean',
    imageUrls: 'boolean',
    files: 'boolean',
    assistantAfterTools: 'boolean',
    promptCacheKey: 'boolean',
    cacheControl: 'boolean',
    streamUsage: 'boolean',
    outputSchema: ['known', 'all', 'none'],
    maxToolNameLength: 'number',
    maxCallIdLength: 'number',
    nineCharacterIds: 'boolean',
    extraBody: 'object',
    toolCalls: TOOL_CALL_PROFILES,
    toolCallsOf: 'object',
  };

function readQuirks(value: unknown, where: string): ChatQuirks {
  if (value === undefined) return {};
  for (const [name, quirk] of Object.entries(record(value, where))) {
    if (!Object.hasOwn(QUIRKS, name)) {
      throw new ConfigError(
        `${where}: there is no quirk "${name.slice(0, 64)}". Quirks: ${Object.keys(QUIRKS).join(', ')}.`,
      );
    }
    checkQuirk(quirk, QUIRKS[name as keyof ChatQuirks], `${where}.${name}`);
    if (name === 'efforts') {
      for (const [effort, word] of Object.entries(record(quirk, `${where}.efforts`)))
        if (typeof word !== 'string')
          throw new ConfigError(`${where}.efforts: "${effort.slice(0, 64)}" must be a text.`);
    }
    if (name !== 'toolCallsOf') continue;
    for (const [model, profile] of Object.entries(record(quirk, `${where}.toolCallsOf`)))
      checkQuirk(profile, TOOL_CALL_PROFILES, `${where}.toolCallsOf["${model.slice(0, 64)}"]`);
  }
  return value as ChatQuirks;
}

function checkQuirk(value: unknown, takes: (typeof QUIRKS)[keyof ChatQuirks], where: string): void {
  if (typeof takes === 'object') {
    if (takes.some((word) => word === value)) return;
    throw new ConfigError(`${where} must be one of ${takes.join(', ')}.`);
  }
  if (takes === 'object') record(value, where);
  else if (typeof value !== takes) throw new ConfigError(`${where} must be a ${takes}.`);
  else if (takes === 'number' && !(Number.isSafeInteger(value) && Number(value) >= 1))
    throw new ConfigError(`${where} must be a whole number of at least 1.`);
}

function isWebAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}
