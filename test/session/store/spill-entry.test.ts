import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { blobReferences, createBlobStore, restoreBlobs, restoreFrom } from '../../../src/session/store/blobs.js';
import type { MessageEntry, TranscriptEntry } from '../../../src/session/store/entry.js';
import { createSpill, MIN_MEDIA_BYTES, MIN_TEXT_LENGTH } from '../../../src/session/store/spill-entry.js';
import { ONE_PIXEL_PNG } from '../../../src/testing/wire/wire-blocks.js';
import { validateWireRequest } from '../../../src/testing/wire/wire-validator.js';

const FOLDER = '/home/user/s/blobs';

function spillOn(maxBytes = Number.POSITIVE_INFINITY) {
  const host = createMemoryHost();
  const refused: number[] = [];
  const spill = createSpill({ host, folder: FOLDER, maxBytes, onFull: (bytes) => void refused.push(bytes) });
  return { host, refused, spill, store: createBlobStore(host, FOLDER) };
}

function entryWith(content: unknown, toolUseResult?: unknown): MessageEntry {
  return {
    type: 'user',
    uuid: 'u',
    parentUuid: null,
    message: { role: 'user', content },
    ...(toolUseResult === undefined ? {} : { toolUseResult }),
  } as MessageEntry;
}

const base64 = (bytes: number, fill = 7) => Buffer.alloc(bytes, fill).toString('base64');
const SMALL = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG } };
const image = (bytes: number) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: base64(bytes) },
});
const asRead = (entry: TranscriptEntry) => JSON.parse(JSON.stringify(entry)) as Record<string, unknown>;

/** What a reader gets of it. */
async function restored(entry: TranscriptEntry, store: ReturnType<typeof createBlobStore>) {
  const { entry: back, missing } = await restoreFrom(asRead(entry), store);
  const { blobs: _blobs, ...rest } = back;
  return { rest, missing };
}

describe('large content', () => {
  it('goes into a file once, and a valid block of text that names it stands in its place', async () => {
    const { host, spill, store } = spillOn();
    const content = [{ type: 'text', text: 'look' }, image(MIN_MEDIA_BYTES), image(MIN_MEDIA_BYTES), SMALL];
    const entry = entryWith(content);
    const before = JSON.stringify(entry);
    const spilled = (await spill(entry)) as MessageEntry;
    expect(JSON.stringify(entry)).toBe(before);
    const [hash] = await store.list();
    expect(await store.list()).toHaveLength(1);
    expect((await host.fs.stat(`${FOLDER}/${hash}`)).mode).toBe(0o600);
    const standIn = { type: 'text', text: `[image image/png: 4.1 KB, kept in blobs/${hash}]` };
    expect(spilled.message).toEqual({ role: 'user', content: [content[0], standIn, standIn, content[3]] });
    expect(spilled.blobs?.map(({ path }) => path)).toEqual([
      ['message', 'content', 1],
      ['message', 'content', 2],
    ]);
    expect(await restored(spilled, store)).toEqual({ rest: asRead(entry), missing: 0 });
    // Whoever reads it without putting it back has a conversation that can be sent.
    const body = { model: 'm', max_tokens: 1, messages: [spilled.message] };
    expect(validateWireRequest(body)).toEqual([]);
  });

  it.each<[string, MessageEntry]>([
    [
      'a long text, of which the beginning stands in the line',
      entryWith([{ type: 'text', text: `begin ${'é'.repeat(MIN_TEXT_LENGTH)}` }]),
    ],
    ['a prompt that is a text', entryWith('x'.repeat(MIN_TEXT_LENGTH))],
    ['a result', entryWith([{ type: 'tool_result', tool_use_id: 't', content: 'a b '.repeat(MIN_TEXT_LENGTH) }])],
    ['media in a result', entryWith([{ type: 'tool_result', tool_use_id: 't', content: [image(50_000)] }])],
    [
      'a document',
      entryWith([
        {
          type: 'document',
          title: 'T',
          source: { type: 'base64', media_type: 'application/pdf', data: base64(9_000) },
        },
      ]),
    ],
    [
      'base64 that no encoder wrote',
      entryWith([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: `${base64(8_000)}\n` } }]),
    ],
    [
      'what the tool returned beside',
      entryWith('ok', { stdout: 'line\n'.repeat(MIN_TEXT_LENGTH), files: [base64(60_000)] }),
    ],
    [
      'an input',
      {
        ...entryWith([{ type: 'tool_use', id: 't', name: 'Write', input: { content: 'y'.repeat(MIN_TEXT_LENGTH) } }]),
        type: 'assistant',
      },
    ],
  ])('is %s, and comes back as it was', async (_what, entry) => {
    const { spill, store } = spillOn();
    const spilled = (await spill(entry)) as MessageEntry;
    expect(JSON.stringify(spilled).length).toBeLessThan(JSON.stringify(entry).length / 2);
    expect(spilled.blobs).toHaveLength((await store.list()).length);
    expect(await restored(spilled, store)).toEqual({ rest: asRead(entry), missing: 0 });
  });

  it('is never a part of signed thinking, an id, or a text with half a character in it', async () => {
    const long = 'z'.repeat(2 * MIN_TEXT_LENGTH);
    const { spill, store } = spillOn();
    const entry = {
      ...entryWith([
        { type: 'thinking', thinking: long, signature: long },
        { type: 'redacted_thinking', data: long },
        { type: 'tool_use', id: long, name: 'X', input: {} },
        { type: 'text', text: `${long}\ud800` },
      ]),
      type: 'assistant',
    } as MessageEntry;
    expect(await spill(entry)).toBe(entry);
    expect(await store.list()).toEqual([]);
  });

  it('stays in the entry if the disk refuses the file', async () => {
    const { host, spill } = spillOn();
    const entry = entryWith([image(9_000)]);
    host.failNext('createFile', 'ENOSPC');
    expect(await spill(entry)).toBe(entry);
    expect(blobReferences(asRead(await spill(entry)))).toHaveLength(1);
  });

  it('is left out and told if the session has no room for more, also counting what was there before', async () => {
    const { host, refused, spill, store } = spillOn(25_000);
    host.fs.addFile(`${FOLDER}/${'a'.repeat(64)}`, 'x'.repeat(10_000));
    const [first, second] = [entryWith([image(10_000)]), entryWith([image(9_999)])];
    expect(blobReferences(asRead(await spill(first)))).toHaveLength(1);
    const full = (await spill(second)) as MessageEntry;
    expect(JSON.stringify(full.message)).toContain('10.0 KB, not kept: the session has no room for it');
    expect(full.blobs).toBeUndefined();
    expect(refused).toEqual([9_999]);
    // What is there already needs no room.
    expect(blobReferences(asRead(await spill(first)))).toHaveLength(1);
    expect(await store.list()).toHaveLength(2);
  });
});

describe('putting it back', () => {
  const bytes = new TextEncoder().encode('secret');
  const hash = 'b'.repeat(64);
  const blobs = new Map([[hash, bytes]]);
  const entry = { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'stand-in' }] }, uuid: 'u' };
  const reference = { path: ['message', 'content', 0, 'text'], sha256: hash, bytes: 6, encoding: 'utf8' };

  it('is a pure function', () => {
    const given = { ...entry, blobs: [reference] };
    const before = JSON.stringify(given);
    expect(restoreBlobs(given, blobs).entry.message).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'secret' }],
    });
    expect(JSON.stringify(given)).toBe(before);
    expect(restoreBlobs(given, new Map())).toEqual({ entry: given, missing: 1 });
  });

  it.each<[string, unknown]>([
    ['no list', { 0: reference }],
    ['a hash that is a path', [{ ...reference, sha256: '../../../etc/passwd' }]],
    ['a hash that is too short', [{ ...reference, sha256: 'b'.repeat(63) }]],
    ['a path out of the message', [{ ...reference, path: ['uuid'] }]],
    ['a path to the prototype', [{ ...reference, path: ['message', '__proto__', 'polluted'] }]],
    ['a path to a constructor', [{ ...reference, path: ['message', 'constructor', 'name'] }]],
    ['a path that is too long', [{ ...reference, path: ['message', ...Array.from({ length: 100 }, () => 'a')] }]],
    ['a path to nothing', [{ ...reference, path: ['message', 'content', 7, 'text'] }]],
    ['a path of other things', [{ ...reference, path: ['message', {}, null] }]],
    ['a text in the place of a block', [{ ...reference, path: ['message', 'content', 0] }]],
    ['a block in the place of a text', [{ ...reference, block: { type: 'image', source: {} } }]],
    [
      'a block that is no media',
      [{ ...reference, path: ['message', 'content', 0], block: { type: 'tool_use', source: {} } }],
    ],
    ['an unknown encoding', [{ ...reference, encoding: 'hex' }]],
    ['nothing', [null, 1, 'a', []]],
  ])('takes nothing from %s', (_what, references) => {
    const given = { ...entry, blobs: references };
    expect(restoreBlobs(given as Record<string, unknown>, blobs).entry).toBe(given);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('never throws, and gives back what went away, for any entry', async () => {
    const leaf = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom(base64(5_000), 'w'.repeat(MIN_TEXT_LENGTH)),
      fc.integer(),
    );
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.string({ maxLength: 8 }), tie('node'), { maxKeys: 3 }),
        fc.constant(image(5_000)),
      ),
    })).node;
    await fc.assert(
      fc.asyncProperty(value, value, async (content, result) => {
        const { spill, store } = spillOn();
        const given = entryWith(content, result);
        const spilled = await spill(given);
        expect((await restored(spilled, store)).rest).toEqual(asRead(given));
      }),
      { seed: 42, numRuns: 200 },
    );
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (message, references) => {
        restoreBlobs({ message, blobs: references }, blobs);
        restoreBlobs({ message, blobs: [references] }, blobs);
      }),
      { seed: 42, numRuns: 500 },
    );
  });
});
