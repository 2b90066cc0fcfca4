// A prompt is interrupted while its tool runs, and the session goes on with the next one. Without a key a scripted model
// answers. Exits with 1 if the command ran on, its call has no answer, or the session did not go on.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const command = 'touch started; sleep 60; touch finished';
const script = [toolCall('Bash', { command }), text('Still here.')];
const scripted = process.env.ANTHROPIC_API_KEY ? {} : { provider: scriptedModel(script) };

const results = [];
const toolResults = [];
let answered = () => undefined;

async function* prompts() {
  for (const content of [`Run this command with Bash, once, as it is: ${command}`, 'Say that you are still here.']) {
    const result = new Promise((resolve) => {
      answered = resolve;
    });
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
    await result;
  }
}

const session = query({
  prompt: prompts(),
  options: { cwd: folder, tools: ['Bash'], allowedTools: ['Bash'], maxTurns: 5, persistSession: false, ...scripted },
});

// As a button would do it: once the command runs, the prompt is ended. The session is not.
const watch = setInterval(() => {
  if (!existsSync(join(folder, 'started'))) return;
  clearInterval(watch);
  session.interrupt();
}, 20);

for await (const message of session) {
  if (message.type === 'user' && Array.isArray(message.message.content))
    toolResults.push(...message.message.content.filter((block) => block.type === 'tool_result'));
  if (message.type !== 'result') continue;
  console.log(`${message.terminal_reason}: ${message.result}`);
  results.push(message);
  answered();
}
clearInterval(watch);

const isRight =
  results.length === 2 &&
  results[0].terminal_reason === 'aborted' &&
  JSON.stringify(toolResults[0]).includes('Interrupted after it started') &&
  results[1].subtype === 'success' &&
  !existsSync(join(folder, 'finished'));
if (!isRight) console.error('Expected an interrupted prompt, an answered call, and a session that goes on.');
process.exitCode = isRight ? 0 : 1;
