// The scripted model server of the benchmark: the Messages API on loopback, without thinking time. It does as little
// as it can between a request and its reply, and keeps the times that every figure is made of.
// Prints its port and ends with its stdin. POST /__script takes { deltas: [n, …] } or { turns, tool }; GET /__log
// gives a record for each request since then. The last entry of `deltas` repeats.
import { createServer } from 'node:http';
import { nowMs } from './clock.mjs';

const RESULT_MARK = Buffer.from('"type":"tool_result"');
const USAGE = { input_tokens: 100, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
const HEAD_FRAMES = frame('message_start', {
  message: {
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    model: 'mock-model',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: USAGE,
  },
});
const TEXT_START = frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
const TEXT_DELTA = frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'word ' } });
const BLOCK_STOP = frame('content_block_stop', { index: 0 });

let script = { deltas: [5] };
let records = [];

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  const head = nowMs();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => answer(request, response, { head, body: nowMs() }, Buffer.concat(chunks)));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
// Whoever started the mock holds its stdin: it never outlives them.
process.stdin.resume().on('end', () => process.exit(0));

function answer(request, response, times, body) {
  if (request.url === '/__log') return sendJson(response, records);
  if (request.url === '/__script') {
    script = JSON.parse(body.toString());
    records = [];
    return sendJson(response, {});
  }
  if (request.method !== 'POST' || !request.url.startsWith('/v1/messages')) {
    response.writeHead(404).end();
    return undefined;
  }
  const record = { ...times, first: 0, last: 0, bytes: body.length, toolResults: countResults(body) };
  records.push(record);
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  if (script.turns === undefined) return streamText(response, record, deltasOf(records.length - 1));
  return record.toolResults < script.turns ? callTool(response, record) : streamText(response, record, 5);
}

function sendJson(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function countResults(body) {
  let count = 0;
  for (let at = body.indexOf(RESULT_MARK); at !== -1; at = body.indexOf(RESULT_MARK, at + 1)) count++;
  return count;
}

function deltasOf(index) {
  return script.deltas[Math.min(index, script.deltas.length - 1)];
}

/** One write: nothing of the reply is waited for. */
function callTool(response, record) {
  const { name, folder } = script.tool;
  // Another file each time: a model that repeats one call is stopped by an engine that notices.
  const input = { file_path: `${folder}/${record.toolResults}.txt` };
  const id = `toolu_${record.toolResults}`;
  const frames =
    HEAD_FRAMES +
    frame('content_block_start', { index: 0, content_block: { type: 'tool_use', id, name, input: {} } }) +
    frame('content_block_delta', {
      index: 0,
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    }) +
    BLOCK_STOP +
    tail('tool_use');
  record.first = nowMs();
  record.last = record.first;
  response.end(frames);
}

/** One write for each delta, as a model's server sends them, at the speed the socket takes them. */
async function streamText(response, record, deltas) {
  response.write(HEAD_FRAMES + TEXT_START);
  record.first = nowMs();
  for (let sent = 0; sent < deltas && !response.destroyed; sent++) {
    const hasRoom = response.write(TEXT_DELTA);
    await new Promise((resolve) => {
      if (hasRoom) setImmediate(resolve);
      else response.once('drain', resolve).once('close', resolve);
    });
  }
  record.last = nowMs();
  response.end(BLOCK_STOP + tail('end_turn'));
}

function tail(stopReason) {
  const delta = { stop_reason: stopReason, stop_sequence: null };
  return frame('message_delta', { delta, usage: { output_tokens: 20 } }) + frame('message_stop', {});
}

function frame(type, fields) {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
