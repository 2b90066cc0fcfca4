// EnterWorktree and ExitWorktree: the session goes on in a worktree of its own, made now or kept from before, and goes back
// to its folder.
import type { JsonSchema } from '../protocol/json.js';
import type {
  EnterWorktreeInput,
  EnterWorktreeOutput,
  ExitWorktreeInput,
  ExitWorktreeOutput,
} from '../protocol/tool-io.js';
import { loadWorktrees } from './bodies.js';
import { pathSubject } from './shared/index.js';
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
  run: async (input, context) => (await loadWorktrees()).enterWorktree(input, context),
});

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

const EXIT_DESCRIPTION = `Leaves the worktree that EnterWorktree entered and moves back to the folder where the session began. If "remove" would lose work, it is refused and the result lists that work.`;

/** Leads the session out of a worktree. Its `tool_use_result` is `ExitWorktreeOutput`. */
export const exitWorktreeTool: Tool<ExitWorktreeInput, ExitWorktreeOutput> = defineTool<
  ExitWorktreeInput,
  ExitWorktreeOutput
>({
  name: 'ExitWorktree',
  description: EXIT_DESCRIPTION,
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
  run: async (input, context) => (await loadWorktrees()).exitWorktree(input, context),
});
