// Which models there are, out of the catalogue, and which of them can be used with the keys there are.

import type { Host } from '../../host/host.js';
import type { BYOKProviderInfo } from '../../protocol/model.js';
import type { CatalogueOverrides } from '../../protocol/model-options.js';
import {
  allProviders,
  type ConfiguredProvider,
  credentialOf,
  findProvider,
  isUsable,
  type ModelAccess,
  providerNamed,
} from '../../providers/choice/index.js';
import {
  type Catalogue,
  type InputKind,
  loadCatalogue,
  type ModelFacts,
  type ModelPrice,
} from '../../providers/models/index.js';
import type { ModelOptions } from '../../session/config/index.js';
import { openModelAccess, readModelsFile } from '../../session/models/index.js';

export interface ListedModel {
  /** As the option `model` takes it. */
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  /** Tokens. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly input: readonly InputKind[];
  readonly reasoning: boolean;
  /** USD per million tokens; null if it is not known. */
  readonly price: ModelPrice | null;
  /** True if its provider has a key, or needs none. */
  readonly usable: boolean;
}

export interface ModelList {
  /** The day the catalogue's figures were taken, ISO. */
  readonly snapshotDate: string;
  readonly models: readonly ListedModel[];
  /** Providers that can be used, but whose models the catalogue does not list: they must be named. */
  readonly unlisted: readonly string[];
}

export interface ListModelsOptions {
  /** By id or alias. Default: all. */
  readonly provider?: string;
  readonly host: Host;
  readonly env?: Host['env'];
  readonly models?: ModelOptions;
  /** What the session's model is called, if anything: a key that names no provider is for that one. */
  readonly model?: string | undefined;
  readonly catalogueOverrides?: CatalogueOverrides | undefined;
}

/** Asks nobody: the list is the catalogue's. @throws ConfigError if a file or a provider cannot be used */
export async function listModels(options: ListModelsOptions): Promise<ModelList> {
  const { provider, facts, snapshotDate } = await readCatalogue(options);
  const usable = new Set(provider.filter(({ isUsable: can }) => can).map(({ known }) => known.id));
  const ids = new Set(provider.map(({ known }) => known.id));
  return {
    snapshotDate,
    models: facts.filter((each) => ids.has(each.provider)).map((each) => listed(each, usable.has(each.provider))),
    unlisted: [...usable].filter((id) => !facts.some((each) => each.provider === id)),
  };
}

export interface ReadCatalogue {
  readonly access: ModelAccess;
  readonly catalogue: Catalogue;
  readonly facts: readonly ModelFacts[];
  readonly snapshotDate: string;
  readonly provider: readonly { readonly known: ConfiguredProvider; readonly isUsable: boolean }[];
}

/** @throws ConfigError if a file or a provider cannot be used */
export async function readCatalogue({
  provider: name,
  host,
  env = host.env,
  models = {},
  model,
  ...rest
}: ListModelsOptions): Promise<ReadCatalogue> {
  const access = openModelAccess(host, env, models, model);
  const all = await allProviders(access);
  const chosen = name === undefined ? all : [findProvider(name, all) ?? (await refuse(name, access))];
  const ofFile = await readModelsFile(host, env, models);
  const catalogue = await loadCatalogue({ ...ofFile, ...rest.catalogueOverrides });
  return {
    access,
    catalogue,
    snapshotDate: catalogue.snapshotDate,
    facts: catalogue.list(),
    provider: await Promise.all(
      chosen.map(async (known) => ({ known, isUsable: isUsable(known, await credentialOf(known, access)) })),
    ),
  };
}

/** Says which providers there are. */
async function refuse(name: string, access: ModelAccess): Promise<ConfiguredProvider> {
  return providerNamed(name, access);
}

function listed(facts: ModelFacts, usable: boolean): ListedModel {
  const { id, provider, contextWindow, maxOutputTokens, input, reasoning, price } = facts;
  return {
    name: `${provider}/${id}`,
    provider,
    model: id,
    contextWindow,
    maxOutputTokens,
    input,
    reasoning,
    price,
    usable,
  };
}

/** For `listByokProviders()`: the providers that take a key of one's own, with the models the catalogue lists. */
export async function byokProviders(options: ListModelsOptions): Promise<BYOKProviderInfo[]> {
  const { provider, facts } = await readCatalogue(options);
  return provider
    .filter(({ known }) => known.needsKey)
    .map(({ known: { id, displayName, keyUrl = '', api } }) => ({
      key: id,
      display_name: displayName,
      api_key_url: keyUrl,
      types: [
        {
          display_name: displayName,
          models: facts
            .filter((each) => each.provider === id)
            .map((each) => ({
              key: each.id,
              display_name: each.id,
              is_vl: each.input.includes('image'),
              is_reasoning: each.reasoning,
              format: api === 'anthropic' ? 'anthropic' : 'openai',
              max_input_tokens: each.contextWindow,
            })),
        },
      ],
    }));
}
