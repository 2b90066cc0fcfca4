// snipReplay when a session that was compacted is resumed.
import { describe, expect, it } from 'vitest';
import { getCommands } from '../../../src/context/slash-commands.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { SDKCompactBoundaryMessage } from '../../../src/protocol/system-messages.js';
import type { QueryEngineConfig } from '../../../src/session/config/config.js';
import { resumeSession } from '../../../src/session/store/resume.js';
import { placeIn, projectFolder } from '../../../src/session/store/session-places.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { text } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder, testEngine } from '../../support/engine.js';
import { isSummaryRequest } from '../../support/summary-request.js';

/** A session of one prompt, compacted or not, and what resumes it. */
async function kept(prompts: readonly string[]): Promise<Partial<QueryEngineConfig>> {
  const host = createNodeHost();
  const cwd = await temporaryFolder();
  const sessionId = host.ids.uuid();
  const model = scriptedModel((request) => text(isSummaryRequest(request) ? '<summary>We greeted.</summary>' : 'ok'));
  const { engine, home } = await testEngine(model, { cwd, sessionId, commands: await getCommands() });
  for (const prompt of prompts) await collect(engine.submitMessage(prompt));
  await engine.close();
  const resumed = await resumeSession(host, placeIn(await projectFolder(host, home, cwd), sessionId));
  return {
    cwd,
    sessionId,
    env: { TURNWRIGHT_HOME: home },
    initialMessages: resumed.messages,
    resumedFrom: resumed.lastUuid,
    resumedState: resumed.state,
  };
}

describe('snipReplay of a resumed session', () => {
  it('is asked once, with the boundary, and what it gives is gone on with', async () => {
    const boundaries: SDKCompactBoundaryMessage[] = [];
    const model = scriptedModel([text('ok'), text('ok')]);
    const { engine } = await testEngine(model, {
      ...(await kept(['hello', '/compact'])),
      snipReplay(boundary, store) {
        boundaries.push(boundary);
        expect(store[0]).toMatchObject({ isCompactSummary: true });
        return {
          executed: true,
          messages: [{ uuid: boundary.uuid, type: 'user', message: { role: 'user', content: 'Mine.' } }],
        };
      },
    });
    for (const prompt of ['go on', 'and on']) await collect(engine.submitMessage(prompt));
    expect(boundaries).toEqual([
      expect.objectContaining({
        subtype: 'compact_boundary',
        summary: 'We greeted.',
        compact_metadata: { trigger: 'manual', pre_tokens: expect.any(Number), post_tokens: expect.any(Number) },
      }),
    ]);
    expect(boundaries[0]?.compact_metadata.pre_tokens).toBeGreaterThan(0);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('Mine.');
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('We greeted.');
  });

  it('is not asked if nothing was compacted', async () => {
    const { engine } = await testEngine(scriptedModel([text('ok')]), {
      ...(await kept(['hello'])),
      snipReplay: () => expect.unreachable(),
    });
    expect(lastResult(await collect(engine.submitMessage('go on'))).subtype).toBe('success');
  });
});
