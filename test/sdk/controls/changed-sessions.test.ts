// Controls that change what a running session is made of: settings, folders, skills, the way to the model.
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HookInput } from '../../../src/protocol/hooks.js';
import type { SDKMessage } from '../../../src/protocol/index.js';
import { startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { controlled, gate } from '../../support/controlled.js';
import { temporaryFolder } from '../../support/engine.js';
import { httpProxy } from '../../support/proxy-server.js';
import { skillFile } from '../../support/skills.js';

const noticesOf = (messages: readonly SDKMessage[]) =>
  messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.message] : []));

describe('applyFlagSettings', () => {
  it('changes rules with the next turn and the rest with the next prompt; null goes back; nothing is written', async () => {
    const [asked, running] = [gate(), gate()];
    const model = scriptedModel([
      async () => {
        asked.open();
        await running.passed;
        return toolCall('Bash', { command: 'touch one' });
      },
      toolCall('Bash', { command: 'touch two' }),
      text('done'),
      text('ok'),
      toolCall('Bash', { command: 'touch three' }),
      text('done'),
    ]);
    const { session, ask, say, result, cwd, messages } = await controlled(model, {
      settings: { permissions: { allow: ['Bash(touch *)'] }, effort: 'low' },
    });
    say('Go.');
    const reading = result();
    await asked.passed;
    await session.applyFlagSettings({ permissions: { deny: ['Bash(touch two)'], allow: ['Bash(touch *)'] } });
    await session.applyFlagSettings({ effortLevel: 'high' });
    running.open();
    expect((await reading).permission_denials).toMatchObject([{ tool_input: { command: 'touch two' } }]);
    expect(model.requests.map(({ effort }) => effort)).toEqual(['low', 'low', 'low']);
    await ask('And?');
    expect(model.requests.at(-1)?.effort).toBe('high');
    expect((await session.getSettings()).sources).toEqual([
      {
        source: 'flagSettings',
        settings: { permissions: { deny: ['Bash(touch two)'], allow: ['Bash(touch *)'] }, effort: 'high' },
      },
    ]);
    expect(noticesOf(messages)).toEqual([
      expect.stringContaining('Settings changed, from this turn on: permissions.deny'),
    ]);
    await session.applyFlagSettings({ permissions: null, effort: null });
    expect((await ask('Again.')).permission_denials).toMatchObject([{}, { tool_input: { command: 'touch three' } }]);
    expect(model.requests.at(-1)?.effort).toBeUndefined();
    expect((await session.getSettings()).sources).toEqual([]);
    await expect(readFile(path.join(cwd, '.turnwright/settings.json'))).rejects.toThrow('ENOENT');
  });

  it('refuses a wrong value, and tells of a key that is not known', async () => {
    const { session, ask, messages } = await controlled(scriptedModel([text('ok')]));
    await expect(session.applyFlagSettings({ effort: 'much', language: 'de' })).rejects.toThrow(
      'effort is a text; expected low',
    );
    await expect(session.applyFlagSettings('effort' as never)).rejects.toThrow('must be an object');
    expect((await session.getSettings()).sources).toEqual([]);
    await session.applyFlagSettings({ spinnerTipsEnabled: false });
    await ask('Go.');
    expect(noticesOf(messages).join()).toContain('spinnerTipsEnabled');
  });
});

describe('updateSettings', () => {
  it('writes fields of a file, leaves those beside them, and counts with the next prompt', async () => {
    const model = scriptedModel([text('a'), toolCall('Bash', { command: 'echo x' }), text('b')]);
    const { session, ask, cwd, home } = await controlled(model, { settingSources: ['user', 'local'] });
    await session.updateSettings('userSettings', { permissions: { deny: ['Read(*.key)'] }, language: 'German' });
    await session.updateSettings('userSettings', { permissions: { allow: ['Bash(echo *)'] }, language: null });
    await session.updateSettings('localSettings', { effort: 'high', env: {} });
    const read = async (file: string) => JSON.parse(await readFile(file, 'utf8'));
    expect(await read(path.join(home, 'settings.json'))).toEqual({
      permissions: { deny: ['Read(*.key)'], allow: ['Bash(echo *)'] },
    });
    expect(await read(path.join(cwd, '.turnwright/settings.local.json'))).toEqual({ effort: 'high' });
    await ask('Go.');
    expect((await ask('And.')).permission_denials).toEqual([]);
    expect(model.requests.at(-1)?.effort).toBe('high');
  });

  it('writes nothing that is not understood', async () => {
    const { session, home } = await controlled(scriptedModel([]));
    const wrong = session.updateSettings('userSettings', { language: 'de', permisions: { deny: ['Bash'] } });
    await expect(wrong).rejects.toThrow('permisions is not known (perhaps permissions)');
    await expect(session.updateSettings('projectSettings' as never, {})).rejects.toThrow(
      'localSettings or userSettings',
    );
    await expect(session.updateSettings('userSettings', JSON.parse('{"__proto__":{"a":1}}'))).rejects.toThrow(
      'not known',
    );
    await expect(readFile(path.join(home, 'settings.json'))).rejects.toThrow('ENOENT');
  });
});

describe('addDirectories', () => {
  it('tells hooks, and the model with its next message; the system prompt stays as it was', async () => {
    const other = await realpath(await temporaryFolder());
    await writeFile(path.join(other, 'note.txt'), 'hello');
    const heard: HookInput[] = [];
    const model = scriptedModel([text('a'), text('b'), text('c')]);
    const { session, ask } = await controlled(model, {
      hooks: { DirectoryAdded: [{ hooks: [async (input) => ({ systemMessage: `${heard.push(input)}` })] }] },
    });
    await ask('One.');
    await session.addDirectories([other]);
    expect(heard).toMatchObject([
      { hook_event_name: 'DirectoryAdded', directory: other, source: 'register_repo_root' },
    ]);
    await ask(`Read @${other}/note.txt`);
    const told = JSON.stringify(model.requests[1]?.messages.at(-1));
    expect(told).toContain(`Also in the workspace: ${other}`);
    expect(told).toContain('hello');
    expect(model.requests[1]?.system).toEqual(model.requests[0]?.system);
    await ask('Three.');
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).not.toContain('workspace');
  });
});

describe('reloadSkills', () => {
  it('finds what came and forgets what went: the tool, the command, its message', async () => {
    const model = scriptedModel([text('a'), text('b'), text('c')]);
    const { session, ask, home, messages } = await controlled(model);
    const file = path.join(home, 'skills/fix/SKILL.md');
    await ask('One.');
    expect(await session.reloadSkills()).toEqual({ skills: [] });
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, skillFile({ 'argument-hint': '[file]' }, 'Fix $ARGUMENTS.'));
    expect((await session.reloadSkills()).skills).toMatchObject([{ name: 'fix', argumentHint: '[file]' }]);
    expect((await session.supportedCommands()).map(({ name }) => name)).toContain('fix');
    await ask('/fix a.ts');
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('Fix a.ts.');
    expect(model.requests[1]?.tools.find(({ name }) => name === 'Skill')?.description).toContain('- fix:');
    expect(messages).toContainEqual(
      expect.objectContaining({
        subtype: 'commands_changed',
        commands: expect.arrayContaining([expect.objectContaining({ name: 'fix' })]),
      }),
    );
    await writeFile(file, 'no skill');
    expect(await session.reloadSkills()).toEqual({ skills: [] });
    await ask('Three.');
    expect(model.requests[2]?.tools.map(({ name }) => name)).not.toContain('Skill');
    expect(noticesOf(messages).join()).toContain('cannot be used');
  });
});

describe('setProxy', () => {
  it('counts from the next request on, and null goes back to the variables', async () => {
    const server = await startMockProvider({ steps: [text('a'), text('b'), text('c')] });
    onTestFinished(server.close);
    const proxy = await httpProxy({ target: server.url });
    const { session, ask } = await controlled(undefined, {
      model: 'claude-sonnet-4-5',
      env: { ANTHROPIC_API_KEY: 'sk-ant-test', ANTHROPIC_BASE_URL: server.url },
    });
    expect((await ask('One.')).is_error).toBe(false);
    expect(proxy.asked).toHaveLength(0);
    await session.setProxy(`http://127.0.0.1:${proxy.port}`);
    expect((await ask('Two.')).is_error).toBe(false);
    expect(proxy.asked).toHaveLength(1);
    await session.setProxy();
    expect((await ask('Three.')).is_error).toBe(false);
    expect(proxy.asked).toHaveLength(1);
    await expect(session.setProxy('gopher://x')).rejects.toThrow('not the address of a proxy');
    await expect(session.setProxy(7 as never)).rejects.toThrow('address of a proxy');
  });

  it("is refused if the provider is the host's own", async () => {
    const { session } = await controlled(scriptedModel([]));
    await expect(session.setProxy('http://127.0.0.1:9')).rejects.toMatchObject({ code: 'not_supported' });
  });
});
