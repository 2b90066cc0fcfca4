// Marketplaces and installed plugins: folders, git over file://, npm over loopback; pinned, bounded, and nothing of them is run.
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Options } from '../../../src/sdk/options/options.js';
import {
  addMarketplace,
  installPlugin,
  listInstalled,
  listMarketplaces,
  removeMarketplace,
  setPluginEnabled,
  uninstallPlugin,
  updateMarketplaces,
  updatePlugins,
} from '../../../src/sdk/plugins/plugin-market.js';
import { query } from '../../../src/sdk/query.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../../src/testing/model/scripted-model.js';
import {
  commitFiles,
  marketplaceFile,
  npmRegistry,
  pluginFiles,
  pluginMachine,
  removeFolder,
  under,
  writeFiles,
} from '../../support/plugin-sources.js';

type Machine = Awaited<ReturnType<typeof pluginMachine>>;

function start({ cwd, host }: Machine, steps: readonly ScriptedStep[], more: Options = {}) {
  const model = scriptedModel([...steps]);
  return { model, session: query({ prompt: 'Go.', options: { cwd, host, provider: model, ...more } }) };
}

async function initOf(machine: Machine, more: Options = {}) {
  const { session } = start(machine, [text('Done.')], more);
  const messages = await collect(session);
  const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
  const told = messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'notice' && message.code === 'plugin_problem'
      ? [message.message]
      : [],
  );
  return { init: init as Extract<typeof init, { subtype: 'init' }>, told: told.join('\n') };
}

/** A marketplace in a folder, with the plugins of these names. */
async function folderMarket({ base }: Machine, ...names: string[]): Promise<string> {
  const folder = path.join(base, 'market');
  await writeFiles(folder, {
    ...marketplaceFile(
      'tools',
      names.map((name) => ({ name, source: `./plugins/${name}` })),
    ),
    ...Object.assign({}, ...names.map((name) => under(`plugins/${name}`, pluginFiles(name)))),
  });
  return folder;
}

describe('a marketplace that is a folder', () => {
  it('offers plugins that count once somebody installed them, until somebody takes them away', async () => {
    const machine = await pluginMachine();
    const { options, home } = machine;
    const added = await addMarketplace(options, await folderMarket(machine, 'kit', 'other'));
    expect(added).toMatchObject({ name: 'tools', state: 'known', plugins: [{ name: 'kit' }, { name: 'other' }] });
    expect((await initOf(machine)).init?.plugins).toEqual([]);

    const installed = await installPlugin(options, 'kit', 'user');
    expect(installed).toMatchObject({ id: 'kit@tools', version: '1.0.0', problems: [] });
    expect(JSON.parse(await readFile(path.join(home, 'settings.json'), 'utf8'))).toEqual({
      enabledPlugins: { 'kit@tools': true },
    });
    const { session, model } = start(machine, [toolCall('Skill', { skill: 'kit:tidy' }), text('Done.')], {
      allowedTools: ['Skill'],
    });
    expect(await session.listPlugins()).toEqual([
      {
        name: 'kit',
        path: installed.folder,
        version: '1.0.0',
        id: 'kit@tools',
        source: 'tools',
        scope: 'user',
        enabled: true,
      },
    ]);
    const messages = await collect(session);
    expect(messages.find((message) => message.type === 'system' && message.subtype === 'init')).toMatchObject({
      plugins: [{ name: 'kit', path: installed.folder, source: 'kit@tools' }],
      skills: ['kit:tidy'],
      agents: expect.arrayContaining(['kit:reviewer']),
      slash_commands: expect.arrayContaining(['kit:hello']),
    });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('Tidy up as kit 1.0.0 does.');

    await setPluginEnabled(options, 'kit', 'user', false);
    expect((await initOf(machine)).init?.skills).toEqual([]);
    await setPluginEnabled(options, 'kit@tools', 'user', true);
    expect(await uninstallPlugin(options, 'kit')).toBe('kit@tools');
    expect(JSON.parse(await readFile(path.join(home, 'settings.json'), 'utf8'))).toEqual({ enabledPlugins: {} });
    expect(await listInstalled(options)).toEqual([]);
    // A session that runs goes on with what it has.
    expect(existsSync(installed.folder)).toBe(true);
  });

  it('does not change what is installed, until somebody brings it up to date', async () => {
    const machine = await pluginMachine();
    const folder = await folderMarket(machine, 'kit');
    await addMarketplace(machine.options, folder);
    const first = await installPlugin(machine.options, 'kit@tools', 'user');
    await writeFiles(folder, under('plugins/kit', pluginFiles('kit', '2.0.0')));
    expect((await listInstalled(machine.options))[0]).toMatchObject({ version: '1.0.0', problem: null });
    const [second] = await updatePlugins(machine.options);
    expect(second).toMatchObject({ version: '2.0.0', isNew: true });
    expect(await updatePlugins(machine.options, 'kit')).toMatchObject([{ version: '2.0.0', isNew: false }]);
    await removeFolder(folder);
    await expect(updatePlugins(machine.options, 'kit')).rejects.toThrow(/cannot be used/);
    expect((await initOf(machine)).init?.plugins).toMatchObject([{ name: 'kit' }]);
    expect(first.sha256).not.toBe((second as typeof first).sha256);
  });

  it('is told if it does not hold what it lists, and takes nothing from outside itself', async () => {
    const machine = await pluginMachine();
    const folder = path.join(machine.base, 'market');
    await writeFiles(machine.base, { 'outside/secret.txt': 'secret', ...under('elsewhere', pluginFiles('elsewhere')) });
    await writeFiles(folder, {
      ...marketplaceFile('tools', [
        { name: 'up', source: '../elsewhere' },
        { name: 'linked', source: './linked' },
        { name: 'gone', source: './gone' },
        { name: 'kit', source: './kit' },
        { name: 'kit', source: './other' },
        { name: 'bad name', source: './x' },
        { name: 'odd', source: { source: 'pip', package: 'x' } },
        { name: 'ext', source: { source: 'git', url: 'ext::sh -c "touch ran"' } },
        { name: 'flag', source: { source: 'git', url: 'https://example.invalid/x.git', ref: '--upload-pack=touch' } },
        'text',
      ]),
      ...under('kit', pluginFiles('kit')),
      'kit/shared.md': 'shared',
    });
    await symlink(path.join(machine.base, 'elsewhere'), path.join(folder, 'linked'));
    await symlink('../../outside', path.join(folder, 'kit', 'outside'));
    await symlink('shared.md', path.join(folder, 'kit', 'again.md'));
    await symlink('.', path.join(folder, 'kit', 'circle'));
    const { problems, plugins } = await addMarketplace(machine.options, folder);
    expect(plugins.map(({ name }) => name)).toEqual(['linked', 'gone', 'kit']);
    for (const name of ['up', 'kit', 'bad name', 'odd', 'ext', 'flag'])
      expect(problems.join('\n')).toContain(`${name}: `);
    await expect(installPlugin(machine.options, 'linked@tools', 'user')).rejects.toThrow(/leads out/);
    await expect(installPlugin(machine.options, 'gone@tools', 'user')).rejects.toThrow(/holds no gone/);
    await expect(installPlugin(machine.options, 'up@tools', 'user')).rejects.toThrow(/leads out of the marketplace/);
    await expect(installPlugin(machine.options, 'kti@tools', 'user')).rejects.toThrow(/Did you mean kit/);
    const kit = await installPlugin(machine.options, 'kit@tools', 'user');
    expect(kit.problems.join('\n')).toContain('"outside" is a link');
    expect(existsSync(path.join(kit.folder, 'outside'))).toBe(false);
    expect(await readFile(path.join(kit.folder, 'again.md'), 'utf8')).toBe('shared');
    expect(await readdir(path.join(machine.home, 'plugins', 'staging'))).toEqual([]);
  });

  it('is not taken by the name of another, and a plugin does not move to another place by itself', async () => {
    const machine = await pluginMachine();
    await addMarketplace(machine.options, await folderMarket(machine, 'kit'));
    await writeFiles(path.join(machine.base, 'false'), marketplaceFile('tools', []));
    await expect(addMarketplace(machine.options, path.join(machine.base, 'false'))).rejects.toThrow(
      /There is a marketplace tools from/,
    );
    await installPlugin(machine.options, 'kit', 'user');
    const url = `file://${path.join(machine.base, 'repo')}`;
    await commitFiles(path.join(machine.base, 'repo'), pluginFiles('kit', '9.0.0'));
    await writeFiles(
      path.join(machine.base, 'market'),
      marketplaceFile('tools', [{ name: 'kit', source: { source: 'url', url } }]),
    );
    await expect(updatePlugins(machine.options, 'kit')).rejects.toThrow(
      /came from its folder plugins\/kit, and tools names file:/,
    );
    expect((await listInstalled(machine.options))[0]?.version).toBe('1.0.0');
  });

  it('brings what it lists for a plugin without a manifest, and no more if it says so', async () => {
    const machine = await pluginMachine();
    const folder = path.join(machine.base, 'market');
    const skill = (name: string) => ({ [`skills/${name}/SKILL.md`]: `---\ndescription: ${name}\n---\nDo.` });
    await writeFiles(folder, {
      ...marketplaceFile('pack', [
        { name: 'docs', source: './', strict: false, description: 'Documents.', skills: ['./skills/pdf'] },
        { name: 'all', source: './', strict: false },
      ]),
      ...skill('pdf'),
      ...skill('art'),
    });
    await addMarketplace(machine.options, folder);
    await installPlugin(machine.options, 'docs', 'user');
    await installPlugin(machine.options, 'all', 'user');
    expect((await initOf(machine)).init?.skills).toEqual(['all:art', 'all:pdf', 'docs:pdf']);
  });

  it('is bounded: what is too large is not taken, and leaves nothing', async () => {
    const machine = await pluginMachine();
    const folder = await folderMarket(machine, 'kit', 'many');
    const large = await open(path.join(folder, 'plugins', 'kit', 'large.bin'), 'w');
    await large.truncate(65 * 1024 * 1024);
    await large.close();
    await mkdir(path.join(folder, 'plugins', 'many', 'deep'));
    // Circles of links are folders without end.
    for (const name of ['a', 'b', 'c']) await symlink('..', path.join(folder, 'plugins', 'many', 'deep', name));
    await addMarketplace(machine.options, folder);
    await expect(installPlugin(machine.options, 'kit@tools', 'user')).rejects.toThrow(/large\.bin is too large/);
    await expect(installPlugin(machine.options, 'many@tools', 'user')).rejects.toThrow(/more than \d+ (folders|files)/);
    expect(await listInstalled(machine.options)).toEqual([]);
    expect(await readdir(path.join(machine.home, 'plugins'))).toEqual(expect.not.arrayContaining(['cache']));
  });
});

describe('a marketplace that is a git repository', () => {
  it('is taken at a commit, with the plugins in it, and nothing of it is run', async () => {
    const machine = await pluginMachine();
    const repo = path.join(machine.base, 'repo');
    const first = await commitFiles(repo, {
      ...marketplaceFile('tools', [
        { name: 'kit', source: './kit' },
        { name: 'own', source: { source: 'git-subdir', url: `file://${repo}`, path: 'kit' } },
      ]),
      ...under('kit', pluginFiles('kit')),
      '.gitattributes': '*.md filter=evil\n',
    });
    const ran = path.join(machine.base, 'ran');
    // What the user's git would run for such files, and a hook of each new repository.
    await writeFiles(machine.user, {
      '.gitconfig': `[filter "evil"]\n  smudge = touch ${ran}; cat\n  required = true\n[core]\n  hooksPath = ${machine.user}/hooks\n[init]\n  templateDir = ${machine.user}/template\n`,
      'hooks/post-checkout': `#!/bin/sh\ntouch ${ran}\n`,
      'template/hooks/post-checkout': `#!/bin/sh\ntouch ${ran}\n`,
    });
    const added = await addMarketplace(machine.options, `file://${repo}#main`);
    expect(added).toMatchObject({ name: 'tools', commit: first });
    expect(await installPlugin(machine.options, 'kit@tools', 'user')).toMatchObject({
      commit: first,
      version: '1.0.0',
    });
    expect(await installPlugin(machine.options, 'own@tools', 'user')).toMatchObject({
      commit: first,
      version: '1.0.0',
    });
    const second = await commitFiles(repo, under('kit', pluginFiles('kit', '1.1.0')));
    expect(await updatePlugins(machine.options, 'kit@tools')).toMatchObject([{ commit: second, version: '1.1.0' }]);
    expect(await listInstalled(machine.options)).toMatchObject([{ commit: second }, { commit: first }]);
    expect(existsSync(ran)).toBe(false);
    await removeFolder(repo);
    await expect(updatePlugins(machine.options, 'kit')).rejects.toThrow(/cannot be fetched/);
    // One of the two has the name in a session.
    const { init, told } = await initOf(machine);
    expect(init?.plugins).toMatchObject([{ name: 'kit', source: 'kit@tools' }]);
    expect(told).toContain('own@tools is left out: kit@tools has the name kit');
  });

  it('gives the commit that is wanted, or nothing', async () => {
    const machine = await pluginMachine();
    const repo = path.join(machine.base, 'repo');
    const old = await commitFiles(repo, pluginFiles('kit', '1.0.0'));
    await commitFiles(repo, pluginFiles('kit', '2.0.0'));
    const url = `file://${repo}`;
    const entry = (name: string, more: object) => ({ name, source: { source: 'url', url, ...more } });
    await writeFiles(path.join(machine.base, 'market'), {
      ...marketplaceFile('tools', [
        entry('pinned', { sha: old }),
        entry('lost', { sha: 'a'.repeat(40) }),
        entry('gone', { ref: 'no-such-branch' }),
      ]),
    });
    await addMarketplace(machine.options, path.join(machine.base, 'market'));
    expect(await installPlugin(machine.options, 'pinned', 'user')).toMatchObject({ commit: old, version: '1.0.0' });
    await expect(installPlugin(machine.options, 'lost', 'user')).rejects.toThrow(/cannot be fetched/);
    await expect(installPlugin(machine.options, 'gone', 'user')).rejects.toThrow(/cannot be fetched/);
  });
});

describe('a plugin that is an npm package', () => {
  it('is unpacked with its version and its integrity, and none of its scripts is run', async () => {
    const registry = await npmRegistry('kit-plugin', {
      '1.0.0': [
        {
          name: 'package/package.json',
          text: JSON.stringify({ name: 'kit-plugin', version: '1.0.0', scripts: { preinstall: 'touch ran' } }),
        },
        ...Object.entries(pluginFiles('kit', '')).map(([name, text]) => ({ name: `package/${name}`, text })),
        { name: 'package/../../escape.txt', text: 'out' },
        { name: 'package/link.md', link: '/etc/passwd' },
      ],
    });
    const machine = await pluginMachine();
    await writeFiles(
      path.join(machine.base, 'market'),
      marketplaceFile('tools', [
        { name: 'kit', source: { source: 'npm', package: 'kit-plugin', registry } },
        { name: 'none', source: { source: 'npm', package: 'no-such-plugin', registry } },
      ]),
    );
    await addMarketplace(machine.options, path.join(machine.base, 'market'));
    const kit = await installPlugin(machine.options, 'kit@tools', 'user');
    expect(kit).toMatchObject({ version: '1.0.0' });
    expect(kit.problems.join('\n')).toContain('escape.txt');
    expect(kit.problems.join('\n')).toContain('link.md');
    expect((await readdir(kit.folder)).sort()).toEqual([
      '.claude-plugin',
      'agents',
      'commands',
      'package.json',
      'skills',
    ]);
    const record = JSON.parse(await readFile(path.join(machine.home, 'plugins', 'plugins.json'), 'utf8'));
    expect(record.plugins['kit@tools'].integrity).toMatch(/^sha512-/);
    await expect(installPlugin(machine.options, 'none@tools', 'user')).rejects.toThrow(
      /no-such-plugin@latest cannot be fetched from npm/,
    );
  }, 30_000);

  it('may be a marketplace', async () => {
    const files = {
      ...marketplaceFile('packed', [{ name: 'kit', source: './kit' }]),
      ...under('kit', pluginFiles('kit')),
    };
    const registry = await npmRegistry('packed-market', {
      '1.0.0': Object.entries(files).map(([name, text]) => ({ name: `package/${name}`, text })),
    });
    const machine = await pluginMachine({ npm_config_registry: registry });
    expect(await addMarketplace(machine.options, 'npm:packed-market@1.0.0')).toMatchObject({
      name: 'packed',
      version: '1.0.0',
    });
    expect(await installPlugin(machine.options, 'kit', 'user')).toMatchObject({ id: 'kit@packed' });
  }, 30_000);
});

describe('what settings say of plugins', () => {
  it('a project declares a marketplace and enables plugins, once somebody vouches for it; it installs nothing', async () => {
    const machine = await pluginMachine();
    const source = { source: 'directory', path: await folderMarket(machine, 'kit') };
    await writeFiles(machine.cwd, {
      '.claude/settings.json': JSON.stringify({
        enabledPlugins: { 'kit@tools': true },
        extraKnownMarketplaces: { tools: { source } },
        plugins: ['./own'],
      }),
      ...under('own', pluginFiles('own')),
    });
    await commitFiles(machine.cwd, {});
    await expect(installPlugin(machine.options, 'kit@tools', 'user')).rejects.toThrow(
      /There is not a marketplace "tools"/,
    );
    const trusted = { ...machine.options, trustFolder: true };
    expect(await listMarketplaces(trusted)).toMatchObject([{ name: 'tools', state: 'declared' }]);
    expect((await initOf(machine, { trustFolder: true })).told).toContain(
      'kit@tools is enabled and not installed: turnwright plugin install kit@tools',
    );
    await installPlugin(trusted, 'kit@tools', 'user');
    await writeFile(path.join(machine.home, 'settings.json'), '{}');
    expect((await initOf(machine)).init?.plugins).toEqual([]);
    const { init } = await initOf(machine, { trustFolder: true });
    expect(init?.plugins).toMatchObject([{ source: 'kit@tools' }, { source: 'own@local' }]);
  });

  it('managed ones say which marketplaces there may be, before anything is fetched and at each start', async () => {
    const machine = await pluginMachine();
    const folder = await folderMarket(machine, 'kit');
    await addMarketplace(machine.options, folder);
    await installPlugin(machine.options, 'kit', 'user');
    const start = (managedSettings: NonNullable<Options['managedSettings']>) => initOf(machine, { managedSettings });
    const none = await start({ strictKnownMarketplaces: [] });
    expect(none.init?.plugins).toEqual([]);
    expect(none.told).toContain('kit@tools: managed settings allow no marketplace');
    const blocked = await start({ blockedMarketplaces: [{ source: 'directory', path: folder }] });
    expect(blocked.told).toContain('managed settings block this marketplace');
    const listed = await start({
      strictKnownMarketplaces: [{ source: 'pathPattern', pathPattern: `${machine.base}/.*` }],
    });
    expect(listed.init?.plugins).toMatchObject([{ name: 'kit' }]);
    const { session } = start0(machine, folder);
    await expect(collect(session)).rejects.toThrow(/disableSideloadFlags/);
  });

  it('one that vanished, changed or is no plugin any more is told, and the session goes on', async () => {
    const machine = await pluginMachine();
    await addMarketplace(machine.options, await folderMarket(machine, 'kit', 'other'));
    const kit = await installPlugin(machine.options, 'kit', 'user');
    const other = await installPlugin(machine.options, 'other', 'user');
    await removeFolder(kit.folder);
    await writeFile(path.join(other.folder, 'agents', 'reviewer.md'), 'changed');
    const { init, told } = await initOf(machine);
    expect(told).toContain('kit@tools cannot be used: there is no such folder');
    expect(init?.plugins).toMatchObject([{ name: 'other' }]);
    expect(await listInstalled(machine.options)).toMatchObject([
      { problem: expect.stringContaining('gone') },
      { problem: expect.stringContaining('not as they were') },
    ]);
    await writeFile(path.join(machine.home, 'plugins', 'plugins.json'), 'garbage');
    expect((await initOf(machine)).told).toContain('plugins.json');
    await expect(listInstalled(machine.options)).rejects.toThrow(/Correct or remove it/);
  });

  it('plugins that Claude Code installed for the user count, as its settings enable them', async () => {
    const machine = await pluginMachine();
    const place = path.join(machine.user, '.claude', 'plugins');
    const installPath = path.join(place, 'cache', 'tools', 'kit', '1.0.0');
    await writeFiles(installPath, pluginFiles('kit'));
    await writeFiles(machine.user, {
      '.claude/settings.json': JSON.stringify({ enabledPlugins: { 'kit@tools': true, 'out@tools': true } }),
      '.claude/plugins/installed_plugins.json': JSON.stringify({
        version: 2,
        plugins: {
          'kit@tools': [{ scope: 'user', installPath, version: '1.0.0' }],
          'out@tools': [{ scope: 'user', installPath: machine.base }],
        },
      }),
      '.claude/plugins/known_marketplaces.json': JSON.stringify({
        tools: { source: { source: 'github', repo: 'acme/tools' } },
      }),
    });
    const { init, told } = await initOf(machine);
    expect(init?.plugins).toMatchObject([{ name: 'kit', source: 'kit@tools' }]);
    expect(told).toContain('out@tools is enabled and not installed');
    const strict = (repo: string) => ({ managedSettings: { strictKnownMarketplaces: [{ source: 'github', repo }] } });
    expect((await initOf(machine, strict('acme/tools'))).init?.plugins).toMatchObject([{ name: 'kit' }]);
    expect((await initOf(machine, strict('acme/others'))).init?.plugins).toEqual([]);
  });
});

function start0(machine: Machine, folder: string) {
  return start(machine, [], {
    managedSettings: { disableSideloadFlags: true },
    plugins: [{ type: 'local', path: path.join(folder, 'plugins', 'kit') }],
  });
}

it('takes a marketplace away with what came from it', async () => {
  const machine = await pluginMachine();
  await addMarketplace(machine.options, await folderMarket(machine, 'kit'));
  await installPlugin(machine.options, 'kit', 'user');
  expect(await removeMarketplace(machine.options, 'tools')).toEqual(['kit@tools']);
  expect(await listMarketplaces(machine.options)).toEqual([]);
  await expect(removeMarketplace(machine.options, 'tools')).rejects.toThrow(/There is not a marketplace "tools"/);
});

it('is looked for again by a session that runs', async () => {
  const machine = await pluginMachine();
  const folder = await folderMarket(machine, 'kit', 'other');
  await addMarketplace(machine.options, folder);
  const { cwd, host } = machine;
  const model = scriptedModel([text('One.'), text('Two.'), text('Three.')]);
  let next: ((message: string | null) => void) | null = null;
  async function* prompts() {
    for (;;) {
      const prompt = await new Promise<string | null>((resolve) => {
        next = resolve;
      });
      if (prompt === null) return;
      yield { type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null } as const;
    }
  }
  const session = query({ prompt: prompts(), options: { cwd, host, provider: model } });
  const told: string[] = [];
  const inits: unknown[] = [];
  const untilResult = async (prompt: string) => {
    const reading = (async () => {
      for (;;) {
        const { value, done } = await session.next();
        if (done) return;
        if (value.type === 'system' && value.subtype === 'init')
          inits.push([value.plugins.map(({ name }) => name), value.skills]);
        if (value.type === 'system') told.push(value.subtype);
        if (value.type === 'result') return;
      }
    })();
    while (next === null) await new Promise((resolve) => setImmediate(resolve));
    next(prompt);
    next = null;
    await reading;
  };
  await untilResult('One');
  await installPlugin(machine.options, 'kit', 'user');
  expect(await session.reloadPlugins()).toMatchObject({
    plugins: [{ name: 'kit', source: 'tools' }],
    agents: expect.arrayContaining([expect.objectContaining({ name: 'kit:reviewer' })]),
    commands: expect.arrayContaining([expect.objectContaining({ name: 'kit:hello' })]),
    error_count: 0,
  });
  await untilResult('Two');
  await uninstallPlugin(machine.options, 'kit');
  const local = { type: 'local', path: path.join(folder, 'plugins', 'other') } as const;
  expect(await session.reloadPlugins({ addPlugins: [local], refuseIfBusy: true })).toMatchObject({
    plugins: [{ name: 'other' }],
  });
  await expect(session.reloadPlugins({ addPlugins: [{ type: 'local', path: '/none' }] })).rejects.toThrow(
    /cannot be used as a plugin/,
  );
  await untilResult('Three');
  expect(inits).toEqual([
    [[], []],
    [['kit'], ['kit:tidy']],
    [['other'], ['other:tidy']],
  ]);
  expect(told).toContain('commands_changed');
  session.close();
});

describe('a marketplace by web address', () => {
  type Answer = (request: IncomingMessage, response: ServerResponse) => void;
  async function serve(answer: Answer): Promise<{ readonly url: string; readonly asked: string[] }> {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim());
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/list/marketplace.json`, asked };
  }
  const listOf = (plugins: readonly unknown[], name = 'tools') =>
    marketplaceFile(name, plugins)['.claude-plugin/marketplace.json'] ?? '';

  it('is a list that is fetched when somebody asks: its entries come from where they say, and a path is told', async () => {
    const machine = await pluginMachine();
    const repository = path.join(machine.base, 'repository');
    const commit = await commitFiles(repository, pluginFiles('kit'));
    let list = listOf([
      { name: 'kit', source: { source: 'url', url: `file://${repository}`, sha: commit } },
      { name: 'beside', source: './plugins/beside' },
    ]);
    const { url, asked } = await serve((_, response) => response.end(list));
    const { problems, plugins } = await addMarketplace(machine.options, url);
    expect(plugins.map(({ name }) => name)).toEqual(['kit', 'beside']);
    expect(problems).toEqual(['beside: its source is a path, and of a list on the web nothing else is fetched']);
    expect(await installPlugin(machine.options, 'kit@tools', 'user')).toMatchObject({ id: 'kit@tools', commit });
    await expect(installPlugin(machine.options, 'beside@tools', 'user')).rejects.toThrow('holds no plugins/beside');
    expect((await initOf(machine)).init.plugins).toMatchObject([{ name: 'kit', source: 'kit@tools' }]);
    expect(asked).toEqual(['GET /list/marketplace.json']);
    // Another list by the same name is not taken for it.
    list = listOf([], 'others');
    expect(await updateMarketplaces(machine.options, 'tools').catch(String)).toContain('calls itself others');
    expect(await listMarketplaces(machine.options)).toMatchObject([{ name: 'tools', source: url }]);
  });

  it.each<[string, Answer, RegExp]>([
    [
      'leads elsewhere',
      (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/x.json' }).end(),
      /redirects to http:\/\/10\.0\.0\.1\/x\.json/,
    ],
    ['is not there', (_, response) => response.writeHead(404).end('{}'), /the status is 404/],
    ['is a page', (_, response) => response.end('<html></html>'), /it is not JSON/],
    ['never ends', (_, response) => void response.write('x'.repeat(5_000_000)), /more than 4194304 bytes/],
    ['is a list of something else', (_, response) => response.end('[]'), /it is not a JSON object/],
  ])('that %s is refused, and nothing is kept', async (_name, answer, why) => {
    const machine = await pluginMachine();
    const { url } = await serve(answer);
    await expect(addMarketplace(machine.options, url)).rejects.toThrow(why);
    expect(await listMarketplaces(machine.options)).toEqual([]);
  });

  it('is asked by https, and a project leads to no private network', async () => {
    const machine = await pluginMachine();
    const refused = async (text: string, why: RegExp) =>
      expect(addMarketplace(machine.options, text)).rejects.toThrow(why);
    await refused('http://example.com/marketplace.json', /must be by https/);
    await refused('https://me:word@example.com/marketplace.json', /a name or password/);
    const { url, asked } = await serve((_, response) => response.end(listOf([])));
    const named = (source: object) =>
      JSON.stringify({ extraKnownMarketplaces: { tools: { source: { source: 'url', ...source } } } });
    const trusting = { ...machine.options, settingSources: ['user' as const, 'project' as const] };
    await writeFiles(machine.cwd, { '.claude/settings.json': named({ url }) });
    await expect(addMarketplace(trusting, 'tools')).rejects.toThrow(/127\.0\.0\.1/);
    expect(asked).toEqual([]);
    await writeFiles(machine.cwd, { '.claude/settings.json': named({ url, headers: { A: 'b' } }) });
    await expect(addMarketplace(trusting, 'tools')).rejects.toThrow();
    // What the user says of it counts.
    await writeFiles(machine.cwd, { '.claude/settings.json': '{}' });
    await writeFiles(machine.home, { 'settings.json': named({ url }) });
    expect(await addMarketplace(trusting, 'tools')).toMatchObject({ name: 'tools' });
  });
});
