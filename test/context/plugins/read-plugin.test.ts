// What a plugin holds: by its usual folders, and by what its manifest names within it.
import { describe, expect, it } from 'vitest';
import { readPlugin, withPluginRoot } from '../../../src/context/plugins/read-plugin.js';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';

const read = (files: Record<string, string>, folder = '/p') => readPlugin(createMemoryHost({ files }), folder);
const manifest = (fields: object) => ({ '/p/.claude-plugin/plugin.json': JSON.stringify(fields) });

describe('a plugin', () => {
  it('is what its usual folders hold, with a manifest or without', async () => {
    const files = {
      '/p/agents/a.md': 'x',
      '/p/commands/c.md': 'x',
      '/p/skills/s/SKILL.md': 'x',
      '/p/hooks/hooks.json': '{"hooks":{"Stop":[]}}',
      '/p/.mcp.json': '{"mcpServers":{"one":{"command":"x"}}}',
    };
    expect(await read(files)).toEqual({
      name: 'p',
      version: '',
      description: '',
      folder: '/p',
      agents: ['/p/agents'],
      commands: ['/p/commands'],
      skills: ['/p/skills'],
      outputStyles: [],
      hooks: [{ file: '/p/hooks/hooks.json', events: { Stop: [] } }],
      servers: { one: { command: 'x' } },
      problems: [],
    });
    const named = await read({ ...files, ...manifest({ name: 'mine', version: '1.0.0', description: 'Does it.' }) });
    expect(named).toMatchObject({ name: 'mine', version: '1.0.0', description: 'Does it.' });
  });

  it('is also what its manifest names, once, and only within its folder', async () => {
    const plugin = await read({
      ...manifest({
        name: 'mine',
        commands: ['$' + '{CLAUDE_PLUGIN_ROOT}/extra', './commands/inner.md', '../outside', './none', 7],
        hooks: { Stop: [] },
        mcpServers: './servers.json',
        lspServers: {},
      }),
      '/p/commands/inner.md': 'x',
      '/p/extra/d.md': 'x',
      '/outside/e.md': 'x',
      '/p/servers.json': '{"two":{"command":"y"}}',
    });
    expect(plugin).toMatchObject({
      commands: ['/p/commands', '/p/extra'],
      hooks: [{ file: '/p', events: { Stop: [] } }],
      servers: { two: { command: 'y' } },
      problems: [
        expect.stringContaining('lspServers has no effect'),
        expect.stringContaining('"../outside"'),
        expect.stringContaining('"./none"'),
        expect.stringContaining('7'),
      ],
    });
  });

  it('leads by no link out of its folder', async () => {
    const host = createMemoryHost({
      files: { ...manifest({ name: 'mine', commands: './in' }), '/secret/x.md': 'x', '/secret/h.json': '{}' },
    });
    await host.fs.symlink('/secret', '/p/in');
    await host.fs.symlink('/secret/h.json', '/p/.mcp.json');
    expect(await readPlugin(host, '/p')).toMatchObject({
      commands: [],
      servers: {},
      problems: [expect.stringContaining('"./in"'), '.mcp.json: it lies outside its folder'],
    });
  });

  it.each([
    [{}, 'there is no such folder'],
    [{ '/p': 'a file' }, 'it is not a folder'],
    [{ '/p/README.md': 'x' }, 'it holds nothing that a plugin has'],
    [manifest({ name: '../x' }), 'its name "../x" is not'],
    [{ '/p/.claude-plugin/plugin.json': '[' }, 'plugin.json: it is not JSON'],
    [{ '/p/.claude-plugin/plugin.json': '[]' }, 'it is not a JSON object'],
  ])('is none where %j: %s', async (files, why) => {
    expect(await read(files as Record<string, string>)).toMatchObject({ problem: expect.stringContaining(why) });
  });

  it('has its own folder if a text names it', () => {
    const root = '$' + '{CLAUDE_PLUGIN_ROOT}';
    expect(withPluginRoot({ a: [`${root}/x`, 1], b: { c: '"$CLAUDE_PLUGIN_ROOT"/y' } }, '/p')).toEqual({
      a: ['/p/x', 1],
      b: { c: '"/p"/y' },
    });
  });
});
