// Compactions of a running session: what they free and tell, what goes on word for word, and who takes part in them.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import { createTokenEstimator } from '../../src/engine/tokens/estimate-tokens.js';
import { ModelError } from '../../src/protocol/errors.js';
import type { HookInput } from '../../src/protocol/hooks.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { ModelRequest } from '../../src/providers/contract/provider.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import type { Message } from '../../src/session/messages/history.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, type ScriptedAnswer, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { getTools } from '../../src/tools/builtin.js';
import { textOf } from '../engine/long-histories.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';
import { isSummaryRequest } from '../support/summary-request.js';

const WINDOW = 20_000;
const counter = createTokenEstimator();

/** `turns` rounds of a call beside `tokens` of text, which no pruning can take; then the end. */
function talkative(turns: number, tokens: number, summary: () => ScriptedAnswer) {
  let turn = 0;
  return scriptedModel((request): ScriptedAnswer => {
    const usage = { input_tokens: counter.request(request), output_tokens: tokens };
    if (isSummaryRequest(request)) return summary();
    const said = text(textOf(tokens, turn));
    if (++turn > turns) return { blocks: [said], usage };
    return { blocks: [said, toolCall('Probe', { value: String(turn) })], usage };
  });
}

const varied = () => {
  let runs = 0;
  return probeTool({ run: async () => `ran ${++runs}` });
};

const told = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => {
    if (message.type !== 'system') return [];
    if (message.subtype === 'compact_boundary') return ['compacted'];
    return message.subtype === 'notice' && message.code === 'compaction_blocked'
      ? [`${message.level} ${message.reason}`]
      : [];
  });

describe('a compaction that frees too little', () => {
  it.each([0, 0.3, 0.45])(
    'is told at once and not repeated, with %s of the window taken by the system prompt',
    async (share) => {
      const useless = () => text(`<summary>${textOf(WINDOW * 0.2, 7)}</summary>`);
      const { engine } = await testEngine(talkative(40, 500, useless), {
        tools: [varied()],
        contextWindow: WINDOW,
        customSystemPrompt: textOf(WINDOW * share, 3),
        readInstructionFiles: false,
      });
      const messages = await collect(engine.submitMessage('go'));
      const events = told(messages);
      const first = events.indexOf('compacted');
      // Before there is enough to summarise, a window that the system prompt fills is told of by itself.
      expect(events.slice(0, first)).toEqual(share === 0 ? [] : ['warning window_full']);
      const at = messages.flatMap((message, index) =>
        message.type === 'system' && message.subtype === 'compact_boundary' ? [index] : [],
      );
      expect(events.slice(first)).toEqual(at.flatMap(() => ['compacted', 'warning little_room_made']));
      // Another comes only once the messages grew by a fifth of the window: eight turns of this session.
      const turns = at.map((from, index) =>
        messages.slice(from, at[index + 1]).filter(({ type }) => type === 'assistant'),
      );
      for (const between of turns.slice(0, -1)) expect(between.length).toBeGreaterThanOrEqual(7);
    },
  );

  it('compacts whenever a person asks for it, however short the conversation is, and says what came of it', async () => {
    const model = scriptedModel([text('hello'), text(`<summary>${textOf(900, 1)}</summary>`), text('yes')]);
    const { engine } = await testEngine(model, { commands: await getCommands() });
    expect(lastResult(await collect(engine.submitMessage('/compact'))).result).toMatch(/nothing to compact/);
    await collect(engine.submitMessage('hello'));
    const messages = await collect(engine.submitMessage('/compact'));
    expect(told(messages)).toEqual(['compacted']);
    expect(lastResult(messages).result).toMatch(
      /^The conversation was compacted\. It was so short .* \d+ tokens more\.$/,
    );
    await collect(engine.submitMessage('and on'));
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('<summary>');
  });

  it('leaves the conversation as it is if the engine began it and it would be no shorter, and does not try again', async () => {
    const useless = () => text(`<summary>${textOf(WINDOW, 7)}</summary>`);
    const { engine } = await testEngine(talkative(18, 1_000, useless), {
      tools: [varied()],
      contextWindow: WINDOW,
      readInstructionFiles: false,
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(told(messages).filter((event) => event === 'compacted')).toEqual([]);
    expect(told(messages)).toContain('warning no_shorter');
  });

  it('keeps less word for word of a short conversation', async () => {
    const said = textOf(5_000, 1);
    const model = scriptedModel([text(said), text('<summary>All was said.</summary>')]);
    const { engine } = await testEngine(model, { commands: await getCommands() });
    await collect(engine.submitMessage('hello'));
    const messages = await collect(engine.submitMessage('/compact'));
    expect(lastResult(messages).result).toMatch(/it takes about [34],\d+ tokens less/);
  });

  it('and one that frees enough says by how much', async () => {
    const model = scriptedModel([text(textOf(70_000, 1)), text('<summary>All was said.</summary>')]);
    const { engine } = await testEngine(model, { commands: await getCommands() });
    await collect(engine.submitMessage('hello'));
    const messages = await collect(engine.submitMessage('/compact'));
    expect(told(messages)).toEqual(['compacted']);
    expect(lastResult(messages).result).toMatch(
      /^The conversation was compacted: it takes about [\d,]+ tokens less\.$/,
    );
  });
});

describe('snipReplay', () => {
  const own = (content: string): Message => ({
    uuid: '99999999-0000-4000-8000-000000000001',
    type: 'user',
    message: { role: 'user', content },
  });
  const sentAfter = (requests: readonly ModelRequest[]) =>
    requests.slice(requests.findIndex(isSummaryRequest) + 1).filter((request) => !isSummaryRequest(request));

  async function run(model: ReturnType<typeof scriptedModel>, overrides: Partial<QueryEngineConfig>) {
    const { engine } = await testEngine(model, {
      tools: [varied()],
      // What our own grows to must not decide how often there is a compaction.
      customSystemPrompt: textOf(700, 3),
      snipReplay: () => ({ messages: [own('A history of my own.')], executed: true }),
      ...overrides,
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages).subtype).toBe('success');
    expect(told(messages).filter((event) => event === 'compacted')).toHaveLength(1);
    expect(model.violations).toEqual([]);
    return engine;
  }

  it('gives the conversation that the same prompt goes on with', async () => {
    const model = talkative(12, 1_000, () => text('<summary>Our summary.</summary>'));
    const engine = await run(model, { contextWindow: WINDOW });
    const after = sentAfter(model.requests);
    expect(after.length).toBeGreaterThan(1);
    expect(after[0]?.messages).toEqual([own('A history of my own.').message]);
    for (const { messages } of after) expect(JSON.stringify(messages)).not.toContain('Our summary.');
    // What the loop goes on with is what the session keeps.
    expect(
      engine
        .getMessages()
        .slice(0, -1)
        .map(({ message }) => message.content),
    ).toEqual(after.at(-1)?.messages.map(({ content }) => content));
  });

  it('also if the model had refused the length', async () => {
    let refused = false;
    const model = scriptedModel((request): ScriptedAnswer => {
      if (isSummaryRequest(request)) return text('<summary>Our summary.</summary>');
      if (request.messages.length > 6 && !refused) {
        refused = true;
        return { error: new ModelError('context_overflow', 'too long', { status: 400 }) };
      }
      return refused ? text('done') : toolCall('Probe', { value: String(request.messages.length) });
    });
    await run(model, {});
    expect(sentAfter(model.requests).map(({ messages }) => messages)).toEqual([[own('A history of my own.').message]]);
  });

  it('may leave nothing, and the prompt goes on all the same', async () => {
    const model = talkative(12, 1_000, () => text('<summary>Our summary.</summary>'));
    await run(model, { contextWindow: WINDOW, snipReplay: () => ({ messages: [], executed: true }) });
    expect(sentAfter(model.requests).length).toBeGreaterThan(1);
  });
});

describe('what goes on word for word', () => {
  const window = 40_000;
  const pinned = ({ messages }: ModelRequest | undefined = { messages: [] } as never) => {
    const content = messages[0]?.content ?? [];
    return typeof content === 'string' ? [] : content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  };

  it('is the todo list, the instructions and the files read last, also from one compaction to the next', async () => {
    const folder = await temporaryFolder();
    const file = (name: string) => path.join(folder, name);
    const large = `${textOf(9_500, 5)}\nthe end`;
    await writeFile(file('AGENTS.md'), 'Never rename the fields of a bill.');
    await writeFile(file('first.ts'), 'export const first = 1;\n');
    await writeFile(file('large.ts'), large);
    await writeFile(file('second.ts'), 'export const second = 2;\n');
    const read = (name: string) => toolCall('Read', { file_path: file(name) });
    const todos = [
      { id: '1', content: 'Count the bills: {"a": 1}', status: 'completed' },
      { id: '2', content: 'Send  them', status: 'in_progress' },
    ];
    let turn = 0;
    const model = scriptedModel((request): ScriptedAnswer => {
      const usage = { input_tokens: counter.request(request), output_tokens: 2_000 };
      if (isSummaryRequest(request)) return text('<summary>It goes on.</summary>');
      turn++;
      if (turn === 1) return reply(text('I begin.'), toolCall('TodoWrite', { todos }), read('first.ts'));
      if (turn === 2) return reply(text('I read.'), read('large.ts'));
      if (turn === 3) return reply(text('I read more.'), read('second.ts'));
      if (turn === 45) return { blocks: [text('done')], usage };
      return { blocks: [text(textOf(1_500, turn)), toolCall('Probe', { value: String(turn) })], usage };
    });
    const { engine } = await testEngine(model, {
      cwd: folder,
      contextWindow: window,
      tools: [
        ...(await getTools()),
        probeTool({
          run: async () => {
            await writeFile(file('second.ts'), `export const second = ${turn};\n`);
            return `ran ${turn}`;
          },
        }),
      ],
    });
    const messages = await collect(engine.submitMessage('Send the bills.'));
    expect(lastResult(messages).subtype).toBe('success');
    const summaries = model.requests.flatMap((request, index) => (isSummaryRequest(request) ? [index] : []));
    expect(summaries.length).toBeGreaterThanOrEqual(2);
    for (const at of summaries) {
      const next = model.requests[at + 1];
      const texts = pinned(next);
      const todo = texts.find((each) => each.startsWith('The todo list'));
      for (const { content } of todos) expect(todo).toContain(content);
      const pins = texts.filter((each) => each.startsWith('The file'));
      expect(pins).toHaveLength(2);
      // As it is now, which is what the last run before the compaction wrote; and most recently read first.
      expect(pins[0]).toMatch(/second\.ts, as it is now:\n\n<file>\nexport const second = \d+;\n\n<\/file>$/);
      expect(pins[1]).toMatch(/first\.ts, as it is now:\n\n<file>\nexport const first = 1;\n\n<\/file>$/);
      expect(JSON.stringify(next?.system)).toContain('Never rename the fields of a bill.');
      expect(JSON.stringify(next?.messages)).toContain('Send the bills.');
      const tokens = pins.reduce((sum, pin) => sum + counter.text(pin), 0);
      expect(tokens).toBeLessThanOrEqual(window * 0.2);
    }
    expect(model.violations).toEqual([]);
  });
});

describe('hooks around a compaction', () => {
  it('hear of an automatic one before and after it', async () => {
    const heard: HookInput[] = [];
    const hooks = [
      {
        hooks: [
          async (input: HookInput) => {
            heard.push(input);
            return {};
          },
        ],
      },
    ];
    const model = talkative(8, 1_000, () => text('<summary>Our summary.</summary>'));
    const { engine } = await testEngine(model, {
      tools: [varied()],
      contextWindow: WINDOW,
      hooks: { PreCompact: hooks, PostCompact: hooks },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(told(messages).filter((event) => event === 'compacted')).toHaveLength(1);
    expect(heard).toEqual([
      expect.objectContaining({ hook_event_name: 'PreCompact', trigger: 'auto', custom_instructions: null }),
      expect.objectContaining({ hook_event_name: 'PostCompact', trigger: 'auto', compact_summary: 'Our summary.' }),
    ]);
  });
});

describe('messages that a compaction keeps', () => {
  it('are named in the boundary by the ids they were sent under', async () => {
    const model = talkative(12, 1_000, () => text('<summary>All of it.</summary>'));
    const { engine } = await testEngine(model, { tools: [varied()], contextWindow: WINDOW, replayUserMessages: true });
    const messages: SDKMessage[] = [];
    let summary: Message | undefined;
    for await (const message of engine.submitMessage('go')) {
      messages.push(message);
      if (message.type === 'system' && message.subtype === 'compact_boundary') summary ??= engine.getMessages()[0];
    }
    const at = messages.findIndex((message) => message.type === 'system' && message.subtype === 'compact_boundary');
    const boundary = messages[at];
    if (boundary?.type !== 'system' || boundary.subtype !== 'compact_boundary') throw new Error('no boundary');
    const { preserved_messages: all, preserved_segment: segment } = boundary.compact_metadata;
    const sent = messages.slice(0, at).flatMap((message) => {
      if (message.type !== 'assistant' && message.type !== 'user') return [];
      return [{ uuid: message.uuid, content: message.message.content }];
    });
    // The prompt, and behind a gap the newest exchanges.
    expect(all?.uuids[0]).toBe(sent[0]?.uuid);
    const kept = sent.slice(-((all?.uuids.length ?? 0) - 1));
    expect(all?.uuids.slice(1)).toEqual(kept.map(({ uuid }) => uuid));
    expect(segment).toEqual({ ...segment, head_uuid: kept[0]?.uuid, tail_uuid: kept.at(-1)?.uuid });
    // What they are said to be is what the model is sent, behind the summary.
    const next = model.requests[model.requests.findIndex(isSummaryRequest) + 1];
    expect(next?.messages.slice(-kept.length).map(({ content }) => content)).toEqual(
      kept.map(({ content }) => content),
    );
    expect(segment?.anchor_uuid).toBe(summary?.uuid);
    expect(all?.anchor_uuid).toBe(segment?.anchor_uuid);
  });

  it('are not named if the host puts another conversation in their place', async () => {
    const model = talkative(12, 1_000, () => text('<summary>All of it.</summary>'));
    const { engine } = await testEngine(model, {
      tools: [varied()],
      contextWindow: WINDOW,
      snipReplay: () => ({ messages: [], executed: true }),
    });
    const messages = await collect(engine.submitMessage('go'));
    for (const message of messages)
      if (message.type === 'system' && message.subtype === 'compact_boundary')
        expect(Object.keys(message.compact_metadata)).toEqual(['trigger', 'pre_tokens', 'post_tokens']);
  });
});
