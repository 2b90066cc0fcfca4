// Two agents work at the same time while the main one goes on: one counts, one is told more by its name. Each reports once.
// Without a key a scripted model answers. Exits with 1 if a report is missing.
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const counter = { description: 'Counts things.', prompt: 'You count.', tools: ['Glob', 'Grep', 'Read'] };
const background = { run_in_background: true };

/** What the scripted model says, by who asks and how much was said. */
function next({ system, messages }) {
  const said = JSON.stringify(messages);
  if (system[0].text === 'You count.')
    return text(said.includes('also the tests') ? 'Two files and one test.' : 'Two files.');
  const calls = (said.match(/"tool_use"/g) ?? []).length;
  if (calls === 0)
    return toolCall('Agent', {
      subagent_type: 'counter',
      description: 'count files',
      prompt: 'Count the files.',
      name: 'clerk',
      ...background,
    });
  if (calls === 1) return toolCall('SendMessage', { to: 'clerk', message: 'Count also the tests.' });
  return text(said.includes('one test') ? 'The clerk counted two files and one test.' : 'The clerk is at work.');
}
const scripted = process.env.ANTHROPIC_API_KEY ? {} : { provider: scriptedModel((request) => next(request)) };

const session = query({
  prompt:
    'Start the agent counter in the background, by the name clerk: it counts the files here. Then tell it with SendMessage to count also the tests. End your turn, and tell me the numbers once it has reported.',
  options: { agents: { counter }, maxTurns: 20, ...scripted },
});

let started = 0;
const results = [];
for await (const message of session) {
  if (message.type === 'result') results.push(message);
  if (message.type !== 'system') continue;
  if (message.subtype === 'task_started') {
    started += 1;
    console.log(`started: ${message.task_id} (${message.description})`);
  }
  if (message.subtype === 'task_notification') console.log(`${message.status}: ${message.summary}`);
}
const last = results.at(-1);
console.log(last.result);

const isRight = last.subtype === 'success' && started > 0 && /test/.test(last.result);
if (!isRight) console.error('Expected an agent in the background, and what it counted.');
process.exitCode = isRight ? 0 : 1;
