// A server of tools as a program of its own: the session starts it, the model calls its tool, and it ends with the session.
// Without a key a scripted model answers. Exits with 1 if the server did not answer.
import { fileURLToPath } from 'node:url';
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const script = [toolCall('mcp__tickets__open_tickets', {}), text('One ticket is open: T-1, the door sticks.')];
const scripted = process.env.ANTHROPIC_API_KEY ? {} : { provider: scriptedModel(script) };

const session = query({
  prompt: 'Which tickets are open? Look with open_tickets.',
  options: {
    tools: [],
    mcpServers: {
      tickets: {
        command: process.execPath,
        args: [fileURLToPath(new URL('server.mjs', import.meta.url))],
        // Beside PATH, HOME and the like it gets this, and nothing else.
        env: { TICKETS_OF: 'the house' },
      },
    },
    allowedTools: ['mcp__tickets'],
    maxTurns: 4,
    persistSession: false,
    ...scripted,
  },
});

let result;
let heard = '';
for await (const message of session) {
  if (message.type === 'system' && message.subtype === 'init') console.log('servers:', message.mcp_servers);
  if (message.type === 'system' && message.subtype === 'notice') console.error(message.message);
  if (message.type === 'user') heard += JSON.stringify(message.message.content);
  if (message.type === 'result') result = message;
}
console.log(result.result);

const isRight =
  result.subtype === 'success' && heard.includes('Tickets of the house: T-1') && result.result.includes('T-1');
if (!isRight) console.error('Expected an answer that names T-1, from a call of the server.');
process.exitCode = isRight ? 0 : 1;
