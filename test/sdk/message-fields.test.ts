// What a message may say of itself: that it asks nothing, that it is to be read as written, and who said it.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SDKMessage, SDKUserMessage } from '../../src/protocol/messages.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { getSessionMessages } from '../../src/sdk/sessions.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

type Said = Partial<SDKUserMessage> & { readonly says: string };

async function run(said: readonly Said[], options: Options = {}) {
  const [cwd, home] = [options.cwd ?? (await temporaryFolder()), await temporaryFolder()];
  const model = scriptedModel(() => text('ok'));
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (const { says, ...fields } of said)
      yield { type: 'user', message: { role: 'user', content: says }, parent_tool_use_id: null, ...fields };
  }
  const messages: SDKMessage[] = [];
  const env = { TURNWRIGHT_HOME: home };
  for await (const message of query({ prompt: prompts(), options: { provider: model, ...options, cwd, env } }))
    messages.push(message);
  const results = messages.filter(({ type }) => type === 'result');
  return { messages, results, model, cwd, home, sent: (at: number) => JSON.stringify(model.requests[at]?.messages) };
}

describe('shouldQuery: false', () => {
  it('is part of the conversation, asks nothing, and goes along with the next prompt', async () => {
    const said: Said[] = [
      { says: 'The key is under the mat.', shouldQuery: false, uuid: '00000000-0000-4000-8000-000000000001' },
      { says: 'Where is the key?' },
      { says: 'It is raining.', shouldQuery: false },
    ];
    const { messages, results, model, sent, home, cwd } = await run(said, { replayUserMessages: true });
    expect(results).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
    expect(sent(0)).toContain('under the mat');
    expect(sent(0)).toContain('Where is the key?');
    expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init' });
    expect(messages[1]).toMatchObject({ isReplay: true, uuid: '00000000-0000-4000-8000-000000000001' });
    const kept = await getSessionMessages(results[0]?.session_id ?? '', { dir: cwd, env: { TURNWRIGHT_HOME: home } });
    expect(kept.map(({ type }) => type)).toEqual(['user', 'user', 'assistant', 'user']);
    expect(JSON.stringify(kept.at(-1))).toContain('raining');
  });

  it('alone has no result, and ends without a fault', async () => {
    const { messages, model } = await run([{ says: 'Only this.', shouldQuery: false }]);
    expect(messages).toEqual([]);
    expect(model.requests).toEqual([]);
  });

  it('is heard by hooks, and what they stop is told and not kept', async () => {
    const block = async () => ({ decision: 'block' as const, reason: 'not that' });
    const { messages, sent } = await run([{ says: 'Secret plan.', shouldQuery: false }, { says: 'Hello.' }], {
      hooks: {
        UserPromptSubmit: [
          { hooks: [async (input) => ((input as { prompt?: string }).prompt?.includes('Secret') ? block() : {})] },
        ],
      },
    });
    expect(sent(0)).not.toContain('Secret plan');
    expect(messages).toContainEqual(expect.objectContaining({ code: 'queued_message_blocked' }));
  });
});

describe('client_composed', () => {
  it('is read as it is written: no command, no file', async () => {
    const cwd = await temporaryFolder();
    await writeFile(path.join(cwd, 'note.txt'), 'inside the file');
    const { sent, results } = await run(
      [
        { says: '/cost is what I type', client_composed: true },
        { says: 'See @note.txt', client_composed: true },
        { says: 'See @note.txt' },
      ],
      { cwd },
    );
    expect(results).toHaveLength(3);
    expect(sent(0)).toContain('/cost is what I type');
    expect(sent(1)).not.toContain('inside the file');
    expect(sent(2)).toContain('inside the file');
  });
});

describe('origin', () => {
  it('is told with the result, and in the transcript', async () => {
    const origin = { kind: 'channel', server: 'chat' } as const;
    const { results, home } = await run([
      { says: 'From afar.', origin },
      { says: 'Mine.', origin: { kind: 'human' } },
    ]);
    expect(results[0]).toMatchObject({ origin });
    expect(results[1]).not.toHaveProperty('origin');
    const folder = path.join(home, 'projects');
    const { readdir } = await import('node:fs/promises');
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.jsonl'));
    const lines = (await readFile(path.join(folder, files[0] ?? ''), 'utf8')).split('\n');
    expect(lines.find((line) => line.includes('From afar.'))).toContain('"origin":{"kind":"channel","server":"chat"}');
  });
});

describe('files and contexts', () => {
  it('take files along by their paths, and say that contexts mean nothing', async () => {
    const cwd = await temporaryFolder();
    await writeFile(path.join(cwd, 'a b.txt'), 'what it holds');
    const { sent, messages } = await run(
      [
        {
          says: 'Look.',
          file_attachments: [{ file_id: '1', relative_path: 'a b.txt' }],
          custom_context: { trace: '1' },
        } as Said,
      ],
      { cwd },
    );
    expect(sent(0)).toContain('what it holds');
    expect(messages).toContainEqual(expect.objectContaining({ code: 'option_without_effect' }));
  });

  it.each([
    [{ shouldQuery: 'no' }, 'neither true nor false'],
    [{ client_composed: 1 }, 'neither true nor false'],
    [{ origin: { kind: 'ghost' } }, 'a kind that is known'],
    [{ origin: 'human' }, 'a kind that is known'],
    [{ origin: { kind: 'peer', body: 'x'.repeat(10_001) } }, 'longer than'],
    [{ file_attachments: ['a.txt'] }, 'a list of { relative_path }'],
    [{ priority: 'soon' }, 'Priorities:'],
  ])('%j is refused in words', async (fields, words) => {
    await expect(run([{ says: 'x', ...fields } as Said])).rejects.toThrow(words);
  });
});
