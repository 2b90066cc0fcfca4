// The description of the settings against what else says the same.
import { Validator } from '@cfworker/json-schema';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { validate } from '../../../src/context/settings/read-file.js';
import { SETTINGS_SCHEMA } from '../../../src/context/settings/schema.js';
import type { SettingSchema } from '../../../src/context/settings/setting-schema.js';
import {
  FALLBACK_TRIGGERS,
  type FallbackPolicy,
  MODEL_TIERS,
  type ModelTiers,
} from '../../../src/protocol/model-options.js';
import { EFFORT_LEVELS, type EffortLevel, type SandboxSettings } from '../../../src/protocol/options.js';
import { PERMISSION_MODES, type PermissionMode } from '../../../src/protocol/permissions.js';
import type { Settings } from '../../../src/protocol/settingsTypes.generated.js';

const { properties } = SETTINGS_SCHEMA;

describe('the description of the settings', () => {
  it('knows every mode, effort, tier and trigger that there is', () => {
    expect(properties.permissions.properties.defaultMode.enum).toEqual(PERMISSION_MODES);
    expect(properties.effort.enum).toEqual(EFFORT_LEVELS);
    expect(Object.keys(properties.modelTiers.properties)).toEqual(MODEL_TIERS);
    expect(properties.fallback.anyOf[1].properties.on.items.enum).toEqual(FALLBACK_TRIGGERS);
  });

  it('gives types that the options take', () => {
    expectTypeOf<NonNullable<Settings['sandbox']>>().toExtend<SandboxSettings>();
    expectTypeOf<NonNullable<Settings['modelTiers']>>().toExtend<ModelTiers>();
    expectTypeOf<Exclude<NonNullable<Settings['fallback']>, string[]>>().toExtend<FallbackPolicy>();
    expectTypeOf<NonNullable<Settings['effort']>>().toEqualTypeOf<EffortLevel>();
    expectTypeOf<NonNullable<NonNullable<Settings['permissions']>['defaultMode']>>().toEqualTypeOf<PermissionMode>();
  });

  it.each<[unknown, boolean]>([
    [{ permissions: { allow: ['Read'], defaultMode: 'plan' }, budgets: { maxBudgetUsd: 0.5 } }, true],
    [{ fallback: ['a'], thinking: { type: 'enabled', budgetTokens: 1_024 }, attribution: { commit: '' } }, true],
    [{ effort: 'huge' }, false],
    [{ budgets: { maxBudgetUsd: 0 } }, false],
    [{ retry: { maxRetries: -1 } }, false],
    [{ thinking: { budgetTokens: 2_000 } }, false],
    [{ env: { A: 1 } }, false],
    [{ permissions: { deny: [''] } }, false],
  ])('says of %j what a validator of JSON Schema says', (settings, isRight) => {
    const schema = JSON.parse(JSON.stringify(SETTINGS_SCHEMA)) as ConstructorParameters<typeof Validator>[0];
    expect(new Validator(schema, '2020-12').validate(settings).valid).toBe(isRight);
    expect(validate(settings, SETTINGS_SCHEMA as SettingSchema, '').problems.length === 0).toBe(isRight);
  });
});

describe('a switch that confines', () => {
  const settings = (value: object) => validate(value, SETTINGS_SCHEMA as SettingSchema, '');

  it.each([
    [{ sandbox: { enabled: 'yes' } }, { sandbox: { enabled: true } }],
    [{ sandbox: { enable: true } }, { sandbox: { enabled: true } }],
    [{ sandbox: { allowUnsandboxedCommands: 'no' } }, { sandbox: { allowUnsandboxedCommands: false } }],
    [{ sandbox: { autoAllowBashIfSandboxed: 0 } }, { sandbox: { autoAllowBashIfSandboxed: false } }],
    [
      { permissions: { disableBypassPermissionsMode: true } },
      { permissions: { disableBypassPermissionsMode: 'disable' } },
    ],
    [
      { permissions: { disableBypassPermissionMode: 'disable' } },
      { permissions: { disableBypassPermissionsMode: 'disable' } },
    ],
    [{ allowManagedPermissionRulesOnly: 'true' }, { allowManagedPermissionRulesOnly: true }],
    [{ allowManagedHooksOnly: 1 }, { allowManagedHooksOnly: true }],
  ])('is not lost by a letter: %j', (given, counts) => {
    const { value, problems } = settings(given);
    expect(value).toEqual(counts);
    expect(problems).toHaveLength(1);
  });

  it('that is understood counts as it stands, and others are still left out if they are not', () => {
    expect(settings({ sandbox: { enabled: false } })).toEqual({ value: { sandbox: { enabled: false } }, problems: [] });
    expect(settings({ autoCompact: 'no' }).value).toEqual({});
  });
});
