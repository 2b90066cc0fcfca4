import { describe, expect, it } from 'vitest';
import { createMemoryHost, type MemoryHost } from '../../../src/host/memory/memory-host.js';
import type { SessionError } from '../../../src/protocol/errors.js';
import type { TranscriptEntry } from '../../../src/session/store/entry.js';
import { takeSessionLock } from '../../../src/session/store/session-lock.js';
import { createLineWriter, createTranscriptFile } from '../../../src/session/store/transcript-file.js';
import { fileText, userLine } from '../../support/transcript-lines.js';

const FILE = '/home/user/p/s.jsonl';

function entry(uuid: string, parentUuid: string | null): TranscriptEntry {
  return { uuid, parentUuid, type: 'user' } as TranscriptEntry;
}

interface Heard {
  readonly failures: string[];
  readonly recoveries: [number, number][];
  readonly refusals: SessionError[];
  losses: number;
}

function writerOn(host: MemoryHost, lastUuid: string | null = null) {
  const heard: Heard = { failures: [], recoveries: [], refusals: [], losses: 0 };
  const writer = createLineWriter({
    file: createTranscriptFile({ host, path: FILE, isLocked: true, mayExist: lastUuid !== null }),
    clock: host.clock,
    lastUuid,
    render: (_entry, text) => text,
    watch: {
      onFailure: (error) => void heard.failures.push((error as { code: string }).code),
      onRecovery: (written, lost) => void heard.recoveries.push([written, lost]),
      onLoss: () => void heard.losses++,
      onRefusal: (error) => void heard.refusals.push(error),
    },
  });
  let parent = lastUuid;
  const write = (uuid: string, padding = ''): Promise<void> => {
    const line = { ...entry(uuid, parent), ...(padding === '' ? {} : { padding }) } as TranscriptEntry;
    parent = uuid;
    return writer.write(line, JSON.stringify(line));
  };
  return { writer, write, heard };
}

/** Uuids of the lines, each with the one it follows. */
function chainOf(host: MemoryHost): string[] {
  const lines = (host.files()[FILE] ?? '').split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => {
    try {
      const { uuid, parentUuid } = JSON.parse(line) as { uuid: string; parentUuid: string | null };
      return [`${parentUuid ?? ''}>${uuid}`];
    } catch {
      return ['torn'];
    }
  });
}

describe('the line writer', () => {
  it.each(['append', 'openAppend', 'createFile'] as const)(
    'keeps what cannot be written for lack of space (%s), and writes it with the next line',
    async (operation) => {
      const host = createMemoryHost();
      const { writer, write, heard } = writerOn(host);
      host.failNext(operation, 'ENOSPC');
      host.failNext(operation, 'ENOSPC');
      await write('a');
      await write('b');
      expect(chainOf(host)).toEqual([]);
      expect(writer.waiting).toBe(2);
      await write('c');
      expect(chainOf(host)).toEqual(['>a', 'a>b', 'b>c']);
      // Told once when it began and once when it was over.
      expect(heard).toMatchObject({ failures: ['ENOSPC'], recoveries: [[3, 0]] });
      await write('d');
      await writer.close();
      expect(heard.recoveries).toHaveLength(1);
      expect(Object.keys(host.files())).toEqual([FILE]);
    },
  );

  it('ends the half line that a short write left, so that what comes again stands on its own', async () => {
    const host = createMemoryHost();
    const { write } = writerOn(host);
    await write('a');
    host.failNext('append', 'ESHORT');
    await write('b');
    await write('c');
    expect(chainOf(host)).toEqual(['>a', 'torn', 'a>b', 'b>c']);
  });

  it('writes again what a failed sync may have lost, and is told whole only after one that worked', async () => {
    const host = createMemoryHost();
    const { writer, write, heard } = writerOn(host);
    await write('a');
    await writer.sync();
    await write('b');
    await write('c');
    host.failNext('sync', 'EIO');
    await writer.sync();
    expect(chainOf(host)).toEqual(['>a', 'a>b', 'b>c', 'a>b', 'b>c']);
    expect(heard).toMatchObject({ failures: ['EIO'], recoveries: [[2, 0]] });
    host.failNext('sync', 'EIO');
    host.failNext('sync', 'EIO');
    await write('d');
    await writer.sync();
    expect(heard).toMatchObject({ failures: ['EIO', 'EIO'], recoveries: [[2, 0]] });
    await writer.sync();
    expect(heard.recoveries).toHaveLength(2);
  });

  it('drops the oldest lines if memory does not hold them, tells it, and the rest is one conversation', async () => {
    const host = createMemoryHost();
    const { write, heard } = writerOn(host);
    const padding = 'x'.repeat(8 * 1024 * 1024);
    await write('a');
    for (let left = 6; left > 0; left--) host.failNext('append', 'ENOSPC');
    for (const uuid of ['b', 'c', 'd', 'e', 'f', 'g']) await write(uuid, padding);
    expect(heard).toMatchObject({ failures: ['ENOSPC'], losses: 1 });
    host.failNext('openAppend', 'EMFILE');
    await write('h');
    await write('i');
    const chain = chainOf(host);
    expect(chain.at(-1)).toBe('h>i');
    expect(chain.slice(0, 2)).toEqual(['>a', 'a>e']);
    expect(heard.recoveries).toEqual([[5, 3]]);
  });

  it('waits for its end: nothing is written after close, and the session is free', async () => {
    const host = createMemoryHost();
    const { writer, write } = writerOn(host);
    await write('a');
    await writer.close();
    await write('b');
    expect(chainOf(host)).toEqual(['>a']);
    await (await takeSessionLock(host, FILE)).release();
  });

  it('refuses a session that another writes, and has it once that is done', async () => {
    const host = createMemoryHost();
    const first = writerOn(host);
    await first.write('a');
    const second = writerOn(host, 'a');
    await expect(second.writer.open()).rejects.toMatchObject({ name: 'SessionError', code: 'session_in_use' });
    await first.writer.close();
    await second.writer.open();
    await second.write('b');
    expect(chainOf(host)).toEqual(['>a', 'a>b']);
  });

  it('stops, and says so, if its session was taken while it slept', async () => {
    const host = createMemoryHost({ process: { pid: 7 } });
    const { writer, write, heard } = writerOn(host);
    await write('a');
    await host.advance(11 * 60_000);
    const { processes } = createMemoryHost({ process: { machine: 'elsewhere' } });
    await takeSessionLock({ ...host, processes }, FILE);
    await write('b');
    expect(chainOf(host)).toEqual(['>a']);
    expect(heard.refusals).toEqual([expect.objectContaining({ code: 'session_in_use' })]);
    await expect(writer.open()).rejects.toMatchObject({ code: 'session_in_use' });
    // The lock of the other stays.
    await writer.close();
    expect(Object.keys(host.files())).toContain('/home/user/p/s.lock');
  });

  it('refuses to begin a conversation in a file that has one', async () => {
    const host = createMemoryHost({ files: { [FILE]: fileText([userLine(1, 'go')]) } });
    await expect(writerOn(host).writer.open()).rejects.toThrow(/resume, or choose another sessionId/);
    expect(Object.keys(host.files())).toEqual([FILE]);
  });

  it('begins one behind the half of a line that a crash left', async () => {
    const host = createMemoryHost({ files: { [FILE]: '{"half' } });
    const { write } = writerOn(host);
    await write('a');
    expect(host.files()[FILE]).toMatch(/^\{"half\n\{.*\}\n$/);
  });

  it('goes to the disk by itself if nobody asks for it', async () => {
    let syncs = 0;
    const host = createMemoryHost({
      onOperation(operation) {
        if (operation === 'sync') syncs += 1;
      },
    });
    const { write } = writerOn(host);
    for (let line = 0; line < 600; line++) await write(String(line));
    expect(syncs).toBe(2);
  });

  it('brings a prompt and the results of a turn to the disk, once a second at most, and no line waits for it', async () => {
    const order: string[] = [];
    const host = createMemoryHost({
      onOperation(operation) {
        if (operation === 'append' || operation === 'sync') order.push(operation);
      },
    });
    const { writer, write, heard } = writerOn(host);
    await write('prompt');
    await host.clock.advance(1_000);
    await write('result');
    expect(order).toEqual(['append', 'append']);
    await write('next'); // behind the sync that the result began
    expect(order).toEqual(['append', 'append', 'sync', 'append']);
    await host.clock.advance(999);
    await write('soon');
    await writer.write({ ...entry('reply', 'soon'), type: 'assistant' } as TranscriptEntry, '{}');
    expect(order.filter((operation) => operation === 'sync')).toHaveLength(1);
    // One that fails is told, and what it may have lost is written again.
    host.failNext('sync', 'EIO');
    await host.clock.advance(1);
    await write('late');
    await writer.sync();
    expect(heard).toMatchObject({ failures: ['EIO'], recoveries: [[4, 0]] });
    await writer.close();
  });
});
