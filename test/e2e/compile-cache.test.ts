// The cache of compiled code that Node keeps for the command line: filled by one start, used by the next, and only in a
// folder of the user's own. Where Node has none, nothing is written and all goes as before.
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import module from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildEntry, runCli, temporaryFolder } from './run-cli.js';

const HAS_CACHE = typeof (module as { enableCompileCache?: unknown }).enableCompileCache === 'function';

beforeAll(buildEntry, 300_000);

/** A start that loads the core, and its end. */
async function start(env: Readonly<Record<string, string>>, cwd = temporaryFolder()) {
  const run = await runCli(['-p', 'list files', '--model', 'offline'], { env, cwd });
  expect(run.code, run.stderr).toBe(0);
  return run.stdout;
}

/** Files of the cache with their paths; none if it is not there. */
async function kept(home: string): Promise<string[]> {
  const found = await readdir(join(home, 'compile-cache'), { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const ofCore = (files: readonly string[]) => files.filter((file) => /turnwright-core\.[\da-f]+\.js\.cache$/.test(file));

describe('the cache of compiled code', () => {
  it('is kept by a start, for the user alone, and does not change what the next one does', async () => {
    const home = temporaryFolder();
    const env = { TURNWRIGHT_HOME: home };
    const first = await start(env);
    const files = await kept(home);
    expect(files.length > 0).toBe(HAS_CACHE);
    if (HAS_CACHE) expect((await stat(join(home, 'compile-cache'))).mode & 0o777).toBe(0o700);
    // The package comes with a cache of the core for the Node that built it.
    for (const file of ofCore(files)) expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await start(env)).toBe(first);
    expect((await kept(home)).sort()).toEqual(files.sort());
  });

  it.each<[string, (home: string) => Promise<Record<string, string>>]>([
    ['NODE_DISABLE_COMPILE_CACHE is set', async () => ({ NODE_DISABLE_COMPILE_CACHE: '1' })],
    [
      'others may write to the home',
      async (home) => {
        await chmod(home, 0o777);
        return {};
      },
    ],
    [
      'others may read the folder, and so may have made it',
      async (home) => {
        await mkdir(join(home, 'compile-cache'), { mode: 0o755 });
        return {};
      },
    ],
    [
      'the folder is a link',
      async (home) => {
        await symlink(temporaryFolder(), join(home, 'compile-cache'));
        return {};
      },
    ],
    [
      'a file stands in its place',
      async (home) => {
        await writeFile(join(home, 'compile-cache'), '');
        return {};
      },
    ],
  ])('is not kept, and nothing fails, where %s', async (_, prepare) => {
    const home = temporaryFolder();
    const more = await prepare(home);
    await start({ TURNWRIGHT_HOME: home, ...more });
    expect(await kept(home)).toEqual([]);
  });

  it('is never kept in the folder that is worked in', async () => {
    const cwd = temporaryFolder();
    const home = join(cwd, 'state');
    await mkdir(home, { mode: 0o700 });
    await start({ TURNWRIGHT_HOME: home }, cwd);
    expect(await kept(home)).toEqual([]);
  });

  it('is left to the user who has one', async () => {
    const [home, own] = [temporaryFolder(), temporaryFolder()];
    await start({ TURNWRIGHT_HOME: home, NODE_COMPILE_CACHE: own });
    expect(await kept(home)).toEqual([]);
    expect((await readdir(own)).length > 0).toBe(HAS_CACHE);
  });

  it('may hold anything: what is damaged is compiled anew', async () => {
    const home = temporaryFolder();
    const env = { TURNWRIGHT_HOME: home };
    const first = await start(env);
    for (const file of await kept(home)) await writeFile(file, (await readFile(file)).subarray(0, 100).fill(7));
    expect(await start(env)).toBe(first);
  });

  it('is emptied of the caches of earlier versions', async () => {
    const home = temporaryFolder();
    const all = join(home, 'compile-cache');
    for (const version of ['0.0.1', '0.0.2', '0.0.3'])
      await mkdir(join(all, version), { recursive: true, mode: 0o700 });
    await chmod(all, 0o700);
    await start({ TURNWRIGHT_HOME: home });
    expect((await readdir(all)).length).toBe(HAS_CACHE ? 1 : 3);
  });
});
