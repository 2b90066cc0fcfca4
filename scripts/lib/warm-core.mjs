// Runs a session of the built package with a model on loopback, then writes V8's code cache of its core: with the
// functions that were called, which is what saves the time.
// Usage: node warm-core.mjs <dist> <file of the cache>
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, cache] = process.argv.slice(2);
const vm = process.getBuiltinModule('node:vm');
const scripts = [];
const { Script } = vm;
vm.Script = class extends Script {
  constructor(...given) {
    super(...given);
    scripts.push(this);
  }
};

const load = (name) => import(pathToFileURL(join(dist, name)).href);
const { query } = await load('index.js');
const { startMockProvider, text, toolCall } = await load('testing.js');
const folder = mkdtempSync(join(tmpdir(), 'turnwright-warm-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'file.txt');
writeFileSync(file, 'a line\n');
const mock = await startMockProvider({
  steps: [
    text('Hello.'),
    toolCall('Read', { file_path: file }),
    toolCall('Bash', { command: 'true' }),
    toolCall('Edit', { file_path: file, old_string: 'a line', new_string: 'another' }),
    text('Done.'),
  ],
});
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  TURNWRIGHT_HOME: join(folder, 'home'),
  ANTHROPIC_BASE_URL: mock.url,
  ANTHROPIC_API_KEY: 'sk-none',
};

async function* prompts() {
  for (const content of ['Say hello.', 'Work.'])
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

const options = {
  cwd: folder,
  env,
  model: 'mock-model',
  allowedTools: ['Read', 'Bash', 'Edit'],
  includePartialMessages: true,
};
for await (const message of query({ prompt: prompts(), options })) {
  if (message.type === 'result' && message.is_error) throw new Error(message.errors.join(' '));
}
await mock.close();
if (scripts.length !== 1) throw new Error(`${scripts.length} scripts were compiled, not the one of the core`);
writeFileSync(cache, scripts[0].createCachedData());
