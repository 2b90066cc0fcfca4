// A hook that sends the event to an address. Real servers on loopback; names that lead elsewhere are looked up as the test
// says, and nothing leaves the machine.
import { text as readText } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { CommandHook } from '../../src/hooks/command-hook.js';
import { createHookRunner } from '../../src/hooks/run-hooks.js';
import { createNodeHost } from '../../src/host/node-host.js';
import type { HookEvent } from '../../src/protocol/hooks.js';
import { createSecrets } from '../../src/providers/keys/key-variables.js';
import { openHookWeb } from '../../src/session/web/index.js';
import { commandHook, NO_POWERS, openedCommands } from '../support/command-hooks.js';
import { type Serve, startWeb, type TestWeb } from '../support/web-server.js';
import { hookInput } from './inputs.js';

const answer = (body: string, status = 200, headers: Record<string, string> = {}): Serve => {
  return (_, response) => response.writeHead(status, headers).end(body);
};

interface Sent {
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly allowedEnvVars?: readonly string[];
  readonly hook?: Partial<CommandHook>;
  readonly env?: Record<string, string>;
  readonly isOpenToProject?: boolean;
}

async function fire(event: HookEvent, web: TestWeb, sent: Sent = {}) {
  const { url = `http://127.0.0.1:${web.port}/hook`, headers = {}, allowedEnvVars = [], hook = {}, env } = sent;
  const action = { type: 'http', url, headers, allowedEnvVars } as const;
  const powers = {
    ...NO_POWERS,
    openWeb: async () => ({ reach: web.reach, isOpenToProject: () => sent.isOpenToProject ?? true }),
  };
  const { declared, close } = openedCommands(
    [commandHook(event, `POST ${url}`, { action, ...hook })],
    '/',
    env,
    powers,
  );
  const result = await createHookRunner({}, createNodeHost(), declared).run(
    hookInput(event),
    undefined,
    new AbortController().signal,
  );
  await close();
  return { ...result, errors: result.failures.map(({ error }) => error) };
}

describe('a hook of the type http', () => {
  it('posts the whole event as JSON, with its headers, and no variable that it does not list', async () => {
    const seen: { method: string | undefined; headers: unknown; body: string }[] = [];
    const web = await startWeb(async (request, response) => {
      seen.push({ method: request.method, headers: request.headers, body: await readText(request) });
      response.end();
    });
    const { errors } = await fire('PreToolUse', web, {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as settings have it
      headers: { Authorization: 'Bearer $TOKEN', 'X-All': '${TOKEN}-${OTHER}-$OPENAI_API_KEY-$NOT_SET' },
      allowedEnvVars: ['TOKEN', 'OPENAI_API_KEY', 'NOT_SET'],
      env: { TOKEN: 'abc', OTHER: 'kept', OPENAI_API_KEY: 'sk-0123456789abcdef' },
    });
    expect(errors).toEqual([]);
    expect(seen).toHaveLength(1);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual(hookInput('PreToolUse'));
    expect(seen[0]).toMatchObject({
      method: 'POST',
      headers: { authorization: 'Bearer abc', 'x-all': 'abc---', 'content-type': 'application/json' },
    });
  });

  it('answers like a command: JSON acts, text is context if a command may print it, nothing lets things go on', async () => {
    const refusing = await startWeb(answer('{"decision":"block","reason":"not now"}'));
    expect((await fire('Stop', refusing)).block).toEqual({ reason: 'not now' });
    const talking = await startWeb(answer('Mind the gap.'));
    expect((await fire('SessionStart', talking)).additionalContext).toEqual(['Mind the gap.']);
    expect((await fire('Stop', talking)).additionalContext).toEqual([]);
    const silent = await startWeb(answer('', 204));
    expect(await fire('Stop', silent)).toMatchObject({ block: null, errors: [] });
  });

  it.each<[string, Serve, RegExp]>([
    ['a status that is no success', answer('{"decision":"approve"}', 500), /answered with the status 500/],
    ['a redirect', answer('', 307, { location: '/other' }), /redirects \(307\), and hooks follow no redirect/],
    ['JSON that is none', answer('{"decision":'), /begins as JSON and is not valid JSON/],
    ['more than is read', answer('x'.repeat(1024 * 1024 + 1)), /more than 1048576 bytes/],
    ['a connection that is cut', (_, response) => void response.destroy(), /127\.0\.0\.1/],
  ])('fails at %s, and refuses where failures do', async (_, serve, error) => {
    const web = await startWeb(serve);
    const { errors, permission } = await fire('PreToolUse', web, { hook: { onFailure: 'block' } });
    expect(errors).toEqual([expect.stringMatching(error)]);
    expect(permission?.behavior).toBe('deny');
    expect(web.requests).toHaveLength(1);
  });

  it('that is late fails at its timeout', async () => {
    const web = await startWeb(() => undefined);
    const { errors, permission } = await fire('PreToolUse', web, { hook: { timeoutMs: 100, onFailure: 'block' } });
    expect(errors).toEqual(['it did not answer within 0.1 s']);
    expect(permission?.behavior).toBe('deny');
  });

  it.each([
    ['project', true],
    ['local', true],
    ['plugin', false],
  ])('of the scope %s reaches nothing that is not public', async (scope, isConfined) => {
    const names = { 'inside.example.com': ['10.0.0.7'], 'public.example.com': ['93.184.215.14'] };
    const web = await startWeb(answer('{}'), names);
    const hook = { scope, isConfined };
    for (const host of [
      `127.0.0.1:${web.port}`,
      'localhost',
      '[::1]',
      '169.254.169.254',
      'inside.example.com',
      'box.lan',
    ]) {
      const { errors } = await fire('Stop', web, { url: `http://${host}/`, hook });
      expect(errors).toEqual([expect.stringContaining('it is not on the public internet')]);
    }
    expect(web.dialled).toEqual([]);
    const { errors } = await fire('Stop', web, { url: 'http://public.example.com:8080/', hook });
    expect(errors).toEqual([]);
    expect(web.dialled).toEqual(['93.184.215.14:8080']);
  });

  it.each(['user', 'managed', 'flag'])(
    'of the scope %s reaches a private host, but metadata by no other name',
    async (scope) => {
      const names = { 'box.lan': ['10.0.0.7'], 'sly.example.com': ['169.254.169.254'] };
      const web = await startWeb(answer('{}'), names);
      expect((await fire('Stop', web, { url: 'http://box.lan:8080/', hook: { scope } })).errors).toEqual([]);
      const { errors } = await fire('Stop', web, { url: 'http://sly.example.com:8080/', hook: { scope } });
      expect(errors).toEqual([expect.stringContaining('169.254.169.254')]);
      expect(web.dialled).toEqual(['10.0.0.7:8080']);
    },
  );

  it('in a session: a sandbox and the option web say what it reaches', async () => {
    const host = createNodeHost();
    const network = { allowedDomains: ['*.example.com'], deniedDomains: ['bad.example.com'] };
    const open = (enabled: boolean) => openHookWeb({ sandbox: { enabled, network } }, host, host.env, createSecrets());
    const { isOpenToProject, reach } = open(true);
    expect(['a.example.com', 'example.org'].map((name) => isOpenToProject(name, 443))).toEqual([true, false]);
    expect(open(false).isOpenToProject('example.org', 443)).toBe(true);
    expect(reach.rules.whyDenied('bad.example.com', 443)).toContain('deniedDomains');
  });

  it('of a project reaches what the sandbox lets commands reach, if there is one', async () => {
    const web = await startWeb(answer('{}'));
    const url = 'http://public.example.com:8080/';
    const hook = { scope: 'project', isConfined: true };
    const { errors } = await fire('Stop', web, { url, hook, isOpenToProject: false });
    expect(errors).toEqual([expect.stringContaining('sandbox.network.allowedDomains')]);
    expect(web.dialled).toEqual([]);
    const own = { scope: 'user', isConfined: false };
    expect((await fire('Stop', web, { url, hook: own, isOpenToProject: false })).errors).toEqual([]);
  });
});
