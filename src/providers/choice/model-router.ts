// From a name to a provider that works, and many models behind one provider: each request goes to whoever serves the model it
// names. A provider is loaded with the first request, or mention, of a model of its own, so that a start pays for one only.
import type { Host } from '../../host/host.js';
import type { ModelEvent } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import type { FetchToken } from '../../protocol/model-options.js';
import { errorText } from '../../util/text.js';
import { createAnthropicProvider } from '../anthropic/index.js';
import { type AttemptLimits, later, type ModelRequest, type Provider, withOwnLimits } from '../contract/index.js';
import { DOORS } from '../doors.js';
import type { TransportChoice } from '../http/index.js';
import { type KeyHelper, pricedAs } from '../keys/index.js';
import type { ToolCallProfile } from '../text-calls/index.js';
import { chooseIfKeyed, chooseModel, type ModelChoice, noKeyAtAll, type RemoteChoice } from './choose-model.js';
import type { ModelAccess } from './provider-access.js';

/** What reaching a model takes. */
export interface ModelReach {
  readonly access: ModelAccess;
  readonly clock: Host['clock'];
  readonly ids: Host['ids'];
  /** The way to an address; undefined: straight. @throws ConfigError */
  routeTo(url: string): Promise<TransportChoice | undefined>;
  /** What `turnwright models probe` found out of a provider's models and the user keeps, by model. @throws ConfigError */
  keptProfiles(provider: string): Promise<Readonly<Record<string, ToolCallProfile>>>;
  /** What runs the user's command for a key. */
  openHelper(command: string, ttlMs: number | undefined, provider: string): Promise<KeyHelper>;
  /** What asks the host for tokens. */
  openFetcher(fetchToken: FetchToken): Promise<KeyHelper>;
}

interface ResolvedModels extends ModelRouter {
  /** Where the key of the first provider came from: the user's own, one for this session only, or nowhere. */
  readonly apiKeySource: 'user' | 'temporary' | 'none';
}

/**
 * Starts loading what a choice needs, while its caller still does other things. Loading is most of a cold start.
 * Contract: never throws; a module that cannot be loaded is told by the load that needs it.
 */
export function preloadProvider({ api }: ModelChoice): void {
  if (api === 'offline') DOORS.offline().catch(() => undefined);
  else if (api === 'ai-sdk') DOORS.aiSdk().catch(() => undefined);
  else importApi(api).catch(() => undefined);
}

/**
 * The model of a session, and every other that it may come to name. Without a key and a name there is none, and a request
 * that comes to it fails: much of a session needs no model, and a host may name one for each request. Throws `ConfigError` on a name, key or base URL that
 * cannot be used.
 */
export async function resolveModels(model: string | undefined, reach: ModelReach): Promise<ResolvedModels> {
  const choice = await chooseIfKeyed(model, reach.access);
  if (choice !== null) return resolveFrom(choice, reach);
  const first = { choice: { provider: 'none', model: 'none' }, provider: noProvider(reach.access) };
  return { ...routerFrom(first, reach), apiKeySource: 'none' };
}

/** As `resolveModels`, from a first model that was chosen already. */
export async function resolveFrom(choice: ModelChoice, reach: ModelReach): Promise<ResolvedModels> {
  const router = routerFrom({ choice, provider: await loadProvider(choice, reach) }, reach);
  return {
    ...router,
    apiKeySource: 'credential' in choice ? choice.credential.source : 'none',
  };
}

function routerFrom(
  first: { readonly choice: RoutedChoice; readonly provider: Closable },
  reach: ModelReach,
): ModelRouter {
  return createModelRouter({
    first,
    choose: (name) => chooseModel(name, reach.access),
    load: (other) => loadProvider(other, reach),
  });
}

/** What stands in the place of a first model if there is no key: a request that comes to it fails. */
function noProvider(access: ModelAccess): Provider {
  return {
    id: 'none',
    // biome-ignore lint/correctness/useYield: there is nothing to give
    async *stream() {
      throw new ModelError('authentication', noKeyAtAll(access).message);
    },
  };
}

/** Throws `ConfigError` on a key or base URL that cannot be used. */
export async function loadProvider(choice: ModelChoice, reach: ModelReach): Promise<Closable> {
  if (choice.api === 'offline') {
    const { createOfflineProvider } = await DOORS.offline();
    return createOfflineProvider({ clock: reach.clock, ids: reach.ids });
  }
  if (choice.api === 'ai-sdk') {
    const { createAiSdkProvider } = await DOORS.aiSdk();
    return createAiSdkProvider(choice.object, reach.clock);
  }
  const [api, transport, known] = await Promise.all([
    importApi(choice.api),
    reach.routeTo(choice.baseUrl),
    withKeptProfiles(choice, reach),
  ]);
  const create = (key: string | undefined): Closable => {
    const provider = withOwnLimits(api(known, key, reach.clock, transport), choice.limits);
    return choice.free === true ? Object.assign(provider, { free: true }) : provider;
  };
  const { credential } = choice;
  if (credential.kind === 'none') return create(undefined);
  if (credential.kind === 'key' || credential.kind === 'token') return create(credential.key);
  const opening =
    credential.kind === 'helper'
      ? reach.openHelper(credential.command, credential.ttlMs, choice.provider)
      : reach.openFetcher(credential.fetchToken);
  const [{ createKeyedProvider }, helper] = await Promise.all([DOORS.choice(), opening]);
  return createKeyedProvider(helper, create);
}

/** What is written down with the provider beats what was found out. */
async function withKeptProfiles(choice: RemoteChoice, reach: ModelReach): Promise<RemoteChoice> {
  if (choice.api !== 'openai-chat') return choice;
  const kept = await reach.keptProfiles(choice.provider);
  if (Object.keys(kept).length === 0) return choice;
  return { ...choice, quirks: { ...choice.quirks, toolCallsOf: { ...kept, ...choice.quirks?.toolCallsOf } } };
}

type CreateProvider = (
  choice: RemoteChoice,
  key: string | undefined,
  clock: Host['clock'],
  transport: TransportChoice | undefined,
) => Closable;

/** What makes providers of an API. */
async function importApi(api: RemoteChoice['api']): Promise<CreateProvider> {
  switch (api) {
    case 'anthropic':
      return ({ provider: id, baseUrl, credential, headers }, key, clock, transport) =>
        createAnthropicProvider({
          id,
          baseUrl,
          headers,
          clock,
          transport,
          ...(credential.kind === 'token' || credential.kind === 'fetched' ? { authToken: key } : { apiKey: key }),
        });
    case 'openai-chat': {
      const { createOpenAIChatProvider } = await DOORS.openaiChat();
      return ({ provider: id, baseUrl, headers, quirks }, apiKey, clock, transport) =>
        createOpenAIChatProvider({ id, baseUrl, headers, apiKey, quirks, clock, transport });
    }
    case 'openai-responses': {
      const { createOpenAIResponsesProvider } = await DOORS.openaiResponses();
      return ({ provider: id, baseUrl, headers }, apiKey, clock, transport) =>
        createOpenAIResponsesProvider({ id, baseUrl, headers, apiKey, clock, transport });
    }
    default:
      return api satisfies never;
  }
}

type Closable = Provider & { close?(): void };

/** Who serves a model, and under which name. */
export interface ModelPlace {
  /** The provider's id, as the catalogue has it. */
  readonly provider: string;
  readonly model: string;
  /** True if requests cost nothing. */
  readonly free: boolean;
}

export interface ModelRouter {
  readonly provider: Provider;
  /** The first model, by the name that requests use. */
  readonly model: string;
  /**
   * The name that requests use for a model, and from now on the router knows it: a name alone at the first provider, else
   * `provider/name`. @throws ConfigError if there is no such provider, or no key for it
   */
  admit(name: string): Promise<string>;
  /** Of a name that was never admitted: what it says itself. */
  locate(model: string): ModelPlace;
  close(): void;
}

/** What a router has to know of a choice. */
interface RoutedChoice {
  /** Whoever has the same one is served by the same connections, unless it has a name of its own. */
  readonly provider: string;
  readonly model: string;
  /** What requests call it, if that is not made of provider and model: it is served by itself. */
  readonly name?: string;
}

interface RouterParts<Choice extends RoutedChoice> {
  readonly first: { readonly choice: RoutedChoice; readonly provider: Closable };
  /** @throws ConfigError */
  choose(name: string): Promise<Choice>;
  load(choice: Choice): Promise<Closable>;
}

interface Route {
  readonly model: string;
  readonly provider: Closable;
}

export function createModelRouter<Choice extends RoutedChoice>({
  first,
  choose,
  load,
}: RouterParts<Choice>): ModelRouter {
  const routes = new Map<string, Route>();
  const opened = new Map<string, Promise<Closable>>([[keyOf(first.choice), Promise.resolve(first.provider)]]);
  const all: Closable[] = [first.provider];
  let isClosed = false;

  const nameOf = ({ provider, model, name }: RoutedChoice): string =>
    name ?? (provider === first.choice.provider && !model.includes('/') ? model : `${provider}/${model}`);
  const open = (choice: Choice): Promise<Closable> => {
    const key = keyOf(choice);
    const known = opened.get(key);
    if (known !== undefined) return known;
    const opening = load(choice).then((provider) => {
      if (isClosed) provider.close?.();
      else all.push(provider);
      return provider;
    });
    opened.set(key, opening);
    opening.catch(() => opened.delete(key));
    return opening;
  };
  const admit = async (name: string): Promise<string> => {
    if (routes.has(name)) return name;
    const choice = await choose(name);
    const canonical = nameOf(choice);
    const route = { model: choice.model, provider: await open(choice) };
    routes.set(canonical, route);
    // What was named otherwise is found as it was named, unless that is another's name.
    if (!routes.has(name)) routes.set(name, route);
    return canonical;
  };
  const model = nameOf(first.choice);
  routes.set(model, { model: first.choice.model, provider: first.provider });

  return {
    model,
    admit,
    provider: {
      id: first.provider.id,
      outputSchema(name, schema) {
        const route = routes.get(name) ?? { model: name, provider: first.provider };
        return route.provider.outputSchema?.(route.model, schema) ?? null;
      },
      thinkingForm(name) {
        const route = routes.get(name) ?? { model: name, provider: first.provider };
        return route.provider.thinkingForm?.(route.model) ?? null;
      },
      searchesWeb(name) {
        const route = routes.get(name) ?? { model: name, provider: first.provider };
        return route.provider.searchesWeb?.(route.model) ?? false;
      },
      stream(request, limits, signal) {
        const route = routes.get(request.model);
        if (route !== undefined) return send(route, request, limits, signal);
        return later(async () => {
          await admit(request.model).catch((error: unknown) => {
            throw new ModelError('not_found', errorText(error), { cause: error });
          });
          return send(
            routes.get(request.model) ?? { model: request.model, provider: first.provider },
            request,
            limits,
            signal,
          );
        });
      },
    },
    locate(name) {
      const route = routes.get(name);
      if (route === undefined && name.includes('/')) return pricedAs(name);
      const { model: known, provider } = route ?? { model: name, provider: first.provider };
      return { provider: provider.id, model: known, free: provider.free ?? false };
    },
    close() {
      isClosed = true;
      for (const provider of all) provider.close?.();
    },
  };
}

function keyOf({ provider, name }: RoutedChoice): string {
  return name === undefined ? provider : `${provider} ${name}`;
}

function send(
  { model, provider }: Route,
  request: ModelRequest,
  limits: AttemptLimits,
  signal: AbortSignal,
): AsyncIterable<ModelEvent> {
  return provider.stream(model === request.model ? request : { ...request, model }, limits, signal);
}
