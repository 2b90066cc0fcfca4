// Lines out of bytes: whatever the pieces, the same lines; whatever the bytes, no throw and no more memory than a line.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader } from '../../../src/mcp/stdio/line-reader.js';
import { createRpcPeer, RpcError } from '../../../src/mcp/stdio/rpc-peer.js';
import { toWellFormed } from '../../../src/util/text.js';
import { SEED } from '../../support/figures.js';

function read(chunks: readonly Uint8Array[], maxBytes = 1_000) {
  const lines: string[] = [];
  const tooLong: string[] = [];
  const reader = createLineReader({
    maxBytes,
    onLine: (line) => lines.push(line),
    onTooLong: (head) => tooLong.push(head),
  });
  for (const chunk of chunks) {
    reader.push(chunk);
    // It belongs to whoever read it, who writes the next piece there.
    chunk.fill(0x58);
  }
  return { lines, tooLong };
}

const bytes = (text: string) => Uint8Array.from(Buffer.from(text));

function inPieces(text: string, cuts: readonly number[]): Uint8Array[] {
  const all = bytes(text);
  const at = [...new Set(cuts.map((cut) => cut % (all.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => all.slice(from, at[index] ?? all.length));
}

describe('lines of a server', () => {
  it('are whole, without line ends, without empty ones and without what follows the last', () => {
    expect(read([bytes('one\r\n\n  \ntwo\nthr'), bytes('ee\nrest')]).lines).toEqual(['one', 'two', 'three']);
  });

  it('are the same however they come', () => {
    const line = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replace(/[\r\n]/g, '').trim());
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(2_000)), (lines, cuts) => {
        const wanted = lines.filter((text) => text !== '').map(toWellFormed);
        expect(read(inPieces(lines.map((text) => `${text}\n`).join(''), cuts)).lines).toEqual(wanted);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('that are too long are left out, told once each, and the next is read', () => {
    const { lines, tooLong } = read(
      inPieces(`{"id":7,${'x'.repeat(5_000)}\nshort\n${'y'.repeat(2_000)}\nlast\n`, [900, 3_000]),
    );
    expect(lines).toEqual(['short', 'last']);
    expect(tooLong.map((head) => head.slice(0, 8))).toEqual(['{"id":7,', 'yyyyyyyy']);
    expect(read([bytes(`${'z'.repeat(1_000)}\n`)]).lines).toHaveLength(1);
  });
});

/** A peer whose other side is this test. */
function peer() {
  const sent: { id?: number; method?: string; params?: unknown; result?: unknown; error?: unknown }[] = [];
  const garbage: string[] = [];
  const made = createRpcPeer({
    send: (message) => sent.push(JSON.parse(message)),
    onRequest: (method, params) => {
      if (method === 'fails') return Promise.reject(new Error('it broke'));
      return method === 'known' ? Promise.resolve({ params }) : null;
    },
    onNotification: () => undefined,
    onGarbage: (text) => garbage.push(text),
  });
  const { signal } = new AbortController();
  return { ...made, sent, garbage, ask: (more = signal) => made.request('go', {}, more) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a conversation', () => {
  it('gives each answer to its question, in any order, and passes by late ones', async () => {
    const { ask, receive } = peer();
    const [first, second] = [ask(), ask()];
    receive('[{"jsonrpc":"2.0","id":2,"result":"b"},{"jsonrpc":"2.0","id":99,"result":"x"}]');
    receive('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"not so"}}');
    receive('{"jsonrpc":"2.0","id":1,"result":"again"}');
    expect(await second).toBe('b');
    const error = await first.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: -32_602, message: 'not so' });
  });

  it('answers what is asked, and refuses what there is not', async () => {
    const { receive, sent } = peer();
    for (const [id, method] of [
      [1, 'known'],
      ['two', 'other'],
      [3, 'fails'],
    ] as const)
      receive(JSON.stringify({ jsonrpc: '2.0', id, method, params: { a: 1 } }));
    await settled();
    expect(sent.sort((a, b) => String(a.id).localeCompare(String(b.id)))).toMatchObject([
      { id: 1, result: { params: { a: 1 } } },
      { id: 3, error: { message: 'it broke' } },
      { id: 'two', error: { code: -32_601 } },
    ]);
  });

  it('tells the other side what is not waited for any more', async () => {
    const { ask, sent } = peer();
    const controller = new AbortController();
    const asked = ask(controller.signal);
    controller.abort();
    await expect(asked).rejects.toThrow('told to stop');
    expect(sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await expect(ask(AbortSignal.abort())).rejects.toThrow('told to stop');
    expect(sent).toHaveLength(2);
  });

  it('ends all that waits when it ends, and whatever is asked then', async () => {
    const { ask, close, receive } = peer();
    const asked = ask();
    close(new Error('it ended'));
    await expect(asked).rejects.toThrow('it ended');
    await expect(ask()).rejects.toThrow('it ended');
    receive('{"jsonrpc":"2.0","id":1,"result":1}');
  });

  it('loses a message that is too long for the question that it answers', async () => {
    const { ask, lose, receive } = peer();
    const [first, second] = [ask(), ask()];
    lose('{"jsonrpc":"2.0","id":2,"result":{"content":[{"te', new Error('too long'));
    receive('{"id":1,"result":"a"}');
    expect(await first).toBe('a');
    await expect(second).rejects.toThrow('too long');
  });

  it('throws for nothing that is sent', () => {
    const part = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .record({ id: fc.anything(), method: fc.anything(), params: fc.anything(), result: fc.anything() })
        .map((each) => {
          try {
            return JSON.stringify(each);
          } catch {
            return 'null'; // what JSON cannot say is no message
          }
        }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (texts) => {
        const { receive, ask, close } = peer();
        ask().catch(() => undefined);
        for (const each of texts) receive(each ?? '');
        close(new Error('over'));
      }),
      { seed: SEED, numRuns: 1_000 },
    );
  });
});
