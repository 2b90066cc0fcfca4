// `turnwright config`, over streams of the test's own and real files.
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type CliIo, createOutput } from '../../../src/cli/cli-io.js';
import { runConfig } from '../../../src/cli/commands/config.js';
import { temporaryFolder } from '../../support/engine.js';

async function terminal() {
  const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
  const run = async (...argv: string[]) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const texts = { out: '', err: '' };
    stdout.on('data', (chunk) => {
      texts.out += String(chunk);
    });
    stderr.on('data', (chunk) => {
      texts.err += String(chunk);
    });
    const io: CliIo = {
      stdin: Readable.from([]),
      stdout,
      stderr,
      out: createOutput(stdout),
      err: createOutput(stderr),
      env: { TURNWRIGHT_HOME: home },
      startedIn: () => cwd,
      lifetime: new AbortController(),
      exit: () => undefined,
    };
    const code = await runConfig(argv, io);
    await Promise.all([io.out.flush(), io.err.flush()]);
    return { code, ...texts };
  };
  const write = async (name: string, text: string) => {
    await mkdir(path.dirname(path.join(cwd, name)), { recursive: true });
    await writeFile(path.join(cwd, name), text);
  };
  return { home, cwd, run, write };
}

describe('config', () => {
  it('sets, gets and takes out, keeping comments', async () => {
    const { home, cwd, run } = await terminal();
    const own = path.join(home, 'settings.json');
    await writeFile(own, '{\n  // mine\n  "effort": "low"\n}\n');
    expect((await run('set', 'effort', 'high')).err).toBe(`Set in ${own}.\n`);
    await run('set', 'budgets.maxBudgetUsd', '2.5');
    await run('set', 'env.CI', '1');
    expect(await readFile(own, 'utf8')).toMatch(/\{\n {2}\/\/ mine\n {2}"effort": "high",/);
    expect(await run('get', 'budgets.maxBudgetUsd')).toMatchObject({ code: 0, out: '2.5\n' });
    expect((await run('get', 'effort')).out).toBe('high\n');
    expect((await run('get', 'effort', '--json')).out).toBe('"high"\n');
    expect((await run('get', 'env.CI')).out).toBe('1\n');
    expect(await run('get', 'model')).toMatchObject({ code: 1, out: '' });
    await run('unset', 'effort');
    expect((await run('list', '--json')).out).toBe(
      `${JSON.stringify({ budgets: { maxBudgetUsd: 2.5 }, env: { CI: '1' } }, null, 2)}\n`,
    );
    await run('set', 'permissions.deny', '["WebFetch"]', '--scope', 'project');
    await run('set', 'model', 'offline', '--scope', 'local');
    expect((await stat(path.join(cwd, '.turnwright', '.gitignore'))).isFile()).toBe(true);
    // What a person had written is trusted as it stands, and nothing else of the folder.
    expect((await run('list')).out).toContain('model = "offline"\n');
  });

  it.each<[string[], string]>([
    [['hooks.Stop', '[]'], ''],
    [['apiKeyHelper', 'x', '--scope', 'project'], 'has no effect there: a project '],
    [['model', 'a'], 'has no effect there: what stands in local, '],
    [['effort', 'low'], ''],
    [['permissions.deny', '["Bash"]'], ''],
  ])('says of what it set whether it acts: %j', async (words, said) => {
    const { run } = await terminal();
    await run('set', 'model', 'offline', '--scope', 'local');
    const { err } = await run('set', ...words);
    if (said === '') expect(err).toMatch(/^Set in [^\n]*\n$/);
    else expect(err).toContain(said);
  });

  it('says of a list without values that nothing is there, or that nothing of it counts', async () => {
    const { run, write } = await terminal();
    expect(await run('list')).toEqual({
      code: 0,
      out: '',
      err: 'There is no settings file, so everything is as by default. "turnwright config set" writes one.\n',
    });
    await write('.claude/settings.json', '{"model":"b"}');
    expect((await run('list')).err).toMatch(
      /1 value of the folder does not count: "turnwright config explain" says why/,
    );
  });

  it('explains where each value comes from, what it overrides, and what does not count', async () => {
    const { home, cwd, run, write } = await terminal();
    await writeFile(path.join(home, 'settings.json'), '{"model":"a","env":{"MY_TOKEN":"hidden-value"}}');
    await write('.claude/settings.json', '{"model":"b","env":{"PATH":"\\u001b[2J"},"permissions":{"deny":["X"]}}');
    const { out, err } = await run('explain', '--settings', '{"model":"c"}');
    expect(out).toContain('model = "c"\n    flag, given as an option\n    overrides "a", user, ');
    expect(out).toContain(`permissions.deny = "X"\n    project, ${cwd}/.claude/settings.json\n`);
    expect(out).toMatch(/model = "b"\n {4}project.*\n {4}does not count: the folder is not trusted/);
    expect(out).toMatch(/env\.PATH = .*\n.*\n {4}does not count: a project does not set variables/);
    expect(out).toContain('trusted: no\n');
    expect(out).not.toContain('hidden-value');
    expect(out).not.toContain('\u001b');
    expect(err).toContain('Nobody vouches for');
    expect((await run('explain', 'permissions')).out).not.toContain('model');
    const view = JSON.parse((await run('explain', 'model', '--json')).out) as Record<string, unknown>;
    expect(view).toMatchObject({ trust: 'missing', entries: [{ key: 'model', value: 'a', scope: 'user' }] });
    expect((await run('list', '--setting-sources', 'user,project')).out).toContain('model = "b"');
    expect((await run('list', '--setting-sources', 'none')).out).toBe('');
  });

  it.each([
    [['set', 'modle', 'x'], 'There is no setting "modle". Did you mean model?'],
    [['set', 'permissions.alow', '[]'], 'Did you mean permissions.allow?'],
    [['set', 'effort', 'huge'], 'effort is a text; expected low | medium'],
    [['set', 'cleanupPeriodDays', '0'], 'expected a number of at least 1'],
    [['set', 'effort'], 'set needs a key and a value'],
    [['get'], 'get needs a key'],
    [['get', '__proto__'], 'There is no setting'],
    [['set', 'env.__proto__', 'x'], 'There is no setting'],
    [['set', 'permissions.deny', 'Bash'], 'must be a list, each a text. Write ["Bash"]'],
    [['list', 'x'], 'unexpected argument "x"'],
    [['set', 'effort', 'low', '--scope', 'managed'], '--scope is one of user, project, local'],
    [['frob'], 'unknown command "config frob". Commands: list, get, explain, set, unset and import.'],
    [['list', '--setting-sources', 'all'], 'is a list of user, project, local, or none'],
  ])('refuses %j', async (argv, why) => {
    const { run } = await terminal();
    await expect(run(...argv)).rejects.toThrow(why);
  });

  it('lists each of many values that are not understood', async () => {
    const { home, run } = await terminal();
    await writeFile(path.join(home, 'settings.json'), JSON.stringify({ a1: 1, b2: 2, c3: 3, d4: 4, efort: 'low' }));
    const { err } = await run('explain');
    for (const key of ['a1', 'b2', 'c3', 'd4', 'efort'])
      expect(err).toMatch(new RegExp(`^ {4}${key} is not known`, 'm'));
    expect(err).toContain('Did you mean effort?');
  });

  it('leaves a file alone that it does not understand', async () => {
    const { home, run } = await terminal();
    const own = path.join(home, 'settings.json');
    for (const text of ['{ "model": ', '[]']) {
      await writeFile(own, text);
      await expect(run('set', 'effort', 'low')).rejects.toThrow('Correct it first');
      expect(await readFile(own, 'utf8')).toBe(text);
    }
  });
});
