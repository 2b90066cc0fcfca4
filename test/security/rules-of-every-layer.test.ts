// The rules hold whoever changes, delays or carries a call: hooks, hosts, waiting questions and calls, prompts that name files,
// agents and their worktrees, servers with names that look like others.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mcpServerRule, mcpToolName } from '../../src/mcp/tool-names.js';
import { parsePathPattern, restrictsPath } from '../../src/permissions/path-pattern.js';
import { parseRule, ruleMatchesTool } from '../../src/permissions/rule.js';
import { allowsName, restrictsName, restrictsTool } from '../../src/permissions/tool-rule.js';
import type { HookJSONOutput } from '../../src/protocol/hooks.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { createSdkMcpServer, tool } from '../../src/sdk/tools/tool.js';
import { lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';
import { gitIn, repository } from '../support/worktrees.js';

async function place(files: Readonly<Record<string, string>> = {}, folder?: string) {
  const [cwd, home] = [folder ?? (await temporaryFolder()), await temporaryFolder()];
  const at = (name: string) => path.join(cwd, name);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(at(name)), { recursive: true });
    await writeFile(at(name), content);
  }
  const run = async (steps: readonly ScriptedStep[], more: Options = {}, prompt = 'go') => {
    const model = scriptedModel([...steps, text('done')]);
    const options: Options = { provider: model, cwd, env: { TURNWRIGHT_HOME: home }, ...more };
    const messages: SDKMessage[] = [];
    const running = query({ prompt, options });
    for await (const message of running) messages.push(message);
    const requests = JSON.stringify(model.requests);
    return { requests, results: resultsOf(messages), result: lastResult(messages), messages };
  };
  return { cwd, home, at, run, isThere: (name: string) => existsSync(at(name)) };
}

function resultsOf(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user' || typeof message.message.content === 'string') return [];
    return message.message.content.flatMap((block) => (block.type === 'tool_result' ? [String(block.content)] : []));
  });
}

const deny = (...rules: string[]): Options => ({ settings: { permissions: { deny: rules } } });
const touch = (name: string, id?: string) => toolCall('Bash', { command: `touch ${name}` }, id);
const preToolUse = (...answers: HookJSONOutput[]): Options => ({
  hooks: { PreToolUse: [{ hooks: answers.map((answer) => async () => answer) }] },
});
const asked = (decision: object): Options => ({
  hooks: {
    PermissionRequest: [
      {
        hooks: [
          async () =>
            ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }) as unknown as HookJSONOutput,
        ],
      },
    ],
  },
});

describe('a file that a prompt names with @', () => {
  it('does not go along if a rule keeps it from being read, by either of its names', async () => {
    const { run } = await place({ '.env': 'KEY-4711', 'a.txt': 'plain-0815' });
    const { requests, messages } = await run([], deny('Read(.env)'), 'look at @.env and @a.txt');
    expect(requests).toContain('plain-0815');
    expect(requests).not.toContain('KEY-4711');
    expect(messages).toContainEqual(
      expect.objectContaining({
        code: 'attachment_left_out',
        message: expect.stringContaining('.env: a rule keeps it'),
      }),
    );
  });

  it('does not go along if nothing may be read at all', async () => {
    const { run } = await place({ 'a.txt': 'plain-0815' });
    expect((await run([], { disallowedTools: ['Read'] }, 'look at @a.txt')).requests).not.toContain('plain-0815');
  });
});

describe('the index of the notes of an agent', () => {
  it('does not go along if a rule keeps it from being read', async () => {
    const { run } = await place({ '.turnwright/agent-memory/b/MEMORY.md': 'NOTE-4711' });
    const agents: Options['agents'] = { b: { description: 'd', prompt: 'p', memory: 'project' } };
    const call = toolCall('Agent', { description: 'd', prompt: 'p', subagent_type: 'b' });
    const requests = async (more: Options) => (await run([call, text('report')], { agents, ...more })).requests;
    expect(await requests({})).toContain('NOTE-4711');
    expect(await requests(deny('Read(MEMORY.md)'))).not.toContain('NOTE-4711');
  });
});

describe('a skill that an agent has from its start', () => {
  it.each(['Skill(sk)', 'Skill(S*)', 'Skill'])(
    'does not go along if a rule denies or asks about it: %s',
    async (rule) => {
      const { run } = await place({ '.claude/skills/sk/SKILL.md': '---\ndescription: d\n---\nSKILL-4711' });
      const agents: Options['agents'] = { b: { description: 'd', prompt: 'p', skills: ['sk'] } };
      const call = toolCall('Agent', { description: 'd', prompt: 'p', subagent_type: 'b' });
      const all: Options = { agents, settingSources: ['project'] };
      const requests = async (more: Options) => (await run([call, text('report')], { ...all, ...more })).requests;
      expect(await requests({})).toContain('SKILL-4711');
      expect(await requests(deny(rule))).not.toContain('SKILL-4711');
      expect(await requests({ settings: { permissions: { ask: [rule] } } })).not.toContain('SKILL-4711');
      expect((await run([], { ...all, agent: 'b', ...deny(rule) })).requests).not.toContain('SKILL-4711');
      expect((await run([], { ...all, agent: 'b' })).requests).toContain('SKILL-4711');
    },
  );
});

describe('the name of a file that a rule keeps', () => {
  it('is told by no search, and by no advice about a file that is not there', async () => {
    const { run } = await place({ 'conf/key.pem': 'KEY-4711', 'conf/keys.txt': 'plain' });
    const calls = [
      toolCall('Glob', { pattern: 'conf/key.pem' }, 'toolu_glob'),
      toolCall('Glob', { pattern: 'conf/keys.txt' }, 'toolu_other'),
      toolCall('Read', { file_path: 'conf/key.pen' }, 'toolu_read'),
      toolCall('Edit', { file_path: 'conf/key.pxm', old_string: 'a', new_string: 'b' }, 'toolu_edit'),
    ];
    const more: Options = { permissionMode: 'acceptEdits' };
    const names = async (options: Options) =>
      (await run(calls, options)).results.join('\n').match(/key\.pem/g)?.length ?? 0;
    expect(await names(more)).toBe(3);
    expect(await names({ ...more, ...deny('Read(*.pem)') })).toBe(0);
  });
});

describe('a variable that makes a program run something', () => {
  it('is set by no project, whoever vouches for it', async () => {
    const env = { TAR_OPTIONS: '--checkpoint=1 --checkpoint-action=exec=touch\\ ran', NODE_ENV: 'test', PGHOST: 'db' };
    const { run, isThere, cwd } = await place({ a: 'x', '.turnwright/settings.json': JSON.stringify({ env }) });
    execFileSync('tar', ['cf', 'a.tar', 'a'], { cwd });
    const calls = ['tar tf a.tar', 'echo $NODE_ENV $PGHOST'].map((command, at) =>
      toolCall('Bash', { command }, `toolu_${at}`),
    );
    const { results, messages } = await run(calls, { settingSources: ['project'] });
    expect([isThere('ran'), results]).toEqual([false, ['a', 'test db']]);
    expect(messages).toContainEqual(
      expect.objectContaining({ code: 'settings_refused', message: expect.stringContaining('env.TAR_OPTIONS') }),
    );
  });
});

describe('a note of the user', () => {
  it('is written through no link that leads to a file of another kind elsewhere', async () => {
    const [{ at, run }, outside] = [await place(), await temporaryFolder()];
    await writeFile(path.join(outside, 'rc'), 'alias x=y\n');
    await symlink(path.join(outside, 'rc'), at('AGENTS.md'));
    await run([], {}, '/memory add Run the tests first.').catch(() => undefined); // it says why by an error
    expect(await readFile(path.join(outside, 'rc'), 'utf8')).toBe('alias x=y\n');
    await writeFile(path.join(outside, 'AGENTS.md'), '');
    await symlink(path.join(outside, 'AGENTS.md'), at('CLAUDE.md'));
    await rename(at('AGENTS.md'), at('rc'));
    await run([], {}, '/memory add Run the tests first.');
    expect(await readFile(path.join(outside, 'AGENTS.md'), 'utf8')).toBe('- Run the tests first.\n');
  });
});

describe('what changes while somebody is asked', () => {
  it('counts for the call that waited: a yes runs nothing that is denied by then', async () => {
    const { cwd, home, isThere } = await place();
    const model = scriptedModel([touch('a'), text('done')]);
    const running = query({
      prompt: 'go',
      options: {
        provider: model,
        cwd,
        env: { TURNWRIGHT_HOME: home },
        async canUseTool() {
          await running.setPermissionMode('plan');
          return { behavior: 'allow' };
        },
      },
    });
    const messages: SDKMessage[] = [];
    for await (const message of running) messages.push(message);
    expect(resultsOf(messages)).toEqual([expect.stringContaining('plan mode changes nothing')]);
    expect(isThere('a')).toBe(false);
  });
});

describe('an answer', () => {
  it('is what it was when it was given, whatever its owner does to it afterwards', async () => {
    const { run, isThere } = await place();
    let reads = 0;
    const input = { content: 'x' };
    Object.defineProperty(input, 'file_path', { enumerable: true, get: () => (reads++ < 2 ? 'given' : 'denied') });
    await run([toolCall('Write', { file_path: 'asked', content: '' })], {
      canUseTool: async () => ({ behavior: 'allow', updatedInput: input }),
    });
    expect([isThere('given'), isThere('denied')]).toEqual([true, false]);
  });

  it('of one hook is none about the input that another hook puts in its place', async () => {
    const yes = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } } as const;
    const other = {
      hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'touch b' } },
    } as const;
    const { run, isThere } = await place();
    await run([touch('a')], preToolUse(yes, other));
    expect(isThere('b')).toBe(false);
    const both = { hookSpecificOutput: { ...other.hookSpecificOutput, permissionDecision: 'allow' } } as const;
    await run([touch('a')], preToolUse(yes, both));
    expect(isThere('b')).toBe(true);
  });

  it.each([
    { type: 'removeRules', behavior: 'deny', rules: [{ toolName: 'Read', ruleContent: '.env' }] },
    { type: 'replaceRules', behavior: 'deny', rules: [] },
    { type: 'replaceRules', behavior: 'ask', rules: [] },
  ])('of a hook takes back no rule that denies or asks: $type $behavior', async (update) => {
    const { run, isThere } = await place({ '.env': 'KEY-4711' });
    const answer = asked({ behavior: 'allow', updatedPermissions: [{ ...update, destination: 'session' }] });
    const { requests } = await run([touch('a'), toolCall('Read', { file_path: '.env' })], {
      ...answer,
      ...deny('Read(.env)'),
    });
    expect(requests).not.toContain('KEY-4711');
    expect(isThere('a')).toBe(false);
  });

  it('of a hook of the project holds for the session, and goes into no settings file', async () => {
    const update = { type: 'addRules', behavior: 'allow', rules: [{ toolName: 'Bash' }], destination: 'userSettings' };
    const decision = { behavior: 'allow', updatedPermissions: [update] };
    const answer = JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
    const hooks = { PermissionRequest: [{ hooks: [{ type: 'command', command: `printf %s '${answer}'` }] }] };
    const { run, isThere, home } = await place({ '.turnwright/settings.json': JSON.stringify({ hooks }) });
    await run([touch('a'), touch('b')], { settingSources: ['user', 'project'] });
    expect([isThere('a'), isThere('b')]).toEqual([true, true]);
    expect(await readFile(path.join(home, 'settings.json'), 'utf8').catch(() => '')).not.toContain('Bash');
  });
});

describe('a call that waits for a decision', () => {
  const first = [toolCall('Bash', { command: 'cd sub' }), toolCall('Bash', { command: 'rm it' }, 'toolu_rm')];
  const options: Options = { deferPermissions: true, allowedTools: ['Bash(cd *)'] };

  it('runs in the folder in which it was decided about, in another process too', async () => {
    const { run, isThere, cwd } = await place({ it: '', 'sub/it': '' });
    const { result } = await run(first, options);
    expect(result).toMatchObject({ deferred_tool_uses: [{ id: 'toolu_rm', cwd: path.join(cwd, 'sub') }] });
    await run([], { resume: result.session_id, decisions: [{ toolUseID: 'toolu_rm', behavior: 'allow' }] }, '');
    expect([isThere('it'), isThere('sub/it')]).toEqual([true, false]);
  });

  it('does not run if that folder is gone', async () => {
    const { run, isThere, cwd } = await place({ it: '', 'sub/it': '' });
    const { result } = await run(first, options);
    await rename(path.join(cwd, 'sub'), path.join(cwd, 'moved'));
    await symlink(cwd, path.join(cwd, 'sub'));
    const decisions = [{ toolUseID: 'toolu_rm', behavior: 'allow' } as const];
    const { results } = await run([], { resume: result.session_id, decisions }, '');
    expect(results).toEqual([expect.stringContaining('is gone, or was replaced')]);
    expect([isThere('it'), isThere('moved/it')]).toEqual([true, true]);
  });
});

describe('an agent', () => {
  const all: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

  it('in a worktree is held to what is denied of the same files', async () => {
    const top = await repository();
    const { run } = await place({ 'secret.txt': 'KEY-4711', 'conf/k.txt': 'KEY-4712' }, top);
    gitIn(top, 'add', '.');
    gitIn(top, 'commit', '-qm', 'secrets');
    const input = { description: 'd', prompt: 'p', subagent_type: 'general-purpose', isolation: 'worktree' };
    const { requests } = await run(
      [
        toolCall('Agent', input),
        toolCall('Read', { file_path: 'secret.txt' }),
        toolCall('Bash', { command: 'cat conf/k.txt' }),
        toolCall('Bash', { command: 'cp -r conf other' }),
        toolCall('Grep', { pattern: 'KEY', output_mode: 'content' }),
        text('report'),
      ],
      { ...all, ...deny('Read(/secret.txt)', 'Read(./conf/**)') },
    );
    expect(requests.match(/is denied by a rule/g)?.length).toBeGreaterThan(2);
    expect(requests).not.toMatch(/KEY-471/);
  });

  it('makes no worktree in plan mode', async () => {
    const { run, isThere } = await place({}, await repository());
    const input = { description: 'd', prompt: 'p', subagent_type: 'general-purpose', isolation: 'worktree' };
    const { results } = await run([toolCall('Agent', input)], { permissionMode: 'plan' });
    expect(results).toEqual([expect.stringContaining('Plan mode changes nothing')]);
    expect(isThere('.worktrees')).toBe(false);
  });

  it.each(['option', 'main'])('is refused the parts of calls that its definition refuses: %s', async (as) => {
    const { run, isThere } = await place();
    const agents = { b: { description: 'd', prompt: 'p', disallowedTools: ['Bash(touch a)'] } };
    const calls = [touch('a'), touch('b')];
    const input = { description: 'd', prompt: 'p', subagent_type: 'b' };
    if (as === 'main') await run(calls, { ...all, agents, agent: 'b' });
    else await run([toolCall('Agent', input), ...calls, text('report')], { ...all, agents });
    expect([isThere('a'), isThere('b')]).toEqual([false, true]);
  });

  it('whose refusals cannot be read does not work', async () => {
    const { run } = await place();
    const agents = { b: { description: 'd', prompt: 'p', disallowedTools: ['Bash()'] } };
    const { results } = await run([toolCall('Agent', { description: 'd', prompt: 'p', subagent_type: 'b' })], {
      ...all,
      agents,
    });
    expect(results).toEqual([expect.stringContaining('disallowedTools cannot be used')]);
  });
});

describe('a worktree', () => {
  it('is no other folder, and has no other branch, because a file of the workspace says so', async () => {
    const [top, outside] = [await repository(), await temporaryFolder()];
    await writeFile(path.join(outside, 'f'), 'OUTSIDE-4711');
    const kept = { sessionId: 's', createdAt: '2026', process: null, base: null };
    const away = { ...kept, name: 'away', path: outside, folder: outside, branch: null, madeBy: 'hook' };
    const own = path.join(top, '.worktrees/own');
    const other = { ...kept, name: 'own', path: own, folder: own, branch: 'other', madeBy: 'git' };
    const records = { '.worktrees/.records/away.json': JSON.stringify(away) };
    gitIn(top, 'branch', 'other');
    const { run } = await place(records, top);
    const { requests } = await run(
      [
        toolCall('EnterWorktree', { name: 'away' }, 'toolu_away'),
        toolCall('Read', { file_path: path.join(outside, 'f') }, 'toolu_read'),
        toolCall('Write', { file_path: path.join(outside, 'new'), content: 'x' }, 'toolu_write'),
        toolCall('ExitWorktree', { action: 'keep' }, 'toolu_back'),
        toolCall('EnterWorktree', { name: 'own' }, 'toolu_own'),
        toolCall('ExitWorktree', { action: 'keep' }, 'toolu_keep'),
        toolCall('Read', { file_path: '.worktrees/.records/own.json' }, 'toolu_look'),
        toolCall('Write', { file_path: '.worktrees/.records/own.json', content: JSON.stringify(other) }, 'toolu_lie'),
        toolCall('EnterWorktree', { name: 'own' }, 'toolu_again'),
        toolCall('ExitWorktree', { action: 'remove' }, 'toolu_gone'),
      ],
      { permissionMode: 'acceptEdits' },
    );
    const hasOther = gitIn(top, 'branch', '--list', 'other').includes('other');
    const isOutside = [requests.includes('OUTSIDE-4711'), existsSync(path.join(outside, 'new'))];
    expect({ isOutside, isLeft: existsSync(own), hasOther }).toEqual({
      isOutside: [false, false],
      isLeft: false,
      hasOther: true,
    });
  });
});

describe('a folder of the workspace', () => {
  it('that an answer takes away is none any more, however it is written', async () => {
    const { run } = await place();
    const outside = await temporaryFolder();
    await writeFile(path.join(outside, 'f'), 'OUTSIDE');
    const read = toolCall('Read', { file_path: path.join(outside, 'f') });
    let asks = 0;
    const { results } = await run([touch('a'), read], {
      additionalDirectories: [outside],
      async canUseTool(tool) {
        asks++;
        if (tool === 'Read') return { behavior: 'deny', message: 'no' };
        const directories = [`${outside}/x/../`];
        return {
          behavior: 'allow',
          updatedPermissions: [{ type: 'removeDirectories', directories, destination: 'session' }],
        };
      },
    });
    expect([asks, results.at(-1)]).toEqual([2, 'no']);
  });
});

describe('the home folder that commands see', () => {
  it('is one to guards and rules, if it is another than that of the machine', async () => {
    const own = await temporaryFolder();
    await writeFile(path.join(own, 'kept'), 'KEY-4711');
    const { run, home } = await place();
    const commands = ['rm -rf ~', 'rm -rf "$HOME"', 'cat ~/kept', 'grep -r KEY ~'];
    const { requests, results } = await run(
      commands.map((command) => toolCall('Bash', { command })),
      {
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        env: { TURNWRIGHT_HOME: home, HOME: own },
        ...deny('Read(~/kept)'),
      },
    );
    expect(results).toHaveLength(4);
    for (const said of results) expect(said).toContain('Bash was denied');
    expect(requests).not.toContain('KEY-4711');
    expect(existsSync(path.join(own, 'kept'))).toBe(true);
  });
});

describe('a server', () => {
  it('has no tools that a rule for another one means', () => {
    const rule = parseRule('mcp__github');
    for (const server of ['github_', 'github__', 'github.', 'github _', 'github__x', 'git__hub'])
      expect([server, ruleMatchesTool(rule, mcpToolName(server, 'go'))]).toEqual([server, false]);
    expect(ruleMatchesTool(rule, mcpToolName('github', '_go'))).toBe(true);
    for (const own of [mcpServerRule('github_'), 'mcp__github_', 'mcp__github___go'])
      expect([own, ruleMatchesTool(parseRule(own), mcpToolName('github_', 'go'))]).toEqual([own, true]);
    for (const own of ['mcp__github_*', 'mcp__github___g*'])
      expect([own, restrictsTool(parseRule(own), mcpToolName('github_', 'go'))]).toEqual([own, true]);
  });
});

describe('a rule that denies', () => {
  const all: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

  it.each<[string, Options]>([
    ['bash', deny('bash')],
    ['BASH', { disallowedTools: ['BASH'] }],
    ['bash(touch *)', deny('bash(touch *)')],
    ['edit(a)', deny('edit(a)')],
    ['Write(!a), which cannot be read, so that all of them are asked about', deny('Write(!a)')],
    ['B*', deny('B*')],
    ['*', { disallowedTools: ['*'] }],
    ['in ask', { settings: { permissions: { ask: ['bash'] } } }],
  ])('means a tool in whatever case it is written: %s', async (_, options) => {
    const { run, isThere } = await place();
    await run([touch('a')], { ...all, ...options });
    expect(isThere('a')).toBe(false);
  });

  it.each<[string, boolean]>([
    ['mcp__db__drop_*', true],
    ['mcp__db__*_table', true],
    ['mcp__d*', true],
    ['mcp__*__drop_table', true],
    ['mcp*', true],
    ['mcp__db__get_*', false],
    ['mcp__db__drop', false],
  ])('means the tools of servers that it spells with stars: %s', async (rule, isKept) => {
    const ran: string[] = [];
    const drop = tool('drop_table', 'd', {}, async () => {
      ran.push('drop_table');
      return { content: [] };
    });
    const mcpServers = { db: createSdkMcpServer({ name: 'db', tools: [drop] }) };
    const { run } = await place();
    const { messages } = await run([toolCall('mcp__db__drop_table', {})], { ...all, mcpServers, ...deny(rule) });
    expect(ran).toEqual(isKept ? [] : ['drop_table']);
    expect(messages.filter((each) => 'code' in each && each.code === 'permission_rule_unusable')).toEqual([]);
  });

  it('may name what one that allows may not: all that begins so', async () => {
    const { run, isThere } = await place();
    const { messages } = await run([touch('a')], { settings: { permissions: { allow: ['B*', '*', 'mcp__d*'] } } });
    expect(isThere('a')).toBe(false);
    expect(messages.filter((each) => 'code' in each && each.code === 'permission_rule_unusable')).toHaveLength(3);
    await expect(run([], { allowedTools: ['mcp__d*'] })).rejects.toThrow('Stars stand for parts of a name only');
  });

  it.each<[string, string, boolean]>([
    ['Agent(B)', 'b', true],
    ['Agent(re*)', 'reviewer', true],
    ['Agent(tools:*)', 'tools:reviewer', true],
    ['Agent(tools:*)', 'toolsmith', false],
    ['Skill(/Deploy)', 'deploy now', true],
    ['Skill(de*)', 'deploy', true],
    ['Skill(tools:*)', 'tools:deploy x', true],
    ['SlashCommand(/deploy:*)', 'deploy now', true],
    ['Skill(deploy)', 'deployment', false],
  ])('%s means %s as people would say it', (source, name, isKept) => {
    const rule = parseRule(source);
    expect(restrictsName(rule, rule.toolName, name)).toBe(isKept);
    if (!source.includes('deploy')) expect(allowsName(rule, rule.toolName, name)).toBe(false);
  });

  it('and holds a path that is probably meant from the root of the machine, is told', async () => {
    const { run, cwd } = await place();
    const told = async (...rules: string[]) => {
      const { messages } = await run([], deny(...rules));
      return messages.filter((each) => 'code' in each && each.code === 'permission_rule_unusable');
    };
    expect(await told('Read(/etc/**)', `Edit(${cwd}/x)`)).toMatchObject([
      { message: expect.stringContaining('write //etc/** for that of the machine') },
      { message: expect.stringContaining(`write /${cwd}/x`) },
    ]);
    expect(await told('Read(//etc/**)', 'Edit(/src/x)', 'Read(/config/etc)')).toEqual([]);
  });

  it('allows nothing in another case than that of the tool', async () => {
    const { run, isThere } = await place();
    await run([touch('a')], { settings: { permissions: { allow: ['bash'] } } });
    expect(isThere('a')).toBe(false);
  });

  it('and names no tool that there is, is told if it looks like a slip', async () => {
    const { run } = await place();
    const { messages } = await run([], deny('Reed', 'MultiEdit', 'mcp__later', 'Skill'));
    const told = messages.filter((each) => 'code' in each && each.code === 'unknown_tool_name');
    expect(told).toMatchObject([{ message: expect.stringContaining('Reed'), remedy: 'Did you mean Read?' }]);
  });

  it('and names tools by what people call them, is told with the right name, all in one notice', async () => {
    const { run } = await place();
    const told = async (...rules: string[]) => {
      const { messages } = await run([], deny(...rules));
      return messages.filter((each) => 'code' in each && /unknown_tool_name|unusable/.test(String(each.code)));
    };
    expect(await told('Shell', 'View', 'Frobnicate', 'read_file')).toMatchObject([
      {
        message:
          '4 rules of settings that deny or ask name no tool, so they PROTECT NOTHING: Shell (did you mean Bash?), View (did you mean Read?), Frobnicate, read_file (did you mean Read?).',
      },
    ]);
    expect(await told('View(.env)')).toMatchObject([
      {
        message: expect.stringMatching(
          /so if there is a tool of that name, every call of View .*Did you mean Read\(\.env\)\?$/,
        ),
      },
      { message: expect.stringContaining('PROTECTS NOTHING'), remedy: 'Did you mean Read?' },
    ]);
    // Names that published engines have.
    expect(await told('BashOutput', 'KillShell', 'LS', 'MultiEdit', 'LSP', 'SlashCommand', 'ExitPlanMode')).toEqual([]);
  });

  it('and lists several paths in one, is told', async () => {
    const { run } = await place();
    const { messages } = await run([], deny('Edit(a,b/**)', 'Read(*.{key,pem})', 'Edit([a,b].ts)'));
    const told = messages.filter((each) => 'code' in each && each.code === 'permission_rule_unusable');
    expect(told).toMatchObject([{ message: expect.stringContaining('write Edit(a), Edit(b/**)') }]);
  });

  it.each<[string, Options]>([
    ['Agent(b)', deny('Agent(b)')],
    ['Task(b)', deny('Task(b)')],
    ['Agent', { disallowedTools: ['Agent'] }],
    ['Agent(b) in ask', { settings: { permissions: { ask: ['Agent(b)'] } } }],
  ])('the start of an agent denies that a message starts it again: %s', async (_, options) => {
    const { run } = await place();
    const agents = { b: { description: 'd', prompt: 'p' } };
    const call = toolCall('Agent', { description: 'd', prompt: 'p', subagent_type: 'b' });
    const first = await run([call, text('report')], { ...all, agents });
    const [to] = /a[0-9a-f]{16}/.exec(JSON.stringify(first.messages)) ?? [];
    const again = toolCall('SendMessage', { to, message: 'go on' }, 'toolu_again');
    const { results } = await run([again], { ...all, agents, resume: first.result.session_id, ...options });
    expect(results).toEqual([expect.stringMatching(/not started again by a message|There is no agent "b"/)]);
  });
});

describe('what is denied of a file', () => {
  const means = (rule: string, target: string, base = '/top/app') =>
    restrictsPath(
      parsePathPattern(rule),
      { path: target, isFile: true },
      { base, home: '/home/me', roots: ['/top/app'] },
    );

  it.each<[string, string, string?]>([
    ['/secret.txt', '/top/app/.worktrees/w/secret.txt'],
    ['./conf/**', '/top/app/.worktrees/w/conf/k'],
    // The worktree is one of the whole repository.
    ['/secret.txt', '/top/app/.worktrees/w/app/secret.txt'],
    ['/other/secret', '/top/app/.worktrees/w/other/secret', '/top'],
    ['//top/app/secret.txt', '/top/app/.worktrees/w/app/secret.txt'],
    ['/secret.txt', '/top/app/.worktrees/w/.worktrees/v/secret.txt'],
  ])('is denied of its checkout in a worktree, whoever looks: %s means %s', (rule, target, base) => {
    expect(means(rule, target, base)).toBe(true);
  });

  it.each<[string, string]>([
    ['**', '/top/app/a'],
    ['**', '/elsewhere/a'],
    ['/', '/top/app/a'],
    ['./', '/top/app/a'],
    ['./', '/top/app/sub/a'],
    ['**/', '/top/app/a'],
    ['~', '/home/me/a'],
    ['~/', '/home/me/a'],
    ['//', '/a'],
  ])('is all that there is, if the rule names a place and nothing in it: %s means %s', (rule, target) => {
    expect(means(rule, target)).toBe(true);
  });

  it.each<[string, string]>([
    ['/secret.txt', '/top/app/.worktrees/w/other.txt'],
    ['//etc/**', '/top/app/.worktrees/w/etc/a'],
    ['/secret.txt', '/top/app/worktrees/w/secret.txt'],
  ])('%s does not mean %s', (rule, target) => {
    expect(means(rule, target)).toBe(false);
  });
});

describe('a result that was too large to show', () => {
  it('is read where the session kept it without a question, but not changed, and nothing beside it is', async () => {
    const { run, home } = await place();
    const first = await run([toolCall('Bash', { command: 'seq 30000' })], { allowedTools: ['Bash'] });
    const [file = ''] = /(?<=is in )\/\S+?\.\w+(?=[ \]])/.exec(String(first.results[0])) ?? [];
    expect(file.startsWith(home)).toBe(true);
    const transcript = `${path.dirname(path.dirname(file))}.jsonl`;
    expect(existsSync(transcript)).toBe(true);
    const calls = [
      toolCall('Read', { file_path: file, offset: 12_345, limit: 1 }, 'toolu_read'),
      toolCall('Grep', { pattern: '^23456$', path: file, output_mode: 'content' }, 'toolu_grep'),
      toolCall('Edit', { file_path: file, old_string: '23456', new_string: 'x' }, 'toolu_edit'),
      toolCall('Read', { file_path: transcript }, 'toolu_transcript'),
    ];
    const resume = { resume: first.result.session_id };
    const { results } = await run(calls, resume);
    expect(results).toEqual([
      expect.stringContaining('12345'),
      expect.stringContaining('23456'),
      expect.stringContaining('is outside the workspace'),
      expect.stringContaining('is outside the workspace'),
    ]);
    const kept = await run(calls.slice(0, 2), { ...resume, ...deny(`Read(/${home}/**)`) });
    expect(kept.results).not.toContainEqual(expect.stringMatching(/^\s*(?:\d+\D)?(?:12345|23456)/m));
  });
});
