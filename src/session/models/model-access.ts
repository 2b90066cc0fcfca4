// What a session needs to reach models: keys, providers of the user's own, the way there. All of it comes from the host's
// options, the environment and the user's own folder; nothing from the files of a project.
import type { Host } from '../../host/host.js';
import { type ModelAccess, type ModelReach, providerOfAuth } from '../../providers/choice/index.js';
import type { HttpRoute, TransportChoice } from '../../providers/http/index.js';
import { createSecrets, type Secrets } from '../../providers/keys/index.js';
import { isRecord } from '../../util/json.js';
import { childEnvironment, type ModelOptions } from '../config/index.js';
import { DOORS } from '../features.js';
import type { KeptModel, KeptProviders } from './credentials-file.js';

type Env = Readonly<Record<string, string | undefined>>;

/** In lower case they count too. */
const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'];

/** What was said of a model when it was set up with a key of its own. */
export interface KeptModelFacts extends Pick<KeptModel, 'contextWindow' | 'maxOutputTokens'> {
  /** The known provider whose model it is. */
  readonly of?: string;
}

/** As the models of a session are reached. */
export interface SessionAccess extends ModelAccess {
  /** Null for a model of a provider that was not set up so, and before such providers were asked for. */
  keptModel(provider: string, model: string): KeptModelFacts | null;
}

/**
 * @param model what the session's model is called, if anything: a key that names no provider is for that one
 * @param secrets grows with every credential that is found
 */
export function openModelAccess(
  host: Host,
  env: Env,
  { auth, providers, modelTiers: tiers, modelObjects: objects, betas }: ModelOptions,
  model: string | undefined,
  secrets: Secrets = createSecrets(),
): SessionAccess {
  let keptNow: KeptProviders = new Map();
  let stored: ReturnType<ModelAccess['storedKeys']> | null = null;
  return {
    env,
    ...(auth === undefined ? {} : { auth, authProvider: providerOfAuth(auth, model, { env, tiers }) }),
    providers,
    tiers,
    objects,
    ...(betas === undefined ? {} : { betas }),
    secrets,
    async keptProviders() {
      const { describedProvider, readKeptProviders } = await DOORS.credentials();
      // What is wrong with the file is told by who needs a key of it.
      const kept: KeptProviders = await readKeptProviders(host, env).catch(() => new Map());
      keptNow = new Map([...kept].map(([id, each]) => [id.toLowerCase(), each]));
      return Object.fromEntries([...kept].map(([id, each]) => [id, describedProvider(each)]));
    },
    keptModel(provider, name) {
      const id = provider.toLowerCase();
      const kept = keptNow.get(id);
      // What the option says of a provider beats what was set up once.
      if (kept === undefined || (isRecord(providers) && Object.hasOwn(providers, id))) return null;
      const { contextWindow, maxOutputTokens } = kept.models.find((each) => each.id === name) ?? {};
      return {
        ...(kept.of === undefined ? {} : { of: kept.of }),
        ...(contextWindow === undefined ? {} : { contextWindow }),
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      };
    },
    storedKeys() {
      stored ??= DOORS.credentials().then(({ readStoredKeys, credentialsFile }) =>
        readStoredKeys(host, credentialsFile(host, env)),
      );
      return stored;
    },
  };
}

/** What a provider is made with; the way to it may change. */
export interface ChangingReach extends ModelReach {
  /** In place of the option, for the next request on; null: what the variables say. @throws ConfigError */
  setProxy(proxy: string | null): Promise<void>;
}

export function openModelReach(host: Host, access: ModelAccess, given: ModelOptions): ChangingReach {
  const { env, secrets } = access;
  let options = given;
  let authorities: Promise<readonly string[] | null> | null = null;
  const findProxy = async (url: URL): Promise<URL | null> => {
    const { chooseProxy } = await DOORS.access();
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
      let [seen, way] = [options, wayTo(url)];
      await way; // what cannot be used is told at once
      return () => {
        if (seen !== options) [seen, way] = [options, wayTo(url)];
        return way;
      };
    },
    async setProxy(proxy) {
      const { proxy: _, ...rest } = options;
      const { checkProxy } = await DOORS.access();
      if (proxy !== null) checkProxy(proxy, 'setProxy');
      options = proxy === null ? rest : { ...rest, proxy };
    },
    async keptProfiles(provider) {
      const { readModelProfiles, toolCallsOf } = await DOORS.access();
      return toolCallsOf(await readModelProfiles(host, env), provider);
    },
    async openFetcher(fetchToken) {
      const { createTokenFetcher } = await DOORS.access();
      const onKey = (token: string) => secrets.addValue(token, 'access token');
      return createTokenFetcher({ fetchToken, clock: host.clock, ids: host.ids, onKey });
    },
    async openHelper(command, ttlMs, provider) {
      const { createKeyHelper } = await DOORS.access();
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

  /** Undefined: straight. */
  async function wayTo(url: URL): Promise<HttpRoute | undefined> {
    const proxy = namesProxy(env, options) ? await findProxy(url) : null;
    // Only TLS has certificates, and building a store of authorities takes a while.
    const isTls = url.protocol === 'https:' || proxy?.protocol === 'https:';
    if (isTls && namesAuthorities(env, options))
      authorities ??= DOORS.access().then(({ readAuthorities }) => readAuthorities(host, env, options.caFile));
    const trusted = isTls ? await authorities : null;
    return proxy === null && trusted === null ? undefined : { proxy, authorities: trusted };
  }
}

function namesProxy(env: Env, { proxy }: ModelOptions): boolean {
  return proxy !== undefined || PROXY_VARIABLES.some((name) => env[name] || env[name.toLowerCase()]);
}

function namesAuthorities(env: Env, { caFile }: ModelOptions): boolean {
  return [env.SSL_CERT_FILE?.trim(), env.NODE_EXTRA_CA_CERTS?.trim(), caFile].some((file) => !!file);
}

/** True if the user says something of models in a file. */
export function namesModelsFile({ modelsFile }: ModelOptions, env: Env): boolean {
  return modelsFile !== undefined || !!env.TURNWRIGHT_MODELS_FILE?.trim();
}
