// Subagents: two that read at the same time, and one that may not write although the session may. Always a scripted
// model. Exits with 1 if an agent did more or less than that.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, scriptedModel, text, toolCall } from 'turnwright/testing';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
const home = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => {
  for (const each of [folder, home]) rmSync(each, { recursive: true, force: true });
});
writeFileSync(join(folder, 'north.txt'), 'snow\n');
writeFileSync(join(folder, 'south.txt'), 'sun\n');

const agents = {
  reader: { description: 'Reads one file and says what is in it.', prompt: 'reader', tools: ['Read'] },
  writer: { description: 'Writes a file.', prompt: 'writer', tools: ['Write'] },
};

const ask = (agent, prompt) => toolCall('Agent', { description: prompt, prompt, subagent_type: agent });
/** Each agent is told apart by its system prompt; `seen` is the text of the last message. */
const model = scriptedModel(({ system, messages }) => {
  const who = system[0].text;
  const seen = JSON.stringify(messages.at(-1).content);
  if (who === 'reader') return answerAsReader(seen, JSON.stringify(messages[0].content));
  if (who === 'writer') {
    if (messages.length === 1) return toolCall('Write', { file_path: 'report.txt', content: 'snow and sun' });
    return text(seen.includes('was denied') ? 'I was not allowed to write.' : 'I wrote it.');
  }
  if (messages.length === 1) return reply(ask('reader', 'Read north.txt.'), ask('reader', 'Read south.txt.'));
  if (seen.includes('south')) return ask('writer', 'Write report.txt.');
  return text('Snow in the north, sun in the south; the report could not be written.');
});

function answerAsReader(seen, task) {
  const name = task.includes('north') ? 'north' : 'south';
  if (seen.includes('snow')) return text('north: snow');
  if (seen.includes('sun')) return text('south: sun');
  return toolCall('Read', { file_path: `${name}.txt` });
}

const messages = [];
const options = { cwd: folder, env: { TURNWRIGHT_HOME: home }, provider: model, agents, allowedTools: ['Write'] };
for await (const message of query({ prompt: 'What is the weather? Write a report.', options })) {
  messages.push(message);
  if (message.type !== 'system') continue;
  if (message.subtype === 'task_started') console.log(`${message.subagent_type} begins: ${message.description}`);
  if (message.subtype === 'task_notification') console.log(`${message.status}: ${message.summary}`);
}
const result = messages.at(-1);
console.log(result.result);

const at = (subtype) => messages.flatMap((message, index) => (message.subtype === subtype ? [index] : []));
const transcripts = readdirSync(home, { recursive: true }).filter((name) => /agent-[^/]+\.jsonl$/.test(name));
const isRight =
  result.subtype === 'success' &&
  result.result.startsWith('Snow in the north') &&
  // The second reader began before the first was done.
  at('task_started')[1] < at('task_notification')[0] &&
  messages.some((message) => message.type === 'assistant' && message.parent_tool_use_id !== null) &&
  result.permission_denials.length === 1 &&
  !existsSync(join(folder, 'report.txt')) &&
  transcripts.length === 3;
if (!isRight) console.error('Expected two readers side by side, a writer that was refused, and three transcripts.');
process.exitCode = isRight ? 0 : 1;
