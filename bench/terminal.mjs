// The terminal under a pseudo-terminal of 100 x 30: its first frame, a stream of deltas, keys meanwhile, memory, resizes. The
// model is a server in this process, which sends at the pace that is asked for.
import { spawn as spawnProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { median, percentile } from './figures.mjs';
import { BLOCK_STOP, frame, MESSAGE_START, messageEnd } from './wires.mjs';

const SIZE = { cols: 100, rows: 30 };
const DELTAS = 20_000;
const TEXT = 'Some words of an answer that goes on and on, with `code` and **bold** in it. ';
const BLOCKS = ['\n\n', '\n- an item of a list\n', '\n\n```\nconst code = 1;\nconst more = 2;\n```\n\n', '\n\n'];
const SETTLE_MS = 300;
const PROMPTS = 6;
/** The longest that the bytes after a key are waited for. */
const LONGEST_FRAME_MS = 5_000;
/** The longest that a stream of 10 s is waited for. */
const LONGEST_STREAM_MS = 90_000;

/** One delta after the other: words of paragraphs, lists and code. */
function* deltas(count) {
  const words = TEXT.split(/(?<= )/);
  for (let at = 0; at < count; at++) {
    const isEnd = at % 60 === 59;
    yield isEnd ? BLOCKS[Math.floor(at / 60) % BLOCKS.length] : words[at % words.length];
  }
}

const asEvent = (text) => frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
const HEAD = MESSAGE_START + frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });

/** A model that streams `count` deltas, `perSecond` of them. */
export async function startModel({ count, perSecond }) {
  const all = [...deltas(count)].map(asEvent);
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(HEAD);
      let sent = 0;
      const began = performance.now();
      const step = () => {
        const due = Math.min(all.length, Math.floor(((performance.now() - began) / 1_000) * perSecond));
        if (due > sent) response.write(all.slice(sent, due).join(''));
        sent = due;
        if (sent < all.length) setTimeout(step, 1_000 / Math.min(perSecond, 500));
        else response.end(BLOCK_STOP + messageEnd('end_turn'));
      };
      step();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** The program at a terminal, ours or `bench.face`; `shown` waits for what it has written. */
export function openFace(bench, url, words = bench.face?.words ?? [join(bench.dist, 'cli', 'main.js')]) {
  const home = bench.scratch.newHome();
  const env = { ...environment(home, url), TERM: 'xterm-256color', ...bench.face?.env };
  const began = performance.now();
  const before = `seq -f 'shell line %g' ${bench.shellLines}; exec "$@"`;
  const around = bench.shellLines === undefined ? [] : ['sh', '-c', before, 'sh'];
  const [program, ...args] = [...around, process.execPath, ...words];
  const pty = spawn(program, args, { ...SIZE, cwd: home, env });
  // Kept in pieces: one text of all of it would be copied for each frame, and the time of that taken for the program's.
  let pieces = [];
  let bytes = 0;
  let cleared = 0;
  const watchers = new Set();
  pty.onData((data) => {
    pieces.push(data);
    bytes += Buffer.byteLength(data);
    cleared += data.split('\x1b[2J').length - 1;
    for (const watch of [...watchers]) watch(data);
  });
  const ended = new Promise((resolve) => pty.onExit(resolve));
  return {
    pty,
    home,
    began,
    ended,
    bytes: () => bytes,
    /** Times that all of the screen was wiped, to be drawn anew. */
    cleared: () => cleared,
    /** What was shown so far is not waited for any more. */
    forget() {
      pieces = [];
    },
    shown: (wanted) =>
      new Promise((resolve) => {
        let end = '';
        const look = (data) => {
          const all = end + data;
          end = all.slice(-wanted.length);
          if (!all.includes(wanted)) return;
          watchers.delete(look);
          resolve(performance.now());
        };
        watchers.add(look);
        look(pieces.join(''));
      }),
    /** One that draws two keys at once owes nothing for the second: it is not waited for longer than this. */
    nextFrame: () =>
      new Promise((resolve) => {
        const look = () => {
          clearTimeout(limit);
          watchers.delete(look);
          resolve(performance.now());
        };
        const limit = setTimeout(look, LONGEST_FRAME_MS);
        watchers.add(look);
      }),
  };
}

const environment = (home, url) => ({
  PATH: process.env.PATH,
  HOME: home,
  TURNWRIGHT_HOME: home,
  ANTHROPIC_API_KEY: 'sk-bench',
  ANTHROPIC_BASE_URL: url,
});

export const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Seconds of CPU of a process so far. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function memoryOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;
}

export async function close({ pty, ended }) {
  pty.kill('SIGTERM');
  await ended;
}

/** From the start of the process to its first frame, beside a bare Node that writes a line. */
export async function firstPaint(bench) {
  const times = [];
  const bare = [];
  for (let round = 0; round < Math.max(5, bench.rounds); round++) {
    const node = openFace(bench, 'http://127.0.0.1:9', ['-e', 'process.stdout.write("up")']);
    bare.push((await node.shown('up')) - node.began);
    await node.ended;
    const face = openFace(bench, 'http://127.0.0.1:9');
    times.push((await face.shown('> ')) - face.began);
    await close(face);
  }
  const [ours, theirs] = [median(times.slice(1)), median(bare.slice(1))];
  return [row('terminal: start to first paint', 'ms', ours, { bare: theirs, bar: 2 })];
}

export async function streaming(bench, perSecond, count, bars) {
  const model = await startModel({ count, perSecond });
  const face = openFace(bench, model.url);
  await face.shown('> ');
  await rest(SETTLE_MS);
  const [cpu, bytes, cleared] = [cpuOf(face.pty.pid), face.bytes(), face.cleared()];
  face.pty.write('go\r');
  await face.shown('Writing');
  const keys = [];
  let isOver = false;
  // One that does not come to an end is measured as far as it came.
  let isWhole = false;
  const whole = face.shown('1 turn').then(() => {
    isWhole = true;
  });
  const end = Promise.race([whole, rest(LONGEST_STREAM_MS)]).then(() => {
    isOver = true;
  });
  while (!isOver) {
    await rest(200);
    const at = performance.now();
    const painted = face.nextFrame();
    face.pty.write('x');
    keys.push((await painted) - at);
  }
  await end;
  const used = { cpu: cpuOf(face.pty.pid) - cpu, bytes: face.bytes() - bytes, cleared: face.cleared() - cleared };
  await close(face);
  model.close();
  const name = `${perSecond.toLocaleString('en')} deltas a second`;
  const rows = [
    ...(bars.cpu === undefined
      ? []
      : [row(`terminal: ${count.toLocaleString('en')} deltas, CPU`, 's', used.cpu, { bar: bars.cpu })]),
    row(`terminal: bytes a delta, ${name}`, 'bytes', used.bytes / count, { bar: bars.bytes }),
    row(`terminal: key to next frame, ${name}, p99`, 'ms', percentile(keys, 0.99), { bar: bars.key }),
    row(`terminal: times that the whole screen was wiped, ${name}`, 'times', used.cleared, { bar: 0 }),
  ];
  return Object.assign(rows, { isWhole });
}

export async function idleKeys(bench) {
  const face = openFace(bench, 'http://127.0.0.1:9');
  await face.shown('> ');
  await rest(SETTLE_MS * 3);
  const keys = [];
  for (let at = 0; at < 100; at++) {
    const began = performance.now();
    const painted = face.nextFrame();
    face.pty.write('x');
    keys.push((await painted) - began);
    await rest(20);
  }
  const before = face.bytes();
  await rest(1_500);
  const wakeUps = face.bytes() - before;
  const from = face.bytes();
  for (let at = 0; at < 60; at++) {
    face.pty.resize(70 + ((at * 7) % 60), 20 + (at % 15));
    await rest(16);
  }
  await rest(SETTLE_MS);
  const resized = face.bytes() - from;
  await close(face);
  return [
    row('terminal: key to paint, idle, p99', 'ms', percentile(keys, 0.99), { bar: 10 }),
    row('terminal: bytes while idle', 'bytes', wakeUps, { bar: 0 }),
    row('terminal: 60 resizes', 'bytes', resized, { bar: 5_120 }),
  ];
}

/** Memory after much was said, over that of a terminal in which nothing was. */
async function memory(bench) {
  const model = await startModel({ count: 10_000, perSecond: 20_000 });
  const face = openFace(bench, model.url);
  await face.shown('> ');
  await rest(SETTLE_MS * 3);
  const before = memoryOf(face.pty.pid);
  for (let prompt = 0; prompt < PROMPTS; prompt++) {
    face.forget();
    face.pty.write('go\r');
    await face.shown('1 turn');
  }
  await rest(SETTLE_MS);
  const grown = memoryOf(face.pty.pid) - before;
  await close(face);
  model.close();
  return [row(`terminal: memory after ${PROMPTS} answers of 10,000 deltas`, 'MB', grown, { bar: 30 })];
}

/** A model that calls a tool many times at once, in as many replies, and then says a word. */
async function startCaller({ replies, calls }) {
  let answered = 0;
  // Each other, or the engine takes them for a circle.
  const todos = (at) => ({ todos: [{ content: `Look ${at}`, status: 'pending', activeForm: 'Looking' }] });
  const call = (reply, index) =>
    frame('content_block_start', {
      index,
      content_block: { type: 'tool_use', id: `toolu_${reply}_${index}`, name: 'TodoWrite', input: {} },
    }) +
    frame('content_block_delta', {
      index,
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(todos(`${reply} ${index}`)) },
    }) +
    frame('content_block_stop', { index });
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const reply = answered++;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (reply >= replies) response.end(`${HEAD}${asEvent('Over.')}${BLOCK_STOP}${messageEnd('end_turn')}`);
      else
        response.end(
          MESSAGE_START + Array.from({ length: calls }, (_, at) => call(reply, at)).join('') + messageEnd('tool_use'),
        );
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Median milliseconds from a key to the next bytes, and CPU of the main thread for a key. */
async function keysTo(face, count) {
  const keys = [];
  const before = mainThreadOf(face.pty.pid);
  for (let at = 0; at < count; at++) {
    const began = performance.now();
    const painted = face.nextFrame();
    face.pty.write('x');
    keys.push((await painted) - began);
    await rest(20);
  }
  const cpu = (mainThreadOf(face.pty.pid) - before) / count;
  face.pty.write('\x15');
  await rest(SETTLE_MS);
  return { ms: median(keys), cpu };
}

/** Milliseconds of CPU of a process's main thread so far. */
function mainThreadOf(pid) {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** The same key before anything was said, and after 5,000 messages: calls and their results. */
export async function afterMessages(bench) {
  const model = await startCaller({ replies: 25, calls: 100 });
  const face = openFace(bench, model.url);
  await face.shown('> ');
  await rest(SETTLE_MS * 3);
  await keysTo(face, 100);
  const [before, memoryBefore] = [await keysTo(face, 200), memoryOf(face.pty.pid)];
  face.pty.write('go\r');
  await face.shown('26 turns');
  await rest(SETTLE_MS);
  const [after, memoryAfter] = [await keysTo(face, 200), memoryOf(face.pty.pid)];
  await close(face);
  model.close();
  const grown = memoryAfter - memoryBefore;
  const alone = bench.face === undefined ? await withoutFace(bench) : 0;
  const name = 'terminal: memory of 5,000 messages';
  return [
    row('terminal: key to paint p50 after 5,000 messages, beside that before', 'ms', after.ms, {
      bare: before.ms,
      bar: 1.2,
    }),
    row('terminal: CPU for a key after 5,000 messages, beside that before', 'ms', after.cpu, {
      bare: before.cpu,
      bar: 1.2,
    }),
    row(bench.face === undefined ? `${name}, beside the same session without a terminal` : name, 'MB', grown, {
      bare: bench.face === undefined ? alone : null,
    }),
    row(`${name}, more than without a terminal`, 'MB', grown - alone, { bar: 30 }),
  ];
}

/** Megabytes that the same session grows by if messages are written to a pipe. */
async function withoutFace({ dist, scratch }) {
  const model = await startCaller({ replies: 25, calls: 100 });
  const home = scratch.newHome();
  const words = ['-p', '--input-format=stream-json', '--output-format=stream-json', '--include-partial-messages'];
  const session = spawnProcess(process.execPath, [join(dist, 'cli', 'main.js'), ...words, '--verbose'], {
    cwd: home,
    env: { ...environment(home, model.url) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let end = '';
  const isOver = new Promise((resolve) => {
    session.stdout.on('data', (bytes) => {
      end = (end + bytes).slice(-20_000);
      if (end.includes('"num_turns":26')) resolve();
    });
  });
  await rest(SETTLE_MS * 5);
  const before = memoryOf(session.pid);
  const message = { role: 'user', content: 'go' };
  session.stdin.write(`${JSON.stringify({ type: 'user', message, parent_tool_use_id: null })}\n`);
  await isOver;
  await rest(SETTLE_MS);
  const grown = memoryOf(session.pid) - before;
  session.kill('SIGKILL');
  model.close();
  return grown;
}

/** `@` and letters of a name, in a folder of 20,000 files: to the list that holds it. */
async function completion(bench) {
  const face = openFace(bench, 'http://127.0.0.1:9');
  for (let folder = 0; folder < 200; folder++) {
    mkdirSync(join(face.home, `folder-${folder}`));
    for (let file = 0; file < 100; file++)
      writeFileSync(join(face.home, `folder-${folder}`, `file-${folder}-${file}.ts`), '');
  }
  await face.shown('> ');
  await rest(SETTLE_MS * 3);
  const times = [];
  for (const word of ['', 'file-7-41', 'file-19-99', 'file-150-3', 'file-42-42']) {
    face.forget();
    const began = performance.now();
    face.pty.write(`see @${word}`);
    times.push((await face.shown(word === '' ? 'folder-' : `/${word}.ts`)) - began);
    face.pty.write('\x15');
    await rest(SETTLE_MS);
  }
  await close(face);
  return [row('terminal: @ in 20,000 files to its list, the longest of 5', 'ms', Math.max(...times), { bar: 150 })];
}

/** A figure; its bar is a value, beside a bare Node a ratio. */
function row(measure, unit, ours, { bare = null, bar }) {
  const limit = bar === undefined ? {} : { bar: bare === null ? { value: bar } : { ratio: bar } };
  return { measure, unit, ours, bare, ...limit };
}

/** Of several runs, that with the middle first figure: one alone depends on what the machine did in those ten seconds. */
async function middle(count, run) {
  const runs = [];
  for (let at = 0; at < count; at++) runs.push(await run());
  return runs.sort(([a], [b]) => a.ours - b.ours)[Math.floor(count / 2)];
}

export async function measureTerminal(bench) {
  return [
    ...(await firstPaint(bench)),
    ...(await idleKeys(bench)),
    ...(await middle(3, () => streaming(bench, 2_000, DELTAS, { cpu: 1.2, bytes: 90, key: 20 }))),
    ...(await streaming(bench, 100, 500, { bytes: 150, key: 20 })),
    ...(await memory(bench)),
    ...(await afterMessages(bench)),
    ...(await completion(bench)),
  ];
}
