// What a conversation knows of background tasks after it was cleared, set back, compacted or resumed.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getCommands } from '../../../src/context/slash-commands.js';
import { query } from '../../../src/sdk/query.js';
import type { QueryEngine } from '../../../src/session/query-engine.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { getTools } from '../../../src/tools/builtin.js';
import { agent, delegate, modelOfAgents } from '../../support/agents.js';
import { allTexts, inBackground, lastTexts, taskId, until } from '../../support/background-tasks.js';
import { testEngine } from '../../support/engine.js';

const PROMPT_ID = '11111111-1111-4111-8111-111111111111';
const idle = (engine: QueryEngine) => expect.poll(() => engine.backgroundTasks(), { interval: 5 }).toEqual([]);
const about = (texts: readonly string[]) => texts.filter((said) => /^\[?Background task/.test(said));

/** What the first request of a session that goes on with another says of tasks, in whichever of its messages. */
async function resumedTexts(sessionId: string, cwd: string, home: string): Promise<readonly string[]> {
  const model = scriptedModel([text('gone')]);
  const options = { provider: model, cwd, env: { TURNWRIGHT_HOME: home }, resume: sessionId } as const;
  await collect(query({ prompt: 'And?', options }));
  return about(allTexts(model, 0));
}

describe('a conversation', () => {
  it('that was cleared is told which tasks run, once', async () => {
    const model = scriptedModel([inBackground('sleep 600'), text('started'), text('new'), text('more')]);
    const { engine } = await testEngine(model, { tools: await getTools(), commands: await getCommands() });
    await collect(engine.submitMessage('Go.'));
    const id = taskId(model, 1);
    for (const prompt of ['/clear', 'And?', 'And now?']) await collect(engine.submitMessage(prompt));
    expect(about(lastTexts(model, 2))).toEqual([
      `Background tasks that run (TaskOutput reads them, TaskStop stops them):\n\n${id}: the job`,
    ]);
    expect(about(lastTexts(model, 3))).toEqual([]);
    model.assertDone();
  });

  it('that was set back to before an end was told is told again', async () => {
    const job = inBackground(`${until('go')}; exit 3`);
    const model = scriptedModel([job, text('started'), text('heard'), text('again'), text('more')]);
    const { engine, folder } = await testEngine(model, { tools: await getTools() });
    await collect(engine.submitMessage('Go.'));
    writeFileSync(path.join(folder, 'go'), '');
    await idle(engine);
    await collect(engine.submitMessage('And?', { uuid: PROMPT_ID }));
    expect(about(lastTexts(model, 2))).toHaveLength(1);
    expect(await engine.rewind(PROMPT_ID, { scope: 'conversation' })).toMatchObject({ status: 'success' });
    for (const prompt of ['And?', 'And now?']) await collect(engine.submitMessage(prompt));
    expect(about(lastTexts(model, 3))).toMatchObject([expect.stringContaining('exit code 3')]);
    expect(about(lastTexts(model, 4))).toEqual([]);
  });

  it('that was set back to before a task is told that it runs', async () => {
    const model = scriptedModel([inBackground('sleep 600'), text('started'), text('again')]);
    const { engine } = await testEngine(model, { tools: await getTools() });
    await collect(engine.submitMessage('Go.', { uuid: PROMPT_ID }));
    const id = taskId(model, 1);
    await engine.rewind(PROMPT_ID, { scope: 'conversation' });
    await collect(engine.submitMessage('Go on.'));
    expect(about(lastTexts(model, 2))).toMatchObject([expect.stringContaining(`${id}: the job`)]);
  });

  it('that was compacted while a task ran knows after a resume that it is gone', async () => {
    const model = scriptedModel([
      inBackground('sleep 600'),
      text('started'),
      text('<summary>A job was begun.</summary>'),
    ]);
    const { engine, folder, home } = await testEngine(model, {
      tools: await getTools(),
      commands: await getCommands(),
    });
    const { session_id: sessionId } = lastResult(await collect(engine.submitMessage('Go.')));
    const id = taskId(model, 1);
    await collect(engine.submitMessage('/compact'));
    model.assertDone();
    expect(JSON.stringify(engine.getMessages())).not.toContain('Started in the background');
    await engine.close();
    // The newest message stands behind the summary with the pins, or does not: that hangs on how long the ids happen to be.
    const [pinned, gone] = await resumedTexts(sessionId, folder, home);
    expect(pinned).toContain(`${id}: the job`);
    expect(gone).toContain(`[Background task ${id} ended with the earlier run`);
  });

  it('knows after a resume that tasks of its agents are gone', async () => {
    const model = modelOfAgents({
      main: [reply(delegate('builder', 'Build.')), text('done')],
      builder: [inBackground('sleep 600'), text('It builds.')],
    });
    const { engine, folder, home } = await testEngine(model, {
      tools: await getTools(),
      agents: [agent('builder')],
    });
    const { session_id: sessionId } = lastResult(await collect(engine.submitMessage('Go.')));
    const id = taskId({ requests: model.asked['builder'] ?? [] }, 1);
    await engine.close();
    expect(await resumedTexts(sessionId, folder, home)).toMatchObject([
      expect.stringContaining(`[Background task ${id} ended with the earlier run`),
    ]);
  });
});
