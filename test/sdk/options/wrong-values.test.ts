// Every option with values of every kind: taken, or a ConfigError that names the option before anything is sent. Never a
// raw error, never an error result, never a wait.
import { describe, expect, it } from 'vitest';
import { OPTION_KINDS } from '../../../src/protocol/declared-options.generated.js';
import { ConfigError, SessionError } from '../../../src/protocol/errors.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { text } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../../support/engine.js';

const NAMES = Object.keys(OPTION_KINDS) as (keyof Options)[];

const circle: Record<string, unknown> = { type: 'object' };
circle['self'] = circle;
const circularList: unknown[] = [];
circularList.push(circularList);
const refuse = (): never => {
  throw new RangeError('not for you');
};
const refuseAll = {
  get: refuse,
  has: refuse,
  ownKeys: refuse,
  getOwnPropertyDescriptor: refuse,
  getPrototypeOf: refuse,
};

/** What no type admits anywhere, and what some do. */
const VALUES: readonly (readonly [name: string, make: () => unknown])[] = [
  ['null', () => null],
  ['a number', () => 5],
  ['a negative number', () => -1.5],
  ['NaN', () => Number.NaN],
  ['Infinity', () => Number.POSITIVE_INFINITY],
  ['a bigint', () => 5n],
  ['true', () => true],
  ['a symbol', () => Symbol('x')],
  ['a text', () => 'x'],
  ['an empty text', () => ''],
  ['a text with a NUL', () => 'a\0b'],
  ['a function', () => () => undefined],
  ['a class', () => class {}],
  ['an empty list', () => []],
  ['a list of texts', () => ['x']],
  ['a list of numbers', () => [1]],
  ['a list of null', () => [null]],
  ['a list of objects', () => [{}]],
  ['a list in a circle', () => circularList],
  ['an empty object', () => ({})],
  ['an object of null', () => ({ a: null })],
  ['an object of numbers', () => ({ a: 1, type: 1, models: 1, judge: 1, total: 1 })],
  ['an object of texts', () => ({ a: 'x', type: 'x', models: 'x', total: 'x', schema: 'x', prompt: 'x' })],
  ['an object of lists', () => ({ a: [], type: [], models: [1], PreToolUse: [1] })],
  ['an object of objects', () => ({ a: {}, models: {}, type: {}, schema: {} })],
  ['an object in a circle', () => circle],
  ['an object without a prototype', () => Object.create(null)],
  ['a date', () => new Date(0)],
  ['a map', () => new Map()],
  ['a promise', () => Promise.resolve()],
  ['bytes', () => new Uint8Array(3)],
  ['a Proxy that throws', () => new Proxy({}, refuseAll)],
  ['a list behind a Proxy that throws', () => new Proxy([], refuseAll)],
  ['a function behind a Proxy that throws', () => new Proxy(() => undefined, refuseAll)],
  [
    'a field that throws',
    () => ({
      get type() {
        return refuse();
      },
    }),
  ],
];

/** Values of the right kind that a session finds out to be no use, and says in its result. */
const TOLD_LATER: Readonly<Record<string, RegExp>> = {
  decisions: /No call of this session waits/,
  maxBudgetUsd: /price of scripted is not known/,
  modelsFile: /The file of models/,
  outputFormat: /structured|schema/i,
  permissionPromptToolName: /permissionPromptToolName/,
  resolveModel: /resolveModel/,
};

/** Words of the runtime, which no text of ours repeats. */
const RAW = /is not a function|is not iterable|Cannot (?:read propert|convert)|\(reading /;

/** How it ended: the first message that tells, or what was thrown. */
async function outcomeOf(options: Record<string, unknown>): Promise<{ error: unknown; message: SDKMessage | null }> {
  const running = query({ prompt: 'hello', options: options as Options });
  try {
    for await (const message of running) {
      if (message.type === 'result') return { error: null, message };
    }
    return { error: null, message: null };
  } catch (error) {
    return { error, message: null };
  } finally {
    running.close();
  }
}

async function plainOptions() {
  const folder = await temporaryFolder();
  return {
    cwd: folder,
    env: { TURNWRIGHT_HOME: folder },
    provider: scriptedModel(() => text('ok')),
    persistSession: false,
    settingSources: [],
  };
}

describe('every option', () => {
  it.each(NAMES)('%s', async (name) => {
    const base = await plainOptions();
    const problems: string[] = [];
    for (const [what, make] of VALUES) {
      const { error, message } = await outcomeOf({ ...base, [name]: make() });
      if (error === null) {
        const told = JSON.stringify(message);
        const isTold = TOLD_LATER[name]?.test(told) === true && !RAW.test(told);
        if (message?.type !== 'result' || (message.is_error && !isTold)) problems.push(`${what}: ${told}`);
      } else if (!(error instanceof ConfigError || error instanceof SessionError) || RAW.test(error.message)) {
        problems.push(`${what}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
      }
    }
    expect(problems).toEqual([]);
  });

  it('takes undefined as absent', async () => {
    const base = await plainOptions();
    const all = Object.fromEntries(NAMES.map((name) => [name, undefined]));
    expect((await outcomeOf({ ...all, ...base })).message).toMatchObject({ subtype: 'success' });
  });
});

describe('the text', () => {
  const textOf = async (options: unknown) => {
    const { error } = await outcomeOf(options as Record<string, unknown>);
    return error instanceof ConfigError ? error.message : `no ConfigError: ${String(error)}`;
  };

  it.each(NAMES)('names %s, what it must be, and what it is', async (name) => {
    expect(await textOf({ [name]: Symbol('x') })).toMatch(new RegExp(`^\`${name}\` must be .{6,90}, not a symbol\\.$`));
  });

  it.each<[Record<string, unknown>, string]>([
    [{ allowedTools: 'Bash' }, '`allowedTools` must be a list of texts, not a text.'],
    [{ allowedTools: ['Bash', 1] }, '`allowedTools` must be a list of texts, not a list with a number at 1.'],
    [{ additionalDirectories: 'x' }, '`additionalDirectories` must be a list of texts, not a text.'],
    [{ systemPrompt: 5 }, '`systemPrompt` must be a text, a list of texts or an object, not a number.'],
    [{ systemPrompt: { type: 'preset', append: 1 } }, '`systemPrompt` must be a text, a list of texts, {'],
    [{ tools: { preset: 'turnwright' } }, '`tools` must be a list of names, or {'],
    [{ tools: 'Read' }, '`tools` must be a list of texts or an object, not a text.'],
    [{ hooks: { PreTool: [] } }, 'hooks.PreTool: there is no such hook event. Did you mean PreToolUse?'],
    [{ env: { A: 'x', PORT: 3000 } }, '`env` must be an object of texts by name, not an object with a number at PORT.'],
    [{ cwd: 'a\0b' }, '`cwd` must be a path, not a text with a NUL in it.'],
    [{ abortController: {} }, '`abortController` must be an AbortController, not another object.'],
    [{ provider: {} }, '`provider` must be a Provider, or a model object of the AI SDK, not another object.'],
    [{ plugins: [null] }, '`plugins` must be a list of objects, not a list with null at 0.'],
    [{ maxTurns: Number.NaN }, '`maxTurns` must be a number, not NaN.'],
    [{ canUseTool: null }, '`canUseTool` must be a function, not null.'],
    [{ catalogueOverrides: { 'a/b': 5 } }, 'Model overrides: "a/b" must be an object'],
    [{ outputFormat: {} }, '`outputFormat` must be a schema of Zod, a JSON Schema, or {'],
    [{ outputFormat: { schema: { type: 'object' } } }, '`outputFormat` must be a schema of Zod, a JSON Schema, or {'],
  ])('of %j', async (options, words) => {
    expect(await textOf({ ...(await plainOptions()), ...options })).toContain(words);
  });

  it('of what cannot be read', async () => {
    const agents = new Proxy({}, refuseAll);
    expect(await textOf({ ...(await plainOptions()), agents })).toBe('`agents` cannot be read: not for you');
  });

  it.each([null, 5, 'x', []])('of options that are %j', async (options) => {
    expect(await textOf(options)).toMatch(
      /^The options of query\(\) must be an object, not (?:null|a number|a text|a list)\.$/,
    );
  });

  it('never shows what may be a key', async () => {
    const key = 'sk-ant-secret-key-0123456789';
    for (const name of NAMES) {
      for (const value of [key, [key, 5], { [key]: key, apiKey: key, type: key }]) {
        const { error } = await outcomeOf({ ...(await plainOptions()), [name]: value });
        if (['auth', 'env', 'providers', 'proxy', 'managedSettings', 'settings'].includes(name)) {
          expect(error instanceof Error ? error.message.replace(`.${key}`, '') : '', name).not.toContain(`"${key}"`);
        }
      }
    }
  });
});
