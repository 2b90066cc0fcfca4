// One session, models of two providers: it starts with one, a subagent works with the other, and then the session itself
// changes over. Both are servers on this machine, so that no key and no network is needed. Exits with 1 if a request
// went to the wrong server, or with the wrong key.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { startMockProvider, text, toolCall } from 'turnwright/testing';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const messages = await startMockProvider({
  steps: [
    toolCall('Agent', { description: 'Look', prompt: 'Look around.', subagent_type: 'scout' }),
    text('From one.'),
  ],
});
const chat = await startMockProvider({ api: 'openai-chat', steps: [text('Seen.'), text('From the other.')] });

const userMessage = (content) => ({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
let changed;
async function* prompts() {
  yield userMessage('Send somebody to look.');
  await changed;
  yield userMessage('And now you.');
}

const session = query({
  prompt: prompts(),
  options: {
    cwd: folder,
    env: { TURNWRIGHT_HOME: join(folder, 'home') },
    // What a user with keys leaves out: `model: 'openai/gpt-5'` is enough there.
    providers: {
      here: { api: 'anthropic', baseUrl: messages.url, apiKey: 'key-of-here' },
      there: { api: 'openai-chat', baseUrl: `${chat.url}/v1`, apiKey: 'key-of-there', tiers: { lite: 'small' } },
    },
    model: 'here/claude-house',
    agents: { scout: { description: 'Looks around.', prompt: 'You look around.', model: 'there/lite' } },
  },
});

const results = [];
let goOn;
changed = new Promise((resolve) => {
  goOn = resolve;
});
for await (const message of session) {
  if (message.type !== 'result') continue;
  results.push(message.result);
  if (results.length === 1) {
    await session.setModel('there/large');
    goOn();
  }
}

const sentTo = ({ requests }) =>
  requests.map(({ body, headers }) => [body.model, headers['x-api-key'] ?? headers.authorization]);
const sent = { here: sentTo(messages), there: sentTo(chat) };
console.log(JSON.stringify({ results, sent }, null, 2));
await Promise.all([messages.close(), chat.close()]);

const expected = {
  here: [
    ['claude-house', 'key-of-here'],
    ['claude-house', 'key-of-here'],
  ],
  there: [
    ['small', 'Bearer key-of-there'],
    ['large', 'Bearer key-of-there'],
  ],
};
const isRight = `${results}` === 'From one.,From the other.' && JSON.stringify(sent) === JSON.stringify(expected);
if (!isRight) console.error('Expected two requests to each server, each with its own key.');
process.exitCode = isRight ? 0 : 1;
