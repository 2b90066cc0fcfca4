// `turnwright plugin`, over streams of the test's own: what is shown, exit codes, and words that cannot be used.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { type CliIo, createOutput } from '../../../src/cli/cli-io.js';
import { runPlugin } from '../../../src/cli/commands/plugin.js';
import { marketplaceFile, pluginFiles, pluginMachine, under, writeFiles } from '../../support/plugin-sources.js';

async function terminal() {
  const machine = await pluginMachine();
  const run = async (...argv: string[]) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const said = { out: '', err: '' };
    stdout.on('data', (chunk) => {
      said.out += String(chunk);
    });
    stderr.on('data', (chunk) => {
      said.err += String(chunk);
    });
    const io: CliIo = {
      stdin: Readable.from([]),
      stdout,
      stderr,
      out: createOutput(stdout),
      err: createOutput(stderr),
      env: machine.host.env as NodeJS.ProcessEnv,
      startedIn: () => machine.cwd,
      lifetime: new AbortController(),
      exit: () => undefined,
    };
    const code = await runPlugin(argv, io);
    await Promise.all([io.out.flush(), io.err.flush()]);
    return { code, ...said };
  };
  const market = path.join(machine.base, 'market');
  await writeFiles(market, {
    ...marketplaceFile('tools', [
      { name: 'kit', source: './kit', description: 'A \u001b[31mkit' },
      { name: 'bad', source: '../out' },
    ]),
    ...under('kit', {
      ...pluginFiles('kit'),
      'hooks/hooks.json': JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'echo stop' }] }] } }),
    }),
  });
  return { ...machine, run, market };
}

it('adds, installs, lists, disables and removes, and shows what would run by itself', async () => {
  const { run, market, home } = await terminal();
  const added = await run('marketplace', 'add', market);
  expect(added.code).toBe(0);
  expect(added.err).toBe(`Added tools from ${market}.\n`);
  expect(added.out).toContain('bad: its source "../out" leads out of the marketplace');
  expect(added.out).not.toContain('\u001b[31m');
  const installed = await run('install', 'kit');
  expect(installed.err).toMatch(/^Installed kit@tools 1\.0\.0 \(sha256 [0-9a-f]{12}\)\.\nUsed by settings \(user\): /);
  expect(installed.out).toContain('hook      Stop: echo stop');
  expect((await run('list')).out).toMatch(/^kit@tools 1\.0\.0 {2}used\n/);
  await run('disable', 'kit', '--scope', 'user');
  expect((await run('ls')).out).toMatch(/^kit@tools 1\.0\.0 {2}disabled\n/);
  expect(JSON.parse((await run('list', '--json')).out)).toMatchObject([
    { id: 'kit@tools', enabled: false, problem: null },
  ]);
  expect((await run('enable', 'kit')).err).toContain('kit@tools is used from the next session on');
  expect((await run('update')).err).toMatch(/^Up to date: kit@tools/);
  expect((await run('marketplace', 'update')).code).toBe(0);
  expect((await run('remove', 'kit')).err).toContain('Uninstalled kit@tools');
  expect((await run('marketplace', 'remove', 'tools')).err).toBe('Removed tools.\n');
  expect((await run('marketplace', 'list')).out).toContain('No marketplaces.');
  expect((await run('list')).out).toContain('No plugins.');
  expect(await readFile(path.join(home, 'settings.json'), 'utf8')).toContain('enabledPlugins');
});

it('validates a plugin and a marketplace, with the exit code 1 if something does not count', async () => {
  const { run, market } = await terminal();
  const plugin = await run('validate', path.join(market, 'kit'));
  expect([plugin.code, plugin.out]).toEqual([0, expect.stringContaining('All of it counts.')]);
  const list = await run('validate', market);
  expect([list.code, list.out]).toEqual([1, expect.stringContaining('1 plugin, 1 problem.')]);
});

it.each([
  [['frob'], /unknown command "plugin frob"\. Commands: marketplace, install/],
  [['install'], /write: turnwright plugin install/],
  [['install', 'kit@none'], /There is not a marketplace "none"/],
  [['install', 'a', 'b'], /unexpected argument "b"/],
  [['install', 'no@such@thing'], /is not a plugin/],
  [['disable', 'kit'], /No plugin "kit" is installed/],
  [['marketplace', 'frob'], /unknown command "plugin marketplace frob"\. Commands: add/],
  [['marketplace', 'add', 'not a source'], /cannot be added/],
  [['marketplace', 'add', 'ext::sh'], /cannot be added/],
  [['marketplace', 'add', 'http://127.0.0.1:9/marketplace.json'], /cannot be fetched: 127.0.0.1:9 is not fetched/],
  [['marketplace', 'add', './none'], /none cannot be used/],
  [['install', 'x@y', '--scope', 'all'], /--scope is one of user, project, local/],
])('refuses %j', async (argv, why) => {
  const { run } = await terminal();
  await expect(run(...(argv as string[]))).rejects.toThrow(why as RegExp);
});
