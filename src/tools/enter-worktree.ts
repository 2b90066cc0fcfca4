// EnterWorktree: the session goes on in a worktree of its own, made now or kept from before.
import type { JsonSchema } from '../protocol/json.js';
import type { EnterWorktreeInput, EnterWorktreeOutput } from '../protocol/tool-io.js';
import { pathSubject } from './shared/resolve-path.js';
import { defineTool, type Tool } from './tool.js';

export const enterWorktreeInputSchema = {
  type: 'object',
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      description: 'Letters, digits, ".", "_", "-". Default: a generated name.',
    },
  },
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Creates a git worktree with its own branch at the current commit, and moves the session into it. Use it only if the user asks for a worktree. Uncommitted changes stay behind. To return to a worktree that was kept, give its name. ExitWorktree leaves it.`;

/** Moves the session into a worktree. Its `tool_use_result` is `EnterWorktreeOutput`. */
export const enterWorktreeTool: Tool<EnterWorktreeInput, EnterWorktreeOutput> = defineTool<
  EnterWorktreeInput,
  EnterWorktreeOutput
>({
  name: 'EnterWorktree',
  description: DESCRIPTION,
  inputSchema: enterWorktreeInputSchema,
  otherFields: { path: 'give the name of the worktree', branch: 'the branch is named after the worktree' },
  readOnly: false,
  concurrencySafe: false,
  movesSession: true,
  deferrable: 'rare',
  searchHint: 'git worktree branch isolated checkout',
  title: ({ name }) => (name === undefined ? 'Enter a new worktree' : `Enter the worktree ${name}`),
  subject: (_input, cwd) => pathSubject('.worktrees', cwd, 'write'),
  run: async (input, context) => (await import('./worktree/use-worktree.js')).enterWorktree(input, context),
});
