// `turnwright/qoder`: what a program of the Qoder Agent SDK relies on, where that differs from ours.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as qoder from '../../../src/qoder.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../../support/engine.js';

async function session(steps: Parameters<typeof scriptedModel>[0], given: Partial<qoder.Options> = {}) {
  const home = await temporaryFolder();
  const env = { PATH: process.env['PATH'], HOME: home, QODER_CONFIG_DIR: home };
  const options: qoder.Options = { cwd: home, env, provider: scriptedModel(steps), ...given };
  return { home, options };
}

async function kinds(query: qoder.Query, act: (message: qoder.SDKMessage) => void = () => undefined) {
  const found: string[] = [];
  for await (const message of query) {
    found.push('subtype' in message ? `${message.type}/${message.subtype}` : message.type);
    act(message);
  }
  return found;
}

describe('a session', () => {
  it('ends without an error if it was aborted, or a result failed', async () => {
    const abortController = new AbortController();
    const slow = await session([toolCall('Bash', { command: 'sleep 20' })], {
      abortController,
      allowedTools: ['Bash'],
    });
    const query = qoder.query({ prompt: 'x', options: slow.options });
    expect(await kinds(query, ({ type }) => type === 'assistant' && abortController.abort())).toEqual([
      'system/init',
      'assistant',
    ]);
    const failing = await session([toolCall('Bash', { command: 'true' })], { maxTurns: 1, allowedTools: ['Bash'] });
    const found = await kinds(qoder.query({ prompt: 'x', options: failing.options }));
    expect(found.at(-1)).toBe('result/error_max_turns');
  });

  it('is kept in its folder, where its functions find it', async () => {
    const { home, options } = await session([text('a')]);
    await kinds(qoder.query({ prompt: 'first words', options }));
    expect(await readdir(path.join(home, 'projects'))).toHaveLength(1);
    const found = await qoder.listSessions({ env: { QODER_CONFIG_DIR: home } });
    expect(found).toMatchObject([{ firstPrompt: 'first words' }]);
  });

  it('has outputs of tools as the specification spells them', async () => {
    const { options } = await session([toolCall('Bash', { command: 'echo hi' }), text('a')], {
      allowedTools: ['Bash'],
    });
    const outputs: unknown[] = [];
    await kinds(qoder.query({ prompt: 'x', options }), (message) => {
      if (message.type === 'user') outputs.push(message.tool_use_result);
    });
    expect(outputs).toMatchObject([{ stdout: 'hi\n', exitCode: 0 }]);
  });

  it('tells which files its tools changed, the whole list each time', async () => {
    const { home, options } = await session(
      [
        toolCall('Write', { file_path: 'src/a.txt', content: 'one\ntwo\n' }),
        toolCall('Edit', { file_path: 'src/a.txt', old_string: 'two', new_string: 'three\nfour' }),
        toolCall('Edit', { file_path: 'src/a.txt', old_string: 'not there', new_string: 'x' }),
        toolCall('Bash', { command: 'echo x > b.txt' }),
        toolCall('Write', { file_path: '/nonexistent/c.txt', content: 'x' }),
        toolCall('Edit', { file_path: 'd.txt', old_string: '', new_string: 'new\n' }),
        text('a'),
      ],
      { permissionMode: 'acceptEdits', allowedTools: ['Bash'] },
    );
    const lists: unknown[] = [];
    await kinds(qoder.query({ prompt: 'x', options }), (message) => {
      if (message.type === 'system' && message.subtype === 'artifacts_update') lists.push(message.artifacts);
    });
    const a = { kind: 'changed', path: path.join(home, 'src/a.txt'), name: 'a.txt', display_path: 'src/a.txt' };
    const place = { relative_path: 'src/a.txt', is_new: true };
    const d = { kind: 'changed', path: path.join(home, 'd.txt'), name: 'd.txt', display_path: 'd.txt' };
    expect(lists).toEqual([
      [{ ...a, ...place, additions: 2, deletions: 0 }],
      [{ ...a, ...place, additions: 4, deletions: 1 }],
      [
        { ...a, ...place, additions: 4, deletions: 1 },
        { ...d, relative_path: 'd.txt', is_new: true, additions: 1, deletions: 0 },
      ],
    ]);
  });

  it('is made ready before its prompt is known', async () => {
    const { options } = await session([text('a')]);
    const warm = await qoder.startup({ options });
    expect(await kinds(warm.query('x'))).toEqual(['system/init', 'assistant', 'result/success']);
  });
});

describe('auth', () => {
  it('is made as there, and says which variable is not set', async () => {
    expect(qoder.accessTokenFromEnv()).toEqual({
      type: 'accessToken',
      accessToken: { envVar: qoder.DEFAULT_ACCESS_TOKEN_ENV_VAR },
    });
    expect(qoder.serviceAccountFromEnv('V')).toEqual({ type: 'serviceAccount', serviceAccountKey: { envVar: 'V' } });
    expect(() => qoder.serviceAccount({} as never)).toThrow(TypeError);
    const { options } = await session([text('a')]);
    const start = (auth: qoder.Options['auth']) => () =>
      qoder.query({ prompt: 'x', options: { ...options, auth } as qoder.Options });
    expect(start(qoder.accessTokenFromEnv('NOT_SET'))).toThrow(qoder.AuthAccessTokenEnvVarError);
    expect(start(qoder.serviceAccountFromEnv('NOT_SET'))).toThrow(qoder.AuthServiceAccountEnvVarError);
    expect(await kinds(start(qoder.qodercliAuth())())).toContain('result/success');
  });
});

describe('what the types say is always there', () => {
  it('is there: usage, prices, the end of close()', async () => {
    const { options } = await session([text('a')]);
    const query = qoder.query({ prompt: 'x', options });
    let result: qoder.SDKResultMessage | undefined;
    await kinds(query, (message) => {
      if (message.type === 'result') result = message;
    });
    expect(result?.usage.server_tool_use.web_search_requests).toBe(0);
    expect(result?.usage.cache_creation.ephemeral_1h_input_tokens).toBe(0);
    for (const used of Object.values(result?.modelUsage ?? {})) expect(typeof used.costUSD).toBe('number');
    expect(await query.close()).toBeUndefined();
  });

  it('is there: the model that a policy keeps by naming none', async () => {
    const told: unknown[] = [];
    const { options } = await session([toolCall('Bash', { command: 'true' }), text('a')], {
      allowedTools: ['Bash'],
      model: 'claude-sonnet-4-5',
      resolveModel: async ({ turnIndex, resolvedModel, purpose }) => {
        told.push([turnIndex, purpose, resolvedModel]);
        return turnIndex === 0 ? undefined : { parameters: {} };
      },
    });
    const found = await kinds(qoder.query({ prompt: 'x', options }));
    expect(found.at(-1)).toBe('result/success');
    expect(told).toEqual([
      [0, 'main', expect.stringContaining('claude-sonnet-4-5')],
      [1, 'main', expect.stringContaining('claude-sonnet-4-5')],
    ]);
  });
});

describe('what is not here', () => {
  it('is there and says so when it is used', async () => {
    await expect(qoder.startDaemon()).rejects.toThrow(/is not supported: /);
    for (const Carrier of [qoder.ProcessTransport, qoder.WorkerTransport])
      expect(() => new Carrier().create({})).toThrow(/is not supported: /);
    expect(await qoder.initDaemon()).toEqual({ mode: 'direct', reason: 'daemon_unavailable' });
    expect((await qoder.submitFeedback({ content: 'x' })).success).toBe(false);
    expect(qoder.isBashToolBackgroundLaunchResult({ backgroundTaskId: 'b1' })).toBe(true);
  });

  it('has its errors, with what they carry', () => {
    expect(new qoder.ControlRequestError({ requestId: 'r', message: 'm', code: 'c' })).toMatchObject({
      name: 'ControlRequestError',
      message: 'm',
      code: 'c',
      retryable: false,
    });
    expect(new qoder.UnsupportedCliCapabilityError('plan_mode_v1')).toMatchObject({ capability: 'plan_mode_v1' });
  });
});
