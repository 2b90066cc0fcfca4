import { describe, expect, it } from 'vitest';
import type { MessageParam } from '../../../src/protocol/content.js';
import type { ModelRequest, Provider } from '../../../src/providers/contract/provider.js';
import { shieldSecrets } from '../../../src/session/secrets/session-vault.js';
import { testVault } from '../../support/test-vault.js';

const SECRET = 'correct-horse-battery-staple-9';
const LIMITS = { requestTimeoutMs: 1_000, streamIdleMs: 1_000 };

const said = (content: string): MessageParam => ({ role: 'user', content });

/** A provider that answers nothing, and what it was asked. */
function shielded() {
  const asked: ModelRequest[] = [];
  const provider: Provider = {
    id: 'asked',
    async *stream(request) {
      asked.push(request);
      yield* [];
    },
  };
  const shield = shieldSecrets(provider, testVault(new Map([[SECRET, 'password']])));
  const send = async (parts: Partial<ModelRequest>): Promise<ModelRequest | undefined> => {
    const request: ModelRequest = { model: 'm', system: [], tools: [], messages: [], maxTokens: 100, ...parts };
    for await (const _ of shield.stream(request, LIMITS, new AbortController().signal));
    return asked.at(-1);
  };
  const ask = async (messages: readonly MessageParam[]): Promise<readonly MessageParam[]> =>
    (await send({ messages }))?.messages ?? [];
  return { send, ask };
}

describe('a shielded provider', () => {
  it('gets no secret, wherever in a conversation that began without one', async () => {
    const { ask } = shielded();
    const clean = Array.from({ length: 6 }, (_, at) => said(`message ${at}`));
    expect(await ask(clean)).toEqual(clean);
    for (const at of [0, 3, 5, 6]) {
      const sent = await ask(clean.toSpliced(at, 1, said(`The password is ${SECRET}.`)));
      expect(JSON.stringify(sent)).not.toContain(SECRET);
      expect(sent).toHaveLength(Math.max(6, at + 1));
      expect(await ask(clean)).toEqual(clean);
    }
  });

  it('gets none of a list that grew, or changed, since it was sent', async () => {
    const { ask } = shielded();
    const messages = [said('one'), said('two'), said('three')];
    await ask(messages);
    messages.push(said(SECRET));
    expect(JSON.stringify(await ask(messages))).not.toContain(SECRET);
    messages.pop();
    await ask(messages);
    messages[1] = said(SECRET);
    expect(JSON.stringify(await ask(messages))).not.toContain(SECRET);
  });

  it('gets none in what a server says of its tools, and other tools as the very same objects', async () => {
    const { send } = shielded();
    const tool = (name: string, description: string, about: string) => ({
      name,
      description,
      input_schema: { type: 'object', properties: { model: { type: 'string', description: about } } },
    });
    const tools = [tool('a', 'Reads.', 'a model'), tool('b', `Logs in with ${SECRET}.`, `never ${SECRET}`)];
    const sent = (await send({ tools, messages: [said('x')] }))?.tools ?? [];
    expect(JSON.stringify(sent)).not.toContain(SECRET);
    expect(JSON.stringify(sent).match(/\{secret:/g)).toHaveLength(2);
    expect(sent[0]).toBe(tools[0]);
    expect((await send({ tools, messages: [said('x'), said('y')] }))?.tools[1]).toBe(sent[1]);
  });

  it('gets messages without one as the very same objects', async () => {
    const { ask } = shielded();
    const messages = [said('one'), said('two')];
    expect((await ask(messages))[1]).toBe(messages[1]);
    expect((await ask([...messages, said(SECRET)]))[1]).toBe(messages[1]);
  });
});
