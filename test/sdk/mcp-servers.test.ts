// Which MCP servers that are programs a session has: of the options, and of the project's files where somebody vouches for
// them. Real processes, from a scripted server.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { untrustedFolder } from '../../src/sdk/faces/folder-trust.js';
import { readMcpConfigs } from '../../src/sdk/mcp/mcp-config.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';
import { patientClock, type ServerScript, scriptedServer, serversOf } from '../support/mcp-server.js';
import { variable } from '../support/variable.js';
// What speaks HTTP is loaded with the first such server, for which a prompt waits five seconds: on a busy machine the
// load alone may take as long.
import '../../src/mcp/http/open-http-server.js';

const config = (folder: string, script: ServerScript = {}, name = 's') => {
  const server = scriptedServer(folder, script, name);
  const { command, args, env } = server.definition;
  return { server, config: { command, args: [...args], env: { ...env } } };
};

/** A session of one prompt in `folder`. */
async function run(folder: string, home: string, options: Options = {}, steps = [text('ok')] as const) {
  const model = scriptedModel([...steps] as never);
  const messages = await collect(
    query({
      prompt: 'go',
      options: {
        cwd: folder,
        provider: model,
        host: createNodeHost({ clock: patientClock() }),
        env: { TURNWRIGHT_HOME: home, ...options.env },
        ...options,
      },
    }),
  );
  return { messages, model };
}

const statuses = serversOf;
const notices = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'notice' ? [`${message.code}: ${message.message}`] : [],
  );
const results = (messages: readonly SDKMessage[]) => JSON.stringify(messages.filter(({ type }) => type === 'user'));

async function project(files: Readonly<Record<string, unknown>> = {}) {
  const folder = await temporaryFolder();
  // What a server writes must not be a file of the project that it names.
  const [elsewhere, home] = [await temporaryFolder(), await temporaryFolder()];
  mkdirSync(path.join(folder, '.git'));
  writeFileSync(path.join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const write = (all: Readonly<Record<string, unknown>>) => {
    for (const [name, content] of Object.entries(all)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    }
  };
  write(files);
  const trust = async () => {
    const found = await untrustedFolder(createNodeHost({ env: { TURNWRIGHT_HOME: home } }), folder, {});
    await found?.trust();
    return found?.settings.map(({ key }) => key) ?? [];
  };
  return { folder, elsewhere, home, write, trust };
}

const settings = (values: object) => ({ settings: values as never });

describe('the option mcpServers', () => {
  it('starts a program, whose tools rules may name', async () => {
    const [folder, home] = [await temporaryFolder(), await temporaryFolder()];
    const { config: s, server } = config(folder);
    const steps = [toolCall('mcp__s__echo', { text: 'hello' }), text('ok')];
    const { messages } = await run(folder, home, { mcpServers: { s }, allowedTools: ['mcp__s__echo'] }, steps as never);
    expect(statuses(messages)).toEqual([{ name: 's', status: 'connected' }]);
    expect(results(messages)).toContain('echo: hello');
    expect(notices(messages)).toEqual([]);
    expect(server.alive()).toEqual([]);
  });

  it.each<[object, RegExp]>([
    [{ type: 'ws', url: 'ws://localhost/' }, /mcpServers\.s has the type "ws"; stdio, http and sse can be used/],
    [{ type: 'http' }, /mcpServers\.s has no url/],
    [{ type: 'sse', url: 'file:///etc/passwd' }, /has a url that is not one of http/],
    [{ url: 'https://me:secret@example.com/' }, /has a user in its url; write credentials into its headers/],
    [{ type: 'http', url: 'http://localhost/', headers: { 'a b': '1' } }, /a header "a b", which is not a name of one/],
    [{ type: 'http', url: 'http://localhost/', headers: { Host: 'x' } }, /"Host", which the connection sets itself/],
    [{ type: 'http', url: 'http://localhost/', headers: { a: 'x\r\nb: y' } }, /whose value is not a line of text/],
    [{ type: 'http', url: 'http://localhost/', headersHelper: 7 }, /has a headersHelper that is no command/],
    [{ type: 'http', url: 'http://localhost/', timeout: '5' }, /has a timeout that is not a number/],
    [
      { type: 'http', url: 'http://localhost/', oauth: { clientSecret: 'x' } },
      /oauth\.clientSecret without a clientId/,
    ],
    [{ type: 'http', url: 'http://localhost/', oauth: { callbackPort: 70_000 } }, /callbackPort that is no port/],
    [{ type: 'sdk', name: 's', instance: { listTools: () => [] } }, /its instance is not a server/],
    [{ command: ' ' }, /mcpServers\.s has no command/],
    [{ command: 'x', args: [1] }, /has args that are not texts/],
    [{ command: 'x', env: { A: 1 } }, /has an env that is not an object of texts/],
    [{ command: 'x', env: { 'A=B': '1' } }, /names a variable "A=B"/],
    [{ command: 'a\0b' }, /NUL character/],
  ])('refuses %j', async (s, why) => {
    const folder = await temporaryFolder();
    await expect(run(folder, folder, { mcpServers: { s: s as never } })).rejects.toThrow(why);
  });
});

describe('a server of .mcp.json', () => {
  it('is not started if nobody vouches for it, and that is told', async () => {
    const { folder, elsewhere, home, write } = await project();
    const { config: s, server } = config(elsewhere);
    write({ '.mcp.json': { mcpServers: { s } } });
    const { messages } = await run(folder, home);
    expect(server.starts()).toBe(0);
    expect(statuses(messages)).toEqual([{ name: 's', status: 'disabled' }]);
    expect(notices(messages)).toEqual([expect.stringMatching(/folder_not_trusted: .*mcpServers\.s \(.*\.mcp\.json\)/)]);
  });

  it('is started if the host vouches for the folder, also from a folder below', async () => {
    const { folder, elsewhere, home, write } = await project({ 'a/b/x.txt': '' });
    const { config: s, server } = config(elsewhere);
    write({ '.mcp.json': { mcpServers: { s } } });
    const { messages } = await run(path.join(folder, 'a/b'), home, { settingSources: ['user', 'project'] });
    expect(statuses(messages)).toEqual([{ name: 's', status: 'connected' }]);
    expect(server.starts()).toBe(1);
  });

  it('is not looked for if the host leaves the project out, or wants its own servers alone', async () => {
    const { folder, elsewhere, home, write } = await project();
    const { config: s, server } = config(elsewhere);
    write({ '.mcp.json': { mcpServers: { s } } });
    for (const options of [{ settingSources: ['user'] }, { strictMcpConfig: true, settingSources: ['project'] }]) {
      const { messages } = await run(folder, home, options as Options);
      expect(statuses(messages)).toEqual([]);
      expect(notices(messages)).toEqual([]);
    }
    expect(server.starts()).toBe(0);
  });

  it('is started once the user said yes to it, and asked about again after any change', async () => {
    const { folder, elsewhere, home, write, trust } = await project({ 'tools/helper.mjs': 'export {};' });
    const { config: s, server } = config(elsewhere);
    const definition = { ...s, args: [...s.args, './tools/helper.mjs'] };
    write({ '.mcp.json': { mcpServers: { s: definition } } });
    expect(await trust()).toEqual(['mcpServers.s']);
    expect(statuses((await run(folder, home)).messages)).toEqual([{ name: 's', status: 'connected' }]);
    const changes: readonly Readonly<Record<string, unknown>>[] = [
      { 'tools/helper.mjs': 'export { };' },
      { '.mcp.json': { mcpServers: { s: { ...definition, env: { ...s.env, A: 'b' } } } } },
      { '.mcp.json': { mcpServers: { s: { ...definition, args: [...definition.args, 'x'] } } } },
    ];
    expect(statuses((await run(folder, home)).messages)).toEqual([{ name: 's', status: 'connected' }]);
    for (const change of changes) {
      write(change);
      const before = server.starts();
      expect(statuses((await run(folder, home)).messages)).toEqual([{ name: 's', status: 'disabled' }]);
      expect(server.starts()).toBe(before);
      expect(await trust()).toEqual(['mcpServers.s']);
      expect(statuses((await run(folder, home)).messages)).toEqual([{ name: 's', status: 'connected' }]);
    }
  });

  it('that ended is not started again once its files changed', async () => {
    const { folder, elsewhere, home, write, trust } = await project({ 'tools/helper.mjs': 'export {};' });
    const { config: s, server } = config(elsewhere);
    write({ '.mcp.json': { mcpServers: { s: { ...s, args: [...s.args, './tools/helper.mjs'] } } } });
    await trust();
    const steps = [
      toolCall('mcp__s__echo', { text: `bash echo changed > ${folder}/tools/helper.mjs` }),
      toolCall('mcp__s__echo', { text: 'crash' }),
      toolCall('mcp__s__echo', { text: 'again' }),
      text('ok'),
    ];
    const { messages } = await run(folder, home, { allowedTools: ['mcp__s'] }, steps as never);
    expect(results(messages)).toContain('changed since somebody vouched for it');
    expect(server.starts()).toBe(1);
  });

  it.each<[string, object, Options, string]>([
    ['by a list that does not name it', {}, settings({ enableAllProjectMcpServers: false }), 'mcp_server_not_used'],
    ['by its name', {}, settings({ disabledMcpjsonServers: ['s'] }), ''],
    ['by the project itself', { disabledMcpjsonServers: ['s'] }, {}, ''],
  ])('is switched off %s', async (_, ofProject, options, code) => {
    const { folder, elsewhere, home, write, trust } = await project();
    const { config: s, server } = config(elsewhere);
    write({ '.mcp.json': { mcpServers: { s } } });
    await trust();
    if (Object.keys(ofProject).length > 0) write({ '.claude/settings.json': ofProject });
    const { messages } = await run(folder, home, options);
    expect(statuses(messages)).toEqual([{ name: 's', status: 'disabled' }]);
    expect(notices(messages).map((notice) => notice.split(':')[0])).toEqual(code === '' ? [] : [code]);
    expect(server.starts()).toBe(0);
  });

  it('is started if a list of the user names it; a project names none', async () => {
    const { folder, elsewhere, home, write, trust } = await project();
    const { config: s } = config(elsewhere);
    write({ '.mcp.json': { mcpServers: { s } }, '.claude/settings.json': { enabledMcpjsonServers: ['s'] } });
    await trust();
    const only = { enableAllProjectMcpServers: false };
    const refused = await run(folder, home, settings(only));
    expect(statuses(refused.messages)).toEqual([{ name: 's', status: 'disabled' }]);
    expect(notices(refused.messages).join()).toContain('a project does not approve its own servers');
    const named = await run(folder, home, settings({ ...only, enabledMcpjsonServers: ['s'] }));
    expect(statuses(named.messages)).toEqual([{ name: 's', status: 'connected' }]);
  });

  it('cannot be enabled against managed settings by a grant, but against the user’s', async () => {
    const { folder, elsewhere, home, write } = await project();
    const { config: s } = config(elsewhere);
    write({ '.mcp.json': { mcpServers: { s } } });
    const off = { enableAllProjectMcpServers: false };
    const granted = { settingSources: ['project'] } as const;
    const ofUser = await run(folder, home, { ...settings(off), ...granted } as never);
    expect(statuses(ofUser.messages)).toEqual([{ name: 's', status: 'connected' }]);
    const managed = await run(folder, home, { managedSettings: off, ...granted } as never);
    expect(statuses(managed.messages)).toEqual([{ name: 's', status: 'disabled' }]);
  });

  it('may name variables, with a default or told if they are missing, and never keys for models', async () => {
    const { folder, elsewhere, home, write } = await project();
    const { config: s } = config(elsewhere);
    const named = (value: string) => ({ ...s, env: { ...s.env, VALUE: value } });
    write({
      '.mcp.json': {
        mcpServers: {
          s: named([variable('HERE'), variable('GONE', 'otherwise'), variable('EMPTY', 'filled')].join('-')),
          missing: named(variable('GONE')),
          key: named(variable('ANTHROPIC_API_KEY')),
          copy: named(variable('COPY')),
          like: named(variable('DEEPINFRA_API_KEY')),
          hidden: named(variable('HIDDEN', 'nothing')),
        },
      },
    });
    const key = 'sk-ant-0123456789';
    const env = { HERE: 'here', EMPTY: '', ANTHROPIC_API_KEY: key, COPY: key, TURNWRIGHT_HOME: home };
    const kept = { DEEPINFRA_API_KEY: 'deep-4711-0815', HIDDEN: 'hidden-4711' };
    const settings = { hideVariables: ['HIDDEN'] };
    const options = {
      settingSources: ['project'],
      settings,
      env: { ...env, ...kept },
      allowedTools: ['mcp__s', 'mcp__hidden'],
    } as const;
    const steps = ['s', 'hidden'].map((name) =>
      toolCall(`mcp__${name}__echo`, { text: 'environment' }, `toolu_${name}`),
    );
    const { messages } = await run(folder, home, options as never, [...steps, text('ok')] as never);
    expect(statuses(messages).map(({ name, status }) => `${name} ${status}`)).toEqual([
      'missing failed',
      'key failed',
      'copy failed',
      'like failed',
      's connected',
      'hidden connected',
    ]);
    expect(results(messages)).toContain('here-otherwise-filled');
    expect(results(messages)).not.toContain('hidden-4711');
    expect(notices(messages)).toEqual([
      expect.stringMatching(/missing .*variable GONE, which is not set/),
      expect.stringMatching(/key .*ANTHROPIC_API_KEY, which is a key for models/),
      expect.stringMatching(/copy .*COPY, which is a key for models/),
      expect.stringMatching(/like .*DEEPINFRA_API_KEY, which is a key for models/),
    ]);
  });

  it('that cannot be reached, or that is wrong, is told and holds nothing up', async () => {
    const { folder, elsewhere, home, write } = await project();
    const { config: s } = config(elsewhere);
    write({ '.mcp.json': { mcpServers: { s, web: { type: 'http', url: 'http://127.0.0.1:1/' }, odd: 7 } } });
    const { messages } = await run(folder, home, { settingSources: ['project'] });
    expect(statuses(messages).map(({ name, status }) => `${name} ${status}`)).toEqual([
      'odd failed',
      's connected',
      'web failed',
    ]);
    expect(notices(messages).join()).toMatch(/odd.*is not an object.*web.*nothing listens there \(ECONNREFUSED\)/);
  });

  it.each(['{ not json', '[]', '{}', '{"mcpServers": []}', '{"mcpServers": {"": {"command": "x"}}}'])(
    'in a file that says %s is no server, which is told',
    async (content) => {
      const { folder, home } = await project({ '.mcp.json': content });
      const { messages } = await run(folder, home, { settingSources: ['project'] });
      expect(statuses(messages)).toEqual([]);
      expect(notices(messages)).toEqual([expect.stringMatching(/^settings_problem: .*\.mcp\.json /)]);
    },
  );

  it('stands behind one of the option with the same name, and behind one of a nearer file', async () => {
    const { folder, elsewhere, home, write } = await project({ 'a/x.txt': '' });
    const [far, near, own] = [
      config(elsewhere, {}, 'far'),
      config(elsewhere, {}, 'near'),
      config(elsewhere, {}, 'own'),
    ];
    write({
      '.mcp.json': { mcpServers: { one: far.config, two: far.config } },
      'a/.mcp.json': { mcpServers: { one: near.config } },
    });
    const options = { settingSources: ['project'], mcpServers: { two: own.config } } as const;
    const { messages } = await run(path.join(folder, 'a'), home, options as never);
    expect([far.server.starts(), near.server.starts(), own.server.starts()]).toEqual([0, 1, 1]);
    expect(notices(messages)).toEqual([
      expect.stringMatching(/mcp_server_not_used: .*two.*the option mcpServers has one/),
    ]);
  });
});

describe('files and JSON of a command line', () => {
  const place = (folder: string) => ({ folder, env: { WHERE: '/opt' } });

  it('come together, a later server in place of an earlier one, with variables of the user', async () => {
    const folder = await temporaryFolder();
    const file = { mcpServers: { a: { command: `${variable('WHERE')}/a` }, b: { command: 'b' } } };
    writeFileSync(path.join(folder, 'servers.json'), JSON.stringify(file));
    const json = JSON.stringify({ mcpServers: { b: { command: 'other' } } });
    const read = await readMcpConfigs(createNodeHost(), ['servers.json', json], place(folder));
    expect(read).toEqual({ a: { command: '/opt/a' }, b: { command: 'other' } });
  });

  it.each([
    ['none.json', /names .*none\.json, and there is no such file/],
    ['{"a": {"command": "x"}}', /--mcp-config has no object mcpServers/],
    [
      JSON.stringify({ mcpServers: { a: { command: variable('GONE') } } }),
      /server a names the variable GONE, which is not set/,
    ],
    ['{"mcpServers"', /--mcp-config is not JSON/],
  ])('are refused: %s', async (source, why) => {
    const folder = await temporaryFolder();
    await expect(readMcpConfigs(createNodeHost(), [source], place(folder))).rejects.toThrow(why);
  });
});
