// rewind() of an engine: the conversation goes back, the transcript keeps everything, and a resumed session agrees.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { getCommands } from '../../../src/context/slash-commands.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { MessageParam } from '../../../src/protocol/content.js';
import type { QueryEngineConfig } from '../../../src/session/config/config.js';
import { QueryEngine } from '../../../src/session/query-engine.js';
import { resumeSession } from '../../../src/session/store/resume.js';
import { placeIn, projectFolder } from '../../../src/session/store/session-places.js';
import { createMemoryStore } from '../../../src/session/store/session-stores.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { type ScriptedModel, type ScriptedStep, scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { agentTool } from '../../../src/tools/agent.js';
import { writeTool } from '../../../src/tools/files.js';
import { todoWriteTool } from '../../../src/tools/todo-write.js';
import { agent, delegate, modelOfAgents } from '../../support/agents.js';
import { probeTool, temporaryFolder } from '../../support/engine.js';
import { plainConfig } from '../../support/plain-config.js';
import { everythingSeen } from '../../support/seen-file.js';

const host = createNodeHost();
const ID = '22222222-2222-4222-8222-222222222222';

interface Place {
  readonly cwd: string;
  readonly home: string;
}

const newPlace = async (): Promise<Place> => ({ cwd: await temporaryFolder(), home: await temporaryFolder() });

function engineAt(at: Place, steps: readonly ScriptedStep[], more: Partial<QueryEngineConfig> = {}) {
  const model = scriptedModel(steps);
  const config = {
    ...plainConfig(),
    cwd: at.cwd,
    provider: model,
    host,
    env: { TURNWRIGHT_HOME: at.home },
    sessionId: ID,
    ...more,
  };
  const engine = new QueryEngine(config);
  onTestFinished(() => engine.close());
  return { engine, model, config };
}

/** The session as another process would find it. */
async function resumed(at: Place, steps: readonly ScriptedStep[], more: Partial<QueryEngineConfig> = {}) {
  const found = await resumeSession(host, placeIn(await projectFolder(host, at.home, at.cwd), ID));
  return engineAt(at, steps, {
    initialMessages: found.messages,
    resumedFrom: found.lastUuid,
    resumedState: found.state,
    resumedReplies: found.laterReplies,
    ...more,
  });
}

const talk = async (engine: QueryEngine, ...uuids: readonly string[]): Promise<void> => {
  for (const uuid of uuids) await collect(engine.submitMessage(`prompt ${uuid}`, { uuid }));
};

const answers = (...names: readonly string[]): ScriptedStep[] => names.map((name) => text(`answer ${name}`));

const saidIn = (messages: readonly MessageParam[]): string[] =>
  messages.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
  );
const heardLast = (model: ScriptedModel): string[] => saidIn(model.requests.at(-1)?.messages ?? []);
const conversation = (engine: QueryEngine): string[] =>
  saidIn(engine.getMessages().map(({ message }) => message as MessageParam));

const transcript = async (at: Place): Promise<string> =>
  readFile(path.join(await projectFolder(host, at.home, at.cwd), `${ID}.jsonl`), 'utf8');

describe('rewind of a conversation', () => {
  it('goes on before the message, keeps every line, and is what a resumed session has', async () => {
    const at = await newPlace();
    const { engine, model } = engineAt(at, answers('1', '2', '3', '4'));
    await talk(engine, 'u1', 'u2', 'u3');
    const before = await transcript(at);
    const [, first, ...removed] = engine.getMessages().map(({ uuid }) => uuid);
    expect(await engine.rewind('u2', { scope: 'conversation' })).toEqual({
      status: 'success',
      targetUserMessageId: 'u2',
      scope: 'conversation',
      retainedLeafId: first,
      removedMessageIds: removed,
      rewindId: expect.any(String),
    });
    expect((await transcript(at)).startsWith(before)).toBe(true);
    await engine.close();

    // Before another prompt, and behind one.
    const other = await resumed(at, answers('4', '5'));
    expect(conversation(other.engine)).toEqual(['prompt u1', 'answer 1']);
    await talk(other.engine, 'u4');
    expect(heardLast(other.model)).toEqual(['prompt u1', 'answer 1', 'prompt u4']);
    await other.engine.close();
    const third = await resumed(at, answers('6'));
    expect(conversation(third.engine)).toEqual(['prompt u1', 'answer 1', 'prompt u4', 'answer 4']);
    expect(model.requests).toHaveLength(3);
  });

  it('is what the next prompt of the same session goes on from, with what was spent still counted', async () => {
    const at = await newPlace();
    const { engine, model } = engineAt(at, answers('1', '2', '3'));
    await talk(engine, 'u1', 'u2');
    const spent = engine.getUsage();
    await engine.rewind('u2', { scope: 'conversation' });
    expect(engine.getUsage()).toEqual(spent);
    await talk(engine, 'u3');
    expect(heardLast(model)).toEqual(['prompt u1', 'answer 1', 'prompt u3']);
    expect(engine.getUsage().output_tokens).toBeGreaterThan(spent.output_tokens);
    const total = engine.getUsage();
    await engine.close();
    expect((await resumed(at, [])).engine.getUsage()).toEqual(total);
  });

  it('goes back to before the first message: a session without messages, which can be resumed', async () => {
    const at = await newPlace();
    const { engine } = engineAt(at, answers('1'));
    await talk(engine, 'u1');
    expect(await engine.rewind('u1', { scope: 'conversation' })).toMatchObject({
      status: 'success',
      retainedLeafId: null,
    });
    const spent = engine.getUsage();
    await engine.close();
    const other = await resumed(at, answers('2'));
    expect(conversation(other.engine)).toEqual([]);
    expect(other.engine.getUsage()).toEqual(spent);
    await talk(other.engine, 'u2');
    expect(heardLast(other.model)).toEqual(['prompt u2']);
    await other.engine.close();
    expect(conversation((await resumed(at, [])).engine)).toEqual(['prompt u2', 'answer 2']);
  });

  it('goes forth again to a message that was removed, and takes a rewind back by its id', async () => {
    const at = await newPlace();
    const { engine } = engineAt(at, answers('1', '2', '3'));
    await talk(engine, 'u1', 'u2', 'u3');
    const { rewindId = '' } = await engine.rewind('u1', { scope: 'conversation' });
    expect(conversation(engine)).toEqual([]);
    expect(await engine.rewind('u3', { scope: 'conversation' })).toMatchObject({ removedMessageIds: [] });
    expect(conversation(engine)).toEqual(['prompt u1', 'answer 1', 'prompt u2', 'answer 2']);
    await engine.rewind(rewindId, { scope: 'conversation' });
    const whole = ['prompt u1', 'answer 1', 'prompt u2', 'answer 2', 'prompt u3', 'answer 3'];
    expect(conversation(engine)).toEqual(whole);
    await engine.close();
    expect(conversation((await resumed(at, [])).engine)).toEqual(whole);
  });

  it('works after a restart without a prompt, after the end, and each time from where it is by then', async () => {
    const at = await newPlace();
    const { engine } = engineAt(at, answers('1', '2', '3'));
    await talk(engine, 'u1', 'u2', 'u3');
    await engine.close();
    expect(await engine.rewind('u3', { scope: 'conversation' })).toMatchObject({ status: 'success' });
    const ended = await engine.rewind('u2', { scope: 'conversation' });
    await engine.close();
    const other = await resumed(at, answers('4'));
    expect(conversation(other.engine)).toEqual(['prompt u1', 'answer 1']);
    await other.engine.rewind(ended.rewindId ?? '', { scope: 'conversation' });
    expect(conversation(other.engine)).toEqual(['prompt u1', 'answer 1', 'prompt u2', 'answer 2']);
    await talk(other.engine, 'u4');
    expect(heardLast(other.model)).toEqual(['prompt u1', 'answer 1', 'prompt u2', 'answer 2', 'prompt u4']);
    await other.engine.close();
    expect(conversation((await resumed(at, [])).engine)).toHaveLength(6);
  });

  it('goes back to before a message that joined a prompt, with what came before it', async () => {
    const at = await newPlace();
    const steps = [toolCall('Probe', {}), text('1'), text('2')];
    const probe = probeTool({
      run: async () => {
        engine.queueMessage('and this', { uuid: 'u2' });
        return 'found';
      },
    });
    const { engine, model } = engineAt(at, steps, { tools: [probe] });
    await talk(engine, 'u1');
    expect(engine.getMessages()).toHaveLength(5);
    await engine.rewind('u2', { scope: 'conversation' });
    expect(engine.getMessages()).toHaveLength(3);
    await talk(engine, 'u3');
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(/found.*prompt u3/);
    expect(heardLast(model)).not.toContain('and this');
    await engine.close();
    expect((await resumed(at, [])).engine.getMessages()).toHaveLength(5);
  });

  it('goes behind a compaction, and brings back what that replaced', async () => {
    const at = await newPlace();
    const steps = [...answers('1', '2'), text('<summary>Two prompts.</summary>'), ...answers('3', '4')];
    const { engine, model } = engineAt(at, steps, { commands: await getCommands() });
    await talk(engine, 'u1', 'u2');
    await collect(engine.submitMessage('/compact'));
    await talk(engine, 'u3');
    expect(conversation(engine).join()).not.toContain('answer 1');
    await engine.rewind('u2', { scope: 'conversation' });
    expect(conversation(engine)).toEqual(['prompt u1', 'answer 1']);
    await talk(engine, 'u4');
    expect(heardLast(model)).toEqual(['prompt u1', 'answer 1', 'prompt u4']);
  });

  it('has the todos of that moment, there and in a resumed session', async () => {
    const at = await newPlace();
    const list = (content: string) => toolCall('TodoWrite', { todos: [{ id: '1', content, status: 'pending' }] });
    const { engine, config } = engineAt(at, [list('one'), text('1'), list('two'), text('2')], {
      tools: [todoWriteTool],
    });
    await talk(engine, 'u1', 'u2');
    expect(config.getAppState().todos).toMatchObject([{ content: 'two' }]);
    await engine.rewind('u2', { scope: 'conversation' });
    expect(config.getAppState().todos).toMatchObject([{ content: 'one' }]);
    await engine.close();
    const found = await resumeSession(host, placeIn(await projectFolder(host, at.home, at.cwd), ID));
    expect(found.state.todos).toMatchObject([{ content: 'one' }]);
  });

  it('counts what a prompt cost that did not end, also if nothing else follows', async () => {
    const at = await newPlace();
    const { engine, model } = engineAt(at, answers('1'));
    const priced = { provider: { id: 'anthropic', stream: model.stream }, userSpecifiedModel: 'claude-sonnet-4-5' };
    const paid = engineAt(at, answers('1'), priced).engine;
    await talk(paid, 'u1');
    const cost = paid.getTotalCost();
    expect(cost).toBeGreaterThan(0);
    await Promise.all([engine.close(), paid.close()]);
    // As a crash before the prompt's end leaves it.
    const file = path.join(await projectFolder(host, at.home, at.cwd), `${ID}.jsonl`);
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => !line.includes('turnwright-state'));
    await writeFile(file, lines.join('\n'));
    const { provider: _none, ...config } = (await resumed(at, [])).config;
    const other = new QueryEngine(config);
    expect(await other.rewind('u1', { scope: 'conversation' })).toMatchObject({ status: 'success' });
    expect((await resumed(at, [])).engine.getTotalCost()).toBe(cost);
  });

  it('works for a session that is kept in memory alone, and for one in a store alone', async () => {
    const at = await newPlace();
    const alone = engineAt(at, answers('1', '2', '3'), { persistSession: false });
    await talk(alone.engine, 'u1', 'u2');
    expect(await alone.engine.rewind('u2', { scope: 'conversation' })).toMatchObject({ status: 'success' });
    await talk(alone.engine, 'u3');
    expect(heardLast(alone.model)).toEqual(['prompt u1', 'answer 1', 'prompt u3']);

    const stored = engineAt(at, answers('1', '2', '3'), { persistSession: false, sessionStore: createMemoryStore() });
    await talk(stored.engine, 'u1', 'u2');
    await stored.engine.rewind('u1', { scope: 'conversation' });
    await stored.engine.rewind('u2', { scope: 'conversation' });
    await talk(stored.engine, 'u3');
    expect(heardLast(stored.model)).toEqual(['prompt u1', 'answer 1', 'prompt u3']);
    expect(await readdir(at.home)).toEqual([]);
  });

  it('says on a dry run what would go, and changes nothing', async () => {
    const at = await newPlace();
    const { engine } = engineAt(at, answers('1', '2'));
    await talk(engine, 'u1', 'u2');
    const before = await transcript(at);
    const dry = await engine.rewind('u2', { scope: 'conversation', dryRun: true });
    expect(dry).toMatchObject({ status: 'ready', removedMessageIds: ['u2', expect.any(String)] });
    expect(dry).not.toHaveProperty('rewindId');
    expect(await transcript(at)).toBe(before);
    expect(conversation(engine)).toHaveLength(4);
  });
});

describe('rewind of both', () => {
  const write = (content: string) => toolCall('Write', { file_path: 'a.txt', content });
  const checkpointed = { tools: [writeTool], enableFileCheckpointing: true, readFileCache: everythingSeen() };

  it('sets files and conversation back, and takes both back by one id, across a restart', async () => {
    const at = await newPlace();
    const file = path.join(at.cwd, 'a.txt');
    const { engine } = engineAt(
      at,
      [write('one'), text('1'), ...answers('2'), write('three'), text('3')],
      checkpointed,
    );
    await talk(engine, 'u1', 'u2', 'u3');
    const result = await engine.rewind('u3');
    expect(result).toMatchObject({ status: 'success', scope: 'both', filesChanged: [file], failedFiles: [] });
    expect(await readFile(file, 'utf8')).toBe('one');
    expect(conversation(engine).at(-1)).toBe('answer 2');
    // A rewind that changes no file is a moment to come back to as well.
    const second = await engine.rewind('u2');
    expect(second).toMatchObject({ status: 'success', filesChanged: [] });
    await engine.close();

    const other = await resumed(at, [write('four'), text('4')], checkpointed);
    await talk(other.engine, 'u4');
    expect(await other.engine.rewind(second.rewindId ?? '')).toMatchObject({ status: 'success', filesChanged: [file] });
    expect(await readFile(file, 'utf8')).toBe('one');
    expect(conversation(other.engine).at(-1)).toBe('answer 2');
    expect(await other.engine.rewind(result.rewindId ?? '')).toMatchObject({ status: 'success' });
    expect(await readFile(file, 'utf8')).toBe('three');
    expect(conversation(other.engine).at(-1)).toBe('3');
  });

  it('is partial if the user changed a file, and says which', async () => {
    const at = await newPlace();
    const { engine } = engineAt(at, [write('one'), text('1')], checkpointed);
    await talk(engine, 'u1');
    await writeFile(path.join(at.cwd, 'a.txt'), 'mine');
    const result = await engine.rewind('u1');
    expect(result).toMatchObject({
      status: 'partial',
      failedFiles: [{ path: path.join(at.cwd, 'a.txt'), error: expect.stringContaining('changed by somebody else') }],
      files: { conflicts: [{ reason: 'changed_since' }] },
    });
    expect(conversation(engine)).toEqual([]);
    expect(await readFile(path.join(at.cwd, 'a.txt'), 'utf8')).toBe('mine');
  });

  it('leaves the conversation as it is if there is no checkpoint', async () => {
    const at = await newPlace();
    const { engine } = engineAt(at, answers('1', '2'));
    await talk(engine, 'u1');
    expect(await engine.rewind('u1')).toMatchObject({
      status: 'rejected',
      error: expect.stringContaining('scope conversation'),
    });
    expect(await engine.rewind('u1', { dryRun: true })).toMatchObject({ status: 'rejected' });
    await engine.close();
    const other = await resumed(at, answers('2'), checkpointed);
    await talk(other.engine, 'u2');
    expect(await other.engine.rewind('u1')).toMatchObject({
      status: 'rejected',
      error: expect.stringContaining('no checkpoint'),
    });
    expect(conversation(other.engine)).toHaveLength(4);
  });

  it('says with the scope files what rewindFiles says', async () => {
    const at = await newPlace();
    const { engine } = engineAt(at, [write('one'), text('1')], checkpointed);
    await talk(engine, 'u1');
    const files = await engine.rewindFiles('u1', { dryRun: true });
    expect(await engine.rewind('u1', { scope: 'files', dryRun: true })).toMatchObject({ status: 'ready', files });
    expect(await engine.rewind('u1', { scope: 'files' })).toMatchObject({
      status: 'success',
      rewindId: expect.any(String),
    });
    expect(conversation(engine)).not.toEqual([]);
    expect(await engine.rewind('u9', { scope: 'files' })).toMatchObject({
      status: 'rejected',
      error: expect.any(String),
    });
  });
});

describe('rewind is refused', () => {
  const refused = async (engine: QueryEngine, uuid: string): Promise<string> => {
    const result = await engine.rewind(uuid, { scope: 'conversation' });
    expect(result).toMatchObject({ status: 'rejected', targetUserMessageId: uuid });
    return result.error ?? '';
  };

  it('for a message that is not there, and for one that nobody typed', async () => {
    const at = await newPlace();
    const { engine } = engineAt(at, [toolCall('Probe', {}), text('1')], { tools: [probeTool()] });
    expect(await refused(engine, 'u1')).toContain('no message "u1"');
    await talk(engine, 'u1');
    expect(await refused(engine, 'u7')).toContain('no message "u7"');
    const [, reply, result] = engine.getMessages();
    expect(await refused(engine, reply?.uuid ?? '')).toContain('not a message of the user');
    expect(await refused(engine, result?.uuid ?? '')).toContain('not a message of the user');
    expect(await engine.rewind('u1', { scope: 'all' as 'both' })).toMatchObject({
      status: 'rejected',
      error: expect.stringContaining('conversation, files, both'),
    });
    expect(engine.getMessages()).toHaveLength(4);
  });

  it('for a message of a subagent, which is named', async () => {
    const at = await newPlace();
    const model = modelOfAgents({ main: [delegate('scout', 'look'), text('seen')], scout: [text('nothing there')] });
    const more = { agents: [agent('scout')], tools: [agentTool] };
    const { engine } = engineAt(at, [], { ...more, provider: model });
    await talk(engine, 'u1');
    const folder = path.join(await projectFolder(host, at.home, at.cwd), ID, 'subagents');
    const [name = ''] = (await readdir(folder)).filter((file) => file.endsWith('.jsonl'));
    const [first = ''] = (await readFile(path.join(folder, name), 'utf8')).split('\n');
    const { uuid, agentId } = JSON.parse(first) as { uuid: string; agentId: string };
    expect(await refused(engine, uuid)).toContain(`message of the subagent ${agentId}`);
  });

  it('while a prompt runs, and if another writer has the session', async () => {
    const at = await newPlace();
    const { engine } = engineAt(at, answers('1', '2'));
    await talk(engine, 'u1');
    const other = await resumed(at, []);
    expect(await refused(other.engine, 'u1')).toMatch(/session.*(use|written)/i);
    expect(conversation(other.engine)).toHaveLength(2);
    const running = engine.submitMessage('prompt u2', { uuid: 'u2' });
    await running.next();
    expect(await refused(engine, 'u1')).toContain('still runs');
    await collect(running);
    expect(conversation(engine)).toHaveLength(4);
  });
});
