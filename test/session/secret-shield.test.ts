import { describe, expect, it } from 'vitest';
import type { MessageParam } from '../../src/protocol/content.js';
import type { ModelRequest, Provider } from '../../src/providers/provider.js';
import { shieldSecrets } from '../../src/session/secret-shield.js';
import { testVault } from '../support/test-vault.js';

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
  const ask = async (messages: readonly MessageParam[]): Promise<readonly MessageParam[]> => {
    const request: ModelRequest = { model: 'm', system: [], tools: [], messages, maxTokens: 100 };
    for await (const _ of shield.stream(request, LIMITS, new AbortController().signal));
    return asked.at(-1)?.messages ?? [];
  };
  return { ask };
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

  it('gets messages without one as the very same objects', async () => {
    const { ask } = shielded();
    const messages = [said('one'), said('two')];
    expect((await ask(messages))[1]).toBe(messages[1]);
    expect((await ask([...messages, said(SECRET)]))[1]).toBe(messages[1]);
  });
});
