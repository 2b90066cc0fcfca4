// What a session makes of background tasks: who is told of their end and when, who has them, what they leave.
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseRule } from '../../src/permissions/rule.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { query } from '../../src/sdk/query.js';
import type { QueryEngine } from '../../src/session/query-engine.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { getTools } from '../../src/tools/builtin.js';
import { agent, delegate, modelOfAgents, resultOf, systemMessages } from '../support/agents.js';
import { inBackground, lastTexts, taskId, until } from '../support/background-tasks.js';
import { probeTool, testEngine } from '../support/engine.js';

const NEVER = new AbortController().signal;

/** Settles once no task of the session runs. */
const idle = (engine: () => QueryEngine) => expect.poll(() => engine().backgroundTasks(), { interval: 5 }).toEqual([]);

/** Lets a task end that waits for it, and waits until none runs: one that ends by itself may do so before the next request is built. */
function ended(folder: string, engine: () => QueryEngine): Promise<void> {
  writeFileSync(path.join(folder, 'go'), '');
  return idle(engine);
}

const outputFile = (message: SDKMessage | undefined) =>
  message !== undefined && 'output_file' in message ? message.output_file : '';

const newsIn = (texts: readonly string[]) => texts.filter((said) => said.startsWith('[Background task '));

describe('the end of a background task', () => {
  it('is told between two turns, once, as what nobody typed', async () => {
    const model = scriptedModel([
      inBackground(until('go')),
      () => ({ blocks: [toolCall('Probe', {})], waitFor: ended(folder, () => engine) }),
      toolCall('Probe', {}),
      text('heard'),
    ]);
    const { engine, folder } = await testEngine(model, { tools: [...(await getTools()), probeTool()] });
    const messages = await collect(engine.submitMessage('Go.'));
    model.assertDone();
    const news = newsIn(lastTexts(model, 2));
    expect(news).toHaveLength(1);
    expect(news[0]).toMatch(
      /^\[Background task b[0-9a-f]{8} \(the job\) ended after .* with exit code 0\. Its output: /,
    );
    expect(newsIn(lastTexts(model, 3))).toEqual([]);
    const meta = engine.getMessages().filter((message) => message.type === 'user' && message.isMeta === true);
    expect(JSON.stringify(meta)).toContain('[Background task');
    expect(systemMessages(messages, 'task_notification')).toMatchObject([{ status: 'completed' }]);
    expect(await engine.taskEnded(NEVER)).toBe(false);
  });

  it('that TaskStop finds is not told once more', async () => {
    const model = scriptedModel([
      inBackground(until('go')),
      () => ({
        blocks: [toolCall('TaskStop', { task_id: taskId(model, 1) })],
        waitFor: ended(folder, () => engine),
      }),
      text('done'),
    ]);
    const { engine, folder } = await testEngine(model, { tools: await getTools() });
    await collect(engine.submitMessage('Go.'));
    expect(lastTexts(model, 2)).toEqual([expect.stringContaining('had ended before: it ended after')]);
    expect(await engine.taskEnded(NEVER)).toBe(false);
  });

  it('goes along with the next prompt if the last one failed: the engine says nothing by itself then', async () => {
    const model = scriptedModel([inBackground('exit 4'), text('heard')]);
    const { engine } = await testEngine(model, { tools: await getTools(), maxTurns: 1 });
    expect(lastResult(await collect(engine.submitMessage('Go.')))).toMatchObject({ subtype: 'error_max_turns' });
    await idle(() => engine);
    expect(await engine.taskEnded(NEVER)).toBe(false);
    await collect(engine.submitMessage('And?'));
    expect(newsIn(lastTexts(model, 1))).toMatchObject([expect.stringContaining('exit code 4')]);
  });

  it('does not withdraw calls that wait for a decision', async () => {
    const model = scriptedModel([inBackground('exit 0'), toolCall('Write', { file_path: 'x', content: '' })]);
    const { engine } = await testEngine(model, {
      tools: await getTools(),
      canUseTool: undefined,
      deferPermissions: true,
      permissions: { mode: 'default', roots: ['/nowhere'], deny: [], ask: [], allow: [parseRule('Bash')] },
    });
    expect(lastResult(await collect(engine.submitMessage('Go.')))).toMatchObject({ terminal_reason: 'tool_deferred' });
    await idle(() => engine);
    expect(await engine.taskEnded(NEVER)).toBe(false);
    expect(await engine.deferredCalls()).toHaveLength(1);
  });

  it('begins prompts of the engine without end only until the user is asked for', async () => {
    let started = 0;
    const model = scriptedModel(({ messages }) => {
      if (!JSON.stringify(messages.at(-1)).includes('tool_result'))
        return inBackground(`until [ -e go${++started} ]; do sleep 0.002; done`);
      // It ends once no request of this prompt is left that could tell of it.
      writeFileSync(path.join(folder, `go${started}`), '');
      return text('again');
    });
    const { engine, folder } = await testEngine(model, { tools: await getTools() });
    await collect(engine.submitMessage('Go.'));
    let rounds = 0;
    while (await engine.taskEnded(NEVER)) {
      await collect(engine.submitTaskNews());
      rounds += 1;
    }
    expect(rounds).toBe(50);
  });
});

describe('the background task of a subagent', () => {
  it('goes on after the agent, and is then its caller’s', async () => {
    const model = modelOfAgents({
      main: [
        delegate('builder', 'Build.', {}, 'toolu_main'),
        () => ({ blocks: [toolCall('Probe', {})], waitFor: ended(folder, () => engine) }),
        text('done'),
      ],
      builder: [inBackground(until('go')), text('It builds.')],
    });
    const { engine, folder } = await testEngine(model, {
      tools: [...(await getTools()), probeTool()],
      agents: [agent('builder')],
    });
    const messages = await collect(engine.submitMessage('Go.'));
    const id = taskId({ requests: model.asked['builder'] ?? [] }, 1);
    expect(resultOf(messages, 'toolu_main').text).toContain(
      `[Background tasks that it left running, which are yours now: ${id} (the job).]`,
    );
    const main = { requests: model.asked['main'] ?? [] };
    expect(newsIn(lastTexts(main, 2))).toMatchObject([
      expect.stringContaining(`[Background task ${id} (the job) ended`),
    ]);
  });

  it('is told to the agent while it works, and is not seen by others', async () => {
    let id = '';
    const model = modelOfAgents({
      main: [reply(delegate('builder', 'Build.'), delegate('other', 'Look.')), text('done')],
      builder: [
        inBackground(until('go')),
        (request) => {
          id = taskId({ requests: [request] }, 0);
          return { blocks: [toolCall('Probe', {})], waitFor: ended(folder, () => engine) };
        },
        text('built'),
      ],
      other: [
        async () => {
          await expect.poll(() => id, { interval: 5 }).not.toBe('');
          return toolCall('TaskOutput', { task_id: id, block: false });
        },
        text('nothing'),
      ],
    });
    const { engine, folder } = await testEngine(model, {
      tools: [...(await getTools()), probeTool()],
      agents: [agent('builder'), agent('other')],
    });
    await collect(engine.submitMessage('Go.'));
    expect(newsIn(lastTexts({ requests: model.asked['builder'] ?? [] }, 2))).toHaveLength(1);
    expect(lastTexts({ requests: model.asked['other'] ?? [] }, 1)[0]).toContain(`There is no task ${id} here.`);
    expect(newsIn(lastTexts({ requests: model.asked['main'] ?? [] }, 1))).toEqual([]);
  });
});

describe('a session that is resumed', () => {
  it('is told which tasks ended with its earlier run, once, and where their output is', async () => {
    const first = scriptedModel([
      inBackground('exit 0'),
      () => toolCall('TaskOutput', { task_id: taskId(first, 1) }),
      inBackground('echo begun; sleep 600'),
      text('started'),
    ]);
    const { engine, folder, home } = await testEngine(first, { tools: await getTools() });
    const { session_id: sessionId } = lastResult(await collect(engine.submitMessage('Go.')));
    const id = taskId(first, 3);
    await engine.close();
    const second = scriptedModel([
      toolCall('TaskOutput', { task_id: id }),
      (request) => {
        expect(JSON.stringify(request.messages.at(-1))).toContain(
          `Task ${id} ended with an earlier run of this session`,
        );
        return text('gone');
      },
      text('still'),
    ]);
    const options = {
      provider: second,
      cwd: folder,
      env: { TURNWRIGHT_HOME: home },
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    } as const;
    await collect(query({ prompt: 'And?', options: { ...options, resume: sessionId } }));
    expect(newsIn(lastTexts(second, 0))).toEqual([
      `[Background task ${id} ended with the earlier run of this session, and what it had not done by then is not done. TaskOutput says where its output is.]`,
    ]);
    await collect(query({ prompt: 'And now?', options: { ...options, resume: sessionId } }));
    expect(newsIn(lastTexts(second, 2))).toEqual([]);
    second.assertDone();
  });
});

describe('what a task prints', () => {
  it('has no secrets, neither for the model nor in the file', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const model = scriptedModel([
      inBackground(`cat secret.txt; ${until('go')}`),
      () => toolCall('TaskOutput', { task_id: taskId(model, 1), block: false }),
      () => {
        writeFileSync(path.join(folder, 'go'), '');
        return toolCall('TaskOutput', { task_id: taskId(model, 1) });
      },
      text('seen'),
    ]);
    const { engine, folder } = await testEngine(model, { tools: await getTools() });
    writeFileSync(path.join(folder, 'secret.txt'), `token ${secret}\n`);
    const messages = await collect(engine.submitMessage('Go.'));
    expect(JSON.stringify(model.requests)).not.toContain(secret);
    expect(JSON.stringify(model.requests)).toContain('token ');
    const [ended] = systemMessages(messages, 'task_notification');
    const written = await readFile(outputFile(ended), 'utf8');
    expect(written).toContain('token ');
    expect(written).not.toContain(secret);
  });

  it('is shown in its middle parts by the file alone if it is long, and never twice', async () => {
    const model = scriptedModel([
      inBackground('seq 1 20000; echo last'),
      () => toolCall('TaskOutput', { task_id: taskId(model, 1) }),
      () => toolCall('TaskOutput', { task_id: taskId(model, 1) }),
      text('seen'),
    ]);
    const { engine } = await testEngine(model, { tools: await getTools() });
    const messages = await collect(engine.submitMessage('Go.'));
    const [shown = ''] = lastTexts(model, 2);
    expect(shown).toMatch(/\n1\n2\n[\s\S]* bytes omitted; all of the output is in [\s\S]*\n20000\nlast\n/);
    expect(shown.length).toBeLessThan(31_000);
    expect(lastTexts(model, 3)[0]).toContain('(nothing printed since it was read last)');
    const [ended] = systemMessages(messages, 'task_notification');
    expect((await readFile(outputFile(ended), 'utf8')).split('\n')).toHaveLength(20_002);
  });
});

it('a rewind says that what a task changed later is not covered', async () => {
  const model = scriptedModel([
    inBackground(`${until('go')}; echo new > made`),
    () => {
      writeFileSync(path.join(folder, 'go'), '');
      return toolCall('TaskOutput', { task_id: taskId(model, 1) });
    },
    text('done'),
  ]);
  const { engine, folder } = await testEngine(model, { tools: await getTools(), enableFileCheckpointing: true });
  await collect(engine.submitMessage('Go.', { uuid: '11111111-1111-4111-8111-111111111111' }));
  const rewound = await engine.rewindFiles('11111111-1111-4111-8111-111111111111');
  expect(rewound.notCovered?.map(({ reason }) => reason)).toContain('in_background');
  expect(rewound.filesChanged).not.toContain(path.join(folder, 'made'));
});
