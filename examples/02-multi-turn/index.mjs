// A session of several prompts: the second one is understood because of the first. Without a key a scripted model
// answers. Exits with 1 if the second answer does not rest on the first prompt.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { scriptedModel, text } from 'turnwright/testing';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Knows only what the request holds, as a real model does. */
const recalls = (request) => text(JSON.stringify(request.messages).includes('cobalt') ? 'Cobalt.' : 'I do not know.');
const hasKey = Boolean(process.env.ANTHROPIC_API_KEY);
const scripted = hasKey ? {} : { provider: scriptedModel([text('I will remember it.'), recalls]) };

const results = [];
let answered = () => undefined;

/** The next prompt is given when the last one has its result. */
async function* prompts() {
  for (const content of [
    'Remember the word "cobalt" and say only that you will.',
    'Which word was it? Answer with that word alone.',
  ]) {
    const result = new Promise((resolve) => {
      answered = resolve;
    });
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
    await result;
  }
}

const options = { cwd: folder, tools: [], maxTurns: 5, persistSession: false, ...scripted };
for await (const message of query({ prompt: prompts(), options })) {
  if (message.type !== 'result') continue;
  console.log(message.result);
  results.push(message);
  answered();
}

const isOneSession = results.length === 2 && results[0].session_id === results[1].session_id;
const isRight = isOneSession && results.every((result) => !result.is_error) && /cobalt/i.test(results[1].result);
if (!isRight) console.error('Expected two results of one session, the second with the word "cobalt".');
process.exitCode = isRight ? 0 : 1;
