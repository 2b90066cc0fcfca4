// Checkpoints within a session: hooks, interrupts, messages that come while a prompt runs, and sessions without.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { collect } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { agentTool } from '../../../src/tools/agent.js';
import { bashTool } from '../../../src/tools/bash.js';
import { writeTool } from '../../../src/tools/files.js';
import { agent, delegate, modelOfAgents } from '../../support/agents.js';
import { bash, freshFolder, rewindSession, shell, snapshot, write } from '../../support/checkpoints.js';

const read = (folder: string, name: string): string => readFileSync(path.join(folder, name), 'utf8');

describe('checkpoints in a session', () => {
  it('count what a hook makes of a file that a call wrote as done by the call', async () => {
    const folder = freshFolder();
    writeFileSync(path.join(folder, 'a'), 'one');
    const format = async () => {
      writeFileSync(path.join(folder, 'a'), 'formatted');
      return {};
    };
    const session = rewindSession({ folder, config: { hooks: { PostToolUse: [{ hooks: [format] }] } } });
    await session.prompt('p1', write('a', 'agent'));
    expect(read(folder, 'a')).toBe('formatted');
    expect(await session.engine.rewindFiles('p1')).toMatchObject({ conflicts: [] });
    expect(read(folder, 'a')).toBe('one');
  });

  it('have what a command did that was interrupted', async () => {
    const session = rewindSession();
    const { folder, engine } = session;
    writeFileSync(path.join(folder, 'a'), 'one');
    const before = snapshot(folder);
    for await (const message of engine.submitMessage('go', { uuid: 'p0' })) void message;
    const running = session.prompt('p1', bash('echo agent > a; mkdir made; touch made/started; sleep 60'));
    await until(() => existsSync(path.join(folder, 'made/started')));
    engine.interrupt();
    expect((await running).at(-1)).toMatchObject({ type: 'result', terminal_reason: 'aborted' });
    expect(await engine.rewindFiles('p1')).toMatchObject({ canRewind: true, conflicts: [] });
    expect(snapshot(folder)).toEqual(before);
  });

  it('have it too if the session was closed meanwhile', async () => {
    const session = rewindSession();
    const { folder, engine } = session;
    writeFileSync(path.join(folder, 'a'), 'one');
    const running = session.prompt('p1', bash('echo agent > a; touch started; sleep 60'));
    await until(() => existsSync(path.join(folder, 'started')));
    await engine.close();
    await running;
    expect(readdirSync(session.storeFolder()).sort()).toEqual(['blobs', 'journal.jsonl']);
    const later = rewindSession({ folder, home: session.home, id: session.id });
    expect(await later.engine.rewindFiles('p1')).toMatchObject({ conflicts: [] });
    expect(snapshot(folder)).toEqual({ a: 'file 644 one' });
  });

  it('have what subagents did side by side', async () => {
    const folder = freshFolder();
    writeFileSync(path.join(folder, 'a'), 'one');
    writeFileSync(path.join(folder, 'b'), 'two');
    const before = snapshot(folder);
    const model = modelOfAgents({
      main: [reply(delegate('left', 'Go.'), delegate('right', 'Go.')), text('Done.')],
      left: [toolCall(...write('a', 'left')), toolCall(...bash('mkdir made; echo left > made/left')), text('ok')],
      right: [toolCall(...bash('echo right > b; touch right')), toolCall(...write('c', 'right')), text('ok')],
    });
    const { engine } = rewindSession({
      folder,
      config: {
        provider: model,
        tools: [agentTool, bashTool, writeTool],
        agents: [agent('left'), agent('right')],
        customSystemPrompt: 'main',
      },
    });
    await collect(engine.submitMessage('go', { uuid: 'p1' }));
    expect(Object.keys(snapshot(folder)).sort()).toEqual(['a', 'b', 'c', 'made', 'made/left', 'right']);
    expect(await engine.rewindFiles('p1')).toMatchObject({ canRewind: true, conflicts: [] });
    expect(snapshot(folder)).toEqual(before);
  });

  it('are refused while a prompt runs', async () => {
    const session = rewindSession();
    const stream = session.engine.submitMessage('go', { uuid: 'p1' });
    await stream.next();
    expect(await session.engine.rewindFiles('p1')).toMatchObject({
      canRewind: false,
      error: expect.stringContaining('still runs'),
    });
    await collect(stream);
    expect(await session.engine.rewindFiles('p1')).toMatchObject({ canRewind: true, filesChanged: [] });
  });

  it('have one for a message that came while a prompt ran', async () => {
    const session = rewindSession();
    const { folder, engine } = session;
    let turn = 0;
    await session.promptWith('p1', () => {
      turn += 1;
      if (turn === 1) engine.queueMessage('and now this', { uuid: 'p2' });
      return turn <= 2 ? write('a', `turn ${turn}`) : null;
    });
    expect(read(folder, 'a')).toBe('turn 2');
    await engine.rewindFiles('p2');
    expect(read(folder, 'a')).toBe('turn 1');
    await engine.rewindFiles('p1');
    expect(snapshot(folder)).toEqual({});
  });

  it('are not made, and cost no file, if nobody wants them', async () => {
    const session = rewindSession({ config: { enableFileCheckpointing: false } });
    const messages = await session.prompt('p1', write('a', 'x'), bash('echo y > b'));
    expect(messages).not.toContainEqual(expect.objectContaining({ subtype: 'files_persisted' }));
    await session.engine.close();
    expect(existsSync(session.storeFolder())).toBe(false);
  });

  it('say what happened while the session went on without them', async () => {
    const session = rewindSession();
    await session.prompt('p1', write('a', 'x'));
    const without = await session.restart({ enableFileCheckpointing: false });
    await without.prompt('p2', write('b', 'y'));
    const later = await without.restart({ enableFileCheckpointing: true });
    expect((await later.engine.rewindFiles('p1')).notCovered).toEqual([
      expect.objectContaining({ reason: 'not_recorded' }),
    ]);
    expect(snapshot(session.folder)).toEqual({ b: 'file 644 y' });
  });

  it('cannot be had without a session on disk', async () => {
    const session = rewindSession({ config: { persistSession: false } });
    expect((await session.prompt('p1')).at(-1)).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringContaining('persistSession')],
    });
  });

  it('leave folders alone that hold the sessions themselves', async () => {
    const folder = freshFolder();
    shell(folder, 'mkdir home; echo one > a');
    const session = rewindSession({ folder, home: path.join(folder, 'home') });
    await session.prompt('p1', bash('echo agent > a'));
    expect((await session.engine.rewindFiles('p1')).filesChanged).toEqual([path.join(folder, 'a')]);
  });
});

/** Asks again until it is so. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a session that another process works on', () => {
  it('is not set back, but may be looked at', async () => {
    const session = rewindSession();
    await session.prompt('p1', write('a', 'x'));
    const other = rewindSession({ folder: session.folder, home: session.home, id: session.id });
    expect(await other.engine.rewindFiles('p1', { dryRun: true })).toMatchObject({ canRewind: true });
    expect(await other.engine.rewindFiles('p1')).toMatchObject({
      canRewind: false,
      error: expect.stringContaining('in use'),
    });
    await session.engine.close();
    expect(await other.engine.rewindFiles('p1')).toMatchObject({ canRewind: true });
    expect(snapshot(session.folder)).toEqual({});
  });

  it('leaves no trace if there is no such session', async () => {
    const session = rewindSession();
    expect(await session.engine.rewindFiles('p1')).toMatchObject({ canRewind: false });
    expect(readdirSync(session.home)).toEqual([]);
  });
});
