// A server by HTTP that wants somebody to sign in: the session says so, the user's browser does it, the next prompt has the
// tools. Without a key a scripted model answers. Exits with 1 if the server was not used.
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';
import { startServer } from './server.mjs';

const server = await startServer();
const script = [
  text('I cannot see the tickets yet.'),
  toolCall('mcp__tickets__open_tickets', {}),
  text('One ticket is open: T-1, the door sticks.'),
];
const scripted = process.env.ANTHROPIC_API_KEY ? {} : { provider: scriptedModel(script) };

// Where the tokens are. Without it: in the file of `turnwright login`.
const kept = new Map();
const mcpTokenStore = {
  read: async (name) => kept.get(name) ?? null,
  write: async (name, credentials) => void kept.set(name, credentials),
};

let next;
async function* prompts() {
  for (let prompt = 'Which tickets are open?'; prompt !== null; ) {
    yield { type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null, session_id: '' };
    prompt = await new Promise((resolve) => {
      next = resolve;
    });
  }
}

const session = query({
  prompt: prompts(),
  options: {
    tools: [],
    mcpServers: { tickets: { type: 'http', url: server.url } },
    mcpTokenStore,
    allowedTools: ['mcp__tickets'],
    maxTurns: 4,
    persistSession: false,
    ...scripted,
  },
});

let result;
let heard = '';
for await (const message of session) {
  if (message.type === 'user') heard += JSON.stringify(message.message.content);
  if (message.type !== 'result') continue;
  const [status] = await session.mcpServerStatus();
  console.log(`${status.name}: ${status.status}`);
  if (status.status !== 'needs-auth') {
    result = message;
    next(null);
    continue;
  }
  const { authUrl } = await session.mcpAuthenticate('tickets');
  console.log('the browser goes to', new URL(authUrl).origin);
  // The user's browser: it signs in, and comes back to a port of this machine.
  const page = await fetch(authUrl);
  console.log('the browser shows:', (await page.text()).replace(/^.*<p>|<\/p>.*$/g, ''));
  next('Look again, with open_tickets.');
}
server.close();
console.log(result?.result);

const isRight = result?.subtype === 'success' && heard.includes('Tickets of the house: T-1');
if (!isRight) console.error('Expected a call of the server once somebody had signed in.');
process.exitCode = isRight ? 0 : 1;
