// A program of the Claude Agent SDK; only the import names another package. The offline model answers, a planner by fixed rules.
// Exits with 1 if something is not as it is there.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getSessionMessages, HOOK_EVENTS, query } from 'turnwright/claude';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'notes.txt'), 'one\ntwo\nthree\n');

const heard = [];
const audit = async (input) => {
  heard.push(input.tool_response?.file?.filePath ?? input.tool_name);
  return {};
};
const options = {
  cwd: folder,
  // Replaces the environment, as there: sessions go to this folder.
  env: { ...process.env, CLAUDE_CONFIG_DIR: join(folder, 'home') },
  model: 'offline',
  allowedTools: ['Read', 'Glob', 'Grep'],
  hooks: { PostToolUse: [{ hooks: [audit] }] },
};

let result;
for await (const message of query({ prompt: 'count the lines in notes.txt', options })) {
  if (message.type === 'system' && message.subtype === 'init') console.log(`tools: ${message.tools.join(', ')}`);
  if (message.type === 'result') result = message;
}
console.log(result.result);
console.log(`the hook heard of: ${heard.join(', ')}`);

// There the iteration throws behind a result that failed, and so it does here.
let thrown = null;
try {
  for await (const message of query({ prompt: 'count the lines in notes.txt', options: { ...options, maxTurns: 1 } })) {
    if (message.type === 'result') console.log(`ended with ${message.subtype}`);
  }
} catch (error) {
  thrown = error;
}
console.log(thrown?.message);

process.env.CLAUDE_CONFIG_DIR = options.env.CLAUDE_CONFIG_DIR;
const kept = await getSessionMessages(result.session_id);
const isRight =
  HOOK_EVENTS.includes('PostToolUse') &&
  heard.length > 0 &&
  /\b(3|three)\b/i.test(result.result) &&
  /^Claude Code returned an error result: /.test(thrown?.message) &&
  kept[0]?.type === 'user';
if (!isRight)
  console.error('Expected 3 lines, a hook that was called, an error behind a failed result, and a kept session.');
process.exitCode = isRight ? 0 : 1;
