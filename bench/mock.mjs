// The scripted model server of the benchmark: model APIs on loopback, without thinking time. It does as little
// as it can between a request and its reply, and keeps the times that every figure is made of.
// Prints its port and ends with its stdin. POST /__script takes { deltas: [n, …] } or { turns, tool }; GET /__log
// gives a record for each request since then. The last entry of `deltas` repeats.
import { createServer } from 'node:http';
import { nowMs } from './clock.mjs';
import { BLOCK_STOP, frame, MESSAGE_START, messageEnd, WIRES } from './wires.mjs';

const RESULT_MARK = Buffer.from('"type":"tool_result"');
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
  const wire =
    request.method === 'POST' ? WIRES.find(({ path }) => request.url.split('?')[0].endsWith(path)) : undefined;
  if (wire === undefined) {
    response.writeHead(404).end();
    return undefined;
  }
  const record = { ...times, first: 0, last: 0, bytes: body.length, toolResults: countResults(body) };
  records.push(record);
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  if (script.turns === undefined) return streamText(response, record, deltasOf(records.length - 1), wire);
  return record.toolResults < script.turns ? callTool(response, record) : streamText(response, record, 5, wire);
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
    MESSAGE_START +
    frame('content_block_start', { index: 0, content_block: { type: 'tool_use', id, name, input: {} } }) +
    frame('content_block_delta', {
      index: 0,
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    }) +
    BLOCK_STOP +
    messageEnd('tool_use');
  record.first = nowMs();
  record.last = record.first;
  response.end(frames);
}

/** One write for each delta, as a model's server sends them, at the speed the socket takes them. */
async function streamText(response, record, deltas, { head, delta, tail }) {
  response.write(head);
  record.first = nowMs();
  for (let sent = 0; sent < deltas && !response.destroyed; sent++) {
    const hasRoom = response.write(delta);
    await new Promise((resolve) => {
      if (hasRoom) setImmediate(resolve);
      else response.once('drain', resolve).once('close', resolve);
    });
  }
  record.last = nowMs();
  response.end(tail(deltas));
}
