// Images and documents of all sorts through a whole session: typed by the user, and given by a server of tools. None may
// cost a refusal, and none the session.
import { describe, expect, it } from 'vitest';
import { createMediaInspector } from '../../src/engine/history/media.js';
import type { ContentBlock, ImageBlock, MessageParam, UserBlock } from '../../src/protocol/content.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { fakeHost } from '../../src/testing/fake-host.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { readTool } from '../../src/tools/files.js';
import { DOCUMENT_FIXTURES, IMAGE_FIXTURES, type MediaFixture, wholePng } from '../support/media-fixtures.js';
import { bareEngine } from '../support/soak/bare-engine.js';

/** A server with one tool, which gives what `content` gives. */
const shots = (content: () => readonly unknown[]) => ({
  name: 'shots',
  type: 'connected' as const,
  client: {
    listTools: async () => ({ tools: [{ name: 'take', inputSchema: { type: 'object' as const } }] }),
    callTool: async () => ({ content: content() }),
  },
});

const typedBlock = ({ bytes, mediaType }: MediaFixture, type: 'image' | 'document') =>
  ({ type, source: { type: 'base64', media_type: mediaType, data: bytes.toString('base64') } }) as UserBlock;

/** All blocks, also those in results of tools. */
function blocksIn(messages: readonly MessageParam[] | undefined): ContentBlock[] {
  const all = (messages ?? []).flatMap(({ content }): readonly ContentBlock[] =>
    typeof content === 'string' ? [] : content,
  );
  return all.flatMap((block) =>
    block.type === 'tool_result' && Array.isArray(block.content)
      ? [block, ...(block.content as ContentBlock[])]
      : [block],
  );
}

/** Types of the media that are sent. */
const mediaIn = (messages: readonly MessageParam[] | undefined) =>
  blocksIn(messages).flatMap((block) =>
    (block.type === 'image' || block.type === 'document') && block.source.type === 'base64'
      ? [block.source.media_type]
      : [],
  );
const textsIn = (messages: readonly MessageParam[] | undefined) =>
  blocksIn(messages)
    .flatMap((block) => {
      if (block.type === 'text') return [block.text];
      return block.type === 'tool_result' && typeof block.content === 'string' ? [block.content] : [];
    })
    .join('\n');

/** Asked of the model before the session went on, and after. */
async function session(first: readonly UserBlock[], shot: readonly unknown[], calls: number) {
  let asked = 0;
  const model = scriptedModel(() => (asked++ < calls ? toolCall('mcp__shots__take', { n: asked }) : text('seen')));
  const engine = bareEngine(model, { mcpClients: [shots(() => shot)] });
  const messages: SDKMessage[] = [];
  for (const prompt of [[{ type: 'text', text: 'Look.' }, ...first] as UserBlock[], 'And now?']) {
    const told = await collect(engine.submitMessage(prompt));
    messages.push(...told);
    expect(lastResult(told)).toMatchObject({ subtype: 'success', result: 'seen' });
  }
  await engine.close();
  // The scripted model holds every request against the rules of the API, down to the bytes of each image.
  expect(model.violations).toEqual([]);
  return { messages, last: model.requests.at(-1)?.messages };
}

/** It is there as what it is, or a text is there that says what is gone and why. */
function expectShown(last: readonly MessageParam[] | undefined, { sentAs }: MediaFixture): void {
  if (typeof sentAs === 'string') {
    expect(mediaIn(last)).toEqual([sentAs]);
    return;
  }
  expect(mediaIn(last)).toEqual([]);
  expect(textsIn(last)).toMatch(sentAs);
}

it('there are more than 60 of them, each another', () => {
  const names = [...IMAGE_FIXTURES, ...DOCUMENT_FIXTURES].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(60);
});

describe('an image', () => {
  it.each(IMAGE_FIXTURES.map((fixture) => [fixture.name, fixture] as const))(
    'such as %s does no harm, typed or given by a server',
    async (_name, fixture) => {
      expectShown((await session([typedBlock(fixture, 'image')], [], 0)).last, fixture);
      const data = fixture.bytes.toString('base64');
      expectShown((await session([], [{ type: 'image', mimeType: fixture.mediaType, data }], 1)).last, fixture);
    },
  );
});

describe('a document', () => {
  it.each(DOCUMENT_FIXTURES.map((fixture) => [fixture.name, fixture] as const))(
    'such as %s does no harm, typed or given by a server',
    async (_name, fixture) => {
      expectShown((await session([typedBlock(fixture, 'document')], [], 0)).last, fixture);
      const blob = fixture.bytes.toString('base64');
      const resource = { uri: 'file:///plan', mimeType: fixture.mediaType, blob };
      const { last } = await session([], [{ type: 'resource', resource }], 1);
      // Servers have no documents, only resources: what is none of the four kinds of images is named.
      expect(mediaIn(last)).toEqual([]);
      expect(textsIn(last)).toContain(`The resource file:///plan of type ${fixture.mediaType}`);
    },
  );
});

/** What the engine itself would send of those bytes, whatever they are said to be. */
function sendable(bytes: Buffer): readonly string[] {
  const inspect = (type: 'image' | 'document', mediaType: string) =>
    createMediaInspector().inspect(typedBlock({ name: '', bytes, mediaType, sentAs: '' }, type) as ImageBlock);
  const image = inspect('image', 'image/png');
  if (image.problem === null) return [image.actualType ?? 'image/png'];
  const isMarked = bytes.subarray(0, 5).toString('latin1') === '%PDF-';
  return isMarked && inspect('document', 'application/pdf').problem === null ? ['application/pdf'] : [];
}

describe('a file that Read is asked for', () => {
  it.each([...IMAGE_FIXTURES, ...DOCUMENT_FIXTURES].map((fixture) => [fixture.name, fixture] as const))(
    'such as %s does no harm, and is shown as what it is, or why not is told',
    async (_name, { bytes }) => {
      const host = fakeHost();
      host.fs.addFile('/project/seen', bytes);
      const model = scriptedModel([toolCall('Read', { file_path: '/project/seen' }), text('seen'), text('seen')]);
      const engine = bareEngine(model, { host, tools: [readTool] });
      for (const prompt of ['Look.', 'And now?'])
        expect(lastResult(await collect(engine.submitMessage(prompt)))).toMatchObject({ result: 'seen' });
      await engine.close();
      expect(model.violations).toEqual([]);
      const last = model.requests.at(-1)?.messages;
      expect(mediaIn(last)).toEqual(sendable(bytes));
      // Shown, refused or empty, it is named; else it was text, with numbers.
      expect(textsIn(last)).toMatch(/\/project\/seen|^ +1\t/m);
      expect(textsIn(last)).not.toContain('was left out');
    },
  );

  it('is looked at again if it was looked at before', async () => {
    const host = fakeHost();
    host.fs.addFile('/project/shot.png', wholePng(300, 200));
    const calls = [1, 2].map(() => toolCall('Read', { file_path: '/project/shot.png' }));
    const model = scriptedModel([...calls, text('seen')]);
    const engine = bareEngine(model, { host, tools: [readTool] });
    const messages = await collect(engine.submitMessage('Look.'));
    await engine.close();
    expect(mediaIn(model.requests.at(-1)?.messages)).toEqual(['image/png', 'image/png']);
    const results = messages.flatMap((message) =>
      message.type === 'user' && 'tool_use_result' in message ? [message.tool_use_result] : [],
    );
    const data = wholePng(300, 200).toString('base64');
    const source = { type: 'base64', media_type: 'image/png', data };
    expect(results).toEqual([1, 2].map(() => ({ type: 'image', source, file_path: '/project/shot.png' })));
  });
});

describe('a file that a prompt names', () => {
  it.each([...IMAGE_FIXTURES, ...DOCUMENT_FIXTURES].map((fixture) => [fixture.name, fixture] as const))(
    'such as %s does no harm, and goes along as what it is, or why not is told',
    async (_name, { bytes }) => {
      const host = fakeHost();
      host.fs.addFile('/project/seen', bytes);
      const model = scriptedModel([text('seen'), text('seen')]);
      const engine = bareEngine(model, { host });
      const messages: SDKMessage[] = [];
      for (const prompt of ['Look at @seen, please.', 'And now?']) {
        const told = await collect(engine.submitMessage(prompt));
        expect(lastResult(told)).toMatchObject({ subtype: 'success', result: 'seen' });
        messages.push(...told);
      }
      await engine.close();
      expect(model.violations).toEqual([]);
      const last = model.requests.at(-1)?.messages;
      expect(mediaIn(last)).toEqual(sendable(bytes));
      const isTold = messages.some(
        (message) =>
          message.type === 'system' && message.subtype === 'notice' && message.code === 'attachment_left_out',
      );
      expect(isTold || /<file path="seen">/.test(textsIn(last))).toBe(true);
    },
  );
});

describe('many images', () => {
  it('of 2,500 pixels that Read shows, one with each call: the session goes on, and what is gone is named', async () => {
    const host = fakeHost();
    host.fs.addFile('/project/shot.png', wholePng(2_500, 10));
    let asked = 0;
    const model = scriptedModel(() =>
      asked++ < 30 ? toolCall('Read', { file_path: '/project/shot.png', offset: asked }) : text('seen'),
    );
    const engine = bareEngine(model, { host, tools: [readTool] });
    expect(lastResult(await collect(engine.submitMessage('Look.')))).toMatchObject({ result: 'seen' });
    await engine.close();
    expect(model.violations).toEqual([]);
    const last = model.requests.at(-1)?.messages;
    const kept = mediaIn(last).length;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThanOrEqual(20);
    expect(textsIn(last).split('was left out').length - 1).toBe(30 - kept);
  });

  it('of 2,500 pixels, one with each call: the session goes on, and what is gone is named', async () => {
    const data = wholePng(2_500, 10).toString('base64');
    const { last } = await session([], [{ type: 'image', mimeType: 'image/png', data }], 30);
    const kept = mediaIn(last).length;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThanOrEqual(20);
    expect(textsIn(last).split('was left out').length - 1).toBe(30 - kept);
  });
});
