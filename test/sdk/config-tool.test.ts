// The tool Config: what the model sees of settings, and how it changes them.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { PermissionResult } from '../../src/protocol/permissions.js';
import type { ConfigInput } from '../../src/protocol/tool-io.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

const USER = { permissions: { deny: ['Read(.env)'] }, env: { CI: '1', API_TOKEN: 'hunter2-hunter2' } };

/** What comes of calls of the tool; whoever is asked answers by `answer`. */
async function configure(
  calls: readonly ConfigInput[],
  options: Partial<Options> = {},
  answer: PermissionResult = { behavior: 'allow' },
) {
  const home = await temporaryFolder();
  const cwd = await temporaryFolder();
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'settings.json'), JSON.stringify(USER));
  const asked: string[] = [];
  const model = scriptedModel([...calls.map((input) => toolCall('Config', input)), text('done')]);
  const messages: SDKMessage[] = await collect(
    query({
      prompt: 'go',
      options: {
        cwd,
        provider: model,
        env: { TURNWRIGHT_HOME: home },
        tools: ['Config'],
        canUseTool: async (name, _input, { decisionReason }) => {
          asked.push(`${name}: ${decisionReason}`);
          return answer;
        },
        ...options,
      },
    }),
  );
  const results = messages.flatMap((message) =>
    message.type === 'user' && 'tool_use_result' in message ? [message.tool_use_result] : [],
  );
  return {
    asked,
    results,
    told: JSON.stringify(model.requests.at(-1)?.messages),
    denials: lastResult(messages).permission_denials,
    user: async () => JSON.parse(await readFile(join(home, 'settings.json'), 'utf8')),
  };
}

describe('Config', () => {
  it('lists values with their scope and file, asks nobody, and shows no secret', async () => {
    const { asked, results, told } = await configure([{ action: 'list' }, { action: 'get', key: 'env' }]);
    expect(asked).toEqual([]);
    expect(results[0]).toMatchObject({
      success: true,
      values: { 'env.CI': '1', 'env.API_TOKEN': '[not shown: a secret]' },
    });
    expect(told).toContain('permissions.deny');
    expect(told).toMatch(/\(user, \S+settings\.json\)/);
    expect(told).not.toContain('hunter2');
  });

  it('gets one value with its origin, or says that it is as by default', async () => {
    const { results, told } = await configure([
      { action: 'get', key: 'permissions.deny' },
      { action: 'get', key: 'language' },
    ]);
    expect(results).toEqual([{ success: true, value: ['Read(.env)'] }, { success: true }]);
    expect(told).toContain('language is not set');
  });

  it('sets and unsets a value once a person said yes', async () => {
    const { asked, results, user } = await configure([
      { action: 'set', key: 'language', value: 'French' },
      { action: 'set', key: 'env.CI', value: null },
    ]);
    expect(asked).toHaveLength(2);
    expect(results).toEqual([
      { success: true, value: 'French' },
      { success: true, value: null },
    ]);
    expect(await user()).toEqual({ ...USER, env: { API_TOKEN: USER.env.API_TOKEN }, language: 'French' });
  });

  it.each(['bypassPermissions', 'acceptEdits', 'dontAsk', 'plan'] as const)(
    'changes nothing unasked in mode %s, whatever rule allows it',
    async (permissionMode) => {
      const { asked, denials, user } = await configure(
        [{ action: 'set', key: 'sandbox.enabled', value: false, scope: 'user' }],
        { permissionMode, allowDangerouslySkipPermissions: true, allowedTools: ['Config'] },
        { behavior: 'deny', message: 'no' },
      );
      expect(await user()).toEqual(USER);
      expect(denials).toHaveLength(1);
      if (permissionMode !== 'dontAsk') expect(asked[0]).toContain('settings that calls are held against');
    },
  );

  it.each([
    [{ action: 'set', key: 'permisions.deny', value: [] }, 'Did you mean permissions'],
    [{ action: 'set', key: 'permissions.defaultMode', value: 'never' }, 'expected default'],
    [{ action: 'set', key: 'language' }, 'set needs a value'],
    [{ action: 'set', value: 1 }, 'set needs a key'],
    [{ action: 'get' }, 'get needs a key'],
    [{ action: 'set', key: 'env.MY_API_KEY', value: 'x' }, 'turnwright login'],
    [{ action: 'set', key: 'env', value: { A_SECRET: 'x' } }, 'is a secret'],
    [{ action: 'set', key: '__proto__.x', value: 1 }, 'There is no setting'],
  ] satisfies [ConfigInput, string][])('refuses %j and says what to do', async (input, message) => {
    const { results, told, user } = await configure([input]);
    expect(told).toContain(message);
    expect(results[0] ?? {}).toMatchObject({ success: false, error: expect.stringContaining(message) });
    expect(await user()).toEqual(USER);
  });

  it('is there only if it is named', async () => {
    const model = scriptedModel([text('done')]);
    const env = { TURNWRIGHT_HOME: await temporaryFolder() };
    await collect(query({ prompt: 'go', options: { cwd: await temporaryFolder(), provider: model, env } }));
    const beside = { cwd: await temporaryFolder(), env, allowedTools: ['Config'] };
    const named = scriptedModel([text('done')]);
    await collect(query({ prompt: 'go', options: { ...beside, provider: named } }));
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain('Config');
    expect(named.requests[0]?.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['Config', 'Bash']));
  });
});
