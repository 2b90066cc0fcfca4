// What a session needs to reach models: keys, providers of the user's own, the way there. All of it comes from the host's
// options, the environment and the user's own folder; nothing from the files of a project.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';
import { ConfigError } from '../protocol/errors.js';
import type { AuthOptions, ModelTiers, ProviderKeyOptions, ProviderOptions } from '../protocol/model-options.js';
import { providerOfAuth } from '../providers/choose-model.js';
import type { TransportChoice } from '../providers/http.js';
import type { ModelAccess, ModelObjects } from '../providers/provider-access.js';
import type { ModelReach } from '../providers/registry.js';
import { createSecrets, type Secrets } from '../providers/secrets.js';
import { childEnvironment } from './child-env.js';
import { homeFolder } from './store/store-path.js';

/** Options about reaching models, as the host gives them. */
export interface ModelOptions {
  readonly auth?: AuthOptions | ProviderKeyOptions;
  readonly providers?: Readonly<Record<string, ProviderOptions>>;
  readonly modelTiers?: ModelTiers;
  readonly modelObjects?: ModelObjects;
  /** Absolute. */
  readonly modelsFile?: string;
  readonly proxy?: string;
  /** Absolute. */
  readonly caFile?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** In lower case they count too. */
const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'];

/**
 * @param model what the session's model is called, if anything: a key that names no provider is for that one
 * @param secrets grows with every credential that is found
 */
export function openModelAccess(
  host: Host,
  env: Env,
  { auth, providers, modelTiers: tiers, modelObjects: objects }: ModelOptions,
  model: string | undefined,
  secrets: Secrets = createSecrets(),
): ModelAccess {
  let stored: ReturnType<ModelAccess['storedKeys']> | null = null;
  return {
    env,
    ...(auth === undefined ? {} : { auth, authProvider: providerOfAuth(auth, model, { env, tiers }) }),
    providers,
    tiers,
    objects,
    secrets,
    storedKeys() {
      stored ??= import('./stored-keys.js').then(({ readStoredKeys, storedKeysFile }) =>
        readStoredKeys(host, storedKeysFile(host, env)),
      );
      return stored;
    },
  };
}

/** What a provider is made with. */
export function openModelReach(host: Host, access: ModelAccess, options: ModelOptions): ModelReach {
  const { env, secrets } = access;
  let authorities: Promise<readonly string[] | null> | null = null;
  const findProxy = async (url: URL): Promise<URL | null> => {
    const { chooseProxy } = await import('../providers/http-route.js');
    const proxy = chooseProxy(url, env, options.proxy);
    if (proxy !== null && proxy.password !== '') {
      secrets.addValue(decodeURIComponent(proxy.password), 'password of the proxy');
    }
    return proxy;
  };
  return {
    access,
    clock: host.clock,
    ids: host.ids,
    async routeTo(address): Promise<TransportChoice | undefined> {
      const url = URL.canParse(address) ? new URL(address) : null;
      if (url === null) return undefined;
      const proxy = namesProxy(env, options) ? await findProxy(url) : null;
      // Only TLS has certificates, and building a store of authorities takes a while.
      const isTls = url.protocol === 'https:' || proxy?.protocol === 'https:';
      if (isTls) authorities ??= readAuthorities(host, env, options.caFile);
      const trusted = isTls ? await authorities : null;
      return proxy === null && trusted === null ? undefined : { proxy, authorities: trusted };
    },
    async keptProfiles(provider) {
      const { readModelProfiles, toolCallsOf } = await import('./model-profiles.js');
      return toolCallsOf(await readModelProfiles(host, env), provider);
    },
    async openHelper(command, ttlMs, provider) {
      const { createKeyHelper } = await import('../providers/key-helper.js');
      return createKeyHelper({
        command,
        ttlMs,
        exec: host.exec,
        clock: host.clock,
        cwd: host.platform.homedir,
        env: childEnvironment(env, secrets),
        onKey: (key) => secrets.addValue(key, `key of ${provider}`),
      });
    },
  };
}

function namesProxy(env: Env, { proxy }: ModelOptions): boolean {
  return proxy !== undefined || PROXY_VARIABLES.some((name) => env[name] || env[name.toLowerCase()]);
}

/**
 * SSL_CERT_FILE takes the place of the authorities that come with the runtime; NODE_EXTRA_CA_CERTS and the option come to
 * them. Null where nothing is said.
 */
async function readAuthorities(host: Host, env: Env, caFile: string | undefined): Promise<readonly string[] | null> {
  const base = env.SSL_CERT_FILE?.trim() || null;
  const more = [env.NODE_EXTRA_CA_CERTS?.trim(), caFile].filter(
    (file) => file !== undefined && file !== '',
  ) as string[];
  if (base === null && more.length === 0) return null;
  const files = await Promise.all([...(base === null ? [] : [base]), ...more].map((file) => readPem(host, file)));
  if (base !== null) return files;
  const { builtInAuthorities } = await import('../providers/authorities.js');
  return [...builtInAuthorities(), ...files];
}

async function readPem(host: Host, file: string): Promise<string> {
  const absolute = path.resolve(host.platform.cwd, file);
  try {
    const text = new TextDecoder().decode(await host.fs.readFile(absolute));
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new ConfigError(`The file of authorities ${absolute} cannot be read: ${error.message}`, { cause: error });
  }
  throw new ConfigError(`The file of authorities ${absolute} holds no certificate in PEM form.`);
}

/**
 * What the user says of models in a file, `{ "provider/model": { contextWindow, maxOutputTokens, price } }`; undefined
 * where there is none. @throws ConfigError
 */
export async function readModelsFile(
  host: Host,
  env: Env,
  { modelsFile }: ModelOptions,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const named = modelsFile ?? (env.TURNWRIGHT_MODELS_FILE?.trim() || undefined);
  if (named === undefined) return undefined;
  const file = path.resolve(homeFolder(host, env), named);
  try {
    const content: unknown = JSON.parse(new TextDecoder().decode(await host.fs.readFile(file)));
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
      return content as Readonly<Record<string, unknown>>;
    }
  } catch (error) {
    if (isFileError(error))
      throw new ConfigError(`The file of models ${file} cannot be read: ${error.message}`, { cause: error });
    throw new ConfigError(`The file of models ${file} is not JSON.`, { cause: error });
  }
  throw new ConfigError(`The file of models ${file} must hold an object: { "provider/model": { … } }.`);
}
