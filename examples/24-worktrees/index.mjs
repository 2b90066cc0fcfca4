// Work in a worktree: made, worked in, and not removed while it holds work that is nowhere else. In a small repository of its
// own. Without a key a scripted model answers. Exits with 1 if the work is not kept, or got into the main checkout.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const folder = mkdtempSync(path.join(tmpdir(), 'turnwright-worktrees-'));
const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=You', '-c', 'user.email=you@example.invalid', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
git('init', '-q');
writeFileSync(path.join(folder, 'greeting.txt'), 'hello\n');
git('add', '-A');
git('commit', '-q', '-m', 'A greeting');

const steps = [
  toolCall('EnterWorktree', { name: 'louder' }),
  toolCall('Write', { file_path: 'loud.txt', content: 'HELLO\n' }),
  toolCall('ExitWorktree', { action: 'remove' }),
  toolCall('ExitWorktree', { action: 'keep' }),
  text('The louder greeting is in the worktree "louder", which I kept.'),
];
const scripted = process.env.ANTHROPIC_API_KEY ? {} : { provider: scriptedModel(steps) };

const session = query({
  prompt:
    'Make a worktree called louder, write HELLO to loud.txt there, try to remove the worktree, and keep it if that is refused.',
  options: { cwd: folder, permissionMode: 'acceptEdits', allowedTools: ['EnterWorktree', 'ExitWorktree'], ...scripted },
});

let result;
for await (const message of session) {
  if (message.type === 'user' && message.tool_use_result?.uncommitted_files)
    console.log('kept, because of:', message.tool_use_result.uncommitted_files.join(', '));
  if (message.type === 'result') result = message;
}
console.log(result.result);
console.log(git('worktree', 'list').trim());

const isRight =
  existsSync(path.join(folder, '.worktrees/louder/loud.txt')) && !existsSync(path.join(folder, 'loud.txt'));
if (!isRight) console.error('Expected the file in the worktree, and nowhere else.');
process.exitCode = isRight && result.subtype === 'success' ? 0 : 1;
