// A conversation in JSON-RPC: whatever comes, no throw, and each question has its answer.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRpcPeer } from '../../../src/mcp/client/rpc-peer.js';
import { RpcError } from '../../../src/mcp/transport.js';
import { SEED } from '../../support/figures.js';

/** A peer whose other side is this test. */
function peer() {
  const sent: { id?: number; method?: string; params?: unknown; result?: unknown; error?: unknown }[] = [];
  const garbage: string[] = [];
  const made = createRpcPeer({
    send: (message) => sent.push(JSON.parse(JSON.stringify(message))),
    onRequest: (method, params, signal) => {
      if (method === 'waits')
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('taken back'))));
      if (method === 'fails') return Promise.reject(new Error('it broke'));
      return method === 'known' ? Promise.resolve({ params }) : null;
    },
    onNotification: () => undefined,
    onGarbage: (text) => garbage.push(text),
  });
  const { signal } = new AbortController();
  const receive = (text: string) => made.receive(parsed(text));
  return { ...made, receive, sent, garbage, ask: (more = signal) => made.request('go', {}, { signal: more }) };
}

/** What is no JSON does not reach a peer: its transport tells it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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

  it('hears how far its questions are, and no others', async () => {
    const { request, receive, sent } = peer();
    const heard: unknown[] = [];
    const { signal } = new AbortController();
    const asked = request('go', { a: 1 }, { signal, onProgress: (progress) => heard.push(progress) });
    expect(sent[0]).toMatchObject({ params: { a: 1, _meta: { progressToken: 1 } } });
    const tell = (params: object) => receive(JSON.stringify({ method: 'notifications/progress', params }));
    tell({ progressToken: 1, progress: 1, total: 2, message: 'half' });
    tell({ progressToken: 7, progress: 1 });
    tell({ progressToken: [1], progress: 1 });
    tell({ progressToken: 1, progress: 'much' });
    receive('{"id":1,"result":"done"}');
    tell({ progressToken: 1, progress: 2 });
    expect(await asked).toBe('done');
    expect(heard).toEqual([{ progress: 1, total: 2, message: 'half' }]);
  });

  it('gives no answer to what was taken back', async () => {
    const { receive, sent } = peer();
    receive('{"id":1,"method":"waits"}');
    receive('{"method":"notifications/cancelled","params":{"requestId":1}}');
    await settled();
    expect(sent).toEqual([]);
  });

  it('throws for nothing that comes', () => {
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
