// The working directory of an agent: it lasts from call to call, stays within the workspace, and all tools, rules, hooks and
// texts mean the same one.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseRule } from '../../src/permissions/rule.js';
import type { HookInput } from '../../src/protocol/hooks.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { getTools } from '../../src/tools/builtin.js';
import { agent, delegate, modelOfAgents } from '../support/agents.js';
import { lastTexts } from '../support/background-tasks.js';
import { temporaryFolder, testEngine } from '../support/engine.js';
import { gitIn } from '../support/worktrees.js';

let folder: string;
beforeEach(async () => {
  folder = await realpath(await temporaryFolder());
  mkdirSync(path.join(folder, 'sub/inner'), { recursive: true });
  writeFileSync(path.join(folder, 'f.txt'), 'outer\n');
  writeFileSync(path.join(folder, 'sub/f.txt'), 'inner\n');
});

const bash = (command: string, more: Record<string, unknown> = {}) => toolCall('Bash', { command, ...more });

/** Runs the calls one after the other in one prompt; the text of each result. */
async function results(calls: readonly ReturnType<typeof toolCall>[], config: Partial<QueryEngineConfig> = {}) {
  const model = scriptedModel([...calls, text('done')]);
  const made = await testEngine(model, { tools: await getTools(), cwd: folder, ...config });
  const messages = await collect(made.engine.submitMessage('Go.'));
  return { ...made, model, messages, told: calls.map((_, at) => lastTexts(model, at + 1).join('\n')) };
}

describe('the working directory', () => {
  it('lasts from one command to the next, and the model is told', async () => {
    const { told } = await results([
      bash('cd sub && echo in'),
      bash('pwd; exit 3'),
      bash('cd inner; cd ..'),
      bash('cd'),
    ]);
    expect(told[0]).toBe(`in\n[The working directory is now ${path.join(folder, 'sub')}.]`);
    expect(told[1]).toBe(`${path.join(folder, 'sub')}\nExit code 3`);
    expect(told[2]).toBe('(no output)');
  });

  it('is the one of file tools, searches and commands in the background too', async () => {
    const { told } = await results([
      bash('cd sub'),
      toolCall('Read', { file_path: 'f.txt' }),
      toolCall('Glob', { pattern: '*.txt' }),
      toolCall('Grep', { pattern: 'inner|outer', output_mode: 'content' }),
      toolCall('Write', { file_path: 'new.txt', content: 'x' }),
      bash('pwd > where', { run_in_background: true }),
      bash('until [ -s where ]; do sleep 0.02; done; cat where; ls; cat ../where 2>&1'),
    ]);
    expect(told[1]).toContain('inner');
    expect(told[2]).not.toContain('sub/sub');
    expect(told[3]).toMatch(/^f\.txt:1:inner/m);
    expect(told[3]).not.toContain('outer');
    expect(told[6]).toContain(path.join(folder, 'sub'));
    expect(told[6]).toContain('new.txt');
    expect(told[6]).toContain('../where: No such file');
  });

  it.each([
    ['leaves the workspace', () => 'cd /', '/, which is outside of the workspace'],
    ['leaves it through a link', () => 'cd link', '/usr, which is outside of the workspace'],
    ['says that it did', () => 'PWD=/usr', '/usr, which is outside of the workspace'],
  ])('is set back where a command %s', async (_what, command, where) => {
    symlinkSync('/usr', path.join(folder, 'link'));
    const { told } = await results([bash(command()), bash('pwd')]);
    expect(told[0]).toBe(`[The working directory is ${folder} again: the command ended in ${where}.]`);
    expect(told[1]).toBe(folder);
  });

  it.each([
    ['gives the shell away', 'cd sub; exec true'],
    ['is killed', 'cd sub; kill -9 $$'],
    ['runs out of time', 'cd sub; sleep 30'],
    ['takes the end of the shell for itself', "trap 'echo bye' EXIT; cd sub"],
  ])('stays, and that is told, where a command %s', async (_what, command) => {
    const { told } = await results([bash(command, { timeout: 300 }), bash('pwd')]);
    expect(told[0]).toContain(`[The working directory is still ${folder}.]`);
    expect(told[1]).toBe(folder);
  });

  it('stays as it is after a subshell, and nothing is said', async () => {
    const { told } = await results([bash('(cd sub && cat f.txt)'), bash('pwd')]);
    expect(told).toEqual(['inner', folder]);
  });

  it('leaves a command as it was: its words, its numbers, its end', async () => {
    const { told } = await results([
      bash('echo "$0 $# [$1] $@"; set -- a b; echo $#'),
      bash('echo one; echo two >&2; (exit 7)'),
      bash('echo a\nno-such-program\nexit 0'),
      bash('set -eu; false; echo not'),
      bash('cat <<X\nhere\nX\n'),
      bash('exec 3>&1 97>/dev/null; echo three >&3; cd sub'),
      bash('printf "\\0x" >&2'),
      bash('-x'),
    ]);
    expect(told[0]).toBe('/bin/bash 0 [] \n2');
    expect(told[1]).toBe('one\n[stderr]\ntwo\nExit code 7');
    expect(told[2]).toContain('line 2: no-such-program: command not found');
    expect(told[3]).toBe('Exit code 1');
    expect(told[4]).toBe('here');
    expect(told[5]).toContain('three');
    expect(told[6]).toBe('\0x');
    expect(told[7]).toContain('command not found');
  });

  it('that is gone is told before anything is done elsewhere', async () => {
    const { told, model } = await results([
      bash('cd sub/inner'),
      bash(`rm -r ${path.join(folder, 'sub/inner')}`),
      toolCall('Write', { file_path: 'x.txt', content: 'x' }),
      bash('ls'),
    ]);
    expect(told[2]).toBe(
      `The working directory ${path.join(folder, 'sub/inner')} is gone, or was replaced. Nothing was done. [The working directory is now ${folder}.]`,
    );
    expect(told[3]).not.toContain('x.txt');
    expect(model.violations).toEqual([]);
  });

  it('that a link took the place of is not followed', async () => {
    const { told } = await results([
      bash('cd sub/inner'),
      bash(`cd ${folder}/sub/inner && mv ../inner ../gone && ln -s /usr ../inner`),
      bash('ls'),
    ]);
    // A line of its own: the random name of a folder may hold it.
    expect(told.join('\n')).not.toMatch(/^s?bin$/m);
  });
});

describe('what else means the working directory', () => {
  it('are rules: a relative path is decided against it', async () => {
    const calls: string[] = [];
    const { told } = await results(
      [bash('cd sub'), toolCall('Read', { file_path: '../f.txt' }), bash('cat ../f.txt'), bash('cat f.txt')],
      {
        permissions: {
          mode: 'default',
          deny: [parseRule('Read(/f.txt)', { origin: 'session', base: folder })],
          ask: [],
          allow: [parseRule('Bash', { origin: 'session', base: folder })],
          roots: [folder],
        },
        canUseTool: async (name) => {
          calls.push(name);
          return { behavior: 'deny', message: 'no' };
        },
      },
    );
    expect(told[1]).toContain('denied');
    expect(told[2]).toContain('denied');
    expect(told[3]).toBe('inner');
    expect(calls).toEqual([]);
  });

  it('is git that only reads: in a part of the repository as in its top, in another that starts something not', async () => {
    gitIn(folder, 'init', '-q');
    gitIn(path.join(folder, 'sub/inner'), 'init', '-q');
    gitIn(path.join(folder, 'sub/inner'), 'init', '-q', 'acting');
    gitIn(path.join(folder, 'sub/inner/acting'), 'config', 'core.fsmonitor', './x');
    const asked: unknown[] = [];
    const calls = [
      'cd sub',
      'git status --short',
      'cd inner',
      'git status --short',
      'cd acting',
      'git status --short ',
    ];
    await results(
      calls.map((call) => bash(call)),
      {
        permissions: {
          mode: 'default',
          deny: [],
          ask: [],
          allow: [parseRule('Bash(cd *)', { origin: 'session', base: folder })],
          roots: [folder],
          isTrusted: true,
        },
        canUseTool: async (_name, input) => {
          asked.push(input['command']);
          return { behavior: 'deny', message: 'no' };
        },
      },
    );
    expect(asked).toEqual(['git status --short ']);
  });

  it('are hooks: CwdChanged is heard once for each change, and every input has it', async () => {
    const heard: HookInput[] = [];
    const hook = {
      hooks: [
        async (input: HookInput) => {
          heard.push(input);
          return {};
        },
      ],
    };
    await results([bash('cd sub'), bash('true'), bash('cd /'), bash('cd ..')], {
      hooks: { CwdChanged: [hook], PostToolUse: [hook] },
    });
    const sub = path.join(folder, 'sub');
    expect(heard.filter(({ hook_event_name: name }) => name === 'CwdChanged')).toMatchObject([
      { old_cwd: folder, new_cwd: sub },
      { old_cwd: sub, new_cwd: folder },
    ]);
    const after = heard.filter(({ hook_event_name: name }) => name === 'PostToolUse');
    expect(after.map(({ cwd }) => cwd)).toEqual([sub, sub, sub, folder]);
  });

  it('is told with the next prompt as long as the system prompt says another, and system/init has it', async () => {
    const model = scriptedModel([bash('cd sub'), text('one'), text('two'), text('three')]);
    const { engine } = await testEngine(model, { tools: await getTools(), cwd: folder });
    await collect(engine.submitMessage('Go.'));
    const [init] = await collect(engine.submitMessage('On.'));
    await collect(engine.submitMessage('On.'));
    const line = `Working directory: ${path.join(folder, 'sub')}`;
    expect(init).toMatchObject({ subtype: 'init', cwd: path.join(folder, 'sub') });
    expect(lastTexts(model, 2).join('\n')).toContain(line);
    expect(lastTexts(model, 3).join('\n')).not.toContain(line);
    expect(
      model.requests.map(({ system }) => JSON.stringify(system).includes(`Working directory: ${folder}\\n`)),
    ).toEqual([true, true, true, true]);
  });

  it('begins anew with /clear, and is told again after a rewind', async () => {
    const model = scriptedModel([text('zero'), bash('cd sub'), text('one'), text('two'), bash('pwd'), text('three')]);
    const { getCommands } = await import('../../src/context/slash-commands.js');
    const { engine } = await testEngine(model, { tools: await getTools(), commands: await getCommands(), cwd: folder });
    await collect(engine.submitMessage('Hello.'));
    await collect(engine.submitMessage('Go.', { uuid: '11111111-1111-4111-8111-111111111111' }));
    expect(await engine.rewind('11111111-1111-4111-8111-111111111111', { scope: 'conversation' })).toMatchObject({
      status: 'success',
    });
    await collect(engine.submitMessage('Again.'));
    expect(lastTexts(model, 3).join('\n')).toContain(`Working directory: ${path.join(folder, 'sub')}`);
    await collect(engine.submitMessage('/clear'));
    await collect(engine.submitMessage('Where?'));
    expect(lastTexts(model, 5).join('\n')).toBe(folder);
  });

  it('is of each subagent its own: it begins where its caller is, and takes nobody along', async () => {
    const model = modelOfAgents({
      main: [bash('cd sub'), delegate('worker', 'Look.'), bash('pwd'), text('done')],
      worker: [bash('pwd; cd inner'), bash('pwd'), text('report')],
    });
    const { engine } = await testEngine(model, { tools: await getTools(), cwd: folder, agents: [agent('worker')] });
    await collect(engine.submitMessage('Go.'));
    const sub = path.join(folder, 'sub');
    const said = (who: string, at: number) => JSON.stringify(model.asked[who]?.[at]?.messages.at(-1));
    expect(said('worker', 1)).toContain(`${sub}\\n[The working directory is now ${path.join(sub, 'inner')}.]`);
    expect(said('worker', 2)).toContain(path.join(sub, 'inner'));
    expect(said('main', 3)).toContain(`"${sub}"`);
    expect(JSON.stringify(model.asked['worker']?.[0]?.system)).toContain(`Working directory: ${sub}\\n`);
  });
});

it('a folder that is removed between two prompts does no harm to the session', async () => {
  const model = scriptedModel([bash('cd sub'), text('one'), bash('pwd'), bash('pwd'), text('two')]);
  const { engine } = await testEngine(model, { tools: await getTools(), cwd: folder });
  await collect(engine.submitMessage('Go.'));
  rmSync(path.join(folder, 'sub'), { recursive: true });
  await collect(engine.submitMessage('On.'));
  expect(lastTexts(model, 3).join('\n')).toContain('Nothing was done.');
  expect(lastTexts(model, 4).join('\n')).toBe(folder);
});
