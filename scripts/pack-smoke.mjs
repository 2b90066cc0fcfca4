// Installs the packed package into an empty folder and uses it as a stranger would: import every entry point, run a
// query against the scripted model, type-check a consumer, run the command. On each Node binary given.
// Usage: node scripts/pack-smoke.mjs [<node binary> ...]   Last line: `N passed, N failed`.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from './lib/pack.mjs';
import { capture } from './lib/run.mjs';
import { ensureInstalled, readJson } from './lib/setup.mjs';
import { createTally } from './lib/tally.mjs';

const SUBPATHS = ['turnwright', 'turnwright/protocol', 'turnwright/testing', 'turnwright/claude', 'turnwright/qoder'];

/** Runs under the package's own name, as a user's program does. Prints one word that says it worked. */
const PROGRAMS = {
  'imports every entry point': `
    for (const name of ${JSON.stringify(SUBPATHS)}) {
      const names = Object.keys(await import(name));
      if (names.length === 0) throw new Error(name + ' exports nothing');
      if (names.includes('default')) throw new Error(name + ' has a default export');
    }
    const manifest = (await import('turnwright/package.json', { with: { type: 'json' } })).default;
    if (manifest.version !== ${JSON.stringify(readJson('package.json').version)}) throw new Error(manifest.version);
  `,
  'refuses a path that is not an entry point': `
    let code;
    try { await import('turnwright/dist/index.js'); } catch (error) { code = error.code; }
    if (code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw new Error('got ' + code);
  `,
  'runs a query with the scripted model': `
    import { query } from 'turnwright';
    import { scriptedModel, text } from 'turnwright/testing';
    const options = { provider: scriptedModel([text('Hello from the script.')]), cwd: process.cwd(), persistSession: false };
    const messages = [];
    for await (const message of query({ prompt: 'Say hello.', options })) messages.push(message);
    const [first] = messages;
    const result = messages.find((message) => message.type === 'result');
    if (first?.subtype !== 'init') throw new Error('first message: ' + JSON.stringify(first));
    if (result?.subtype !== 'success' || result.result !== 'Hello from the script.') throw new Error(JSON.stringify(result));
  `,
};

const CONSUMER = `
import { query, type SDKMessage } from 'turnwright';
import { HOOK_EVENTS, type HookEvent, type SDKResultMessage } from 'turnwright/protocol';
import { scriptedModel, text } from 'turnwright/testing';

const events: readonly HookEvent[] = HOOK_EVENTS;

export async function ask(prompt: string): Promise<string> {
  const options = { provider: scriptedModel([text('yes')]), persistSession: false };
  let last: SDKResultMessage | undefined;
  for await (const message of query({ prompt, options })) {
    const known: SDKMessage = message;
    if (known.type === 'result') last = known;
  }
  return last?.subtype === 'success' ? last.result : events.join();
}

// @ts-expect-error the prompt is required
query({});
`;
const CONSUMER_CONFIG = {
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    types: ['node'],
  },
  files: ['consumer.ts'],
};

ensureInstalled();
const nodes = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-smoke-')));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const { test, finish } = createTally();

const consumer = join(folder, 'consumer');
const installed = await test('installs from the tarball', installTarball);
if (installed) {
  await test('type-checks a strict consumer', typeCheckConsumer);
  for (const node of nodes) await testOnNode(node);
}
finish();

async function testOnNode(node) {
  const { output, code } = await capture(node, ['--version']);
  const label = code === 0 ? `Node ${output.trim()}` : node;
  for (const [name, source] of Object.entries(PROGRAMS)) {
    await test(`${label}: ${name}`, () => runProgram(node, source));
  }
  await test(`${label}: turnwright --version`, () => runCommand(node));
}

async function installTarball() {
  mkdirSync(consumer);
  const { tarball } = await pack(folder);
  const manifest = { name: 'consumer', private: true, type: 'module' };
  writeFileSync(join(consumer, 'package.json'), JSON.stringify(manifest));
  const { devDependencies } = readJson('package.json');
  const types = ['@types/node', 'typescript', 'zod'].map((name) => `${name}@${devDependencies[name]}`);
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', '--foreground-scripts'];
  // Only what the package itself needs, then what the type-check needs: a dependency that was forgotten shows.
  await must('npm', ['install', tarball, ...flags], consumer);
  for (const source of Object.values(PROGRAMS).slice(0, 1)) await runProgram(process.execPath, source);
  await must('npm', ['install', '--save-dev', ...types, ...flags], consumer);
}

async function typeCheckConsumer() {
  writeFileSync(join(consumer, 'consumer.ts'), CONSUMER);
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify(CONSUMER_CONFIG));
  await must(process.execPath, [join(consumer, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', consumer], consumer);
}

async function runProgram(node, source) {
  const file = join(consumer, 'program.mjs');
  writeFileSync(file, `${source}\nconsole.log('worked');\n`);
  const output = await must(node, [file], consumer);
  if (!output.trimEnd().endsWith('worked')) throw new Error(`unexpected output:\n${output}`);
}

async function runCommand(node) {
  const bin = join(consumer, 'node_modules', '.bin', 'turnwright');
  const output = await must(node, [bin, '--version'], consumer);
  const { version } = readJson('package.json');
  if (!output.includes(version)) throw new Error(`expected ${version}, got:\n${output}`);
}

async function must(command, args, cwd) {
  const { code, output } = await capture(command, args, { cwd, env: strangersEnvironment() });
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${output}`);
  return output;
}

/** Without the keys and npm settings of whoever runs this. */
function strangersEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(ANTHROPIC|OPENAI|TURNWRIGHT|npm_package)_/.test(name),
  );
  return Object.fromEntries(kept);
}
