import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEffectiveSettings } from '../../../src/context/effective-settings.js';
import { isGuardedVariable } from '../../../src/context/settings/admit.js';
import { placesFor } from '../../../src/context/settings/places.js';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import type { SettingSource } from '../../../src/protocol/options.js';
import type { Settings } from '../../../src/protocol/settingsTypes.generated.js';

const FOLDERS = { home: '/home/user/.turnwright', homedir: '/home/user', cwd: '/project' };
const text = fc.constantFrom('a', 'b', 'c');
const texts = fc.array(text, { maxLength: 2 });
const anySettings = fc.record(
  {
    permissions: fc.record(
      {
        allow: texts,
        deny: texts,
        ask: texts,
        defaultMode: fc.constantFrom('plan' as const, 'acceptEdits' as const, 'bypassPermissions' as const),
        additionalDirectories: texts,
      },
      { requiredKeys: [] },
    ),
    env: fc.dictionary(fc.constantFrom('CI', 'PATH', 'HTTP_PROXY', 'OPENAI_BASE_URL', 'LD_PRELOAD'), text),
    model: text,
    apiKeyHelper: text,
    cleanupPeriodDays: fc.integer({ min: 1, max: 9 }),
    budgets: fc.record({ maxBudgetUsd: fc.integer({ min: 1, max: 9 }) }, { requiredKeys: [] }),
    sandbox: fc.record(
      { enabled: fc.boolean(), excludedCommands: texts, filesystem: fc.record({ denyRead: texts, allowWrite: texts }) },
      { requiredKeys: [] },
    ),
    hooks: fc.constant({ Stop: [{ hooks: [{ type: 'command', command: 'x' }] }] }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Settings>;

function read(files: Readonly<Record<string, Settings | undefined>>, sources?: readonly SettingSource[]) {
  const given = Object.entries(files).filter(([, settings]) => settings !== undefined);
  const host = createMemoryHost({ files: Object.fromEntries(given.map(([file, of]) => [file, JSON.stringify(of)])) });
  const isGranted = sources !== undefined;
  const places = placesFor(FOLDERS, sources);
  return readEffectiveSettings(host, { places, flag: undefined, managed: undefined, ...FOLDERS, isGranted });
}

const USER = '/home/user/.claude/settings.json';
const IN_FOLDER = fc.constantFrom(
  '/project/.turnwright/settings.json',
  '/project/.claude/settings.local.json',
  '/project/.qoder/settings.json',
);
const ALL: readonly SettingSource[] = ['user', 'project', 'local'];

/** Without what may be added by anybody, and without what does nothing. */
function rest({ permissions: { deny, ask, ...permissions } = {}, hooks, ...others }: Settings) {
  return { ...others, permissions };
}

describe('whatever a folder says', () => {
  it('without trust it adds rules that deny and ask, and changes nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(anySettings, anySettings, IN_FOLDER, async (user, folder, file) => {
        const [alone, both] = [await read({ [USER]: user }), await read({ [USER]: user, [file]: folder })];
        expect(rest(both.values)).toEqual(rest(alone.values));
        for (const list of ['deny', 'ask'] as const) {
          const wanted = [...(folder.permissions?.[list] ?? []), ...(user.permissions?.[list] ?? [])];
          expect(both.rules[list].map(({ source }) => source)).toEqual(wanted);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('with trust it says neither where models are nor what is loaded, asks no less, spends no more', async () => {
    await fc.assert(
      fc.asyncProperty(anySettings, anySettings, IN_FOLDER, async (user, folder, file) => {
        const [alone, both] = [await read({ [USER]: user }), await read({ [USER]: user, [file]: folder }, ALL)];
        const { values } = both;
        for (const name of Object.keys(values.env ?? {}))
          if (isGuardedVariable(name)) expect(values.env?.[name]).toBe(alone.values.env?.[name]);
        expect(values.apiKeyHelper).toBe(alone.values.apiKeyHelper);
        expect(values.cleanupPeriodDays).toBe(alone.values.cleanupPeriodDays);
        if (values.permissions?.defaultMode === 'bypassPermissions')
          expect(alone.values.permissions?.defaultMode).toBe('bypassPermissions');
        const [limit, before] = [values.budgets?.maxBudgetUsd, alone.values.budgets?.maxBudgetUsd];
        if (before !== undefined) expect(limit).toBeLessThanOrEqual(before);
        const [sandbox, own] = [values.sandbox ?? {}, alone.values.sandbox ?? {}];
        expect([sandbox.excludedCommands, sandbox.filesystem?.allowWrite]).toEqual([
          own.excludedCommands,
          own.filesystem?.allowWrite,
        ]);
        if (own.enabled) expect(sandbox.enabled).toBe(true);
        expect(sandbox.filesystem?.denyRead ?? []).toEqual(expect.arrayContaining(own.filesystem?.denyRead ?? []));
      }),
      { numRuns: 200 },
    );
  });
});
