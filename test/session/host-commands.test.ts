// Commands and tools of the host in a session: listed everywhere, and told whether a person follows it.
import { describe, expect, it } from 'vitest';
import { type Command, getCommands } from '../../src/context/slash-commands.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { type AnyTool, defineTool } from '../../src/tools/tool.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';

const whoami: Command = {
  type: 'local',
  name: 'whoami',
  description: 'Says who follows the session',
  argumentHint: '[loud]',
  run: async (_args, { isNonInteractiveSession }) => (isNonInteractiveSession ? 'nobody' : 'a person'),
};
const review: Command = {
  type: 'prompt',
  name: 'review',
  description: 'Reviews a file',
  expand: async (args) => `Review ${args}.`,
};

describe('slash commands of the host', () => {
  it('are in system/init, in /help and in supportedCommands(), beside the built-in ones', async () => {
    const { engine } = await testEngine(scriptedModel([]), { commands: [...(await getCommands()), whoami, review] });
    const messages = await collect(engine.submitMessage('/help'));
    expect(messages[0]).toMatchObject({ slash_commands: ['help', 'clear', 'compact', 'cost', 'whoami', 'review'] });
    expect(lastResult(messages).result).toContain('/whoami [loud]  Says who follows the session');
    expect(engine.supportedCommands()).toContainEqual({
      name: 'whoami',
      description: 'Says who follows the session',
      argumentHint: '[loud]',
    });
  });

  it('run, or become text for the model', async () => {
    const model = scriptedModel([text('Fine.')]);
    const { engine } = await testEngine(model, { commands: [whoami, review] });
    expect(lastResult(await collect(engine.submitMessage('/whoami'))).result).toBe('nobody');
    expect(lastResult(await collect(engine.submitMessage('/review a.ts'))).result).toBe('Fine.');
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Review a.ts.');
  });

  it.each([
    [undefined, [expect.stringContaining('The command approves Probe')]],
    [{ mode: 'default', allow: [], ask: [], deny: [], roots: [] } as const, []],
  ])(
    'approve tools where there are rules (%j), and a notice says so where there are none',
    async (permissions, told) => {
      const approving: Command = { ...review, allowedTools: ['Probe'] };
      const probe = probeTool();
      const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('ok')]), {
        commands: [approving],
        tools: [probe],
        canUseTool: async () => ({ behavior: 'deny', message: 'no' }),
        ...(permissions === undefined ? {} : { permissions }),
      });
      const messages = await collect(engine.submitMessage('/review a.ts'));
      const notices = messages.filter((message) => message.type === 'system' && message.subtype === 'notice');
      expect(notices.map((message) => 'message' in message && message.message)).toEqual(told);
      expect(probe.runs).toHaveLength(permissions === undefined ? 0 : 1);
    },
  );

  it('of query() are those of the session', async () => {
    const options = { cwd: await temporaryFolder(), provider: scriptedModel([text('ok')]), persistSession: false };
    const running = query({ prompt: 'go', options });
    const names = (await running.supportedCommands()).map((command) => command.name);
    const [init] = await collect(running);
    expect(init).toMatchObject({ slash_commands: names });
  });
});

describe('isNonInteractiveSession', () => {
  it.each([
    [undefined, true],
    [true, true],
    [false, false],
  ])('%s: commands and tools see %s', async (given, seen) => {
    const told: boolean[] = [];
    const probe = defineTool({
      name: 'Probe',
      description: 'Looks.',
      inputSchema: { type: 'object' },
      readOnly: true,
      concurrencySafe: true,
      title: () => 'look',
      subject: () => ({ kind: 'none' }),
      async run(_input, { isNonInteractiveSession }) {
        told.push(isNonInteractiveSession);
        return { model: 'ok', data: null };
      },
    }) as AnyTool;
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('ok')]), {
      tools: [probe],
      commands: [whoami],
      ...(given === undefined ? {} : { isNonInteractiveSession: given }),
    });
    await collect(engine.submitMessage('go'));
    expect(told).toEqual([seen]);
    expect(lastResult(await collect(engine.submitMessage('/whoami'))).result).toBe(seen ? 'nobody' : 'a person');
  });
});
