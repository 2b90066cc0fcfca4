// Hooks: commands of a project's settings that guard calls and tell the model something, beside a function of the host.
// Always a scripted model. Exits with 1 if a guard is not heard, or runs in a folder that nobody trusts.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, scriptedModel, text, toolCall } from 'turnwright/testing';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
const home = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => {
  for (const each of [folder, home]) rmSync(each, { recursive: true, force: true });
});

// What a repository brings along. The guard reads the call as JSON; its exit code 2 refuses, with stderr as the reason.
const guard = `if grep -q 'rm -rf'; then echo 'Use the bin, not rm -rf.' >&2; exit 2; fi`;
mkdirSync(join(folder, 'hooks'));
mkdirSync(join(folder, '.claude'));
writeFileSync(join(folder, 'hooks', 'guard.sh'), `${guard}\n`);
const hooks = {
  PreToolUse: [
    {
      matcher: 'Bash',
      hooks: [{ type: 'command', command: 'sh "$CLAUDE_PROJECT_DIR"/hooks/guard.sh', onFailure: 'block' }],
    },
  ],
  SessionStart: [{ hooks: [{ type: 'command', command: 'echo "Releases are made on Mondays."' }] }],
};
writeFileSync(join(folder, '.claude', 'settings.json'), JSON.stringify({ hooks }));

/** One prompt, in which the model makes two calls. */
async function run(options) {
  mkdirSync(join(folder, 'build'), { recursive: true });
  const model = scriptedModel([
    reply(toolCall('Bash', { command: 'rm -rf build' }), toolCall('Bash', { command: 'ls' })),
    text('Done.'),
  ]);
  const ran = [];
  const listen = async (input) => {
    ran.push(input.tool_input.command);
    return {};
  };
  const notices = [];
  let denied = [];
  for await (const message of query({
    prompt: 'Clean up.',
    options: {
      provider: model,
      cwd: folder,
      env: { TURNWRIGHT_HOME: home },
      persistSession: false,
      canUseTool: async () => ({ behavior: 'allow' }),
      hooks: { PostToolUse: [{ matcher: 'Bash', hooks: [listen] }] },
      ...options,
    },
  })) {
    if (message.type === 'system' && message.subtype === 'notice') notices.push(message.code);
    if (message.type === 'result') denied = message.permission_denials;
  }
  const read = JSON.stringify(model.requests.at(-1).messages);
  return { ran, denied, notices, read, isThere: existsSync(join(folder, 'build')) };
}

const inert = await run({});
console.log(`nobody trusts the folder: ran ${inert.ran.join(', ')} (${inert.notices.join(', ')})`);
const guarded = await run({ settingSources: ['project'] });
console.log(`the host vouches for it:  ran ${guarded.ran.join(', ')}; refused ${guarded.denied.length}`);

const isRight =
  inert.ran.length === 2 &&
  inert.notices.includes('folder_not_trusted') &&
  !inert.read.includes('Mondays') &&
  guarded.ran.join() === 'ls' &&
  guarded.denied.length === 1 &&
  guarded.isThere &&
  guarded.read.includes('Use the bin, not rm -rf.') &&
  guarded.read.includes('Releases are made on Mondays.');
if (!isRight) console.error('Expected no hook without trust, and with it one refusal with its reason.');
process.exitCode = isRight ? 0 : 1;
