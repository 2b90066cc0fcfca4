// Code mode: the model writes a script that reads 30 files, and only what the script returns comes back to it. Without a key
// a scripted model answers. Exits with 1 if the answer is wrong, or the file that must not be read was read.
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'turnwright-example-')));
for (let at = 1; at <= 30; at++) {
  const lines = [`Order ${at}`, 'Shipped to a customer.', `total: ${at * 10}`];
  await writeFile(path.join(folder, `order-${at}.txt`), lines.join('\n'));
}
await writeFile(path.join(folder, 'private.txt'), 'total: 1000000');

const code = `
const files = [...(await tools.Glob({ pattern: 'order-*.txt' })).files, '${folder}/private.txt'];
let sum = 0;
let denied = 0;
await Promise.all(files.map(async (file_path) => {
  try {
    const { text } = await tools.Read({ file_path });
    sum += Number(/total: (\\d+)/.exec(text)[1]);
  } catch (error) {
    if (error.name !== 'DeniedError') throw error;
    denied += 1;
  }
}));
return { sum, denied };`;
const script = [
  toolCall('RunScript', { code, description: 'Add up the totals' }),
  text('The orders come to 4650. private.txt may not be read.'),
];
const scripted = process.env.ANTHROPIC_API_KEY ? {} : { provider: scriptedModel(script) };

const session = query({
  prompt:
    'Add up the totals of all order-*.txt and of private.txt here, by one script. Say the sum, and which files could not be read.',
  options: {
    cwd: folder,
    tools: ['Read', 'Glob'],
    disallowedTools: ['Read(private.txt)'],
    codeMode: true,
    maxTurns: 8,
    persistSession: false,
    ...scripted,
  },
});

let result;
let calls = 0;
for await (const message of session) {
  // Calls of a script stand below the script's own call.
  if (message.type === 'assistant' && message.parent_tool_use_id !== null) calls += 1;
  if (message.type === 'user' && message.tool_use_result?.calls !== undefined)
    console.log(`the script returned ${message.tool_use_result.value}`);
  if (message.type === 'result') result = message;
}
await rm(folder, { recursive: true, force: true });
console.log(`${calls} calls in ${result.num_turns} replies: ${result.result}`);

const isRight = result.subtype === 'success' && /4,?650/.test(result.result) && calls >= 31;
if (!isRight) console.error('Expected the sum 4650, from calls of a script.');
process.exitCode = isRight ? 0 : 1;
