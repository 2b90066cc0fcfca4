// Whose value counts, of settings that follow from their declaration: each source by itself, and one above the other.
import { expect, it } from 'vitest';
import type { Settings } from '../../../src/protocol/settingsTypes.generated.js';
import type { PlainOptions } from '../../../src/sdk/options/index.js';
import { createOrigins } from '../../../src/sdk/settings/origins.js';
import { settingValues } from '../../../src/sdk/settings/setting-values.generated.js';

interface Given {
  readonly options?: PlainOptions;
  readonly values?: Settings;
  readonly managed?: Settings;
  readonly agent?: NonNullable<PlainOptions['agents']>[string];
  readonly env?: Readonly<Record<string, string>>;
}

const turns = (maxTurns: number): Settings => ({ budgets: { maxTurns } });
const tokens = (taskTokens: number): Settings => ({ budgets: { taskTokens } });
const agentOf = (fields: object) => ({ description: 'Works.', prompt: 'Work.', ...fields });
const thinks = { type: 'disabled' } as const;

const CASES: readonly (readonly [name: keyof PlainOptions, Given, value: unknown, source: string | undefined])[] = [
  ['maxTurns', { values: turns(9) }, 9, 'settings'],
  ['maxTurns', { values: turns(9), options: { maxTurns: 20 } }, 20, 'option'],
  ['maxTurns', { values: turns(9), agent: agentOf({ maxTurns: 5 }) }, 5, 'agent'],
  ['maxTurns', { values: turns(4), agent: agentOf({ maxTurns: 5 }) }, 4, 'settings'],
  ['maxTurns', { options: { maxTurns: 7 }, agent: agentOf({ maxTurns: 5 }) }, 7, 'option'],
  // Nothing to be lower than: that it is managed, the entries say.
  ['maxTurns', { managed: turns(3), agent: agentOf({ maxTurns: 5 }) }, 3, 'settings'],
  ['maxTurns', { managed: turns(8), agent: agentOf({ maxTurns: 5 }) }, 5, 'agent'],
  ['maxTurns', { managed: turns(3), options: { maxTurns: 20 } }, 3, 'managed'],
  ['maxTurns', { managed: turns(3), options: { maxTurns: 2 } }, 2, 'option'],
  ['maxTurns', {}, undefined, undefined],
  ['taskBudget', { values: tokens(9) }, { total: 9 }, 'settings'],
  ['taskBudget', { values: tokens(9), options: { taskBudget: { total: 20 } } }, { total: 20 }, 'option'],
  ['taskBudget', { managed: tokens(9), options: { taskBudget: { total: 20 } } }, { total: 9 }, 'managed'],
  ['taskBudget', { managed: tokens(30), options: { taskBudget: { total: 20 } } }, { total: 20 }, 'option'],
  ['effort', { values: { effort: 'low' }, agent: agentOf({ effort: 'high' }) }, 'high', 'agent'],
  [
    'effort',
    { values: { effort: 'low' }, options: { effort: 'max' }, agent: agentOf({ effort: 'high' }) },
    'max',
    'option',
  ],
  ['effort', { managed: { effort: 'low' }, options: { effort: 'max' } }, 'low', 'managed'],
  ['effort', { values: { effort: 'low' } }, 'low', 'settings'],
  ['thinking', { values: { thinking: thinks } }, thinks, 'settings'],
  ['thinking', { values: { thinking: thinks }, options: { maxThinkingTokens: 0 } }, undefined, undefined],
  ['thinking', { managed: { thinking: thinks }, options: { maxThinkingTokens: 2_000 } }, thinks, 'managed'],
  ['agent', { values: { agent: 'reviewer' } }, 'reviewer', 'settings'],
  ['agent', { values: { agent: 'reviewer' }, options: { coordinator: false } }, 'reviewer', 'settings'],
  ['agent', { values: { agent: 'reviewer' }, options: { coordinator: true } }, undefined, undefined],
  ['toolSearch', { values: { toolSearch: 'never' } }, 'never', 'settings'],
  ['toolSearch', { values: { toolSearch: 'never' }, env: { ENABLE_TOOL_SEARCH: 'true' } }, undefined, undefined],
  ['toolSearch', { managed: { toolSearch: 'never' }, env: { ENABLE_TOOL_SEARCH: 'true' } }, 'never', 'managed'],
];

it.each(CASES)('%s of %j', (name, { options = {}, values, managed = {}, agent, env = {} }, value, source) => {
  const origins = createOrigins();
  // What is managed is a part of all values.
  const all = { values: { ...managed, ...values }, managed };
  const chosen = settingValues(options, all, agent, env, origins);
  expect({ value: chosen[name], source: origins.noted.get(name) }).toEqual({ value, source });
});
