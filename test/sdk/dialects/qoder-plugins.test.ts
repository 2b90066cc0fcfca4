// The functions for plugins of `turnwright/qoder`, over marketplaces that lie in folders.
import path from 'node:path';
import { expect, it } from 'vitest';
import * as qoder from '../../../src/qoder.js';
import { marketplaceFile, pluginFiles, pluginMachine, under, writeFiles } from '../../support/plugin-sources.js';

async function machine() {
  const { base, cwd, host } = await pluginMachine();
  const env = Object.fromEntries(Object.entries(host.env).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  const market = path.join(base, 'market');
  await writeFiles(market, {
    ...marketplaceFile('own', [{ name: 'tools', source: './tools' }]),
    ...under('tools', pluginFiles('tools')),
  });
  return { base, market, opts: { cwd, env } };
}

it('installs what a folder offers, lists, disables, enables and takes it away', async () => {
  const { market, opts } = await machine();
  const installed = await qoder.installPlugin(market, opts);
  expect(installed).toMatchObject({ pluginId: 'tools@own', version: '1.0.0', path: expect.stringContaining('tools') });
  const [plugin, ...others] = await qoder.listPlugins(opts);
  expect(others).toEqual([]);
  expect(plugin).toMatchObject({
    id: 'tools@own',
    name: 'tools',
    enabled: true,
    canDisable: true,
    path: installed.path,
  });
  const names = (list: readonly { name: string }[] = []) => list.map(({ name }) => name);
  expect([plugin?.resources.agents, plugin?.resources.commands, plugin?.resources.skills].map(names)).toEqual([
    ['tools:reviewer'],
    ['tools:hello'],
    ['tools:tidy'],
  ]);
  await qoder.disablePlugin('tools@own', opts);
  expect(await qoder.listPlugins(opts)).toMatchObject([{ enabled: false }]);
  await qoder.enablePlugin('tools', { ...opts, scope: 'user' });
  expect(await qoder.listPlugins(opts)).toMatchObject([{ enabled: true }]);
  expect(await qoder.uninstallPlugin('tools', opts)).toEqual({
    ...{ pluginId: 'tools@own', fullyRemoved: true, reverseDependents: [] },
  });
  expect(await qoder.listPlugins(opts)).toEqual([]);
});

it('says what is wrong with a plugin, and refuses in words what cannot be installed', async () => {
  const { base, market, opts } = await machine();
  const good = await qoder.validatePlugin(path.join(market, 'tools'), opts);
  expect(good).toMatchObject({ valid: true, plugin: { name: 'tools' }, summary: { errorCount: 0, componentCount: 3 } });
  const none = await qoder.validatePlugin(base, opts);
  expect(none).toMatchObject({ valid: false, diagnostics: [{ severity: 'error', phase: 'target' }] });
  await writeFiles(path.join(base, 'bad'), { ...pluginFiles('bad'), 'agents/x.md': '---\nname: [\n---\n' });
  const bad = await qoder.validatePlugin(path.join(base, 'bad'), opts);
  expect(bad).toMatchObject({
    valid: false,
    diagnostics: [{ phase: 'component', message: expect.stringContaining('x.md') }],
  });

  await expect(qoder.installPlugin(path.join(market, 'tools'), opts)).rejects.toThrow(/no marketplace lists/);
  await expect(qoder.installPlugin('nothing@nowhere', opts)).rejects.toThrow(/nowhere/);
  await expect(qoder.installPlugin('', opts)).rejects.toThrow(/Name the plugin/);
  await expect(qoder.enablePlugin('gone', opts)).rejects.toThrow(/gone/);
  await expect(qoder.disablePlugin('x@y', { ...opts, scope: 'all' as never })).rejects.toThrow(/scope/);
});
