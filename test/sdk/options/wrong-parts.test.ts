// Options that are objects, with a wrong value at each place inside them: taken, or a ConfigError before anything is sent.
// No such part is told of by an error of the runtime, nor by the result of a prompt.
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { OPTION_KINDS } from '../../../src/protocol/declared-options.generated.js';
import { ConfigError } from '../../../src/protocol/errors.js';
import { IDLE_OPTIONS } from '../../../src/sdk/options/idle-options.generated.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../../support/engine.js';

const schema = { type: 'object', properties: { a: { type: 'string', enum: ['x'] } }, required: ['a'] };

/** An object that each such option takes, with as many of its fields as there are. */
const TAKEN: Partial<Record<keyof Options, unknown>> = {
  toolAliases: { Bash: 'Read' },
  agents: {
    a: {
      description: 'Looks.',
      prompt: 'Look.',
      tools: ['Read'],
      disallowedTools: ['Bash'],
      model: 'inherit',
      maxTurns: 3,
      permissionMode: 'plan',
      background: true,
      effort: 'low',
    },
  },
  autoMode: { judge: 'scripted', timeoutMs: 5_000 },
  catalogueOverrides: {
    'scripted/scripted': { contextWindow: 100_000, maxOutputTokens: 5_000, price: { input: 3, output: 15 } },
  },
  codeMode: { only: true, maxRunMs: 5_000, maxMemoryMb: 64, maxOutputCharacters: 5_000 },
  fallback: { models: ['scripted'], on: ['overloaded'], maxPriceFactor: 2, pin: false },
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [async () => ({})], timeout: 5 }] },
  limits: { streamIdleMs: 5_000, requestTimeoutMs: 5_000, maxRetries: 1 },
  managedSettings: { permissions: { allow: ['Bash'], defaultMode: 'plan' }, env: { A: 'b' } },
  mcpServers: { a: { type: 'stdio', command: '/nowhere/server', args: ['x'], env: { A: 'b' } } },
  modelTiers: { auto: 'scripted' },
  outputFormat: { type: 'json_schema', schema },
  plugins: [{ type: 'local', path: fileURLToPath(new URL('../../fixtures/plugin', import.meta.url)) }],
  providers: { own: { api: 'anthropic', baseUrl: 'http://127.0.0.1:1', apiKey: 'k', headers: { a: 'b' } } },
  sandbox: {
    enabled: false,
    filesystem: { allowWrite: ['/x'], denyRead: ['/y'] },
    network: { allowedDomains: ['x.org'], allowLocalBinding: true, httpProxyPort: 8_080 },
    excludedCommands: ['x'],
  },
  settings: {
    permissions: { allow: ['Bash'], ask: ['Read'], additionalDirectories: ['/x'], defaultMode: 'plan' },
    env: { A: 'b' },
    hooks: { PreToolUse: [{ matcher: 'x', hooks: [{ type: 'command', command: 'true', timeout: 5 }] }] },
  },
  systemPrompt: { type: 'preset', preset: 'turnwright', append: 'x' },
  taskBudget: { total: 5_000 },
  telemetry: { captureContent: true },
  thinking: { type: 'enabled', budgetTokens: 1_024 },
  toolConfig: { askUserQuestion: { previewFormat: 'html' } },
  toolUseSummaries: { model: 'scripted' },
  tools: { type: 'preset', preset: 'turnwright' },
  untrustedContent: { policy: 'ask', files: 'all', allow: ['mcp__a'], trust: ['Read'] },
  web: {
    privateHosts: ['localhost:3000'],
    model: 'scripted',
    search: { provider: 'searxng', baseUrl: 'http://127.0.0.1:1', maxResults: 5 },
  },
};

/** Values of none of which it is said that the place takes it, and some that do. */
const VALUES: readonly (readonly [name: string, make: () => unknown])[] = [
  ['null', () => null],
  ['a number', () => 5],
  ['NaN', () => Number.NaN],
  ['a bigint', () => 5n],
  ['a symbol', () => Symbol('x')],
  ['true', () => true],
  ['a text with a NUL', () => 'a\0b'],
  ['a function', () => () => undefined],
  ['a list of null', () => [null]],
  ['an empty object', () => ({})],
  ['an object of null', () => ({ a: null })],
];

type Place = readonly (string | number)[];

function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  const below = Object.entries(value).flatMap(([key, part]) =>
    placesIn(part, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  return at.length === 0 ? below : [at, ...below];
}

function withPart(value: unknown, [key, ...rest]: Place, part: unknown): unknown {
  if (key === undefined) return part;
  const inner = withPart((value as Record<string | number, unknown>)[key], rest, part);
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...(value as object), [key]: inner };
}

/** Words of the runtime, which no text of ours repeats. */
const RAW = /is not a function|is not iterable|Cannot (?:read propert|convert|mix)|\(reading |serialize a BigInt/;

/** Whether the session took it, refused it in words of ours, or did something else: the text. */
async function outcomeOf(name: string, value: unknown): Promise<string> {
  const folder = await temporaryFolder();
  const options = {
    cwd: folder,
    env: { TURNWRIGHT_HOME: folder },
    provider: scriptedModel((request) =>
      request.tools.some((tool) => tool.name === 'StructuredOutput')
        ? toolCall('StructuredOutput', { a: 'x' })
        : text('{"a":"x"}'),
    ),
    persistSession: false,
    settingSources: [],
    [name]: value,
  } as Options;
  try {
    const result = lastResult(await collect(query({ prompt: 'hello', options })));
    // A schema that takes nothing of what the model says is one, all the same.
    const isOfModel = result.is_error && result.terminal_reason === 'structured_output_retry_exhausted';
    return result.is_error && !isOfModel ? JSON.stringify(result) : 'taken';
  } catch (error) {
    if (error instanceof ConfigError && !RAW.test(error.message)) return 'refused';
    return error instanceof Error ? (error.stack ?? '') : String(error);
  }
}

/** What is made by the host, or only good for a session that waits: looked over in `wrong-values.test.ts`, `child-process.test.ts`. */
const OTHERS = ['auth', 'budget', 'decisions', 'experimentalCloudAgent', 'extraArgs', 'model', 'modelObjects'];
/** Nothing reads them. */
const IDLE = IDLE_OPTIONS.flatMap(([name, why]) =>
  why === 'always' || why === 'inProcess' || why === 'noServer' ? [name as string] : [],
);
const OBJECTS = Object.entries(OPTION_KINDS).flatMap(([name, kind]) =>
  [kind].flat().some((single) => single === 'object' || single === 'objects') ? [name] : [],
);

describe('an option that is an object', () => {
  it('is looked over here, or is named as one that is not', () => {
    expect([...Object.keys(TAKEN), ...OTHERS, 'mcpTokenStore', 'sessionStore'].sort()).toEqual(
      OBJECTS.filter((name) => name in TAKEN || !IDLE.includes(name)).sort(),
    );
  });

  it.each(Object.entries(TAKEN))('%s, with a wrong value at each place', async (name, taken) => {
    expect(await outcomeOf(name, taken)).toBe('taken');
    const problems: string[] = [];
    for (const at of placesIn(taken))
      for (const [what, make] of VALUES) {
        const outcome = await outcomeOf(name, withPart(taken, at, make()));
        if (!['taken', 'refused'].includes(outcome))
          problems.push(`${at.join('.')} is ${what}: ${outcome.slice(0, 300)}`);
      }
    expect(problems).toEqual([]);
  });
});

describe('query()', () => {
  it.each([undefined, null, 5, {}])('called with %j says what a prompt is', async (params) => {
    await expect(collect(query(params as never))).rejects.toThrow(ConfigError);
  });
});
