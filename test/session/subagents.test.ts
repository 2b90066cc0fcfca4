// Subagents over the scripted model: what they get, how they run beside each other, how they end, what is kept.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import { ModelError } from '../../src/protocol/errors.js';
import type { HookInput } from '../../src/protocol/hooks.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { getSubagentMessages, listSubagents } from '../../src/sdk/sessions.js';
import { resumeSession } from '../../src/session/store/resume.js';
import { placeIn } from '../../src/session/store/session-places.js';
import { fakeHost } from '../../src/testing/fake-host.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { agentTool } from '../../src/tools/agent.js';
import { getTools } from '../../src/tools/builtin.js';
import { agent, delegate, modelOfAgents, resultOf, systemMessages } from '../support/agents.js';
import { probeTool, testEngine } from '../support/engine.js';
import { checkFoldedStreams } from '../support/soak/folded-streams.js';

const parentOf = (message: SDKMessage) =>
  message.type === 'assistant' || message.type === 'user' ? message.parent_tool_use_id : undefined;

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe('a subagent', () => {
  it('has its own history, prompt and tools, and its last text is the result of the call', async () => {
    const model = modelOfAgents({
      main: [delegate('counter', 'Count the files.', {}, 'toolu_main'), text('Three files.')],
      counter: [reply(text('Looking.'), toolCall('Probe', { value: 'a' }, 'toolu_child')), text('There are 3.')],
    });
    const { engine, folder } = await testEngine(model, {
      tools: [agentTool, probeTool(), probeTool({ name: 'Other' })],
      agents: [agent('counter', { tools: ['Probe'] })],
    });
    const messages = await collect(engine.submitMessage('How many files are there? The word is swordfish.'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'Three files.', num_turns: 2 });
    expect(resultOf(messages, 'toolu_main')).toEqual({
      text: 'There are 3.',
      isError: false,
      data: { result: 'There are 3.', agent: 'counter' },
    });
    const [first] = model.asked.counter ?? [];
    expect(first?.messages).toEqual([{ role: 'user', content: 'Count the files.' }]);
    expect(first?.tools.map((tool) => tool.name)).toEqual(['Probe']);
    const system = first?.system.map((block) => block.text).join('\n') ?? '';
    expect(system).toContain(`Working directory: ${folder}`);
    expect(system).toContain('# You are a subagent');
    expect(system).not.toContain('swordfish');
    // What the agent said is not part of the conversation that called it.
    expect(JSON.stringify(model.asked.main?.[1]?.messages)).not.toContain('Looking.');
  });

  it('is shown in the stream by its messages, with the call as parent, and no init or result of its own', async () => {
    const model = modelOfAgents({
      main: [delegate(null, 'Help.', {}, 'toolu_main'), text('Done.')],
      general: [reply(text('Looking.'), toolCall('Probe', {}, 'toolu_child')), text('Helped.')],
    });
    const { engine } = await testEngine(model, { tools: [agentTool, probeTool()], includePartialMessages: true });
    const messages = await collect(engine.submitMessage('go'));
    const shown = messages
      .filter((message) => message.type !== 'stream_event' && !('status' in message && message.status === 'requesting'))
      .map((message) => [message.type, 'subtype' in message ? message.subtype : parentOf(message)]);
    expect(shown).toEqual([
      ['system', 'init'],
      ['assistant', null],
      ['system', 'task_started'],
      ['assistant', 'toolu_main'],
      ['system', 'task_progress'],
      ['user', 'toolu_main'],
      ['assistant', 'toolu_main'],
      ['system', 'task_notification'],
      ['user', null],
      ['assistant', null],
      ['result', 'success'],
    ]);
    const [started] = systemMessages(messages, 'task_started');
    const [progress] = systemMessages(messages, 'task_progress');
    const [ended] = systemMessages(messages, 'task_notification');
    const run_id = (started as { run_id?: string }).run_id ?? 'none';
    const task = { task_id: expect.stringMatching(/^a[0-9a-f]{16}$/), run_id, tool_use_id: 'toolu_main' };
    expect(started).toMatchObject({
      ...task,
      description: 'ask anyone',
      subagent_type: 'general-purpose',
      task_type: 'local_agent',
      prompt: 'Help.',
      is_backgrounded: false,
      spawn_depth: 1,
    });
    expect(started).not.toHaveProperty('parent_task_id');
    expect(progress).toMatchObject({ ...task, last_tool_name: 'Probe', usage: { tool_uses: 1 } });
    expect(ended).toMatchObject({ ...task, status: 'completed', summary: 'Helped.', usage: { tool_uses: 1 } });
    // Events of a subagent are not shown: whoever folds them without looking at the parent would mix two replies.
    expect(new Set(messages.flatMap((m) => (m.type === 'stream_event' ? [m.parent_tool_use_id] : [])))).toEqual(
      new Set([null]),
    );
  });

  it('keeps todos and the files it saw to itself', async () => {
    const model = modelOfAgents({
      main: [
        toolCall('Read', { file_path: 'a.txt' }),
        toolCall('TodoWrite', { todos: [{ content: 'mine', status: 'pending' }] }),
        delegate(null, 'Read it.'),
        toolCall('Read', { file_path: 'a.txt' }, 'toolu_again'),
        text('Done.'),
      ],
      general: [
        toolCall('Read', { file_path: 'a.txt' }, 'toolu_child'),
        toolCall('TodoWrite', { todos: [{ content: 'its own', status: 'pending' }] }),
        text('Read.'),
      ],
    });
    const { engine, folder } = await testEngine(model, { tools: await getTools() });
    await writeFile(path.join(folder, 'a.txt'), 'one\n');
    const messages = await collect(engine.submitMessage('go'));
    expect(resultOf(messages, 'toolu_child').data).toMatchObject({ type: 'text' });
    expect(resultOf(messages, 'toolu_again').data).toMatchObject({ type: 'file_unchanged' });
  });

  it('runs with the model, effort and turns of its definition; a call may name another model', async () => {
    const model = modelOfAgents({
      main: [
        reply(
          delegate('careful', 'One.'),
          delegate('careful', 'Two.', { model: 'third' }),
          delegate('plain', 'Three.'),
        ),
        text('Done.'),
      ],
      careful: text('ok'),
      plain: text('ok'),
    });
    const { engine } = await testEngine(model, {
      tools: [agentTool],
      agents: [agent('careful', { model: 'second', effort: 'high' }), agent('plain', { model: 'inherit' })],
      userSpecifiedModel: 'first',
    });
    lastResult(await collect(engine.submitMessage('go')));
    const careful = (model.asked.careful ?? []).map((request) => [request.model, request.effort]);
    expect(careful.sort()).toEqual([
      ['second', 'high'],
      ['third', 'high'],
    ]);
    expect(model.asked.plain?.[0]).toMatchObject({ model: 'first', effort: undefined });
  });
});

describe('several subagents', () => {
  it('of one reply run at the same time; their messages come as they come, their results in order', async () => {
    const fastIsDone = gate();
    const slowHasBegun = gate();
    const model = modelOfAgents({
      main: [reply(delegate('slow', 'One.', {}, 'toolu_1'), delegate('fast', 'Two.', {}, 'toolu_2')), text('Both.')],
      // The first cannot end before the second has: alone, it would never.
      slow: [toolCall('Probe', {}), { ...reply(text('slow is done')), waitFor: fastIsDone.opened }],
      fast: [toolCall('Probe', {}), { ...reply(text('fast is done')), waitFor: slowHasBegun.opened }],
    });
    const { engine } = await testEngine(model, {
      tools: [agentTool, probeTool()],
      agents: [agent('slow'), agent('fast')],
    });
    const messages: SDKMessage[] = [];
    for await (const message of engine.submitMessage('go')) {
      messages.push(message);
      if (message.type === 'system' && message.subtype === 'task_notification') fastIsDone.open();
      if (parentOf(message) === 'toolu_1') slowHasBegun.open();
    }
    const ended = systemMessages(messages, 'task_notification').map((m) => 'tool_use_id' in m && m.tool_use_id);
    expect(ended).toEqual(['toolu_2', 'toolu_1']);
    const results = messages.flatMap((m) => (m.type === 'user' && m.parent_tool_use_id === null ? [m] : []));
    expect(results.map((m) => m.tool_use_result)).toEqual([
      { result: 'slow is done', agent: 'slow' },
      { result: 'fast is done', agent: 'fast' },
    ]);
    const order = messages.flatMap((m) => (parentOf(m) == null ? [] : [parentOf(m)]));
    expect(order.lastIndexOf('toolu_1')).toBeGreaterThan(order.lastIndexOf('toolu_2'));
    expect(order.indexOf('toolu_1')).toBeLessThan(order.lastIndexOf('toolu_2'));
  });

  it('are as many as one reply asks for, without a warning of the process', async () => {
    const warnings: Error[] = [];
    const heed = (warning: Error) => void warnings.push(warning);
    process.on('warning', heed);
    onTestFinished(() => void process.off('warning', heed));
    const calls = Array.from({ length: 12 }, (_, index) => delegate(null, `Task ${index}.`, {}, `toolu_${index}`));
    const model = modelOfAgents({
      main: [reply(...calls), text('Done.')],
      general: (request) => text(String(request.messages[0]?.content)),
    });
    const { engine } = await testEngine(model, { tools: [agentTool] });
    const messages = await collect(engine.submitMessage('go'));
    await new Promise((resolve) => setImmediate(resolve));
    for (let index = 0; index < 12; index++) expect(resultOf(messages, `toolu_${index}`).text).toBe(`Task ${index}.`);
    expect(warnings).toEqual([]);
  });

  it('never start before the reply that asks for them is whole', async () => {
    const { engine } = await testEngine(
      modelOfAgents({
        main: [
          { ...reply(delegate(null, 'Help.'), text('x'.repeat(400))), cutAfterEvents: 12 },
          text('Without help then.'),
        ],
        general: [],
      }),
      { tools: [agentTool] },
    );
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages).result).toBe('Without help then.');
    expect(systemMessages(messages, 'task_started')).toEqual([]);
  });

  it('wait for whoever reads the stream: none is ahead by more than a message', async () => {
    const runs: string[] = [];
    const model = modelOfAgents({
      main: [delegate(null, 'Go on.', {}, 'toolu_main'), text('Done.')],
      general: (_request, turn) => (turn < 20 ? toolCall('Probe', { value: String(turn) }) : text('tired')),
    });
    const probe = probeTool({
      run: async (input) => {
        runs.push(input.value ?? '');
        return `ran ${input.value}`;
      },
    });
    const { engine } = await testEngine(model, { tools: [agentTool, probe] });
    let seen = 0;
    for await (const message of engine.submitMessage('go')) {
      if (message.type !== 'assistant' || message.parent_tool_use_id === null) continue;
      // The reader is slow: the agent gets every chance to run on.
      for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
      expect(runs.length).toBeLessThanOrEqual(seen);
      seen += 1;
    }
    expect(seen).toBe(21);
  });
});

describe('depth', () => {
  it('is one: a subagent is not offered the tool, and a call of it is refused', async () => {
    const model = modelOfAgents({
      main: [delegate(null, 'Help.'), text('Done.')],
      general: [delegate(null, 'You do it.', {}, 'toolu_child'), text('I did it myself.')],
    });
    const { engine } = await testEngine(model, { tools: [agentTool, probeTool()] });
    const messages = await collect(engine.submitMessage('go'));
    expect(resultOf(messages, 'toolu_child')).toMatchObject({ isError: true, text: /no tool Agent/ });
    expect(model.asked.general?.[0]?.tools.map((tool) => tool.name)).toEqual(['Probe']);
    expect(systemMessages(messages, 'task_started')).toHaveLength(1);
  });

  it('can be more: each message names the call it belongs to', async () => {
    const model = modelOfAgents({
      main: [delegate('boss', 'Do it.', {}, 'toolu_1'), text('Done.')],
      boss: [delegate('worker', 'You do it.', {}, 'toolu_2'), text('It was done.')],
      worker: [delegate('worker', 'And you?', {}, 'toolu_3'), text('Done by me.')],
    });
    const { engine, home } = await testEngine(model, {
      tools: [agentTool],
      agents: [agent('boss'), agent('worker')],
      maxAgentDepth: 2,
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(resultOf(messages, 'toolu_3')).toMatchObject({ isError: true });
    expect(resultOf(messages, 'toolu_2')).toMatchObject({ text: 'Done by me.' });
    const texts = messages.flatMap((m) =>
      m.type === 'assistant'
        ? m.message.content.map((b) => [m.parent_tool_use_id, b.type === 'text' ? b.text : b.type])
        : [],
    );
    expect(texts).toEqual([
      [null, 'tool_use'],
      ['toolu_1', 'tool_use'],
      ['toolu_2', 'tool_use'],
      ['toolu_2', 'Done by me.'],
      ['toolu_1', 'It was done.'],
      [null, 'Done.'],
    ]);
    const metas = (await agentFiles(home)).filter((file) => file.endsWith('.meta.json'));
    const origins = await Promise.all(metas.map(async (file) => JSON.parse(await readFile(file, 'utf8'))));
    const [boss, worker] = systemMessages(messages, 'task_started');
    expect(worker).toMatchObject({ spawn_depth: 2, parent_task_id: (boss as { task_id: string }).task_id });
    expect(origins.sort((one, other) => one.toolUseId.localeCompare(other.toolUseId))).toMatchObject([
      { agentType: 'boss', toolUseId: 'toolu_1' },
      { agentType: 'worker', toolUseId: 'toolu_2', parentAgentId: (boss as { task_id: string }).task_id },
    ]);
    expect(origins[0]).not.toHaveProperty('parentAgentId');
  });

  it('of 0 offers no agents at all', async () => {
    const model = modelOfAgents({ main: text('alone') });
    const { engine } = await testEngine(model, { tools: [agentTool, probeTool()], maxAgentDepth: 0 });
    const [init] = await collect(engine.submitMessage('go'));
    expect(init).toMatchObject({ tools: ['Probe'], agents: [] });
  });
});

it('what a subagent is for is kept without secrets', async () => {
  const secret = `sk-ant-api03-${'aB3dE6gH9'.repeat(10)}xyzAA`;
  const model = modelOfAgents({
    main: [toolCall('Agent', { description: `use ${secret}`, prompt: 'Do it.' }), text('Done.')],
    'Do it.': text('It was done.'),
  });
  const { engine, home } = await testEngine(model, { tools: [agentTool] });
  await collect(engine.submitMessage('go'));
  const [meta = ''] = (await agentFiles(home)).filter((file) => file.endsWith('.meta.json'));
  const written = await readFile(meta, 'utf8');
  expect(written).not.toContain('sk-ant-api03');
  expect(JSON.parse(written)).toMatchObject({
    description: expect.stringMatching(/^use \{secret:anthropic-key:/) as string,
  });
});

/** Names of the files of subagents, relative to the only session's folder. */
async function agentFiles(home: string): Promise<string[]> {
  const [project = ''] = await readdir(path.join(home, 'projects'));
  const entries = await readdir(path.join(home, 'projects', project), { withFileTypes: true });
  const session = entries.find((entry) => entry.isDirectory())?.name ?? '';
  const folder = path.join(home, 'projects', project, session, 'subagents');
  return (await readdir(folder)).sort().map((name) => path.join(folder, name));
}

describe('the transcript of a subagent', () => {
  it('is a sidechain in a file of its own, beside what names its call; the session resumes without it', async () => {
    const model = modelOfAgents({
      main: [delegate('counter', 'Count.', {}, 'toolu_main'), text('Three.')],
      counter: [toolCall('Probe', { value: 'a' }), text('There are 3.')],
    });
    const { engine, home } = await testEngine(model, { tools: [agentTool, probeTool()], agents: [agent('counter')] });
    const messages = await collect(engine.submitMessage('go'));
    const [started] = systemMessages(messages, 'task_started');
    const id = (started as { task_id: string }).task_id;
    const files = await agentFiles(home);
    expect(files.map((file) => path.basename(file))).toEqual([`agent-${id}.jsonl`, `agent-${id}.meta.json`]);
    const [notified] = systemMessages(messages, 'task_notification');
    expect(notified).toMatchObject({ output_file: files[0] });
    expect(JSON.parse(await readFile(files[1] ?? '', 'utf8'))).toEqual({
      agentType: 'counter',
      description: 'ask counter',
      toolUseId: 'toolu_main',
    });
    const lines = (await readFile(files[0] ?? '', 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => line.type)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(lines[0]).toMatchObject({ parentUuid: null, message: { role: 'user', content: 'Count.' } });
    for (const [index, line] of lines.entries()) {
      expect(line).toMatchObject({ isSidechain: true, agentId: id, sessionId: messages[0]?.session_id });
      if (index > 0) expect(line.parentUuid).toBe(lines[index - 1].uuid);
    }
    const shown = messages.flatMap((m) => (parentOf(m) === 'toolu_main' ? [m.uuid] : []));
    expect(lines.slice(1).map((line) => line.uuid)).toEqual(shown);
    const sessionFolder = path.dirname(path.dirname(files[0] ?? ''));
    expect(await readFile(`${sessionFolder}.jsonl`, 'utf8')).not.toContain('"isSidechain":true');
    const resumed = await resumeSession(
      createNodeHost(),
      placeIn(path.dirname(sessionFolder), path.basename(sessionFolder)),
    );
    expect(resumed.messages.map((message) => message.type)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(resumed.notices).toEqual([]);
    const sessionId = path.basename(sessionFolder);
    const stored = { env: { TURNWRIGHT_HOME: home } };
    expect(await listSubagents(sessionId, stored)).toEqual([id]);
    const read = await getSubagentMessages(sessionId, id, stored);
    expect(read.map((message) => [message.type, message.uuid])).toEqual(lines.map((line) => [line.type, line.uuid]));
    expect(new Set(read.map((message) => message.parent_tool_use_id))).toEqual(new Set(['toolu_main']));
  });

  it('is on the disk before its agent changes anything, and when its agent has ended', async () => {
    const operations: string[] = [];
    const host = fakeHost({
      onOperation: (operation, file) => {
        if (operation === 'append' || operation === 'sync')
          operations.push(`${operation} ${path.extname(file)} ${file.includes('agent-') ? 'agent' : 'main'}`);
      },
    });
    const before: string[][] = [];
    const probe = probeTool({
      run: async () => {
        before.push([...operations]);
        return 'ran';
      },
    });
    const model = modelOfAgents({
      main: [delegate('counter', 'Count.'), text('Three.')],
      counter: [toolCall('Probe'), text('There are 3.')],
    });
    const { engine } = await testEngine(model, {
      host,
      cwd: '/project',
      tools: [agentTool, probe],
      agents: [agent('counter')],
    });
    let atEnd: readonly string[] = [];
    for await (const message of engine.submitMessage('go'))
      if (message.type === 'system' && message.subtype === 'task_notification') atEnd = [...operations];
    const last = (list: readonly string[] | undefined, who: string) => list?.findLast((each) => each.endsWith(who));
    expect(last(before[0], 'agent')).toBe('sync .jsonl agent');
    expect(last(before[0], 'main')).toBe('sync .jsonl main');
    expect(last(atEnd, 'agent')).toBe('sync .jsonl agent');
  });

  it('is not kept if the session keeps none', async () => {
    const model = modelOfAgents({ main: [delegate(null, 'Help.'), text('Done.')], general: text('Helped.') });
    const { engine, home } = await testEngine(model, { tools: [agentTool], persistSession: false });
    const messages = await collect(engine.submitMessage('go'));
    expect(systemMessages(messages, 'task_notification')).toMatchObject([{ output_file: '' }]);
    expect(await readdir(home)).toEqual([]);
  });
});

describe('how a subagent ends', () => {
  const helper = async (scripts: Parameters<typeof modelOfAgents>[0], more: object = {}) => {
    const model = modelOfAgents({ main: [delegate('helper', 'Help.', {}, 'toolu_main'), text('Done.')], ...scripts });
    const { engine } = await testEngine(model, {
      tools: [agentTool, probeTool()],
      agents: [agent('helper', { maxTurns: 2 })],
      ...more,
    });
    const messages = await collect(engine.submitMessage('go'));
    const status = systemMessages(messages, 'task_notification').map((m) => 'status' in m && m.status);
    return { answer: resultOf(messages, 'toolu_main'), result: lastResult(messages), status };
  };

  it('at its limit of turns: what it said last, and that it was not done', async () => {
    const { answer, result, status } = await helper({
      helper: (_request, turn) => reply(text(`Looked ${turn + 1} times.`), toolCall('Probe', { value: String(turn) })),
    });
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/did not finish.*limit of 2 turns.*\n\nLooked 2 times\.$/s);
    expect(answer.data).toMatchObject({
      result: 'Looked 2 times.',
      agent: 'helper',
      error: expect.stringMatching(/2 turns/),
    });
    expect(status).toEqual(['failed']);
    expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
  });

  it('inherits the limit of turns if its definition has none', async () => {
    const { answer } = await helper(
      { helper: (_request, turn) => toolCall('Probe', { value: String(turn) }) },
      { agents: [agent('helper')], maxTurns: 3 },
    );
    expect(answer.text).toMatch(/limit of 3 turns.*It said nothing/);
  });

  it('at a failure of the model: the error, as a result that its caller reads', async () => {
    const { answer, result } = await helper({
      helper: [
        reply(text('Half of it.'), toolCall('Probe')),
        { error: new ModelError('authentication', 'no key', { status: 401 }) },
      ],
    });
    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/no key.*Half of it\.$/s) });
    expect(result.subtype).toBe('success');
  });

  it('at its own time limit: it is stopped, the prompt goes on', async () => {
    const { answer, result, status } = await helper({
      main: [delegate('helper', 'Help.', { timeout_ms: 20 }, 'toolu_main'), text('Done.')],
      helper: { stall: true },
    });
    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/time limit of 20 ms/) });
    expect(status).toEqual(['stopped']);
    expect(result.result).toBe('Done.');
  });

  it('if there is no such agent: the names of those there are, and nothing was started', async () => {
    const { answer, status } = await helper({ main: [delegate('nobody', 'Help.', {}, 'toolu_main'), text('Done.')] });
    expect(answer).toMatchObject({
      isError: true,
      text: 'There is no agent "nobody". Agents: general-purpose, helper.',
    });
    expect(status).toEqual([]);
  });

  it('if the session has none of its tools', async () => {
    const { answer } = await helper({}, { agents: [agent('helper', { tools: ['Frobnicate'] })] });
    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/none of its tools \(Frobnicate\)/) });
  });
});

describe('an abort', () => {
  it('ends the subagents and their tools; the result says so, and the next prompt is valid', async () => {
    let running = 0;
    let started: () => void = () => undefined;
    const bothRun = new Promise<void>((resolve) => {
      let count = 0;
      started = () => {
        count += 1;
        if (count === 2) resolve();
      };
    });
    const stuck = probeTool({
      name: 'Stuck',
      run: (_input, signal) =>
        new Promise((_resolve, reject) => {
          running += 1;
          started();
          signal.addEventListener('abort', () => {
            running -= 1;
            reject(new Error('stopped half way'));
          });
        }),
    });
    const model = modelOfAgents({
      main: [reply(delegate('one', 'Go.', {}, 'toolu_1'), delegate('two', 'Go.', {}, 'toolu_2')), text('Again.')],
      one: [reply(text('On it.'), toolCall('Stuck'))],
      two: [toolCall('Stuck')],
    });
    const { engine } = await testEngine(model, { tools: [agentTool, stuck], agents: [agent('one'), agent('two')] });
    const reading = collect(engine.submitMessage('go'));
    await bothRun;
    engine.interrupt();
    const messages = await reading;
    expect(running).toBe(0);
    expect(lastResult(messages)).toMatchObject({ terminal_reason: 'aborted', result: 'Aborted' });
    expect(systemMessages(messages, 'task_notification')).toMatchObject([{ status: 'stopped' }, { status: 'stopped' }]);
    const first = resultOf(messages, 'toolu_1');
    expect(first.isError).toBe(true);
    expect(first.text).toMatch(
      /^Interrupted after it started; its effects are unknown\.\n.*It was interrupted.*On it\.$/s,
    );
    expect(first.data).toMatchObject({ agent: 'one', result: 'On it.' });
    // The scripted model checks every request: the conversation is whole.
    expect(lastResult(await collect(engine.submitMessage('again'))).result).toBe('Again.');
    expect(model.violations).toEqual([]);
  });

  it('also if whoever reads just leaves', async () => {
    let running = 0;
    const bothRun = gate();
    const stuck = probeTool({
      name: 'Stuck',
      run: (_input, signal) =>
        new Promise((_resolve, reject) => {
          running += 1;
          if (running === 2) bothRun.open();
          signal.addEventListener('abort', async () => {
            // It takes a while to stop.
            for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
            running -= 1;
            reject(new Error('stopped'));
          });
        }),
    });
    const model = modelOfAgents({
      main: [
        reply(delegate('one', 'Go.'), delegate('two', 'Go.'), delegate('talker', 'Talk.', {}, 'toolu_3')),
        text('Again.'),
      ],
      one: [toolCall('Stuck')],
      two: [toolCall('Stuck')],
      talker: [{ ...reply(text('They run.')), waitFor: bothRun.opened }],
    });
    const { engine } = await testEngine(model, {
      tools: [agentTool, stuck],
      agents: [agent('one'), agent('two'), agent('talker')],
    });
    for await (const message of engine.submitMessage('go')) if (parentOf(message) === 'toolu_3') break;
    expect(running).toBe(0);
    expect(lastResult(await collect(engine.submitMessage('again'))).result).toBe('Again.');
    expect(model.calls).toBe(5);
  });
});

describe('an abort that a tool does not hear', () => {
  it('ends the subagent before the call gives up on it, so that it can still say what it did', async () => {
    let started: () => void = () => undefined;
    const isDeaf = new Promise<void>((resolve) => {
      started = resolve;
    });
    const deaf = probeTool({
      name: 'Deaf',
      run: () => {
        started();
        return new Promise<never>(() => undefined);
      },
    });
    const model = modelOfAgents({
      main: [delegate('one', 'Go.', {}, 'toolu_1')],
      one: [reply(text('On it.'), toolCall('Deaf', {}, 'toolu_deaf'))],
    });
    const host = fakeHost();
    const { engine } = await testEngine(model, {
      host,
      cwd: '/project',
      tools: [agentTool, deaf],
      agents: [agent('one')],
    });
    const reading = collect(engine.submitMessage('go'));
    await isDeaf;
    engine.interrupt();
    await host.advance(10_000);
    const messages = await reading;
    expect(resultOf(messages, 'toolu_deaf').text).toMatch(/^Interrupted after it started/);
    expect(resultOf(messages, 'toolu_1').text).toMatch(/^Interrupted after it started.*It was interrupted.*On it\.$/s);
    expect(systemMessages(messages, 'task_notification')).toMatchObject([{ status: 'stopped' }]);
    expect(host.clock.pending()).toBe(0);
  });
});

describe('hooks in a subagent', () => {
  it('are the hooks of the session, and say which agent it is', async () => {
    const heard: HookInput[] = [];
    const record = async (input: HookInput) => {
      heard.push(input);
      return {};
    };
    const model = modelOfAgents({
      main: [delegate('helper', 'Help.'), text('Done.')],
      helper: [toolCall('Probe'), text('Helped.')],
    });
    const { engine } = await testEngine(model, {
      tools: [agentTool, probeTool()],
      agents: [agent('helper')],
      hooks: Object.fromEntries(
        ['SubagentStart', 'SubagentStop', 'PreToolUse', 'PostToolUse', 'Stop'].map((e) => [e, [{ hooks: [record] }]]),
      ),
    });
    const messages = await collect(engine.submitMessage('go'));
    const [started] = systemMessages(messages, 'task_started');
    const inAgent = { agent_id: (started as { task_id: string }).task_id, agent_type: 'helper' };
    expect(heard.map((input) => [input.hook_event_name, 'tool_name' in input ? input.tool_name : ''])).toEqual([
      ['PreToolUse', 'Agent'],
      ['SubagentStart', ''],
      ['PreToolUse', 'Probe'],
      ['PostToolUse', 'Probe'],
      ['SubagentStop', ''],
      ['PostToolUse', 'Agent'],
      ['Stop', ''],
    ]);
    for (const index of [1, 2, 3, 4]) expect(heard[index]).toMatchObject(inAgent);
    for (const index of [0, 5, 6]) expect(heard[index]).not.toHaveProperty('agent_id');
    expect(heard[4]).toMatchObject({
      stop_hook_active: false,
      last_assistant_message: 'Helped.',
      agent_transcript_path: expect.stringMatching(/subagents\/agent-a[0-9a-f]{16}\.jsonl$/),
      transcript_path: expect.stringMatching(/[0-9a-f-]{36}\.jsonl$/),
    });
  });

  it('SubagentStart adds context, SubagentStop makes it go on, at most ten times', async () => {
    let stops = 0;
    const model = modelOfAgents({
      main: [delegate('helper', 'Help.', {}, 'toolu_main'), text('Done.')],
      helper: (_request, turn) => text(`Helped ${turn + 1} times.`),
    });
    const { engine } = await testEngine(model, {
      tools: [agentTool],
      agents: [agent('helper')],
      hooks: {
        SubagentStart: [
          {
            matcher: 'helper',
            hooks: [
              async () => ({
                hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: 'It is Monday.' },
              }),
            ],
          },
        ],
        SubagentStop: [{ hooks: [async () => ({ decision: 'block' as const, reason: `again ${++stops}` })] }],
      },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(JSON.stringify(model.asked.helper?.[0]?.messages)).toContain('It is Monday.');
    expect(resultOf(messages, 'toolu_main').text).toBe('Helped 11 times.');
    expect(stops).toBe(11);
    expect(JSON.stringify(model.asked.helper?.[1]?.messages)).toContain('again 1');
  });

  it('continue: false ends the agent and the prompt it works for', async () => {
    const model = modelOfAgents({
      main: [delegate('helper', 'Help.', {}, 'toolu_main')],
      helper: [toolCall('Probe')],
    });
    const { engine } = await testEngine(model, {
      tools: [agentTool, probeTool()],
      agents: [agent('helper')],
      hooks: { PreToolUse: [{ matcher: 'Probe', hooks: [async () => ({ continue: false, stopReason: 'enough' })] }] },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages).terminal_reason).toBe('hook_stopped');
    expect(resultOf(messages, 'toolu_main').text).toMatch(/A hook ended it/);
  });

  it('a hook that names the tool Task hears of Agent', async () => {
    const heard: string[] = [];
    const model = modelOfAgents({ main: [delegate(null, 'Help.'), text('Done.')], general: text('Helped.') });
    const { engine } = await testEngine(model, {
      tools: [agentTool],
      hooks: {
        PreToolUse: [
          {
            matcher: 'Task',
            hooks: [
              async (input) => {
                if (input.hook_event_name === 'PreToolUse') heard.push(input.tool_name);
                return {};
              },
            ],
          },
        ],
      },
    });
    await collect(engine.submitMessage('go'));
    expect(heard).toEqual(['Agent']);
  });
});

it('event by event, of all agents at once, adds up to the messages of each', async () => {
  const { sessions, below, replies, events } = await checkFoldedStreams(12, 7);
  expect(sessions).toBe(12);
  expect(below).toBeGreaterThan(12);
  expect(replies).toBeGreaterThan(below);
  expect(events).toBeGreaterThan(replies * 4);
});
