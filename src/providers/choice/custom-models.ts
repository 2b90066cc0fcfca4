// Models that come with a key of their own, beside those of the session. One rule: a key goes to its own provider and is
// part of no name, text or message.
import { ConfigError } from '../../protocol/errors.js';
import type { CustomModel } from '../../protocol/model.js';
import type { Provider } from '../contract/index.js';
import type { ModelChoice, RemoteChoice } from './choose-model.js';
import type { ModelPlace, ModelRouter } from './model-router.js';
import { addressOf, type ModelAccess, providerNamed } from './provider-access.js';

export interface CustomModelRouter extends ModelRouter {
  /** The name that requests use for it. @throws ConfigError if there is no such provider or style */
  admitCustom(model: CustomModel): Promise<string>;
}

interface Route {
  readonly provider: Provider & { close?(): void };
  readonly place: ModelPlace;
}

/** @param load makes a provider of its own for each key */
export function withCustomModels(
  router: ModelRouter,
  access: ModelAccess,
  load: (choice: ModelChoice) => Promise<Provider & { close?(): void }>,
): CustomModelRouter {
  const names = new Map<string, Promise<string>>();
  const routes = new Map<string, Route>();
  let isClosed = false;

  const open = async (custom: CustomModel): Promise<string> => {
    const choice = await customChoice(custom, access);
    const provider = await load(choice);
    if (isClosed) provider.close?.();
    const base = `${choice.provider}/${choice.model}#byok`;
    let name = base;
    for (let number = 2; routes.has(name); number++) name = `${base}${number}`;
    const place = { provider: choice.provider, model: choice.model, free: choice.free === true };
    routes.set(name, { provider, place });
    return name;
  };

  return {
    model: router.model,
    admit: (name) => router.admit(name),
    admitCustom(custom) {
      const { provider, model, api_key: key, style = '' } = custom;
      const identity = JSON.stringify([provider, model, style, key]);
      const known = names.get(identity);
      if (known !== undefined) return known;
      const opening = open(custom);
      names.set(identity, opening);
      opening.catch(() => names.delete(identity));
      return opening;
    },
    locate: (name) => routes.get(name)?.place ?? router.locate(name),
    provider: {
      id: router.provider.id,
      outputSchema(name, schema) {
        const route = routes.get(name);
        if (route === undefined) return router.provider.outputSchema?.(name, schema) ?? null;
        return route.provider.outputSchema?.(route.place.model, schema) ?? null;
      },
      searchesWeb(name) {
        const route = routes.get(name);
        if (route === undefined) return router.provider.searchesWeb?.(name) ?? false;
        return route.provider.searchesWeb?.(route.place.model) ?? false;
      },
      thinkingForm(name) {
        const route = routes.get(name);
        if (route === undefined) return router.provider.thinkingForm?.(name) ?? null;
        return route.provider.thinkingForm?.(route.place.model) ?? null;
      },
      stream(request, limits, signal) {
        const route = routes.get(request.model);
        if (route === undefined) return router.provider.stream(request, limits, signal);
        return route.provider.stream({ ...request, model: route.place.model }, limits, signal);
      },
    },
    close() {
      isClosed = true;
      for (const { provider } of routes.values()) provider.close?.();
      router.close();
    },
  };
}

async function customChoice(custom: CustomModel, access: ModelAccess): Promise<RemoteChoice> {
  const { model, api_key: key, style } = custom;
  access.secrets.addValue(key, `key of ${custom.provider}`);
  const known = await providerNamed(custom.provider.trim().toLowerCase(), access);
  const { id, quirks, headers, free, limits } = known;
  return {
    api: styleOf(style, known),
    provider: id,
    model,
    baseUrl: addressOf(known, access.env).url,
    credential: { kind: 'key', key, source: 'temporary' },
    ...(headers === undefined ? {} : { headers }),
    ...(quirks === undefined ? {} : { quirks }),
    ...(free === true ? { free } : {}),
    ...(limits === undefined ? {} : { limits }),
  };
}

/** What a provider speaks is known; a style only says which of two it is to be. */
function styleOf(style: string | undefined, { api, id }: { readonly api: RemoteChoice['api']; readonly id: string }) {
  if (style === undefined) return api;
  if (style === 'anthropic') return 'anthropic';
  if (style === 'openai') return api === 'anthropic' ? 'openai-chat' : api;
  throw new ConfigError(`The CustomModel of ${id} has the style "${style.slice(0, 40)}". Styles: openai, anthropic.`);
}
