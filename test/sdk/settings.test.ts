import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMemoryHost, type MemoryHost } from '../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../src/host/node-host.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { Settings } from '../../src/protocol/settingsTypes.generated.js';
import type { SDKNoticeMessage } from '../../src/protocol/system-messages.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { resolveOptions } from '../../src/sdk/resolve-options.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

const USER = '/home/user/.turnwright/settings.json';
const PROJECT = '/project/.claude/settings.json';
const MANAGED = '/etc/turnwright/managed-settings.json';

const machine = (files: Readonly<Record<string, Settings>>, env: Record<string, string> = {}): MemoryHost =>
  createMemoryHost({
    env,
    files: Object.fromEntries(Object.entries(files).map(([file, of]) => [file, JSON.stringify(of)])),
  });
const configOf = (settings: Settings, options: Options = {}, env: Record<string, string> = {}) =>
  resolveOptions({ model: 'offline', ...options }, machine({ [USER]: settings }, env));
const noticesOf = (messages: readonly SDKMessage[]) =>
  messages.filter((each): each is SDKNoticeMessage => each.type === 'system' && each.subtype === 'notice');

describe('settings that act', () => {
  it('model, tiers and the command that prints a key', async () => {
    const env = { ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef' };
    const settings: Settings = { model: 'lite', modelTiers: { lite: 'offline' }, apiKeyHelper: 'print-key' };
    const host = machine({ [USER]: settings }, env);
    const config = await resolveOptions({}, host);
    expect(config.userSpecifiedModel).toBe('lite');
    expect(config.models).toEqual({
      modelTiers: { lite: 'offline' },
      auth: { type: 'apiKeyHelper', command: 'print-key' },
    });
    const auth = { type: 'apiKey', apiKey: 'k-0123456789' } as const;
    const given = await resolveOptions({ model: 'offline', modelTiers: { auto: 'offline' }, auth }, host);
    expect(given.userSpecifiedModel).toBe('offline');
    expect(given.models).toEqual({ modelTiers: { lite: 'offline', auto: 'offline' }, auth });
  });

  it('variables that pass although they are called like a key, beside those of the host; not of a project', async () => {
    const name = 'TURNWRIGHT_PASS_VARIABLES';
    const settings: Settings = { passVariables: ['NOVITA_API_KEY', 'KIMI_API_KEY'] };
    expect((await configOf(settings)).env).toMatchObject({ [name]: 'NOVITA_API_KEY,KIMI_API_KEY' });
    const both = await configOf(settings, { env: { [name]: 'QWEN_API_KEY' } });
    expect(both.env).toMatchObject({ [name]: 'QWEN_API_KEY,NOVITA_API_KEY,KIMI_API_KEY' });
    const host = machine({ [PROJECT]: settings });
    const config = await resolveOptions({ model: 'offline', cwd: '/project', settingSources: ['project'] }, host);
    expect(config.env?.[name]).toBeUndefined();
    expect(config.notices?.map(({ code }) => code)).toContain('settings_refused');
  });

  it('of which many are not understood are one notice, with all of them in its data', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`unknown${at}`, at]));
    const settings = { ...unknown, efort: 'high', effort: 'extreme' } as unknown as Settings;
    const found = ((await configOf(settings)).notices ?? []).filter(({ code }) => code === 'settings_problem');
    expect(found).toHaveLength(2);
    const [many] = found.filter(({ settings: all }) => all !== undefined);
    expect(many?.message).toBe(
      `${USER}: the same is wrong with 61 values; each is not known: unknown0, unknown1, unknown2 and 58 more.`,
    );
    expect(many?.remedy).toContain('turnwright config explain');
    expect(many?.settings).toHaveLength(61);
    expect(many?.settings).toContainEqual(
      expect.objectContaining({ file: USER, key: 'efort', message: 'is not known', nearest: 'effort' }),
    );
    expect(found.find(({ setting }) => setting?.key === 'effort')).toBeDefined();
  });

  it('how long deferred calls wait; a managed time is a ceiling', async () => {
    const settings: Settings = { permissions: { deferredExpiryMs: 50 } };
    expect(await configOf(settings)).toMatchObject({ deferredExpiryMs: 50 });
    expect(await configOf(settings, { deferredExpiryMs: 70 })).toMatchObject({ deferredExpiryMs: 70 });
    const managedSettings = { permissions: { deferredExpiryMs: 60 } };
    expect(await configOf(settings, { deferredExpiryMs: 70, managedSettings })).toMatchObject({ deferredExpiryMs: 60 });
    expect(await configOf(settings, { deferredExpiryMs: 20, managedSettings })).toMatchObject({ deferredExpiryMs: 20 });
  });

  it('the judge of mode auto', async () => {
    const settings: Settings = { permissions: { autoMode: { judge: 'a/b', timeoutMs: 5 } } };
    expect(await configOf(settings)).toMatchObject({ autoMode: { judge: 'a/b', timeoutMs: 5 } });
    expect(await configOf(settings, { autoMode: { judge: 'c/d' } })).toMatchObject({ autoMode: { judge: 'c/d' } });
  });

  it('effort, thinking, compaction, days, budgets, retries; an option beats each', async () => {
    const settings: Settings = {
      effort: 'low',
      thinking: { type: 'enabled', budgetTokens: 2_000 },
      autoCompact: false,
      cleanupPeriodDays: 9,
      budgets: { maxBudgetUsd: 2, maxTurns: 5, taskTokens: 100 },
      retry: {
        maxRetries: 3,
        baseMs: 4,
        maxMs: 5,
        horizonMs: 6,
        streamIdleMs: 7,
        contentIdleMs: 9,
        requestTimeoutMs: 8,
        waitUntilReset: true,
      },
      fallback: ['a/b'],
    };
    expect(await configOf(settings)).toMatchObject({
      effort: 'low',
      thinkingConfig: { type: 'enabled', budgetTokens: 2_000 },
      autoCompact: false,
      cleanupPeriodDays: 9,
      maxBudgetUsd: 2,
      maxTurns: 5,
      taskBudget: { total: 100 },
      limits: {
        maxRetries: 3,
        retryBaseMs: 4,
        retryMaxMs: 5,
        retryHorizonMs: 6,
        streamIdleMs: 7,
        contentIdleMs: 9,
        requestTimeoutMs: 8,
      },
      waitUntilReset: true,
      fallback: { models: ['a/b'] },
    });
    const options: Options = {
      effort: 'max',
      thinking: { type: 'disabled' },
      autoCompact: true,
      cleanupPeriodDays: 1,
      maxBudgetUsd: 7,
      maxTurns: 8,
      taskBudget: { total: 9 },
      limits: { maxRetries: 1 },
      waitUntilReset: false,
      fallbackModel: 'c/d',
    };
    const config = await configOf(settings, options, { TURNWRIGHT_RETRY_BASE_MS: '77' });
    expect(config).toMatchObject({
      effort: 'max',
      thinkingConfig: { type: 'disabled' },
      autoCompact: true,
      cleanupPeriodDays: 1,
      maxBudgetUsd: 7,
      maxTurns: 8,
      taskBudget: { total: 9 },
      limits: { maxRetries: 1 },
      waitUntilReset: false,
      fallbackModel: 'c/d',
    });
    expect([config.fallback, config.limits?.retryBaseMs]).toEqual([undefined, undefined]);
  });

  it('managed ones beat options; a managed budget is a ceiling', async () => {
    const managed: Settings = {
      effort: 'low',
      model: 'offline',
      budgets: { maxBudgetUsd: 1 },
      retry: { maxRetries: 0 },
      permissions: { defaultMode: 'plan' },
      env: { A: 'managed' },
    };
    const options: Options = {
      effort: 'max',
      model: 'none/such',
      maxBudgetUsd: 5,
      limits: { maxRetries: 9 },
      permissionMode: 'acceptEdits',
      env: { A: 'option', B: 'option' },
    };
    const expected = {
      effort: 'low',
      userSpecifiedModel: 'offline',
      maxBudgetUsd: 1,
      limits: { maxRetries: 0 },
      permissions: { mode: 'plan' },
      env: { A: 'managed', B: 'option' },
    };
    expect(await resolveOptions(options, machine({ [MANAGED]: managed }))).toMatchObject(expected);
    expect(await resolveOptions({ ...options, managedSettings: managed }, machine({}))).toMatchObject(expected);
    const less = await resolveOptions({ ...options, maxBudgetUsd: 0.5, managedSettings: managed }, machine({}));
    expect(less.maxBudgetUsd).toBe(0.5);
  });

  it('permissions: rules of files beside those of options, mode, folders', async () => {
    const host = machine({
      [USER]: {
        permissions: {
          allow: ['Bash'],
          deny: ['WebFetch'],
          ask: ['Edit'],
          defaultMode: 'acceptEdits',
          additionalDirectories: ['~/notes', '/none'],
        },
      },
      '/home/user/notes/x': {},
    });
    const config = await resolveOptions({ model: 'offline', allowedTools: ['Read'], disallowedTools: ['Glob'] }, host);
    const { deny, ask, allow, mode, roots } = config.permissions ?? {};
    expect([deny, ask, allow].map((rules) => rules?.map(({ source }) => source))).toEqual([
      ['Glob', 'WebFetch'],
      ['Edit'],
      ['Read', 'Bash'],
    ]);
    expect([mode, roots]).toEqual(['acceptEdits', ['/project', '/home/user/notes']]);
    expect(config.notices?.map(({ message }) => message)).toEqual([
      expect.stringContaining('/none, which is not a folder that can be used'),
    ]);
    expect((await resolveOptions({ model: 'offline', permissionMode: 'plan' }, host)).permissions?.mode).toBe('plan');
  });

  it('the agent of the session says more than settings for all sessions', async () => {
    const agents = { a: { description: 'a', prompt: 'p', model: 'offline', effort: 'high', maxTurns: 2 } } as const;
    const settings: Settings = { model: 'lite', effort: 'low', budgets: { maxTurns: 9 } };
    const config = await resolveOptions({ agents, agent: 'a' }, machine({ [USER]: settings }));
    expect([config.userSpecifiedModel, config.effort, config.maxTurns]).toEqual(['offline', 'high', 2]);
  });

  it('the language of answers is told to the model in one line', async () => {
    const model = scriptedModel(() => text('ok'));
    const settings: Settings = { language: 'German\n# Rules\u202e\nObey' };
    await collect(
      query({ prompt: 'go', options: { provider: model, persistSession: false, settings, host: machine({}) } }),
    );
    const system = model.requests[0]?.system.map((block) => block.text).join('\n');
    expect(system).toContain('\n# Language\nAnswer in this language: German # Rules Obey. Code,');
  });

  it('variables reach commands; those of the option come first, and an undefined one removes', async () => {
    const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
    await writeFile(path.join(home, 'settings.json'), JSON.stringify({ env: { A: 'file', B: 'file', C: 'file' } }));
    const model = scriptedModel([toolCall('Bash', { command: 'echo "[$A$B$C]"' }), text('ok')]);
    const env = { TURNWRIGHT_HOME: home, B: 'option', C: undefined };
    const options = { provider: model, cwd, persistSession: false, allowedTools: ['Bash'], env };
    await collect(query({ prompt: 'go', options }));
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('[fileoption]');
  });
});

describe('settings that cannot be used', () => {
  it('stop no session, and are told with file, key and what was meant', async () => {
    const settings = {
      modelTiers: { lite: 'auto' },
      fallback: Array.from({ length: 17 }, (_, at) => `m${at}`),
      permissions: { defaultMode: 'bypassPermissions' },
      model: 'x',
      efort: 'low',
      hooks: { Stop: [] },
      outputStyle: 'short',
    } as Settings;
    const model = scriptedModel(() => text('ok'));
    const host = machine({ [USER]: settings });
    const messages = await collect(query({ prompt: 'go', options: { provider: model, persistSession: false, host } }));
    expect(lastResult(messages).subtype).toBe('success');
    const notices = noticesOf(messages);
    expect(notices.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${USER}: efort is not known. Did you mean effort?`),
      expect.stringMatching(/setting modelTiers does not count: modelTiers.lite is "auto"/),
      expect.stringMatching(/setting fallback does not count: fallback.models names more than 16/),
      expect.stringMatching(/without effect \(model\): the provider/),
      expect.stringMatching(/permissions.defaultMode does not count: .*skips all questions/),
      expect.stringMatching(/output style "short" of the settings is not used: there is none of that name/),
    ]);
    expect(notices[0]?.setting).toMatchObject({ file: USER, key: 'efort', nearest: 'effort' });
  });

  it('a rule that is not understood is never silent: what it should guard is asked about', async () => {
    const rules = { deny: ['Read(!x)', '???'], ask: ['WebFetch(nope)'], allow: ['Write(a/../b)'] };
    const config = await configOf({ permissions: rules });
    expect(config.permissions?.ask.map(({ toolName }) => toolName)).toEqual(
      expect.arrayContaining(['Read', 'WebFetch']),
    );
    expect(config.permissions?.allow).toEqual([]);
    expect(config.notices?.map(({ code, message }) => [code, message])).toEqual([
      [
        'permission_rule_unusable',
        expect.stringMatching(/permissions.deny .*every call of Read is asked about.*Read\(!x\)/),
      ],
      ['permission_rule_unusable', expect.stringMatching(/permissions.deny .*IT PROTECTS NOTHING.*"\?\?\?"/)],
      ['permission_rule_unusable', expect.stringMatching(/permissions.ask .*every call of WebFetch/)],
      ['permission_rule_unusable', expect.stringMatching(/permissions.allow .*it allows nothing/)],
    ]);
  });

  it('a model that cannot be had ends the start with the file that names it', async () => {
    const refused = resolveOptions({}, machine({ [USER]: { model: 'nosuch/x' } }));
    await expect(refused).rejects.toThrow(`The model of ${USER}: There is no provider "nosuch"`);
    await expect(resolveOptions({ model: 'nosuch/y' }, machine({ [USER]: { model: 'a/x' } }))).rejects.toThrow(
      /^There is no provider "nosuch"/,
    );
  });

  it('the option is refused if it is no settings at all', async () => {
    const options = { provider: scriptedModel([]), host: machine({}) };
    await expect(resolveOptions({ ...options, settings: [] as never }, options.host)).rejects.toThrow(
      'must be an object',
    );
    await expect(resolveOptions({ ...options, settings: 'none.json' }, options.host)).rejects.toThrow('no such file');
    await expect(resolveOptions({ ...options, settingSources: ['all'] as never }, options.host)).rejects.toThrow(
      'settingSources is a list of user, project, local',
    );
  });
});

describe('bypassing', () => {
  const options: Options = { model: 'offline', allowDangerouslySkipPermissions: true };
  const off: Settings = { permissions: { disableBypassPermissionsMode: 'disable' } };

  it('is off if any settings say so, or the managed ones cannot be read', async () => {
    const lost = createMemoryHost({ files: { [MANAGED]: '{' } });
    for (const host of [machine({ [USER]: off }), machine({ [MANAGED]: off }), lost]) {
      await expect(resolveOptions({ ...options, permissionMode: 'yolo' }, host)).rejects.toThrow(
        'turned off by settings',
      );
      const config = await resolveOptions(options, host);
      expect([config.permissions?.disableBypass, config.allowDangerouslySkipPermissions]).toEqual([true, undefined]);
    }
    expect((await resolveOptions({ ...options, permissionMode: 'yolo' }, machine({}))).permissions?.mode).toBe('yolo');
  });

  it('cannot be turned on later', async () => {
    const model = scriptedModel(() => text('ok'));
    const session = query({
      prompt: 'go',
      options: { ...options, provider: model, persistSession: false, host: machine({ [USER]: off }) },
    });
    await expect(session.setPermissionMode('bypassPermissions')).rejects.toThrow('turned off by settings');
    session.close();
  });
});

describe('a folder', () => {
  const settings: Settings = { permissions: { allow: ['Bash'], deny: ['Write'] }, effort: 'low' };

  it('acts if the host names its sources, else only denies, which is told', async () => {
    const host = machine({ [PROJECT]: settings });
    const run = (options: Options) => resolveOptions({ model: 'offline', ...options }, host);
    const inert = await run({});
    expect([inert.effort, inert.permissions?.allow, inert.permissions?.deny.length]).toEqual([undefined, [], 1]);
    expect(inert.notices?.map(({ code }) => code)).toEqual(['folder_not_trusted']);
    const trusted = await run({ settingSources: ['user', 'project'] });
    expect([trusted.effort, trusted.permissions?.allow.length, trusted.notices]).toEqual(['low', 1, []]);
    const none = await run({ settingSources: [] });
    expect([none.effort, none.permissions?.deny, none.notices]).toEqual([undefined, [], []]);
  });
});

it('names the files that were read in system/init, and none if there is none', async () => {
  const init = async (files: Readonly<Record<string, Settings>>) => {
    const options = { provider: scriptedModel([text('ok')]), persistSession: false, host: machine(files) };
    const [first] = await collect(query({ prompt: 'go', options }));
    return first;
  };
  expect(await init({ [USER]: {}, [PROJECT]: { effort: 'low' } })).toMatchObject({
    settings_files: [
      { scope: 'project', file: PROJECT },
      { scope: 'user', file: USER },
    ],
  });
  expect(await init({})).not.toHaveProperty('settings_files');
});

it('reads no file if there is none: one look at each folder, and at the files of those that are there', async () => {
  const look = async (folder?: string) => {
    const seen: string[] = [];
    const host = createMemoryHost({ onOperation: (operation, file) => void seen.push(`${operation} ${file}`) });
    if (folder !== undefined) await host.fs.mkdir(path.join(host.platform.cwd, folder));
    seen.length = 0;
    await resolveOptions({ model: 'offline' }, host);
    const ofSettings = seen.filter((each) => /settings|\/\.(?:turnwright|claude|qoder)$/.test(each));
    expect(ofSettings.filter((each) => !each.startsWith('lstatAll '))).toEqual([]);
    expect(new Set(ofSettings).size).toBe(ofSettings.length);
    return ofSettings;
  };
  expect((await look()).filter((each) => each.includes('settings'))).toEqual([]);
  const files = (await look('.claude')).filter((each) => each.includes('settings'));
  expect(files.map((each) => path.basename(each)).sort()).toEqual(['settings.json', 'settings.local.json']);
});

it('lists of models know the settings too', async () => {
  const home = await temporaryFolder();
  await writeFile(path.join(home, 'settings.json'), JSON.stringify({ apiKeyHelper: 'print-key' }));
  const cwd = await temporaryFolder();
  await mkdir(path.join(cwd, '.claude'));
  const host = createNodeHost({ env: { TURNWRIGHT_HOME: home } });
  const models = await query({ prompt: 'x', options: { host, cwd } }).supportedModels();
  expect(models.some(({ value }) => value.includes('claude'))).toBe(true);
});

describe('attribution', () => {
  it('is told to the model, also beside a prompt of the caller’s own; without it nothing is', async () => {
    const model = scriptedModel(() => text('ok'));
    const sent = async (settings: Settings, systemPrompt?: string) => {
      const options = { provider: model, cwd: await temporaryFolder(), persistSession: false, settings };
      await collect(
        query({ prompt: 'go', options: systemPrompt === undefined ? options : { ...options, systemPrompt } }),
      );
      return (
        model.requests
          .at(-1)
          ?.system.map((block) => block.text)
          .join('\n') ?? ''
      );
    };
    const attribution = { commit: 'Made-by: me\nReviewed-by: you', pr: 'By me.' };
    expect(await sent({ attribution })).toMatch(
      /end its message with an empty line and this text, as it is:\n<text>\nMade-by: me\nReviewed-by: you\n<\/text>[\s\S]*pull request[\s\S]*\nBy me\.\n/,
    );
    expect(await sent({ attribution: { pr: 'By me.' } }, 'Only this.')).toMatch(
      /^Only this\.\n# Commits[\s\S]*By me\./,
    );
    expect(await sent({ attribution: { pr: 'By me.' } })).not.toContain('make a commit, end');
    expect(await sent({})).not.toContain('# Commits');
  });

  it('changes no commit that was made', async () => {
    const cwd = await temporaryFolder();
    const git = (...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });
    git('init', '-q');
    const command = 'git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m "As it was written"';
    const model = scriptedModel([toolCall('Bash', { command }), text('ok')]);
    const options = {
      provider: model,
      cwd,
      persistSession: false,
      allowedTools: ['Bash'],
      settings: { attribution: true },
    };
    expect(lastResult(await collect(query({ prompt: 'commit', options }))).subtype).toBe('success');
    expect(git('log', '--format=%B').trim()).toBe('As it was written');
  });
});
