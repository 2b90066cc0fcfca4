// What a server of the user's own says of the account and of its models, at the addresses that its description names. One
// rule: what is missing or of another kind is left out, and a server that does not answer is no failure.
import type { Host } from '../../host/host.js';
import type { ModelInfo, ModelPromotion, UsageInfo } from '../../protocol/model.js';
import {
  type ConfiguredProvider,
  type Credential,
  credentialOf,
  type ModelAccess,
} from '../../providers/choice/index.js';
import { createRoutedFetch } from '../../providers/http/index.js';
import type { ModelOptions } from '../../session/config/index.js';
import { openModelReach } from '../../session/models/index.js';
import { isRecord } from '../../util/json.js';

/** How long a server may take, milliseconds. */
const PATIENCE_MS = 10_000;
const MAX_BYTES = 4_000_000;
const MAX_MODELS = 1_000;

export interface AccountServer {
  readonly host: Host;
  readonly access: ModelAccess;
  readonly models: ModelOptions;
}

/** Null if it says nothing. */
export async function serverUsage(provider: ConfiguredProvider, place: AccountServer): Promise<UsageInfo | null> {
  const answer = provider.usageUrl === undefined ? null : await ask(provider.usageUrl, provider, place);
  const usage = isRecord(answer) && isRecord(answer['usage']) ? answer['usage'] : answer;
  return isRecord(usage) ? readUsage(usage) : null;
}

/** The models of its list, by names that `setModel` takes; null if it has no list, or does not give it. */
export async function serverModels(provider: ConfiguredProvider, place: AccountServer): Promise<ModelInfo[] | null> {
  const answer = provider.modelsUrl === undefined ? null : await ask(provider.modelsUrl, provider, place);
  const list = isRecord(answer) ? (answer['models'] ?? answer['data']) : answer;
  if (!Array.isArray(list)) return null;
  return list.slice(0, MAX_MODELS).flatMap((entry) => {
    const read = isRecord(entry) ? readModel(provider, entry) : null;
    return read === null ? [] : [read];
  });
}

async function ask(
  url: string,
  provider: ConfiguredProvider,
  { host, access, models }: AccountServer,
): Promise<unknown> {
  const reach = openModelReach(host, access, models);
  const fetch = createRoutedFetch({ clock: host.clock, routeTo: (address) => reach.routeTo(address) });
  const controller = new AbortController();
  const cancel = host.clock.after(PATIENCE_MS, () => controller.abort());
  try {
    const token = await tokenOf(await credentialOf(provider, access), provider, reach);
    const sent = token === null ? {} : { authorization: `Bearer ${token}` };
    const headers = { accept: 'application/json', ...provider.headers, ...sent };
    const response = await fetch(url, { headers, signal: controller.signal });
    if (!response.ok) return null;
    const text = await response.text();
    return text.length > MAX_BYTES ? null : JSON.parse(text);
  } catch {
    return null; // nothing is known then, which is what callers say
  } finally {
    cancel();
    fetch.close();
  }
}

async function tokenOf(
  credential: Credential,
  { id }: ConfiguredProvider,
  reach: ReturnType<typeof openModelReach>,
): Promise<string | null> {
  switch (credential.kind) {
    case 'none':
      return null;
    case 'helper':
      return (await reach.openHelper(credential.command, credential.ttlMs, id)).key();
    case 'fetched':
      return (await reach.openFetcher(credential.fetchToken)).key();
    default:
      return credential.key;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Servers write `snake_case` or `camelCase`. */
function at(fields: Fields, name: string): unknown {
  return fields[name] ?? fields[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

function texts<Name extends string>(fields: Fields, names: readonly Name[]): { [K in Name]?: string } {
  return pick(fields, names, (value): value is string => typeof value === 'string');
}

function numbers<Name extends string>(fields: Fields, names: readonly Name[]): { [K in Name]?: number } {
  return pick(fields, names, (value): value is number => typeof value === 'number' && Number.isFinite(value));
}

function flags<Name extends string>(fields: Fields, names: readonly Name[]): { [K in Name]?: boolean } {
  return pick(fields, names, (value): value is boolean => typeof value === 'boolean');
}

function pick<Name extends string, T>(
  fields: Fields,
  names: readonly Name[],
  fits: (value: unknown) => value is T,
): { [K in Name]?: T } {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = at(fields, name);
      return fits(value) ? [[name, value]] : [];
    }),
  ) as { [K in Name]?: T };
}

function bucket<Read extends object>(
  fields: Fields,
  name: string,
  read: (fields: Fields) => Read,
): { [key: string]: Read } {
  const value = at(fields, name);
  return isRecord(value) ? { [name]: read(value) } : {};
}

function readUsage(fields: Fields): UsageInfo {
  const quota = (part: Fields) => ({
    ...numbers(part, ['total', 'used', 'remaining', 'percentage']),
    ...texts(part, ['unit']),
  });
  return {
    ...texts(fields, ['userId', 'userType', 'upgradeUrl']),
    ...numbers(fields, ['totalUsagePercentage', 'expiresAt']),
    ...flags(fields, ['isHighestTier', 'isQuotaExceeded', 'isPlanQuotaProrated']),
    ...bucket(fields, 'userQuota', quota),
    ...bucket(fields, 'addOnQuota', (part) => ({ ...quota(part), ...texts(part, ['detailUrl']) })),
    ...bucket(fields, 'orgResourcePackage', (part) => ({
      ...numbers(part, ['used', 'cap', 'remaining', 'percentage']),
      ...flags(part, ['available']),
      ...texts(part, ['unit']),
    })),
  };
}

function readModel({ id: provider }: ConfiguredProvider, entry: Fields): ModelInfo | null {
  const name = entry['value'] ?? entry['id'] ?? entry['key'] ?? entry['model'];
  if (typeof name !== 'string' || name === '' || /[\s\p{C}]/u.test(name)) return null;
  const { displayName, description = '' } = texts(entry, ['displayName', 'description']);
  const { isEnabled = true, ...known } = flags(entry, ['isEnabled', 'isNew', 'isFree']);
  const promotion = at(entry, 'promotion');
  const context = at(entry, 'contextConfig') ?? entry['context_config'];
  const thinking = at(entry, 'thinkingConfig') ?? entry['thinking_config'];
  return {
    value: `${provider}/${name}`,
    displayName: displayName ?? textOf(entry['name']) ?? textOf(entry['display_name']) ?? name,
    description,
    isEnabled,
    ...known,
    ...numbers(entry, ['priceFactor']),
    ...(isRecord(context) ? { context_config: windows(context) } : {}),
    ...(isRecord(thinking) ? { thinking_config: thinking } : {}),
    ...(isRecord(promotion) ? { promotion: readPromotion(promotion) } : {}),
    serverModel: entry as NonNullable<ModelInfo['serverModel']>,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function windows(config: Fields): NonNullable<ModelInfo['context_config']> {
  return Object.fromEntries(
    Object.entries(config).flatMap(([label, entry]) => {
      if (!isRecord(entry) || typeof entry['token_count'] !== 'number') return [];
      return [[label, { token_count: entry['token_count'], ...flags(entry, ['is_default']) }]];
    }),
  );
}

function readPromotion(fields: Fields): ModelPromotion {
  const localized = (name: 'badge' | 'description') => {
    const value = fields[name];
    if (!isRecord(value)) return {};
    return { [name]: Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string')) };
  };
  return {
    active: fields['active'] === true,
    ...localized('badge'),
    ...localized('description'),
    ...numbers(fields, ['discount_factor', 'before_promotion_price_factor']),
    ...texts(fields, ['timezone', 'rule_id', 'window_start', 'window_end']),
  };
}
