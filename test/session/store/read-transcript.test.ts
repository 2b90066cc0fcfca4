import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FileError } from '../../../src/host/host.js';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { entriesSource } from '../../../src/session/store/line-reader.js';
import type { EntryValue } from '../../../src/session/store/read-entry.js';
import {
  type ReadOptions,
  readTranscript,
  readTranscriptFile,
  type TranscriptRead,
} from '../../../src/session/store/read-transcript.js';
import {
  answerLine,
  assistantLine,
  callBlock,
  fileText,
  linkLine,
  SESSION,
  textBlock,
  userLine,
  uuidOf,
} from '../../support/transcript-lines.js';

const FILE = '/store/session.jsonl';

/** Reads the lines as a file, and, where they are all entries, as what a session store gives; both must agree. */
async function read(
  lines: readonly (EntryValue | string)[],
  options: Partial<ReadOptions> = {},
): Promise<TranscriptRead> {
  const host = createMemoryHost({ files: { [FILE]: fileText(lines) } });
  const rules = { sessionId: SESSION, isSidechain: false, ...options };
  const fromFile = await readTranscriptFile(host, FILE, rules);
  if (lines.every((line) => typeof line !== 'string') && options.maxBytes === undefined) {
    const fromStore = await readTranscript(entriesSource(lines), rules);
    expect(numbers(fromStore)).toEqual(numbers(fromFile));
    expect(fromStore.damage).toEqual(fromFile.damage);
  }
  return fromFile;
}

function numbers({ entries }: TranscriptRead): number[] {
  return entries.map(({ uuid }) => Number.parseInt(uuid.slice(-12), 16));
}

const talk = (from: number, to: number, first?: { parent: number | null }): EntryValue[] =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const n = from + index;
    const options = index === 0 && first !== undefined ? first : {};
    return n % 2 === 1 ? userLine(n, `say ${n}`, options) : assistantLine(n, `msg_${n}`, [textBlock(`${n}`)], options);
  });

describe('the newest conversation', () => {
  it('is the way from the last message to its root', async () => {
    const found = await read(talk(1, 6));
    expect(numbers(found)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(found).toMatchObject({ end: 'root', lastUuid: uuidOf(6), damage: {} });
  });

  it('leaves out what was said on another branch', async () => {
    // After 6 the user went back to 2 and said something else.
    expect(numbers(await read([...talk(1, 6), ...talk(7, 8, { parent: 2 })]))).toEqual([1, 2, 7, 8]);
  });

  it('goes through lines that are no messages, and leaves out what stands aside', async () => {
    const lines = [
      { type: 'summary', summary: 'About something else', leafUuid: uuidOf(99) },
      userLine(1, 'go'),
      linkLine(2, 'attachment'),
      { type: 'file-history-snapshot', messageId: uuidOf(1), snapshot: {} },
      linkLine(3, 'progress'),
      assistantLine(4, 'msg_4', [textBlock('done')]),
      userLine(5, 'a subagent', { extra: { isSidechain: true } }),
      { type: 'custom-title', customTitle: 'Title', sessionId: SESSION },
    ];
    const found = await read(lines);
    expect(numbers(found)).toEqual([1, 2, 3, 4]);
    expect(found.entries.map(({ role }) => role)).toEqual(['user', null, null, 'assistant']);
    expect(found.damage).toEqual({});
    expect(found.metadata.get('custom-title')).toMatchObject([{ value: { customTitle: 'Title' } }]);
  });

  it('reads ahead of what is asked for, and is told of no failure there', async () => {
    const summary = `Summary. ${'They went on. '.repeat(40_000)}`;
    const boundary = linkLine(5_001, 'system', {
      parent: null,
      logicalParentUuid: uuidOf(5_000),
      subtype: 'compact_boundary',
    });
    const lines = [...talk(1, 9_000), { ...boundary, parentUuid: null }, userLine(5_002, summary, { parent: 5_001 })];
    const host = createMemoryHost({ files: { [FILE]: fileText(lines) } });
    const size = Buffer.byteLength(fileText(lines));
    const failed: number[] = [];
    const fs = {
      ...host.fs,
      openRead: async (path: string) => {
        const handle = await host.fs.openRead(path);
        return {
          ...handle,
          read: async (position: number, length: number) => {
            if (position > size - 1_400_000) return handle.read(position, length);
            failed.push(position);
            throw new FileError('EIO', path, 'The disk is broken.');
          },
        };
      },
    };
    const found = await readTranscriptFile({ fs }, FILE, { sessionId: SESSION, isSidechain: false });
    expect(numbers(found)).toEqual([5_001, 5_002]);
    expect(failed).not.toEqual([]);
    // Who does ask for it is told.
    const whole = { sessionId: SESSION, isSidechain: false, acrossCompactions: true };
    await expect(readTranscriptFile({ fs }, FILE, whole)).rejects.toThrow('The disk is broken.');
  });

  it('begins at a compaction, without reading what it replaced', async () => {
    const boundary = linkLine(5_001, 'system', {
      parent: null,
      logicalParentUuid: uuidOf(5_000),
      subtype: 'compact_boundary',
    });
    const lines = [...talk(1, 5_000), boundary, ...talk(5_002, 5_005)];
    let reads = 0;
    const host = createMemoryHost({ files: { [FILE]: fileText(lines) } });
    const fs = {
      ...host.fs,
      openRead: async (path: string) => {
        const handle = await host.fs.openRead(path);
        return {
          ...handle,
          read: (position: number, length: number) => {
            reads += length;
            return handle.read(position, length);
          },
        };
      },
    };
    const found = await readTranscriptFile({ fs }, FILE, { sessionId: SESSION, isSidechain: false });
    expect(numbers(found)).toEqual([5_001, 5_002, 5_003, 5_004, 5_005]);
    expect(reads).toBeLessThan(300_000);
    expect(fileText(lines).length).toBeGreaterThan(1_500_000);
    const all = await read(lines, { acrossCompactions: true });
    expect(all.entries).toHaveLength(5_005);
    expect(all.end).toBe('root');
  });

  it('begins at a compaction whose line names the one before it as its parent', async () => {
    for (const more of [{}, { logicalParentUuid: uuidOf(6) }]) {
      const boundary = linkLine(7, 'system', {
        ...more,
        subtype: 'compact_boundary',
        compactMetadata: { trigger: 'auto' },
      });
      expect(boundary.parentUuid).toBe(uuidOf(6));
      const lines = [
        ...talk(1, 6),
        boundary,
        userLine(8, 'Summary', { extra: { isCompactSummary: true } }),
        ...talk(9, 10),
      ];
      const found = await read(lines);
      expect(numbers(found)).toEqual([7, 8, 9, 10]);
      expect(found).toMatchObject({ end: 'root', damage: {} });
      expect(numbers(await read(lines, { acrossCompactions: true }))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(numbers(await read(lines, { upTo: uuidOf(6) }))).toEqual([1, 2, 3, 4, 5, 6]);
    }
    // Any other line of the system is a link of the chain.
    expect(
      numbers(await read([...talk(1, 6), linkLine(7, 'system', { subtype: 'informational' }), ...talk(8, 8)])),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('has the messages that a compaction kept, also if its line has a parent', async () => {
    const compactMetadata = { preservedMessages: { anchorUuid: uuidOf(8), uuids: [uuidOf(5), uuidOf(6)] } };
    const lines = [
      ...talk(1, 6),
      linkLine(7, 'system', { subtype: 'compact_boundary', compactMetadata }),
      userLine(8, 'Summary', { extra: { isCompactSummary: true } }),
      userLine(9, 'go on', { parent: 6 }),
    ];
    expect(numbers(await read(lines))).toEqual([7, 8, 5, 6, 9]);
  });

  it.each(['../../../etc/passwd', '/etc/passwd', 'C:\\Windows', '..', '', '\0', 'not-a-session', `${SESSION}/..`])(
    'takes lines whose session is %j as those of the file',
    async (sessionId) => {
      const lines = talk(1, 4).map((line) => ({ ...line, sessionId }));
      expect(await read(lines)).toMatchObject({ end: 'root', damage: {}, lastUuid: uuidOf(4) });
      const title = { type: 'custom-title', customTitle: 'A title', sessionId };
      const { metadata, damage } = await read([...talk(1, 2), title, ...talk(3, 4)]);
      expect(metadata.get('custom-title')).toHaveLength(1);
      expect(damage).toEqual({});
    },
  );

  it('knows the place of every line, whatever characters and empty lines stand before it', async () => {
    // More than one chunk, and no chunk of one kind of line alone.
    const texts = ['plain', 'zwölf', '\u{1F600} and \uFEFF', 'x'.repeat(700)];
    const lines = Array.from({ length: 3_000 }, (_, index) => userLine(index + 1, texts[index % texts.length]));
    const text = lines.map((line, index) => `${JSON.stringify(line)}\n${index % 7 === 0 ? '\n\n' : ''}`).join('');
    const bytes = new TextEncoder().encode(text);
    expect(bytes.length).toBeGreaterThan(1_300_000);
    const host = createMemoryHost({ files: { [FILE]: bytes } });
    const { entries } = await readTranscriptFile(host, FILE, { sessionId: SESSION, isSidechain: false });
    expect(entries.map(({ value }) => value)).toEqual(lines);
    for (const { at, value } of entries) {
      const line = new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(10, at)));
      expect(JSON.parse(line)).toEqual(value);
    }
  });

  it('has the messages that a compaction kept, in their new place', async () => {
    const kept = (compactMetadata: unknown) => [
      ...talk(1, 6),
      linkLine(7, 'system', {
        parent: null,
        logicalParentUuid: uuidOf(6),
        subtype: 'compact_boundary',
        compactMetadata,
      }),
      userLine(8, 'Summary', { parent: 7, extra: { isCompactSummary: true } }),
    ];
    const list = { preservedMessages: { anchorUuid: uuidOf(8), uuids: [uuidOf(5), uuidOf(6)] } };
    const segment = { preserved_segment: { anchor_uuid: uuidOf(8), head_uuid: uuidOf(5), tail_uuid: uuidOf(6) } };
    for (const metadata of [list, segment]) {
      // Whether what follows names the summary or the last message that was kept.
      for (const parent of [8, 6]) {
        const found = await read([...kept(metadata), userLine(9, 'go on', { parent })]);
        expect(numbers(found)).toEqual([7, 8, 5, 6, 9]);
        expect(found.end).toBe('root');
      }
    }
    const first = { preservedMessages: { anchorUuid: uuidOf(7), uuids: [uuidOf(1), uuidOf(2)] } };
    expect(numbers(await read([...kept(first), userLine(9, 'go on', { parent: 8 })]))).toEqual([7, 1, 2, 8, 9]);
  });

  it('has every part of a reply and every answer, whichever branch the next message follows', async () => {
    const calls = [
      userLine(1, 'read four'),
      assistantLine(2, 'msg_a', [{ type: 'thinking', thinking: 'hm', signature: 's' }]),
      assistantLine(3, 'msg_a', [callBlock('t3')]),
      assistantLine(4, 'msg_a', [callBlock('t4')]),
      assistantLine(5, 'msg_a', [callBlock('t5')]),
    ];
    const answers = [4, 3, 5].map((n) => answerLine(n + 10, `t${n}`, `of ${n}`, { parent: n }));
    for (const last of [13, 14, 15]) {
      const found = await read([...calls, ...answers, assistantLine(20, 'msg_b', [textBlock('ok')], { parent: last })]);
      expect(numbers(found)).toEqual([1, 2, 3, 4, 5, 14, 13, 15, 20]);
    }
    // The session ended before the next reply.
    expect(numbers(await read([...calls, ...answers]))).toEqual([1, 2, 3, 4, 5, 14, 13, 15]);
  });

  it('does not mix in the answers of a branch that was left', async () => {
    const lines = [
      userLine(1, 'go'),
      assistantLine(2, 'msg_a', [callBlock('t2')]),
      answerLine(3, 't2', 'old'),
      assistantLine(4, 'msg_b', [textBlock('old')]),
      userLine(5, 'resumed at the call', { parent: 2 }),
    ];
    expect(numbers(await read(lines))).toEqual([1, 2, 5]);
  });
});

describe('a conversation up to a message', () => {
  it('ends there, on whatever branch it is', async () => {
    const lines = [...talk(1, 6), ...talk(7, 8, { parent: 2 })];
    for (const n of [1, 2, 3, 4, 5, 6])
      expect(numbers(await read(lines, { upTo: uuidOf(n) }))).toEqual(Array.from({ length: n }, (_, at) => at + 1));
    expect(numbers(await read(lines, { upTo: uuidOf(7) }))).toEqual([1, 2, 7]);
  });

  it('has no answer that came later', async () => {
    const lines = [
      userLine(1, 'go'),
      assistantLine(2, 'msg_a', [callBlock('t2'), callBlock('t2b')]),
      answerLine(3, 't2', 'x'),
      answerLine(4, 't2b', 'x'),
      assistantLine(5, 'msg_b', [textBlock('done')]),
    ];
    expect(numbers(await read(lines, { upTo: uuidOf(2) }))).toEqual([1, 2]);
    expect(numbers(await read(lines, { upTo: uuidOf(3) }))).toEqual([1, 2, 3]);
  });

  it('is empty if there is no such message', async () => {
    expect(await read(talk(1, 3), { upTo: uuidOf(9) })).toMatchObject({ entries: [], lastUuid: null });
  });
});

describe('a damaged transcript', () => {
  const lost = (n: number) => JSON.stringify(talk(1, 8)[n - 1]).slice(0, -30);

  it('goes on behind a line that cannot be read', async () => {
    const lines = [...talk(1, 3), lost(4), ...talk(5, 8)];
    const found = await read(lines);
    expect(numbers(found)).toEqual([1, 2, 3, 5, 6, 7, 8]);
    expect(found.damage).toEqual({ not_json: 1, gap: 1 });
  });

  it('follows what a lost line still says of its parent, not the line before it', async () => {
    const lines = [...talk(1, 3), ...talk(4, 5, { parent: 1 }), ...talk(6, 6, { parent: 3 })];
    const broken = [...lines.slice(0, 5), JSON.stringify(lines[5]).slice(0, 200), ...talk(7, 8)];
    expect(numbers(await read(broken))).toEqual([1, 2, 3, 7, 8]);
  });

  it('does not go on behind the lost root of a conversation', async () => {
    const root = JSON.stringify(userLine(5, 'a new one', { parent: null })).slice(0, -10);
    const found = await read([...talk(1, 4), root, ...talk(6, 8)]);
    expect(numbers(found)).toEqual([6, 7, 8]);
    expect(found.end).toBe('gap');
  });

  it('goes on behind the lost boundary of a compaction', async () => {
    const boundary = linkLine(5, 'system', { parent: null, subtype: 'compact_boundary' });
    const { parentUuid, ...rest } = boundary;
    const torn = JSON.stringify({ parentUuid, logicalParentUuid: uuidOf(4), ...rest }).slice(0, -10);
    expect(numbers(await read([...talk(1, 4), torn, ...talk(6, 8)]))).toEqual([1, 2, 3, 4, 6, 7, 8]);
  });

  it('says that its beginning is lost', async () => {
    const found = await read([lost(1), ...talk(2, 5)]);
    expect(numbers(found)).toEqual([2, 3, 4, 5]);
    expect(found).toMatchObject({ damage: { not_json: 1 }, end: 'gap' });
  });

  it.each([
    ['a last line that was cut off', (text: string) => text + lost(7), { cut_off: 1 }],
    ['NUL bytes in place of a line', (text: string) => `${text}${'\0'.repeat(5_000)}\n`, { not_json: 1 }],
    ['NUL bytes before a line', (text: string) => text.replace('\n', `\n${'\0'.repeat(5_000)}`), {}],
    ['text that is not JSON', (text: string) => `${text}hello\n`, { not_json: 1 }],
    ['JSON that is not an object', (text: string) => `${text}[1]\n`, { not_json: 1 }],
    ['an unknown kind of line', (text: string) => `${text}{"type":"from-the-future"}\n`, { unknown_type: 1 }],
    ['a line without a kind', (text: string) => `${text}{"a":1}\n`, { unknown_type: 1 }],
    ['empty lines', (text: string) => `\n\n${text.replace('\n', '\n\n\n')}\n\n`, {}],
    ['lines that end as on Windows', (text: string) => text.replaceAll('\n', '\r\n'), {}],
    [
      'a line nested a million deep',
      (text: string) => `${text}{"type":"user","uuid":"x","a":${'['.repeat(1e6)}${']'.repeat(1e6)}}\n`,
      { too_deep: 1 },
    ],
    [
      'a line of 40 MB',
      (text: string) => `${text}{"type":"user","uuid":"x","a":"${'x'.repeat(4e7)}"}\n`,
      { too_long: 1 },
    ],
  ] as const)('with %s keeps its conversation', async (_name, damage, counts) => {
    const host = createMemoryHost({ files: { [FILE]: damage(fileText(talk(1, 6))) } });
    const found = await readTranscriptFile(host, FILE, { sessionId: SESSION, isSidechain: false });
    expect(numbers(found)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(found.damage).toEqual(counts);
  });

  it('uses a line with bytes that are no UTF-8, and says so', async () => {
    const bytes = Buffer.from(fileText([userLine(1, 'caf?'), assistantLine(2, 'msg_2', [textBlock('ok')])]));
    bytes[bytes.indexOf('caf?') + 3] = 0xe9;
    const host = createMemoryHost({ files: { [FILE]: bytes } });
    const found = await readTranscriptFile(host, FILE, { sessionId: SESSION, isSidechain: false });
    expect(found.entries[0]).toMatchObject({ value: { message: { content: 'caf\ufffd' } }, isLossy: true });
    expect(found.damage).toEqual({ not_utf8: 1 });
  });

  it('ends at a circle of parents, and keeps what stands before', async () => {
    const circle = [...talk(1, 4), ...talk(5, 5, { parent: 7 }), ...talk(6, 7)];
    const found = await read(circle);
    expect(numbers(found)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(found.damage).toEqual({ circle: 1, gap: 1 });
    expect(numbers(await read([userLine(1, 'me', { parent: 1 })]))).toEqual([1]);
  });

  it('ends at a circle that is longer than what is remembered', async () => {
    const last = 101_000;
    const lines = talk(1, last, { parent: last });
    const found = await readTranscript(entriesSource(lines), { sessionId: SESSION, isSidechain: false });
    expect(found.entries).toHaveLength(last);
    expect(found).toMatchObject({ end: 'gap', damage: { circle: 1 } });
  });

  it('reads each message once, however often it stands there', async () => {
    const found = await read([...talk(1, 4), ...talk(3, 4)]);
    expect(numbers(found)).toEqual([1, 2, 3, 4]);
    expect(found.damage).toEqual({});
    const other = await read([...talk(1, 2), userLine(3, 'something else'), ...talk(3, 4)]);
    expect(numbers(other)).toEqual([1, 2, 3, 4]);
    expect(other.damage).toEqual({ repeated: 1 });
  });

  it('finds parents that stand behind their children', async () => {
    const lines = talk(1, 8);
    const moved = [lines[0], lines[1], lines[4], lines[3], lines[2], lines[5], lines[7], lines[6]] as EntryValue[];
    expect(numbers(await read(moved))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('leaves out lines of other sessions that stand between', async () => {
    const other = '33333333-3333-4333-8333-333333333333';
    const lines = [...talk(1, 3), userLine(90, 'not ours', { parent: 3, sessionId: other }), ...talk(4, 4)];
    const found = await read(lines);
    expect(numbers(found)).toEqual([1, 2, 3, 4]);
    expect(found.damage).toEqual({ other_session: 1 });
    expect(numbers(await read([userLine(90, 'not ours', { parent: null, sessionId: other })]))).toEqual([]);
  });

  it('follows the chain into lines that an earlier session wrote', async () => {
    const other = '33333333-3333-4333-8333-333333333333';
    const copied = talk(1, 3).map((line) => ({ ...line, sessionId: other }));
    expect(numbers(await read([...copied, ...talk(4, 6)]))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('gives its newest part if it is more than was asked for', async () => {
    const found = await read(talk(1, 1_000), { maxBytes: 20_000 });
    expect(found.end).toBe('limit');
    expect(found.entries.length).toBeGreaterThan(40);
    expect(found.entries.length).toBeLessThan(70);
    expect(found.lastUuid).toBe(uuidOf(1_000));
  });

  it('never loses a whole line of one branch, whatever lines are lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), async (keeps) => {
        const lines = talk(1, keeps.length);
        const kept = keeps.flatMap((keep, at) => (keep ? [at + 1] : []));
        const damaged = lines.map((line, at) => (keeps[at] ? line : JSON.stringify(line).slice(0, -5)));
        const gone = lines.filter((_, at) => keeps[at]);
        // A cut root ends the conversation only where it was one; here nothing stands before it.
        expect(numbers(await read(damaged))).toEqual(kept);
        expect(numbers(await read(gone))).toEqual(kept);
      }),
      { seed: 42, numRuns: 300 },
    );
  });

  it('finds the same conversation in any order of its lines', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(talk(1, 12), { minLength: 12 }), async (lines) => {
        const found = await read(lines);
        expect(numbers(found)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        expect(found.end).toBe('root');
      }),
      { seed: 42, numRuns: 300 },
    );
  });
});
