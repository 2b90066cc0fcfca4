// A session that moves to a worktree and back: where it works, what its rules say there, and what stays of it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import { parseRule } from '../../../src/permissions/rule.js';
import type { QueryEngineConfig } from '../../../src/session/config/config.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { getTools } from '../../../src/tools/builtin.js';
import { resultOf } from '../../support/agents.js';
import { temporaryFolder, testEngine } from '../../support/engine.js';
import { commitIn, gitIn, recordsIn, repository } from '../../support/worktrees.js';

let top: string;
let tree: string;
let home: string;
beforeEach(async () => {
  [top, home] = [await repository(), await temporaryFolder()];
  tree = path.join(top, '.worktrees/topic');
});

const enter = (name: string | undefined = 'topic') =>
  toolCall('EnterWorktree', name === undefined ? {} : { name }, 'toolu_enter');
const leave = (action: string, more: Record<string, unknown> = {}, id = 'toolu_exit') =>
  toolCall('ExitWorktree', { action, ...more }, id);
const bash = (command: string, id: string) => toolCall('Bash', { command }, id);

async function session(calls: readonly ReturnType<typeof toolCall>[], config: Partial<QueryEngineConfig> = {}) {
  const model = scriptedModel([...calls, text('done')]);
  const made = await testEngine(model, {
    tools: await getTools(),
    cwd: top,
    env: { TURNWRIGHT_HOME: home },
    ...config,
  });
  const messages = await collect(made.engine.submitMessage('Go.'));
  return { ...made, model, messages, of: (id: string) => resultOf(messages, id) };
}

const rules = (more: Partial<NonNullable<QueryEngineConfig['permissions']>> = {}): Partial<QueryEngineConfig> => ({
  permissions: { mode: 'acceptEdits', deny: [], ask: [], allow: [], roots: [top], ...more },
  canUseTool: async () => ({ behavior: 'deny', message: 'nobody said yes' }),
});

describe('a session in a worktree', () => {
  it('works there with every tool, and in its folder again afterwards', async () => {
    const { of, engine } = await session([
      enter(),
      bash('pwd; git branch --show-current', 'toolu_in'),
      toolCall('Write', { file_path: 'new.txt', content: 'x' }),
      bash('git add -A; git -c user.name=A -c user.email=a@b -c commit.gpgsign=false commit -qm new', 'toolu_commit'),
      leave('keep'),
      bash('pwd; ls', 'toolu_out'),
    ]);
    expect(of('toolu_enter').data).toEqual({ worktree_path: tree, branch_name: 'worktree-topic', success: true });
    expect(of('toolu_enter').text).toContain(`[The working directory is now ${tree}.]`);
    expect(of('toolu_in').text).toBe(`${tree}\nworktree-topic`);
    expect(of('toolu_exit')).toMatchObject({ isError: false, data: { success: true } });
    expect(of('toolu_out').text).toBe(`${top}\na.txt\npackages`);
    expect(readFileSync(path.join(tree, 'new.txt'), 'utf8')).toBe('x');
    await engine.close();
    expect(engine.takeClosingMessages()).toEqual([]);
  });

  it('loses nothing without a word, and says what it would be', async () => {
    const { of } = await session([
      enter(),
      toolCall('Write', { file_path: 'new.txt', content: 'x' }),
      leave('remove', {}, 'toolu_refused'),
      bash('pwd', 'toolu_still'),
      leave('remove', { discard_changes: true }),
    ]);
    expect(of('toolu_refused')).toMatchObject({
      isError: true,
      data: { success: false, uncommitted_files: ['?? new.txt'], unmerged_commits: [] },
    });
    expect(of('toolu_refused').text).toContain('?? new.txt');
    expect(of('toolu_still').text).toBe(tree);
    expect(of('toolu_exit').data).toEqual({ success: true });
    expect(existsSync(path.join(top, '.worktrees'))).toBe(false);
  });

  it('is in one at a time, and leaves only one that it is in', async () => {
    const { of } = await session([
      leave('keep', {}, 'toolu_none'),
      enter(),
      toolCall('EnterWorktree', { name: 'b' }, 'toolu_two'),
    ]);
    expect(of('toolu_none').text).toContain('in no worktree');
    expect(of('toolu_two').text).toContain('The session is in the worktree topic. Leave it first');
  });

  it('enters again what was kept, by its name', async () => {
    const { of } = await session([enter(), leave('keep'), toolCall('EnterWorktree', { name: 'topic' }, 'toolu_again')]);
    expect(of('toolu_again').text).toContain('The worktree that was kept is at');
  });
});

describe('rules of a session in a worktree', () => {
  it('keep there what they keep in its folder, by whatever pattern', async () => {
    commitIn(top, 'secrets/key', 'k');
    commitIn(top, 'packages/app/.env', 'e');
    const rule = (source: string, base = top) => parseRule(source, { origin: 'session', base });
    const { of } = await session(
      [
        enter(),
        toolCall('Read', { file_path: 'secrets/key' }, 'toolu_base'),
        toolCall('Read', { file_path: 'packages/app/.env' }, 'toolu_name'),
        toolCall('Read', { file_path: 'a.txt' }, 'toolu_root'),
        toolCall('Read', { file_path: path.join(top, 'secrets/key') }, 'toolu_outside'),
        toolCall('Read', { file_path: 'packages/app/b.txt' }, 'toolu_free'),
        bash('cat secrets/key', 'toolu_bash'),
      ],
      rules({
        mode: 'bypassPermissions',
        deny: [rule('Read(/secrets/**)'), rule('Read(.env)'), rule(`Read(/${top}/a.txt)`)],
      }),
    );
    for (const id of ['toolu_base', 'toolu_name', 'toolu_root', 'toolu_outside', 'toolu_bash'])
      expect([id, of(id).isError]).toEqual([id, true]);
    expect(of('toolu_free').text).toContain('two');
  });

  it('let it write there, and not in the folder that it left', async () => {
    const { of } = await session(
      [
        enter(),
        toolCall('Write', { file_path: 'in.txt', content: 'x' }, 'toolu_in'),
        toolCall('Write', { file_path: path.join(top, 'out.txt'), content: 'x' }, 'toolu_out'),
        bash(`cd ${top}`, 'toolu_cd'),
        leave('keep'),
        toolCall('Write', { file_path: 'out.txt', content: 'x' }, 'toolu_back'),
      ],
      rules({ allow: [parseRule('Bash', { origin: 'session', base: top })] }),
    );
    expect(of('toolu_in').isError).toBe(false);
    expect(of('toolu_out').text).toContain('nobody said yes');
    expect(of('toolu_cd').text).toContain('which is outside of the workspace');
    expect(of('toolu_back').isError).toBe(false);
  });

  it('ask before work is thrown away, whatever the mode lets through else', async () => {
    const { of } = await session(
      [enter(), toolCall('Write', { file_path: 'in.txt', content: 'x' }), leave('remove', { discard_changes: true })],
      rules(),
    );
    expect(of('toolu_exit').text).toContain('nobody said yes');
    expect(readFileSync(path.join(tree, 'in.txt'), 'utf8')).toBe('x');
  });
});

describe('what stays of a worktree when the session ends', () => {
  it('is nothing if nothing would be lost', async () => {
    const { engine } = await session([enter()]);
    await engine.close();
    expect(existsSync(path.join(top, '.worktrees'))).toBe(false);
    expect(engine.takeClosingMessages()).toEqual([]);
  });

  it('is all of it if there is work, and that is told', async () => {
    const { engine } = await session([enter(), toolCall('Write', { file_path: 'new.txt', content: 'x' })]);
    await engine.close();
    expect(engine.takeClosingMessages()).toMatchObject([{ subtype: 'notice', code: 'worktree_left' }]);
    expect(readFileSync(path.join(tree, 'new.txt'), 'utf8')).toBe('x');
    const next = await session([toolCall('EnterWorktree', { name: 'topic' }, 'toolu_enter')]);
    expect(next.of('toolu_enter').isError).toBe(false);
  });

  it('is told at the next start if the process died', async () => {
    const { engine } = await session([enter(), toolCall('Write', { file_path: 'new.txt', content: 'x' })]);
    const file = path.join(await recordsIn({ host: createNodeHost(), folder: top, home }), 'topic.json');
    const record = JSON.parse(readFileSync(file, 'utf8'));
    await engine.close();
    writeFileSync(file, JSON.stringify({ ...record, process: { ...record.process, started: '1' } }));
    const { messages } = await session([]);
    expect(messages).toContainEqual(
      expect.objectContaining({ code: 'worktree_left', message: expect.stringContaining('topic') }),
    );
  });

  it('is for the session of a folder below its repository beside that folder', async () => {
    const { of } = await session([enter(), bash('pwd', 'toolu_pwd')], { cwd: path.join(top, 'packages/app') });
    expect(of('toolu_pwd').text).toBe(path.join(top, 'packages/app/.worktrees/topic/packages/app'));
  });
});

it('hooks make and remove it in place of git, and hear of the move', async () => {
  const heard: string[] = [];
  const copy = path.join(top, 'copy');
  const { of } = await session([enter(), bash('pwd', 'toolu_pwd'), leave('remove', { discard_changes: true })], {
    hooks: {
      WorktreeCreate: [
        {
          hooks: [
            async () => {
              mkdirSync(copy);
              return { hookSpecificOutput: { hookEventName: 'WorktreeCreate', worktreePath: copy } };
            },
          ],
        },
      ],
      WorktreeRemove: [
        {
          hooks: [
            async (input) => {
              heard.push(input.hook_event_name);
              gitIn(top, 'clean', '-fdxq', 'copy');
              return {};
            },
          ],
        },
      ],
      CwdChanged: [
        {
          hooks: [
            async (input) => {
              if (input.hook_event_name === 'CwdChanged') heard.push(input.new_cwd);
              return {};
            },
          ],
        },
      ],
    },
  });
  expect(of('toolu_enter').data).toEqual({ worktree_path: copy, branch_name: '', success: true });
  expect(of('toolu_pwd').text).toBe(copy);
  expect(of('toolu_exit').isError).toBe(false);
  expect(heard).toEqual([copy, 'WorktreeRemove', top]);
});
