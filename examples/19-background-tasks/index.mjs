// A server that goes on while the conversation does: the model starts it, reads which port it took, and stops it.
// Without a key a scripted model answers. Exits with 1 if the server was not read, or is still there.
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const server = `node -e "const s = require('http').createServer((q, a) => a.end('hi')).listen(0, '127.0.0.1', () => console.log('port ' + s.address().port))"`;
let task;
let ended;
let heard = '';
/** What the scripted model does next: it looks until the server has said its port. */
function next() {
  if (task === undefined)
    return toolCall('Bash', { command: server, description: 'a small server', run_in_background: true });
  if (ended !== undefined) return text('The server took a port of its own, and is stopped.');
  if (/port \d+/.test(heard)) return toolCall('TaskStop', { task_id: task, reason: 'we know the port' });
  return toolCall('TaskOutput', { task_id: task, timeout: 200 });
}
const scripted = process.env.ANTHROPIC_API_KEY ? {} : { provider: scriptedModel(next) };

const session = query({
  prompt: `Start this server in the background: ${server} - find out which port it took, stop it, and tell me the port.`,
  options: { allowedTools: ['Bash'], maxTurns: 50, ...scripted },
});

let result;
for await (const message of session) {
  if (message.type === 'user') heard += JSON.stringify(message.message.content);
  if (message.type === 'result') result = message;
  if (message.type !== 'system') continue;
  if (message.subtype === 'task_started') {
    task = message.task_id;
    console.log(`started: ${message.task_id} (${message.description})`);
  }
  if (message.subtype === 'task_notification') {
    ended = message;
    console.log(`${message.status}: ${message.summary}`);
  }
}
console.log(result.result);

const isRight = result.subtype === 'success' && /port \d+/.test(heard) && ended?.status === 'stopped';
if (!isRight) console.error('Expected a port that the server printed, and its end.');
process.exitCode = isRight ? 0 : 1;
