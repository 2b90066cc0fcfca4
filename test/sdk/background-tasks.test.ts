// Commands that go on while the conversation does: real shells, a scripted model.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SDKMessage, SDKUserMessage } from '../../src/protocol/index.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { inBackground, lastTexts, taskId, until } from '../support/background-tasks.js';
import { temporaryFolder } from '../support/engine.js';
import { findProcesses } from '../support/process-scan.js';

interface Place {
  readonly cwd: string;
  readonly options: (model: ScriptedModel, more?: Options) => Options;
}

async function place(): Promise<Place> {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  return {
    cwd,
    options: (provider, more = {}) => ({
      provider,
      cwd,
      env: { TURNWRIGHT_HOME: home },
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      ...more,
    }),
  };
}

/** A promise to open from outside. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** One prompt of a user who stays. */
async function* endless(): AsyncGenerator<SDKUserMessage> {
  yield said('Go.');
  await new Promise<void>(() => undefined);
}

const ofType = (messages: readonly SDKMessage[], subtype: string) =>
  messages.filter((message) => message.type === 'system' && message.subtype === subtype);
const results = (messages: readonly SDKMessage[]) => messages.filter((message) => message.type === 'result');

const said = (content: string): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
});

describe('a command in the background', () => {
  it('returns at once, goes on, and is read while it runs and when it ended', async () => {
    const { cwd, options } = await place();
    let id = '';
    const model = scriptedModel([
      inBackground(`echo begun; ${until('go')}; echo done; exit 3`),
      () => {
        id = taskId(model, 1);
        return toolCall('TaskOutput', { task_id: id, block: false });
      },
      () => {
        writeFileSync(path.join(cwd, 'go'), '');
        return toolCall('TaskOutput', { task_id: id });
      },
      text('seen'),
    ]);
    const messages = await collect(query({ prompt: 'Go.', options: options(model) }));
    model.assertDone();
    expect(lastTexts(model, 2)[0]).toContain(`Task ${id} (the job) has been running for`);
    expect(lastTexts(model, 3)[0]).toMatch(/ended after .* with exit code 3\.\nPrinted since it was read last:\n/);
    expect(lastTexts(model, 3)[0]).toMatch(/done\n/);
    expect(ofType(messages, 'task_started')).toMatchObject([
      { task_id: id, description: 'the job', task_type: 'local_bash', is_backgrounded: true },
    ]);
    const [ended, ...others] = ofType(messages, 'task_notification');
    expect(ended).toMatchObject({ task_id: id, status: 'failed' });
    expect(others).toEqual([]);
    const file = ended !== undefined && 'output_file' in ended ? ended.output_file : '';
    expect(await readFile(file, 'utf8')).toBe('begun\ndone\n');
    // The model saw the end itself, so it was not told once more.
    expect(model.requests).toHaveLength(4);
    expect(JSON.stringify(model.requests)).not.toContain('[Background task');
  });

  it('that ends while nobody talks begins a prompt of its own; a message of the user goes first', async () => {
    const { cwd, options } = await place();
    const model = scriptedModel([inBackground(until('go')), text('started'), text('it ended'), text('bye')]);
    const idle = gate();
    const heard = gate();
    async function* prompts() {
      yield said('Start it.');
      await idle.passed;
      writeFileSync(path.join(cwd, 'go'), '');
      await heard.passed;
      yield said('Bye.');
    }
    const messages: SDKMessage[] = [];
    for await (const message of query({ prompt: prompts(), options: options(model) })) {
      messages.push(message);
      if (message.type !== 'result') continue;
      if (message.result === 'started') idle.open();
      if (message.result === 'it ended') heard.open();
    }
    model.assertDone();
    expect(results(messages).map((result) => result.result)).toEqual(['started', 'it ended', 'bye']);
    expect(ofType(messages, 'init')).toHaveLength(3);
    expect(lastTexts(model, 2).join('\n')).toMatch(/have ended since your last reply[\s\S]*\(the job\) ended/);
    expect(lastTexts(model, 3).join('\n')).not.toContain('Background');
  });

  it('is waited for after the last prompt, as long as the limit says', async () => {
    const { cwd, options } = await place();
    const model = scriptedModel([inBackground(until('go')), text('started'), text('it ended')]);
    const messages: SDKMessage[] = [];
    for await (const message of query({
      prompt: 'Go.',
      options: options(model, { limits: { backgroundWaitMs: 60_000 } }),
    })) {
      messages.push(message);
      if (message.type === 'result' && message.result === 'started') writeFileSync(path.join(cwd, 'go'), '');
    }
    model.assertDone();
    expect(results(messages).map((result) => result.result)).toEqual(['started', 'it ended']);
  });

  it('that still runs then is stopped with all it started, and told', async () => {
    const { options } = await place();
    const mark = `tw-${randomUUID()}`;
    const model = scriptedModel([
      inBackground(`(setsid sleep 600 ${mark} &) ; exec -a ${mark} sleep 600`),
      text('started'),
    ]);
    const messages = await collect(
      query({ prompt: 'Go.', options: options(model, { limits: { backgroundWaitMs: 0 } }) }),
    );
    model.assertDone();
    expect(messages.at(-4)?.type).toBe('result');
    expect(messages.at(-1)).toMatchObject({ subtype: 'task_notification', status: 'stopped' });
    expect(findProcesses(mark)).toEqual([]);
  });

  it.each(['close', 'break', 'abort'] as const)('does not outlive a session that ends by %s', async (how) => {
    const { options } = await place();
    const mark = `tw-${randomUUID()}`;
    const model = scriptedModel([inBackground(`exec -a ${mark} sleep 600`), text('started')]);
    const abortController = new AbortController();
    const session = query({ prompt: endless(), options: options(model, { abortController }) });
    const reading = (async () => {
      for await (const message of session) {
        if (message.type !== 'result') continue;
        // The answer may be there before the command is.
        await expect.poll(() => findProcesses(mark)).not.toEqual([]);
        if (how === 'break') break;
        if (how === 'close') session.close();
        else abortController.abort();
      }
    })();
    if (how === 'abort') await expect(reading).rejects.toThrow(/aborted/);
    else await reading;
    expect(findProcesses(mark)).toEqual([]);
  });

  it('outlives an interrupt of the prompt that started it', async () => {
    const { cwd, options } = await place();
    const model = scriptedModel([
      inBackground(`${until('go')}; echo went`),
      toolCall('Bash', { command: 'sleep 600' }),
      () => {
        writeFileSync(path.join(cwd, 'go'), '');
        return toolCall('TaskOutput', { task_id: taskId(model, 1) });
      },
      text('it ended'),
    ]);
    const interrupted = gate();
    async function* prompts() {
      yield said('Start it.');
      await interrupted.passed;
      yield said('And?');
    }
    const session = query({ prompt: prompts(), options: options(model) });
    for await (const message of session) {
      if (message.type === 'assistant' && JSON.stringify(message).includes('sleep 600')) await session.interrupt();
      if (message.type === 'result') interrupted.open();
    }
    model.assertDone();
    expect(lastTexts(model, 3)[0]).toMatch(/exit code 0\.\n.*\nwent/);
  });

  it('obeys its own timeout', async () => {
    const { options } = await place();
    const model = scriptedModel([
      inBackground('echo one; sleep 600', { timeout: 300 }),
      () => toolCall('TaskOutput', { task_id: taskId(model, 1), timeout: 60_000 }),
      text('late'),
    ]);
    const messages = await collect(query({ prompt: 'Go.', options: options(model) }));
    model.assertDone();
    expect(lastTexts(model, 2)[0]).toContain('It ran longer than 300 ms, so it was stopped.');
    expect(ofType(messages, 'task_notification')).toMatchObject([{ status: 'failed' }]);
  });
});

describe('TaskStop and TaskOutput', () => {
  it('stop a task with all it started; what had ended before is said', async () => {
    const { options } = await place();
    const mark = `tw-${randomUUID()}`;
    const model = scriptedModel([
      inBackground(`trap '' TERM; exec -a ${mark} sleep 600`),
      () => toolCall('TaskStop', { task_id: taskId(model, 1), reason: 'not needed' }),
      () => toolCall('KillShell', { shell_id: taskId(model, 1) }),
      () => toolCall('TaskStop', { shell_id: taskId(model, 1) }),
      () => toolCall('TaskOutput', { task_id: 'b00000000' }),
      text('stopped'),
    ]);
    const messages = await collect(query({ prompt: 'Go.', options: options(model) }));
    model.assertDone();
    expect(findProcesses(mark)).toEqual([]);
    expect(lastTexts(model, 2)[0]).toMatch(/^Task b[0-9a-f]{8} \(the job\) was stopped after/);
    expect(lastTexts(model, 3)[0]).toContain('There is no tool KillShell');
    expect(lastTexts(model, 4)[0]).toMatch(/had ended before: it was stopped/);
    expect(lastTexts(model, 5)[0]).toMatch(/There is no task b00000000 here\. Tasks: b/);
    expect(ofType(messages, 'task_notification')).toMatchObject([
      { status: 'stopped', summary: expect.stringContaining('It was stopped: not needed') },
    ]);
  });

  it('write to the stdin of a task, which is asked about whatever the task was', async () => {
    const { options } = await place();
    const script = () => [
      inBackground('read -r line; echo "got $line"'),
      () => toolCall('TaskOutput', { task_id: taskId(model, 1), output: 'hello\n' }),
      () => toolCall('TaskOutput', { task_id: taskId(model, 1), block: !isDenied }),
      text('done'),
    ];
    let isDenied = false;
    let model = scriptedModel(script());
    await collect(query({ prompt: 'Go.', options: options(model) }));
    model.assertDone();
    expect(lastTexts(model, 2)[0]).toContain('Written to task');
    expect(lastTexts(model, 3)[0]).toContain('got hello');

    isDenied = true;
    model = scriptedModel(script());
    const messages = await collect(
      query({
        prompt: 'Go.',
        options: options(model, {
          permissionMode: 'acceptEdits',
          allowedTools: ['Bash'],
          limits: { backgroundWaitMs: 0 },
        }),
      }),
    );
    model.assertDone();
    expect(ofType(messages, 'permission_denied')).toMatchObject([{ tool_name: 'TaskOutput' }]);
    expect(lastTexts(model, 3)[0]).toContain('has been running');
  });

  it('read in mode plan, where nothing may change', async () => {
    const { options } = await place();
    const model = scriptedModel([
      toolCall('TaskOutput', { task_id: 'b00000000' }),
      toolCall('TaskOutput', { task_id: 'b00000000', output: 'x' }),
      text('planned'),
    ]);
    await collect(query({ prompt: 'Go.', options: options(model, { permissionMode: 'plan' }) }));
    model.assertDone();
    expect(lastTexts(model, 1)[0]).toContain('No task was started in this run of the session.');
    expect(lastTexts(model, 2)[0]).toMatch(/plan mode/);
  });

  it('refuse one task more than may run', async () => {
    const { options } = await place();
    const model = scriptedModel([inBackground('sleep 600'), inBackground('sleep 600'), text('one')]);
    await collect(
      query({ prompt: 'Go.', options: options(model, { limits: { maxBackgroundTasks: 1, backgroundWaitMs: 0 } }) }),
    );
    model.assertDone();
    expect(lastTexts(model, 2)[0]).toMatch(/1 background task may run .* \(the job\)\. Nothing was started/);
  });

  it('stopTask of the host stops a task, and the model hears of it', async () => {
    const { options } = await place();
    const model = scriptedModel([inBackground('sleep 600'), text('started'), text('heard')]);
    const session = query({ prompt: 'Go.', options: options(model, { limits: { backgroundWaitMs: 60_000 } }) });
    const messages: SDKMessage[] = [];
    let id = '';
    for await (const message of session) {
      messages.push(message);
      if (message.type === 'system' && message.subtype === 'task_started') id = message.task_id;
      if (message.type === 'result' && message.result === 'started') {
        await expect(session.stopTask('b11111111')).rejects.toThrow(/There is no task b11111111/);
        await session.stopTask(id);
      }
    }
    model.assertDone();
    expect(lastTexts(model, 2).join('\n')).toContain('It was stopped by the user.');
  });

  it('stopTask of a session that has not begun finds none, and begins nothing', async () => {
    const { options } = await place();
    const session = query({ prompt: 'Go.', options: options(scriptedModel([])) });
    await expect(session.stopTask('b11111111')).rejects.toThrow(
      'There is no task b11111111 here: the session has not begun.',
    );
    session.close();
  });
});
