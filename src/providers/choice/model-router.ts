// Many models behind one Provider: each request goes to whoever serves the model it names. The first provider is there
// from the start; another is loaded with the first request, or mention, of a model of its own.

import type { ModelEvent } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import { errorText } from '../../util/text.js';
import { type AttemptLimits, later, type ModelRequest, type Provider } from '../contract/index.js';
import { pricedAs } from '../keys/index.js';

export type Closable = Provider & { close?(): void };

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
export interface RoutedChoice {
  /** Whoever has the same one is served by the same connections, unless it has a name of its own. */
  readonly provider: string;
  readonly model: string;
  /** What requests call it, if that is not made of provider and model: it is served by itself. */
  readonly name?: string;
}

export interface RouterParts<Choice extends RoutedChoice> {
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
