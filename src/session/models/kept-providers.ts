// Providers and models with keys of the user's own that a host has set up by controls, in the file of the user's
// credentials. One rule: no text and no answer shows a key, and what cannot be used is passed over, never fatal.
import type { Host } from '../../host/host.js';
import { PROVIDER_APIS, type ProviderApi, type ProviderOptions } from '../../protocol/model-options.js';
import { isRecord } from '../../util/is-record.js';
import { credentialsFile, readCredentialsFile, writeCredentialsPart } from './credentials-file.js';

const PART = 'byok';

export interface KeptModel {
  readonly id: string;
  readonly displayName?: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly vision?: boolean;
  readonly reasoning?: boolean;
}

/** What was set up under one name. */
export interface KeptProvider {
  /** `model`: one model of a known provider, with a key of its own. `provider`: a server. */
  readonly kind: 'model' | 'provider';
  readonly displayName: string;
  readonly api: ProviderApi;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly authType: 'bearer' | 'api-key';
  /** The known provider that it is a model of. */
  readonly of?: string;
  readonly providerType?: string;
  readonly reasoningEffort?: string;
  readonly models: readonly KeptModel[];
}

export type KeptProviders = ReadonlyMap<string, KeptProvider>;

/** @throws ConfigError where others can read the file, or it is none of ours */
export async function readKeptProviders(host: Host, env: Host['env']): Promise<KeptProviders> {
  const content = await readCredentialsFile(host, credentialsFile(host, env));
  const part = content?.[PART];
  if (!isRecord(part)) return new Map();
  return new Map(Object.entries(part).flatMap(([id, value]) => (isKept(value) ? [[id, value] as const] : [])));
}

/** @throws ConfigError if the file cannot be written */
export async function writeKeptProviders(host: Host, env: Host['env'], kept: KeptProviders): Promise<void> {
  await writeCredentialsPart(host, credentialsFile(host, env), PART, Object.fromEntries([...kept].sort()));
}

/** As the option `providers` would describe it. */
export function describedProvider(kept: KeptProvider): ProviderOptions {
  const { displayName, api, baseUrl, apiKey, authType, models } = kept;
  const [first] = models;
  const isUsual = (api === 'anthropic') === (authType === 'api-key');
  const header = authType === 'bearer' ? { authorization: `Bearer ${apiKey}` } : { 'api-key': apiKey };
  return {
    displayName,
    api,
    baseUrl,
    apiKey,
    ...(isUsual ? {} : { headers: header }),
    ...(first === undefined ? {} : { tiers: { auto: first.id } }),
  };
}

function isKept(value: unknown): value is KeptProvider {
  if (!isRecord(value)) return false;
  const { kind, displayName, api, baseUrl, apiKey, authType, models } = value;
  return (
    (kind === 'model' || kind === 'provider') &&
    [displayName, baseUrl, apiKey].every((each) => typeof each === 'string' && each !== '') &&
    PROVIDER_APIS.some((each) => each === api) &&
    (authType === 'bearer' || authType === 'api-key') &&
    Array.isArray(models) &&
    models.every((model) => isRecord(model) && typeof model['id'] === 'string')
  );
}
