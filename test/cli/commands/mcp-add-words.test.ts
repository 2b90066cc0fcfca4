// The words of `turnwright mcp add`.
import { describe, expect, it } from 'vitest';
import { readAddWords } from '../../../src/cli/commands/mcp.js';

describe('the words of mcp add', () => {
  it.each<[string, object]>([
    ['files -- npx -y server .', { type: 'stdio', command: 'npx', args: ['-y', 'server', '.'] }],
    ['files npx -y server --scope x', { type: 'stdio', command: 'npx', args: ['-y', 'server', '--scope', 'x'] }],
    ['-e A=1 --env=B=x=y files -- run', { type: 'stdio', command: 'run', env: { A: '1', B: 'x=y' } }],
    ['--transport http web https://x.example/', { type: 'http', url: 'https://x.example/' }],
    [
      'web https://x.example/ --callback-port 99 --client-id me',
      { type: 'http', url: 'https://x.example/', oauth: { clientId: 'me', callbackPort: 99 } },
    ],
    [
      '-t sse web https://x.example/ -H A:b -H C:d',
      { type: 'sse', url: 'https://x.example/', headers: { A: 'b', C: 'd' } },
    ],
  ])('%s', (line, config) => {
    expect(readAddWords(line.split(' ')).config).toEqual(config);
  });

  it('have a scope and say whether a secret is asked for', () => {
    const words = readAddWords(['--client-secret', '--client-id', 'me', '-s', 'user', 'web', 'https://x.example/']);
    expect(words).toMatchObject({ name: 'web', scope: 'user', wantsSecret: true });
  });

  it.each<[string, RegExp]>([
    ['x', /write: turnwright mcp add/],
    ['-t ws x ws://x', /--transport is one of stdio, http, sse/],
    ['x https://x/ more', /unexpected argument "more"/],
    ['-e A=1 x https://x/', /--env is for a program/],
    ['-H A:b x -- cmd', /--header is for a server by HTTP/],
    ['--frob x cmd', /unknown flag --frob/],
    ['-e secret x -- cmd', /--env takes NAME=value/],
    ['--client-secret x https://x/', /--client-secret needs --client-id/],
  ])('refuses %s', (line, why) => {
    expect(() => readAddWords(line.split(' '))).toThrow(why);
  });
});
