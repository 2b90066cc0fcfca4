import { execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettingsFile } from '../../../src/context/settings/read-file.js';
import type { Host } from '../../../src/host/host.js';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import { temporaryFolder } from '../../support/engine.js';

/** The same text on a disk and in memory. */
async function onBothHosts(text: string): Promise<readonly { host: Host; file: string }[]> {
  const file = path.join(await temporaryFolder(), 'settings.json');
  await writeFile(file, text);
  return [
    { host: createNodeHost(), file },
    { host: createMemoryHost({ files: { '/s/settings.json': text } }), file: '/s/settings.json' },
  ];
}

const read = (host: Host, file: string) => readSettingsFile(host, { scope: 'user', file, base: '/' });
const messages = (found: Awaited<ReturnType<typeof read>>) =>
  found?.problems.map(({ key, message, nearest }) => [key, message, nearest]);

describe('a settings file', () => {
  it.each<[string, unknown]>([
    ['{"model":"x"}', { model: 'x' }],
    ['\uFEFF{"model":"x"}', { model: 'x' }],
    ['// why\n{ "model": "x", /* and */ "effort": "low", }', { model: 'x', effort: 'low' }],
    ['', {}],
    ['  \n', {}],
    ['{"permissions":{"deny":"WebFetch"}}', { permissions: { deny: ['WebFetch'] } }],
  ])('%j', async (text, values) => {
    for (const { host, file } of await onBothHosts(text))
      expect((await read(host, file))?.layer?.values).toEqual(values);
  });

  it('keeps what is right and names what is wrong, what was expected and the nearest key', async () => {
    const text = JSON.stringify({
      modle: 'x',
      effort: 'huge',
      permissions: { deny: ['A', 5, ''], alow: ['B'] },
      env: { A: 1, B: 'b' },
      retry: { maxRetries: 1.5, baseMs: 3 },
      fallback: { models: 'x', on: ['rate', 'nothing'] },
      thinking: { budgetTokens: 5_000 },
      cleanupPeriodDays: 0,
      attribution: { commit: 'x'.repeat(2_001), pr: 'p' },
      hooks: { PreToolUze: [], Stop: [{ hooks: [] }] },
    });
    for (const { host, file } of await onBothHosts(text)) {
      const found = await read(host, file);
      expect(found?.layer?.values).toEqual({
        permissions: { deny: ['A'] },
        env: { B: 'b' },
        retry: { baseMs: 3 },
        fallback: { models: ['x'], on: ['rate'] },
        attribution: { pr: 'p' },
        hooks: { Stop: [{ hooks: [] }] },
      });
      expect(messages(found)).toEqual([
        ['modle', 'is not known', 'model'],
        ['effort', 'is a text; expected low | medium | high | xhigh | max', undefined],
        ['permissions.deny[1]', 'is 5; expected a text', undefined],
        ['permissions.deny[2]', 'is a text; expected a text', undefined],
        ['permissions.alow', 'is not known', 'permissions.allow'],
        ['env.A', 'is 1; expected a text', undefined],
        ['retry.maxRetries', 'is 1.5; expected a whole number of at least 0', undefined],
        ['fallback.models', 'is a text and was taken as a list of one', undefined],
        ['fallback.on[1]', expect.stringContaining('overloaded | rate'), undefined],
        ['thinking', 'lacks type', undefined],
        ['cleanupPeriodDays', 'is 0; expected a number of at least 1', undefined],
        ['attribution.commit', 'is a text; expected a text of at most 2000 characters', undefined],
        ['hooks.PreToolUze', 'is not known', 'hooks.PreToolUse'],
      ]);
    }
  });

  it.each([
    ['not JSON', '{ "model": x }', /is not JSON \(InvalidSymbol at line 1, column 12\)/],
    ['half a file', '{"permissions":{"deny":["A"', /is not JSON/],
    ['a list', '[]', /is a list; expected an object/],
    ['null', 'null', /is null; expected an object/],
    ['nested without end', `${'[/*'.repeat(1)}*/${'['.repeat(200_000)}`, /is not JSON/],
    ['binary', '\u0000\u0001', /is not JSON/],
  ])('that is %s is told and stops nothing', async (_, text, why) => {
    for (const { host, file } of await onBothHosts(text)) {
      const found = await read(host, file);
      expect(found?.problems[0]?.message).toMatch(why);
      expect(found?.layer?.values ?? {}).toEqual({});
    }
  });

  it('pollutes nothing', async () => {
    const text = '{"__proto__":{"model":"x"},"env":{"__proto__":{"a":"b"},"constructor":"c"}}';
    for (const { host, file } of await onBothHosts(text)) {
      const values = (await read(host, file))?.layer?.values;
      expect(values?.model).toBeUndefined();
      expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
      expect(Object.entries(values?.env ?? {})).toEqual([['constructor', 'c']]);
    }
  });

  it.each(['', '// a comment\n'])(
    'tells a key that no object can have, as any other it does not know: %j',
    async (before) => {
      const text = `${before}{"__proto__":{"model":"x"},"permissions":{"__proto__":{"allow":["Bash"]}},"env":{"__proto__":"b"}}`;
      for (const { host, file } of await onBothHosts(text)) {
        const found = await read(host, file);
        expect(found?.problems.map(({ key }) => key)).toEqual(['__proto__', 'permissions.__proto__', 'env.__proto__']);
        expect(found?.layer?.values).toEqual({ permissions: {}, env: {} });
      }
    },
  );

  it('is not waited for, nor read whole, if it is no plain file', async () => {
    const folder = await temporaryFolder();
    const [directory, pipe, huge, link] = ['d', 'p', 'h', 'l'].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
      string,
    ];
    await mkdir(directory);
    execFileSync('mkfifo', [pipe]);
    await writeFile(huge, Buffer.alloc(1_000_001, 0x20));
    execFileSync('ln', ['-s', 'nowhere', link]);
    const host = createNodeHost();
    expect((await read(host, directory))?.problems[0]?.message).toMatch(/not a regular file|cannot be read/);
    expect((await read(host, pipe))?.problems[0]?.message).toMatch(/not a regular file|cannot be read/);
    expect((await read(host, huge))?.problems[0]?.message).toMatch(/has 1000001 bytes/);
    expect(await read(host, link)).toBeNull();
    expect(await read(host, path.join(folder, 'none'))).toBeNull();
    const memory = createMemoryHost();
    memory.fs.special('/p');
    expect((await read(memory, '/p'))?.problems[0]?.message).toMatch(/not a regular file|cannot be read/);
    memory.failNext('openRead', 'EACCES');
    expect((await read(memory, '/p'))?.problems[0]?.message).toMatch(/cannot be read/);
    if (process.getuid?.() !== 0) {
      await chmod(huge, 0);
      expect((await read(host, huge))?.problems[0]?.message).toMatch(/cannot be read/);
    }
  });

  it('with very many mistakes is told in few words', async () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`zz${at}`, 1])));
    for (const { host, file } of await onBothHosts(text)) {
      const { problems = [] } = (await read(host, file)) ?? {};
      expect(problems).toHaveLength(201);
      expect(problems.at(-1)?.message).toBe('has 300 more mistakes');
    }
  });
});
