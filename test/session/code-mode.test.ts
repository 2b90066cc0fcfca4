// Scripts of the model that call tools: each call goes the way of any other, and nothing but what the script says comes
// back.
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostClock } from '../../src/host/host.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { parseRule } from '../../src/permissions/rule.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { RunScriptOutput } from '../../src/protocol/tool-io.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { resumeSession } from '../../src/session/store/resume.js';
import { placeIn, projectFolder } from '../../src/session/store/session-places.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { agentTool } from '../../src/tools/agent.js';
import { getTools } from '../../src/tools/builtin.js';
import { agent, delegate, modelOfAgents, resultOf } from '../support/agents.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';

const CALL = 'toolu_script';
/** How long a thread is let run beyond the limit of its script. */
const GRACE_MS = 1_500;
const script = (code: string) => toolCall('RunScript', { code }, CALL);

/** Runs one script in a session; what came of it, and all messages. */
async function run(code: string, overrides: Partial<QueryEngineConfig> = {}) {
  const model = scriptedModel([script(code), text('Done.')]);
  const { engine, folder, home } = await testEngine(model, { codeMode: true, ...overrides });
  const messages = await collect(engine.submitMessage('go'));
  const { text: said, isError, data } = resultOf(messages, CALL);
  return { said, isError, data: data as RunScriptOutput, messages, model, engine, folder, home };
}

const nested = (messages: readonly SDKMessage[]) =>
  messages.filter(
    (message): message is Extract<SDKMessage, { type: 'assistant' | 'user' }> =>
      (message.type === 'assistant' || message.type === 'user') && message.parent_tool_use_id === CALL,
  );

describe('a script', () => {
  it('calls tools as functions, and only what it prints or returns reaches the model', async () => {
    const probe = probeTool({ readOnly: true, concurrencySafe: true, run: async ({ value }) => `SECRET ${value}` });
    const { said, data, model, messages } = await run(
      `const results = await Promise.all([1, 2, 3].map((n) => tools.Probe({ value: String(n) })));
       console.log('seen', results.length);
       return results.map((result) => result.length);`,
      { tools: [probe] },
    );
    expect(said).toBe('seen 3\nValue: [8,8,8]');
    expect(data).toMatchObject({
      value: '[8,8,8]',
      printed: 'seen 3\n',
      calls: [{ tool: 'Probe', count: 3, failed: 0, denied: 0 }],
    });
    expect(probe.runs).toEqual([{ value: '1' }, { value: '2' }, { value: '3' }]);
    expect(JSON.stringify(model.requests)).not.toContain('SECRET');
    const shown = nested(messages);
    expect(shown.filter(({ type }) => type === 'assistant')).toHaveLength(3);
    expect(JSON.stringify(shown.at(-1))).toContain('SECRET');
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', num_turns: 2 });
    model.assertDone();
  });

  it('runs calls that only read side by side, and all others alone, in the order in which they were made', async () => {
    const events: string[] = [];
    let active = 0;
    let most = 0;
    const watched = (name: string, reads: boolean) =>
      probeTool({
        name,
        readOnly: reads,
        concurrencySafe: reads,
        run: async ({ value }) => {
          active += 1;
          most = Math.max(most, active);
          events.push(`${name}${value}`);
          // The first cannot end before the second has begun: alone, it would never.
          do await new Promise<void>((resolve) => setImmediate(resolve));
          while (name === 'Look' && value === '1' && !events.includes('Look2'));
          if (!reads) expect(active).toBe(1);
          active -= 1;
          return 'ok';
        },
      });
    const { isError } = await run(
      `await Promise.all([tools.Look({ value: '1' }), tools.Look({ value: '2' }), tools.Change({ value: '1' }),
         tools.Change({ value: '2' }), tools.Look({ value: '3' })]);`,
      { tools: [watched('Look', true), watched('Change', false)] },
    );
    expect(isError).toBe(false);
    expect(most).toBe(2);
    expect(events).toEqual(['Look1', 'Look2', 'Change1', 'Change2', 'Look3']);
  });

  it('gets typed results of built-in tools, and changes files that checkpoints know', async () => {
    const folder = await temporaryFolder();
    for (const name of ['a', 'b', 'c']) await writeFile(path.join(folder, `${name}.txt`), `old ${name}\n`);
    const { said, engine } = await run(
      `const { files } = await tools.Glob({ pattern: '*.txt' });
       for (const file_path of files) {
         const { text } = await tools.Read({ file_path });
         if (text.includes('old')) await tools.Edit({ file_path, old_string: 'old', new_string: 'new' });
       }
       const { stdout, exitCode } = await tools.Bash({ command: 'cat *.txt; exit 3' });
       return { stdout, exitCode, files: files.length };`,
      { tools: await getTools(), cwd: folder, enableFileCheckpointing: true },
    );
    expect(JSON.parse(said)).toEqual({ stdout: 'new a\nnew b\nnew c\n', exitCode: 3, files: 3 });
    expect(engine).toBeDefined();
    expect(await readFile(path.join(folder, 'a.txt'), 'utf8')).toBe('new a\n');
  });

  it('is told why a call was denied, by an exception, and each denial counts as any other', async () => {
    const { said, messages } = await run(
      `const seen = [];
       for (const value of ['a', 'b']) try { await tools.Probe({ value }) } catch (error) { seen.push(error.name + ': ' + error.message) }
       return seen;`,
      {
        tools: [probeTool()],
        permissions: { mode: 'default', roots: ['/nowhere'], deny: [parseRule('Probe')], ask: [], allow: [] },
      },
    );
    const seen = JSON.parse(said) as string[];
    expect(seen).toHaveLength(2);
    expect(seen[0]).toMatch(/^DeniedError: .*Probe/s);
    expect(lastResult(messages).permission_denials).toHaveLength(2);
    expect(
      messages.filter((message) => message.type === 'system' && message.subtype === 'permission_denied'),
    ).toHaveLength(2);
  });

  it('waits for an answer without its clock running, and goes on with the input that was approved', async () => {
    const asked: unknown[] = [];
    const probe = probeTool();
    const host = createNodeHost();
    // More than a machine of any speed takes: what counts is that no timer of it is left while the answer is open.
    const RUN_MS = 54_321;
    /** Timers that would end the script. */
    let watching = 0;
    const after: HostClock['after'] = (ms, callback) => {
      if (ms !== RUN_MS + GRACE_MS) return host.clock.after(ms, callback);
      watching += 1;
      const cancel = host.clock.after(ms, callback);
      let isOver = false;
      return () => {
        if (!isOver) watching -= 1;
        isOver = true;
        cancel();
      };
    };
    const { said } = await run(`return await tools.Probe({ value: 'asked' })`, {
      tools: [probe],
      codeMode: { maxRunMs: RUN_MS },
      host: { ...host, clock: { ...host.clock, after } },
      canUseTool: async (name, input) => {
        asked.push([name, input]);
        if (name !== 'Probe') return { behavior: 'allow', updatedInput: input };
        // The answer comes once nothing watches the script any more: it could come years later.
        while (watching > 0) await new Promise((resolve) => setImmediate(resolve));
        return { behavior: 'allow', updatedInput: { value: 'changed' } };
      },
    });
    expect(said).toBe('"ran changed"');
    expect(probe.runs).toEqual([{ value: 'changed' }]);
    expect(asked).toHaveLength(2);
  });

  it('is heard by hooks, call by call', async () => {
    const heard: string[] = [];
    const { said } = await run(
      `try { await tools.Probe({ value: 'a' }); await tools.Probe({ value: 'no' }) } catch (error) { return error.message }`,
      {
        tools: [probeTool()],
        hooks: {
          PreToolUse: [
            {
              matcher: 'Probe',
              hooks: [
                async (input) => {
                  const { tool_use_id: id = '', tool_input: given } = input as {
                    tool_use_id?: string;
                    tool_input?: unknown;
                  };
                  heard.push(`${id} ${JSON.stringify(given)}`);
                  return JSON.stringify(given).includes('no') ? { decision: 'block', reason: 'Not that.' } : {};
                },
              ],
            },
          ],
        },
      },
    );
    expect(heard).toEqual([`${CALL}_1 {"value":"a"}`, `${CALL}_2 {"value":"no"}`]);
    expect(said).toContain('Not that.');
  });

  it('ends the prompt if the user says so, and makes no further call', async () => {
    const probe = probeTool();
    const model = scriptedModel([
      script(`for (let i = 0; i < 5; i++) try { await tools.Probe({ value: String(i) }) } catch {} ; return 'went on'`),
    ]);
    const { engine } = await testEngine(model, {
      codeMode: true,
      tools: [probe],
      canUseTool: async (name, input) =>
        name === 'Probe'
          ? { behavior: 'deny', message: 'Stop it all.', interrupt: true }
          : { behavior: 'allow', updatedInput: input },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(probe.runs).toEqual([]);
    expect(lastResult(messages)).toMatchObject({ terminal_reason: 'permission_interrupt' });
    expect(lastResult(messages).permission_denials).toHaveLength(1);
    expect(resultOf(messages, CALL).text).toContain('The script was stopped.');
  });

  it('is ended at once by an abort, with the calls under way', async () => {
    const stop = new AbortController();
    let isStopped = false;
    const slow = probeTool({
      run: (_input, signal) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            isStopped = true;
            reject(new Error('stopped'));
          });
          stop.abort();
        }),
    });
    const model = scriptedModel([script('for (;;) await tools.Probe({})')]);
    const { engine } = await testEngine(model, { codeMode: true, tools: [slow], abortController: stop });
    const messages = await collect(engine.submitMessage('go'));
    expect(isStopped).toBe(true);
    expect(slow.runs).toHaveLength(1);
    expect(resultOf(messages, CALL)).toMatchObject({ isError: true });
    expect(resultOf(messages, CALL).text).toContain('Interrupted after it started');
  });

  it('is told of its errors with what it had done by then', async () => {
    const one = await run(`await tools.Probe({}); null.x`, { tools: [probeTool()] });
    expect(one.isError).toBe(true);
    expect(one.said).toMatch(/^The script failed\. TypeError: .*\nBefore that, it made these calls: 1 × Probe\.$/);
    const two = await run('return 1 +', { tools: [probeTool()] });
    expect(two.said).toMatch(/^The script failed\. SyntaxError: .*\nBefore that, it made no calls\.$/);
    const three = await run('for (;;) {}', { tools: [probeTool()], codeMode: { maxRunMs: 100 } });
    expect(three.said).toContain('It ran for more than 0.1 s.');
    const four = await run(`tools.Prob({})`, { tools: [probeTool()] });
    expect(four.said).toContain('There is no tool Prob here. searchTools(');
    const five = await run(`await tools.Probe({ value: 7 })`, { tools: [probeTool()] });
    expect(five.said).toContain('ToolError: The input of Probe is not valid');
  });

  it('gets the text of a result whose data JSON has no form for', async () => {
    const odd: Record<string, unknown> = {};
    odd['self'] = odd;
    const cyclic = { ...probeTool({ name: 'Cyclic' }), run: async () => ({ model: 'a text', data: odd }) };
    const { said, isError } = await run(`return await tools.Cyclic({})`, { tools: [cyclic] });
    expect({ said, isError }).toEqual({ said: '"a text"', isError: false });
  });

  it('cannot run scripts, nor call what is for the model alone', async () => {
    const { said } = await run(
      `return ['RunScript', 'ToolSearch'].map((name) => { try { tools[name]({}); return 'called' } catch (error) { return error.name } })`,
      { tools: [probeTool()] },
    );
    expect(JSON.parse(said)).toEqual(['ReferenceError', 'ReferenceError']);
  });

  it('keeps its calls beside the transcript, as a subagent does', async () => {
    const { engine, home } = await run(`await tools.Probe({ value: 'kept' })`, { tools: [probeTool()] });
    await engine.close();
    const found = (await readdir(home, { recursive: true }))
      .filter((name) => name.includes(`agent-call-${CALL}`))
      .sort();
    expect(found.map((name) => path.basename(name))).toEqual([
      `agent-call-${CALL}.jsonl`,
      `agent-call-${CALL}.meta.json`,
    ]);
    const lines = (await readFile(path.join(home, found[0] ?? ''), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines.join()).toContain('kept');
  });
});

describe('a subagent', () => {
  it('runs scripts of its own, whose calls stand below it', async () => {
    const probe = probeTool();
    const model = modelOfAgents({
      main: [delegate('worker', 'Work.', {}, 'toolu_main'), text('Done.')],
      worker: [script(`return await tools.Probe({ value: 'by the agent' })`), text('Worked.')],
    });
    const { engine } = await testEngine(model, {
      tools: [agentTool, probe],
      agents: [agent('worker', { tools: ['Probe'] })],
      codeMode: true,
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages).result).toBe('Done.');
    expect(probe.runs).toEqual([{ value: 'by the agent' }]);
    expect(nested(messages)).toHaveLength(2);
    expect(nested(messages).every((message) => 'agent_id' in message)).toBe(true);
    expect(JSON.stringify(model.asked.main)).not.toContain('by the agent');
  });

  it('can be started by a script', async () => {
    const model = modelOfAgents({
      main: [script(`return (await tools.Agent({ prompt: 'Work.', subagent_type: 'worker' })).result`), text('Done.')],
      worker: [text('Worked.')],
    });
    const { engine } = await testEngine(model, {
      tools: [agentTool, probeTool()],
      agents: [agent('worker', { tools: ['Probe'] })],
      codeMode: true,
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(resultOf(messages, CALL).text).toBe('"Worked."');
    expect(messages.some((message) => message.type === 'system' && message.subtype === 'task_started')).toBe(true);
  });
});

describe('a session that ended in a script', () => {
  it('is told, when it is resumed, which calls were done and which were under way', async () => {
    const [home, cwd, host] = [await temporaryFolder(), await temporaryFolder(), createNodeHost()];
    const sessionId = host.ids.uuid();
    const common = { cwd, host, sessionId, codeMode: true, env: { TURNWRIGHT_HOME: home } };
    // The process ends in the second call: nothing of this session is heard of again.
    let reached: () => void = () => undefined;
    const inSecond = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const stuck = probeTool({
      run: ({ value }, signal) => {
        if (value !== 'second') return Promise.resolve('ok');
        reached();
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped')));
      },
    });
    const first = scriptedModel([
      script(`await tools.Probe({ value: 'first' }); await tools.Probe({ value: 'second' })`),
    ]);
    const { engine } = await testEngine(first, { ...common, tools: [stuck] });
    const ending = collect(engine.submitMessage('go'));
    await inSecond;
    // What is on the disk by now is what a crash would leave.
    const copy = await temporaryFolder();
    await cp(home, copy, { recursive: true, filter: (source) => !source.endsWith('.lock') });
    engine.interrupt();
    await ending;

    const folder = await projectFolder(host, copy, cwd);
    const resumed = await resumeSession(host, placeIn(folder, sessionId));
    const model = scriptedModel([text('ok'), text('ok')]);
    const again = await testEngine(model, {
      ...common,
      env: { TURNWRIGHT_HOME: copy },
      tools: [probeTool()],
      initialMessages: resumed.messages,
      resumedFrom: resumed.lastUuid,
    });
    await collect(again.engine.submitMessage('go on'));
    await collect(again.engine.submitMessage('and on'));
    const [conversation, later] = model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(conversation).toContain('No result was recorded for this call');
    expect(conversation).toContain(
      'Calls of it that were done: 1 × Probe. Under way then, with effects unknown: Probe',
    );
    expect(conversation).toContain('second');
    expect(later?.split('A script was interrupted')).toHaveLength(2);
  });
});

describe('code mode', () => {
  const names = (request: { tools: readonly { name: string }[] } | undefined) => request?.tools.map(({ name }) => name);

  it('tells of a script beside the tools, or in their place with their types', async () => {
    const beside = await run('return 1', { tools: await getTools() });
    expect(names(beside.model.requests[0])).toEqual(expect.arrayContaining(['Read', 'RunScript']));
    const only = await run('return 1', { tools: await getTools(), codeMode: { only: true } });
    expect(names(only.model.requests[0])).toEqual(['RunScript']);
    const described = only.model.requests[0]?.tools[0]?.description ?? '';
    expect(described).toContain('Read(input: { file_path: string; offset?: number; limit?: number');
    expect(described).toContain('Promise<{ stdout: string; stderr: string; exitCode: number');
    const none = await run('return 1', { codeMode: false, tools: [probeTool()] });
    expect(none.said).toContain('There is no tool RunScript.');
  });

  it('refuses limits that cannot be meant', async () => {
    for (const [codeMode, words] of [
      [{ maxRunMs: 0 }, 'codeMode.maxRunMs is 0.'],
      [{ maxMemoryMb: 5_000 }, 'codeMode.maxMemoryMb is 5000. Give a whole number from 1 to 1024.'],
      [{ maxTime: 1 }, 'There is no codeMode.maxTime.'],
    ] as const) {
      const { engine } = await testEngine(scriptedModel([]), { codeMode: codeMode as never });
      expect(JSON.stringify(await collect(engine.submitMessage('go')))).toContain(words);
    }
  });
});
