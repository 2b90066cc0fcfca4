// WebSearch: when it is offered, what each API is asked and answers, and where its key goes.
import { describe, expect, it } from 'vitest';
import type { WebSearchOutput } from '../../src/protocol/tool-io.js';
import type { WebSearchOptions } from '../../src/protocol/web-options.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';
import { type Serve, startWeb } from '../support/web-server.js';

const KEY = 'key-of-search-1234567';

async function search(
  serve: Serve,
  options: (url: string) => WebSearchOptions,
  input: object = {},
  more: Options = {},
) {
  const bodies: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const web = await startWeb((request, response) => {
    headers.push(request.headers);
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      bodies.push(body);
      serve(request, response);
    });
  });
  const url = `http://127.0.0.1:${web.port}`;
  const model = scriptedModel([
    toolCall('WebSearch', { query: 'otters', ...input }),
    toolCall('Bash', { command: 'env' }),
    text('done'),
  ]);
  const messages = await collect(
    query({
      prompt: 'go',
      options: {
        cwd: await temporaryFolder(),
        provider: model,
        env: { TURNWRIGHT_HOME: await temporaryFolder(), TAVILY_API_KEY: undefined },
        allowedTools: ['WebSearch', 'Bash'],
        web: { search: options(url) },
        ...more,
      },
    }),
  );
  const outputs = messages.flatMap((message) => (message.type === 'user' ? [message.tool_use_result] : []));
  return { web, bodies, headers, output: outputs[0] as WebSearchOutput, model, messages };
}

const json =
  (value: unknown, status = 200): Serve =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

const hits = (field: string) => [
  { title: 'Otters', url: 'https://a.test/otters', [field]: 'They  <strong>swim</strong>.' },
  { title: 'Bad', url: 'javascript:x()', [field]: '' },
  { title: 'Blocked', url: 'https://sub.blocked.test/', [field]: 'no' },
  'nothing',
];
const FOUND = { results: [{ title: 'Otters', url: 'https://a.test/otters', snippet: 'They swim.' }], query: 'otters' };

describe('WebSearch', () => {
  it('asks Brave', async () => {
    const { web, headers, output } = await search(
      json({ web: { results: hits('description') } }),
      (url) => ({ provider: 'brave', apiKey: KEY, baseUrl: `${url}/res` }),
      { blocked_domains: ['blocked.test'] },
    );
    expect(output).toEqual(FOUND);
    expect(headers[0]).toMatchObject({ 'x-subscription-token': KEY });
    expect(web.requests[0]).toContain('/res?q=otters+-site%3Ablocked.test&count=10');
  });

  it.each([
    ['tavily', 'content', { authorization: `Bearer ${KEY}` }, { exclude_domains: ['blocked.test'], max_results: 10 }],
    ['exa', 'text', { 'x-api-key': KEY }, { excludeDomains: ['blocked.test'], numResults: 10 }],
  ] as const)('asks %s', async (provider, field, sent, body) => {
    const { web, bodies, headers, output } = await search(
      json({ results: hits(field) }),
      (url) => ({ provider, apiKey: KEY, baseUrl: url }),
      { blocked_domains: ['https://blocked.test/x'] },
    );
    expect(output).toEqual(FOUND);
    expect(headers[0]).toMatchObject(sent);
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ query: 'otters', ...body });
    expect(web.requests[0]).toMatch(/^POST /);
  });

  it('asks a SearXNG of the user, which needs no key; allowed domains hold whatever it answers', async () => {
    const { web, output } = await search(
      json({ results: hits('content') }),
      (url) => ({ provider: 'searxng', baseUrl: `${url}/` }),
      {
        allowed_domains: ['*.a.test', 'b.test'],
      },
    );
    expect(output).toEqual(FOUND);
    expect(web.requests[0]).toContain('/search?q=otters+%28site%3Aa.test+OR+site%3Ab.test%29&format=json');
  });

  it('keeps its key from commands, the model and the caller', async () => {
    const { messages, model } = await search(
      json({ results: [] }),
      (url) => ({
        provider: 'exa',
        apiKey: { envVar: 'MY_WORD' },
        baseUrl: url,
      }),
      {},
      { env: { TURNWRIGHT_HOME: await temporaryFolder(), MY_WORD: KEY, EXA_API_KEY: 'another-key-98765' } },
    );
    expect(JSON.stringify(messages)).toContain('TURNWRIGHT_HOME');
    for (const secret of [KEY, 'another-key-98765']) {
      expect(JSON.stringify(messages)).not.toContain(secret);
      expect(JSON.stringify(model.requests)).not.toContain(secret);
    }
  });

  it('keeps within the 400 characters and 50 words that Brave takes', async () => {
    const asked = async (query: string, domains: readonly string[]) => {
      const { web, model } = await search(
        json({ web: { results: hits('description') } }),
        (url) => ({ provider: 'brave', apiKey: KEY, baseUrl: url }),
        { query, blocked_domains: domains },
      );
      const q = new URL(web.requests[0] ?? '', 'http://x').searchParams.get('q');
      return { q, told: JSON.stringify(model.requests[1]?.messages) };
    };
    const domains = Array.from({ length: 20 }, (_, at) => `blocked${at}.${'long-name'.repeat(3)}.test`);
    const { q, told } = await asked('otters', ['blocked.test', ...domains.slice(1)]);
    expect(q).toMatch(/^otters -site:blocked\.test( -site:\S+){7,8}$/);
    expect(q?.length).toBeLessThanOrEqual(400);
    // What the query has no room for is left out of what was found.
    expect(told).not.toContain('sub.blocked.test');
    const long = await asked('of '.repeat(51).trim(), []);
    expect(long.q).toBeNull();
    expect(long.told).toContain('at most 400 characters and 50 words');
  });

  it('tells a key that Brave does not know', async () => {
    const { model } = await search(
      json({ error: { code: 'SUBSCRIPTION_TOKEN_INVALID', status: 422 } }, 422),
      (url) => ({
        provider: 'brave',
        apiKey: KEY,
        baseUrl: url,
      }),
    );
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('check the key');
  });

  it.each([
    [401, 'check the key'],
    [429, 'its limit is used up'],
    [432, 'its limit is used up'],
    [500, 'status 500'],
  ])('tells a status of %i', async (status, words) => {
    const { model } = await search(json({ key: KEY }, status), (url) => ({
      provider: 'tavily',
      apiKey: KEY,
      baseUrl: url,
    }));
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(words);
  });

  it('tells an answer that is no JSON, none that fits, and a domain that is none', async () => {
    const searxng = (url: string) => ({ provider: 'searxng', baseUrl: url }) as const;
    const shown = async (serve: Serve, input = {}) =>
      JSON.stringify((await search(serve, searxng, input)).model.requests.at(-1)?.messages);
    expect(await shown((_, response) => response.end('<html>'))).toContain('not JSON');
    expect(await shown(json({ results: null }))).toContain('Nothing was found');
    expect(await shown(json({}, 403))).toContain('add json to search.formats');
    expect(await shown(json({}), { allowed_domains: ['a b'] })).toContain('is not a domain');
  });

  it('follows no redirect, which could carry the key away', async () => {
    const { web, model } = await search(
      (_, response) => response.writeHead(302, { location: '/other' }).end(),
      (url) => ({ provider: 'tavily', apiKey: KEY, baseUrl: url }),
    );
    expect(web.requests).toHaveLength(1);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('status 302');
  });
});

describe('the tool', () => {
  const offered = async (options: Options, env: Record<string, string> = {}) => {
    const model = scriptedModel([text('ok')]);
    const folder = await temporaryFolder();
    const given = { cwd: folder, provider: model, env: { TURNWRIGHT_HOME: folder, ...env }, ...options };
    await collect(query({ prompt: 'go', options: given }));
    return model.requests[0]?.tools.map(({ name }) => name).includes('WebSearch');
  };

  it('is offered if somebody searches, and to who names it', async () => {
    expect(await offered({})).toBe(false);
    expect(await offered({}, { TAVILY_API_KEY: 'tavily-key-1' })).toBe(true);
    expect(await offered({}, { SEARXNG_URL: 'http://127.0.0.1:1' })).toBe(true);
    expect(await offered({ web: { search: { provider: 'exa', apiKey: KEY } } })).toBe(true);
    expect(await offered({ tools: ['WebSearch'] })).toBe(true);
    expect(await offered({ disallowedTools: ['WebSearch'] }, { EXA_API_KEY: 'exa-key-123' })).toBe(false);
  });

  it.each([
    [{ provider: 'google' }, 'web.search.provider is "google"'],
    [{ baseUrl: 'ftp://x' }, 'web.search.baseUrl is "ftp://x"'],
    [{ maxResults: 0 }, 'web.search.maxResults is 0'],
    [{ apiKey: { envVar: 'NOT_SET' } }, 'not set'],
  ])('is refused with %j', async (given, words) => {
    await expect(offered({ web: { search: given as WebSearchOptions } })).rejects.toThrow(words);
  });

  it('says what to do if nobody searches', async () => {
    const model = scriptedModel([toolCall('WebSearch', { query: 'otters' }), text('ok')]);
    const folder = await temporaryFolder();
    const options = {
      cwd: folder,
      provider: model,
      env: { TURNWRIGHT_HOME: folder },
      tools: ['WebSearch'],
      allowedTools: ['WebSearch'],
    };
    const messages = await collect(query({ prompt: 'go', options }));
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('BRAVE_API_KEY');
    expect(messages).toContainEqual(expect.objectContaining({ tool_use_result: { results: [], query: 'otters' } }));
  });
});
