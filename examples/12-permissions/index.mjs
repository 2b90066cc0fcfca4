// Permissions: rules that allow and deny parts of commands and files, a question about what is left, and a call that waits
// for a decision. Always a scripted model. Exits with 1 if more or less ran than that.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPermission, query } from 'turnwright';
import { reply, scriptedModel, text, toolCall } from 'turnwright/testing';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
const home = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => {
  for (const each of [folder, home]) rmSync(each, { recursive: true, force: true });
});
writeFileSync(join(folder, '.env'), 'TOKEN=not for anybody\n');
writeFileSync(join(folder, 'plan.txt'), 'ship it\n');

const rules = { allowedTools: ['Bash(mkdir *)'], disallowedTools: ['Read(.env)', 'Bash(rm *)'] };
const base = { cwd: folder, env: { TURNWRIGHT_HOME: home }, ...rules };

// What would be said of a call, without a session.
for (const command of ['cat plan.txt | wc -l', 'mkdir out', 'cat .env', "bash -c 'rm plan.txt'", 'touch x']) {
  const question = {
    tool: 'Bash',
    input: { command },
    cwd: folder,
    rules: { allow: base.allowedTools, deny: base.disallowedTools },
  };
  const { behavior, reason } = await checkPermission(question);
  console.log(`${behavior.padEnd(5)} ${command}  (${reason})`);
}

const bash = (command, id) => toolCall('Bash', { command }, id);
const model = scriptedModel([
  reply(bash('cat .env', 'toolu_env'), bash('mkdir out', 'toolu_mkdir'), bash('touch out/done', 'toolu_touch')),
  text('out/done is there.'),
]);

/** Runs one prompt, or decisions, to its result. */
async function run(prompt, options) {
  let result;
  for await (const message of query({
    prompt,
    options: { ...base, provider: model, deferPermissions: true, ...options },
  }))
    if (message.type === 'result') result = message;
  return result;
}

const first = await run('Make out/done.', {});
const [waiting] = first.deferred_tool_uses ?? [];
console.log(`waits: ${waiting?.input.command}  (${waiting?.reason})`);
const wasThere = existsSync(join(folder, 'out', 'done'));

// Hours later, maybe in another process.
const decisions = [{ toolUseID: 'toolu_touch', behavior: 'allow', decidedInput: { command: 'touch out/done' } }];
const second = await run('', { resume: first.session_id, decisions });
console.log(second.result);

const isRight =
  first.terminal_reason === 'tool_deferred' &&
  first.permission_denials.length === 1 &&
  !wasThere &&
  second.result === 'out/done is there.' &&
  existsSync(join(folder, 'out', 'done'));
if (!isRight) console.error('Expected one refusal, one folder, and a file only after the decision.');
process.exitCode = isRight ? 0 : 1;
