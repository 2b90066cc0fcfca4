// Plugins in a session: their agents, commands, skills, hooks and servers count under names of their own.
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { describePlugin } from '../../../src/sdk/plugins/plugins.js';
import { query } from '../../../src/sdk/query.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../../support/engine.js';

const ROOT = '$' + '{CLAUDE_PLUGIN_ROOT}';
const PLUGIN: Readonly<Record<string, string>> = {
  '.claude-plugin/plugin.json': JSON.stringify({ name: 'kit', version: '1.2.0', description: 'A kit.' }),
  'agents/reviewer.md': '---\nname: reviewer\ndescription: Reviews.\n---\nYou review.',
  'commands/hello.md': `---\nallowed-tools: Bash(cat:*)\n---\nSay: !\`cat "${ROOT}/greeting.txt"\` to $1`,
  'skills/tidy/SKILL.md': '---\ndescription: Tidies up.\n---\nTidy up as follows.',
  'hooks/hooks.json': JSON.stringify({
    hooks: {
      UserPromptSubmit: [{ hooks: [{ type: 'command', command: `sh "${ROOT}/note.sh"` }] }],
      NoSuchEvent: [{ hooks: [{ type: 'command', command: 'true' }] }],
    },
  }),
  'note.sh':
    'cat > /dev/null; printf "%s" "$CLAUDE_PLUGIN_ROOT" > "$CLAUDE_PROJECT_DIR/noted.txt"; echo "context of the plugin"',
  'greeting.txt': 'good morning',
  '.mcp.json': JSON.stringify({ mcpServers: { echo: { command: 'node', args: [`${ROOT}/server.mjs`] } } }),
  'server.mjs': `import { createInterface } from 'node:readline';
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } });
  else if (method === 'tools/list') answer(id, { tools: [{ name: 'say', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: 'from the server of the plugin' }] });
  else if (id !== undefined) answer(id, {});
});`,
};

async function place() {
  const base = await realpath(await temporaryFolder());
  const [cwd, kit] = [path.join(base, 'work'), path.join(base, 'kit')];
  await mkdir(cwd);
  for (const [name, content] of Object.entries(PLUGIN)) {
    await mkdir(path.join(kit, path.dirname(name)), { recursive: true });
    await writeFile(path.join(kit, name), content);
  }
  const host = createNodeHost();
  const start = (prompt: string, steps: readonly ScriptedStep[], more: Options = {}) => {
    const model = scriptedModel([...steps]);
    const session = query({
      prompt,
      options: {
        cwd,
        host: { ...host, platform: { ...host.platform, homedir: path.join(base, 'home') } },
        env: { TURNWRIGHT_HOME: path.join(base, 'sessions') },
        provider: model,
        plugins: [{ type: 'local', path: kit }],
        ...more,
      },
    });
    return { session, model };
  };
  return { base, cwd, kit, host, start };
}

describe('a session with a plugin', () => {
  it('has its agents, commands, skills, servers and hooks, under its name', async () => {
    const { cwd, kit, start } = await place();
    const { session, model } = start(
      'Go.',
      [
        toolCall('Skill', { skill: 'kit:tidy' }),
        toolCall('mcp__plugin_kit_echo__say', {}),
        toolCall('Agent', { subagent_type: 'kit:reviewer', description: 'Review', prompt: 'Review it.' }),
        text('Reviewed.'),
        text('Done.'),
      ],
      { allowedTools: ['mcp__plugin_kit_echo', 'Skill', 'Agent'] },
    );
    expect(await session.listPlugins()).toEqual([
      { name: 'kit', path: kit, version: '1.2.0', id: 'kit@local', source: 'local', scope: 'session', enabled: true },
    ]);
    const messages = await collect(session);
    expect(messages.find((message) => message.type === 'system' && message.subtype === 'init')).toMatchObject({
      plugins: [{ name: 'kit', path: kit, source: 'kit@local' }],
      agents: expect.arrayContaining(['kit:reviewer']),
      skills: ['kit:tidy'],
      slash_commands: expect.arrayContaining(['kit:hello', 'kit:tidy']),
      loaded: expect.arrayContaining([
        { kind: 'plugin', name: 'kit', scope: 'session', source: kit },
        { kind: 'agent', name: 'kit:reviewer', scope: 'plugin', source: path.join(kit, 'agents/reviewer.md') },
        { kind: 'skill', name: 'kit:tidy', scope: 'plugin', source: path.join(kit, 'skills/tidy/SKILL.md') },
        { kind: 'command', name: 'kit:hello', scope: 'plugin', source: path.join(kit, 'commands/hello.md') },
        { kind: 'server', name: 'plugin_kit_echo', scope: 'plugin', source: kit },
        expect.objectContaining({ kind: 'hook', scope: 'plugin', source: path.join(kit, 'hooks/hooks.json') }),
      ]),
      rejected: [expect.objectContaining({ kind: 'hook', name: expect.stringContaining('NoSuchEvent') })],
    });
    const sent = model.requests.map(({ messages: history }) => JSON.stringify(history));
    expect(sent[0]).toContain('context of the plugin');
    expect(sent[1]).toContain('Tidy up as follows.');
    expect(sent[2]).toContain('from the server of the plugin');
    expect(JSON.stringify(model.requests[3]?.system)).toContain('You review.');
    expect(await readFile(path.join(cwd, 'noted.txt'), 'utf8')).toBe(kit);
    expect(messages).toContainEqual(
      expect.objectContaining({
        code: 'plugin_problem',
        message: expect.stringContaining('NoSuchEvent[0].hooks[0] (plugin kit)'),
      }),
    );
    model.assertDone();
  });

  it('runs its commands with the shell lines that they allow', async () => {
    const { start } = await place();
    const { session, model } = start('/kit:hello world', [text('Hello.')]);
    const messages = await collect(session);
    expect(messages.at(-1)).toMatchObject({ subtype: 'success' });
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Say: good morning to world');
  });

  it('does not begin with what is no plugin, nor with two of one name', async () => {
    const { base, kit, start } = await place();
    await expect(
      collect(start('Go.', [], { plugins: [{ type: 'local', path: path.join(base, 'none') }] }).session),
    ).rejects.toThrow(/none cannot be used as a plugin: there is no such folder/);
    const twice = [kit, kit].map((folder) => ({ type: 'local', path: folder }) as const);
    await expect(collect(start('Go.', [], { plugins: twice }).session)).rejects.toThrow(/Two plugins are called kit/);
    const odd = [{ type: 'remote', path: kit }] as unknown as NonNullable<Options['plugins']>;
    await expect(collect(start('Go.', [], { plugins: odd }).session)).rejects.toThrow(
      /plugins\[0\] must be \{ type: 'local'/,
    );
  });
});

it('has agents whose own names are long', async () => {
  const { kit, start } = await place();
  const name = `kit-${'reviewer-of-all-that-changed-'.repeat(2)}x`;
  await writeFile(path.join(kit, 'agents', 'long.md'), `---\nname: ${name}\ndescription: Reviews.\n---\nYou.`);
  const messages = await collect(start('Go.', [text('Done.')]).session);
  expect(messages.find((message) => message.type === 'system' && message.subtype === 'init')).toMatchObject({
    agents: expect.arrayContaining([`kit:${name}`]),
  });
});

it('has the single files that its manifest names, each once', async () => {
  const { kit, start } = await place();
  await mkdir(path.join(kit, 'more'));
  await writeFile(path.join(kit, 'more', 'looker.md'), '---\nname: looker\ndescription: Looks.\n---\nYou.');
  await writeFile(path.join(kit, 'more', 'bye.md'), 'Say bye.');
  const files = { agents: ['./more/looker.md', './more/../more/looker.md'], commands: './more/bye.md' };
  await writeFile(path.join(kit, '.claude-plugin/plugin.json'), JSON.stringify({ name: 'kit', ...files }));
  const messages = await collect(start('Go.', [text('Done.')]).session);
  const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
  const { loaded = [] } = init as { readonly loaded?: readonly { readonly name: string }[] };
  expect(init).toMatchObject({ agents: expect.arrayContaining(['kit:looker', 'kit:reviewer']) });
  expect(loaded.filter(({ name }) => name === 'kit:looker' || name === 'kit:bye')).toHaveLength(2);
});

it('is described for people, with what of it does not count', async () => {
  const { kit, host } = await place();
  await writeFile(path.join(kit, 'commands', 'bad name.md'), 'x');
  expect(await describePlugin(host, kit)).toMatchObject({
    name: 'kit',
    agents: ['kit:reviewer'],
    commands: ['kit:hello'],
    skills: ['kit:tidy'],
    hooks: [{ event: 'UserPromptSubmit' }],
    servers: ['echo'],
    problems: [expect.stringContaining('bad name.md: its name'), expect.stringContaining('NoSuchEvent')],
  });
  expect(await describePlugin(host, path.join(kit, 'none'))).toBe('there is no such folder');
});
