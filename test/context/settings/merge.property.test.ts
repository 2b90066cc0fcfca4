import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leavesOf, mergeLeaves, type SettingsLayer, valuesOf } from '../../../src/context/settings/merge.js';
import { SETTING_SCOPES } from '../../../src/context/settings/places.js';
import type { Settings } from '../../../src/protocol/settingsTypes.generated.js';

const name = fc.constantFrom('A', 'B', 'C');
const text = fc.constantFrom('x', 'y', 'z');
const values: fc.Arbitrary<Settings> = fc.record(
  {
    model: text,
    effort: fc.constantFrom('low' as const, 'high' as const),
    env: fc.dictionary(name, text),
    permissions: fc.record(
      {
        allow: fc.array(text, { maxLength: 3 }),
        deny: fc.array(text, { maxLength: 3 }),
        defaultMode: fc.constantFrom('plan' as const, 'default' as const),
      },
      { requiredKeys: [] },
    ),
    attribution: fc.oneof(fc.boolean(), fc.record({ commit: text }, { requiredKeys: [] })),
    sandbox: fc.record(
      { filesystem: fc.record({ denyRead: fc.array(text, { maxLength: 2 }) }, { requiredKeys: [] }) },
      { requiredKeys: [] },
    ),
    thinking: fc.constantFrom({ type: 'disabled' as const }, { type: 'enabled' as const, budgetTokens: 2_000 }),
  },
  { requiredKeys: [] },
);
const layers: fc.Arbitrary<SettingsLayer[]> = fc
  .array(fc.record({ scope: fc.constantFrom(...SETTING_SCOPES), values }), { maxLength: 7 })
  .map((all) => all.map((each, at) => ({ ...each, file: `/${at}`, base: '/' })));

const merge = (all: readonly SettingsLayer[]) => mergeLeaves(all.flatMap(leavesOf));
/** Strongest first; of one scope, the first given. */
const ranked = (all: readonly SettingsLayer[]) =>
  [...all].sort((a, b) => SETTING_SCOPES.indexOf(a.scope) - SETTING_SCOPES.indexOf(b.scope));

describe('merging settings', () => {
  it('gives each key the value of the strongest source that has it, with that source as its origin', () => {
    fc.assert(
      fc.property(layers, (all) => {
        const entries = merge(all);
        for (const pick of [
          (of: Settings) => of.model,
          (of: Settings) => of.env?.['A'],
          (of: Settings) => of.permissions?.defaultMode,
          (of: Settings) => of.attribution,
          (of: Settings) => of.thinking,
        ]) {
          const winner = ranked(all).find((layer) => pick(layer.values) !== undefined);
          expect(pick(valuesOf(entries))).toEqual(winner === undefined ? undefined : pick(winner.values));
        }
        const model = entries.find(({ key }) => key === 'model');
        const having = ranked(all).filter((layer) => layer.values.model !== undefined);
        expect(model?.file).toBe(having[0]?.file);
        expect(model?.overridden.map(({ file }) => file) ?? []).toEqual(having.slice(1).map(({ file }) => file));
      }),
    );
  });

  it('keeps every rule of every source, with its source', () => {
    fc.assert(
      fc.property(layers, (all) => {
        for (const list of ['allow', 'deny'] as const) {
          const merged = merge(all).filter(({ key }) => key === `permissions.${list}`);
          const given = ranked(all).flatMap(({ file, values: own }) =>
            (own.permissions?.[list] ?? []).map((value) => ({ file, value })),
          );
          expect(merged.map(({ file, value }) => ({ file, value }))).toEqual(given);
        }
      }),
    );
  });

  it('depends on nothing but the order of sources of one scope, and merging twice changes nothing', () => {
    fc.assert(
      fc.property(layers, (all) => {
        expect(merge(ranked(all))).toEqual(merge(all));
        const once = valuesOf(merge(all));
        const again: SettingsLayer = { scope: 'user', file: '/again', base: '/', values: once };
        expect(valuesOf(merge([again]))).toEqual(once);
      }),
    );
  });
});
