import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { reply, text, thinking, toolCall } from '../../../src/testing/model/script.js';
import { buildEntry } from '../../e2e/run-cli.js';
import { callOf, openEditor, said } from './acp-client.js';

beforeAll(buildEntry, 300_000);

describe('a prompt', () => {
  it('streams thoughts and text once, and ends with usage, a title and a reason', async () => {
    const editor = await openEditor([reply(thinking('Let me see.', 'c2ln'), text('Hello from the model, in parts.'))]);
    const { sessionId, modes, configOptions } = await editor.newSession();
    expect(modes?.currentModeId).toBe('default');
    expect(configOptions?.map(({ id }) => id)).toEqual(['mode', 'model', 'effort']);
    const commands = await editor.seen(sessionId, (update) => update.sessionUpdate === 'available_commands_update');
    expect(JSON.stringify(commands)).toContain('"name":"compact"');
    expect(await editor.prompt(sessionId, 'hello')).toEqual({ stopReason: 'end_turn' });
    const updates = editor.updates(sessionId);
    expect(said(updates)).toBe('Hello from the model, in parts.');
    expect(said(updates, 'agent_thought_chunk')).toBe('Let me see.');
    expect(updates.filter((update) => update.sessionUpdate === 'agent_message_chunk').length).toBeGreaterThan(1);
    expect(updates.find((update) => update.sessionUpdate === 'session_info_update')).toMatchObject({ title: 'hello' });
    expect(updates.find((update) => update.sessionUpdate === 'usage_update')).toMatchObject({
      used: expect.any(Number),
      size: expect.any(Number),
    });
    const end = await editor.leave();
    expect(end.code).toBe(0);
    for (const line of end.stdout.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });
});

describe('tools', () => {
  it('asks, shows the diff of an edit, and does what was allowed', async () => {
    const editor = await openEditor([
      toolCall('Read', { file_path: 'a.txt' }, 'toolu_read'),
      toolCall('Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' }, 'toolu_edit'),
      toolCall('Write', { file_path: 'a.txt', content: 'all new\n' }, 'toolu_write'),
      text('Done.'),
    ]);
    const file = join(editor.cwd, 'a.txt');
    writeFileSync(file, 'one\ntwo\nthree\n');
    const { sessionId } = await editor.newSession();
    expect(await editor.prompt(sessionId, 'edit it')).toEqual({ stopReason: 'end_turn' });
    const updates = editor.updates(sessionId);
    expect(readFileSync(file, 'utf8')).toBe('all new\n');
    expect(callOf(updates, 'toolu_read')).toMatchObject({
      kind: 'read',
      title: 'Read a.txt',
      status: 'completed',
      locations: [{ path: file }],
    });
    expect(editor.questions.map(({ toolCall: { toolCallId, status } }) => [toolCallId, status])).toEqual([
      ['toolu_edit', 'pending'],
      ['toolu_write', 'pending'],
    ]);
    expect(editor.questions[0]?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once']);
    expect(editor.questions[0]?.toolCall.content).toEqual([
      { type: 'diff', path: file, oldText: 'two', newText: 'TWO' },
    ]);
    expect(callOf(updates, 'toolu_edit')).toMatchObject({
      kind: 'edit',
      status: 'completed',
      content: [{ type: 'diff', path: file, oldText: 'one\ntwo\nthree', newText: 'one\nTWO\nthree' }],
    });
    expect(callOf(updates, 'toolu_write')).toMatchObject({
      status: 'completed',
      content: [{ type: 'diff', path: file, oldText: 'one\nTWO\nthree\n', newText: 'all new\n' }],
    });
  });
});
