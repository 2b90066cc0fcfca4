// docs/published-surface.md says of each name of the published SDKs what it is here. Each row is tried: what works does not
// say that it is not supported, what means nothing is taken, what is refused says why.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as claude from '../../src/claude.js';
import { parseArgs } from '../../src/cli/args/args.js';
import { createClientServers } from '../../src/cli/wire/client.js';
import { readInitialize } from '../../src/cli/wire/initialize.js';
import { serveControl } from '../../src/cli/wire/serve.js';
import { CAPABILITIES } from '../../src/protocol/capabilities.js';
import * as qoder from '../../src/qoder.js';
import type { OptionDeclaration } from '../../src/sdk/options/declaration.js';
import { DECLARED } from '../../src/sdk/options/declared/index.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { controlled } from '../support/controlled.js';

type State = 'works' | 'nothing' | 'refused';
interface Row {
  readonly name: string;
  readonly state: State;
  readonly note: string;
}

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const PAGE = read('docs/published-surface.md');
const COVERAGE = JSON.parse(read('test/spec/coverage.json')) as Record<string, Record<string, { state: string }>>;
const NAMES = JSON.parse(read('test/spec/published-names.json')) as Record<string, readonly string[]>;

function rowsOf(section: string): readonly Row[] {
  const [, body = ''] = PAGE.split(`\n## ${section}\n`);
  return [...(body.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \| (works|nothing|refused) \| (.*?) ?\|$/gm)].map(
    ([, name = '', state, note = '']) => ({ name, state: state as State, note }),
  );
}

describe('each published name has a row, and what does not work has a reason', () => {
  it.each(Object.keys(NAMES))('%s', (section) => {
    const rows = rowsOf(section);
    expect(rows.map(({ name }) => name)).toEqual(NAMES[section]);
    expect(rows.filter(({ state, note }) => state !== 'works' && note === '')).toEqual([]);
  });
});

describe('options', () => {
  const declared: Readonly<Record<string, OptionDeclaration>> = Object.assign({}, ...Object.values(DECLARED));

  it.each(rowsOf('Options'))('$name: $state', ({ name, state }) => {
    const option = declared[name];
    expect(option).toBeDefined();
    const { idle, acts } = option ?? {};
    // What an option that does nothing says, and that one that acts does, are held by test/sdk/options/.
    const found = typeof idle === 'object' ? 'refused' : acts === undefined ? 'nothing' : 'works';
    expect(found).toBe(state);
    if (found === 'nothing') expect(idle).toMatch(/^(always|inProcess|noServer)$/);
  });
});

/** Arguments with which a method says whether it is there. */
const ARGUMENTS: Readonly<Record<string, readonly unknown[]>> = {
  addDirectories: [[]],
  applyFlagSettings: [{}],
  askSideQuestion: ['What?'],
  cancelAsyncMessage: ['none'],
  checkByokConfig: [{}],
  createByokConfig: [{}],
  deleteByokConfig: [{ key: 'none' }],
  generateSessionTitle: ['words'],
  mcpAuthenticate: ['none'],
  mcpSubmitOAuthCallbackUrl: ['none', 'http://x'],
  readFile: ['none'],
  readMcpResource: ['none', 'x:y'],
  reconnectMcpServer: ['none'],
  rewind: ['none'],
  rewindFiles: ['none'],
  seedReadState: ['none', 1],
  setGoal: [{}],
  setGoalMaxTurns: [3],
  setMaxThinkingTokens: [1_000],
  setMcpPermissionModeOverride: ['none', 'default'],
  setMcpServers: [{}],
  setPermissionMode: ['default'],
  setPlanMode: [false],
  stopTask: ['none'],
  toggleMcpServer: ['none', true],
  updateByokConfig: [{ key: 'none' }],
  updateSettings: ['localSettings', {}],
  validateByokModel: [{}],
};

it('methods of a query: those that work never say that they are not supported, the others do', async () => {
  const { session } = await controlled(
    scriptedModel(() => text('ok')),
    { settingSources: [] },
  );
  const methods = session as unknown as Record<string, ((...args: readonly unknown[]) => unknown) | undefined>;
  const found: Record<string, string> = {};
  for (const { name } of rowsOf('Methods of a query')) {
    if (name === 'close' || name === 'interrupt' || name === 'streamInput') {
      found[name] = typeof methods[name] === 'function' ? 'works' : 'refused';
      continue;
    }
    found[name] = await tried(async () => methods[name]?.(...(ARGUMENTS[name] ?? [])), name in session);
  }
  expect(found).toEqual(Object.fromEntries(rowsOf('Methods of a query').map(({ name, state }) => [name, state])));
});

/** A fault of what was asked for is no fault of the method. */
async function tried(call: () => Promise<unknown>, isThere: boolean): Promise<State> {
  if (!isThere) return 'refused';
  try {
    await call();
    return 'works';
  } catch (error) {
    expect(error).toHaveProperty('code');
    const { code } = error as { code: string };
    // A session of the test's own provider has no way to change.
    return code === 'not_supported' && !String(error).includes('option provider answers') ? 'refused' : 'works';
  }
}

it('messages: each that works has a test that gives rise to it', () => {
  const works = rowsOf('Messages').flatMap(({ name, state }) => (state === 'works' ? [name] : []));
  const tested = { ...COVERAGE['SDKMessage'], ...COVERAGE['PublishedMessages'] };
  expect(works.filter((name) => tested[name]?.state !== 'tested')).toEqual([]);
  const silent = rowsOf('Messages').flatMap(({ name, state }) => (state === 'works' ? [] : [name]));
  expect(silent.filter((name) => tested[name]?.state === 'tested')).toEqual([]);
});

describe('exports', () => {
  it.each(rowsOf('Exports'))('$name: $state', async ({ name, state }) => {
    const entries = [claude, qoder] as unknown as Record<string, unknown>[];
    const found = entries.flatMap((entry) => (name in entry ? [entry[name]] : []));
    expect(found.length).toBeGreaterThan(0);
    if (state !== 'refused') return;
    const [use] = found as (new () => unknown)[];
    expect(use).toBeTypeOf('function');
    await expect(attempt(use)).rejects.toMatchObject({ code: 'not_supported' });
  });

  /** Functions are called, classes made. */
  async function attempt(use: unknown): Promise<unknown> {
    const isClass = String(use).startsWith('class');
    return isClass ? new (use as new () => unknown)() : (use as () => unknown)();
  }
});

describe('flags', () => {
  const WIRE = ['--input-format', 'stream-json', '--output-format', 'stream-json'];
  const VALUES: Readonly<Record<string, string>> = {
    '--effort': 'low',
    '--input-format': 'stream-json',
    '--json-schema': '{"type":"object"}',
    '--managed-settings': '{}',
    '--max-budget-usd': '1',
    '--max-thinking-tokens': '1000',
    '--max-turns': '3',
    '--mcp-config': '{"mcpServers":{}}',
    '--output-format': 'stream-json',
    '--permission-mode': 'default',
    '--permission-prompt-tool': 'stdio',
    '--permission-prompts': 'host',
    '--resume': '11111111-2222-4333-8444-555555555555',
    '--resume-drops-turn': '11111111-2222-4333-8444-555555555555',
    '--resume-session-at': '11111111-2222-4333-8444-555555555555',
    '--session-id': '11111111-2222-4333-8444-555555555555',
    '--setting-sources': 'user',
    '--settings': '{}',
    '--task-budget': '1000',
    '--thinking': 'adaptive',
    '--thinking-display': 'omitted',
  };
  const SWITCHES =
    /^--(allow-dangerously|dangerously|await|continue|debug$|disable|fork|include|no-session|print|replay|session-mirror|strict|verbose)/;

  it.each(rowsOf('Flags'))('$name: $state', ({ name }) => {
    const value = VALUES[name] ?? 'x';
    const needs = /^--(fork-session|resume-)/.test(name)
      ? [`--resume=${VALUES['--resume']}`, `--resume-session-at=${VALUES['--resume']}`]
      : [];
    const spellings = SWITCHES.test(name) ? [[name]] : [[name, value], [`${name}=${value}`]];
    for (const words of spellings) {
      const { wire } = parseArgs([...WIRE, ...needs, ...words]);
      expect(wire?.unknownFlags).toEqual([]);
    }
  });

  it('that nobody knows are passed over by programs, and refused elsewhere', () => {
    expect(parseArgs([...WIRE, '--no-such-flag', 'x']).wire?.unknownFlags).toEqual(['--no-such-flag']);
    expect(() => parseArgs(['-p', '--no-such-flag', 'x'])).toThrow(/--no-such-flag/);
  });
});

/** Fields of requests, as `ARGUMENTS`. */
const FIELDS: Readonly<Record<string, object>> = {
  set_permission_mode: { mode: 'default' },
  mcp_set_servers: { servers: {} },
  mcp_call: { tool: 'mcp__a__b' },
  mcp_message: { server_name: 'calc', message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } },
  set_plan_mode: { active: false },
  side_question: { question: 'What?' },
  generate_session_title: { description: 'words' },
  add_directories: { directories: [] },
  apply_flag_settings: { settings: {} },
  file_suggestions: { query: 'x' },
  set_max_thinking_tokens: { max_thinking_tokens: null },
};

/** Those of a client that has none. */
const SERVERS = createClientServers({ request: async () => ({}) } as never, () => undefined);

it('requests to the command line: each is answered as its row says', async () => {
  const { session } = await controlled(
    scriptedModel(() => text('ok')),
    { settingSources: [] },
  );
  const found: Record<string, string> = {};
  const rows = rowsOf('Requests to the command line');
  for (const { name, state } of rows) {
    // Of the connection itself: test/e2e/wire.test.ts.
    if (name === 'initialize' || name === 'end_session') {
      found[name] = 'works';
      continue;
    }
    const { response } = (await serveControl(session, SERVERS, '1', name, { subtype: name, ...FIELDS[name] })) as {
      response: { subtype: string; code?: string; error?: string };
    };
    const isOurs = response.error?.includes('option provider answers') === true;
    const isRefused = response.code === 'not_supported' && !isOurs;
    expect(response.code, name).not.toBe('unknown_subtype');
    // An acknowledgement looks like work.
    found[name] = isRefused ? 'refused' : state === 'nothing' ? 'nothing' : 'works';
  }
  expect(found).toEqual(Object.fromEntries(rows.map(({ name, state }) => [name, state])));
  const unknown = await serveControl(session, SERVERS, '2', 'no_such_thing', {});
  expect(unknown).toMatchObject({ response: { subtype: 'error', code: 'unknown_subtype' } });
});

it('requests to the client: those that work are asked, and no others', () => {
  const files = readdirSync(new URL('../../src/cli/wire/', import.meta.url));
  const source = files.map((file) => read(`src/cli/wire/${file}`)).join('\n');
  const asked = [...source.matchAll(/client\.request\(\s*'(\w+)'|'(fetch_\w+)'/g)].map(([, a, b]) => a ?? b);
  const works = rowsOf('Requests to the client').flatMap(({ name, state }) => (state === 'works' ? [name] : []));
  expect([...new Set(asked)].sort()).toEqual([...works].sort());
});

it('requests to the client: a dialog is asked for that the client named', async () => {
  const asked: object[] = [];
  const client = {
    async request(...given: object[]) {
      asked.push(given);
      return { behavior: 'completed', result: 'fallback' };
    },
  };
  const { options } = readInitialize({ supportedDialogKinds: ['x'] }, {}, client as never, SERVERS);
  const shown = await options.onUserDialog?.(
    { dialogKind: 'x', payload: { a: 1 } },
    {
      signal: new AbortController().signal,
      requestId: '1',
    },
  );
  expect(shown).toEqual({ behavior: 'completed', result: 'fallback' });
  expect(asked[0]).toMatchObject(['request_user_dialog', { dialog_kind: 'x', payload: { a: 1 } }, expect.anything()]);
});

it('capabilities: what works is said, and nothing else', () => {
  const works = rowsOf('Capabilities').flatMap(({ name, state }) => (state === 'works' ? [name] : []));
  expect([...CAPABILITIES].sort()).toEqual([...works].sort());
});
