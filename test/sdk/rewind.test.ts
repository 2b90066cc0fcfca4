// rewindFiles() and rewind() of query().
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SDKMessage, SDKUserMessage } from '../../src/protocol/messages.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

async function checkpointed(content = 'agent'): Promise<Options & { readonly cwd: string }> {
  const cwd = await temporaryFolder();
  await writeFile(path.join(cwd, 'a.txt'), 'one');
  return {
    cwd,
    env: { TURNWRIGHT_HOME: await temporaryFolder() },
    provider: scriptedModel([
      toolCall('Read', { file_path: 'a.txt' }),
      toolCall('Write', { file_path: 'a.txt', content }),
      text('done'),
    ]),
    permissionMode: 'acceptEdits',
    enableFileCheckpointing: true,
  };
}

const promptOf = (uuid: string, content: string): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  uuid,
});

async function* once(message: SDKUserMessage): AsyncGenerator<SDKUserMessage> {
  yield message;
}

async function* nothing(): AsyncGenerator<SDKUserMessage> {
  // A session without a prompt.
}

const sessionOf = (messages: readonly SDKMessage[]): string => lastResult(messages).session_id;

it.each(['yes', 1, null])('enableFileCheckpointing: %j is refused', async (wanted) => {
  const options = { ...(await checkpointed()), enableFileCheckpointing: wanted as never };
  await expect(collect(query({ prompt: 'go', options }))).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(/enableFileCheckpointing.* (?:must be|It is) true(?:,| or) false/) as string,
  });
});

describe('rewindFiles of query()', () => {
  it('sets files back once the prompt is over, by the id that the message was sent with', async () => {
    const options = await checkpointed();
    const session = query({ prompt: once(promptOf('u1', 'go')), options });
    await collect(session);
    expect(await session.rewindFiles('u1', { dryRun: true })).toEqual({
      canRewind: true,
      filesChanged: [path.join(options.cwd, 'a.txt')],
      insertions: 1,
      deletions: 1,
      conflicts: [],
      notCovered: [],
      failed: [],
    });
    expect(await readFile(path.join(options.cwd, 'a.txt'), 'utf8')).toBe('agent');
    expect(await session.rewindFiles('u1')).toMatchObject({ canRewind: true, skippedLinks: 0 });
    expect(await readFile(path.join(options.cwd, 'a.txt'), 'utf8')).toBe('one');
  });

  it('does so for a session that is resumed, without a prompt', async () => {
    const options = await checkpointed();
    const id = sessionOf(await collect(query({ prompt: once(promptOf('u1', 'go')), options })));
    const again = query({ prompt: nothing(), options: { ...options, resume: id } });
    expect(await again.rewindFiles('u1')).toMatchObject({ canRewind: true });
    expect(await collect(again)).toEqual([]);
    expect(await readFile(path.join(options.cwd, 'a.txt'), 'utf8')).toBe('one');
  });

  it('says that there are no checkpoints if they were not asked for', async () => {
    const { enableFileCheckpointing: _on, ...options } = await checkpointed();
    const session = query({ prompt: once(promptOf('u1', 'go')), options });
    await collect(session);
    expect(await session.rewindFiles('u1')).toMatchObject({
      canRewind: false,
      error: expect.stringContaining('enableFileCheckpointing'),
    });
  });

  it('is refused before anything runs if the session is not kept', async () => {
    const options = { ...(await checkpointed()), persistSession: false };
    await expect(collect(query({ prompt: 'go', options }))).rejects.toMatchObject({ name: 'ConfigError' });
  });
});

describe('rewind of query()', () => {
  const file = ({ cwd }: { readonly cwd: string }): Promise<string> => readFile(path.join(cwd, 'a.txt'), 'utf8');

  it('sets conversation and files back once the stream is over, and a resumed session goes on from there', async () => {
    const options = await checkpointed();
    const model = scriptedModel([
      text('hi'),
      toolCall('Read', { file_path: 'a.txt' }),
      toolCall('Write', { file_path: 'a.txt', content: 'agent' }),
      text('done'),
    ]);
    async function* prompts() {
      yield promptOf('u1', 'hello');
      yield promptOf('u2', 'write');
    }
    const session = query({ prompt: prompts(), options: { ...options, provider: model } });
    const id = (await collect(session)).at(-1)?.session_id ?? '';
    expect(await session.rewind('u2', { dryRun: true })).toMatchObject({ status: 'ready', scope: 'both' });
    expect(await file(options)).toBe('agent');
    expect(await session.rewind('u2')).toMatchObject({
      status: 'success',
      targetUserMessageId: 'u2',
      filesChanged: [path.join(options.cwd, 'a.txt')],
    });
    expect(await file(options)).toBe('one');
    const next = scriptedModel([text('ok')]);
    await collect(query({ prompt: 'other', options: { ...options, provider: next, resume: id } }));
    expect(next.requests[0]?.messages.map(({ content }) => content)).toMatchObject([
      'hello',
      [{ text: 'hi' }],
      'other',
    ]);
  });

  it('goes on in the same stream, and a fork of it has the branch that is left', async () => {
    const options = await checkpointed();
    const model = scriptedModel([text('1'), text('2'), text('3')]);
    let goOn: () => void = () => undefined;
    const isSetBack = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* prompts() {
      yield promptOf('u1', 'one');
      yield promptOf('u2', 'two');
      await isSetBack;
      yield promptOf('u3', 'three');
    }
    const session = query({ prompt: prompts(), options: { ...options, provider: model } });
    const results: SDKMessage[] = [];
    for await (const message of session) {
      if (message.type !== 'result' || results.push(message) !== 2) continue;
      // Whoever has the result in hand need not wait for anything else.
      expect(await session.rewind('u2', { scope: 'conversation' })).toMatchObject({ status: 'success' });
      goOn();
    }
    expect(model.requests[2]?.messages.map(({ content }) => content)).toMatchObject(['one', [{ text: '1' }], 'three']);
    const fork = scriptedModel([text('ok')]);
    const more = { resume: results[0]?.session_id ?? '', forkSession: true, provider: fork };
    await collect(query({ prompt: 'four', options: { ...options, ...more } }));
    expect(fork.requests[0]?.messages).toHaveLength(5);
    expect(JSON.stringify(fork.requests[0]?.messages)).not.toContain('two');
  });
});
