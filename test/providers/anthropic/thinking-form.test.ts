import { expect, it } from 'vitest';
import { thinkingForm } from '../../../src/providers/anthropic/anthropic.js';
import { loadCatalogue } from '../../../src/providers/models/catalogue.js';

it.each([
  ['claude-3-haiku-20240307', 'none'],
  ['claude-3-5-sonnet-20241022', 'none'],
  ['claude-3-7-sonnet-20250219', 'budget'],
  ['claude-opus-4-20250514', 'budget'],
  ['claude-sonnet-4-0', 'budget'],
  ['claude-opus-4-1', 'budget'],
  ['claude-haiku-4-5-20251001', 'budget'],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'budget'],
  ['claude-sonnet-4-6', 'adaptive'],
  ['Claude-Opus-4-6', 'adaptive'],
  ['anthropic/claude-opus-4.6', 'adaptive'],
  ['claude-opus-5', 'adaptive'],
  ['claude-fable-5', 'adaptive'],
  ['claude-haiku-5-5', 'adaptive'],
  ['claude-opus-latest', null],
  ['my-claude-opus-4-6', null],
  ['deepseek-v4-pro', null],
  ['', null],
])('%s: %s', (model, form) => {
  expect(thinkingForm(model)).toBe(form);
});

it('says of each model of the catalogue whether it thinks, as that does', async () => {
  const models = (await loadCatalogue()).list('anthropic');
  expect(models.length).toBeGreaterThan(15);
  for (const { id, reasoning } of models) {
    const form = thinkingForm(id);
    expect(form, id).not.toBeNull();
    expect(form !== 'none', id).toBe(reasoning);
  }
});
