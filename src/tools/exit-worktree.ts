// ExitWorktree: the session goes back to its folder, and the worktree is kept or removed.
import type { JsonSchema } from '../protocol/json.js';
import type { ExitWorktreeInput, ExitWorktreeOutput } from '../protocol/tool-io.js';
import { pathSubject } from './shared/resolve-path.js';
import { defineTool, type Tool } from './tool.js';

export const exitWorktreeInputSchema = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['keep', 'remove'], description: 'What to do with the worktree and its branch.' },
    discard_changes: {
      type: 'boolean',
      description: 'Also remove uncommitted files and unmerged commits. Only if the user asked for that.',
    },
  },
  required: ['action'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Leaves the worktree that EnterWorktree entered and moves back to the folder where the session began. If "remove" would lose work, it is refused and the result lists that work.`;

/** Leads the session out of a worktree. Its `tool_use_result` is `ExitWorktreeOutput`. */
export const exitWorktreeTool: Tool<ExitWorktreeInput, ExitWorktreeOutput> = defineTool<
  ExitWorktreeInput,
  ExitWorktreeOutput
>({
  name: 'ExitWorktree',
  description: DESCRIPTION,
  inputSchema: exitWorktreeInputSchema,
  readOnly: false,
  concurrencySafe: false,
  movesSession: true,
  deferrable: 'rare',
  searchHint: 'git worktree branch isolated checkout',
  title: ({ action, discard_changes: discard }) =>
    action === 'keep' ? 'Leave the worktree' : `Remove the worktree${discard === true ? ' with all changes' : ''}`,
  // Nothing is lost without a clear word; with one somebody is asked, whatever else is allowed.
  subject: ({ action, discard_changes: discard }, cwd) =>
    action === 'remove' && discard === true ? { kind: 'external' } : pathSubject('.', cwd, 'write'),
  run: async (input, context) => (await import('./worktree/use-worktree.js')).exitWorktree(input, context),
});
