// What follows from the declaration of an option holds for every one: its check in a session, its flag, its notice.
import { describe, expect, it } from 'vitest';
import { parseArgs } from '../../../src/cli/args/args.js';
import { FLAGS } from '../../../src/cli/args/flags.js';
import { OPTION_KINDS, OPTION_VALUES, PASSED_OPTIONS } from '../../../src/protocol/declared-options.generated.js';
import type { OptionDeclaration } from '../../../src/sdk/options/declaration.js';
import { DECLARED } from '../../../src/sdk/options/declared/index.js';
import { query } from '../../../src/sdk/query.js';
import type { QueryEngineConfig } from '../../../src/session/config/index.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder, testEngine } from '../../support/engine.js';

const declared: readonly (readonly [string, OptionDeclaration])[] = Object.values(DECLARED).flatMap((options) =>
  Object.entries(options),
);
const nameOf = (option: string) => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What a `QueryEngine` says of its configuration, without `query()` in front of it. */
async function refusalOf(config: Record<string, unknown>): Promise<string> {
  const { engine } = await testEngine(scriptedModel([]), config as Partial<QueryEngineConfig>);
  try {
    for await (const message of engine.submitMessage('go'))
      if (message.type === 'result') return 'errors' in message ? message.errors.join() : 'taken';
    return 'no result';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await engine.close();
  }
}

describe('a session holds what it is given to the declaration', () => {
  it.each(PASSED_OPTIONS.filter((name) => OPTION_KINDS[name] === 'flag'))('%s is true or false', async (name) => {
    expect(await refusalOf({ [name]: 'yes' })).toBe(`${name} is "yes". It is true or false.`);
  });

  it.each(Object.keys(OPTION_VALUES))('%s', async (name) => {
    expect(await refusalOf({ [name]: -1 })).toMatch(new RegExp(`^${name} is -1\\. Give `));
  });
});

describe('a declared flag', () => {
  const VALUES = { true: '', false: '', text: 'x', count: '3', amount: '2.5', one: 'x', list: 'x,y' } as const;
  const READ = { true: true, false: false, text: 'x', count: 3, amount: 2.5, one: ['x'], list: ['x', 'y'] } as const;
  const flags = declared.flatMap(([option, { flags: ofOption = [] }]) =>
    ofOption.map((flag) => ({ ...flag, option, name: flag.name ?? nameOf(option) })),
  );

  it('is one of the command line', () => {
    const known = FLAGS.map(({ name }) => name);
    expect(flags.filter(({ name }) => !known.includes(name))).toEqual([]);
  });

  it.each(flags.filter(({ reads }) => reads !== 'own'))('--$name sets $option', ({ name, option, reads }) => {
    if (reads === 'own') return;
    const value = VALUES[reads];
    const needs = option === 'forkSession' ? ['--continue'] : [];
    const { options } = parseArgs([`--${name}`, ...(value === '' ? [] : [value]), ...needs]);
    expect(options[option as keyof typeof options]).toEqual(READ[reads]);
  });
});

describe('an option without an effect', () => {
  const values: Readonly<Record<string, unknown>> = {
    text: 'x',
    texts: ['x'],
    objects: [{}],
    number: 1,
    path: '/tmp/x',
    object: { a: 'x' },
    flag: true,
  };

  /** What follows of the sentence. */
  const WORDS: Readonly<Record<string, string>> = {
    always: ' in this version',
    inProcess: ': the engine runs in this process',
    noServer: ': it is for a server that this version does not know',
  };

  it('names all of them in one notice', async () => {
    const cwd = await temporaryFolder();
    const given = { closeGraceMs: 5, pluginDelivery: 'argv', customContext: { a: 'b' } } as const;
    const options = { provider: scriptedModel([text('ok')]), cwd, persistSession: false, ...given };
    const told = (await collect(query({ prompt: 'go', options }))).filter(
      (message) => message.type === 'system' && message.subtype === 'notice',
    );
    expect(told).toMatchObject([
      {
        code: 'option_without_effect',
        message:
          'The options closeGraceMs and pluginDelivery have no effect: the engine runs in this process. The option customContext has no effect: it is for a server that this version does not know.',
      },
    ]);
  });

  it.each(declared.filter(([, { idle }]) => idle !== undefined && WORDS[String(idle)]))(
    '%s is told by one notice',
    async (name, { kind, idle }) => {
      const cwd = await temporaryFolder();
      const value = values[String([kind].flat()[0])] ?? (() => undefined);
      const options = {
        provider: scriptedModel([text('ok')]),
        cwd,
        persistSession: false,
        [name]: value,
      };
      const told = (await collect(query({ prompt: 'go', options }))).filter(
        (message) => message.type === 'system' && message.subtype === 'notice',
      );
      expect(told).toHaveLength(1);
      expect(told[0]).toMatchObject({
        message: expect.stringMatching(new RegExp(`${name}.* (?:has|have) no effect${WORDS[String(idle)]}\\.`)),
      });
    },
  );
});
