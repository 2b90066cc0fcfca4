// Hooks that plugins bring along: those that can be used, and why the others cannot.
import { describe, expect, it } from 'vitest';
import type { Plugin } from '../../../src/context/plugins/read-plugin.js';
import { pluginHooks } from '../../../src/session/hooks/definition-hooks.js';

const plugin = (hooks: readonly unknown[]) =>
  ({
    name: 'p',
    folder: '/p',
    hooks: [{ file: '/p/hooks/hooks.json', events: { Stop: [{ hooks }] } }],
  }) as unknown as Plugin;

describe('hooks of a plugin', () => {
  it('of every type that there is are read', () => {
    const { commands, refused } = pluginHooks(
      plugin([
        { type: 'command', command: 'true' },
        { type: 'http', url: 'https://example.com/a', headers: { 'X-A': '$A' }, allowedEnvVars: ['A'] },
        { type: 'prompt', prompt: 'Done?' },
        { type: 'mcp_tool', server: 's', tool: 't', input: { a: 1 }, timeout: 5 },
      ]),
      '/w',
    );
    expect(refused).toEqual([]);
    expect(commands.map(({ command, action, timeoutMs }) => [command, action?.type, timeoutMs])).toEqual([
      ['true', undefined, 60_000],
      ['POST https://example.com/a', 'http', 60_000],
      ['asks a model: Done?', 'prompt', 30_000],
      ['calls s: t', 'mcp_tool', 5_000],
    ]);
  });

  it.each<[object, RegExp]>([
    [{ type: 'watch', prompt: 'x' }, /hooks of type "watch" are not supported/],
    [{ type: 'agent', model: 'x' }, /it has no prompt/],
    [{ command: 'x', async: true, asyncTimeout: -1 }, /asyncTimeout is not a number/],
    [{ type: 'command' }, /it has no command/],
    [{ type: 'http' }, /it has no url/],
    [{ type: 'http', url: 'file:///etc/passwd' }, /file: is not http or https/],
    [{ type: 'http', url: 'https://a:b@example.com/' }, /a name or password stands before its host/],
    [{ type: 'http', url: 'https://example.com/', headers: { a: 1 } }, /headers are not an object of texts/],
    [{ type: 'http', url: 'https://example.com/', headers: { 'Content-Length': '1' } }, /may not set the header/],
    [{ type: 'http', url: 'https://example.com/', headers: { 'a\r\nb': '1' } }, /may not set the header/],
    [{ type: 'http', url: 'https://example.com/', allowedEnvVars: 'A' }, /not a list of names/],
    [{ type: 'prompt', prompt: ' ' }, /it has no prompt/],
    [{ type: 'mcp_tool', server: 's' }, /a server and a tool/],
    [{ type: 'mcp_tool', server: 's', tool: 't', input: [] }, /input is not an object/],
  ])('%j is refused, and told', (hook, why) => {
    const { commands, refused } = pluginHooks(plugin([hook]), '/w');
    expect(commands).toEqual([]);
    expect(refused).toMatchObject([{ event: 'Stop', why: expect.stringMatching(why) }]);
  });
});
