// The floor: the smallest agent loop over node:http with keep-alive. It sends the same conversation and reads the same
// file for a tool call; it checks, asks, keeps and retries nothing.
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { drive, plan } from './driver.mjs';

const agent = new Agent({ keepAlive: true });
const tools = [
  {
    name: 'Read',
    description: 'Reads a file.',
    input_schema: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
  },
];
const headers = { 'content-type': 'application/json', 'x-api-key': 'none', 'anthropic-version': '2023-06-01' };

await drive(async () => {
  const messages = [];
  return { ask: (prompt) => ask(messages, prompt), close: async () => undefined };
});

async function ask(messages, prompt) {
  let deltas = 0;
  messages.push({ role: 'user', content: prompt });
  for (;;) {
    const content = await sample(messages, (event) => {
      if (event.type === 'content_block_delta') deltas++;
    });
    messages.push({ role: 'assistant', content });
    const calls = content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return deltas;
    messages.push({ role: 'user', content: await Promise.all(calls.map(runTool)) });
  }
}

async function runTool({ id, input }) {
  return { type: 'tool_result', tool_use_id: id, content: await readFile(input.file_path, 'utf8') };
}

function sample(messages, onEvent) {
  const body = Buffer.from(JSON.stringify({ model: 'mock-model', max_tokens: 4_096, stream: true, tools, messages }));
  return new Promise((resolve, reject) => {
    const sent = request(
      `${plan.url}/v1/messages`,
      { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } },
      (response) => collect(response, onEvent).then(resolve, reject),
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Server-sent events to content blocks. */
function collect(response, onEvent) {
  const blocks = [];
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (text) => {
    rest += text;
    let start = 0;
    for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n', start)) {
      const event = JSON.parse(rest.slice(rest.indexOf('data: ', start) + 6, end));
      onEvent(event);
      fold(blocks, event);
      start = end + 2;
    }
    rest = rest.slice(start);
  });
  return new Promise((resolve, reject) => {
    response.on('error', reject);
    response.on('end', () => resolve(blocks.map(close)));
  });
}

function fold(blocks, event) {
  if (event.type === 'content_block_start') blocks[event.index] = { ...event.content_block, json: '' };
  else if (event.type === 'content_block_delta') {
    if (event.delta.text === undefined) blocks[event.index].json += event.delta.partial_json;
    else blocks[event.index].text += event.delta.text;
  }
}

function close({ json, ...block }) {
  return block.type === 'tool_use' ? { ...block, input: JSON.parse(json) } : block;
}
