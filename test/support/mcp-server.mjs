// A scripted MCP server: plain JSON-RPC over stdin and stdout, no library. Its first argument is JSON that says what it
// does: see `Script`. It writes each start to the file `log`, if one is named.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * @typedef {object} Script
 * @property {string} [log] gets a line for each start, and one for each message
 * @property {string} [tools] file with the tools as JSON, read at each list; default: `echo`
 * @property {number} [count] lists so many tools
 * @property {number} [page] tools on a page
 * @property {string} [gate] waits with its first answer until this file is there
 * @property {string[]} [silent] methods that it never answers
 * @property {boolean} [garbage] prints a line that is no message first
 * @property {string} [version] of the protocol that it answers with
 * @property {string} [stderr] printed on stderr at its start
 * @property {number} [exitCode] ends at once with this code
 * @property {boolean} [ignoresTerm] does not end by TERM, nor with its input
 * @property {boolean} [child] starts a grandchild that ignores TERM and left the group
 * @property {string} [crashOnce] file: ends at the first call, when the file is not there yet
 */

/** @type {Script} */
const script = JSON.parse(process.argv[2] ?? '{}');
const log = (text) => script.log && appendFileSync(script.log, `${text}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
let lastId = 0;
const asked = new Map();
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `s${++lastId}`;
    asked.set(id, resolve);
    send({ id, method, params });
  });

log(`start ${process.pid}`);
if (script.stderr) process.stderr.write(script.stderr);
if (script.exitCode !== undefined) process.exit(script.exitCode);
if (script.garbage) process.stdout.write('Server is listening on stdio!\n{"half":\n');
if (script.ignoresTerm) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 60_000);
}
if (script.child) {
  const code = "process.on('SIGTERM', () => {}); setInterval(() => {}, 60000)";
  spawn(process.execPath, ['-e', code], { detached: true, stdio: 'ignore' }).unref();
}

function tools() {
  if (script.tools) return JSON.parse(readFileSync(script.tools, 'utf8'));
  const schema = { type: 'object', properties: { text: { type: 'string' } } };
  if (script.count) {
    return Array.from({ length: script.count }, (_, at) => ({ name: `tool_${at}`, inputSchema: schema }));
  }
  return [{ name: 'echo', description: 'Says what it is told.', inputSchema: schema }];
}

const text = (value) => ({ content: [{ type: 'text', text: value }] });

async function call({ name, arguments: args = {} }, id) {
  const { text: said = '' } = args;
  if (script.crashOnce && !existsSync(script.crashOnce)) {
    writeFileSync(script.crashOnce, '');
    process.stderr.write('It is over.\n');
    process.exit(3);
  }
  switch (said) {
    case 'environment':
      return text(JSON.stringify(process.env));
    case 'huge':
      return text('x'.repeat(17 * 1024 * 1024));
    case 'roots':
      return text(JSON.stringify(await ask('roots/list')));
    case 'unknown':
      return text(JSON.stringify(await ask('sampling/createMessage', {})));
    case 'ask':
      return text(
        JSON.stringify(
          await ask('elicitation/create', {
            message: 'Which one?',
            requestedSchema: { type: 'object', properties: { which: { type: 'string' } } },
          }),
        ),
      );
    case 'error':
      throw new Error('no such thing');
    case 'changed':
      send({ method: 'notifications/tools/list_changed' });
      return text('told');
    case 'crash':
      process.exit(4);
      break;
    case 'hang':
      log(`hang ${id}`);
      return new Promise(() => undefined);
    case 'progress':
      send({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
      return text('done');
    default:
      if (said.startsWith('bash ')) {
        const { stdout, stderr } = spawnSync('/bin/bash', ['-c', said.slice(5)], { timeout: 20_000 });
        return text(`${stdout}${stderr}`);
      }
      if (said.startsWith('plain ')) return text(said.slice(6));
      return text(`${name}: ${said}`);
  }
}

async function answer({ id, method, params = {} }) {
  while (script.gate && !existsSync(script.gate)) await new Promise((resolve) => setTimeout(resolve, 10));
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: script.version ?? params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'scripted', version: '1.0.0' },
      };
    case 'tools/list': {
      const all = tools();
      const from = Number(params.cursor ?? 0);
      const to = from + (script.page ?? all.length);
      return { tools: all.slice(from, to), ...(to < all.length ? { nextCursor: String(to) } : {}) };
    }
    case 'tools/call':
      return call(params, id);
    default:
      return {};
  }
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const message = JSON.parse(line);
  log(`got ${message.method ?? 'answer'}`);
  if (message.method === 'notifications/cancelled') log(`cancelled ${message.params.requestId}`);
  if (message.method === undefined) {
    const settle = asked.get(message.id);
    asked.delete(message.id);
    return settle?.(message.result ?? { error: message.error });
  }
  if (message.id === undefined || script.silent?.includes(message.method)) return;
  try {
    send({ id: message.id, result: await answer(message) });
  } catch (error) {
    send({ id: message.id, error: { code: -32_000, message: error.message } });
  }
});
