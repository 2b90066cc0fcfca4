// What is known of models: the snapshot, the names that lead to it, and what a user says instead.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/protocol/errors.js';
import { loadCatalogue } from '../../../src/providers/models/catalogue.js';
import { CATALOGUE_ROWS } from '../../../src/providers/models/catalogue-data.js';
import { DEFAULT_MODEL, MODEL_ALIASES, type ModelFacts } from '../../../src/providers/models/model-names.js';

const catalogue = await loadCatalogue();
const SONNET_PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

async function known(provider: string, model: string, overrides?: unknown): Promise<ModelFacts> {
  const facts = (await loadCatalogue(overrides)).find(provider, model);
  if (facts === null) throw new Error(`${provider}/${model} is not known`);
  return facts;
}

async function refusal(overrides: unknown): Promise<string> {
  const error = await loadCatalogue(overrides).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigError)) throw new Error(`not refused with a ConfigError: ${String(error)}`);
  return error.message;
}

describe('the snapshot', () => {
  it('holds the figures of its source', async () => {
    expect(catalogue.find('anthropic', 'claude-sonnet-4-5')).toEqual({
      id: 'claude-sonnet-4-5',
      provider: 'anthropic',
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
      price: SONNET_PRICE,
      tiers: [],
      reasoning: true,
      input: ['text', 'image', 'pdf'],
    });
    expect((await known('anthropic', 'claude-opus-4-5')).price).toEqual({
      input: 5,
      output: 25,
      cacheRead: 0.5,
      cacheWrite: 6.25,
    });
    expect((await known('anthropic', 'claude-haiku-4-5')).price).toEqual({
      input: 1,
      output: 5,
      cacheRead: 0.1,
      cacheWrite: 1.25,
    });
    expect(await known('google', 'gemini-2.5-flash')).toMatchObject({
      contextWindow: 1_048_576,
      input: ['text', 'image', 'audio', 'video', 'pdf'],
    });
  });

  it('takes a cache price that the source lacks from the price of input', async () => {
    expect((await known('openai', 'gpt-5')).price).toEqual({
      input: 1.25,
      output: 10,
      cacheRead: 0.125,
      cacheWrite: 1.25,
    });
    expect((await known('mistral', 'devstral-2512')).price).toMatchObject({ cacheRead: 0.4, cacheWrite: 0.4 });
  });

  it('holds the prices of long prompts', async () => {
    expect((await known('google', 'gemini-2.5-pro')).tiers).toEqual([
      { above: 200_000, price: { input: 2.5, output: 15, cacheRead: 0.25, cacheWrite: 2.5 } },
    ]);
  });

  it('has no price if the source gives none or only zeros', async () => {
    expect((await known('zai', 'glm-5.1')).price).toBeNull();
  });

  it('has a date, and whole and positive limits for every model', () => {
    expect(catalogue.snapshotDate).toMatch(/^20\d{2}-\d{2}-\d{2}$/);
    const all = catalogue.list();
    expect(all).toHaveLength(CATALOGUE_ROWS.length);
    for (const { id, contextWindow, maxOutputTokens, input, tiers } of all) {
      expect(
        [contextWindow, maxOutputTokens].every((n) => Number.isSafeInteger(n) && n > 0),
        id,
      ).toBe(true);
      expect(input, id).toContain('text');
      expect(tiers.map((tier) => tier.above)).toEqual(tiers.map((tier) => tier.above).sort((a, b) => a - b));
    }
  });

  it('is sorted, without doubles, and can be listed by provider', () => {
    const keys = CATALOGUE_ROWS.map(([key]) => key);
    expect(keys).toEqual([...new Set(keys)].sort());
    expect(new Set(catalogue.list('Anthropic').map((facts) => facts.provider))).toEqual(new Set(['anthropic']));
    expect(catalogue.list('nobody')).toEqual([]);
  });

  it('has every model that is a default or behind a short name', () => {
    for (const model of [DEFAULT_MODEL, ...MODEL_ALIASES.values()]) {
      expect(catalogue.find('anthropic', model)?.price, model).not.toBeNull();
      expect(catalogue.find('anthropic', model), model).not.toBeNull();
    }
  });
});

describe('find', () => {
  it.each([
    ['anthropic', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['anthropic', 'claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
    ['anthropic', 'claude-sonnet-4-5-latest', 'claude-sonnet-4-5'],
    ['Anthropic', 'Claude-Sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['anthropic', ' claude-opus-4-5-20251101 ', 'claude-opus-4-5'],
    ['openai', 'gpt-5-2025-08-07', 'gpt-5'],
    ['openai', 'gpt-5-mini-2025-08-07', 'gpt-5-mini'],
    ['anthropic', 'claude-3-7-sonnet-latest', 'claude-3-7-sonnet-20250219'],
    ['anthropic', 'claude-3-5-haiku', 'claude-3-5-haiku-20241022'],
    ['mistral', 'mistral-large', 'mistral-large-latest'],
    ['anthropic', 'sonnet', 'claude-sonnet-5-5'],
    ['anthropic', 'OPUS', 'claude-opus-5-5'],
    ['anthropic', 'auto', DEFAULT_MODEL],
  ])('%s %s is %s', (provider, model, id) => {
    expect(catalogue.find(provider, model)?.id).toBe(id);
  });

  it('prefers the exact name to the name without its date', () => {
    expect(catalogue.find('openai', 'gpt-4o-2024-05-13')?.price).toMatchObject({ input: 5, output: 15 });
    expect(catalogue.find('openai', 'gpt-4o-2024-08-06')?.price).toMatchObject({ input: 2.5, output: 10 });
  });

  it.each([
    ['anthropic', 'claude-unheard-of-9'],
    ['anthropic', 'claude'],
    ['anthropic', ''],
    ['anthropic', '-latest'],
    ['anthropic', 'gpt-5'],
    ['openai', 'sonnet'],
    ['nobody', 'claude-sonnet-4-5'],
    ['', ''],
    ['__proto__', '__proto__'],
    ['anthropic', '__proto__'],
    ['anthropic', 'constructor'],
    ['constructor', 'name'],
    ['anthropic', 'toString'],
    ['offline', 'offline'],
  ])('%s %s is unknown', (provider, model) => {
    expect(catalogue.find(provider, model)).toBeNull();
  });

  it('takes the newest of several dated names, and the undated before them', async () => {
    const limits = { contextWindow: 10, maxOutputTokens: 1 };
    const dated = { 'own/m-20240101': limits, 'own/m-2025-01-01': limits, 'own/m-20241231': limits };
    expect((await known('own', 'm', dated)).id).toBe('m-2025-01-01');
    expect((await known('own', 'm', { ...dated, 'own/m-latest': limits })).id).toBe('m-latest');
    expect((await known('own', 'm-20200101', { ...dated, 'own/m-latest': limits, 'own/M': limits })).id).toBe('M');
  });
});

describe('overrides', () => {
  it('win over the snapshot, field by field', async () => {
    const price = { input: 2.2, output: 11, cacheRead: 0.22 };
    const facts = await known('anthropic', 'claude-sonnet-4-5', { 'anthropic/claude-sonnet-4-5': { price } });
    expect(facts).toMatchObject({ contextWindow: 200_000, price: { ...price, cacheWrite: 2.2 }, reasoning: true });
    const hourly = { 'anthropic/claude-sonnet-4-5': { price: { ...price, cacheWrite1h: 4 } } };
    expect((await known('anthropic', 'claude-sonnet-4-5', hourly)).price).toMatchObject({ cacheWrite1h: 4 });
    const wide = await known('anthropic', 'sonnet', { 'anthropic/claude-sonnet-5-5': { contextWindow: 2_000_000 } });
    expect(wide).toMatchObject({ contextWindow: 2_000_000, maxOutputTokens: 128_000, price: { input: 2, output: 10 } });
  });

  it('are found by dated and short names, and may be written under them', async () => {
    const price = { input: 9, output: 9 };
    const bare = { 'anthropic/claude-sonnet-4-5': { price } };
    expect((await known('anthropic', 'claude-sonnet-4-5-20250929', bare)).price?.input).toBe(9);
    const short = { 'Anthropic/Sonnet': { price } };
    expect(await known('anthropic', 'claude-sonnet-5-5', short)).toMatchObject({ price: { input: 9 } });
    const dated = { 'anthropic/claude-sonnet-4-5-20250929': { price } };
    expect(await known('anthropic', 'claude-sonnet-4-5-20250929', dated)).toMatchObject({
      contextWindow: 200_000,
      price: { input: 9 },
    });
    expect((await known('anthropic', 'claude-sonnet-4-5', dated)).price).toEqual(SONNET_PRICE);
  });

  it('replace the tiers with the price, and can make a price unknown', async () => {
    const key = 'google/gemini-2.5-pro';
    const facts = await known('google', 'gemini-2.5-pro', { [key]: { price: { input: 1, output: 2 } } });
    expect(facts).toMatchObject({ tiers: [], price: { input: 1 } });
    expect(await known('google', 'gemini-2.5-pro', { [key]: { price: null } })).toMatchObject({
      price: null,
      tiers: [],
    });
    expect((await known('google', 'gemini-2.5-pro', { [key]: { maxOutputTokens: 5 } })).tiers).toHaveLength(1);
  });

  it('add models, also ones with a slash or a strange name, and free ones', async () => {
    const limits = { contextWindow: 32_768, maxOutputTokens: 4_096 };
    const all = await loadCatalogue({
      'openrouter/meta/llama-x': { ...limits, price: { input: 0, output: 0 } },
      'openrouter/auto': limits,
      'own/__proto__': limits,
    });
    expect(all.find('openrouter', 'meta/llama-x')).toEqual({
      id: 'meta/llama-x',
      provider: 'openrouter',
      ...limits,
      price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      tiers: [],
      reasoning: false,
      input: ['text'],
    });
    expect(all.find('openrouter', 'auto')).toMatchObject({ id: 'auto', price: null });
    expect(all.find('own', '__proto__')?.contextWindow).toBe(32_768);
    expect(all.list()).toHaveLength(catalogue.list().length + 3);
    expect(all.list('openrouter').map((facts) => facts.id)).toEqual(['auto', 'meta/llama-x']);
  });

  it('do not change a catalogue that is loaded already', async () => {
    await loadCatalogue({ 'anthropic/claude-sonnet-4-5': { contextWindow: 1 } });
    expect(catalogue.find('anthropic', 'claude-sonnet-4-5')?.contextWindow).toBe(200_000);
  });

  const own = (fields: unknown) => ({ 'own/m': fields });
  it.each<[unknown, RegExp]>([
    [null, /must be an object, not null/],
    [[], /must be an object, not a list/],
    ['x', /must be an object, not a string/],
    [{ 'claude-sonnet-4-5': {} }, /"claude-sonnet-4-5" names no provider and model; write it as/],
    [{ '/m': {} }, /"\/m" names no provider/],
    [{ 'own/ ': {} }, /names no provider and model/],
    [own(7), /"own\/m" must be an object, not 7/],
    [own({ contextwindow: 7 }), /unknown field "contextwindow"; use contextWindow, maxOutputTokens, price/],
    [JSON.parse('{"own/m":{"__proto__":1}}'), /unknown field "__proto__"/],
    [own({ price: { input: 1, output: 1 } }), /not in the catalogue; give it both contextWindow and maxOutputTokens/],
    [own({ contextWindow: 7 }), /not in the catalogue/],
    [own({ contextWindow: 0 }), /contextWindow must be a whole number of tokens above 0, not 0/],
    [own({ contextWindow: 1.5 }), /not 1\.5/],
    [own({ maxOutputTokens: '7' }), /maxOutputTokens must be .* not a string/],
    [own({ contextWindow: null }), /not null/],
    [own({ price: 3 }), /price must be an object, not 3/],
    [own({ price: { input: 3 } }), /price needs both input and output/],
    [own({ price: { input: 3, output: -1 } }), /price\.output must be USD per million tokens.* not -1/],
    [own({ price: { input: Number.NaN, output: 1 } }), /price\.input must be/],
    [own({ price: { input: Number.POSITIVE_INFINITY, output: 1 } }), /price\.input must be/],
    [own({ price: { input: '3', output: 1 } }), /price\.input must be .* not a string/],
    [own({ price: { input: 3, output: 15, cache_read: 0.3 } }), /unknown field "cache_read"; use input, output/],
    [own({ price: { input: 0.000003, output: 15 } }), /price of one token; give that of a million/],
    [own({ price: { input: 3.1234567, output: 15 } }), /more than six decimals: 3\.1234567/],
    [
      { 'Anthropic/Sonnet': {}, 'anthropic/claude-sonnet-5-5': {} },
      /"Anthropic\/Sonnet" and "anthropic\/claude-sonnet-5-5" name the same model/,
    ],
    [own({ price: { input: 3, output: 15, cacheWrite: null } }), /cacheWrite must be .* not null/],
  ])('%j is refused', async (overrides, reason) => {
    const text = await refusal(overrides);
    expect(text).toMatch(/^Model overrides/);
    expect(text).toMatch(reason);
  });
});
