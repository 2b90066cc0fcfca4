// Resources and prompts of an MCP server: a prompt names a resource, the model reads one, it is told when that one changed,
// and a prompt of the server is a slash command. Without a key a scripted model answers. Exits with 1 if one was missing.
import { fileURLToPath } from 'node:url';
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const model = scriptedModel([
  toolCall('ReadMcpResource', { server_name: 'kitchen', uri: 'note://menu' }),
  text('On Monday there is soup, and guests eat first.'),
  text('Soup on Monday.'),
]);
const scripted = process.env.ANTHROPIC_API_KEY ? {} : { provider: model };

// Two prompts to one session: the second is sent once the first is answered.
let answered;
const first = new Promise((resolve) => {
  answered = resolve;
});
async function* prompts() {
  const say = (content) => ({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
  yield say('What is there on Monday? Mind @kitchen:note://rules, and read the menu with ReadMcpResource.');
  await first;
  yield say('/mcp__kitchen__plan Monday');
}

const session = query({
  prompt: prompts(),
  options: {
    tools: [],
    mcpServers: {
      kitchen: { command: process.execPath, args: [fileURLToPath(new URL('server.mjs', import.meta.url))] },
    },
    allowedTools: ['ReadMcpResource', 'ListMcpResources'],
    maxTurns: 6,
    persistSession: false,
    ...scripted,
  },
});

const results = [];
let read = '';
let commands = [];
for await (const message of session) {
  if (message.type === 'user') read += JSON.stringify(message.message.content);
  if (message.type === 'system' && message.subtype === 'commands_changed')
    commands = message.commands.map(({ name }) => name).filter((name) => name.startsWith('mcp__'));
  if (message.type !== 'result') continue;
  console.log(message.result);
  // The program itself reads one too.
  if (results.push(message.subtype) === 1) {
    const { contents } = await session.readMcpResource('kitchen', 'note://rules');
    console.log('rules:', contents[0].text);
  }
  answered();
}
console.log('commands of the server:', commands);
const last = JSON.stringify(model.requests.at(-1)?.messages ?? '');
const isRight =
  results.every((subtype) => subtype === 'success') &&
  read.includes('Monday: soup') &&
  commands.includes('mcp__kitchen__plan') &&
  (process.env.ANTHROPIC_API_KEY ||
    (last.includes('note://menu of the MCP server kitchen has changed') && last.includes('Plan the meal of Monday')));
if (!isRight) console.error('Expected an answer from the menu, news of the menu, and the prompt of the server.');
process.exitCode = isRight ? 0 : 1;
