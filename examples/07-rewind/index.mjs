// A prompt is undone, with what its command did and without what the user did: its files, then the conversation too.
// Exits with 1 if a file or the conversation is not what it should be.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const project = join(folder, 'project');
mkdirSync(project);
const files = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n', 'd.txt': 'four\n' };
for (const [name, content] of Object.entries(files)) writeFileSync(join(project, name), content);

const script = [
  toolCall('Read', { file_path: 'a.txt' }),
  toolCall('Write', { file_path: 'a.txt', content: 'written by the agent\n' }),
  toolCall('Read', { file_path: 'd.txt' }),
  toolCall('Write', { file_path: 'd.txt', content: 'written by the agent\n' }),
  toolCall('Bash', { command: 'mv b.txt moved.txt; rm c.txt' }),
  text('Done.'),
];
const uuid = '6f1c7f0e-94c4-4f7b-9d5e-0f2f5f0c7a11';

async function* prompt() {
  yield { type: 'user', uuid, message: { role: 'user', content: 'Tidy up.' }, parent_tool_use_id: null };
}

const options = {
  cwd: project,
  env: { TURNWRIGHT_HOME: join(folder, 'home') },
  permissionMode: 'acceptEdits',
  allowedTools: ['Bash'],
  enableFileCheckpointing: true,
};
const session = query({ prompt: prompt(), options: { ...options, provider: scriptedModel(script) } });
let sessionId = '';
for await (const message of session) {
  sessionId = message.session_id;
  if (message.subtype === 'files_persisted')
    console.log(`changed: ${message.files.map(({ filename }) => basename(filename)).join(', ')}`);
}

writeFileSync(join(project, 'd.txt'), 'and now by the user\n');

const names = (paths) => paths.map((path) => basename(path)).sort();
const dryRun = await session.rewindFiles(uuid, { dryRun: true });
console.log(`would set back: ${names(dryRun.filesChanged).join(', ')}`);
const rewind = await session.rewindFiles(uuid);
for (const { message } of rewind.conflicts) console.log(message);
const isUndone =
  readFileSync(join(project, 'a.txt'), 'utf8') === 'one\n' &&
  readFileSync(join(project, 'b.txt'), 'utf8') === 'two\n' &&
  readFileSync(join(project, 'c.txt'), 'utf8') === 'three\n' &&
  readFileSync(join(project, 'd.txt'), 'utf8') === 'and now by the user\n' &&
  !existsSync(join(project, 'moved.txt')) &&
  names(rewind.conflicts.map(({ path }) => path)).join() === 'd.txt';

await session.rewindFiles(rewind.rewindId);
const isBack = existsSync(join(project, 'moved.txt')) && !existsSync(join(project, 'c.txt'));
console.log(isBack ? 'and the rewind was taken back' : 'the rewind was not taken back');

// Files and conversation by one call: whoever goes on with the session does not hear of the prompt.
const both = await session.rewind(uuid, { scope: 'both' });
console.log(`${both.status}: ${both.removedMessageIds.length} messages and ${both.filesChanged.length} files`);
const next = scriptedModel([text('What can I do for you?')]);
for await (const _message of query({ prompt: 'Hello.', options: { ...options, resume: sessionId, provider: next } }));
const isForgotten =
  both.status === 'partial' && // the file of the user
  both.retainedLeafId === null &&
  next.requests[0].messages.length === 1 &&
  readFileSync(join(project, 'c.txt'), 'utf8') === 'three\n';
console.log(isForgotten ? 'and the model has not heard of it' : 'but the model still has it');

if (!isUndone || !isBack) console.error('Expected the files of before, but for the one of the user.');
process.exitCode = isUndone && isBack && isForgotten ? 0 : 1;
