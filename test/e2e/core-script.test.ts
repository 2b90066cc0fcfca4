// The core as a script with a code cache: the same as the module it is made of, and never needed to be.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildEntry, temporaryFolder } from './run-cli.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CHUNKS = join(ROOT, 'dist', 'chunks');

beforeAll(buildEntry, 300_000);

/** The cache of this Node in a package: where another one built it, made now. */
async function cacheIn(folder: string): Promise<string> {
  const chunks = join(folder, 'dist', 'chunks');
  const script = readdirSync(chunks).find((name) => /^core\.[0-9a-f]{12}\.js$/.test(name)) ?? '';
  const cache = join(chunks, `${script}.${process.versions.v8}-${process.platform}-${process.arch}.cache`);
  const warm = join(ROOT, 'scripts', 'lib', 'warm-scripts.mjs');
  if (!existsSync(cache))
    await runNode(`
    process.argv.push(${JSON.stringify(join(folder, 'dist'))}, ${JSON.stringify(cache)});
    await import(${JSON.stringify(pathToFileURL(warm).href)});`);
  return cache;
}

/** Runs Node on a program; what it printed. */
async function runNode(program: string, flags: readonly string[] = []): Promise<string> {
  const folder = temporaryFolder();
  const file = join(folder, 'program.mjs');
  writeFileSync(file, program);
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: folder, TURNWRIGHT_HOME: folder };
  const child = spawn(process.execPath, [...flags, file], { cwd: folder, env });
  let printed = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    printed += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code, errors).toBe(0);
  return printed;
}

/** Prints whether V8 refused the cache of the core, and how a session with the offline model ended. */
const session = (index: string) => `
  const vm = process.getBuiltinModule('node:vm');
  const { Script } = vm;
  vm.Script = class extends Script {
    constructor(code, options) {
      super(code, options);
      if (options.filename.startsWith('turnwright:core.')) console.log('refused:', this.cachedDataRejected);
    }
  };
  const { query } = await import(${JSON.stringify(pathToFileURL(index).href)});
  for await (const message of query({ prompt: 'List files.', options: { model: 'offline' } }))
    if (message.type === 'result') console.log(message.subtype);`;

/** A package of its own: the manifest and a copy of what was built. */
function copyPackage(): string {
  const folder = temporaryFolder();
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  return folder;
}

describe('the core as a script', () => {
  it.each(['core', 'published', 'resume', 'terminal', 'terminal-session'])(
    'has the exports of the module, of the same kinds: %s',
    async (chunk) => {
      const kinds = (name: string) =>
        runNode(`
      const module = await import(${JSON.stringify(pathToFileURL(join(CHUNKS, name)).href)});
      console.log(Object.entries(module).map(([name, value]) => name + ':' + typeof value + ':' + value?.name).join());`);
      const ofModule = await kinds(`${chunk}.js`);
      expect(ofModule.split(',').length).toBeGreaterThan(3);
      expect(await kinds(`${chunk}.node.js`)).toBe(ofModule);
    },
  );

  it('is what Node loads, from the cache', async () => {
    const folder = copyPackage();
    await cacheIn(folder);
    expect(await runNode(session(join(folder, 'dist', 'index.js')))).toBe('refused: false\nsuccess\n');
  });

  it('works without a cache', async () => {
    const folder = copyPackage();
    rmSync(await cacheIn(folder));
    expect(await runNode(session(join(folder, 'dist', 'index.js')))).toBe('refused: undefined\nsuccess\n');
  });

  it('works with half a cache, and with one that was made for other options', async () => {
    const folder = copyPackage();
    const index = join(folder, 'dist', 'index.js');
    const cache = await cacheIn(folder);
    // Whether V8 takes it with other options is up to its version.
    expect(await runNode(session(index), ['--no-lazy-feedback-allocation'])).toContain('success\n');
    truncateSync(cache, Math.floor(readFileSync(cache).length / 2));
    expect(await runNode(session(index))).toBe('refused: true\nsuccess\n');
    truncateSync(cache, 0);
    expect(await runNode(session(index))).toBe('refused: true\nsuccess\n');
  });

  it('has a cache that names nothing of the machine', async () => {
    const folder = copyPackage();
    expect(readFileSync(await cacheIn(folder), 'latin1')).not.toContain(folder);
    const built = readdirSync(CHUNKS).filter((name) => name.endsWith('.cache'));
    expect(built).toHaveLength(5);
    for (const name of built) expect(readFileSync(join(CHUNKS, name), 'latin1')).not.toContain(ROOT);
  });

  it('stays out of a bundle, which runs from one folder without the package', async () => {
    const folder = temporaryFolder();
    const out = temporaryFolder();
    writeFileSync(
      join(folder, 'program.mjs'),
      `import { query } from 'turnwright';
      for await (const message of query({ prompt: 'List files.', options: { model: 'offline' } }))
        if (message.type === 'result') console.log(message.subtype);`,
    );
    cpSync(copyPackage(), join(folder, 'node_modules', 'turnwright'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', '@vscode'), join(folder, 'node_modules', '@vscode'));
    const bundler = await rolldown({
      cwd: folder,
      input: 'program.mjs',
      platform: 'node',
      external: [/^zod/, /^@vscode/],
      logLevel: 'silent',
    });
    const { output } = await bundler.write({ dir: out });
    await bundler.close();
    expect(
      output
        .map(({ fileName }) => fileName)
        .filter((name) => /(core|published|resume|terminal|terminal-session)\.(node|[0-9a-f]{12})/.test(name)),
    ).toEqual([]);
    expect(await runNode(`await import(${JSON.stringify(pathToFileURL(join(out, 'program.js')).href)});`)).toBe(
      'success\n',
    );
  });
});
