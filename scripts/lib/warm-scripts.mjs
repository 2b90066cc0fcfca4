// Runs a session of the built package with a model on loopback, goes on with it, and opens the terminal, then writes V8's code caches of the
// scripts: with the functions that were called, which is what saves the time.
// Usage: node warm-scripts.mjs <dist> <file of a cache>…   Each is named like its script, and goes beside it.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const [dist, ...caches] = process.argv.slice(2);
const vm = process.getBuiltinModule('node:vm');
/** By their names. */
const scripts = new Map();
const { Script } = vm;
vm.Script = class extends Script {
  constructor(code, options) {
    super(code, options);
    scripts.set(options.filename, this);
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
    text('Going on.'),
    text('At a terminal, with `code` and **words**.\n\n- one\n- two\n'),
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
let resume;
for await (const message of query({ prompt: prompts(), options })) {
  if (message.type === 'result' && message.is_error) throw new Error(message.errors.join(' '));
  resume = message.session_id;
}
for await (const message of query({ prompt: 'Go on.', options: { ...options, resume } })) {
  if (message.type === 'result' && message.is_error) throw new Error(message.errors.join(' '));
}
await useTerminal();
await mock.close();
for (const cache of caches) {
  const name = [...scripts.keys()].find((each) => basename(cache).startsWith(each.slice('turnwright:'.length)));
  if (name === undefined) throw new Error(`no script was compiled that ${basename(cache)} could be of`);
  writeFileSync(cache, scripts.get(name).createCachedData());
}

/** A window that nobody looks at: a prompt is typed, its answer is drawn, and it is left. */
async function useTerminal() {
  const facade = readdirSync(join(dist, 'chunks')).find((name) => name.startsWith('run-terminal-'));
  const { runTerminal } = await load(join('chunks', facade));
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  let seen = '';
  let typed = 0;
  // Keys one by one: what comes at once is taken for a paste.
  const keys = [
    ['keys', 'H'],
    ['H', '\r'],
    ['1 turn', '\x04'],
    // Two at once: behind a wait of more than a second the first of them would begin anew, and nobody would type again.
    ['Ctrl-D again', '\x04\x04'],
  ];
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      seen += chunk;
      const [until, text] = keys[typed] ?? [];
      if (until !== undefined && seen.includes(until)) {
        typed++;
        seen = '';
        setImmediate(() => stdin.write(text));
      }
      done();
    },
  });
  Object.assign(stdout, { isTTY: true, columns: 100, rows: 30 });
  const log = { message: () => undefined, error: () => undefined, note: () => undefined };
  await runTerminal(
    { options, verbose: false, complete: async (given) => ({ options: given, notes: [] }) },
    {
      stdin,
      stdout,
      env: { ...env, TERM: 'xterm-256color' },
      startedIn: () => folder,
      lifetime: new AbortController(),
      exit: (code) => process.exit(code),
    },
    log,
  );
}
