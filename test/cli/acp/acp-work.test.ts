// What else happens in a session: servers of the client, subagents, notices, compaction, a sandbox, other commands.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { methods } from '@agentclientprotocol/sdk';
import { beforeAll, expect, it } from 'vitest';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { buildEntry } from '../../e2e/run-cli.js';
import { callOf, openEditor, said } from './acp-client.js';

beforeAll(buildEntry, 300_000);

const SERVER = fileURLToPath(new URL('../../support/mcp-server.mjs', import.meta.url));

it('calls of subagents are shown, and what they say is not', async () => {
  const editor = await openEditor((body) => {
    const sent = JSON.stringify(body);
    if (sent.includes('toolu_inner')) return text('Found it.');
    if (sent.includes('look for the needle') && !sent.includes('toolu_agent'))
      return reply(text('I look.'), toolCall('Glob', { pattern: '*' }, 'toolu_inner'));
    if (sent.includes('toolu_agent')) return text('All told.');
    return toolCall('Agent', { description: 'look', prompt: 'look for the needle' }, 'toolu_agent');
  });
  const { sessionId } = await editor.newSession();
  expect(await editor.prompt(sessionId, 'delegate')).toEqual({ stopReason: 'end_turn' });
  const updates = editor.updates(sessionId);
  expect(said(updates)).toBe('All told.');
  expect(callOf(updates, 'toolu_agent')).toMatchObject({ kind: 'think', status: 'completed' });
  expect(callOf(updates, 'toolu_inner')).toMatchObject({
    kind: 'search',
    status: 'completed',
    _meta: { turnwright: { parentToolCallId: 'toolu_agent' } },
  });
});

it('servers of the client are started, and their tools are asked about', async () => {
  const editor = await openEditor([toolCall('mcp__things__echo', { text: 'hello' }, 'toolu_1'), text('Done.')]);
  const { sessionId } = await editor.agent.request(methods.agent.session.new, {
    cwd: editor.cwd,
    mcpServers: [{ name: 'things', command: process.execPath, args: [SERVER], env: [{ name: 'MODE', value: 'x' }] }],
  });
  await editor.prompt(sessionId, 'go');
  expect(editor.questions.map(({ toolCall: { name } }) => name)).toEqual(['mcp__things__echo']);
  expect(callOf(editor.updates(sessionId), 'toolu_1')).toMatchObject({ kind: 'other', status: 'completed' });
});

it('notices and compactions go to clients that show them', async () => {
  const editor = await openEditor(() => text('<summary>We greeted.</summary>'), {
    capabilities: { session: { notices: {}, compaction: {} } },
    argv: ['--disallowed-tools', 'NoSuchTool'],
  });
  const { sessionId } = await editor.newSession();
  await editor.prompt(sessionId, 'one');
  await editor.prompt(sessionId, 'two');
  expect(await editor.prompt(sessionId, '/compact')).toEqual({ stopReason: 'end_turn' });
  const updates = editor.updates(sessionId);
  expect(updates.find(({ sessionUpdate }) => sessionUpdate === 'notice')).toMatchObject({
    title: expect.stringContaining('NoSuchTool'),
    description: expect.any(String),
  });
  const compactions = updates.flatMap((update) => (update.sessionUpdate === 'compaction_update' ? [update] : []));
  expect(compactions.map(({ status }) => status)).toEqual(['in_progress', 'completed']);
  expect(compactions[1]?.summary).toEqual([{ type: 'text', text: 'We greeted.' }]);
  expect(new Set(compactions.map(({ compactionId }) => compactionId)).size).toBe(1);
  // What a command says is said once.
  const before = said(editor.updates(sessionId)).length;
  await editor.prompt(sessionId, '/help');
  const help = said(editor.updates(sessionId)).slice(before);
  expect(help.split('/compact')).toHaveLength(2);
  const { stderr } = await editor.leave();
  expect(stderr).toBe('');
});

it('another effort keeps what was allowed, and the conversation', async () => {
  const editor = await openEditor(
    [
      toolCall('Bash', { command: 'echo a > one' }, 'toolu_1'),
      text('One.'),
      toolCall('Bash', { command: 'echo a > one' }, 'toolu_2'),
      text('Two.'),
    ],
    { permission: async () => 'allow_session' },
  );
  const { sessionId } = await editor.newSession();
  await editor.prompt(sessionId, 'first');
  await editor.agent.request(methods.agent.session.setConfigOption, { sessionId, configId: 'effort', value: 'high' });
  expect(await editor.prompt(sessionId, 'second')).toEqual({ stopReason: 'end_turn' });
  expect(editor.questions).toHaveLength(1);
  expect(JSON.stringify(editor.mock.requests[2]?.body)).toContain('first');
  expect(callOf(editor.updates(sessionId), 'toolu_2')).toMatchObject({ status: 'completed' });
});

it('in a session with a sandbox the disk is read and written', async () => {
  const buffers = new Map<string, string>();
  const editor = await openEditor([toolCall('Read', { file_path: 'a.txt' }, 'toolu_1'), text('Done.')], {
    argv: ['--sandbox'],
    capabilities: { fs: { readTextFile: true, writeTextFile: true } },
    buffers,
  });
  const file = join(editor.cwd, 'a.txt');
  writeFileSync(file, 'saved\n');
  buffers.set(file, 'unsaved\n');
  const { sessionId } = await editor.newSession();
  await editor.prompt(sessionId, 'go');
  expect(JSON.stringify(callOf(editor.updates(sessionId), 'toolu_1')['content'])).toContain('saved');
  expect(editor.read).toEqual([]);
  expect(readFileSync(file, 'utf8')).toBe('saved\n');
});
