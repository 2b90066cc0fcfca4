// describeEffectiveConfig(): each option with whose it is, the tools and what decides about their calls, the prompt's parts.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPTION_KINDS } from '../../../src/protocol/declared-options.generated.js';
import type { EffectiveConfig } from '../../../src/protocol/index.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { text } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { controlled } from '../../support/controlled.js';
import { temporaryFolder } from '../../support/engine.js';

const model = () => scriptedModel(() => text('ok'));
const option = ({ options }: EffectiveConfig, name: string) => options.find((each) => each.name === name);

describe('describeEffectiveConfig', () => {
  it('names every option that is declared, and none twice', async () => {
    const { session } = await controlled(model());
    const { options } = await session.describeEffectiveConfig();
    const names = options.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const roots = new Set(names.map((name) => name.split('.')[0]));
    expect([...Object.keys(OPTION_KINDS)].filter((name) => !roots.has(name))).toEqual([]);
    expect(JSON.parse(JSON.stringify(options))).toEqual(options);
  });

  it('says whose each value is: a policy, an option, an agent, a file, a variable, nobody', async () => {
    const cwd = await temporaryFolder();
    const file = path.join(cwd, '.turnwright/settings.json');
    await mkdir(path.dirname(file));
    const settings = {
      effort: 'low',
      autoCompact: false,
      retry: { maxRetries: 7, baseMs: 9 },
      env: { A: '1', B: '2', API_TOKEN: 'hidden-by-its-name' },
      budgets: { taskTokens: 5_000 },
      permissions: { defaultMode: 'acceptEdits', allow: ['Bash(ls)'], deny: ['WebFetch'] },
    };
    await writeFile(file, JSON.stringify(settings));
    const { session } = await controlled(model(), {
      cwd,
      settingSources: ['project'],
      managedSettings: { budgets: { maxTurns: 4 }, cleanupPeriodDays: 3 },
      settings: { codeMode: false, budgets: { maxTurns: 9 } },
      effort: 'high',
      limits: { retryMaxMs: 11 },
      env: { B: 'two', TURNWRIGHT_TOOL_TIMEOUT_MS: '77' },
      auth: { type: 'apiKey', apiKey: 'sk-a-secret-of-the-test' } as never,
      allowedTools: ['Grep'],
    });
    const config = await session.describeEffectiveConfig();
    expect(option(config, 'effort')).toEqual({ name: 'effort', value: 'high', source: 'option' });
    expect(option(config, 'autoCompact')).toEqual({
      name: 'autoCompact',
      value: false,
      source: 'projectSettings',
      setting: 'autoCompact',
      file,
    });
    expect(option(config, 'limits.maxRetries')).toMatchObject({ value: 7, source: 'projectSettings', file });
    expect(option(config, 'limits.retryMaxMs')).toMatchObject({ value: 11, source: 'option' });
    expect(option(config, 'limits.toolTimeoutMs')).toMatchObject({
      value: 77,
      source: 'variable',
      variable: 'TURNWRIGHT_TOOL_TIMEOUT_MS',
    });
    expect(option(config, 'limits.maxBackgroundTasks')).toMatchObject({ source: 'default' });
    expect(option(config, 'env.A')).toMatchObject({ value: '1', source: 'projectSettings' });
    expect(option(config, 'env.B')).toMatchObject({ value: 'two', source: 'option' });
    expect(option(config, 'maxTurns')).toMatchObject({
      value: 4,
      source: 'policySettings',
      setting: 'budgets.maxTurns',
      overridden: [{ value: 9, source: 'flagSettings' }],
    });
    expect(option(config, 'taskBudget')).toMatchObject({ value: { total: 5_000 }, source: 'projectSettings' });
    expect(option(config, 'cleanupPeriodDays')).toMatchObject({ value: 3, source: 'policySettings' });
    expect(option(config, 'codeMode')).toMatchObject({ value: false, source: 'flagSettings' });
    expect(option(config, 'permissionMode')).toMatchObject({ value: 'acceptEdits', source: 'projectSettings' });
    expect(option(config, 'extensions')).toMatchObject({ value: null, source: 'default', hasNoEffect: true });
    expect(config.rules).toContainEqual(
      expect.objectContaining({ behavior: 'deny', rule: 'WebFetch', source: 'projectSettings' }),
    );
    expect(config.tools.find(({ name }) => name === 'Grep')).toMatchObject({ calls: 'auto_approved', rule: 'Grep' });
    expect(config.tools.find(({ name }) => name === 'Bash')).toEqual({
      name: 'Bash',
      source: 'built-in',
      calls: 'decided',
    });
    expect(JSON.stringify(config)).not.toMatch(/sk-a-secret|hidden-by/);
  });

  it('follows what is changed while the session runs', async () => {
    const { session, ask } = await controlled(model(), { settings: { effort: 'low' }, permissionMode: 'default' });
    await ask('Hello.');
    await session.setPermissionMode('acceptEdits');
    await session.applyFlagSettings({ autoCompact: false });
    const config = await session.describeEffectiveConfig();
    expect(option(config, 'permissionMode')).toMatchObject({ value: 'default', inForce: 'acceptEdits' });
    expect(option(config, 'autoCompact')).toMatchObject({ value: false, source: 'flagSettings' });
  });
});

// The published table, docs/controls.md: which tools there are, and what is asked about, of what is named.
const TOOLS: readonly [Options['tools'], readonly string[]][] = [
  [[], []],
  [['Read'], ['Read']],
  [
    ['Read', 'Bash'],
    ['Read', 'Bash'],
  ],
];
const ALLOWED: readonly (readonly string[] | undefined)[] = [undefined, [], ['Read'], ['Bash(ls)'], ['Read', 'Bash']];
const DENIED: readonly (readonly string[] | undefined)[] = [undefined, ['Bash'], ['Bash(rm *)'], ['Read']];

describe('what is available, what is approved and what is denied', () => {
  const rows = TOOLS.flatMap(([tools, there]) =>
    ALLOWED.flatMap((allowed) => DENIED.map((denied) => [tools, there, allowed, denied] as const)),
  );
  it.each(rows)('tools %j of %j, allowed %j, disallowed %j', async (tools, there, allowed, denied) => {
    const scripted = model();
    const { session, ask } = await controlled(scripted, {
      tools: tools as string[],
      ...(allowed === undefined ? {} : { allowedTools: [...allowed] }),
      ...(denied === undefined ? {} : { disallowedTools: [...denied] }),
      systemPrompt: 'Be brief.',
      settingSources: [],
    });
    const config = await session.describeEffectiveConfig();
    const available = there.filter((name) => denied?.includes(name) !== true);
    expect(config.tools.map(({ name }) => name).sort()).toEqual([...available].sort());
    for (const { name, calls } of config.tools)
      expect([name, calls]).toEqual([name, allowed?.includes(name) === true ? 'auto_approved' : 'decided']);
    await ask('Hello.');
    const [request] = scripted.requests;
    expect(request?.tools.map(({ name }) => name).sort()).toEqual([...available].sort());
    expect(config.systemPrompt.length).toBeGreaterThan(0);
    const sent = JSON.stringify(request?.system);
    expect(sent).toContain('Be brief.');
    expect(sent).not.toContain('You are Turnwright');
  });
});
