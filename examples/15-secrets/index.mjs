// A model works with a key that it is never shown: it reads `.env`, gets a placeholder, and edits the file and runs a
// command with it. Exits with 1 if the key was in any request, or did not arrive where it belongs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const KEY = `ghp_${'a1B2c3'.repeat(6)}`;
const cwd = mkdtempSync(join(process.cwd(), 'work-'));
const file = join(cwd, '.env');
process.on('exit', () => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(file, `PORT=80\nTOKEN=${KEY}\n`);

/** What the model has read of the key. */
const placeholder = ({ messages }) => JSON.stringify(messages).match(/\{secret:[^}]*\}/)?.[0] ?? 'none';

const model = scriptedModel([
  toolCall('Read', { file_path: file }),
  (request) => {
    console.log(`The model reads ${placeholder(request)}.`);
    const [old_string, new_string] = [`TOKEN=${placeholder(request)}`, `GITHUB_TOKEN=${placeholder(request)}`];
    return toolCall('Edit', { file_path: file, old_string, new_string });
  },
  (request) => toolCall('Bash', { command: `printf '%s' '${placeholder(request)}' | wc -c` }),
  text('The variable has its new name.'),
]);

let available = false;
const answers = [];
for await (const message of query({
  prompt: 'Rename TOKEN to GITHUB_TOKEN in .env, and tell how long it is.',
  options: { cwd, provider: model, sandbox: { enabled: true }, permissionMode: 'acceptEdits', persistSession: false },
})) {
  if (message.type === 'system' && message.subtype === 'init') available = message.sandbox.available;
  if (message.type === 'system' && message.subtype === 'notice') console.log(`${message.code}: ${message.message}`);
  if (message.type === 'user') answers.push(message.message.content[0].content);
}

console.log(`The command says: ${answers.at(-1)}`);
const isHidden = !JSON.stringify(model.requests).includes(KEY);
const isEdited = readFileSync(file, 'utf8') === `PORT=80\nGITHUB_TOKEN=${KEY}\n`;
// If there is no sandbox, no command runs.
const isUsed = !available || answers.at(-1) === `${KEY.length}`;
if (!(isHidden && isEdited && isUsed))
  console.error('Expected the key in the file and the command, and in no request.');
process.exitCode = isHidden && isEdited && isUsed ? 0 : 1;
