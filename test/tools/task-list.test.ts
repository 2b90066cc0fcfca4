// TaskCreate and its kin: one list, changed item by item, in a session, over a resume, and for those who show it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { todosAfter } from '../../src/session/store/index.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { type Changed, withTask, withUpdate } from '../../src/tools/task-list/change-tasks.js';
import type { TodoItem } from '../../src/tools/tool.js';
import { afterTaskCall } from '../../src/view/task-list.js';
import { temporaryFolder } from '../support/engine.js';

/** As a request has them: by name. */
const NAMES = ['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate'];
const create = (subject: string, more: object = {}) => toolCall('TaskCreate', { subject, description: 'd', ...more });
const update = (taskId: string, more: object) => toolCall('TaskUpdate', { taskId, ...more });

async function session(steps: readonly unknown[], options: Options = {}) {
  const model = scriptedModel(steps as never);
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const all: Options = { cwd, provider: model, taskTools: true, env: { TURNWRIGHT_HOME: home }, ...options };
  const messages = await collect(query({ prompt: 'go', options: all }));
  return { model, messages, outputs: outputsOf(messages), options: all };
}

function outputsOf(messages: readonly SDKMessage[]): unknown[] {
  return messages.flatMap((message) => (message.type === 'user' ? [message.tool_use_result] : []));
}

describe('the task list', () => {
  it('is there in place of TodoWrite if the option says so, or for whom `tools` names', async () => {
    const offered = async (options: Options) => {
      const { model } = await session([text('ok')], options);
      const names = model.requests[0]?.tools.map(({ name }) => name) ?? [];
      return {
        names: names.filter((name) => [...NAMES, 'TodoWrite'].includes(name)),
        system: model.requests[0]?.system,
      };
    };
    const on = await offered({});
    expect(on.names).toEqual(NAMES);
    expect(JSON.stringify(on.system)).toContain('with TaskCreate before you begin');
    const off = await offered({ taskTools: false });
    expect(off.names).toEqual(['TodoWrite']);
    expect((await offered({ taskTools: false, tools: ['TaskList', 'TodoWrite'] })).names).toEqual([
      'TaskList',
      'TodoWrite',
    ]);
    const bySetting = { taskTools: undefined, settings: { taskTools: true } } as unknown as Options;
    expect((await offered(bySetting)).names).toEqual(NAMES);
    expect((await offered({ ...bySetting, taskTools: false })).names).toEqual(['TodoWrite']);
  });

  it('takes tasks, their order and their ends, and shows them', async () => {
    const { outputs, messages } = await session([
      create('Read', { activeForm: 'Reading', metadata: { file: 'a' } }),
      create('Write'),
      update('2', { addBlockedBy: ['1'], owner: 'me', metadata: { why: 'x' } }),
      toolCall('TaskList', {}),
      update('1', { status: 'in_progress' }),
      update('1', { status: 'completed', metadata: { file: null } }),
      toolCall('TaskList', {}),
      toolCall('TaskGet', { taskId: '1' }),
      update('1', { status: 'deleted' }),
      toolCall('TaskGet', { taskId: '1' }),
      create('Test'),
      text('ok'),
    ]);
    const [one, two] = [
      { id: '1', subject: 'Read' },
      { id: '2', subject: 'Write', owner: 'me' },
    ];
    expect(outputs).toEqual([
      { task: { ...one, description: 'd' } },
      { task: { id: '2', subject: 'Write', description: 'd' } },
      { success: true, taskId: '2', updatedFields: ['addBlockedBy', 'owner', 'metadata'] },
      {
        tasks: [
          { ...one, status: 'pending', blockedBy: [] },
          { ...two, status: 'pending', blockedBy: ['1'] },
        ],
      },
      { success: true, taskId: '1', updatedFields: ['status'], statusChange: { from: 'pending', to: 'in_progress' } },
      {
        ...{ success: true, taskId: '1', updatedFields: ['status', 'metadata'] },
        statusChange: { from: 'in_progress', to: 'completed' },
      },
      {
        tasks: [
          { ...one, status: 'completed', blockedBy: [] },
          { ...two, status: 'pending', blockedBy: [] },
        ],
      },
      { task: { ...one, description: 'd', status: 'completed', blocks: ['2'], blockedBy: [] } },
      { success: true, taskId: '1', updatedFields: ['deleted'], statusChange: { from: 'completed', to: 'deleted' } },
      { task: null },
      { task: { id: '3', subject: 'Test', description: 'd' } },
    ]);
    expect(lastResult(messages)).toMatchObject({ subtype: 'success' });
  });

  it('refuses what names no task, and tasks that would wait for each other', async () => {
    const { outputs } = await session([
      create('a'),
      create('b'),
      update('2', { addBlockedBy: ['1'] }),
      update('1', { addBlockedBy: ['2'] }),
      update('1', { addBlocks: ['1'] }),
      update('1', { addBlocks: ['7'], subject: 'other' }),
      update('__proto__', { status: 'completed' }),
      toolCall('TaskList', {}),
      text('ok'),
    ]);
    const errors = outputs.slice(3, 7).map((output) => (output as { error: string }).error);
    expect(errors).toEqual([
      expect.stringContaining('in a circle'),
      expect.stringContaining('cannot wait for itself'),
      expect.stringContaining('There is no task "7"'),
      expect.stringContaining('There is no task "__proto__"'),
    ]);
    expect(outputs[7]).toMatchObject({
      tasks: [
        { subject: 'a', blockedBy: [] },
        { subject: 'b', blockedBy: ['1'] },
      ],
    });
  });

  it('is there again in a resumed session, and numbers go on', async () => {
    const first = await session([create('a'), create('b'), update('2', { addBlockedBy: ['1'] }), text('ok')]);
    const { session_id: resume } = lastResult(first.messages);
    const model = scriptedModel([create('c'), toolCall('TaskList', {}), text('ok')]);
    const later = await collect(query({ prompt: 'on', options: { ...first.options, provider: model, resume } }));
    expect(outputsOf(later).at(-1)).toMatchObject({
      tasks: [{ id: '1' }, { id: '2', blockedBy: ['1'] }, { id: '3', subject: 'c' }],
    });
  });
});

const anyCall = fc.oneof(
  fc.record({ tool: fc.constant('TaskCreate'), subject: fc.string({ minLength: 1, maxLength: 5 }) }),
  fc.record({
    tool: fc.constant('TaskUpdate'),
    taskId: fc.integer({ min: 1, max: 6 }).map(String),
    status: fc.constantFrom('pending', 'in_progress', 'completed', 'deleted', undefined),
    addBlocks: fc.array(fc.integer({ min: 1, max: 6 }).map(String), { maxLength: 2 }),
    addBlockedBy: fc.array(fc.integer({ min: 1, max: 6 }).map(String), { maxLength: 2 }),
  }),
);

it('whatever is called: ids are unique, nothing waits for what is gone, a replay and a face see the same list', () => {
  fc.assert(
    fc.property(fc.array(anyCall, { maxLength: 25 }), (calls) => {
      let todos: readonly TodoItem[] = [];
      let shown: ReturnType<typeof afterTaskCall> = [];
      for (const { tool, ...input } of calls) {
        const changed: Changed =
          tool === 'TaskCreate'
            ? withTask(todos, { description: '', ...input } as never)
            : withUpdate(todos, input as never);
        const output = 'error' in changed ? { success: false } : { success: true, task: { id: changed.item.id } };
        shown = afterTaskCall(shown, tool, input, output);
        if (!('error' in changed)) todos = changed.todos;
        const ids = todos.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const { blockedBy = [] } of todos) expect(ids).toEqual(expect.arrayContaining([...blockedBy]));
      }
      const content = calls.map(({ tool, ...input }, at) => ({ type: 'tool_use', id: `t${at}`, name: tool, input }));
      const replayed = todosAfter([{ type: 'assistant', message: { content } }] as never, []);
      expect(replayed).toEqual(todos);
      const plain = ({ id, content: subject, status }: { id?: string; content: string; status: string }) => [
        id,
        subject,
        status,
      ];
      expect(shown.map(plain)).toEqual(todos.map(plain));
    }),
    { numRuns: 100 },
  );
});
