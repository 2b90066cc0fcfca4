// What EnterWorktree and ExitWorktree do, by the session's worktrees, and what the model reads of it.
import { ToolError } from '../../protocol/errors.js';
import type {
  EnterWorktreeInput,
  EnterWorktreeOutput,
  ExitWorktreeInput,
  ExitWorktreeOutput,
} from '../../protocol/tool-io.js';
import type { ToolContext, ToolOutcome, ToolWorktrees } from '../tool.js';

/** @throws ToolError if none can be entered */
export async function enterWorktree(
  { name }: EnterWorktreeInput,
  context: ToolContext,
): Promise<ToolOutcome<EnterWorktreeOutput>> {
  const { path, branch, note, isNew } = await worktreesOf(context).enter(name, context.signal);
  const what = isNew ? 'A new worktree' : 'The worktree that was kept';
  const on = branch === null ? '' : `, on branch ${branch}`;
  return {
    model: `${what} is at ${path}${on}. ${note}`,
    data: { worktree_path: path, branch_name: branch ?? '', success: true },
  };
}

/** @throws ToolError if there is none to leave */
export async function exitWorktree(
  { action, discard_changes: discard = false }: ExitWorktreeInput,
  context: ToolContext,
): Promise<ToolOutcome<ExitWorktreeOutput>> {
  const left = await worktreesOf(context).leave(
    action === 'keep' ? 'keep' : discard ? 'discard' : 'remove',
    context.signal,
  );
  if (left.isLeft) return { model: left.note, data: { success: true } };
  const lists = [
    ...listOf('Uncommitted files', left.uncommitted),
    ...listOf('Commits that no other branch has', left.unmerged),
  ];
  const error = `The worktree was not removed, for this would be lost:\n${lists.join('\n')}\nCommit and merge it, keep the worktree with action "keep", or ask the user whether to discard it.`;
  const data: ExitWorktreeOutput = {
    success: false,
    error,
    uncommitted_files: [...left.uncommitted],
    unmerged_commits: [...left.unmerged],
  };
  return { model: error, data, isError: true };
}

function listOf(what: string, entries: readonly string[]): readonly string[] {
  return entries.length === 0 ? [] : [`${what}:`, ...entries.map((entry) => `  ${entry}`)];
}

function worktreesOf({ worktrees }: ToolContext): ToolWorktrees {
  if (worktrees === undefined) throw new ToolError('This session cannot move to a worktree.');
  return worktrees;
}
