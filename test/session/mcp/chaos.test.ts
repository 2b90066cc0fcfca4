// Servers that misbehave, over each transport: whatever one does, the prompt comes to its end, the model hears what
// happened, nobody takes a server for the engine, and nothing is left of it.
import { describe, expect, it } from 'vitest';
import { lastResult } from '../../../src/testing/model/collect.js';
import { CHAOS_KINDS, CHAOS_TRANSPORTS, chaosResults, chaosSession } from '../../support/chaos-servers.js';

describe.each(Object.keys(CHAOS_TRANSPORTS))('over %s', (transport) => {
  it.each(Object.keys(CHAOS_KINDS))('a server that misbehaves: %s', async (kind) => {
    const { server, model, engine, submit } = await chaosSession(transport, kind);
    const first = await submit('go');
    expect(lastResult(first)).toMatchObject({ subtype: 'success', result: 'one' });
    expect(chaosResults(first)).toEqual([expect.stringMatching(CHAOS_KINDS[kind] as RegExp)]);
    const names = model.requests[0]?.tools?.map(({ name }) => name) ?? [];
    expect(new Set(names).size).toBe(names.length);
    // Nothing of a server is called as a tool of the engine is.
    expect(names.filter((name) => !name.startsWith('mcp__s__'))).toEqual([]);
    expect(names).toHaveLength({ many: 400, collide: 2, imitate: 3 }[kind] ?? 1);
    const system = JSON.stringify(model.requests[0]?.system);
    expect(system.split('</server-instructions>').length).toBe(kind === 'inject' ? 2 : 1);
    const second = await submit('go on');
    expect(lastResult(second)).toMatchObject({ subtype: 'success', result: 'two' });
    await engine.close();
    expect(server.alive()).toBe(0);
  });
});
