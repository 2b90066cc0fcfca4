// What reading a stream costs, each protocol beside the barest reader of it: CPU time for each delta, without the engine.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { alternate, besideBare } from './figures.mjs';

const DRIVER = fileURLToPath(new URL('./drivers/reader.mjs', import.meta.url));
const ENTRY = fileURLToPath(new URL('./drivers/providers.mjs', import.meta.url));
const DELTAS = 20_000;
/** The replies before the last warm the reader. */
const REPLIES = 3;
const APIS = [
  { api: 'anthropic', title: 'Messages', base: '', path: '/v1/messages' },
  { api: 'openai-chat', title: 'Chat Completions', base: '/v1', path: '/v1/chat/completions' },
  { api: 'openai-responses', title: 'Responses', base: '/v1', path: '/v1/responses' },
];

/** Rows of figures: `ours` and `bare` are microseconds of CPU for each delta. */
export async function measureReading(bench) {
  const module = await bundle(bench.scratch.cwd);
  const rows = [];
  for (const wire of APIS) {
    const readers = wire.api === 'openai-chat' ? ['bare', 'ours', 'wrapped'] : ['bare', 'ours'];
    const times = await alternate(bench, readers, (reader) => runReader(bench.mock, wire, reader, module));
    const row = (reader, name) =>
      besideBare(`reading ${name}, CPU for each delta`, 'µs', times[reader], times.bare, 1.5);
    rows.push(row('ours', wire.title));
    if (readers.includes('wrapped')) rows.push(row('wrapped', `${wire.title} for calls in text`));
  }
  return rows;
}

async function bundle(folder) {
  const file = join(folder, 'providers.mjs');
  const bundler = await rolldown({ input: ENTRY, platform: 'node', logLevel: 'silent' });
  await bundler.write({ file, format: 'esm', codeSplitting: false });
  await bundler.close();
  return pathToFileURL(file).href;
}

async function runReader(mock, { api, base, path }, reader, module) {
  await mock.setScript({ deltas: [DELTAS] });
  const plan = { reader, api, module, replies: REPLIES, address: `${mock.url}${path}`, baseUrl: `${mock.url}${base}` };
  const child = spawn(process.execPath, [DRIVER, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, errors] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  const last = out.trim().split('\n').at(-1);
  if (code !== 0 || last === '') throw new Error(`The ${reader} reader of ${api} ended with ${code}.\n${errors}`);
  const { deltas, cpu } = JSON.parse(last);
  // Pieces may come joined in a longer text if calls are looked for; nothing may be missing.
  if (deltas < DELTAS * (reader === 'wrapped' ? 0.5 : 1)) throw new Error(`The ${reader} reader saw ${deltas} deltas.`);
  return (cpu * 1_000) / DELTAS;
}
