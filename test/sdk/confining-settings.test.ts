// Settings that confine, as published products name them: they act in every mode, whoever says them and whatever a stronger
// source says.
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS_SCHEMA } from '../../src/context/settings/schema.js';
import { createNodeHost } from '../../src/host/node-host.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { listHooks } from '../../src/sdk/hooks/try-hooks.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';
import { type FileTexts, pluginFiles, under, writeFiles } from '../support/plugin-sources.js';

async function place(files: FileTexts = {}) {
  const base = await realpath(await temporaryFolder());
  const [cwd, home, user] = ['work', 'home', 'user'].map((name) => path.join(base, name)) as [string, string, string];
  for (const folder of [cwd, home, user]) await mkdir(folder);
  await writeFiles(base, files);
  const own = createNodeHost({ env: { PATH: process.env['PATH'], HOME: user, TURNWRIGHT_HOME: home } });
  const host = { ...own, platform: { ...own.platform, homedir: user, cwd } };
  const run = async (steps: readonly ScriptedStep[], options: Options) => {
    const model = scriptedModel([...steps]);
    const messages = await collect(query({ prompt: 'Go.', options: { cwd, host, provider: model, ...options } }));
    return { messages, model, results: resultsOf(messages) };
  };
  return { base, cwd, home, user, host, run };
}

function resultsOf(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) =>
    message.type === 'user' && Array.isArray(message.message.content)
      ? message.message.content.flatMap((block) =>
          block.type === 'tool_result' ? [JSON.stringify(block.content)] : [],
        )
      : [],
  );
}

const BYPASS = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;

describe('what stays in the workspace', () => {
  it('is not written elsewhere, by tools or commands, in any mode, though managed settings say false', async () => {
    const { base, cwd, run } = await place();
    const outside = path.join(base, 'outside.txt');
    const { results } = await run(
      [
        toolCall('Write', { file_path: outside, content: 'x' }),
        toolCall('Bash', { command: `echo x > ${outside}` }),
        toolCall('Bash', { command: 'echo x > inside.txt 2> /dev/null' }),
        text('Done.'),
      ],
      {
        ...BYPASS,
        settings: { permissions: { blockWritesOutsideWorkingDirectories: true } },
        managedSettings: { permissions: { blockWritesOutsideWorkingDirectories: false } },
      },
    );
    expect(results[0]).toContain('blockWritesOutsideWorkingDirectories');
    expect(results[1]).toContain('blockWritesOutsideWorkingDirectories');
    expect(existsSync(outside)).toBe(false);
    expect(await readFile(path.join(cwd, 'inside.txt'), 'utf8')).toBe('x\n');
  });

  it('is not read elsewhere, and a project that nobody vouches for may say so', async () => {
    const { base, run } = await place({
      'secret.txt': 'canary',
      'work/.claude/settings.json': JSON.stringify({ permissions: { blockReadsOutsideWorkingDirectories: true } }),
    });
    const file = path.join(base, 'secret.txt');
    const { results } = await run(
      [toolCall('Read', { file_path: file }), toolCall('Bash', { command: `cat ${file}` }), text('Done.')],
      BYPASS,
    );
    expect(results).toHaveLength(2);
    expect(results.join()).not.toContain('canary');
    expect(results[0]).toContain('blockReadsOutsideWorkingDirectories');
  });
});

it.each(['cat $(echo FILE)', 'X=$(printf %s FILE); cat "$X"', 'xargs cat <<< FILE', 'grep -R canary .'])(
  'is not read elsewhere by a command whose file cannot be told: %s',
  async (line) => {
    const { base, cwd, run } = await place({ 'elsewhere/secret.txt': 'canary' });
    await symlink(path.join(base, 'elsewhere'), path.join(cwd, 'link'));
    const command = line.replace('FILE', path.join(base, 'elsewhere/secret.txt'));
    const of = async (blocks: boolean) => {
      const settings = { permissions: { blockReadsOutsideWorkingDirectories: blocks } };
      return (await run([toolCall('Bash', { command }), text('Done.')], { ...BYPASS, settings })).results[0];
    };
    expect(await of(false)).toContain('canary');
    expect(await of(true)).toContain('blockReadsOutsideWorkingDirectories');
  },
);

it('adds no rule that allows if managed settings alone may, and offers none', async () => {
  const { run, cwd } = await place();
  const offered: unknown[] = [];
  let asked = 0;
  const { results } = await run(
    [toolCall('Bash', { command: 'touch a' }), toolCall('Bash', { command: 'touch b' }), text('Done.')],
    {
      managedSettings: { allowManagedPermissionRulesOnly: true },
      async canUseTool(_name, _input, { suggestions }) {
        offered.push(...(suggestions ?? []).filter(({ type }) => type === 'addRules'));
        asked += 1;
        if (asked > 1) return { behavior: 'allow' };
        const rules = [{ toolName: 'Bash' }];
        const update = { type: 'addRules', behavior: 'allow', rules, destination: 'session' } as const;
        return { behavior: 'allow', updatedPermissions: [update] };
      },
    },
  );
  expect(results[0]).toContain('allowManagedPermissionRulesOnly');
  expect([offered, existsSync(path.join(cwd, 'a')), existsSync(path.join(cwd, 'b'))]).toEqual([[], false, true]);
});

it('tells that no answer sets a mode that skips all questions', async () => {
  const { run, cwd } = await place();
  const told = async (mode: 'bypassPermissions' | 'acceptEdits', more = {}) => {
    const { messages } = await run([toolCall('Bash', { command: 'touch a' }), text('Done.')], {
      ...more,
      canUseTool: async () => ({
        behavior: 'allow',
        updatedPermissions: [{ type: 'setMode', mode, destination: 'session' }],
      }),
    });
    return messages.filter((each) => 'code' in each && each.code === 'option_without_effect');
  };
  expect(await told('bypassPermissions')).toMatchObject([
    { message: expect.stringContaining('the mode stays default') },
  ]);
  expect(existsSync(path.join(cwd, 'a'))).toBe(true);
  expect(await told('acceptEdits')).toEqual([]);
  expect(await told('bypassPermissions', BYPASS)).toEqual([]);
});

it('denies what would be asked about, and goes on', async () => {
  const { run } = await place();
  let asked = 0;
  const { results, messages } = await run([toolCall('Bash', { command: 'npm install left-pad' }), text('Done.')], {
    settings: { permissions: { denyInsteadOfPrompting: true } },
    canUseTool: async (_name, input) => {
      asked += 1;
      return { behavior: 'allow', updatedInput: input };
    },
  });
  expect([asked, messages.at(-1)]).toEqual([0, expect.objectContaining({ subtype: 'success' })]);
  expect(results[0]).toContain('denyInsteadOfPrompting');
});

it('does not have mode auto if settings turn it off', async () => {
  const { run, cwd, host } = await place();
  const off = { settings: { permissions: { disableAutoMode: 'disable' } } } as const;
  await expect(run([], { ...off, permissionMode: 'auto' })).rejects.toThrow(/mode auto is turned off by settings/);
  const session = query({
    prompt: 'Go.',
    options: { cwd, host, provider: scriptedModel([]), settings: { disableAutoMode: 'disable' } },
  });
  await expect(session.setPermissionMode('auto')).rejects.toThrow(/turned off by settings/);
  session.close();
});

it('tells the judge of mode auto what no call may do, and accepts no edit unjudged then', async () => {
  const { run, cwd } = await place();
  const verdict = toolCall('StructuredOutput', { verdict: 'deny', reason: 'It is a migration.' });
  const { model, results } = await run(
    [toolCall('Write', { file_path: path.join(cwd, 'migration.sql'), content: 'x' }), verdict, text('Done.')],
    {
      permissionMode: 'auto',
      settings: {
        permissions: { autoMode: { judge: 'judge-model' } },
        autoMode: { hard_deny: ['Never touch migrations.'], environment: ['The repository acme/app.'] },
      },
    },
  );
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('Never touch migrations.');
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('acme/app');
  expect(results[0]).toContain('It is a migration.');
  expect(existsSync(path.join(cwd, 'migration.sql'))).toBe(false);
});

it('lets only plugins and managed settings bring along what is locked', async () => {
  const skill = '---\ndescription: Own\n---\nDo.';
  const { base, home, run } = await place({
    'user/.claude/skills/own/SKILL.md': skill,
    'user/.claude/commands/own.md': 'Do.',
    'user/.claude/agents/own.md': '---\nname: own\ndescription: Own\n---\nYou.',
    'user/.claude/settings.json': JSON.stringify({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
    }),
    ...under('kit', pluginFiles('kit')),
  });
  await writeFile(path.join(home, 'settings.json'), JSON.stringify({ plugins: [path.join(base, 'kit')] }));
  const initOf = (messages: readonly SDKMessage[]) =>
    messages.find((message) => message.type === 'system' && message.subtype === 'init');
  const open = await run([text('Done.')], {});
  expect(initOf(open.messages)).toMatchObject({ skills: ['kit:tidy', 'own'], agents: expect.arrayContaining(['own']) });
  const locked = await run([text('Done.')], { managedSettings: { strictPluginOnlyCustomization: true } });
  expect(initOf(locked.messages)).toMatchObject({
    skills: ['kit:tidy'],
    agents: expect.not.arrayContaining(['own']),
    slash_commands: expect.not.arrayContaining(['own']),
  });
  expect(JSON.stringify(locked.messages)).toContain('only managed settings and plugins have hooks');
});

it('runs no shell line of a command, and sends no hook if settings do not list its address', async () => {
  const { cwd, host } = await place({
    'user/.claude/commands/where.md': '---\nallowed-tools: Bash(touch:*)\n---\nIt is: !`touch ran`',
    'user/.claude/settings.json': JSON.stringify({
      hooks: {
        Stop: [
          { hooks: [{ type: 'http', url: 'https://hooks.example.com/a' }] },
          { hooks: [{ type: 'http', url: 'https://evil.example.org/hooks.example.com/' }] },
        ],
      },
      allowedHttpHookUrls: ['https://hooks.example.com/*'],
      disableSkillShellExecution: true,
    }),
  });
  const { hooks, refused } = await listHooks({ host, cwd });
  expect(hooks.map(({ command }) => command)).toEqual(['POST https://hooks.example.com/a']);
  expect(refused[0]?.why).toContain('allowedHttpHookUrls');
  const model = scriptedModel([text('Done.')]);
  await collect(
    query({ prompt: '/where', options: { cwd, host, provider: model, settings: { disableAllHooks: true } } }),
  );
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('disableSkillShellExecution');
  expect(existsSync(path.join(cwd, 'ran'))).toBe(false);
});

it('leaves out instruction files and skills that settings leave out, and hides variables from commands', async () => {
  const { base, cwd, home, host } = await place({
    'work/AGENTS.md': 'Canary of the project.',
    'user/.claude/CLAUDE.md': 'Canary of the user.',
    'user/.claude/skills/off/SKILL.md': '---\ndescription: Off\n---\nDo.',
    'user/.claude/skills/mine/SKILL.md': '---\ndescription: Mine\n---\nDo.',
  });
  await writeFile(
    path.join(home, 'settings.json'),
    JSON.stringify({
      claudeMdExcludes: ['**/work/AGENTS.md'],
      skillOverrides: { off: 'off', mine: 'user-invocable-only' },
      sandbox: { credentials: { envVars: [{ name: 'CANARY', mode: 'deny' }] } },
    }),
  );
  const model = scriptedModel([toolCall('Bash', { command: 'echo "got:$CANARY"' }), text('Done.')]);
  const messages = await collect(
    query({ prompt: 'Go.', options: { cwd, host, provider: model, env: { CANARY: 'secret-value' }, ...BYPASS } }),
  );
  const system = JSON.stringify(model.requests[0]);
  expect(system).toContain('Canary of the user.');
  expect(system).not.toContain('Canary of the project.');
  expect(messages.find((message) => message.type === 'system' && message.subtype === 'init')).toMatchObject({
    skills: ['mine'],
  });
  expect(resultsOf(messages)[0]).toContain('got:');
  expect(resultsOf(messages)[0]).not.toContain('secret-value');
  expect(base).not.toBe('');
});

it('takes no model that settings do not list', async () => {
  const { cwd, host } = await place();
  const start = (model: string) =>
    collect(
      query({ prompt: 'Go.', options: { cwd, host, model, settings: { availableModels: ['offline', 'sonnet'] } } }),
    );
  expect((await start('offline')).at(-1)).toMatchObject({ type: 'result' });
  const session = query({
    prompt: 'Go.',
    options: {
      cwd,
      host,
      provider: scriptedModel([]),
      model: 'claude-sonnet-9-1',
      settings: { availableModels: ['sonnet'] },
    },
  });
  await expect(session.setModel('claude-opus-9-1')).rejects.toThrow(
    /availableModels\) do not list the model claude-opus-9-1/,
  );
  await session.setModel('claude-sonnet-9-2-20260101');
  session.close();
});

describe('what counts in managed settings alone', () => {
  const SERVERS = { mine: { command: 'true' }, theirs: { command: 'true' } };
  const statesOf = (messages: readonly SDKMessage[]) => {
    const [init] = messages;
    const { mcp_servers: servers } = init as { readonly mcp_servers: readonly { name: string; status: string }[] };
    return Object.fromEntries(servers.map(({ name, status }) => [name, status === 'disabled']));
  };

  it('is which MCP servers there may be: no list of anybody else widens it', async () => {
    const { home, run } = await place();
    const own = JSON.stringify({ allowedMcpServers: [{ serverName: 'mine' }], allowManagedMcpServersOnly: false });
    await writeFile(path.join(home, 'settings.json'), own);
    const managedSettings = { allowedMcpServers: [{ serverName: 'theirs' }] };
    const states = async (managed: NonNullable<Options['managedSettings']>) =>
      statesOf((await run([text('Done.')], { mcpServers: SERVERS, managedSettings: managed })).messages);
    const only = await states({ ...managedSettings, allowManagedMcpServersOnly: true });
    expect(only).toEqual({ mine: true, theirs: false });
    expect(await states({ allowedMcpServers: [], allowManagedMcpServersOnly: true })).toEqual({
      mine: true,
      theirs: true,
    });
    // Without it the lists of others count too.
    expect(await states({})).toEqual({ mine: false, theirs: true });
  });

  it('is that the model nobody names is one of the list too', async () => {
    const { run } = await place();
    const end = async (enforceAvailableModels: boolean) => {
      const managedSettings = { availableModels: ['sonnet'], enforceAvailableModels };
      return JSON.stringify((await run([text('Done.')], { managedSettings })).messages.at(-1));
    };
    expect(await end(false)).toContain('"subtype":"success"');
    expect(await end(true)).toContain('do not list the model');
  });

  it('is whose hooks run, and what allows anything', async () => {
    const { home, cwd, run } = await place();
    const mark = (name: string) => ({
      Stop: [{ hooks: [{ type: 'command' as const, command: `touch '${cwd}/${name}'` }] }],
    });
    await writeFile(
      path.join(home, 'settings.json'),
      JSON.stringify({ hooks: mark('own'), permissions: { allow: ['Bash(touch *)'] } }),
    );
    const touch = toolCall('Bash', { command: 'touch made' });
    const managedSettings = {
      ...{ allowManagedHooksOnly: true, allowManagedPermissionRulesOnly: true },
      hooks: mark('managed'),
    };
    const { results } = await run([touch, text('Done.')], { managedSettings, allowedTools: ['Bash'] });
    expect(results[0]).toContain('denied');
    expect(['own', 'made', 'managed'].filter((name) => existsSync(path.join(cwd, name)))).toEqual(['managed']);
    // The same from the user alone confines nobody.
    await writeFile(
      path.join(home, 'settings.json'),
      JSON.stringify({ ...managedSettings, hooks: mark('own'), permissions: { allow: ['Bash(touch *)'] } }),
    );
    const free = await run([touch, text('Done.')], {});
    expect(free.results[0]).not.toContain('denied');
    expect(['own', 'made'].filter((name) => existsSync(path.join(cwd, name)))).toEqual(['own', 'made']);
  });

  it('has a test for each of its keys, here or beside what it is about', async () => {
    const managed = Object.entries(SETTINGS_SCHEMA.properties).flatMap(([key, schema]) =>
      'x-managed' in schema ? [key] : [],
    );
    const [here, markets] = await Promise.all(
      ['confining-settings.test.ts', 'plugins/market.test.ts'].map((file) =>
        readFile(path.join(import.meta.dirname, file), 'utf8'),
      ),
    );
    expect(managed.length).toBeGreaterThanOrEqual(8);
    expect(managed.filter((key) => !here?.includes(`${key}:`) && !markets?.includes(`${key}:`))).toEqual([]);
  });
});
