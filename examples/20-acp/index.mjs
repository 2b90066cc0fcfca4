// An editor in small: it starts `turnwright acp` and speaks the Agent Client Protocol with it, one JSON message a line and
// without a library. Without a key the offline model answers. Exits with 1 if the file was not shown.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const packageFolder = dirname(fileURLToPath(import.meta.resolve('turnwright/package.json')));
const model = process.env.ANTHROPIC_API_KEY ? [] : ['--model', 'offline'];
const agent = spawn(process.execPath, [join(packageFolder, 'dist', 'cli', 'main.js'), 'acp', ...model], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const send = (message) => agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

let lastId = 0;
const waiting = new Map();
function request(method, params) {
  const id = ++lastId;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

/** What the agent says and asks meanwhile. */
function take({ id, method, params }) {
  if (method === 'session/update') return show(params.update);
  // Whoever sits at the editor would be asked here; this one says yes to what only reads, and no to the rest.
  if (method === 'session/request_permission') {
    const kind = params.toolCall.kind === 'read' || params.toolCall.kind === 'search' ? 'allow_once' : 'reject_once';
    const { optionId } = params.options.find((option) => option.kind === kind);
    return send({ id, result: { outcome: { outcome: 'selected', optionId } } });
  }
  if (id !== undefined) send({ id, error: { code: -32601, message: `This editor has no ${method}.` } });
}

let shown = '';
function show(update) {
  if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
    console.log(`[${update.status}] ${update.title ?? update.toolCallId}`);
  if (update.sessionUpdate === 'agent_message_chunk') shown += update.content.text;
}

createInterface({ input: agent.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method !== undefined) return take(message);
  const { resolve, reject } = waiting.get(message.id);
  if (message.error) reject(new Error(message.error.message));
  else resolve(message.result);
});

const { agentInfo } = await request('initialize', { protocolVersion: 1, clientCapabilities: {} });
const { sessionId, modes } = await request('session/new', { cwd: import.meta.dirname, mcpServers: [] });
console.log(`${agentInfo.title}, mode ${modes.currentModeId}`);
const { stopReason } = await request('session/prompt', {
  sessionId,
  prompt: [{ type: 'text', text: 'show package.json' }],
});
console.log(shown);

// A client that is done closes stdin: the agent ends its sessions and leaves.
agent.stdin.end();
const code = await new Promise((resolve) => agent.on('close', resolve));
const isRight = code === 0 && stopReason === 'end_turn' && shown.includes('turnwright-example');
if (!isRight) console.error(`Expected the content of package.json and an agent that leaves (${stopReason}, ${code}).`);
process.exitCode = isRight ? 0 : 1;
