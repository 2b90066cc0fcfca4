// UpdateGoal: how the model says that the goal of the session is reached, or that it needs the user for it.
import type { JsonSchema } from '../protocol/json.js';
import type { UpdateGoalInput, UpdateGoalOutput } from '../protocol/tool-io.js';
import { type AnyTool, defineTool } from './tool.js';

export const UPDATE_GOAL_TOOL = 'UpdateGoal';

const DESCRIPTION = `Ends work on the goal that the user set for this session.
- complete: it is reached, and you have checked that it is. blocked: only the user can bring it forward.
- Without this call you are asked to go on.`;

const inputSchema = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['complete', 'blocked'] },
    reason: { type: 'string', description: 'How you know, or what you need.' },
  },
  required: ['status', 'reason'],
  additionalProperties: false,
} as const satisfies JsonSchema;

/** For sessions that have, or had, a goal. @param report false if there is none to end */
export function createUpdateGoal(report: (status: 'complete' | 'blocked', reason: string) => boolean): AnyTool {
  return defineTool<UpdateGoalInput, UpdateGoalOutput>({
    name: UPDATE_GOAL_TOOL,
    description: DESCRIPTION,
    inputSchema,
    forModelOnly: true,
    readOnly: true,
    concurrencySafe: false,
    title: ({ status }) => (status === 'complete' ? 'The goal is reached' : 'The goal needs you'),
    subject: () => ({ kind: 'none' }),
    async run({ status, reason }) {
      const success = report(status, reason);
      const message = success
        ? `The goal is ${status}. Tell the user in a few sentences how it stands; you are not asked to go on.`
        : 'There is no goal that is worked towards.';
      return { model: message, data: { success, message } };
    },
  });
}
