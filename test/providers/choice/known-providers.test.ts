// The table of known providers, and what users may say about theirs.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/protocol/errors.js';
import { MODEL_TIERS } from '../../../src/protocol/model-options.js';
import { CHAT_QUIRKS, findProvider, KNOWN_PROVIDERS } from '../../../src/providers/choice/known-providers.js';
import { configureProviders } from '../../../src/providers/choice/own-providers.js';
import { addressOf } from '../../../src/providers/choice/provider-access.js';
import { familyOf, KEY_VARIABLES } from '../../../src/providers/keys/key-variables.js';
import { loadCatalogue } from '../../../src/providers/models/catalogue.js';

describe('KNOWN_PROVIDERS', () => {
  it('gives no name twice, and keys to exactly those that need one', () => {
    const names = KNOWN_PROVIDERS.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(KNOWN_PROVIDERS.filter(({ needsKey }) => needsKey).map(({ id }) => id)).toEqual(Object.keys(KEY_VARIABLES));
    expect(names).toContain('llamacpp');
  });

  it.each(KNOWN_PROVIDERS)(
    '$id has an address that is one, and https unless it is this machine',
    ({ baseUrl, free }) => {
      const { protocol, hostname } = new URL(baseUrl);
      expect(protocol === 'https:' || hostname === '127.0.0.1').toBe(true);
      expect(free === true).toBe(hostname === '127.0.0.1');
    },
  );

  it.each([
    [{}, 'http://127.0.0.1:11434/v1'],
    [{ OLLAMA_HOST: ' ' }, 'http://127.0.0.1:11434/v1'],
    [{ OLLAMA_HOST: 'box' }, 'http://box:11434/v1'],
    [{ OLLAMA_HOST: 'box:8080' }, 'http://box:8080/v1'],
    [{ OLLAMA_HOST: ':8080' }, 'http://127.0.0.1:8080/v1'],
    [{ OLLAMA_HOST: '0.0.0.0' }, 'http://127.0.0.1:11434/v1'],
    [{ OLLAMA_HOST: '[::]:9' }, 'http://127.0.0.1:9/v1'],
    [{ OLLAMA_HOST: 'http://box:80' }, 'http://box/v1'],
    [{ OLLAMA_HOST: 'https://box/ai/' }, 'https://box/ai/v1'],
    [{ OLLAMA_HOST: 'a b' }, 'http://127.0.0.1:11434/v1'],
    [{ OLLAMA_HOST: 'box', OLLAMA_BASE_URL: 'http://other/v1' }, 'http://other/v1'],
  ])("reads Ollama's own variable: %j", (env, url) => {
    const [ollama] = configureProviders({}).filter(({ id }) => id === 'ollama');
    expect(ollama && addressOf(ollama, env).url).toBe(url);
    const [own] = configureProviders({ ollama: { baseUrl: 'http://mine/v1' } });
    expect(own && addressOf(own, env).url).toBe('http://mine/v1');
  });

  it('has defaults for every tier or none, and models that the catalogue knows, as far as it knows the provider', async () => {
    const catalogue = await loadCatalogue();
    for (const { id, tiers, needsKey } of KNOWN_PROVIDERS) {
      if (tiers === undefined) expect(needsKey).toBe(false);
      else for (const tier of MODEL_TIERS) expect(tiers[tier]).toMatch(/./);
      if (catalogue.list(id).length === 0) continue;
      for (const model of Object.values(tiers ?? {})) expect(catalogue.find(id, model)?.id).toBe(model);
    }
    const priced = KNOWN_PROVIDERS.filter(({ id }) => catalogue.list(id).length > 0).map(({ id }) => id);
    expect(priced).toEqual(expect.arrayContaining([...new Set(catalogue.list().map(({ provider }) => provider))]));
  });

  it('knows whose a model is by its name, as the catalogue has it', async () => {
    const catalogue = await loadCatalogue();
    const strangers = catalogue.list().filter(({ id, provider }) => familyOf(id) !== provider);
    expect(strangers).toEqual([]);
    expect(familyOf('llama-4')).toBeNull();
  });

  it('is found by any name in any case', () => {
    expect(findProvider('GEMINI', KNOWN_PROVIDERS)?.id).toBe('google');
    expect(findProvider('__proto__', KNOWN_PROVIDERS)).toBeNull();
  });
});

describe('configureProviders', () => {
  const configure = (described: unknown) => configureProviders(described);

  it('reads a new provider with its defaults', () => {
    const [own] = configure({ mine: { baseUrl: ' https://host/v1 ', apiKeyVariable: 'MINE' } });
    expect(own).toEqual({
      id: 'mine',
      displayName: 'mine',
      api: 'openai-chat',
      baseUrl: 'https://host/v1',
      hasOwnAddress: true,
      isOwn: true,
      keyVariables: ['MINE'],
      needsKey: true,
      quirks: CHAT_QUIRKS.compatible,
    });
    const quirks = { maxTokensField: 'max_completion_tokens', images: false };
    expect(configure({ mine: { baseUrl: 'http://h', quirks } })[0]?.quirks).toEqual({
      ...CHAT_QUIRKS.compatible,
      ...quirks,
    });
    expect(configure({ mine: { baseUrl: 'http://h', requestTimeoutMs: 0 } })[0]?.limits).toEqual({
      requestTimeoutMs: 0,
    });
    expect(configure({ mine: { baseUrl: 'http://h' } })[0]).toMatchObject({ needsKey: false, keyVariables: [] });
    expect(configure({ mine: { baseUrl: 'http://h', tiers: { lite: 'small' } } })[0]?.tiers).toMatchObject({
      auto: 'small',
      ultimate: 'small',
    });
  });

  it('keeps what is known of a known one, by whatever name', () => {
    const [own, ...rest] = configure({ gemini: { headers: { a: 'b' } } });
    expect(own).toMatchObject({ id: 'google', keyVariables: KEY_VARIABLES.google, hasOwnAddress: false, isOwn: true });
    expect(rest.map(({ id }) => id)).not.toContain('google');
    expect(rest).toHaveLength(KNOWN_PROVIDERS.length - 1);
  });

  it.each<[unknown, RegExp]>([
    ['x', /^providers must be an object/],
    [[], /must be an object/],
    [{ mine: null }, /^providers.mine must be an object/],
    [{ mine: {} }, /needs a baseUrl.*no known provider "mine"/],
    [{ mine: { baseUrl: 'secretword' } }, /baseUrl is not an http or https URL/],
    [{ mine: { baseUrl: 'ftp://host' } }, /baseUrl is not/],
    [{ mine: { baseUrl: 'https://user:secretword@host' } }, /without user and password/],
    [{ mine: { baseUrl: 'https://h', api: 'soap' } }, /api must be one of anthropic/],
    [{ mine: { baseUrl: 'https://h', url: 'x' } }, /unknown field "url"\. Fields: displayName/],
    [{ mine: { baseUrl: 'https://h', apiKey: ['secretword'] } }, /apiKey must be a text/],
    [{ mine: { baseUrl: 'https://h', apiKeyVariable: 'no name' } }, /apiKeyVariable must be the name/],
    [{ mine: { baseUrl: 'https://h', needsKey: 'yes' } }, /needsKey must be true or false/],
    [{ mine: { baseUrl: 'https://h', headers: { a: 1 } } }, /headers: "a" must be a text/],
    [{ mine: { baseUrl: 'https://h', tiers: { best: 'x' } } }, /no tier "best"/],
    [{ mine: { baseUrl: 'https://h', tiers: { auto: 'Lite' } } }, /auto is "Lite", which is a tier/],
    [{ mine: { baseUrl: 'https://h', quirks: 5 } }, /quirks must be an object/],
    [{ mine: { baseUrl: 'https://h', quirks: { speed: 1 } } }, /no quirk "speed"\. Quirks: maxTokensField/],
    [{ mine: { baseUrl: 'https://h', quirks: { images: 'no' } } }, /quirks.images must be a boolean/],
    [
      { mine: { baseUrl: 'https://h', quirks: { maxTokensField: 'tokens' } } },
      /quirks\.maxTokensField must be one of max_completion_tokens, max_tokens, none/,
    ],
    [{ mine: { baseUrl: 'https://h', quirks: { maxCallIdLength: 0 } } }, /must be a whole number of at least 1/],
    [{ mine: { baseUrl: 'https://h', quirks: { extraBody: [] } } }, /quirks\.extraBody must be an object/],
    [{ mine: { baseUrl: 'https://h', quirks: { efforts: { high: 3 } } } }, /efforts: "high" must be a text/],
    [{ mine: { baseUrl: 'https://h', quirks: { toolCalls: 'some' } } }, /toolCalls must be one of native, auto, text/],
    [{ mine: { baseUrl: 'https://h', streamIdleMs: -1 } }, /streamIdleMs must be a whole number/],
    [{ mine: { baseUrl: 'https://h', requestTimeoutMs: '9' } }, /requestTimeoutMs must be a whole number/],
    [{ 'a/b': { baseUrl: 'https://h' } }, /"a\/b" cannot name a provider/],
    [{ Offline: { baseUrl: 'https://h' } }, /"offline" is taken/],
    [{ google: {}, gemini: {} }, /two entries are for google/],
  ])('refuses %j', (described, why) => {
    expect(() => configure(described)).toThrow(why);
    expect(() => configure(described)).toThrow(ConfigError);
    expect(() => configure(described)).not.toThrow(/secretword/);
  });
});
