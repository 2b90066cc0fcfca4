import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import {
  AbortError,
  ConfigError,
  type SDKMessage,
  type SDKUserMessage,
  SessionError,
} from '../../src/protocol/index.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

async function options(provider: ScriptedModel, more: Options = {}): Promise<Options & { cwd: string }> {
  const cwd = more.cwd ?? (await temporaryFolder());
  const home = await temporaryFolder();
  return { provider, limits: { retryBaseMs: 0 }, ...more, cwd, env: { TURNWRIGHT_HOME: home, ...more.env } };
}

const userMessage = (content: string): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
});

const notices = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' && message.subtype === 'notice' ? [message.code] : []));

describe('query()', () => {
  it('runs a prompt with the built-in tools', async () => {
    const model = scriptedModel([toolCall('Read', { file_path: 'a.txt' }), text('It says hello.')]);
    const given = await options(model);
    await writeFile(path.join(given.cwd, 'a.txt'), 'hello\n');
    const messages = await collect(query({ prompt: 'read it', options: given }));
    expect(messages[0]).toMatchObject({
      subtype: 'init',
      tools: expect.arrayContaining(['Bash', 'Read', 'Edit']),
      cwd: given.cwd,
      provider: 'scripted',
    });
    expect(messages[2]).toMatchObject({
      type: 'user',
      tool_use_result: { type: 'text', file_path: expect.stringContaining('a.txt') },
    });
    expect(lastResult(messages).result).toBe('It says hello.');
    model.assertDone();
  });

  it('runs a stream of prompts as one session', async () => {
    const model = scriptedModel([text('one'), text('two')], { appendOnly: true });
    async function* prompts() {
      yield userMessage('first');
      yield userMessage('second');
    }
    const messages = await collect(query({ prompt: prompts(), options: await options(model) }));
    const results = messages.filter((message) => message.type === 'result');
    expect(results.map((result) => result.result)).toEqual(['one', 'two']);
    expect(new Set(messages.map((message) => message.session_id)).size).toBe(1);
  });

  it('hands on a failure of the prompt stream', async () => {
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      yield userMessage('first');
      throw new Error('the source broke');
    }
    const seen: SDKMessage[] = [];
    const running = (async () => {
      for await (const message of query({ prompt: prompts(), options: await options(scriptedModel([text('one')])) }))
        seen.push(message);
    })();
    await expect(running).rejects.toThrow('the source broke');
    expect(lastResult(seen).result).toBe('one');
  });

  it('tools: [] means none, a list means these, and disallowedTools takes away', async () => {
    const model = scriptedModel(() => text('ok'));
    const base = await options(model);
    const sent = async (more: Options) => {
      await collect(query({ prompt: 'go', options: { ...base, ...more } }));
      return model.requests.at(-1)?.tools.map((tool) => tool.name);
    };
    expect(await sent({ tools: [] })).toEqual([]);
    expect(await sent({ tools: ['Read', 'Bash'] })).toEqual(['Bash', 'Read']);
    expect(await sent({ tools: { type: 'preset', preset: 'claude_code' } })).toEqual([
      'Agent',
      'Bash',
      'Edit',
      'EnterWorktree',
      'ExitWorktree',
      'Glob',
      'Grep',
      'NotebookEdit',
      'Read',
      'SendMessage',
      'TaskOutput',
      'TaskStop',
      'TodoWrite',
      'WebFetch',
      'Write',
    ]);
    expect(await sent({ disallowedTools: ['Bash'] })).not.toContain('Bash');
    expect(await sent({ allowedTools: [] })).toHaveLength(15);
    expect(await sent({ tools: ['Task'] })).toEqual(['Agent']);
    expect(await sent({ tools: ['KillShell', 'BashOutput'] })).toEqual(['TaskOutput', 'TaskStop']);
    expect(await sent({ disallowedTools: ['Task'] })).not.toContain('Agent');
  });

  it('denies what is undecided if nobody can be asked, and names the flag', async () => {
    const model = scriptedModel([toolCall('Bash', { command: 'echo hi > made.txt' }), text('ok')]);
    const given = await options(model);
    const messages = await collect(query({ prompt: 'go', options: given }));
    expect(messages).toContainEqual(
      expect.objectContaining({
        subtype: 'permission_denied',
        tool_name: 'Bash',
        message: expect.stringContaining("To allow it: --allowedTools 'Edit(/made.txt)'."),
      }),
    );
    expect(lastResult(messages).permission_denials).toHaveLength(1);
    expect(await readdir(given.cwd)).toEqual([]);
  });

  it('asks canUseTool only for what rules leave open, and keeps "always for this session"', async () => {
    const asked: string[] = [];
    const model = scriptedModel([
      toolCall('Glob', { pattern: '*' }),
      toolCall('Write', { file_path: 'a.txt', content: '1' }),
      toolCall('Write', { file_path: 'b.txt', content: '2' }),
      text('ok'),
    ]);
    await collect(
      query({
        prompt: 'go',
        options: await options(model, {
          canUseTool: async (toolName, _input, { suggestions }) => {
            asked.push(toolName);
            return { behavior: 'allow', ...(suggestions === undefined ? {} : { updatedPermissions: suggestions }) };
          },
        }),
      }),
    );
    expect(asked).toEqual(['Write']);
  });

  it('edits are accepted inside the workspace only, and a link does not lead out', async () => {
    const outside = await temporaryFolder();
    const model = scriptedModel([
      reply(
        toolCall('Write', { file_path: 'in.txt', content: 'x' }),
        toolCall('Write', { file_path: path.join(outside, 'out.txt'), content: 'x' }),
        toolCall('Write', { file_path: 'link/out.txt', content: 'x' }),
      ),
      text('ok'),
    ]);
    const given = await options(model, { permissionMode: 'acceptEdits' });
    await symlink(outside, path.join(given.cwd, 'link'));
    const messages = await collect(query({ prompt: 'go', options: given }));
    expect(await readFile(path.join(given.cwd, 'in.txt'), 'utf8')).toBe('x');
    expect(await readdir(outside)).toEqual([]);
    expect(lastResult(messages).permission_denials).toHaveLength(2);
  });

  it('refuses what would not be safe to ignore, before anything runs', async () => {
    const model = scriptedModel([]);
    const unsafe: Options[] = [
      { mcpServers: { a: { type: 'http', url: 'ftp://127.0.0.1:1/' } } },
      { sandbox: { enabled: true, filesystem: { denyread: ['/x'] } as never } },
      { permissionMode: 'bypassPermissions' },
      { permissionMode: 'nonsense' as never },
      { allowedTools: ['Bash('] },
      { disallowedTools: ['Bash()'] },
      { cwd: '/nonexistent/folder' },
      { additionalDirectories: ['/nonexistent'] },
      { maxTurns: 0 },
      { maxAgentDepth: -1 },
      { agent: 'nobody' },
      { agents: { 'a/b': { description: 'x', prompt: 'x' } } },
      { agents: { reviewer: { description: 'Reviews.', prompt: '' } } },
      { agents: { reviewer: { description: 'x', prompt: 'x', permissionMode: 'bypassPermissions' } } },
      { sessionId: '../x' },
      { limits: { maxRetries: -1 } },
      { env: { TURNWRIGHT_MAX_RETRIES: 'many' } },
    ];
    for (const more of unsafe) {
      const base = await options(model);
      const given = { ...base, ...more, env: { ...base.env, ...more.env } };
      await expect(collect(query({ prompt: 'go', options: given })), JSON.stringify(more)).rejects.toThrow(/./);
    }
    const { provider: _none, ...keyless } = await options(model, {
      model: 'claude-sonnet-4-5',
      env: { ANTHROPIC_API_KEY: undefined },
    });
    await expect(collect(query({ prompt: 'go', options: keyless }))).rejects.toThrow(/ANTHROPIC_API_KEY/);
    expect(model.calls).toBe(0);
  });

  it('supportedAgents() lists the built-in agents and those of the options', async () => {
    const agents = {
      reviewer: { description: 'Reviews.', prompt: 'You review.', model: 'lite' },
      planner: { description: 'Plans.', prompt: 'You plan.', model: 'inherit' },
    };
    const session = query({ prompt: 'go', options: await options(scriptedModel([]), { agents }) });
    expect(await session.supportedAgents()).toEqual([
      ...['general-purpose', 'Explore', 'Plan'].map((name) => ({ name, description: expect.any(String) })),
      { name: 'reviewer', description: 'Reviews.', model: 'lite' },
      { name: 'planner', description: 'Plans.' },
    ]);
    await session.return();
  });

  it('an agent with a model that has no key is refused before anything starts; one of another provider is not', async () => {
    const { provider: _none, ...base } = await options(scriptedModel([]));
    const agents = { reviewer: { description: 'Reviews.', prompt: 'You review.', model: 'haiku' } };
    const env = { ...base.env, ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: undefined };
    const start = (more: Options) =>
      collect(query({ prompt: 'list the files', options: { ...base, env, agents, ...more } }));
    await expect(start({})).rejects.toThrow(/agents\.reviewer\.model "haiku".*ANTHROPIC_API_KEY/);
    const keyed = { ...env, ANTHROPIC_API_KEY: 'test-key' };
    expect(lastResult(await start({ env: keyed, model: 'offline' })).subtype).toBe('success');
    const offline = { reviewer: { ...agents.reviewer, model: 'offline' } };
    await expect(start({ agents: offline })).rejects.toThrow(/there is no key/);
    expect(lastResult(await start({ agents: offline, model: 'offline' })).subtype).toBe('success');
  });

  it('says which options have no effect and which tool names are unknown', async () => {
    const messages = await collect(
      query({
        prompt: 'go',
        options: await options(scriptedModel([text('ok')]), {
          evolution: { enabled: true },
          allowedTools: ['Nope'],
          agents: {},
        }),
      }),
    );
    expect(notices(messages)).toEqual(['option_without_effect', 'unknown_tool_name']);
  });

  it('throws AbortError after the aborted result', async () => {
    const abortController = new AbortController();
    const model = scriptedModel([
      () => {
        abortController.abort();
        return { stall: true };
      },
    ]);
    const messages: SDKMessage[] = [];
    const running = (async () => {
      const given = await options(model, { abortController });
      for await (const message of query({ prompt: 'go', options: given })) messages.push(message);
    })();
    await expect(running).rejects.toBeInstanceOf(AbortError);
    expect(lastResult(messages).terminal_reason).toBe('aborted');
  });

  it('interrupt() ends the prompt and the session goes on', async () => {
    let stalled: () => void = () => undefined;
    const model = scriptedModel([
      () => {
        stalled();
        return { stall: true };
      },
      text('second'),
    ]);
    async function* prompts() {
      yield userMessage('one');
      yield userMessage('two');
    }
    const running = query({ prompt: prompts(), options: await options(model) });
    stalled = () => void running.interrupt();
    const results = (await collect(running)).filter((message) => message.type === 'result');
    expect(results.map((result) => result.terminal_reason)).toEqual(['aborted', 'completed']);
    model.assertDone();
  });

  it('leaving the loop ends the session: no tool goes on', async () => {
    const given = await options(scriptedModel([toolCall('Bash', { command: 'sleep 30; echo late > late.txt' })]), {
      allowedTools: ['Bash'],
    });
    for await (const message of query({ prompt: 'go', options: given })) if (message.type === 'assistant') break;
    expect(await readdir(given.cwd)).toEqual([]);
  });

  it('setPermissionMode and setModel act on what follows', async () => {
    const model = scriptedModel([
      toolCall('Write', { file_path: 'a', content: 'x' }),
      text('ok'),
      toolCall('Write', { file_path: 'a', content: 'x' }),
      text('ok'),
    ]);
    async function* prompts() {
      yield userMessage('one');
      yield userMessage('two');
    }
    const given = await options(model);
    const running = query({ prompt: prompts(), options: given });
    for await (const message of running) {
      if (message.type !== 'result') continue;
      await running.setPermissionMode('acceptEdits');
      await running.setModel('another-model');
    }
    await expect(running.setPermissionMode('bypassPermissions')).rejects.toBeInstanceOf(ConfigError);
    expect(await readdir(given.cwd)).toEqual(['a']);
    expect(model.requests.map((request) => request.model)).toEqual([
      'scripted',
      'scripted',
      'another-model',
      'another-model',
    ]);
  });

  it('systemPrompt: a string replaces, a preset appends last', async () => {
    const model = scriptedModel(() => text('ok'));
    const base = await options(model);
    await writeFile(path.join(base.cwd, 'AGENTS.md'), 'Use tabs.');
    const sent = async (more: Options) => {
      await collect(query({ prompt: 'go', options: { ...base, ...more } }));
      return model.requests.at(-1)?.system.map((block) => block.text) ?? [];
    };
    const preset = await sent({ systemPrompt: { type: 'preset', preset: 'qodercli', append: 'LAST' } });
    expect(preset.at(-1)).toBe('LAST');
    expect(preset.join('\n')).toMatch(/Working directory: .*[\s\S]*Use tabs\./);
    expect(await sent({ systemPrompt: 'Only this.', settingSources: [] })).toEqual(['Only this.']);
    expect(await sent({ systemPrompt: '', settingSources: [] })).toEqual([]);
    expect(await sent({ env: { ...base.env, TURNWRIGHT_MEMORY_PATH: '/notes' } })).toContainEqual(
      expect.stringContaining('/notes'),
    );
  });
});

describe('resume and continue', () => {
  it('go on in the same session; another folder has none of it', async () => {
    const model = scriptedModel([text('one'), text('two'), text('three'), text('four')]);
    const given = await options(model);
    const first = lastResult(await collect(query({ prompt: 'remember', options: given })));
    const second = lastResult(await collect(query({ prompt: 'more', options: { ...given, continue: true } })));
    expect(second.session_id).toBe(first.session_id);
    await collect(query({ prompt: 'again', options: { ...given, resume: first.session_id } }));
    expect(model.requests[2]?.messages).toHaveLength(5);
    const elsewhere = path.join(given.cwd, 'sub');
    await mkdir(elsewhere);
    const fresh = await collect(query({ prompt: 'x', options: { ...given, cwd: elsewhere, continue: true } }));
    expect(notices(fresh)).toEqual(['no_session_to_continue']);
    await expect(
      collect(query({ prompt: 'x', options: { ...given, cwd: elsewhere, resume: first.session_id } })),
    ).rejects.toBeInstanceOf(SessionError);
  });
});

describe('a session that is open elsewhere', () => {
  it('is refused with a typed error that says who has it and what to do, and is free once it was closed', async () => {
    const given = await options(scriptedModel([text('one'), text('two'), text('three')]));
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    async function* prompts() {
      yield userMessage('hello');
      await ended;
    }
    const first = query({ prompt: prompts(), options: given });
    const { value: init } = await first.next();
    const sessionId = init?.session_id ?? '';
    for (const again of [{ resume: sessionId }, { continue: true }]) {
      const error = await collect(query({ prompt: 'me too', options: { ...given, ...again } })).then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(SessionError);
      expect(error).toMatchObject({ code: 'session_in_use', message: expect.stringContaining(String(process.pid)) });
    }
    end();
    expect(lastResult(await collect(first)).result).toBe('one');
    const resumed = await collect(query({ prompt: 'now', options: { ...given, resume: sessionId } }));
    expect(lastResult(resumed).result).toBe('two');
  });

  it('is waited for while a query of this process lets go of it', async () => {
    const given = await options(scriptedModel([text('one'), text('two')]));
    let letGo = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const hooks = { SessionEnd: [{ hooks: [() => released.then(() => ({}))] }] };
    const first = query({ prompt: 'go', options: { ...given, hooks } });
    const { value: init } = await first.next();
    const leaving = first.return(undefined as never);
    const host = createNodeHost();
    const clock = {
      ...host.clock,
      now: () => host.clock.now(),
      monotonic: () => host.clock.monotonic(),
      after(ms: number, callback: () => void) {
        letGo(); // somebody waits
        return host.clock.after(ms, callback);
      },
    };
    const next = query({
      prompt: 'now',
      options: { ...given, host: { ...host, clock }, resume: init?.session_id ?? '' },
    });
    expect(lastResult(await collect(next)).subtype).toBe('success');
    await leaving;
  });

  it('and one that exists is not begun anew under its id', async () => {
    const given = await options(scriptedModel([text('one'), text('two')]), {
      sessionId: '55555555-5555-4555-8555-555555555555',
    });
    await collect(query({ prompt: 'first', options: given }));
    await expect(collect(query({ prompt: 'second', options: given }))).rejects.toMatchObject({
      code: 'session_invalid',
      message: expect.stringContaining('resume, or give another sessionId'),
    });
  });
});

describe('many sessions in one process', () => {
  it('100 queries at once finish with transcripts of their own', async () => {
    const base = await options(scriptedModel([]));
    await writeFile(path.join(base.cwd, 'a.txt'), 'hello\n');
    const results = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const provider = scriptedModel([toolCall('Read', { file_path: 'a.txt' }), text(`answer ${index}`)]);
        const messages = await collect(query({ prompt: `prompt ${index}`, options: { ...base, provider } }));
        provider.assertDone();
        return lastResult(messages);
      }),
    );
    expect(results.map((result) => result.result)).toEqual(results.map((_, index) => `answer ${index}`));
    const projects = path.join(base.env?.TURNWRIGHT_HOME ?? '', 'projects');
    const [folder] = await readdir(projects);
    const files = (await readdir(path.join(projects, folder ?? ''))).filter((name) => name.endsWith('.jsonl'));
    expect(files).toHaveLength(100);
    for (const [index, result] of results.entries()) {
      const lines = (await readFile(path.join(projects, folder ?? '', `${result.session_id}.jsonl`), 'utf8'))
        .trim()
        .split('\n');
      expect(lines).toHaveLength(6);
      expect(lines[0]).toContain(`prompt ${index}`);
    }
  });
});

describe('the end of a session', () => {
  it('that hooks have something to say about is told after the last result, and logged', async () => {
    const SessionEnd = [
      { hooks: [async () => ({ systemMessage: 'goodbye' }), async () => Promise.reject(new Error('no'))] },
    ];
    const model = scriptedModel([text('ok')]);
    const messages = await collect(query({ prompt: 'go', options: await options(model, { hooks: { SessionEnd } }) }));
    const end = messages.findIndex((message) => message.type === 'result');
    expect(messages.slice(end + 1)).toMatchObject([
      { type: 'system', subtype: 'notice', code: 'hook_failed' },
      { type: 'system', subtype: 'notice', code: 'hook_message', message: 'goodbye' },
    ]);
  });
});
