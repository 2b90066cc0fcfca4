import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/providers/models/catalogue.js';
import { MODEL_LIMITS_TABLE } from '../../../src/providers/models/model-limits.js';
import { MODEL_ALIASES } from '../../../src/providers/models/model-names.js';

describe('the limits that are known before the catalogue', () => {
  it('are those of the catalogue, for every model and every way to name it', async () => {
    const catalogue = await loadCatalogue();
    const models = catalogue.list();
    expect(models.length).toBeGreaterThan(50);
    for (const { provider, id } of models) {
      for (const name of [id, id.toUpperCase(), `${id}-20991231`, `${id}-latest`]) {
        const facts = catalogue.find(provider, name);
        const expected = facts === null ? null : [facts.contextWindow, facts.maxOutputTokens];
        const found = MODEL_LIMITS_TABLE.find(provider, name);
        expect([provider, name, found && [found.contextWindow, found.maxOutputTokens]]).toEqual([
          provider,
          name,
          expected,
        ]);
      }
    }
    for (const alias of MODEL_ALIASES.keys())
      expect(MODEL_LIMITS_TABLE.find('anthropic', alias)).toMatchObject({
        contextWindow: catalogue.find('anthropic', alias)?.contextWindow,
      });
  });

  it('are null for what nobody knows', () => {
    expect(MODEL_LIMITS_TABLE.find('anthropic', 'claude-of-tomorrow')).toBeNull();
    expect(MODEL_LIMITS_TABLE.find('nobody', 'claude-haiku-4-5')).toBeNull();
    expect(MODEL_LIMITS_TABLE.find('anthropic', '__proto__')).toBeNull();
  });
});
