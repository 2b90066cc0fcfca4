// Settings that change while a session runs: taken over between turns and prompts, told, and open to objection.
import { describe, expect, it } from 'vitest';
import { createMemoryHost, type MemoryHost, type MemoryHostOptions } from '../../../src/host/memory/memory-host.js';
import type { HookInput } from '../../../src/protocol/hooks.js';
import type { SDKMessage, SDKUserMessage } from '../../../src/protocol/messages.js';
import type { Settings } from '../../../src/protocol/settingsTypes.generated.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../../src/testing/model/scripted-model.js';

const USER = '/home/user/.turnwright/settings.json';
const PROJECT = '/project/.claude/settings.json';
const MANAGED = '/etc/turnwright/managed-settings.json';

const put = (host: MemoryHost, file: string, settings: Settings | string) =>
  host.fs.writeFileAtomic(file, typeof settings === 'string' ? settings : JSON.stringify(settings));

/** A session whose prompts are sent one by one; between them the test does what it likes. */
function conversation(model: ScriptedModel, host: MemoryHost, options: Options = {}) {
  const waiting: ((message: SDKUserMessage | null) => void)[] = [];
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (;;) {
      const next = await new Promise<SDKUserMessage | null>((resolve) => waiting.push(resolve));
      if (next === null) return;
      yield next;
    }
  }
  const session = query({ prompt: prompts(), options: { provider: model, persistSession: false, host, ...options } });
  const take = async () => {
    for (;;) {
      const send = waiting.shift();
      if (send !== undefined) return send;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    session,
    async say(content: string): Promise<SDKMessage[]> {
      const messages: SDKMessage[] = [];
      const reading = (async () => {
        for (;;) {
          const { value, done } = await session.next();
          if (done) return;
          messages.push(value);
          if (value.type === 'result') return;
        }
      })();
      (await take())({ type: 'user', parent_tool_use_id: null, message: { role: 'user', content } });
      await reading;
      return messages;
    },
    end: () => session.close(),
  };
}

const told = (messages: readonly SDKMessage[]) =>
  messages.flatMap((each) =>
    each.type === 'system' && each.subtype === 'notice' ? [`${each.code}: ${each.message}`] : [],
  );
const denials = (messages: readonly SDKMessage[]) =>
  messages.flatMap((each) => (each.type === 'result' ? [each.permission_denials.length] : []));
const system = (model: ScriptedModel) =>
  model.requests
    .at(-1)
    ?.system.map((block) => block.text)
    .join('\n') ?? '';

describe('settings that change', () => {
  it('hold from the next prompt on, and what can wait is told to wait', async () => {
    const host = createMemoryHost();
    const model = scriptedModel(() => text('ok'));
    const { say, end } = conversation(model, host);
    expect(told(await say('one'))).toEqual([]);
    await put(host, USER, {
      effort: 'low',
      language: 'German',
      thinking: { type: 'enabled', budgetTokens: 2_000 },
      env: { A: 'b' },
    });
    expect(told(await say('two'))).toEqual([
      'settings_changed: Settings changed, from this prompt on: effort, language, thinking; with the next session: env.A.',
    ]);
    expect(system(model)).toContain('Answer in this language: German');
    expect(model.requests.at(-1)).toMatchObject({ effort: 'low', thinking: { type: 'enabled', budgetTokens: 2_000 } });
    expect(told(await say('three'))).toEqual([]);
    expect(system(model)).toContain('German');
    await host.fs.remove(USER);
    expect(told(await say('four'))[0]).toContain('effort, language, thinking');
    expect(system(model)).not.toContain('German');
    expect(model.requests.at(-1)?.effort).toBeUndefined();
    end();
  });

  it('hold for agents that start from then on, but what an agent says itself', async () => {
    const host = createMemoryHost();
    await put(host, USER, { effort: 'medium' });
    const model = scriptedModel((request) => {
      if (!request.system[0]?.text.startsWith('You are a coding agent')) return text('Seen.');
      if (request.messages.at(-1)?.role === 'user' && JSON.stringify(request.messages.at(-1)).includes('tool_result')) {
        return text('ok');
      }
      const calls = ['plain', 'deep'].map((agent) =>
        toolCall('Agent', { description: 'look', prompt: 'Look.', subagent_type: agent }),
      );
      return reply(...calls);
    });
    const agents = {
      plain: { description: 'Looks.', prompt: 'You look.' },
      deep: { description: 'Thinks.', prompt: 'You think.', effort: 'high' as const },
    };
    const { session, say, end } = conversation(model, host, { agents, allowedTools: ['Agent'] });
    const asked = (start: string) =>
      model.requests.filter(({ system: [first] }) => first?.text.startsWith(start)).at(-1) ?? null;
    await say('one');
    expect(asked('You look.')).toMatchObject({ effort: 'medium', model: 'scripted' });
    await put(host, USER, { effort: 'low', language: 'German', thinking: { type: 'enabled', budgetTokens: 2_000 } });
    await session.setModel('second');
    await say('two');
    const plain = asked('You look.');
    expect(plain).toMatchObject({ effort: 'low', model: 'second', thinking: { type: 'enabled', budgetTokens: 2_000 } });
    expect(plain?.system.map((block) => block.text).join(' ')).toContain('Answer in this language: German');
    expect(asked('You think.')).toMatchObject({ effort: 'high', model: 'second' });
    end();
  });

  it('change the rules, but not what was decided by somebody while the session ran', async () => {
    const host = createMemoryHost({ commands: async () => ({ exitCode: 0, signal: null, ended: 'exited' }) });
    await put(host, USER, { permissions: { allow: ['Bash'] } });
    const call = (at: number) => toolCall('Bash', { command: `make ${at}` });
    const model = scriptedModel([1, 2, 3, 4].flatMap((at) => [call(at), text('ok')]));
    const { say, end } = conversation(model, host);
    expect(denials(await say('allowed'))).toEqual([0]);
    await put(host, USER, { permissions: { deny: ['Bash'] } });
    expect(denials(await say('denied'))).toEqual([1]);
    await put(host, USER, {});
    expect(denials(await say('nobody to ask'))).toEqual([2]);
    await put(host, USER, { permissions: { allow: ['Bash'] } });
    expect(denials(await say('allowed again'))).toEqual([2]);
    end();
  });

  it('between two turns change the rules at once, and the rest with the next prompt', async () => {
    const changes: readonly Settings[] = [
      { permissions: { deny: ['Write'] }, language: 'German', env: { A: 'b' } },
      { permissions: { allow: ['Write'] }, language: 'German', env: { A: 'b' } },
    ];
    const host = createMemoryHost();
    await put(host, USER, { permissions: { allow: ['Write'] } });
    const call = (at: number) => toolCall('Write', { file_path: `/project/${at}`, content: 'x' });
    const model = scriptedModel([call(1), call(2), text('ok'), call(3), text('ok')]);
    const change = async () => {
      await put(host, USER, changes[0] ?? {});
      return {};
    };
    const { say, end } = conversation(model, host, { hooks: { PostToolUse: [{ hooks: [change] }] } });
    const first = await say('go');
    const written = async () => (await host.fs.readdir('/project')).sort();
    expect(await written()).toEqual(['1']);
    expect(denials(first)).toEqual([1]);
    expect(told(first)).toEqual([
      'settings_changed: Settings changed, from this turn on: permissions.allow, permissions.deny; from the next prompt on: language; with the next session: env.A.',
    ]);
    expect(system(model)).not.toContain('German');
    await put(host, USER, changes[1] ?? {});
    await say('again');
    expect(await written()).toEqual(['1', '3']);
    expect(system(model)).toContain('German');
    end();
  });

  it('keep what was allowed while the session ran', async () => {
    const host = createMemoryHost({ commands: async () => ({ exitCode: 0, signal: null, ended: 'exited' }) });
    let asked = 0;
    const model = scriptedModel([1, 2].flatMap((at) => [toolCall('Bash', { command: `make ${at}` }), text('ok')]));
    const { say, end } = conversation(model, host, {
      canUseTool: async () => {
        asked++;
        const rules = [{ toolName: 'Bash' }];
        return {
          behavior: 'allow',
          updatedPermissions: [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }],
        };
      },
    });
    await say('one');
    await put(host, USER, { permissions: { ask: ['Write'] } });
    await say('two');
    expect(asked).toBe(1);
    end();
  });

  it('leave the mode of the session as it is', async () => {
    const host = createMemoryHost();
    const { say, end, session } = conversation(
      scriptedModel(() => text('ok')),
      host,
      { permissionMode: 'acceptEdits' },
    );
    await say('one');
    await put(host, USER, { effort: 'low', permissions: { defaultMode: 'plan' } });
    expect((await say('two'))[0]).toMatchObject({ permissionMode: 'acceptEdits' });
    await session.setPermissionMode('plan');
    await put(host, USER, { effort: 'high' });
    expect((await say('three'))[0]).toMatchObject({ permissionMode: 'plan' });
    end();
  });

  it('turn off the modes that skip questions, in a session that is in one', async () => {
    const host = createMemoryHost({ commands: async () => ({ exitCode: 0, signal: null, ended: 'exited' }) });
    const model = scriptedModel([1, 2].flatMap((at) => [toolCall('Bash', { command: `make ${at}` }), text('ok')]));
    const { say, end, session } = conversation(model, host, {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    expect(denials(await say('one'))).toEqual([0]);
    await put(host, MANAGED, { permissions: { disableBypassPermissionsMode: 'disable' } });
    expect(denials(await say('two'))).toEqual([1]);
    await expect(session.setPermissionMode('yolo')).rejects.toThrow('turned off by settings');
    end();
  });

  it('of a folder act only if somebody vouches for them', async () => {
    for (const settingSources of [undefined, ['user', 'project']] as const) {
      const host = createMemoryHost();
      const model = scriptedModel(() => text('ok'));
      const { say, end } = conversation(
        model,
        host,
        settingSources === undefined ? {} : { settingSources: [...settingSources] },
      );
      await say('one');
      await put(host, PROJECT, { language: 'German', permissions: { deny: ['Bash'] } });
      const messages = await say('two');
      expect(system(model).includes('German')).toBe(settingSources !== undefined);
      expect(told(messages)[0]).toContain('permissions.deny');
      expect(told(messages).some((each) => each.startsWith('folder_not_trusted'))).toBe(settingSources === undefined);
      end();
    }
  });

  it('of a folder say nothing of what is not theirs, also if somebody vouches for it', async () => {
    const host = createMemoryHost();
    const model = scriptedModel(() => text('ok'));
    const { say, end } = conversation(model, host, { settingSources: ['user', 'project'] });
    await say('one');
    await put(host, PROJECT, { env: { PATH: '/evil' }, language: 'German' });
    const messages = await say('two');
    expect(told(messages)).toContainEqual(expect.stringMatching(/^settings_refused: .*env\.PATH does not count/));
    expect(system(model)).toContain('German');
    end();
  });

  it('that are half written are told and take nothing away', async () => {
    const host = createMemoryHost();
    await put(host, USER, { language: 'German' });
    const model = scriptedModel(() => text('ok'));
    const { say, end } = conversation(model, host);
    await say('one');
    await put(host, USER, '{ "language": ');
    const messages = await say('two');
    expect(told(messages)).toEqual([
      expect.stringMatching(/^settings_problem: Settings changed and stay as they were: .*settings.json is not JSON/),
    ]);
    expect(system(model)).toContain('German');
    expect(messages.at(-1)).toMatchObject({ subtype: 'success' });
    end();
  });
});

const hooked = (heard: HookInput[], objects: boolean): Options => ({
  hooks: {
    ConfigChange: [
      {
        hooks: [
          async (input) => {
            heard.push(input);
            return objects ? { decision: 'block', reason: 'Not now.' } : {};
          },
        ],
      },
    ],
  },
});

describe('ConfigChange', () => {
  it('hears of each file that changed; the session’s own is not asked twice', async () => {
    const host = createMemoryHost();
    const heard: HookInput[] = [];
    const { say, end } = conversation(
      scriptedModel(() => text('ok')),
      host,
      hooked(heard, false),
    );
    await say('one');
    await put(host, USER, { effort: 'low' });
    await put(host, PROJECT, { permissions: { deny: ['Bash'] } });
    await say('two');
    await say('three');
    expect(heard.map((each) => (each.hook_event_name === 'ConfigChange' ? [each.source, each.file_path] : []))).toEqual(
      [
        ['project_settings', PROJECT],
        ['user_settings', USER],
      ],
    );
    end();
  });

  it('may keep things as they are, but not what the machine says', async () => {
    const host = createMemoryHost();
    const model = scriptedModel(() => text('ok'));
    const { say, end } = conversation(model, host, hooked([], true));
    await say('one');
    await put(host, USER, { language: 'German' });
    expect(told(await say('two'))).toEqual([
      'settings_changed: A hook objected, so these settings stay as they were: language. Not now.',
    ]);
    expect(system(model)).not.toContain('German');
    await put(host, MANAGED, { language: 'French' });
    await say('three');
    expect(system(model)).toContain('French');
    end();
  });
});

it('stand in the transcript, with what a hook kept from counting', async () => {
  const host = createMemoryHost();
  const model = scriptedModel(() => text('ok'));
  const { say, end } = conversation(model, host, { ...hooked([], true), persistSession: true });
  await say('one');
  await put(host, USER, { language: 'German' });
  await say('two');
  await put(host, MANAGED, { effort: 'low' });
  const [init] = await say('three');
  end();
  const id = init !== undefined && 'session_id' in init ? init.session_id : '';
  const [, lines = ''] = Object.entries(host.files()).find(([file]) => file.endsWith(`${id}.jsonl`)) ?? [];
  const changes = lines.split('\n').filter((line) => line.startsWith('{"type":"turnwright-settings"'));
  const line = { type: 'turnwright-settings', moment: 'prompt', sessionId: id, timestamp: expect.any(String) };
  expect(changes.map((each) => JSON.parse(each) as unknown)).toEqual([
    { ...line, files: [{ scope: 'user', file: USER }], keys: ['language'], objection: 'Not now.' },
    { ...line, files: [{ scope: 'managed', file: MANAGED }], keys: ['effort'] },
  ]);
});

describe('a file that a hook objects to', () => {
  /** Objects to changes of the project's file as long as `objects` says. */
  const guard = (objects: () => boolean, asked: string[]): Options => ({
    settingSources: ['user', 'project'],
    hooks: {
      ConfigChange: [
        {
          hooks: [
            async (input) => {
              const { file_path: file = '' } = input as { file_path?: string };
              asked.push(file);
              return objects() && file === PROJECT ? { decision: 'block', reason: 'Not from the project.' } : {};
            },
          ],
        },
      ],
    },
  });

  it('counts as before whatever else changes, until it changes again', async () => {
    const host = createMemoryHost({ files: { [PROJECT]: JSON.stringify({ permissions: { deny: ['Write'] } }) } });
    let objects = true;
    const asked: string[] = [];
    const write = () => toolCall('Write', { file_path: '/project/made', content: 'x' });
    const model = scriptedModel(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('tool_result') ? text('ok') : write(),
    );
    const { say, end } = conversation(model, host, { ...guard(() => objects, asked), permissionMode: 'acceptEdits' });
    const isWritten = async () => (await host.fs.readdir('/project')).includes('made');
    await say('one');
    await put(host, PROJECT, { permissions: { allow: ['Write'] }, language: 'German' });
    expect(told(await say('two'))).toEqual([
      'settings_changed: A hook objected, so these settings stay as they were: permissions.deny, permissions.allow, language. Not from the project.',
    ]);
    await put(host, USER, { effort: 'low' });
    expect(told(await say('three'))).toEqual(['settings_changed: Settings changed, from this prompt on: effort.']);
    await put(host, MANAGED, { includeCoAuthoredBy: false });
    await say('four');
    expect([await isWritten(), system(model).includes('German')]).toEqual([false, false]);
    expect(asked).toEqual([PROJECT, USER, MANAGED]);

    objects = false;
    await put(host, PROJECT, { language: 'French' });
    await say('five');
    expect([await isWritten(), system(model).includes('French')]).toEqual([true, true]);
    end();
  });

  it('that went, or that came, is as it was; the others of the same moment count', async () => {
    const host = createMemoryHost({ files: { [PROJECT]: JSON.stringify({ language: 'German' }) } });
    const model = scriptedModel(() => text('ok'));
    const { say, end } = conversation(
      model,
      host,
      guard(() => true, []),
    );
    await say('one');
    await host.fs.remove(PROJECT);
    await put(host, USER, { permissions: { deny: ['Write'] } });
    expect(told(await say('two'))).toEqual([
      'settings_changed: A hook objected, so these settings stay as they were: language. Not from the project.',
      'settings_changed: Settings changed, from this prompt on: permissions.deny.',
    ]);
    expect(system(model)).toContain('German');
    await say('three');
    expect(system(model)).toContain('German');
    end();
  });
});

it.each([
  { files: {}, looks: 0 },
  // Of the ten places there may be, in the folder that is there.
  { files: { [USER]: '{"effort":"low"}' }, looks: 3 },
])('between turns costs $looks looks in three turns with the files $files', async ({ files, looks }) => {
  const seen: string[] = [];
  const model = scriptedModel([...[1, 2, 3].map((at) => toolCall('TodoWrite', { todos: [] }, `t${at}`)), text('ok')]);
  const onOperation: MemoryHostOptions['onOperation'] = (operation, file) => {
    if (file.includes('settings') && model.requests.length > 0) seen.push(operation);
  };
  const { say, end } = conversation(model, createMemoryHost({ onOperation, files }));
  await say('one');
  expect(seen).toEqual(Array.from({ length: looks }, () => 'lstatAll'));
  end();
});

it('costs one look a prompt at each file of a folder that is there, and nothing is read', async () => {
  const seen: string[] = [];
  const onOperation: MemoryHostOptions['onOperation'] = (operation, file) => {
    if (file.includes('settings')) seen.push(operation);
  };
  const host = createMemoryHost({ onOperation, files: { [USER]: '{"effort":"low"}' } });
  const { say, end } = conversation(
    scriptedModel(() => text('ok')),
    host,
  );
  await say('one');
  seen.length = 0;
  await say('two');
  expect(seen).toEqual(['lstatAll']);
  end();
});
